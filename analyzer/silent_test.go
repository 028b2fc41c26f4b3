package analyzer_test

import "testing"

// Bodies as people write them that keep the contract: nothing may be reported.
func TestSilentBodies(t *testing.T) {
	checkPrograms(t, []program{
		{name: "recurrent cell with captured weights", text: `
type cell struct{ W, U, B *T }
type state struct{ H, C *T }
func (c *cell) gate(x, h *T) *T { return x.Mul(c.W).Add(h.Mul(c.U)).Add(c.B) }
func (c *cell) step(s state, x *T) (state, *T) {
	i := c.gate(x, s.H).TanhInPlace()
	f := c.gate(x, s.H)
	f.TanhInPlace()
	next := s.C.Mul(f)
	next.AddInPlace(i)
	h := next.Tanh()
	return state{H: h, C: next}, h.Clone()
}
func main() {
	c := &cell{zero, zero, zero}
	hop.Scan(c.step, state{zero, zero}, zero)
}`},
		{name: "parameters updated into a new list", text: `
func main(grads []*T, n int) {
	hop.ForLoop(0, n, func(i *T, params []*T) []*T {
		next := make([]*T, len(params))
		for k, p := range params {
			next[k] = p.Sub(grads[k].MulScalar(0.1))
		}
		return next
	}, []*T{zero})
	hop.ForLoop(0, n, func(i *T, params []*T) []*T {
		var next []*T
		for k, p := range params {
			q := p.Clone()
			q.SubInPlace(grads[k])
			next = append(next, q)
		}
		return next
	}, []*T{zero})
}`},
		{name: "copied struct with every field replaced", text: `
func main() {
	hop.Scan(func(carry S, x *T) (S, *T) {
		next := carry
		next.H = carry.H.Add(x)
		next.C = carry.C.Clone()
		next.C.MulInPlace(next.H)
		return next, next.H.Clone()
	}, S{zero, zero}, zero)
}`},
		{name: "swap of fresh values", text: `
func main() {
	hop.Scan(func(carry S, x *T) (S, *T) {
		h, c := carry.H.Add(x), carry.C.Sub(x)
		h, c = c, h
		h.AddInPlace(c)
		return S{h, c}, x.Neg()
	}, S{zero, zero}, zero)
}`},
		{name: "map made in the body", text: `
func main(given map[string]*T) {
	hop.Scan(func(carry map[string]*T, x *T) (map[string]*T, *T) {
		m := map[string]*T{"a": carry["a"].Clone(), "b": x.Neg()}
		m["a"].AddInPlace(x)
		m["c"] = m["a"].Clone()
		return m, m["b"].Clone()
	}, given, zero)
}
`},
		{name: "pointer to a local struct", text: `
func touch(s *S, x *T) { s.H.AddInPlace(x); s.C = s.C.Add(x) }
func main() {
	hop.Scan(func(carry S, x *T) (S, *T) {
		p := &S{H: carry.H.Clone(), C: carry.C}
		touch(p, x)
		return *p, x.Clone()
	}, S{zero, zero}, zero)
}`},
		{name: "in-place ops on intermediates of views", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		buf := hop.Zeros(hop.Float64, 2)
		buf.Narrow(0, 0, 1).CopyFrom(carry.Narrow(0, 0, 1))
		buf.Select(0, 1).CopyFrom(x.Select(0, 0))
		return buf, buf.Clone()
	}, zero, zero)
}`},
		{name: "builder with a fluent interface", text: `
type builder struct{ parts []*T }
func (b *builder) add(t *T) *builder { b.parts = append(b.parts, t); return b }
func (b *builder) build() *T { return hop.Stack(0, b.parts...) }
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		var b builder
		s := b.add(carry).add(x).build()
		s.NegInPlace()
		return s, s.Clone()
	}, zero, zero)
}`},
		{name: "error handling and early return", text: `
type failure struct{}
func (failure) Error() string { return "no" }
func checked(t *T) (*T, error) {
	if t == nil {
		return nil, failure{}
	}
	return t.Neg(), nil
}
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		h, err := checked(carry)
		if err != nil {
			return carry.Clone(), x.Clone()
		}
		h.AddInPlace(x)
		return h, h.Neg()
	}, zero, zero)
}`},
		{name: "generic helpers", text: `
func mapped[A, B any](in []A, f func(A) B) []B {
	out := make([]B, 0, len(in))
	for _, a := range in {
		out = append(out, f(a))
	}
	return out
}
func main() {
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) {
		next := mapped(carry, func(t *T) *T { return t.Add(x) })
		mapped(next, func(t *T) int { t.NegInPlace(); return 0 })
		return next, x.Clone()
	}, []*T{zero}, zero)
}`},
		{name: "caller mutates before and after", text: `
func main() {
	init, w := zero.Clone(), zero.Clone()
	w.Fill(1)
	last, _ := hop.Scan(func(carry, x *T) (*T, *T) { return carry.Mul(w), x.Clone() }, init, zero)
	w.AddInPlace(last)
	init.Zero()
	last.Zero()
}`},
		{name: "the same helper on fresh and on captured tensors outside", text: `
func bump(t *T) { t.AddScalarInPlace(1) }
func main() {
	w := zero.Clone()
	bump(w)
	hop.Scan(func(carry, x *T) (*T, *T) {
		h := carry.Mul(w)
		bump(h)
		return h, x.Clone()
	}, zero, zero)
	bump(w)
}`},
		{name: "method value of a fresh tensor", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		h := carry.Clone()
		for _, f := range []func(*T) *T{h.AddInPlace, h.MulInPlace} {
			f(x)
		}
		return h, x.Clone()
	}, zero, zero)
}`},
		{name: "Go memory wrapped in the body", text: `
func main(table []float64) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		return carry.Add(x), hop.Wrap(table, 2)
	}, zero, zero)
}`},
		{name: "init function", text: `
func init() {
	hop.Scan(func(carry, x *T) (*T, *T) { return carry.Add(x), x.Clone() }, zero, zero)
}`},
	})
}

// A carry that begins empty holds no tensors that could be shared.
func TestEmptyCarries(t *testing.T) {
	checkPrograms(t, []program{{name: "map and list", text: `
func main(xs *T, given map[string]*T) {
	hop.Scan(func(carry map[string]*T, x *T) (map[string]*T, *T) { return carry, x.Clone() }, map[string]*T{}, xs)
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) { return carry, x.Clone() }, []*T{}, xs)
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) { return carry, x.Clone() }, nil, xs)
	hop.Scan(func(carry map[string]*T, x *T) (map[string]*T, *T) {
		return carry, x.Clone() // want HOP301 next carry=carry
	}, given, xs)
	hop.Scan(func(carry map[string]*T, x *T) (map[string]*T, *T) {
		return carry, x.Clone() // want HOP301 next carry=carry
	}, map[string]*T{"a": zero}, xs)
}`}})
}
