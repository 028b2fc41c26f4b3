package analyzer_test

import (
	"slices"
	"strings"
	"testing"
)

// replacedPrograms replace all elements of what holds the caller's tensors, or all but one of them.
var replacedPrograms = func() []program {
	scan := func(name, helpers, body string) program {
		return program{name: name, text: `
type R struct{ L []*T; A [3]*T; M map[string]*T }
` + helpers + `
func main(n int) {
	hop.Scan(func(c R, x *T) (R, *T) {` + body + `
	}, R{}, zero)
}`}
	}
	list := func(name, helpers, body string) program {
		return program{name: name, text: helpers + `
func main(n int) {
	hop.Scan(func(c []*T, x *T) ([]*T, *T) {` + body + `
	}, []*T{}, zero)
}`}
	}
	inPackage := func(p program, imports map[string]string) program { p.packages = imports; return p }
	return []program{
		// 1: helpers
		list("1: a helper replaces all of a copy", `func fresh(l []*T) { for i := range l { l[i] = l[i].Clone() } }`, `
		out := make([]*T, len(c))
		copy(out, c)
		fresh(out)
		return out, x.Clone()`),
		list("1: a helper replaces all but the first", `func fresh(l []*T) { for i := 1; i < len(l); i++ { l[i] = l[i].Clone() } }`, `
		out := make([]*T, len(c))
		copy(out, c)
		fresh(out)
		return out, x.Clone() // want HOP301 next carry[]=carry[]`),
		list("1: a helper replaces all of a part", `func fresh(l []*T) { for i := range l { l[i] = l[i].Clone() } }`, `
		out := append([]*T(nil), c...)
		fresh(out[1:])
		return out, x.Clone() // want HOP301 next carry[]=carry[]`),
		list("1: a helper replaces all of a front part", `func fresh(l []*T) { for i := range l { l[i] = l[i].Clone() } }`, `
		out := append([]*T(nil), c...)
		fresh(out[:1])
		return out, x.Clone() // want HOP301 next carry[]=carry[]`),
		list("1: a helper replaces all of one of two", `func fresh(l []*T) { for i := range l { l[i] = l[i].Clone() } }`, `
		out, other := append([]*T(nil), c...), append([]*T(nil), c...)
		if n > 1 { out, other = other, out }
		fresh(out)
		return other, x.Clone() // want HOP301 next carry[]=carry[]`),
		list("1: a helper replaces, perhaps", `func fresh(l []*T, on bool) { if !on { return }; for i := range l { l[i] = l[i].Clone() } }`, `
		out := append([]*T(nil), c...)
		fresh(out, n > 1)
		return out, x.Clone() // want HOP301 next carry[]=carry[]`),
		list("1: a helper of a helper", `
func fresh(l []*T) { for i := range l { l[i] = l[i].Clone() } }
func both(l []*T) []*T { fresh(l); return l }`, `
		return both(append([]*T(nil), c...)), x.Clone()`),
		scan("1: a method replaces the elements of its fields", `
func (s *R) renew() {
	s.L = append([]*T(nil), s.L...)
	for i := range s.L { s.L[i] = s.L[i].Clone() }
	for i := range s.A { s.A[i] = s.A[i].Clone() }
	m := map[string]*T{}
	for k, t := range s.M { m[k] = t.Clone() }
	s.M = m
}`, `
		c.renew()
		return c, x.Clone()`),
		scan("1: a method replaces the elements of fields that hold copies", `
func (s *R) renew() {
	for i := range s.L { s.L[i] = s.L[i].Clone() }
	for k := range s.M { s.M[k] = s.M[k].Clone() }
}`, `
		var s R
		s.L = append(s.L, c.L...)
		s.M = map[string]*T{}
		for k, t := range c.M { s.M[k] = t }
		s.renew()
		return s, x.Clone()`),
		scan("1: a helper replaces the elements of an array", `func fresh(a *[3]*T) { for i := range a { a[i] = a[i].Clone() } }`, `
		a := c.A
		fresh(&a)
		return R{A: a}, x.Clone()`),
		scan("1: a helper replaces the elements of a slice of an array", `func fresh(l []*T) { for i := range l { l[i] = l[i].Clone() } }`, `
		a := c.A
		fresh(a[:])
		return R{A: a}, x.Clone()`),
		inPackage(list("1: a helper in another package", "", `
		out := append([]*T(nil), c...)
		fresh.All(out)
		return out, x.Clone()`), map[string]string{"fresh": `package fresh
import "github.com/hoplint/hoplint/runtime/hop"
func All(l []*hop.Tensor) { for i, t := range l { l[i] = t.Clone() } }
`}),
		inPackage(list("1: a generic helper in another package", "", `
		out := append([]*T(nil), c...)
		renew.All(out, (*T).Clone)
		return out, x.Clone()`), map[string]string{"renew": `package renew
func All[S ~[]E, E any](l S, f func(E) E) { for i, t := range l { l[i] = f(t) } }
`}),
		inPackage(list("1: a generic helper that is given the identity", "", `
		out := append([]*T(nil), c...)
		renew.All(out, func(t *T) *T { return t })
		return out, x.Clone() // want HOP301 next carry[]=carry[]`), map[string]string{"renew": `package renew
func All[S ~[]E, E any](l S, f func(E) E) { for i, t := range l { l[i] = f(t) } }
`}),
		scan("1: what was there is still reached elsewhere", `func fresh(l []*T) { for i := range l { l[i] = l[i].Clone() } }`, `
		out := append([]*T(nil), c.L...)
		first := out[0]
		fresh(out)
		return R{L: out, A: [3]*T{first, x.Clone(), x.Clone()}}, x.Clone() // want HOP301 next carry.A[0]=carry.L[]`),
		// 2: maps
		{name: "2: a cloned map is filled anew by its model's keys", text: `
func main() {
	hop.Scan(func(c map[string]*T, x *T) (map[string]*T, *T) {
		n := maps.Clone(c)
		for k := range c { n[k] = c[k].Clone() }
		return n, x.Clone()
	}, map[string]*T{}, zero)
}`},
		{name: "2: a cloned map is filled anew by its model's entries", text: `
func main() {
	hop.Scan(func(c map[string]*T, x *T) (map[string]*T, *T) {
		n := maps.Clone(c)
		for k, t := range c { n[k] = t.Add(x) }
		return n, x.Clone()
	}, map[string]*T{}, zero)
}`},
		{name: "2: a cloned map with a key more is filled anew by its model's entries", text: `
func main(s string) {
	hop.Scan(func(c map[string]*T, x *T) (map[string]*T, *T) {
		n := maps.Clone(c)
		n[s] = x
		for k, t := range c { n[k] = t.Add(x) }
		return n, x.Clone() // want HOP301 next carry[]=carry[], next carry[]=x
	}, map[string]*T{}, zero)
}`},
		{name: "2: a cloned map is filled anew by the keys of another", text: `
func main(d map[string]*T) {
	hop.Scan(func(c map[string]*T, x *T) (map[string]*T, *T) {
		n := maps.Clone(c)
		for k := range d { n[k] = x.Clone() }
		return n, x.Clone() // want HOP301 next carry[]=carry[]
	}, map[string]*T{}, zero)
}`},
		{name: "2: the model lost keys meanwhile", text: `
func main() {
	hop.Scan(func(c map[string]*T, x *T) (map[string]*T, *T) {
		m := maps.Clone(c)
		n := maps.Clone(m)
		delete(m, "a")
		for k := range m { n[k] = x.Clone() }
		return n, x.Clone() // want HOP301 next carry[]=carry[]
	}, map[string]*T{}, zero)
}`},
		// 3: backward
		list("3: backward to the second", "", `
		out := append([]*T(nil), c...)
		for i := len(c)-1; i > 0; i-- { out[i] = c[i-1].Clone() }
		out[0] = x.Clone()
		return out, x.Clone()`),
		list("3: backward to the second of a made list", "", `
		out := make([]*T, len(c))
		copy(out, c)
		for i := len(out)-1; i > 0; i-- { out[i] = out[i-1].Clone() }
		out[0] = x.Clone()
		return out, x.Clone()`),
		list("3: backward to the second, the first before", "", `
		out := append([]*T(nil), c...)
		out[0] = x.Clone()
		for i := len(out)-1; i >= 1; i-- { out[i] = c[i].Clone() }
		return out, x.Clone()`),
		list("3: backward to the second, the first stays", "", `
		out := append([]*T(nil), c...)
		for i := len(out)-1; i > 0; i-- { out[i] = c[i-1].Clone() }
		return out, x.Clone() // want HOP301 next carry[0]=carry[]`),
		list("3: backward to the third", "", `
		out := append([]*T(nil), c...)
		for i := len(out)-1; i > 1; i-- { out[i] = c[i-1].Clone() }
		out[0] = x.Clone()
		return out, x.Clone() // want HOP301 next carry[]=carry[]`),
		list("3: forward from the second", "", `
		out := append([]*T(nil), c...)
		out[0] = x.Clone()
		for i := 1; i < len(out); i++ { out[i] = c[i-1].Clone() }
		return out, x.Clone()`),
		list("3: forward up to the last", "", `
		out := append([]*T(nil), c...)
		for i := 0; i < len(out)-1; i++ { out[i] = c[i+1].Clone() }
		out[len(out)-1] = x.Clone()
		return out, x.Clone()`),
		list("3: forward up to the last, which stays", "", `
		out := append([]*T(nil), c...)
		for i := 0; i < len(out)-1; i++ { out[i] = c[i+1].Clone() }
		return out, x.Clone() // want HOP301 next carry[]=carry[]`),
		list("3: all but the ends, which are stored first", "", `
		out := append([]*T(nil), c...)
		out[0], out[len(out)-1] = x.Clone(), x.Neg()
		for i := 1; i < len(out)-1; i++ { out[i] = c[i-1].Add(c[i+1]) }
		return out, x.Clone()`),
		list("3: all but the ends, of which one is stored", "", `
		out := append([]*T(nil), c...)
		out[0] = x.Clone()
		for i := 1; i < len(out)-1; i++ { out[i] = c[i-1].Add(c[i+1]) }
		return out, x.Clone() // want HOP301 next carry[]=carry[]`),
		list("3: by the index behind", "", `
		out := append([]*T(nil), c...)
		out[0] = x.Clone()
		for i, t := range c[:len(c)-1] { out[i+1] = t.Clone() }
		return out, x.Clone()`),
		list("3: by the index before", "", `
		out := append([]*T(nil), c...)
		for i := 1; i <= len(out); i++ { out[i-1] = out[i-1].Clone() }
		return out, x.Clone()`),
		list("3: what was stored before the loop is among what is left", "", `
		out := append([]*T(nil), c...)
		out[0] = x
		for i := 1; i < len(out); i++ { out[i] = c[i].Clone() }
		return out, x.Clone() // want HOP301 next carry[0]=x`),
		list("3: the last before the loop is among what is left", "", `
		out := append([]*T(nil), c...)
		out[len(out)-1] = x
		for i := 0; i < len(out)-1; i++ { out[i] = c[i].Clone() }
		return out, x.Clone() // want HOP301 next carry[]=x`),
		list("3: replaced on one branch", "", `
		out := append([]*T(nil), c...)
		for i := 1; i < len(out); i++ { out[i] = c[i].Clone() }
		if n > 1 { out[0] = x.Clone() }
		return out, x.Clone() // want HOP301 next carry[0]=carry[]`),
		list("3: replaced, and another put there", "", `
		out := append([]*T(nil), c...)
		out[0] = x.Clone()
		out[n] = c[1]
		for i := 1; i < len(out); i++ { out[i] = c[i].Clone() }
		return out, x.Clone() // want HOP301 next carry[0]=carry[]`),
		list("3: in a helper", "func shift(l []*T, t *T) { for i := len(l) - 1; i > 0; i-- { l[i] = l[i-1].Clone() }; l[0] = t }", `
		out := append([]*T(nil), c...)
		shift(out, x.Clone())
		return out, x.Clone()`),
		list("3: in a helper that leaves the first", "func shift(l []*T, t *T) { for i := len(l) - 1; i > 0; i-- { l[i] = l[i-1].Clone() } }", `
		out := append([]*T(nil), c...)
		shift(out, x.Clone())
		return out, x.Clone() // want HOP301 next carry[]=carry[]`),
		// 4: queues
		list("4: a queue", "", `
		n := hop.Clone(c)
		copy(n, n[1:])
		n[len(n)-1] = x.Clone()
		return n, x.Clone()`),
		list("4: a queue of copies", "func copies(l []*T) []*T { out := make([]*T, len(l)); for i, t := range l { out[i] = t.Clone() }; return out }", `
		n := copies(c)
		copy(n, n[1:])
		n[len(n)-1] = x.Clone()
		return n, x.Clone()`),
		list("4: a queue in a helper", "func push(l []*T, t *T) { copy(l, l[1:]); l[len(l)-1] = t }", `
		n := hop.Clone(c)
		push(n, x.Clone())
		return n, x.Clone()`),
		list("4: a delay line", "func delay(l []*T, t *T) { for i := len(l) - 1; i > 0; i-- { l[i] = l[i-1] }; l[0] = t }", `
		n := hop.Clone(c)
		delay(n, x.Clone())
		return n, x.Clone()`),
		list("4: a shift by a loop", "", `
		n := hop.Clone(c)
		for i := 0; i < len(n)-1; i++ { n[i] = n[i+1] }
		n[len(n)-1] = x.Clone()
		return n, x.Clone()`),
		list("4: a stack", "", `
		n := hop.Clone(c)
		copy(n[1:], n)
		n[0] = x.Clone()
		return n, x.Clone()`),
		list("4: a stack that copies what stays", "", `
		n := hop.Clone(c)
		copy(n[1:], n[:len(n)-1])
		n[0] = x.Clone()
		return n, x.Clone()`),
	}
}()

// strictReplaced are found in strict mode only.
var strictReplaced = func() []program {
	list := func(name, body string) program {
		return program{name: name, text: `
func main(n int) {
	hop.Scan(func(c []*T, x *T) ([]*T, *T) {` + body + `
	}, []*T{}, zero)
}`}
	}
	return []program{
		list("4: a queue whose last stays", `
		n := hop.Clone(c)
		copy(n, n[1:])
		return n, x.Clone() // want HOP302 next carry[]=next carry[]`),
		list("4: a queue whose first is replaced", `
		n := hop.Clone(c)
		copy(n, n[1:])
		n[0] = x.Clone()
		return n, x.Clone() // want HOP302 next carry[]=next carry[]`),
		list("4: a shift by a loop whose last stays", `
		n := hop.Clone(c)
		for i := 0; i < len(n)-1; i++ { n[i] = n[i+1] }
		return n, x.Clone() // want HOP302 next carry[]=next carry[]`),
		list("4: a shift by a loop in the wrong direction", `
		n := hop.Clone(c)
		for i := len(n)-2; i >= 0; i-- { n[i] = n[i+1] }
		n[len(n)-1] = x.Clone()
		return n, x.Clone() // want HOP302 next carry[]=next carry[]`),
		list("4: a shift by a loop that stores twice", `
		n := hop.Clone(c)
		for i := len(n)-1; i > 1; i-- { n[i] = n[i-1] }
		n[0] = x.Clone()
		return n, x.Clone() // want HOP302 next carry[]=next carry[]`),
		list("4: a queue that moves by two", `
		n := hop.Clone(c)
		copy(n, n[2:])
		n[len(n)-1] = x.Clone()
		return n, x.Clone() // want HOP302 next carry[]=next carry[]`),
		list("4: a queue that is copied in between", `
		n := hop.Clone(c)
		copy(n, n[1:])
		m := append([]*T(nil), n...)
		n[len(n)-1] = x.Clone()
		return m, x.Clone() // want HOP302 next carry[]=next carry[]`),
	}
}()

// readBefore returns the element that a loop leaves, read before it is replaced; strict mode takes it for one of the others as well.
var readBefore = program{name: "3: the old one is read before it is replaced", text: `
func main(n int) {
	hop.Scan(func(c []*T, x *T) ([]*T, *T) {
		out := append([]*T(nil), c...)
		for i := 1; i < len(out); i++ { out[i] = c[i].Clone() }
		y := out[0]
		out[0] = x.Clone()
		return out, y // want HOP301 y=carry[]
	}, []*T{}, zero)
}`}

// withMaps is a program that uses the library's maps.
func withMaps(p program) program {
	p.full = "package p\n\nimport (\n\t\"maps\"\n\n\t\"github.com/hoplint/hoplint/runtime/hop\"\n)\n\ntype T = hop.Tensor\n\n" +
		"var zero = hop.Zeros(hop.Float64, 2); func changeZero() { zero = zero.Neg() }\n" + p.text
	return p
}

// Helpers, loops and copies that replace all elements of a container leave none of those that it held, by default and in strict mode.
func TestElementsReplaced(t *testing.T) {
	list := slices.Clone(replacedPrograms)
	for i, p := range list {
		if strings.Contains(p.text, "maps.") {
			list[i] = withMaps(p)
		}
	}
	checkPrograms(t, append(list, readBefore))
	strictly(t)
	checkPrograms(t, append(list, strictReplaced...))
}
