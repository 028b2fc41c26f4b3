package hop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/tracer"
)

// einsumSpec is a specification of Einsum in explicit form: a letter for each dim.
type einsumSpec struct {
	words []string // of the operands
	out   string
}

func (s einsumSpec) String() string { return strings.Join(s.words, ",") + "->" + s.out }

// explicitSpec reads a specification that is known to be in explicit form.
func explicitSpec(text string) einsumSpec {
	left, out, _ := strings.Cut(text, "->")
	return einsumSpec{strings.Split(left, ","), out}
}

const einsumLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// unusedLetters returns the letters that text does not have, in order.
func unusedLetters(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(text, r) {
			return -1
		}
		return r
	}, einsumLetters)
}

const ellipsis = "..."

// parseEinsum brings a specification for operands of known ranks into explicit form: without spaces, with the result
// written out and letters in place of an ellipsis. An explicit form is returned as it is.
func parseEinsum(text string, in []tracer.Meta) (einsumSpec, error) {
	fail := func(format string, args ...any) (einsumSpec, error) {
		return einsumSpec{}, fmt.Errorf("spec %q: %s", text, fmt.Sprintf(format, args...))
	}
	left, out, explicit := strings.Cut(strings.ReplaceAll(text, " ", ""), "->")
	words := strings.Split(left, ",")
	for _, w := range append(slices.Clone(words), out) {
		rest := strings.Replace(w, ellipsis, "", 1)
		if i := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune(einsumLetters, r) }); i >= 0 {
			return fail("%q in %q is no letter; want letters, commas, one arrow -> and at most one ellipsis ... for each operand", rest[i:], w)
		}
	}
	if len(words) != len(in) {
		return fail("it has %d operands, got %d tensors; write a word for each, between commas", len(words), len(in))
	}
	spare, broadcast := unusedLetters(text), 0
	for i, w := range words {
		letters, rank := len(strings.Replace(w, ellipsis, "", 1)), len(in[i].Shape)
		switch dots := strings.Contains(w, ellipsis); {
		case dots && letters > rank, !dots && letters != rank:
			return fail("operand %d %q has %d letters, its tensor is %s; write a letter for each of the %d dims", i, w, letters, describe(in[i]), rank)
		case dots:
			broadcast = max(broadcast, rank-letters)
		}
	}
	if broadcast > len(spare) {
		return fail("it needs %d letters for the ellipsis and has %d left; use fewer dims", broadcast, len(spare))
	}
	spare = spare[:broadcast]
	for i, w := range words {
		// The dims of an ellipsis align at their ends.
		dims := len(in[i].Shape) - len(strings.Replace(w, ellipsis, "", 1))
		words[i] = strings.Replace(w, ellipsis, spare[broadcast-dims:], 1)
	}
	if !explicit {
		return einsumSpec{words, spare + lettersOnce(strings.ReplaceAll(left, ellipsis, ""))}, nil
	}
	if broadcast > 0 && !strings.Contains(out, ellipsis) {
		return fail("result %q has no ellipsis for the %d dims of the operands' ellipsis; write ...%s", out, broadcast, out)
	}
	all := strings.Join(words, "")
	for _, l := range strings.Replace(out, ellipsis, "", 1) {
		switch {
		case !strings.ContainsRune(all, l):
			return fail("letter %c of the result %q is in no operand; a result only has letters of operands", l, out)
		case strings.Count(out, string(l)) > 1:
			return fail("letter %c is twice in the result %q; name each letter once", l, out)
		}
	}
	return einsumSpec{words, strings.Replace(out, ellipsis, spare, 1)}, nil
}

// lettersOnce are the letters that text has once, sorted: the result of a specification without an arrow.
func lettersOnce(text string) string {
	var once strings.Builder
	for _, l := range einsumLetters {
		if strings.Count(text, string(l)) == 1 {
			once.WriteRune(l)
		}
	}
	return once.String()
}

// sizes returns the size of each letter. Dims of one letter are equal; those of different operands may be 1.
func (s einsumSpec) sizes(c *inference, in []tracer.Meta) (map[rune]tracer.Int, error) {
	size := map[rune]tracer.Int{}
	for i, w := range s.words {
		own := map[rune]tracer.Int{}
		for d, l := range w {
			n := in[i].Shape[d]
			if first, ok := own[l]; ok && !c.sameSize(first, n) {
				return nil, fmt.Errorf("letter %c is %v and %v in operand %d %q, which is %s; a diagonal needs equal sizes", l, first, n, i, w, describe(in[i]))
			}
			own[l] = n
			switch old, ok := size[l]; {
			case !ok || isSize(old, 1):
				size[l] = n
			case !isSize(n, 1) && !c.sameOr1(old, n):
				return nil, fmt.Errorf("letter %c is %v in operand %d %q, which is %s, and %v before; make both equal or one of them 1", l, n, i, w, describe(in[i]), old)
			}
		}
	}
	return size, nil
}

// contracted is the rule of Einsum.
func contracted(c *inference) error {
	if len(c.In) == 0 {
		return fmt.Errorf("no tensors for spec %q; pass one for each word", c.Attrs.Str("spec"))
	}
	if err := sameDTypes(c.In...); err != nil {
		return err
	}
	given := c.Attrs.Str("spec")
	spec, err := parseEinsum(given, c.In)
	if err != nil {
		return err
	}
	size, err := spec.sizes(c, c.In)
	if err != nil {
		return fmt.Errorf("spec %q: %w", given, err)
	}
	if text := spec.String(); text != given {
		c.set("spec", text)
	}
	shape := make([]tracer.Int, 0, len(spec.out))
	for _, l := range spec.out {
		shape = append(shape, size[l])
	}
	c.Out = tracer.Meta{DType: c.In[0].DType, Shape: shape}
	return nil
}

// join returns the word of the product of operands i and j: the letters that the result or another operand still needs.
func (s einsumSpec) join(i, j int) string {
	needed := s.out
	for k, w := range s.words {
		if k != i && k != j {
			needed += w
		}
	}
	var word strings.Builder
	for _, l := range s.words[i] + s.words[j] {
		if strings.ContainsRune(needed, l) && !strings.ContainsRune(word.String(), l) {
			word.WriteRune(l)
		}
	}
	return word.String()
}

// cheapest returns the two operands whose product takes the fewest multiplications, and among those has the fewest
// elements.
func (s einsumSpec) cheapest(shapes [][]int) (int, int) {
	size := map[rune]float64{}
	for i, w := range s.words {
		for d, l := range w {
			size[l] = max(size[l], float64(shapes[i][d]))
		}
	}
	volume := func(word string) float64 {
		n := 1.0
		for i, l := range word {
			if strings.IndexRune(word, l) == i {
				n *= size[l]
			}
		}
		return n
	}
	bestI, bestJ := 0, 1
	var work, result float64
	for i := range s.words {
		for j := i + 1; j < len(s.words); j++ {
			w, r := volume(s.words[i]+s.words[j]), volume(s.join(i, j))
			if i == 0 && j == 1 || w < work || w == work && r < result {
				bestI, bestJ, work, result = i, j, w, r
			}
		}
	}
	return bestI, bestJ
}
