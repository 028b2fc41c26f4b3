package analyzer_test

import (
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// Which values a body may read: those that do not depend on its inputs.
func TestReadCases(t *testing.T) { checkPrograms(t, readCases()) }

func readCases() []program {
	return []program{
		{name: "every reader", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		a := hop.Item[float64](carry)            // want HOP501 carry
		b := hop.ItemAt[float64](x, 0)           // want HOP501 x
		c := hop.ToSlice[float64](x)             // want HOP501 x
		for range hop.Values[float64](carry) {}  // want HOP501 carry
		return carry.AddScalar(a + b + c[0]), x.Clone()
	}, zero, zero)
}`},
		{name: "computed values", text: `
func use(float64) {}
func main(w *T) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		s := carry.Add(x).Sum()
		if hop.Item[float64](s) > 0 {            // want HOP501 carry, x
			return s, x.Clone()
		}
		use(hop.Item[float64](carry.Narrow(0, 0, 1))) // want HOP501 carry
		use(hop.Item[float64](x.Detach().Exp()))      // want HOP501 x
		use(hop.Item[float64](w.Mul(x)))              // want HOP501 x
		use(hop.Item[float64](hop.Stack(0, w, x)))    // want HOP501 x
		use(hop.Item[float64](hop.Where(x.Lt(w), w, w))) // want HOP501 x
		v, _ := carry.TopK(0, 1)
		use(hop.Item[float64](v))                     // want HOP501 carry
		use(hop.Item[float64](carry.Split(0, 1)[0]))  // want HOP501 carry
		return carry.Add(x), x.Clone()
	}, zero, zero)
}`},
		{name: "captured tensors, shapes and printing", packages: map[string]string{"printer": `package printer
import ("fmt"; "github.com/hoplint/hoplint/runtime/hop")
func Show(t *hop.Tensor) { fmt.Println(t, t.String()) }
`}, text: `
func main(w *T) {
	v := w.Exp()
	hop.Scan(func(carry, x *T) (*T, *T) {
		scale := hop.Item[float64](w) * hop.Item[float64](v.Add(w))
		fresh := hop.Item[float64](hop.Ones(hop.Float64, 2).Sum())
		n := float64(x.Dim(0) + carry.Shape()[0])
		if hop.Item[float64](hop.ZerosLike(carry)) > 0 {
			scale = 2
		}
		printer.Show(carry)
		_ = carry.String()
		return carry.MulScalar(scale * fresh * n), x.Clone()
	}, zero, zero)
}`},
		{name: "through helpers, closures, method values and other packages", packages: map[string]string{"numbers": `package numbers
import "github.com/hoplint/hoplint/runtime/hop"
func Of(t *hop.Tensor) float64 { return hop.Item[float64](t) }
func Scaled(t, by *hop.Tensor) *hop.Tensor { return t.Mul(by) }
func First(t, _ *hop.Tensor) *hop.Tensor { return t.Neg() }
type Gauge interface { Read(t *hop.Tensor) float64 }
type Mean struct{}
func (Mean) Read(t *hop.Tensor) float64 { return Of(t.Sum()) }
`}, text: `
func positive(t *T) bool { return hop.Item[float64](t.Sum()) > 0 }
type meter struct{ t *T }
func (m meter) read() float64 { return hop.Item[float64](m.t) }
func main(w *T) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		positive(carry.Add(w))          // want HOP501 carry
		positive(w)
		numbers.Of(x)                   // want HOP501 x
		numbers.Of(numbers.Scaled(w, x)) // want HOP501 x
		numbers.Of(numbers.First(w, x))
		var g numbers.Gauge = numbers.Mean{}
		g.Read(carry)                   // want HOP501 carry
		g.Read(w)
		read := meter{carry}.read
		read()                          // want HOP501 carry
		meter{w}.read()
		get := func() float64 { return hop.Item[float64](x) } // want HOP501 x
		get()
		return carry.Add(x), x.Clone()
	}, zero, zero)
}`},
		{name: "structs, slices and maps keep values apart", text: `
func use(float64) {}
func main(w *T) {
	hop.Scan(func(carry S, x *T) (S, *T) {
		s := S{H: w, C: carry.C}
		use(hop.Item[float64](s.H))
		use(hop.Item[float64](s.C))              // want HOP501 carry.C
		s.C = w
		use(hop.Item[float64](s.C))
		list := []*T{w, x}
		use(hop.Item[float64](list[0]))
		use(hop.Item[float64](list[1]))          // want HOP501 x
		m := map[string]*T{"w": w, "x": x}
		use(hop.Item[float64](m["w"]))
		use(hop.Item[float64](m["x"]))           // want HOP501 x
		c := hop.Clone(carry)
		use(hop.Item[float64](c.H))              // want HOP501 carry.H
		return hop.Clone(carry), x.Clone()
	}, S{zero, zero}, zero)
}`},
		{name: "every operator", text: `
func use(float64) {}
func read(t *T) *T { return t.MulScalar(hop.Item[float64](t)) } // want HOP501 operand; HOP501 x
func main(p *T) {
	hop.Cond(p, read, func(t *T) *T { return t.Clone() }, zero)
	hop.Map(read, zero)
	hop.WhileLoop(func(c *T) *T {
		use(hop.Item[float64](c)) // want HOP501 carry
		return c.Lt(zero)
	}, func(c *T) *T {
		use(hop.Item[float64](c.Neg())) // want HOP501 carry
		return c.Neg()
	}, zero)
	hop.ForLoop(0, 3, func(i, c *T) *T {
		return c.MulScalar(hop.Item[float64](i)) // want HOP501 index operand
	}, zero)
	hop.AssociativeScan(func(a, b *T) *T {
		return a.MulScalar(hop.Item[float64](b)) // want HOP501 right element
	}, zero)
	hop.Grad(func(t *T) *T {
		use(hop.Item[float64](t)) // want HOP501 operand
		return t.Sum()
	})
}`},
		{name: "an inner operator hands values through", text: `
func use(float64) {}
func main(w *T) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		last, _ := hop.Scan(func(c, v *T) (*T, *T) { return c.Add(v), v.Clone() }, w, x)
		use(hop.Item[float64](last))  // want HOP501 x
		fixed, _ := hop.Scan(func(c, v *T) (*T, *T) { return c.Add(v), v.Clone() }, w, w)
		use(hop.Item[float64](fixed))
		add, _ := hop.Scan(func(c, v *T) (*T, *T) { return c.Add(carry), v.Clone() }, w, w)
		use(hop.Item[float64](add))   // want HOP501 carry
		y := hop.Cond(x, func(t *T) *T { return t.Neg() }, func(t *T) *T { return t.Clone() }, w)
		use(hop.Item[float64](y))     // want HOP501 x
		z := hop.VMap(func(t *T) *T { return t.Neg() })(x)
		use(hop.Item[float64](z))     // want HOP501 x
		hop.Map(func(v *T) *T {
			use(hop.Item[float64](v))      // want HOP501 x
			use(hop.Item[float64](carry))  // want HOP501 carry
			return v.Neg()
		}, w)
		return carry.Add(x), x.Clone()
	}, zero, zero)
}`},
		{name: "filled in place", text: `
func use(float64) {}
func main(w *T) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		buf := hop.Zeros(hop.Float64, 2)
		use(hop.Item[float64](buf))
		before := buf.AddScalar(1)
		window := buf.Narrow(0, 0, 1)
		buf.CopyFrom(x)
		use(hop.Item[float64](buf))              // want HOP501 x
		use(hop.Item[float64](before))
		use(hop.Item[float64](window))           // want HOP501 x
		use(hop.Item[float64](buf.Neg().Sum()))  // want HOP501 x
		sum := hop.Zeros(hop.Float64, 2).AddInPlace(w)
		use(hop.Item[float64](sum))
		sum.MulScalarInPlace(2).AddInPlace(carry)
		use(hop.Item[float64](sum))              // want HOP501 carry
		part := hop.Zeros(hop.Float64, 2)
		part.Narrow(0, 0, 1).CopyFrom(carry.Narrow(0, 0, 1))
		use(hop.Item[float64](part))             // want HOP501 carry
		via := hop.Zeros(hop.Float64, 2)
		via.CopyFrom(buf)
		use(hop.Item[float64](via))              // want HOP501 x
		constant := hop.Zeros(hop.Float64, 2)
		constant.Fill(3)
		constant.Set(1, 0)
		constant.CopyFrom(w)
		use(hop.Item[float64](constant))
		late := hop.Zeros(hop.Float64, 2)
		for range 3 {
			use(hop.Item[float64](late))         // want HOP501 x
			late.AddInPlace(x)
		}
		return carry.Add(x), x.Clone()
	}, zero, zero)
}`},
		{name: "filled in place by helpers, in fields, slices and closures", packages: map[string]string{"fill": `package fill
import "github.com/hoplint/hoplint/runtime/hop"
func From(t, by *hop.Tensor) { t.CopyFrom(by) }
func Both(t, a, b *hop.Tensor) { From(t, a); t.AddInPlace(b) }
func New(from *hop.Tensor) *hop.Tensor { t := hop.ZerosLike(from); From(t, from); return t }
func Fresh(like *hop.Tensor) *hop.Tensor { return hop.ZerosLike(like) }
type Acc struct{ Sum *hop.Tensor; n int }
func (a *Acc) Add(t *hop.Tensor) { a.Sum.AddInPlace(t); a.n++ }
func (a *Acc) Keep(t *hop.Tensor) { a.Sum = t.Neg() }
func (a Acc) Value() float64 { return hop.Item[float64](a.Sum) }
func Peek(t *hop.Tensor) float64 { return hop.Item[float64](t) }
`}, text: `
func use(float64) {}
func first(list []*T) float64 { return hop.Item[float64](list[0]) }
func main(w *T) {
	hop.Scan(func(carry S, x *T) (S, *T) {
		a, b := hop.Zeros(hop.Float64, 2), hop.Zeros(hop.Float64, 2)
		fill.From(a, x)
		use(hop.Item[float64](a))               // want HOP501 x
		fill.Both(b, carry.H, carry.C)
		fill.Peek(b)                            // want HOP501 carry.H, carry.C
		fill.Peek(fill.New(x))                  // want HOP501 x
		fill.Peek(fill.Fresh(x))
		fill.Peek(fill.New(w))
		acc := &fill.Acc{Sum: hop.Zeros(hop.Float64, 2)}
		acc.Value()
		acc.Add(w)
		acc.Value()
		acc.Add(x)
		acc.Value()                             // want HOP501 x
		kept := &fill.Acc{}
		kept.Keep(carry.H)
		kept.Value()                            // want HOP501 carry.H
		s := S{H: hop.Zeros(hop.Float64, 2), C: hop.Zeros(hop.Float64, 2)}
		s.H.AddInPlace(x)
		use(hop.Item[float64](s.H))             // want HOP501 x
		use(hop.Item[float64](s.C))
		list := []*T{hop.Zeros(hop.Float64, 2), hop.Zeros(hop.Float64, 2)}
		list[0].AddInPlace(carry.C)
		first(list)                             // want HOP501 carry.C
		use(hop.Item[float64](list[1]))
		c := hop.Zeros(hop.Float64, 2)
		add := func(t *T) { c.AddInPlace(t) }
		add(w)
		use(hop.Item[float64](c))
		add(x)
		use(hop.Item[float64](c))               // want HOP501 x
		d := hop.Zeros(hop.Float64, 2)
		hop.Scan(func(c, v *T) (*T, *T) {
			d.AddInPlace(v)                     // want HOP104 captured d
			return c.Add(v), v.Clone()
		}, w, x)
		use(hop.Item[float64](d))               // want HOP501 x
		return hop.Clone(carry), x.Clone()
	}, S{zero, zero}, zero)
}`},
		{name: "R29 step by step, and what runs around the operator", text: `
func main(xs *T) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		if hop.Item[float64](carry) > 0 {
			return x.Neg(), x.Clone()
		}
		return carry.Add(x), x.Clone()
	}, zero, xs, hop.Stepwise())
	last, ys := hop.Scan(func(carry, x *T) (*T, *T) { return carry.Add(x), x.Clone() }, zero, xs)
	println(hop.Item[float64](last), len(hop.ToSlice[float64](ys)))
}`},
		{name: "suppressed", text: `
func use(float64) {}
func main() {
	hop.Map(func(x *T) *T {
		//hop:allow data-dependent-control-flow -- refused at run time, and meant to be
		use(hop.Item[float64](x))
		return x.Neg()
	}, zero)
}`},
	}
}

// Statements that do nothing.
func TestDiscardedResults(t *testing.T) { checkPrograms(t, discardedCases()) }

func discardedCases() []program {
	return []program{
		{name: "statements", text: `
func main(w, x *T, list []*T) {
	w.Add(x)            // want HOP503
	(w.Mul(x))          // want HOP503
	w.Add(x).Neg()      // want HOP503
	list[0].Exp()       // want HOP503
	defer w.Sum()       // want HOP503
	hop.Clone(w)        // want HOP503
	hop.Stack(0, w, x)  // want HOP503
	w.Reshape(2)        // want HOP503
	hop.Item[float64](w) // want HOP503
	hop.Map(func(v *T) *T {
		v.Add(w) // want HOP503
		return v.Neg()
	}, x)
}`},
		{name: "what is not meant", packages: map[string]string{"testing2": `package testing2
import ("testing"; "github.com/hoplint/hoplint/runtime/hop")
func Draw(rng *hop.Rng) { hop.Rand(rng, hop.Float64, 2) }
func BenchmarkAdd(b *testing.B) { x := hop.Ones(hop.Float64, 2); for b.Loop() { x.Add(x) } }
`}, text: `
func work(t *T) *T { println("work"); return t.Clone() }
func main(w, x *T) {
	w.AddInPlace(x)
	w.AddInPlace(x).MulInPlace(x)
	w.CopyFrom(x)
	_ = w.Add(x)
	y := w.Add(x)
	y.Backward()
	w.SetRequiresGrad(true)
	work(w)
	hop.Scan(func(c, v *T) (*T, *T) { return c.Add(v), v.Clone() }, w, x)
	f := hop.Compile(func(v *T) *T { return v.Neg() })
	f(w)
	hop.Try(func() { w.Add(x) })
	testing2.Draw(nil)
}`},
		{name: "directives of other functions", packages: map[string]string{"decl": `package decl
import "github.com/hoplint/hoplint/runtime/hop"
//hop:pure
func Norm(t *hop.Tensor) float64 { return 1 }
//hop:returns fresh
func Double(t *hop.Tensor) *hop.Tensor { return t.Add(t) }
//hop:returns fresh
func Told(t *hop.Tensor) *hop.Tensor { println("told"); return t.Add(t) }
//hop:body f(x)
//hop:returns fresh
func Each(f func(x *hop.Tensor) *hop.Tensor) *hop.Tensor { return hop.Map(f, nil) }
type Layer interface {
	//hop:pure
	Size() int
}
func Plain(t *hop.Tensor) *hop.Tensor { return t.Add(t) }
`}, text: `
func main(w *T, l decl.Layer) {
	decl.Norm(w)   // want HOP503
	decl.Double(w) // want HOP503
	l.Size()       // want HOP503
	decl.Told(w)
	decl.Plain(w)
	decl.Each(func(x *T) *T { return x.Neg() })
}`},
	}
}

func TestDiscardedResultFixes(t *testing.T) {
	checkFixes(t, []fixCase{
		{"a parameter that is returned", `carry.Add(x)
		return carry.Neg(), x.Clone()`, `carry = carry.Add(x)
		return carry.Neg(), x.Clone()`},
		{"a local variable in a loop", `sum := x.Clone()
		for range 3 {
			println(sum.Dim(0))
			sum.Add(x)
		}
		return carry.Neg(), x.Clone()`, `sum := x.Clone()
		for range 3 {
			println(sum.Dim(0))
			sum = sum.Add(x)
		}
		return carry.Neg(), x.Clone()`},
		{"another function's variable", `zero.Add(x)
		f := func() { carry.Add(x) }
		f()
		return carry.Neg(), x.Clone()`, `zero.Add(x)
		f := func() { carry.Add(x) }
		f()
		return carry.Neg(), x.Clone()`},
		{"nobody would use it", `y := carry.Neg()
		y.Add(x)
		return carry.Neg(), x.Clone()`, `y := carry.Neg()
		y.Add(x)
		return carry.Neg(), x.Clone()`},
	})
}

// Symbolic integers whose value is asked for.
var fixedDimensionPrograms = []program{
	{name: "direct and through a helper", text: `
func size(t *T) int { return t.SymDim(0).Value() }
func main(x *T) {
	hop.Map(func(x *T) *T {
		n := x.SymDim(0).Value() // want HOP502
		return x.MulScalar(float64(n + size(x))) // want HOP502
	}, zero)
	hop.Map(func(x *T) *T { return x.MulScalar(float64(x.SymDim(0).Value())) }, zero, hop.Stepwise())
	println(size(x))
}`},
	{name: "arithmetic keeps it open", text: `
func main() {
	hop.Map(func(x *T) *T {
		n := x.SymDim(0)
		_ = n.Mul(n)
		return x.Neg()
	}, zero)
}`},
}

func TestFixedDimensionsAreToldOnDemand(t *testing.T) {
	switchOn(t, "info")
	checkPrograms(t, fixedDimensionPrograms)
}

func TestWithoutInfoFixedDimensionsAreSilent(t *testing.T) {
	for _, found := range inspectPrograms(t, analyzer.Analyzer, fixedDimensionPrograms) {
		t.Errorf("got %s, want nothing", strings.Join(found, "; "))
	}
}
