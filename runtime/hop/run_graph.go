package hop

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/internal/exec"
	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// runGraph runs the graph of a root trace on args, under the tag g: op by op when an operand requires grad, captured
// tensors included, or carries an observer; otherwise by the plan of an equal graph, or a new one.
func runGraph(b *tracer.Body, args []*Tensor, g *tag, long *longRun) []*Tensor {
	captured := make([]*Tensor, len(b.Captures))
	for i, c := range b.Captures {
		captured[i] = c.Payload.(*Tensor)
	}
	if anyRequiresGrad(args) || anyRequiresGrad(captured) || g.observed() {
		outs := interpreter{tag: g, path: g.path(), long: long, known: true}.run(b.Graph, args, captured)
		gate(outs, append(slices.Clone(args), captured...))
		return outs
	}
	return planOf(b.Graph)(args, captured, nil, long)
}

// runPlan runs a graph on real tensors by the plan of an equal graph, or a new one. The results are fresh and on no tape.
func runPlan(g *tracer.Graph, args, captured []*Tensor) []*Tensor {
	return planOf(g)(args, captured, nil, nil)
}

// plan runs one graph, which is ready to run, on real tensors. Where it can without harm, it leaves results in the
// tensors of into, of which one that is nil, or all, may be missing; the others are fresh.
type plan func(args, captured, into []*Tensor, long *longRun) []*Tensor

// planOf is runPlan for many runs of one graph.
func planOf(g *tracer.Graph) plan {
	known, err := plans.get(g)
	if err != nil {
		panic(fromExec(g, err))
	}
	if known.sized != nil {
		return func(args, captured, into []*Tensor, long *longRun) []*Tensor {
			return known.sized.run(g, args, captured, into, long)
		}
	}
	return executing(g, g, known.program)
}

// executing is the plan that runs a program of the executor, which was compiled of the graph run. g is the graph that run
// was made of, where errors look up their lines.
func executing(g, run *tracer.Graph, p *exec.Program) plan {
	return func(args, captured, into []*Tensor, long *longRun) []*Tensor {
		if !p.Total() || long != nil && long.ctx != nil {
			into = nil // what stops half-way must leave them as they were
		}
		ins := make([]kernels.Array, 0, len(args)+len(captured))
		for _, t := range args {
			ins = append(ins, t.array())
		}
		for _, t := range captured {
			ins = append(ins, t.array())
		}
		outs := make([]*Tensor, len(g.Outputs))
		arrays := make([]kernels.Array, len(outs))
		for i, n := range run.Outputs {
			dims, _ := n.Meta.ConstShape()
			if _, ok := numElems(n.Meta.DType, dims); !ok {
				name := n.Op
				if n.Op == tracer.OpGet {
					name = n.Args[0].Op
				}
				misuse(name, "result %s is larger than memory can be; use smaller sizes", describe(n.Meta))
			}
			if into != nil && into[i] != nil && into[i].IsContiguous() && n.Meta.Equal(into[i].meta()) {
				outs[i] = into[i]
				arrays[i] = outs[i].array()
				continue
			}
			outs[i] = newTensor(n.Meta.DType, dims)
			outs[i].storage.integer = g.Outputs[i].Meta.Int != nil
			arrays[i] = outs[i].array()
		}
		if err := p.RunWith(long.options(), ins, arrays); err != nil {
			panic(long.failed(g, err))
		}
		return outs
	}
}

// sizedPlan runs a graph with symbols by a plan for the values that they have; see sym_sizes.go.
type sizedPlan struct {
	names []string // of the symbols of the inputs
	// compile makes the programs; see Fold.
	compile func(g *tracer.Graph, lib exec.Library) (*exec.Program, error)
	whole   *exec.Program
	of      *tracer.Graph // what whole was compiled of
	plans   sizeCache[plan]
}

func newSizedPlan(g *tracer.Graph, compile func(g *tracer.Graph, lib exec.Library) (*exec.Program, error)) (*sizedPlan, error) {
	p := &sizedPlan{compile: compile}
	for _, in := range g.Inputs {
		if in.Meta.Int != nil {
			p.names = append(p.names, in.Meta.Int.Symbols()...)
		}
		for _, d := range in.Meta.Shape {
			p.names = append(p.names, d.Symbols()...)
		}
	}
	slices.Sort(p.names)
	p.names = slices.Compact(p.names)
	var err error
	if run, ok := lowered(g); ok { // no size depends on a symbol: one plan for all values
		p.of = run
		p.whole, err = compile(run, kernelLibrary{})
	}
	return p, err
}

// run runs g, which is the plan's graph, maybe with other positions.
func (p *sizedPlan) run(g *tracer.Graph, args, captured, into []*Tensor, long *longRun) []*Tensor {
	if p.whole != nil {
		return executing(g, p.of, p.whole)(args, captured, into, long)
	}
	known := bindInputs(g, args)
	return p.plans.get(known.key(p.names), func() plan { return p.withSizes(g, known) })(args, captured, into, long)
}

// withSizes makes the plan of a graph for known values of the symbols of its inputs.
func (p *sizedPlan) withSizes(g *tracer.Graph, known symbols) plan {
	sized := withSizes(g, known)
	run, ok := lowered(sized)
	if !ok {
		operators := &operatorPlans{compile: p.compile}
		return func(args, captured, _ []*Tensor, long *longRun) []*Tensor {
			return fresh(interpreter{long: long, plans: operators.newRun()}.run(sized, args, captured), slices.Concat(args, captured))
		}
	}
	program, err := p.compile(run, kernelLibrary{})
	if err != nil {
		panic(fromExec(g, err))
	}
	return executing(g, run, program)
}

// kernelLibrary hands the kernels of the op table to the executor.
type kernelLibrary struct{}

// Kernel returns the kernel of the op called name.
func (kernelLibrary) Kernel(name string) (*kernels.Kernel, bool) {
	if op := opNamed(name); op != nil {
		return &op.Kernel, true
	}
	return nil, false
}

// fromExec makes an *Error of a failure while the graph g runs. The plan may have been compiled for an equal graph of
// another place in the program, so the failed node's position is looked up in g.
func fromExec(g *tracer.Graph, err error) *Error {
	var ee *exec.Error
	if !errors.As(err, &ee) {
		return &Error{Step: -1, Position: userPosition(), Detail: err.Error(), Err: err}
	}
	e := &Error{Op: ee.Op, Step: ee.Step, Position: ee.Pos, Detail: ee.Err.Error(), Err: ee.Err}
	if op := opNamed(ee.Op); op != nil {
		if e.Op = op.userName(); ee.Op == symHold { // it is no op of the user's
			e.Op = ""
		}
	} else if _, isHOP := hopcheck.ContractNamed(calledAs(ee.Op)); isHOP {
		e.Op, e.HOP = "", calledAs(ee.Op)
	}
	var tooMany *exec.MaxStepsError
	if errors.As(err, &tooMany) {
		e.Err = ErrMaxSteps
	}
	body := g
	for _, f := range ee.Path {
		if e.Operators != "" {
			e.Operators += " / "
		}
		e.Operators += f.String()
		if n := nodeNamed(body, f.Node); n != nil && f.Body < len(n.Graphs) {
			body = n.Graphs[f.Body]
		} else {
			body = nil // the executor put a body in place; its own positions hold
		}
	}
	if last := len(ee.Path) - 1; last >= 0 && e.HOP == "" {
		e.HOP = calledAs(ee.Path[last].HOP)
	}
	if n := nodeNamed(body, ee.Node); n != nil {
		e.Position = n.Pos
	}
	return e
}

// calledAs is the operator that users call where a graph has op: the gradient of a while loop is one of its own.
func calledAs(op string) string {
	if op == "while_sweeps" {
		return "while_loop"
	}
	return op
}

// nodeNamed finds a node of g, which may be nil, by its name.
func nodeNamed(g *tracer.Graph, name string) *tracer.Node {
	if g == nil {
		return nil
	}
	for _, n := range g.Nodes {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// maxPlans bounds the memo of compiled graphs; the oldest is evicted.
const maxPlans = 256

// planMemo keeps the compiled program of each graph by its text without positions, so that an eager HOP call that
// traces to a graph seen before runs at once.
type planMemo struct {
	mu sync.Mutex
	latest[planned]
	buf []byte
}

var plans planMemo

// planned is how a graph runs: by a program, or, where it has symbols, by one for each of their values.
type planned struct {
	program *exec.Program
	sized   *sizedPlan
}

func (p *planMemo) get(g *tracer.Graph) (planned, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.buf = g.AppendText(p.buf[:0], false)
	if known, ok := p.byKey[string(p.buf)]; ok {
		return known, nil
	}
	if err := g.Verify(); err != nil {
		return planned{}, fmt.Errorf("the traced graph is not well formed, which is a fault of this library: %w\n%s", err, g)
	}
	var made planned
	var err error
	if g.IsSymbolic() {
		made.sized, err = newSizedPlan(g, exec.Compile)
	} else {
		made.program, err = exec.Compile(g, kernelLibrary{})
	}
	if err != nil {
		return planned{}, err
	}
	p.put(string(p.buf), made, maxPlans)
	return made, nil
}
