package hop

import (
	"slices"

	"github.com/hoplint/hoplint/hopcheck"
)

// stepwise calls the body once for each slice of xs, on real tensors, and checks every call. The ys of each step must
// have the structure, dtype and shape of the first step's.
func (s *scan) stepwise(g *tag) []*Tensor {
	if s.xs.length == 0 && s.noYs != nil {
		s.ys = s.noYs
		return s.unchanged(s.init.leaves, s.body, []group{s.init, s.xs.group}, leafMetas(s.init.leaves), s.xs.metas())
	}
	if s.xs.length == 0 {
		return s.withoutSteps(s.traced, g)
	}
	carry := s.init
	stack := newStack(s.hopCall, s.body, s.xs.length)
	var needed []*Tensor // captured tensors that require grad
	for k := range s.xs.length {
		i := k
		if s.opts.reverse {
			i = s.xs.length - 1 - k
		}
		r := s.newStep(s.body, k, g)
		x := s.xs.group
		x.leaves = s.xs.at(i)
		outs := r.call([]group{carry, x}, [][]*Tensor{r.give(carry), r.give(x)})
		needed = append(needed, r.needed...)
		carry.leaves = outs[0].leaves
		stack.put(r, i, &outs[1])
		s.long.done(k+1, s.xs.length)
	}
	s.ys = stack.first.tree
	results := slices.Concat(carry.leaves, stack.results())
	gate(results, slices.Concat(s.init.leaves, s.xs.leaves, needed))
	return results
}

// stack gathers the outputs of steps that a HOP stacks on axis 0.
type stack struct {
	hop    *hopCall
	body   *body
	length int
	first  group       // the outputs of the first step that ran
	steps  [][]*Tensor // of each leaf, by position in the result
}

func newStack(h *hopCall, b *body, length int) *stack {
	if uint64(length) > memory()/64 {
		h.misuse("the results of %d steps are larger than memory can be; use fewer", length)
	}
	return &stack{hop: h, body: b, length: length}
}

// put adds the outputs of step r at position i; they must be of the type of the first.
func (s *stack) put(r *stepRun, i int, ys *group) {
	s.hop.refuseInts(ys, "y")
	if s.steps == nil {
		s.first = *ys
		s.first.slot.Label = "first"
		s.steps = make([][]*Tensor, len(ys.leaves))
		for j := range s.steps {
			s.steps[j] = make([]*Tensor, s.length)
		}
	} else if e := s.hop.sameMeta(firstStep, ys, &s.first, s.body.pos); e != nil {
		r.mark(e)
		panic(e)
	}
	for j, t := range ys.leaves {
		s.steps[j][i] = tagged(t, nil)
	}
}

func (s *stack) results() []*Tensor {
	list := make([]*Tensor, len(s.steps))
	for j, leaves := range s.steps {
		list[j] = Stack(0, leaves...)
	}
	return list
}

// firstStep says that the outputs of a step must be stackable on those of the first.
var firstStep = hopcheck.MetaRule{In: hopcheck.Y, Out: hopcheck.Y, Code: hopcheck.CarryMismatch}
