package hop

import (
	"slices"
	"strings"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
)

// Sums of products over named dims.

var opEinsum = opRow{
	Name: "einsum", Func: "Einsum", ByHand: true,
	Doc:     "the sums of products that spec names",
	Schema:  "einsum(string spec, Tensor... tensors) -> Tensor",
	DTypes:  numbers,
	Infer:   contracted,
	Kernel:  kernels.Einsum,
	Reads:   in0 | in1,
	VJP:     einsumGradient,
	Samples: einsumSamples,
	Source:  "NumPy's einsum; the gradient of an operand is the einsum of the others and dy",
}

// Einsum returns the sums of products of tensors over named dims. The words of spec, between commas, give each dim of each
// tensor a letter; the word behind -> lists the dims of the result. Products are summed over all other letters:
// "ij,jk->ik" is a matrix product, "bii->b" the traces of a batch, "i,j->ij" an outer product. Without -> the result has
// the letters that occur once, in alphabetical order. An ellipsis ... stands for any further dims, which broadcast.
//
// Shapes: dims of one letter have equal sizes, or size 1 in one tensor, which repeats. One dtype: int32, int64, float32 or
// float64.
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for a spec that cannot be read or does not fit; it names the spec and the part.
// Gradient: defined.
// Source: NumPy's einsum. Three tensors and more are multiplied in pairs, the cheapest pair first; a pair runs as a batched
// matrix product.
//
//hop:returns fresh
func Einsum(spec string, tensors ...*Tensor) *Tensor {
	if len(tensors) <= 2 {
		return apply(idEinsum, attrs("spec", spec), tensors...)
	}
	c := prepare(lib.op(idEinsum), "Einsum", attrs("spec", spec), tensors)
	s, list := explicitSpec(c.attrs.Str("spec")), slices.Clone(tensors)
	for len(list) > 2 {
		shapes := make([][]int, len(list))
		for i, t := range list {
			shapes[i] = t.shape
		}
		i, j := s.cheapest(shapes)
		pair := einsumSpec{[]string{s.words[i], s.words[j]}, s.join(i, j)}
		list[i] = apply(idEinsum, attrs("spec", pair.String()), list[i], list[j])
		s.words[i] = pair.out
		list, s.words = slices.Delete(list, j, j+1), slices.Delete(s.words, j, j+1)
	}
	return apply(idEinsum, attrs("spec", s.String()), list...)
}

// einsumGradient is an einsum of dy and the other operand for each. A letter that an operand has twice is a diagonal: the
// unit matrix puts the gradient there. Dims that neither dy nor the other operand has were summed: the gradient repeats.
func einsumGradient(c *vjp, dy *Tensor) []*Tensor {
	spec := explicitSpec(c.Attrs().Str("spec"))
	grads := make([]*Tensor, c.NumInputs())
	for i := range grads {
		if !c.Needs(i) {
			continue
		}
		words, tensors, known := []string{spec.out}, []*Tensor{dy}, spec.out
		if len(grads) == 2 {
			other := spec.words[1-i]
			words, tensors = append(words, other), append(tensors, c.Input(1-i))
			for d, l := range other {
				if !c.isOne(1-i, d) {
					known += string(l)
				}
			}
		}
		shape, fresh := c.Sizes(i), unusedLetters(spec.String())
		kept := slices.Clone(shape) // with size 1 where the gradient repeats or was summed
		target := ""
		for d, l := range spec.words[i] {
			switch {
			case c.isOne(i, d):
			case strings.ContainsRune(spec.words[i][:d], l):
				// The diagonal of l and a new letter; l itself comes from the unit matrix too.
				words, tensors = append(words, string(l)+fresh[:1]), append(tensors, unitMatrix(dy.DType(), shape[d]))
				target, fresh = target+fresh[:1], fresh[1:]
			case strings.ContainsRune(known, l), strings.Count(spec.words[i], string(l)) > 1:
				target += string(l)
			default:
				kept[d] = IntOf(1)
			}
		}
		g := Einsum(einsumSpec{words, target}.String(), tensors...)
		grads[i] = g.ReshapeSym(kept...).ExpandSym(shape...)
	}
	return grads
}
