package hop

import (
	"github.com/hoplint/hoplint/runtime/internal/exec"
	"github.com/hoplint/hoplint/tracer"
	"github.com/hoplint/hoplint/tracer/passes"
)

// Fold lets a program fold constants and leave out and move work where nobody can tell, or not: with false its graph runs
// as it was traced, to compare or to look for a fault. Results are the same. The default is true; a program that is
// loaded folds.
func Fold(on bool) TraceOption {
	return traceOption(func(o *traceOptions) { o.asTraced = !on })
}

// Plan returns the graph that runs, as text: what is left of [Program.Graph] when constants are folded, copies that
// nobody can observe are gone, what does not change in a loop stands before it; all of it with [Fold] false. Comments say
// what is computed together, how often, and where results lie; a graph with open sizes has none, since that is decided for
// each size. It is read by people and by [tracer.Parse]; what it says is no promise.
func (p *Program[X, Y]) Plan() string {
	compile, rewrite := exec.Compile, passes.Optimise
	if p.p.asTraced {
		compile, rewrite = exec.CompileAsTraced, passes.Inlined
	}
	g := p.p.graph
	if run, ok := lowered(g); ok { // else sizes are open, and there is no plan yet, only the graph after the passes
		g = run
	}
	if c, err := compile(g, kernelLibrary{}); err == nil {
		if text, err := c.Plan(); err == nil {
			return text
		}
	}
	res, err := rewrite(p.p.graph, exec.Traits(kernelLibrary{}))
	if err != nil {
		return "// " + err.Error() + "\n" + p.p.graph.String()
	}
	return res.Graph.String()
}

// planAsTraced is the plan of a graph without passes. One that the executor cannot run like this has the plan of any.
func planAsTraced(g *tracer.Graph) plan {
	if g.IsSymbolic() {
		sized, err := newSizedPlan(g, exec.CompileAsTraced)
		if err != nil {
			panic(fromExec(g, err))
		}
		return func(args, captured, into []*Tensor, long *longRun) []*Tensor {
			return sized.run(g, args, captured, into, long)
		}
	}
	p, err := exec.CompileAsTraced(g, kernelLibrary{})
	if err != nil {
		return planOf(g)
	}
	return executing(g, g, p)
}
