package analyzer_test

import "testing"

// Memory that a generic helper makes for values of its type parameter holds, where that is a struct, the parts of what was put in: other
// helpers that read it by the type parameter find them.
func TestGenericContainersOfStructs(t *testing.T) {
	const queue = `
type Queue[E any] struct { q []E; h func(E) }
func (l *Queue[E]) Post(e E) { l.q = append(l.q, e) }
func (l *Queue[E]) First() E { return l.q[0] }
func (l *Queue[E]) Pop() E { e := l.q[0]; l.q = l.q[1:]; return e }
func (l *Queue[E]) Each(f func(E)) { for _, e := range l.q { f(e) } }
func (l *Queue[E]) All(yield func(E) bool) { for _, e := range l.q { if !yield(e) { return } } }
func (l *Queue[E]) Run() { for len(l.q) > 0 { l.h(l.Pop()) } }
func (l *Queue[E]) Handle(h func(E)) { l.h = h }
type Table[K comparable, E any] struct { m map[K]E }
func (t *Table[K, E]) Put(k K, e E) { if t.m == nil { t.m = map[K]E{} }; t.m[k] = e }
func (t *Table[K, E]) Get(k K) E { return t.m[k] }
`
	var programs []program
	for _, at := range []string{"", "dep."} {
		scan := func(name, body string) {
			p := program{name: name, text: `
type msg struct { n int; t *T }
func main() {
	hop.Scan(func(c, x *T) (*T, *T) {
		l, m := &` + at + `Queue[msg]{}, &` + at + `Table[string, msg]{}
		_, _ = l, m` + body + `
		return c.Clone(), x.Clone()
	}, zero, zero)
}`}
			if at == "" {
				p.text = queue + p.text
			} else {
				p.name += " in another package"
				p.packages = map[string]string{"dep": "package dep\n" + queue}
			}
			programs = append(programs, p)
		}
		scan("first", `
		l.Post(msg{1, c})
		l.First().t.Zero() // want HOP101 carry`)
		scan("pop", `
		l.Post(msg{1, c})
		l.Pop().t.Zero() // want HOP101 carry`)
		scan("each", `
		l.Post(msg{1, c})
		l.Each(func(m msg) { m.t.Zero() }) // want HOP101 carry`)
		scan("range", `
		l.Post(msg{1, x})
		for m := range l.All { m.t.Zero() } // want HOP102 x`)
		scan("loop of events", `
		l.Handle(func(m msg) { if m.n == 0 { m.t.Zero() } else { l.Post(msg{m.n - 1, m.t}) } }) // want HOP101 carry
		l.Post(msg{2, c})
		l.Run()`)
		scan("map", `
		m.Put("a", msg{1, c})
		m.Get("a").t.Zero() // want HOP101 carry`)
		scan("their own", `
		l.Post(msg{1, c.Clone()})
		l.Post(msg{2, x.Neg()})
		l.Each(func(m msg) { m.t.Zero() })
		l.Pop().t.Zero()
		m.Put("a", msg{1, x.Clone()})
		m.Get("a").t.Zero()`)
	}
	checkPrograms(t, programs)
	t.Run("strict", func(t *testing.T) {
		strictly(t)
		checkPrograms(t, programs)
	})
}
