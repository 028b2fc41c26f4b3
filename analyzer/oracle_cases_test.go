package analyzer_test

import "testing"

// What random programs found: containers that the body was handed or copied, changed and gave back.
func TestContainersOfTheCaller(t *testing.T) {
	scan := func(name, helpers, body string) program {
		return program{name: name, text: `
type R struct{ A *T; L []*T; M map[string]*T }
func last[V any](list []V) V { return list[len(list)-1] }
` + helpers + `
func main(b bool) {
	captured := zero.Clone()
	_ = captured
	hop.Scan(func(s R, x *T) (R, *T) {` + body + `
	}, R{}, zero)
}`}
	}
	checkPrograms(t, []program{
		scan("an element of a list that is given back", "", `
		return R{s.A.Clone(), s.L, nil}, s.L[1] // want HOP302 next carry.L=y; HOP301 next carry.L=carry.L; HOP301 y=carry.L[]`),
		scan("the last element, by a generic helper", "", `
		return R{s.A.Clone(), s.L, nil}, last(s.L) // want HOP302 next carry.L=y; HOP301 next carry.L=carry.L; HOP301 y=carry.L[]`),
		scan("an element of a list that was copied", "", `
		s = hop.Clone(s)
		return s, last(s.L) // want HOP302 next carry.L=y`),
		scan("an element of a copied list beside a copied element", "", `
		s = hop.Clone(s)
		return s, last(s.L).Clone()`),
		scan("an element of a copied map in a field", "", `
		s = hop.Clone(s)
		s.A = s.M["a"]
		return s, x.Clone() // want HOP302 next carry.A=next carry.M`),
		scan("an element that was replaced before", "", `
		s = hop.Clone(s)
		w := s.L[0]
		s.L[0] = w.Clone()
		return s, w`),
		scan("an element of a copied map in a field, beside a return of another copy", "", `
		s = hop.Clone(s)
		if b {
			s.A = s.M["a"]
		}
		if len(s.L) > 1 {
			return hop.Clone(s), x.Clone()
		}
		return s, x.Clone() // want HOP302 next carry.A=next carry.M`),
		scan("an element of a copied map in a field, at one of two returns", "", `
		s = hop.Clone(s)
		s.A = s.M["a"]
		if b {
			return R{A: s.L[0].Clone(), L: s.L, M: s.M}, x.Clone()
		}
		return s, x.Clone() // want HOP302 next carry.A=next carry.M`),
		scan("a captured tensor put into a copied list", "", `
		s = hop.Clone(s)
		s.L[1] = captured
		return s, x.Clone() // want HOP303 next carry.L[]=captured captured`),
		scan("x put into the carry's map", "", `
		s.M["a"] = x // want HOP101 carry.M[]
		return R{s.A.Clone(), nil, s.M}, x.Clone() // want HOP301 next carry.M=carry.M, next carry.M[]=x`),
		scan("append to the front of the carry's list in a helper", `
func put(l []*T, w *T) { _ = append(l[:1], w) }`, `
		put(s.L, x.Clone()) // want HOP101 carry.L[]
		return hop.Clone(s), x.Clone()`),
		scan("append to the front of a copy", `
func put(l []*T, w *T) { _ = append(l[:1], w) }`, `
		s = hop.Clone(s)
		put(s.L, x.Clone())
		return s, x.Clone()`),
		scan("append to all of a list", `
func put(l []*T, w *T) int { l = append(l[:len(l)], w); return len(l) }`, `
		put(s.L, x.Clone())
		return hop.Clone(s), x.Clone()`),
	})
}
