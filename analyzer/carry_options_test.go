package analyzer_test

import "testing"

// Options that the call does not spell out leave dtypes and ranks known, and an axis that it does spell out leaves the shape known.
func TestCarryMismatchUnderOptions(t *testing.T) {
	checkPrograms(t, []program{
		{name: "axis", text: `
func main(n int) {
	xs := hop.Ones(hop.Float64, 4, 3, 2)
	hop.Scan(func(c, x *T) (*T, *T) { return c.Add(x), x.Clone() }, hop.Zeros(hop.Float64, 3, 2), xs)
	hop.Scan(func(c, x *T) (*T, *T) { return c.Add(x), x.Clone() }, hop.Zeros(hop.Float64, 4, 2), xs, hop.Axis(1), hop.Reverse())
	hop.Scan(func(c, x *T) (*T, *T) { return c.Add(x), x.Clone() }, hop.Zeros(hop.Float64, 4, 3), xs, hop.Axis(-1))
	hop.Scan(func(c, x *T) (*T, *T) {
		return x.Clone(), x.Clone() // want HOP201
	}, hop.Zeros(hop.Float64, 3, 2), xs, hop.Axis(1))
	hop.Scan(func(c, x *T) (*T, *T) {
		return x.Clone(), x.Clone() // want HOP201
	}, hop.Zeros(hop.Float64, 4, 2), xs, hop.Reverse(), hop.Axis(-1))
	hop.Scan(func(c, x *T) (*T, *T) { return x.Clone(), x.Clone() }, hop.Zeros(hop.Float64, 4, 3), xs, hop.Axis(2))
	hop.Scan(func(c, x *T) (*T, *T) { return x.Clone(), x.Clone() }, hop.Zeros(hop.Float64, 4, 3), xs, hop.Axis(n))
}`},
		{name: "options that are not known", text: `
func run(opts ...hop.Option) {
	xs := hop.Ones(hop.Float64, 4, 3)
	hop.Scan(func(c, x *T) (*T, *T) {
		return x.Unsqueeze(0).Clone(), x.Clone() // want HOP201
	}, hop.Zeros(hop.Float64, 3), xs, opts...)
	hop.Scan(func(c, x *T) (*T, *T) {
		return x.To(hop.Float32).Clone(), x.Clone() // want HOP201
	}, hop.Zeros(hop.Float64, 3), xs, opts...)
	hop.Scan(func(c, x *T) (*T, *T) { return x.Clone(), x.Clone() }, hop.Zeros(hop.Float64, 4), xs, opts...)
	hop.Scan(func(c, x *T) (*T, *T) {
		return x.Clone(), x.Clone() // want HOP201
	}, hop.Zeros(hop.Float64, 4), hop.Ones(hop.Float64, 3, 3), opts...)
	hop.AssociativeScan(func(a, b *T) *T {
		return a.Add(b).To(hop.Float32) // want HOP201
	}, xs, opts...)
	hop.AssociativeScan(func(a, b *T) *T { return a.Add(b) }, xs, opts...)
}
func chosen(o hop.Option) {
	xs := hop.Ones(hop.Float64, 4, 3)
	hop.Scan(func(c, x *T) (*T, *T) {
		return x.Unsqueeze(0).Clone(), x.Clone() // want HOP201
	}, hop.Zeros(hop.Float64, 3), xs, o)
	hop.Scan(func(c, x *T) (*T, *T) { return x.Clone(), x.Clone() }, hop.Zeros(hop.Float64, 4), xs, hop.Stepwise(), o)
}`},
	})
}

// An operator that is called through a value is checked as one that is called by its name.
func TestCarryMismatchThroughValues(t *testing.T) {
	checkPrograms(t, []program{
		{name: "variables and fields", text: `
type scanner = func(func(c, x *T) (*T, *T), *T, *T, ...hop.Option) (*T, *T)
type state struct { Sum *T; N int }
var global = hop.Scan[*T, *T, *T]
type tools struct { scan scanner }
func main(p *T) {
	init, xs := hop.Zeros(hop.Float64, 2), hop.Ones(hop.Float64, 4, 2)
	scan := hop.Scan[*T, *T, *T]
	scan(func(c, x *T) (*T, *T) {
		return c.Unsqueeze(0).Clone(), x.Clone() // want HOP201
	}, init, xs)
	scan(func(c, x *T) (*T, *T) { return c.Add(x), x.Clone() }, init, xs)
	global(func(c, x *T) (*T, *T) {
		return c.To(hop.Float32).Clone(), x.Clone() // want HOP201
	}, init, xs)
	t := tools{hop.Scan[*T, *T, *T]}
	t.scan(func(c, x *T) (*T, *T) {
		return c.Unsqueeze(0).Clone(), x.Clone() // want HOP201
	}, init, xs)
	again := func(f func(c, x *T) (*T, *T)) { scan(f, init, xs) }
	again(func(c, x *T) (*T, *T) {
		return c, x.Clone() // want HOP301 next carry=carry
	})
	choose := hop.Cond[*T, *T]
	choose(hop.Zeros(hop.Float64, 3), func(x *T) *T { return x.Neg() }, func(x *T) *T { return x.Clone() }, init) // want HOP201
	choose(p, func(x *T) *T { return x.Neg() }, func(x *T) *T {
		return x.To(hop.Float32).Clone() // want HOP201
	}, init)
	counted := hop.Scan[state, *T, *T]
	counted(func(c state, x *T) (state, *T) { return state{c.Sum.Add(x), 0}, x.Clone() }, state{}, xs) // want HOP202
}`},
	})
}
