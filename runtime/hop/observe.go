package hop

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"sync"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/internal/pytree"
)

// Observer sees each op and HOP that runs on tensors which it was put on, with [Observe] or [WithObserver]. What it is
// put on is handed from operands to results, so it follows the computation and nothing else. It may keep state. Op is
// called after the op ran, on the goroutine that ran it.
type Observer interface {
	Op(c OpCall)
}

// OpCall describes one op that ran.
type OpCall struct {
	// Name is the op as graphs name it, e.g. "add", or the HOP, e.g. "scan".
	Name string
	// Position is the user's line; for an op of a traced body the line that recorded it.
	Position token.Position
	// Path is the nesting of operators around the op, outermost first, e.g. "scan[2] / cond.onTrue"; empty outside.
	Path string
	// Levels are the levels of the dispatcher that the op passed, outermost first.
	Levels []Level
	// In and Out describe operands and results.
	In, Out []TensorInfo
}

// String returns the call in one line: scan[2] / add(float64[], float64[]) -> float64[] via observe, dense.
func (c OpCall) String() string {
	var b strings.Builder
	if c.Path != "" {
		b.WriteString(c.Path + " / ")
	}
	levels := make([]string, len(c.Levels))
	for i, l := range c.Levels {
		levels[i] = l.String()
	}
	fmt.Fprintf(&b, "%s(%s) -> %s via %s", c.Name, infos(c.In), infos(c.Out), strings.Join(levels, ", "))
	return b.String()
}

// TensorInfo is what an observer learns of a tensor: no data.
type TensorInfo struct {
	DType        DType
	Shape        []int
	RequiresGrad bool
}

// String returns dtype and shape, e.g. float32[8 16], with a trailing ' when the tensor requires grad.
func (i TensorInfo) String() string {
	s := i.DType.String() + strings.Replace(fmt.Sprint(i.Shape), "[]", "[]", 1)
	if i.RequiresGrad {
		s += "'"
	}
	return s
}

func infos(list []TensorInfo) string {
	words := make([]string, len(list))
	for i, t := range list {
		words[i] = t.String()
	}
	return strings.Join(words, ", ")
}

func infosOf(ts []*Tensor) []TensorInfo {
	list := make([]TensorInfo, len(ts))
	for i, t := range ts {
		list[i] = TensorInfo{DType: t.DType(), Shape: t.dims(), RequiresGrad: t.RequiresGrad()}
	}
	return list
}

// Level is a level of the dispatcher. An op enters a level only when an operand asks for it.
type Level uint8

// The levels, from outer to inner.
const (
	LevelObserve Level = iota
	LevelAutograd
	LevelTrace
	LevelDense
)

// String returns "observe", "autograd", "trace" or "dense".
func (l Level) String() string { return [...]string{"observe", "autograd", "trace", "dense"}[l] }

// Observe puts o on the operands of a HOP call: it sees every op that the body executes and the HOP itself.
func Observe(o Observer) Option {
	return option{"Observe", func(opts *options) {
		if o == nil {
			misuse("Observe", "observer is nil")
		}
		opts.observers = append(opts.observers, o)
	}}
}

// WithObserver returns f with o put on the tensors of its argument, so that o sees what is computed from them. The
// results carry no observer that the argument did not carry.
//
// Aliasing: the results are fresh; f must not write or return x or captured tensors (HOP103–HOP303).
// Errors: panics with *[Error]; see [Try].
// Gradient: that of f.
//
//hop:body f(operand)
func WithObserver[X, Y any](o Observer, f func(X) Y) func(X) Y {
	return func(x X) Y {
		h := begin("WithObserver", nil)
		if f == nil || o == nil {
			h.misuse("function or observer is nil")
		}
		spec := &h.contract.Bodies[0]
		in := h.flatten(x, spec.In[0], "argument")
		outer := innermost(in.leaves)
		var out group
		if b := mapBody(h, spec, f, in.tree); traceOf(in.leaves) != nil {
			out = h.callTraced(b, in, watching(outer, []Observer{o}))
		} else {
			r := h.newStep(b, once, outer)
			r.checkOnly, r.tag.observers = true, []Observer{o}
			out = r.call([]group{in}, [][]*Tensor{r.give(in)})[0]
		}
		return pytree.Unflatten[Y](out.tree, taggedAll(out.leaves, outer))
	}
}

// callTraced calls a body on traced tensors as they are, under the tag g, and checks what it did to their storages.
func (h *hopCall) callTraced(b *body, in group, g *tag) group {
	given := taggedAll(in.leaves, g)
	before := make([]uint64, len(given))
	for i, t := range given {
		before[i] = t.Version()
	}
	outs, touched := b.run([][]*Tensor{given})
	errs := h.containers(b, []group{in}, [][]*Tensor{given}, touched)
	var written []hopcheck.Place
	for i, t := range given {
		if t.Version() != before[i] {
			written = append(written, in.place(i))
		}
	}
	if written != nil {
		errs = append(errs, refusal(hopcheck.Finding{Code: hopcheck.MutatedOperand, HOP: h.contract.Name, Body: b.spec.Words, Places: written}, b.pos))
	}
	out := outs[0]
	var between, inputs []hopcheck.Pair
	for i, t := range out.leaves {
		for j, u := range out.leaves[i+1:] {
			if t.SharesStorage(u) {
				between = append(between, hopcheck.Pair{Out: out.place(i), With: out.place(i + 1 + j)})
			}
		}
		for j, u := range given {
			if t.SharesStorage(u) {
				inputs = append(inputs, hopcheck.Pair{Out: out.place(i), With: in.place(j)})
			}
		}
	}
	for _, f := range []struct {
		code  hopcheck.Code
		pairs []hopcheck.Pair
	}{{hopcheck.OutputsAlias, between}, {hopcheck.OutputAliasesInput, inputs}} {
		if f.pairs != nil {
			errs = append(errs, refusal(hopcheck.Finding{Code: f.code, HOP: h.contract.Name, Body: b.spec.Words, Pairs: f.pairs}, b.pos))
		}
	}
	if e := joinErrors(errs); e != nil {
		panic(e)
	}
	return out
}

// watching returns a tag below g that puts observers on its tensors, or g when there are none.
func watching(g *tag, observers []Observer) *tag {
	if len(observers) == 0 {
		return g
	}
	return newTag(g, nil, observers)
}

func taggedAll(ts []*Tensor, g *tag) []*Tensor {
	out := make([]*Tensor, len(ts))
	for i, t := range ts {
		out[i] = tagged(t, g)
	}
	return out
}

// notify tells the observers on g of an op or a HOP that ran, the outermost first. Observers that were put on before a
// trace began are off while it records; they see the ops when the graph runs.
func (g *tag) notify(traceBorn uint64, c func() OpCall) {
	var on []Observer
	for t := g; t != nil; t = t.parent {
		if t.born > traceBorn {
			for _, o := range slices.Backward(t.observers) {
				on = append(on, o)
			}
		}
	}
	if len(on) == 0 {
		return
	}
	call := c()
	for _, o := range slices.Backward(on) {
		o.Op(call)
	}
}

// observed reports whether an observer is on g.
func (g *tag) observed() bool {
	for ; g != nil; g = g.parent {
		if len(g.observers) > 0 {
			return true
		}
	}
	return false
}

// DispatchLog is an [Observer] that keeps every call. The zero value is ready; it is safe for concurrent use.
type DispatchLog struct {
	mu    sync.Mutex
	calls []OpCall
}

// Op records c.
func (l *DispatchLog) Op(c OpCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, c)
}

// Calls returns the calls so far, in the order in which they ended.
func (l *DispatchLog) Calls() []OpCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.calls)
}

// String returns the calls, one a line.
func (l *DispatchLog) String() string {
	var b strings.Builder
	for _, c := range l.Calls() {
		b.WriteString(c.String() + "\n")
	}
	return b.String()
}
