package hop

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// ErrGuard is the cause of the error that a call of a program gives when its sizes break a guard: an outcome of a comparison
// on which the traced function took its way.
var ErrGuard = errors.New("a guard does not hold")

// DynamicDims keeps the sizes of the argument's dims open: the graph has symbols s0, s1 … for them and runs for other
// sizes, too. Dims of equal size share a symbol; those of size 0 and 1 stay fixed.
func DynamicDims() TraceOption {
	return traceOption(func(o *traceOptions) { o.dynamic = true })
}

// WithDims keeps the dims of one leaf of the argument open and gives them names; the same name, here and at other leaves,
// is the same size. leaf is the path of the leaf (.W or W, [0]) or its name given by [Names]; an argument that is one tensor
// may be called by any name. There is a name for each dim; an empty one, or the size as a number, leaves a dim fixed.
func WithDims(leaf string, dims ...string) TraceOption {
	return traceOption(func(o *traceOptions) { o.dims = append(o.dims, namedDims{leaf, slices.Clone(dims)}) })
}

// namedDims are the names that WithDims gives to the dims of a leaf.
type namedDims struct {
	leaf string
	dims []string
}

// isDynamic reports whether programs keep sizes open.
func (o *traceOptions) isDynamic() bool { return o.dynamic || len(o.dims) > 0 }

// called reports whether the leaf i of in goes by a name.
func (o *traceOptions) called(in *group, i int, name string) bool {
	path := in.paths[i]
	switch {
	case name == path, name == strings.TrimPrefix(path, "."):
		return true
	case i < len(o.names):
		return o.names[i] == name
	}
	return path == ""
}

// inputMetas returns the metas of the leaves of an example with symbols in place of open sizes: those of [WithDims] first,
// so that they get their names, then those of [DynamicDims]. An integer is always open.
func (h *hopCall) inputMetas(tr *tracer.SubgraphTracer, in *group, o *traceOptions) []tracer.Meta {
	metas := exampleMetas(in.leaves)
	fixed := make([][]bool, len(metas)) // of leaves with names
	for _, named := range o.dims {
		found := false
		for i := range metas {
			if fixed[i] == nil && metas[i].IsTensor() && o.called(in, i, named.leaf) {
				metas[i], fixed[i] = h.withNames(tr, metas[i], named), make([]bool, len(metas[i].Shape))
				found = true
				break
			}
		}
		if !found {
			h.refuseDims(in, o, named.leaf)
		}
	}
	bySize := map[int]tracer.Int{}
	for i, m := range metas {
		if m.Int != nil {
			n, _ := m.Int.Const()
			s, err := tr.NewInteger("", n)
			if err != nil {
				panic(fromTracer(err))
			}
			metas[i].Int = &s
			continue
		}
		if !o.dynamic || fixed[i] != nil {
			continue
		}
		metas[i].Shape = slices.Clone(m.Shape)
		for d, size := range m.Shape {
			n, _ := size.Const()
			if n < 2 {
				continue
			}
			if _, known := bySize[n]; !known {
				s, err := tr.NewSymbol("", n)
				if err != nil {
					panic(fromTracer(err))
				}
				bySize[n] = s
			}
			metas[i].Shape[d] = bySize[n]
		}
	}
	return metas
}

// refuseDims refuses a name of WithDims that is no tensor of the argument that was not named yet.
func (h *hopCall) refuseDims(in *group, o *traceOptions, leaf string) {
	names := leafNames(in, o)
	var tensors []string
	for i, t := range in.leaves {
		called := o.called(in, i, leaf)
		switch {
		case !t.isInt():
			if called {
				h.misuse("WithDims names %q twice; give all names of a leaf at once", leaf)
			}
			tensors = append(tensors, names[i])
		case called:
			h.misuse("WithDims names %q, which is an int and has no dims; it is open as it is", leaf)
		}
	}
	if tensors == nil {
		h.misuse("WithDims names %q, and the argument has no tensors", leaf)
	}
	h.misuse("WithDims names %q, which is none of the tensors %s of the argument", leaf, join(tensors))
}

// exampleMetas are the metas of an example, which may itself be part of a trace: with the sizes that it has there.
func exampleMetas(leaves []*Tensor) []tracer.Meta {
	metas := leafMetas(leaves)
	for i, t := range leaves {
		switch {
		case t.openSizes() != nil:
			metas[i] = tracer.TensorMeta(t.DType(), t.shape...)
		case t.value != nil && t.isInt():
			n := tracer.Const(hint(t.value.Tracer(), *metas[i].Int))
			metas[i].Int = &n
		}
	}
	return metas
}

func leafNames(in *group, o *traceOptions) []string {
	list := slices.Clone(in.paths)
	for i := range list {
		if i < len(o.names) {
			list[i] = o.names[i]
		}
		list[i] = strconv.Quote(list[i])
	}
	return list
}

// withNames returns m with symbols of the given names in place of its sizes.
func (h *hopCall) withNames(tr *tracer.SubgraphTracer, m tracer.Meta, named namedDims) tracer.Meta {
	if len(named.dims) != len(m.Shape) {
		h.misuse("WithDims gives %d names to the %d dims of %q, which is %s; give one to each, an empty one for a dim that stays fixed", len(named.dims), len(m.Shape), named.leaf, describe(m))
	}
	m.Shape = slices.Clone(m.Shape)
	for d, name := range named.dims {
		n, _ := m.Shape[d].Const()
		if size, err := strconv.Atoi(name); err == nil && size != n {
			h.misuse("WithDims fixes dim %d of %q to %d, it is %s; give the size that it has, or a name", d, named.leaf, size, describe(exampleOf(tr, m)))
		} else if name == "" || err == nil {
			continue
		}
		s, err := tr.NewSymbol(name, n)
		if err != nil {
			text := strings.TrimPrefix(err.Error(), "tracer: ")
			if strings.HasSuffix(text, "one name is one size") {
				text += ", so give each size a name of its own"
			}
			h.misuse("WithDims for %q, which is %s: %s", named.leaf, describe(exampleOf(tr, m)), text)
		}
		m.Shape[d] = s
	}
	return m
}

// exampleOf is m with the sizes of the example.
func exampleOf(tr *tracer.SubgraphTracer, m tracer.Meta) tracer.Meta {
	return tracer.TensorMeta(m.DType, hints(tr, m)...)
}

// inputSource says what an input of a program's graph stands for: a leaf of the argument, or a symbol that a leaf behind
// it mentions.
type inputSource struct {
	leaf   int // -1 for a symbol
	symbol string
}

// inputSources matches the inputs of a graph with leaves, of which ints are integers. A symbol of its own stands before
// the tensor that needs it.
func inputSources(g *tracer.Graph, ints []bool) ([]inputSource, error) {
	if !g.IsSymbolic() && len(g.Inputs) != len(ints) {
		return nil, fmt.Errorf("the graph has %d inputs, want %d, one for each leaf of the argument", len(g.Inputs), len(ints))
	}
	list := make([]inputSource, 0, len(g.Inputs))
	leaf := 0
	for _, in := range g.Inputs {
		switch {
		case leaf < len(ints) && ints[leaf] == (in.Meta.Int != nil):
			list = append(list, inputSource{leaf: leaf})
			leaf++
		case in.Meta.Int != nil:
			name, ok := in.Meta.Int.Symbol()
			if !ok {
				return nil, fmt.Errorf("input %s is %s, which is no leaf of the argument", in.Name, in.Meta)
			}
			list = append(list, inputSource{-1, name})
		default:
			return nil, fmt.Errorf("input %s is %s, which is no leaf of the argument", in.Name, in.Meta)
		}
	}
	if leaf != len(ints) {
		return nil, fmt.Errorf("the graph has inputs for %d leaves, want %d, one for each leaf of the argument", leaf, len(ints))
	}
	return list, nil
}

// bind matches an argument with the types that the program was traced for, and returns what its symbols stand for, or in
// what the argument differs.
func (p *flatProgram) bind(in *group) (symbols, []hopcheck.Difference) {
	var diffs []hopcheck.Difference
	for _, d := range in.tree.Diff(p.in) {
		diffs = append(diffs, difference("argument", d.Path, d.A, "example", d.B))
	}
	if diffs != nil {
		return nil, diffs
	}
	var known symbols
	if p.symbolic {
		known = symbols{}
	}
	for i, t := range in.leaves {
		got, want := t.meta(), p.metas[i]
		if p.symbolic {
			known.bind(want, got)
			want = want.Replace(known)
		}
		if !got.Equal(want) && !agree(t, got, want) {
			diffs = append(diffs, difference("argument", in.paths[i], describe(got), "example", p.described(i, known)))
		}
	}
	return known, diffs
}

// agree reports whether two metas that differ in how they are written are equal in the trace of t, and makes the trace
// keep to it.
func agree(t *Tensor, got, want tracer.Meta) bool {
	tr := traceOf([]*Tensor{t})
	if tr == nil || got.DType != want.DType || len(got.Shape) != len(want.Shape) {
		return false
	}
	c := inference{sizes: tr}
	return c.sameSizes(got.Shape, want.Shape)
}

// described says what leaf i must be, with the values of its symbols where other leaves gave them.
func (p *flatProgram) described(i int, known symbols) string {
	m := p.metas[i]
	text := describe(m)
	if is := describe(m.Replace(known)); is != text {
		text += ", here " + is
	}
	return text
}

// holds checks the guards of the program's graph for values of its symbols; those on data are checked by the run. In a
// trace they become guards of that.
func (p *flatProgram) holds(h *hopCall, known symbols, tr *tracer.SubgraphTracer) *Error {
	for _, g := range p.graph.Guards {
		is := tracer.Cond{Op: g.Cond.Op, A: g.Cond.A.Replace(known), B: g.Cond.B.Replace(known)}
		ok, err := is.Holds(noValue)
		if err != nil {
			var known bool
			if ok, known, err = holdsIn(tr, is, h.pos); err != nil {
				return fromTracer(err)
			} else if !known {
				continue // an integer that depends on data
			}
		}
		if !ok {
			made := ""
			if g.Pos.IsValid() {
				made = ", which the trace relied on at " + shortPosition(g.Pos) + ","
			}
			return &Error{HOP: p.name, Step: once, Position: h.pos, Err: ErrGuard,
				Detail: fmt.Sprintf("guard %s%s does not hold for %s; trace the function for these sizes, or use Compile, which does", g.Cond, made, known.inExample(tr).text())}
		}
	}
	return nil
}

// holdsIn decides a condition in the trace tr, where the sizes of the example decide it, with a guard when it is true.
func holdsIn(tr *tracer.SubgraphTracer, c tracer.Cond, pos token.Position) (ok, known bool, err error) {
	if tr == nil {
		return false, false, nil
	}
	a, okA := tr.Hint(c.A)
	b, okB := tr.Hint(c.B)
	if !okA || !okB {
		return false, false, nil
	}
	here := tracer.Cond{Op: c.Op, A: tracer.Const(a), B: tracer.Const(b)}
	if ok, err = here.Holds(nil); ok && err == nil {
		ok, err = tr.Compare(c.Op, c.A, c.B, pos)
	}
	return ok, true, err
}

// args returns the operands of the graph: the leaves, and the symbols that stand before them.
func (p *flatProgram) args(tr *tracer.SubgraphTracer, leaves []*Tensor, known symbols) []*Tensor {
	if !p.symbolic {
		return leaves
	}
	list := make([]*Tensor, len(p.sources))
	for i, s := range p.sources {
		if s.leaf >= 0 {
			list[i] = leaves[s.leaf]
		} else {
			list[i] = intIn(tr, known[s.symbol]).leaf()
		}
	}
	return list
}

// sized returns the graph with the values of its symbols in place.
func (p *flatProgram) sized(known symbols) *tracer.Graph {
	if !p.symbolic {
		return p.graph
	}
	key := known.text()
	return p.graphs.get(key, func() *tracer.Graph { return withSizes(p.graph, known) })
}

// Notes are remarks on the traced function, none of them an error: HOP502 for each [Int.Value], [Tensor.Dim] and the like
// that fixed an open size, with its line.
func (p *Program[X, Y]) Notes() []*Error {
	var notes []*Error
	for _, g := range p.p.graph.Guards {
		n, constant := g.Cond.B.Const()
		if g.Cond.Op != "==" || !constant {
			continue
		}
		notes = append(notes, refusal(p.p.fixedSize(g.Cond.A, n, g), g.Pos))
	}
	return notes
}
