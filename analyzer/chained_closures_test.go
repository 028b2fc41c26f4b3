package analyzer_test

import "testing"

// Closures of one function that capture each other under one name, as combinators make them, are told apart.
func TestChainedClosures(t *testing.T) {
	const steps = `
type step struct{ run func(*T) *T }
func (s step) then(next step) step { return step{func(t *T) *T { return next.run(s.run(t)) }} }
type bound[E any] struct{ run func(E) (E, bool) }
func (b bound[E]) then(g func(E) bound[E]) bound[E] {
	return bound[E]{func(e E) (E, bool) {
		v, ok := b.run(e)
		if !ok { return v, ok }
		return g(v).run(v)
	}}
}
func wrap(f func(*T) *T) func(*T) *T { return func(t *T) *T { return f(t) } }
var same = step{func(t *T) *T { return t }}
`
	scan := func(name, before, body string) program {
		return program{name: name, text: steps + `
func main() {` + before + `
	hop.Scan(func(c, x *T) (*T, *T) {` + body + `
	}, zero, zero)
}`}
	}
	programs := []program{
		scan("three", `
	id, neg := step{func(t *T) *T { return t }}, step{(*T).Neg}
	p := id.then(id).then(id)
	q := id.then(neg).then(id).then(id)`, `
		return p.run(c), q.run(x) // want HOP301 next carry=carry`),
		scan("writer within", `
	id, set := step{func(t *T) *T { return t.Clone() }}, step{func(t *T) *T { return t.AddScalarInPlace(1) }}
	p := set.then(id).then(id)
	q := id.then(set).then(id)`, `
		y := q.run(x)
		return p.run(c), y // want HOP101 carry`),
		scan("generic", `
	id := bound[*T]{func(t *T) (*T, bool) { return t, true }}
	neg := bound[*T]{func(t *T) (*T, bool) { return t.Neg(), true }}
	p := id.then(func(*T) bound[*T] { return id }).then(func(*T) bound[*T] { return id })
	q := neg.then(func(*T) bound[*T] { return id }).then(func(*T) bound[*T] { return id })`, `
		v, _ := p.run(c)
		w, _ := q.run(x)
		return v, w // want HOP301 next carry=carry`),
		scan("wrapped again and again", `
	id := func(t *T) *T { return t }
	p := wrap(wrap(wrap(wrap(id))))
	q := wrap(wrap(wrap((*T).Clone)))`, `
		return p(c), q(x) // want HOP301 next carry=carry`),
	}
	checkPrograms(t, programs)
	t.Run("strict", func(t *testing.T) {
		strictly(t)
		checkPrograms(t, programs)
	})
}
