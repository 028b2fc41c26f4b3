package hop

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/internal/pytree"
	"github.com/hoplint/hoplint/tracer"
)

// Program is a function that was traced once: a graph from a pytree X to a pytree Y, ready to run. It is safe for
// concurrent calls.
type Program[X, Y any] struct{ p *flatProgram }

// flatProgram is a Program on flat leaves.
type flatProgram struct {
	name     string // of the function that made it: trace or compile
	graph    *tracer.Graph
	in, out  *pytree.Tree
	metas    []tracer.Meta // of the leaves of in
	captures []captured
	plan     plan
	asTraced bool // see Fold

	// What the graph's inputs stand for and, of a program with symbols, the graph with the last few sizes in place.
	symbolic bool
	sources  []inputSource
	graphs   sizeCache[*tracer.Graph]
	notes    sizeNotes
}

// captured is a tensor that the traced function used without receiving it, held by reference.
type captured struct {
	t       *Tensor
	version uint64
}

// TraceOption changes how [Trace] and [Compile] trace.
type TraceOption interface{ trace(*traceOptions) }

type traceOptions struct {
	names   []string
	limit   int
	dynamic bool
	dims    []namedDims

	asTraced bool
}

type traceOption func(*traceOptions)

func (o traceOption) trace(t *traceOptions) { o(t) }

// Names gives the leaves of the argument names in the graph, in flattening order.
func Names(names ...string) TraceOption {
	return traceOption(func(o *traceOptions) { o.names = names })
}

// LimitPrograms lets a compiled function keep n programs, one for each signature, 64 by default; the oldest is dropped.
// Calls fail when n is below 1. [Trace], which makes one program, refuses the option.
func LimitPrograms(n int) TraceOption {
	return traceOption(func(o *traceOptions) {
		if n < 1 {
			misuse("LimitPrograms", "limit is %d; want 1 or more", n)
		}
		o.limit = n
	})
}

// Trace calls f once, on tensors without data that have dtypes and shapes of example, and returns what it did as a
// program.
//
// Aliasing: f must not write or return its argument or captured tensors (HOP103–HOP303). Captured tensors are held by
// reference: a call after one was written is refused (HOP405). One that requires grad is refused; pass it in X.
// Errors: an *[Error]; any other panic of f passes through.
// Gradient: a call with a leaf that requires grad is differentiable.
//
//hop:body f(operand)
func Trace[X, Y any](f func(X) Y, example X, opts ...TraceOption) (p *Program[X, Y], err error) {
	err = Try(func() { p = &Program[X, Y]{traceProgram("Trace", f, example, opts)} })
	return p, err
}

func traceProgram[X, Y any](fn string, f func(X) Y, example X, opts []TraceOption) *flatProgram {
	h := begin(fn, nil)
	if f == nil {
		h.misuse("function is nil; pass a func(x) y")
	}
	var o traceOptions
	for _, opt := range opts {
		if opt != nil {
			opt.trace(&o)
		}
	}
	if fn == "Trace" && o.limit > 0 {
		h.misuse("LimitPrograms is for Compile; Trace makes one program")
	}
	spec := &h.contract.Bodies[0]
	in := h.flatten(example, spec.In[0], "example")
	if len(o.names) > 0 && len(o.names) != len(in.leaves) {
		h.misuse("Names gives %d names to %d leaves (%s); give one to each", len(o.names), len(in.leaves), strings.Join(in.paths, ", "))
	}
	notes := new(sizeNotes)
	tr := tracer.NewTracer(tracer.Options{Name: h.contract.Name, Ops: shapes{}, Born: nextStamp(), Now: nextStamp, Pos: h.pos,
		Operator: h.contract.Name, Param: spec.Param, Import: importCapture, Local: notes})
	metas := h.inputMetas(tr, &in, &o)
	names := o.names
	if len(names) == 0 && len(o.dims) == 1 && len(in.paths) == 1 && in.paths[0] == "" {
		names = []string{o.dims[0].leaf} // the name that WithDims calls the argument by
	}
	t := h.recordOn(tr, mapBody(h, spec, f, in.tree), []group{in}, [][]tracer.Meta{metas}, names)
	if tr.Parent() != nil {
		tr.Abort()
		h.misuse("the function captures a traced tensor of %s; pass it in the argument", operators(tr.Parent()))
	}
	b, e := t.judge()
	if e != nil {
		panic(e)
	}
	p := &flatProgram{name: h.contract.Name, graph: b.Graph, in: in.tree, out: t.outs[0].tree, metas: metas, notes: *notes}
	if err := p.open(); err != nil {
		panic(fmt.Sprintf("hop: a traced graph does not fit its argument: %s\n%s", err, p.graph))
	}
	for _, c := range b.Captures {
		u := c.Payload.(*Tensor)
		if u.RequiresGrad() {
			h.misuse("a captured tensor, %s, requires grad; pass it in the argument, so that its gradient has a place", describe(u.meta()))
		}
		p.captures = append(p.captures, captured{u, u.Version()})
	}
	if p.asTraced = o.asTraced; p.asTraced {
		p.plan = planAsTraced(p.graph)
	} else {
		p.plan = planOf(p.graph)
	}
	return p
}

// open finds out whether the graph has symbols, and what its inputs stand for.
func (p *flatProgram) open() (err error) {
	p.symbolic = p.graph.IsSymbolic()
	p.sources, err = inputSources(p.graph, p.in.Others())
	return err
}

// Graph returns the traced graph. It is not changed by calls; do not change it.
func (p *Program[X, Y]) Graph() *tracer.Graph { return p.p.graph }

// Call runs the program. x must have structure, dtypes and shapes of the example.
//
// Aliasing: the result is fresh.
// Options: [Observe], [WithContext], [Progress].
// Errors: an *[Error] for another signature, for a captured tensor that was written since the trace (HOP405), and for
// what goes wrong while it runs.
// Gradient: by every leaf of x that requires grad. Called on traced tensors the program becomes part of their graph.
func (p *Program[X, Y]) Call(x X, opts ...Option) (y Y, err error) { return p.callAs("Call", x, opts) }

// callAs is Call for what the user called: a method, or, for an empty op, the function that Compile returned.
func (p *Program[X, Y]) callAs(op string, x X, opts []Option) (y Y, err error) {
	err = Try(func() {
		h := p.p.begin(op, opts)
		in := h.flatten(x, h.contract.Bodies[0].In[0], "argument")
		y = pytree.Unflatten[Y](p.p.out, p.p.call(h, in, nil))
	})
	return y, err
}

// begin starts a call of the program.
func (p *flatProgram) begin(op string, opts []Option) *hopCall {
	return beginMethod(funcOf(p.name), op, opts, "Observe", "WithContext", "Progress")
}

// CallInto runs the program and puts the result into the tensors of dst, which must have its structure, dtypes and
// shapes. Their versions go up by one.
//
// Aliasing: dst must not share storage with x or captured tensors, nor its leaves with each other.
// Errors: as [Program.Call]; dst is unchanged then.
func (p *Program[X, Y]) CallInto(x X, dst Y, opts ...Option) error {
	return Try(func() {
		h := p.p.begin("CallInto", opts)
		in := h.flatten(x, h.contract.Bodies[0].In[0], "argument")
		p.p.callInto(h, in, h.flatten(dst, h.contract.Bodies[0].Out[0], "destination"))
	})
}

func (p *flatProgram) callInto(h *hopCall, in, dst group) {
	var diffs []hopcheck.Difference
	for _, d := range dst.tree.Diff(p.out) {
		diffs = append(diffs, difference("destination", d.Path, d.A, "result", d.B))
	}
	if diffs == nil {
		diffs = p.destinationDiffs(&dst, metasOf(p.graph.Outputs))
	}
	if diffs != nil {
		panic(refusal(hopcheck.Finding{Code: hopcheck.CarryMismatch, HOP: p.name, Differences: diffs}, h.pos))
	}
	for i, t := range dst.leaves {
		if t.overlapsItself() {
			h.misuse("destination%s is an expanded view whose elements share memory; give it memory of its own", dst.paths[i])
		}
		if t.RequiresGrad() {
			h.misuse("destination%s requires grad and cannot be overwritten; give it a tensor that does not", dst.paths[i])
		}
		for j, u := range slices.Concat(in.leaves, dst.leaves[i+1:]) {
			if t.SharesStorage(u) {
				other := "the argument"
				if j >= len(in.leaves) {
					other = "another leaf of the destination"
				}
				h.misuse("destination%s shares storage with %s; give it memory of its own", dst.paths[i], other)
			}
		}
		for _, c := range p.captures {
			if t.SharesStorage(c.t) {
				h.misuse("destination%s shares storage with a captured tensor; give it memory of its own", dst.paths[i])
			}
		}
	}
	into := dst.leaves
	if p.symbolic || traceOf(into) != nil || innermost(into) != nil {
		into = nil
	}
	results := p.call(h, in, into)
	if p.symbolic { // the shapes are known now
		if diffs := p.destinationDiffs(&dst, leafMetas(results)); diffs != nil {
			panic(refusal(hopcheck.Finding{Code: hopcheck.CarryMismatch, HOP: p.name, Differences: diffs}, h.pos))
		}
	}
	for i, r := range results {
		if r == dst.leaves[i] {
			r.storage.bump()
		} else {
			dst.leaves[i].CopyFrom(r)
		}
	}
}

// destinationDiffs compares the leaves of a destination with results, of which shapes may be open.
func (p *flatProgram) destinationDiffs(dst *group, results []tracer.Meta) []hopcheck.Difference {
	var diffs []hopcheck.Difference
	for i, m := range results {
		got := dst.leaves[i].meta()
		same := got.Equal(m)
		if m.IsSymbolic() {
			c := inference{trusting: true}
			same = m.Int == nil && got.Int == nil && got.DType == m.DType && c.sameSizes(got.Shape, m.Shape)
		}
		if m.Int != nil && got.Int != nil {
			misuse("CallInto", "destination%s is an int, which cannot be written; use Call", dst.paths[i])
		}
		if !same {
			diffs = append(diffs, difference("destination", dst.paths[i], describe(got), "result", describe(m)))
		}
	}
	return diffs
}

func difference(gotName, path, got, wantName, want string) hopcheck.Difference {
	return hopcheck.Difference{Got: hopcheck.Place{Label: gotName, Path: path}, Want: hopcheck.Place{Label: wantName, Path: path}, GotValue: got, WantValue: want}
}

// call runs the program on flat leaves: as part of their graph where they are traced, op by op where a level above
// Trace is asked for, by its plan otherwise, which may leave results in the tensors of into.
func (p *flatProgram) call(h *hopCall, in group, into []*Tensor) []*Tensor {
	known, diffs := p.bind(&in)
	if diffs != nil {
		f := hopcheck.Finding{Code: hopcheck.CarryMismatch, HOP: p.name, Differences: diffs, Remedy: "trace the function for these types, or use Compile, which does"}
		panic(refusal(f, h.pos))
	}
	tr := traceOf(in.leaves)
	if e := p.holds(h, known, tr); e != nil {
		panic(e)
	}
	caps := p.current(h.pos)
	g := innermost(in.leaves)
	watched := watching(g, h.opts.observers)
	h.long = h.opts.longRun(h.contract.Name)
	h.long.check()
	args := p.args(tr, in.leaves, known)
	var results []*Tensor
	switch {
	case tr != nil:
		results = p.inline(tr, args, caps, known)
	case anyRequiresGrad(in.leaves) || watched.observed() || g.step() != nil:
		results = interpreter{tag: watched, path: watched.path(), long: h.long}.run(p.sized(known), args, caps)
		results = fresh(results, slices.Concat(in.leaves, caps))
		gate(results, in.leaves)
	default:
		results = p.plan(args, caps, into, h.long)
	}
	h.announce(watched, in.leaves, results, true)
	return taggedAll(results, g)
}

// current returns the captured tensors, and refuses when one was written since the trace.
func (p *flatProgram) current(pos token.Position) []*Tensor {
	caps := make([]*Tensor, len(p.captures))
	for i, c := range p.captures {
		if now := c.t.Version(); now != c.version {
			e := refusal(hopcheck.Finding{Code: hopcheck.StaleCapture, HOP: p.name, Detail: fmt.Sprintf(
				"a captured tensor, %s, was written after the function was compiled", describe(c.t.meta()))}, pos)
			e.VersionBefore, e.VersionAfter = c.version, now
			panic(e)
		}
		caps[i] = c.t
	}
	return caps
}

// inline records the program's nodes in the trace of its operands.
func (p *flatProgram) inline(tr *tracer.SubgraphTracer, args, caps []*Tensor, known symbols) []*Tensor {
	g := *p.graph
	if p.symbolic {
		g = *(&sizing{symbols: known}).graph(p.graph, known)
	}
	g.Inputs = slices.Concat(g.Inputs, g.Constants)
	g.Constants = nil
	return inline(tr, &tracer.Body{Graph: &g}, slices.Concat(args, caps))
}
