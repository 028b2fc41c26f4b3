package exec

import (
	"fmt"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

func checkSwitch(n *tracer.Node) error {
	if err := checkBranches(n); err != nil {
		return err
	}
	if err := oneElement(n.Args[0].Meta, tracer.Int32, tracer.Int64); err != nil {
		return fmt.Errorf("the index %w", err)
	}
	return nil
}

// branching binds a switch node. An index outside of the branches takes the nearest one.
func (f *frame) branching(n *tracer.Node) (*value, error) {
	level := f.levels[n]
	results := f.results(n, level)
	gates, err := f.branches(n, level, results)
	if err != nil {
		return nil, err
	}
	s := &struct{ index unsafe.Pointer }{}
	f.env[n.Args[0]].track(&s.index)
	wide := n.Args[0].Meta.DType == tracer.Int64
	f.emit(level, instr{node: n, try: func() error {
		var i int64
		if wide {
			i = *(*int64)(s.index)
		} else {
			i = int64(*(*int32)(s.index))
		}
		branch := int(max(0, min(i, int64(len(gates)-1))))
		if err := gates[branch].run(); err != nil {
			return inside(n, branch, -1, err)
		}
		return nil
	}})
	return results, nil
}
