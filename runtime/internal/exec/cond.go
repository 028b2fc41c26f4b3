package exec

import (
	"fmt"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

func checkCond(n *tracer.Node) error {
	if err := checkBranches(n); err != nil {
		return err
	}
	if len(n.Graphs) != 2 {
		return fmt.Errorf("cond has %d branches, it takes 2", len(n.Graphs))
	}
	if err := oneElement(n.Args[0].Meta, tracer.Bool); err != nil {
		return fmt.Errorf("the predicate %w", err)
	}
	return nil
}

// cond binds a cond node: a jump over the branch that is not taken.
func (f *frame) cond(n *tracer.Node) (*value, error) {
	level := f.levels[n]
	results := f.results(n, level)
	gates, err := f.branches(n, level, results)
	if err != nil {
		return nil, err
	}
	c := &struct {
		pred            unsafe.Pointer
		onTrue, onFalse gate
	}{onTrue: gates[0], onFalse: gates[1]}
	f.env[n.Args[0]].track(&c.pred)
	if c.onTrue.simple() && c.onFalse.simple() {
		f.emit(level, instr{node: n, run: func() {
			branch := c.onFalse.body.plain
			if *(*uint8)(c.pred) != 0 {
				branch = c.onTrue.body.plain
			}
			for _, op := range branch {
				op()
			}
		}})
		return results, nil
	}
	f.emit(level, instr{node: n, try: func() error {
		branch, body := &c.onFalse, 1
		if *(*uint8)(c.pred) != 0 {
			branch, body = &c.onTrue, 0
		}
		if err := branch.run(); err != nil {
			return inside(n, body, -1, err)
		}
		return nil
	}})
	return results, nil
}
