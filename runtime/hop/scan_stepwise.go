package hop

import (
	"slices"

	"github.com/hoplint/hoplint/hopcheck"
)

// stepwise calls the body once for each slice of xs, on real tensors, and checks every call. The ys of each step must
// have the structure, dtype and shape of the first step's.
func (s *scan) stepwise(g *tag) (carry []*Tensor, ys group) {
	carry = s.init.leaves
	var needed []*Tensor  // captured tensors that require grad
	var steps [][]*Tensor // ys of each leaf, by position in xs
	for k := range s.length {
		i := k
		if s.opts.reverse {
			i = s.length - 1 - k
		}
		r := s.newStep(s.body, k, g)
		ins := []group{s.init, s.xs}
		ins[0].leaves = carry
		ins[1].leaves = make([]*Tensor, len(s.xs.leaves))
		for j, t := range s.xs.leaves {
			ins[1].leaves[j] = tagged(t, nil).Select(s.axis[j], i)
		}
		outs := r.call(ins, [][]*Tensor{r.give(ins[0]), r.give(ins[1])})
		needed = append(needed, r.needed...)
		carry = outs[0].leaves
		if k == 0 {
			ys = outs[1]
			steps = make([][]*Tensor, len(ys.leaves))
			for j := range steps {
				steps[j] = make([]*Tensor, s.length)
			}
		} else {
			first := ys
			first.slot.Label = "first"
			if e := s.sameMeta(firstStep, &outs[1], &first, s.body.pos); e != nil {
				r.mark(e)
				panic(e)
			}
		}
		for j, t := range outs[1].leaves {
			steps[j][i] = t
		}
	}
	for j, leaves := range steps {
		ys.leaves[j] = Stack(0, taggedAll(leaves, nil)...)
	}
	results := slices.Concat(carry, ys.leaves)
	gate(results, slices.Concat(s.init.leaves, s.xs.leaves, needed))
	carry, ys.leaves = results[:len(carry):len(carry)], results[len(carry):]
	return carry, ys
}

// firstStep says that the outputs of a step must be stackable on those of the first.
var firstStep = hopcheck.MetaRule{In: hopcheck.Y, Out: hopcheck.Y, Code: hopcheck.CarryMismatch}
