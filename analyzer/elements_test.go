package analyzer_test

import "testing"

// Elements of lists and maps share storage where two of them certainly hold one tensor, not where many share one path.
func TestElementsThatShare(t *testing.T) {
	scan := func(name, body string) program {
		return program{name: name, text: `
func cloned(ts []*T) []*T { var out []*T; for _, t := range ts { out = append(out, t.Clone()) }; return out }
func mapped[A, B any](vs []A, f func(A) B) []B { out := make([]B, 0, len(vs)); for _, v := range vs { out = append(out, f(v)) }; return out }
func main(n int) {
	hop.Scan(func(c []*T, x *T) ([]*T, *T) {` + body + `
	}, cloned([]*T{zero}), zero)
}`}
	}
	mapped := func(name, body string) program {
		return program{name: name, text: `
func main(k string) {
	hop.Scan(func(c map[string]*T, x *T) (map[string]*T, *T) {` + body + `
	}, map[string]*T{"a": zero, "b": zero}, zero)
}`}
	}
	checkPrograms(t, []program{
		mapped("one tensor under each key", `
		w, out := x.Clone(), map[string]*T{}
		for k := range c { out[k] = w }
		return out, x.Clone() // want HOP302 next carry[]=next carry[]`),
		mapped("one tensor under some keys", `
		w, out := x.Clone(), map[string]*T{}
		for k := range c { if k < "b" { out[k] = w } }
		return out, x.Clone()`),
		mapped("a tensor of its own under each key", `
		out := map[string]*T{}
		for k, t := range c { w := t.Add(x); out[k] = w }
		return out, x.Clone()`),
		scan("one tensor twice in a literal", `
		w := x.Clone()
		return []*T{w, w}, x.Clone() // want HOP302 next carry[0]=next carry[1]`),
		scan("shift by append", `
		return append([]*T{x.Clone()}, cloned(c[:len(c)-1])...), x.Clone()`),
		scan("shift by a generic helper", `
		return append([]*T{x.Clone()}, mapped(c[:len(c)-1], (*T).Clone)...), x.Clone()`),
		scan("shift by a loop", `
		out := []*T{x.Clone()}
		for _, t := range c[:len(c)-1] { out = append(out, t.Clone()) }
		return out, x.Clone()`),
		scan("shift by a loop that begins with the new one", `
		var out []*T
		w := x.Clone()
		for i := range c {
			if i == 0 { out = append(out, w) } else { out = append(out, c[i-1].Clone()) }
		}
		return out, x.Clone()`),
		scan("shift by indices", `
		out := make([]*T, len(c))
		w := x.Clone()
		for i := range c {
			if i == 0 { out[i] = w } else { out[i] = c[i-1].Clone() }
		}
		return out, x.Clone()`),
		scan("shift that keeps the carry", `
		return append([]*T{x.Clone()}, c[:1]...), x.Clone() // want HOP301 next carry[]=carry[]`),
		scan("appended twice", `
		w := x.Clone()
		out := append([]*T{}, w)
		out = append(out, w)
		return out, x.Clone() // want HOP302 next carry[]=next carry[]`),
		scan("appended to the one that is there", `
		w := x.Clone()
		return append([]*T{w}, w), x.Clone() // want HOP302 next carry[]=next carry[]`),
		scan("two views appended", `
		w := x.Clone()
		return append([]*T(nil), w, w.View(-1)), x.Clone() // want HOP302 next carry[]=next carry[]`),
		scan("appended in every round", `
		w := x.Clone()
		var out []*T
		for range n { out = append(out, w) }
		return out, x.Clone() // want HOP302 next carry[]=next carry[]`),
		scan("stored in every round", `
		w := x.Clone()
		out := make([]*T, len(c))
		for i := range out { out[i] = w }
		return out, x.Clone() // want HOP302 next carry[]=next carry[]`),
		scan("stored in every round, a copy for each", `
		out := make([]*T, len(c))
		for i := range out { w := x.Clone(); out[i] = w }
		return out, x.Clone()`),
		scan("in the list and beside it", `
		w := x.Clone()
		return append([]*T{x.Clone()}, w), w // want HOP302 next carry[]=y`),
		scan("one of two lists", `
		w := x.Clone()
		out := []*T{w, x.Clone()}
		if n > 1 { out = []*T{x.Clone(), w} }
		return out, x.Clone()`),
		scan("first of an appended list", `
		w := x.Clone()
		out := append([]*T{w}, w)
		return []*T{out[0]}, x.Clone()`),
		mapped("one tensor under two keys", `
		w := x.Clone()
		return map[string]*T{"a": w, "b": w}, x.Clone() // want HOP302 next carry["a"]=next carry["b"]`),
		mapped("one tensor stored under two keys", `
		w := x.Clone()
		out := map[string]*T{}
		out["a"] = w
		out["b"] = w.View(-1)
		return out, x.Clone() // want HOP302 next carry["a"]=next carry["b"]`),
		mapped("a key stored again", `
		w := x.Clone()
		out := map[string]*T{"a": w, "b": w}
		out["a"] = w.Clone()
		return out, x.Clone()`),
		mapped("stored under the keys of the carry", `
		out := map[string]*T{}
		for k, t := range c { out[k] = t.Add(x) }
		return out, x.Clone()`),
		mapped("a carry's element under another key", `
		return map[string]*T{"a": c["b"], "b": x.Clone()}, x.Clone() // want HOP301 next carry["a"]=carry[]`),
		mapped("key and unknown key", `
		out := map[string]*T{"a": x.Clone()}
		out[k] = x.Clone()
		return out, x.Clone()`),
		{name: "lists in a map of lists", text: `
func shift(first *T, rest []*T) []*T { out := []*T{first.Clone()}; for _, t := range rest[:len(rest)-1] { out = append(out, t.Clone()) }; return out }
func main() {
	hop.Scan(func(c map[string][]*T, x *T) (map[string][]*T, *T) {
		return map[string][]*T{"y": shift(x, c["y"]), "e": shift(x, c["e"])}, x.Clone()
	}, map[string][]*T{"y": {zero}, "e": {zero}}, zero)
	hop.Scan(func(c map[string][]*T, x *T) (map[string][]*T, *T) {
		s := shift(x, c["y"])
		return map[string][]*T{"y": s, "e": s}, x.Clone() // want HOP302 next carry["e"]=next carry["y"]
	}, map[string][]*T{"y": {zero}, "e": {zero}}, zero)
}`},
		{name: "swapped and updated by index", text: `
func main() {
	hop.Scan(func(c [2]*T, x *T) ([2]*T, *T) {
		c[0], c[1] = c[1].Clone(), c[0].Clone()
		for i := range c { c[i] = c[i].Mul(x) }
		return c, x.Clone()
	}, [2]*T{zero, zero}, zero)
}`},
	})
}

// A tensor that a container of unknown elements holds is in two of them where it was stored to a second one.
func TestElementsStoredAgain(t *testing.T) {
	scan := func(name, helpers, body string) program {
		return program{name: name, text: `
type R struct{ A *T; L []*T; M map[string]*T }
` + helpers + `
func main(n int) {
	hop.Scan(func(s R, x *T) (R, *T) {` + body + `
	}, R{}, zero)
}`}
	}
	programs := []program{
		scan("an element of a copied list at another index", "", `
		s = hop.Clone(s)
		s.L[0] = s.L[1]
		return s, x.Clone() // want HOP302 next carry.L[]=next carry.L[]`),
		scan("an element of a copied map at another key", "", `
		s = hop.Clone(s)
		s.M["a"] = s.M["b"]
		return s, x.Clone() // want HOP302 next carry.M[]=next carry.M[]`),
		scan("in a helper", "func over(l []*T) { l[0] = l[1] }", `
		s = hop.Clone(s)
		over(s.L)
		return s, x.Clone() // want HOP302 next carry.L[]=next carry.L[]`),
		scan("of the caller's list", "", `
		s.L[0] = s.L[1] // want HOP101 carry.L[]
		return R{s.A.Clone(), s.L, nil}, x.Clone() // want HOP302 next carry.L[]=next carry.L[]; HOP301 next carry.L=carry.L`),
		scan("swapped", "", `
		s = hop.Clone(s)
		s.L[0], s.L[1] = s.L[1], s.L[0]
		s.M["a"], s.M["b"] = s.M["b"], s.M["a"]
		return s, x.Clone()`),
		scan("swapped in a helper", "func swap(l []*T, i, j int) { l[i], l[j] = l[j], l[i] }", `
		s = hop.Clone(s)
		swap(s.L, 0, 1)
		return s, x.Clone()`),
		scan("the same one", "", `
		s = hop.Clone(s)
		s.L[0] = s.L[0]
		return s, x.Clone()`),
		scan("of another list", "", `
		s = hop.Clone(s)
		r := hop.Clone(s)
		s.L[0] = r.L[1]
		return s, x.Clone()`),
		scan("all rewritten later", "", `
		s = hop.Clone(s)
		s.L[0] = s.L[1]
		own := append([]*T(nil), s.L...)
		for i := range own { own[i] = own[i].Neg() }
		s.L = own
		return s, x.Clone()`),
	}
	checkPrograms(t, programs)
	strictly(t)
	checkPrograms(t, append(programs,
		scan("replaced later", "", `
		s = hop.Clone(s)
		s.L[0] = s.L[1]
		s.L[1] = x.Clone()
		return s, x.Clone() // want HOP302 next carry.L[]=next carry.L[]`),
		scan("by unknown indices", "", `
		s = hop.Clone(s)
		s.L[n] = s.L[1]
		return s, x.Clone() // want HOP302 next carry.L[]=next carry.L[]`),
		scan("handed to a helper with its list", "func put(t *T, l []*T) { l[0] = t }", `
		s = hop.Clone(s)
		put(s.L[1], s.L)
		return s, x.Clone() // want HOP302 next carry.L[]=next carry.L[]`),
		scan("a new one handed to a helper with a list", "func put(t *T, l []*T) { l[0] = t }", `
		s = hop.Clone(s)
		put(s.L[1].Clone(), s.L)
		return s, x.Clone()`),
		scan("by copy", "", `
		s = hop.Clone(s)
		copy(s.L, s.L[1:])
		return s, x.Clone() // want HOP302 next carry.L[]=next carry.L[]`),
	))
}
