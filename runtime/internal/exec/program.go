package exec

import (
	"fmt"
	"slices"
	"sync"
	"weak"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
	"github.com/hoplint/hoplint/tracer/passes"
)

// Library gives the kernels of plain ops; the runtime's op table implements it.
type Library interface {
	Kernel(op string) (*kernels.Kernel, bool)
}

// Program is a graph that is ready to run. It is safe for concurrent use.
type Program struct {
	graph *tracer.Graph
	lib   Library
	// origins are those of nodes that the passes put elsewhere or gave other names.
	origins map[*tracer.Node]passes.Origin
	total   bool

	mu   sync.Mutex
	idle []idleInstance
}

// idleInstance waits for the next run. A large one is left to the garbage collector: the memory of a program that
// nobody runs any more must come back, while a program that runs again and again finds its instance.
type idleInstance struct {
	strong *instance
	weak   weak.Pointer[instance]
}

// maxIdle bounds the instances that a Program keeps between runs, maxKept the bytes of one that is kept in any case.
const (
	maxIdle = 8
	maxKept = 1 << 20
)

// Compile checks that every node of g can be run: its op has a kernel or is a known operator, its shape is constant. It
// runs the passes on a copy of g.
func Compile(g *tracer.Graph, lib Library) (*Program, error) { return compile(g, lib, passes.Optimise) }

// CompileAsTraced is Compile with no other pass than the one without which nothing runs: bodies of calls in place.
func CompileAsTraced(g *tracer.Graph, lib Library) (*Program, error) {
	return compile(g, lib, passes.Inlined)
}

func compile(g *tracer.Graph, lib Library, rewrite func(*tracer.Graph, passes.Ops) (*passes.Result, error)) (*Program, error) {
	if err := checkGraph(g, lib, true); err != nil {
		return nil, err
	}
	res, err := rewrite(g, Traits(lib))
	if err != nil {
		return nil, err
	}
	return &Program{graph: res.Graph, lib: lib, origins: res.Origins, total: passes.Total(res.Graph, Traits(lib))}, nil
}

// Total reports whether no run can fail, whatever the values of the inputs, unless it is stopped.
func (p *Program) Total() bool { return p.total }

func checkGraph(g *tracer.Graph, lib Library, root bool) error {
	for _, in := range slices.Concat(g.Inputs, g.Constants) {
		if _, ok := in.Meta.ConstShape(); !ok || !in.Meta.IsTensor() {
			return compileError(in, "its meta is %s; only tensors of constant shape can be run", in.Meta)
		}
	}
	if len(g.Constants) > 0 && !root {
		return fmt.Errorf("graph %s: a body has constants; they belong to the root graph", g.Name)
	}
	for _, n := range g.Nodes {
		if n.Meta.IsTensor() {
			if _, ok := n.Meta.ConstShape(); !ok {
				return compileError(n, "its shape is %s; only constant shapes can be run", n.Meta)
			}
		}
		if len(n.Graphs) > 0 {
			if err := checkHOP(n, lib); err != nil {
				return err
			}
			continue
		}
		switch n.Op {
		case tracer.OpLiteral, tracer.OpGet:
		case tracer.OpPut:
			view := n.Attrs.Str("view")
			if k, ok := lib.Kernel(view); !ok || k.View == nil {
				return compileError(n, "there is no view %q", view)
			}
		default:
			if k, ok := lib.Kernel(n.Op); !ok || k.Run == nil && k.View == nil {
				return compileError(n, "the op has no kernel")
			}
		}
	}
	return nil
}

func compileError(n *tracer.Node, format string, args ...any) error {
	at := ""
	if n.Pos.IsValid() {
		at = n.Pos.String() + ": "
	}
	return fmt.Errorf("%s%s (%s): %s", at, n.Op, n.Name, fmt.Sprintf(format, args...))
}

// Run computes the outputs into outs. ins are the values of the graph's inputs, then of its constants, with any
// strides; outs are contiguous, have the shapes of the outputs and share no memory with ins. A failing node is
// reported as an [*Error]; outs are then undefined.
func (p *Program) Run(ins, outs []kernels.Array) error { return p.RunWith(RunOptions{}, ins, outs) }

// RunWith is Run with options.
func (p *Program) RunWith(o RunOptions, ins, outs []kernels.Array) error {
	if err := p.checkCall(ins, outs); err != nil {
		return err
	}
	if o.Context != nil && o.Context.Err() != nil {
		return o.Context.Err()
	}
	inst := p.take(ins)
	if inst == nil {
		var err error
		if inst, err = bind(p, ins, outs); err != nil {
			return p.named(err)
		}
	}
	err := inst.run(o, ins, outs)
	p.put(inst)
	return p.named(err)
}

// named gives the nodes of an error the names that they have in the graph that was compiled.
func (p *Program) named(err error) error {
	if e, ok := err.(*Error); ok {
		if o, ok := p.origins[e.node]; ok {
			e.Node = o.Node.Name
		}
		for i := range e.Path {
			if o, ok := p.origins[e.Path[i].node]; ok {
				e.Path[i].Node = o.Node.Name
			}
		}
	}
	return err
}

func (p *Program) checkCall(ins, outs []kernels.Array) error {
	g := p.graph
	if len(ins) != len(g.Inputs)+len(g.Constants) || len(outs) != len(g.Outputs) {
		return fmt.Errorf("graph %s takes %d inputs and %d constants and gives %d outputs; called with %d and %d arrays",
			g.Name, len(g.Inputs), len(g.Constants), len(g.Outputs), len(ins), len(outs))
	}
	for i := range ins {
		n := g.Inputs
		k := i
		if i >= len(n) {
			n, k = g.Constants, i-len(n)
		}
		if !fits(&ins[i], n[k].Meta) {
			return fmt.Errorf("graph %s: input %s is %s, called with %s%v", g.Name, n[k].Name, n[k].Meta, ins[i].DType.Short(), ins[i].Shape)
		}
	}
	for i := range outs {
		if o := g.Outputs[i]; !fits(&outs[i], o.Meta) || !outs[i].IsContiguous() {
			return fmt.Errorf("graph %s: output %d is %s, called with %s%v of strides %v; it must be contiguous",
				g.Name, i, o.Meta, outs[i].DType.Short(), outs[i].Shape, outs[i].Strides)
		}
	}
	return nil
}

func fits(a *kernels.Array, m tracer.Meta) bool {
	if a.DType != m.DType || len(a.Shape) != len(m.Shape) {
		return false
	}
	for i, d := range m.Shape {
		if n, ok := d.Const(); !ok || n != a.Shape[i] {
			return false
		}
	}
	return true
}

// take returns an idle instance that was bound to the strides of ins.
func (p *Program) take(ins []kernels.Array) *instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.idle) - 1; i >= 0; i-- {
		inst := p.idle[i].weak.Value()
		if inst == nil {
			p.idle = slices.Delete(p.idle, i, i+1)
		} else if inst.matches(ins) {
			p.idle = slices.Delete(p.idle, i, i+1)
			return inst
		}
	}
	return nil
}

// put keeps an instance for later runs; the one that was idle longest makes room.
func (p *Program) put(inst *instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == maxIdle {
		p.idle = slices.Delete(p.idle, 0, 1)
	}
	idle := idleInstance{weak: inst.self}
	if inst.heap.bytes <= maxKept {
		idle.strong = inst
	}
	p.idle = append(p.idle, idle)
}
