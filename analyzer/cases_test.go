package analyzer_test

import "testing"

// The rows R of the case list that the rules of today decide, each positive and silent where both make sense.
func TestLinterCases(t *testing.T) { checkPrograms(t, linterCases()) }

func linterCases() []program {
	return []program{
		{name: "R1 in-place on carry", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		carry.AddInPlace(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "R2 in-place on a view of carry", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		v := carry.View(2).Narrow(0, 0, 1)
		v.MulInPlace(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "R5 one of two branches clones", text: `
func main(b bool) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		t := carry
		if b {
			t = carry.Clone()
		}
		t.AddInPlace(x) // want HOP101 carry
		return x.Add(carry), x.Clone()
	}, zero, zero)
}`},
		{name: "R6 a clone is written", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		t := carry.Clone()
		t.AddInPlace(x)
		return t, x.Clone()
	}, zero, zero)
}`},
		{name: "R7 same tensor twice", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		s := carry.Add(x)
		return s, s // want HOP302 next carry=y
	}, zero, zero)
}`},
		{name: "R7 tensor and its clone", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		s := carry.Add(x)
		return s, s.Clone()
	}, zero, zero)
}`},
		{name: "R8 carry in a struct field", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		var st S
		st.C = carry
		st.H = x.Clone()
		st.H.AddInPlace(x)
		st.C.AddInPlace(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "R9 carry in a slice", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		ts := []*T{carry, x.Clone()}
		ts[0].AddInPlace(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "R11 method value", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		f := carry.AddInPlace
		f(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "R13 range over carries", text: `
func main() {
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) {
		for _, c := range carry {
			c.AddInPlace(x) // want HOP101 carry[]
		}
		return []*T{carry[0].Clone()}, x.Clone()
	}, []*T{zero}, zero)
}`},
		{name: "R14 deferred write", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		defer carry.Zero() // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "R15 named function", text: `
func step(carry, x *T) (*T, *T) {
	carry.AddInPlace(x) // want HOP101 carry
	return carry.Clone(), x.Clone()
}
func main() { hop.Scan(step, zero, zero) }`},
		{name: "R15 method value with captured receiver", text: `
type model struct{ w *T }
func (m *model) step(carry, x *T) (*T, *T) {
	x.AddInPlace(carry) // want HOP102 x
	m.w.AddInPlace(x)   // want HOP104 captured m.w
	return carry.Clone(), m.w // want HOP303 y=captured m.w
}
func main() {
	m := &model{w: zero.Clone()}
	hop.Scan(m.step, zero, zero)
}`},
		{name: "R15 method of a value receiver", text: `
type model struct{ w *T }
func (m model) step(carry, x *T) (*T, *T) {
	m.w.AddInPlace(x) // want HOP104 captured m.w
	m.w = x.Clone()
	m.w.AddInPlace(x)
	return carry.Clone(), x.Clone()
}
func main() { hop.Scan(model{w: zero.Clone()}.step, zero, zero) }`},
		{name: "R15 method expression", text: `
type acc struct{ H *T }
func (a acc) step(x *T) (acc, *T) {
	a.H.AddInPlace(x) // want HOP101 carry.H
	return acc{a.H.Clone()}, x.Clone()
}
func main() { hop.Scan(acc.step, acc{zero}, zero) }`},
		{name: "R15 variable, assigned on two ways", text: `
func main(b bool) {
	f := func(carry, x *T) (*T, *T) {
		carry.AddInPlace(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}
	if b {
		f = func(carry, x *T) (*T, *T) {
			x.AddInPlace(carry) // want HOP102 x
			return carry.Clone(), x.Clone()
		}
	}
	hop.Scan(f, zero, zero)
}`},
		{name: "R15 package variable", text: `
var step = func(carry, x *T) (*T, *T) {
	carry.AddInPlace(x) // want HOP101 carry
	return carry.Clone(), x.Clone()
}
func main() { hop.Scan(step, zero, zero) }`},
		{name: "R15 generic instantiation", text: `
type number interface{ ~float64 }
func step[N number](carry, x *T) (*T, *T) {
	var n N = 2
	carry.MulScalarInPlace(float64(n)) // want HOP101 carry
	return carry.Clone(), x.Clone()
}
func main() { hop.Scan(step[float64], zero, zero) }`},
		{name: "R15 result of a factory", text: `
func factory(by *T) func(carry, x *T) (*T, *T) {
	return func(carry, x *T) (*T, *T) {
		carry.MulInPlace(by) // want HOP101 carry
		by.AddInPlace(x)     // want HOP104 captured by
		return carry.Clone(), x.Clone()
	}
}
func main() { hop.Scan(factory(zero.Clone()), zero, zero) }`},
		{name: "R15 field of a struct", text: `
type cell struct{ step func(carry, x *T) (*T, *T) }
func main() {
	c := cell{step: func(carry, x *T) (*T, *T) {
		carry.AddInPlace(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}}
	hop.Scan(c.step, zero, zero)
}`},
		{name: "R19 suppressed with a reason", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		//hop:allow mutated-carry -- the test wants it
		carry.AddInPlace(x)
		carry.MulInPlace(x) // want HOP101 carry
		x.AddInPlace(carry) //hop:allow HOP102 -- so does this
		//hop:allow output-aliases-input, outputs-alias -- and these
		return carry, x
	}, zero, zero)
}`},
		{name: "R19 suppressed for a declaration", text: `
//hop:allow mutated-carry -- the test wants it
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		carry.AddInPlace(x)
		x.AddInPlace(carry) // want HOP102 x
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "R19 without a reason", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		/* want HOP901 */ //hop:allow mutated-carry
		carry.AddInPlace(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "R20 helper in another package", packages: map[string]string{"dep20": `package dep20
import "github.com/hoplint/hoplint/runtime/hop"
type Cell struct{ H, C *hop.Tensor }
func Scale(t *hop.Tensor) { scale(t) }
func scale(t *hop.Tensor) { t.MulScalarInPlace(2) }
func Window(t *hop.Tensor) *hop.Tensor { return t.Narrow(0, 0, 1) }
func (c *Cell) Update(x *hop.Tensor) { c.H.AddInPlace(x) }
func Next(c Cell) Cell { return Cell{H: c.H.Clone(), C: c.C} }
func Keep(t *hop.Tensor) *hop.Tensor { return t.Clone() }
func Step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) { carry.AddInPlace(x); return carry.Clone(), x }
`}, text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		dep20.Scale(carry)     // want HOP101 carry
		t := dep20.Keep(carry)
		dep20.Scale(t)
		return t, dep20.Window(x) // want HOP301 y=x
	}, zero, zero)
	hop.Scan(func(carry dep20.Cell, x *T) (dep20.Cell, *T) {
		carry.Update(x)               // want HOP101 carry.H
		return dep20.Next(carry), x.Clone() // want HOP301 next carry.C=carry.C
	}, dep20.Cell{zero, zero}, zero)
	hop.Scan(dep20.Step, zero, zero) // want HOP101 carry; HOP301 y=x
}`},
		{name: "R21 previous and current", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		prev, cur := carry.Clone(), carry.Add(x)
		for range 3 {
			prev, cur = cur, cur.Add(x)
		}
		return prev, cur
	}, zero, zero)
}`},
		{name: "R22 printing, errors and sorting", packages: map[string]string{"dep22": `package dep22
import ("errors"; "fmt"; "log"; "sort"; "slices"; "github.com/hoplint/hoplint/runtime/hop")
func Step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	fmt.Println(carry, x)
	log.Printf("%v", carry)
	var err error
	if errors.Is(err, fmt.Errorf("%v", carry)) { return carry.Clone(), x.Clone() }
	order := []int{2, 1}
	sort.Slice(order, func(i, j int) bool { return order[i] < order[j] })
	slices.Sort(order)
	return carry.Clone(), x.Clone()
}
`}, text: `
func main() { hop.Scan(dep22.Step, zero, zero) }`},
		{name: "R23 one struct under two names", text: `
func mix(a, b *S, x *T) {
	a.H = x
	b.H.AddInPlace(b.C)
}
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		s := S{H: carry.Clone(), C: carry.Clone()}
		mix(&s, &s, x) // want HOP102 x
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "R23 two structs", text: `
func mix(a, b *S, x *T) {
	a.H = x
	b.H.AddInPlace(b.C)
}
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		s, r := S{H: carry.Clone(), C: carry.Clone()}, S{H: carry.Clone(), C: carry.Clone()}
		mix(&s, &r, x)
		return carry.Clone(), r.H
	}, zero, zero)
}`},
		{name: "R24 conditional defer", text: `
func main(b bool) {
	hop.Scan(func(carry, x *T) (next, y *T) {
		next, y = carry, x.Clone()
		if b {
			defer func() { next = next.Clone() }()
		}
		return // want HOP301 next carry=carry
	}, zero, zero)
}`},
		{name: "R24 unconditional defer", text: `
func main() {
	hop.Scan(func(carry, x *T) (next, y *T) {
		next, y = carry, x.Clone()
		defer func() { next = next.Clone() }()
		return
	}, zero, zero)
}`},
		{name: "R25 closure rebinds a field", text: `
func main() {
	hop.Scan(func(carry S, x *T) (S, *T) {
		s := carry
		own := func() { s.H = s.H.Clone() }
		own()
		s.H.AddInPlace(x)
		return S{H: s.H, C: carry.C.Clone()}, x.Clone()
	}, S{zero, zero}, zero)
}`},
		{name: "R26 recursive helper that clones", text: `
func two(t *T, n int) (*T, *T) {
	if n == 0 {
		return t.Clone(), t.Clone()
	}
	a, b := two(t, n-1)
	return b, a
}
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) { return two(carry, 3) }, zero, zero)
}`},
		{name: "R30 part of the state as predicate", text: `
type state struct{ Done, V *T }
func main() {
	hop.WhileLoop(func(s state) *T { return s.Done }, func(s state) state {
		return state{Done: s.Done.Clone(), V: s.V.AddScalar(1)}
	}, state{zero, zero}.clone())
}
func (s state) clone() state { return s }
`},
		{name: "R31 struct and its clone", text: `
func main() {
	hop.Scan(func(carry S, x *T) (S, S) {
		s := S{H: carry.H.Add(x), C: carry.C.Add(x)}
		return s, hop.Clone(s)
	}, S{zero, zero}, zero)
}`},
		{name: "R31 struct twice", text: `
func main() {
	hop.Scan(func(carry S, x *T) (S, S) {
		s := S{H: carry.H.Add(x), C: carry.C.Add(x)}
		return s, s // want HOP302 next carry.H=y.H, next carry.C=y.C
	}, S{zero, zero}, zero)
}`},
	}
}
