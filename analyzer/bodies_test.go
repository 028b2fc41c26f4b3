package analyzer_test

import "testing"

// Programs that try to break the analysis: what must be seen through, and what must not be taken for a breach.
func TestBodies(t *testing.T) { checkPrograms(t, bodyCases()) }

func bodyCases() []program {
	return []program{
		{name: "cond branches", text: `
func main(p *T) {
	hop.Cond(p, func(o S) *T {
		o.H.AddInPlace(o.C) // want HOP103 operand.H
		return o.C // want HOP301 output=operand.C
	}, func(o S) *T { return o.C.Clone() }, S{zero, zero})
}`},
		{name: "associative scan names its sides", text: `
func main() {
	hop.AssociativeScan(func(a, b *T) *T {
		a.MulInPlace(b) // want HOP103 left element
		return b // want HOP301 output=right element
	}, zero)
}`},
		{name: "switch branches", text: `
func main(i *T) {
	hop.Switch(i, []func(*T) *T{
		func(o *T) *T { return o.Clone() },
		func(o *T) *T { return o.Zero() }, // want HOP103 operand; HOP301 output=operand
	}, zero)
}`},
		{name: "while loop, both functions", text: `
func main() {
	hop.WhileLoop(func(s *T) *T {
		s.Zero() // want HOP101 carry
		return s.Lt(zero)
	}, func(s *T) *T {
		return s.AddInPlace(zero) // want HOP101 carry; HOP301 next carry=carry
	}, zero)
}`},
		{name: "for loop", text: `
func main() {
	hop.ForLoop(0, 3, func(i, c *T) *T {
		i.AddInPlace(c) // want HOP103 index operand
		return c.Add(i)
	}, zero)
}`},
		{name: "map", text: `
func main() {
	hop.Map(func(x *T) *T { return x.View(2) }, zero) // want HOP301 y=x
}`},
		{name: "custom gradient", text: `
func main() {
	hop.CustomVJP(func(x *T) (*T, *T) {
		return x.Neg(), x
	}, func(r, dy *T) *T {
		dy.MulInPlace(r) // want HOP103 cotangent operand
		return r.Neg()
	})
}`},
		{name: "grad may return its operand", text: `
func main() {
	hop.Grad(func(x *T) *T { return x })
	hop.Grad(func(x *T) *T { return x.AddInPlace(zero) }) // want HOP103 operand
}`},
		{name: "inner body writes what the outer was given", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		s, _ := hop.Scan(func(c, v *T) (*T, *T) {
			carry.AddInPlace(v) // want HOP101 carry; HOP104 captured carry
			return c.Add(v), v.Clone()
		}, zero, x)
		return s, x.Clone()
	}, zero, zero)
}`},
		{name: "inner body writes its own carry", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		s, _ := hop.Scan(func(c, v *T) (*T, *T) {
			c.AddInPlace(v) // want HOP101 carry
			return c.Clone(), v.Clone()
		}, carry, x)
		return s, x.Clone()
	}, zero, zero)
}`},
		{name: "results of an inner HOP are fresh", text: `
func main() {
	hop.Scan(func(carry S, x *T) (S, *T) {
		s, y := hop.Scan(func(c S, v *T) (S, *T) { return hop.Clone(c), v.Clone() }, carry, x)
		s.H.AddInPlace(x)
		return s, y
	}, S{zero, zero}, zero)
}`},
		{name: "results of a transformed function are fresh", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		g := hop.Grad(func(v *T) *T { return v.Sum() })(carry)
		g.AddInPlace(x)
		return g, hop.VMap(func(v *T) *T { return v.Neg() })(x)
	}, zero, zero)
}`},
		{name: "captured writes of both levels are told once", text: `
func main() {
	w := zero.Clone()
	hop.Scan(func(carry, x *T) (*T, *T) {
		s := hop.Map(func(v *T) *T {
			w.AddInPlace(v) // want HOP104 captured w
			return v.Neg()
		}, x)
		return carry.Add(s), x.Clone()
	}, zero, zero)
}`},
		{name: "body used by two calls", text: `
func step(carry, x *T) (*T, *T) {
	carry.AddInPlace(x) // want HOP101 carry
	return carry.Clone(), x.Clone()
}
func main() {
	hop.Scan(step, zero, zero)
	hop.Scan(step, zero, zero)
}`},
		{name: "wrapper by directive", text: `
//hop:body combine(carry, x)
func fold(combine func(c, x *T) *T, init *T, xs []*T) *T {
	for _, x := range xs {
		init = combine(init, x)
	}
	return init
}
func main() {
	fold(func(c, x *T) *T {
		x.AddInPlace(c) // want HOP102 x
		return c // want HOP301 next carry=carry
	}, zero, nil)
}`},
		{name: "wrapper by flow", text: `
func fold(combine func(c, x *T) (*T, *T), xs *T) *T {
	last, _ := hop.Scan(combine, zero, xs)
	return last
}
func twice(f func(c, x *T) (*T, *T), xs *T) *T { return fold(f, fold(f, xs)) }
func main() {
	twice(func(c, x *T) (*T, *T) {
		x.AddInPlace(c) // want HOP102 x
		return c.Clone(), x.Clone()
	}, zero)
}`},
		{name: "wrapper of another package", packages: map[string]string{"wrap": `package wrap
import "github.com/hoplint/hoplint/runtime/hop"
type T = hop.Tensor
func Fold(combine func(c, x *T) (*T, *T), xs *T) *T {
	last, _ := hop.Scan(combine, hop.Zeros(hop.Float64), xs)
	return last
}
//hop:body f(operand)
func Each(f func(*T) *T, xs []*T) { for _, x := range xs { f(x) } }
`}, text: `
func main() {
	wrap.Fold(func(c, x *T) (*T, *T) {
		x.AddInPlace(c) // want HOP102 x
		return c.Clone(), x.Clone()
	}, zero)
	wrap.Each(func(x *T) *T { return x.Zero() }, nil) // want HOP103 operand; HOP301 output=operand
}`},
		{name: "generic wrapper", text: `
func fold[C any](step func(c C, x *T) (C, *T), init C, xs *T) C {
	last, _ := hop.Scan(step, init, xs)
	return last
}
func main() {
	fold(func(c S, x *T) (S, *T) {
		c.H.AddInPlace(x) // want HOP101 carry.H
		return hop.Clone(c), x.Clone()
	}, S{zero, zero}, zero)
}`},
		{name: "all results from one call", text: `
func pair(c, x *T) (*T, *T) { return c.View(2), x }
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		return pair(carry, x) // want HOP301 next carry=carry; HOP301 y=x
	}, zero, zero)
}`},
		{name: "in-place op hands back its receiver", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		h := carry.Clone().AddInPlace(x)
		return h, h.Narrow(0, 0, 1) // want HOP302 next carry=y
	}, zero, zero)
}`},
		{name: "may be a view", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		return carry.Reshape(2), x.Clone() // want HOP301 next carry=carry
	}, zero, zero)
}`},
		{name: "views in a slice", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		parts := carry.Split(0, 1)
		parts[0].AddInPlace(x) // want HOP101 carry
		return carry.Clone(), parts[1] // want HOP301 y=carry
	}, zero, zero)
}`},
		{name: "container of an input", text: `
func main() {
	hop.Scan(func(carry map[string]*T, x *T) (map[string]*T, *T) {
		carry["a"] = x.Clone() // want HOP101 carry[]
		delete(carry, "b")     // want HOP101 carry[]
		return map[string]*T{"a": x.Clone()}, x.Clone()
	}, map[string]*T{"a": zero}, zero)
}`},
		{name: "container made in the body", text: `
func main() {
	hop.Scan(func(carry map[string]*T, x *T) (map[string]*T, *T) {
		next := map[string]*T{}
		for k, v := range carry {
			next[k] = v.Add(x)
		}
		delete(next, "b")
		return next, x.Clone()
	}, map[string]*T{"a": zero}, zero)
}`},
		{name: "copied container keeps its tensors", text: `
func main() {
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) {
		next := append([]*T(nil), carry...)
		next[0] = next[0].Add(x)
		next[1].AddInPlace(x) // want HOP101 carry[]
		return []*T{next[0].Clone(), next[1].Clone()}, x.Clone()
	}, []*T{zero, zero}, zero)
}`},
		{name: "array elements are told apart", text: `
func main() {
	hop.Scan(func(carry [2]*T, x *T) ([2]*T, *T) {
		carry[0] = carry[0].Clone()
		carry[0].AddInPlace(x)
		carry[1].AddInPlace(x) // want HOP101 carry[1]
		return [2]*T{carry[0], carry[1].Clone()}, x.Clone()
	}, [2]*T{zero, zero}, zero)
}`},
		{name: "nested structs", text: `
type layer struct{ W, B *T }
type net struct{ A, Z layer }
func (l *layer) scale(x *T) { l.W.MulInPlace(x) }
func main() {
	hop.Scan(func(carry net, x *T) (net, *T) {
		carry.Z.scale(x) // want HOP101 carry.Z.W
		carry.A.W = carry.A.W.Clone()
		carry.A.scale(x)
		return net{carry.A, layer{carry.Z.W.Clone(), x.Clone()}}, x.Clone() // want HOP301 next carry.A.B=carry.A.B
	}, net{}, zero)
}`},
		{name: "constant condition", text: `
const debug = false
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		if debug {
			carry.AddInPlace(x)
		}
		return carry.Clone(), x.Clone()
	}, zero, zero)
	if debug {
		hop.Scan(func(carry, x *T) (*T, *T) { return carry, x }, zero, zero)
	}
}`},
		{name: "interface with a known type", text: `
type updater interface{ update(t, x *T) }
type adder struct{}
func (adder) update(t, x *T) { t.AddInPlace(x) }
type reader struct{}
func (reader) update(t, x *T) { _ = t.Add(x) }
func main() {
	var u updater = adder{}
	var r updater = reader{}
	hop.Scan(func(carry, x *T) (*T, *T) {
		adder{}.update(carry, x) // want HOP101 carry
		var v updater = reader{}
		v.update(carry, x)
		v = adder{}
		v.update(x, carry) // want HOP102 x
		return carry.Clone(), x.Clone()
	}, zero, zero)
	_, _ = u, r
}`},
		{name: "captured closure that writes what it is given", text: `
func main() {
	update := func(t, by *T) { t.AddInPlace(by) }
	read := func(t, by *T) *T { return t.Add(by) }
	hop.Scan(func(carry, x *T) (*T, *T) {
		update(carry, x) // want HOP101 carry
		return read(carry, x), x.Clone()
	}, zero, zero)
}`},
		{name: "captured closure that writes a captured tensor", text: `
func main() {
	w := zero.Clone()
	update := func(by *T) { w.AddInPlace(by) }
	hop.Scan(func(carry, x *T) (*T, *T) {
		update(x) // want HOP104 captured w
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "captured declared function, recursive literal and literal that returns its argument", text: `
func bump(t *T) { t.Zero() }
func main(b bool) {
	w := zero.Clone()
	f := bump
	var again func(t *T, n int)
	again = func(t *T, n int) {
		if n > 0 {
			again(t, n-1)
		}
		t.NegInPlace()
	}
	same := func(s S) *T { return s.H.View(2) }
	ready := func() *T { return w }
	if b {
		f = func(t *T) {}
	}
	hop.Scan(func(carry S, x *T) (S, *T) {
		f(carry.C)     // want HOP101 carry.C
		again(x, 3)    // want HOP102 x
		return S{same(carry), x.Clone()}, ready() // want HOP301 next carry.H=carry.H; HOP303 y=captured w
	}, S{zero, zero}, zero)
}`},
		{name: "captured literals that keep the contract", text: `
func main() {
	w := zero.Clone()
	scale := func(t *T) *T { return t.Mul(w) }
	own := func(t *T) *T { c := t.Clone(); c.AddInPlace(w); return c }
	hop.Scan(func(carry S, x *T) (S, *T) {
		h := own(carry.H)
		h.AddInPlace(x)
		return S{h, scale(carry.C)}, scale(x)
	}, S{zero, zero}, zero)
}`},
		{name: "requires-grad is no write", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		carry.SetRequiresGrad(true)
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "data hands out the right to write", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		hop.Data[float64](carry)[0] = 1 // want HOP101 carry; HOP501 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "range over a function", text: `
func leaves(s S) func(func(*T) bool) {
	return func(yield func(*T) bool) {
		_ = yield(s.H) && yield(s.C)
	}
}
func main() {
	hop.Scan(func(carry S, x *T) (S, *T) {
		for t := range leaves(carry) {
			t.AddInPlace(x) // want HOP101 carry.H, carry.C
		}
		return hop.Clone(carry), x.Clone()
	}, S{zero, zero}, zero)
}`},
		{name: "several returns", text: `
func main(b bool) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		if b {
			return carry, x.Clone() // want HOP301 next carry=carry
		}
		return carry.Clone(), x // want HOP301 y=x
	}, zero, zero)
}`},
		{name: "three outputs of one tensor", text: `
type three struct{ A, B, C *T }
func main() {
	hop.Map(func(x *T) three {
		a := x.Neg()
		return three{a, a, a} // want HOP302 y.A=y.B, y.A=y.C, y.B=y.C
	}, zero)
}`},
		{name: "carry twice", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		return carry, carry // want HOP302 next carry=y; HOP301 next carry=carry; HOP301 y=carry
	}, zero, zero)
}`},
		{name: "global tensor", text: `
var w = hop.Zeros(hop.Float64, 2)
func bump(x *T) { w.AddInPlace(x) }
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		bump(x) // want HOP104 captured w
		return carry.Clone(), w.View(2) // want HOP303 y=captured w
	}, zero, zero)
}`},
		{name: "nothing known of a parameter body", text: `
func Run(f func(c, x *T) (*T, *T)) { hop.Scan(f, zero, zero) }`},
		{name: "directives that do nothing", text: `
/* want HOP901 */ //hop:mutates q
func f(t *T) { t.Zero() }
/* want HOP901 */ //hop:pure
type u int
//hop:returns fresh
func g(t *T) *T { return t.Clone() }
func h() {
	/* want HOP901 */ //hop:allow mutated-carry -- nothing is mutated here
	//hop:allow unproved-body -- a rule that runs in strict mode only
	/* want HOP901 */ //hop:pure
	f(zero)
}
`},
		{name: "types that are no pytrees", text: `
type counted struct{ T *T; N int }
type hidden struct{ t *T }
type tagged struct{ T *T; N int ` + "`" + `hop:"static"` + "`" + `; h *T ` + "`" + `hop:"-"` + "`" + ` }
type linked struct{ T *T; Next []linked }
func same[P any](p, x P) (P, P) { return hop.Clone(p), hop.Clone(x) }
func main(c counted, h hidden, t tagged, l linked, m map[int]*T, i any) {
	hop.Scan(same[counted], c, c) // want HOP202
	hop.Scan(same[hidden], h, h)  // want HOP202
	hop.Scan(same[tagged], t, t)
	hop.Scan(same[linked], l, l)
	hop.Scan(same[map[int]*T], m, m) // want HOP202
	hop.Scan(same[any], i, i)
	hop.Scan(same[*S], nil, nil)     // want HOP202
	hop.Scan(same[hop.None], hop.None{}, hop.None{})
	hop.Map(func(x *T) counted { return counted{x.Clone(), 1} }, zero) // want HOP202
}`},
		{name: "no body", text: `
func main() { hop.Scan[*T, *T, *T](nil, zero, zero) }`},
	}
}
