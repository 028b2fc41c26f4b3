package analyzer_test

import "testing"

// Paths in findings lead to parts of the pytree that hold tensors.
func TestPathsOfFindingsExist(t *testing.T) {
	checkPrograms(t, []program{
		{name: "MapLeaves returns the leaves that it is given", text: `
type tree struct { A *T; L []*T; M map[string]*T; P S }
func main() {
	hop.Scan(func(carry tree, x *T) (tree, *T) {
		return hop.MapLeaves(func(l ...*T) *T { return l[0] }, carry), x.Clone() // want HOP301 next carry.A=carry.A, next carry.L=carry.L, next carry.M=carry.M, next carry.P.H=carry.P.H, next carry.P.C=carry.P.C
	}, tree{}, zero)
}`},
		{name: "MapLeaves returns one tensor for all leaves", text: `
func main() {
	w := zero.Clone()
	hop.Scan(func(carry S, x *T) (S, *T) {
		return hop.MapLeaves(func(l ...*T) *T { return w }, carry), x.Clone() // want HOP302 next carry.H=next carry.C; HOP303 next carry.H=captured w, next carry.C=captured w
	}, S{zero, zero}, zero)
}`},
		{name: "functions and channels hold no tensor", text: `
type odd struct { H *T; F func(); C chan *T }
func main() {
	hop.Scan(func(carry odd, x *T) (odd, *T) { // want HOP202
		return odd{carry.H.Clone(), carry.F, carry.C}, x.Clone()
	}, odd{}, zero)
}`},
		{name: "a list of what holds no tensor", text: `
type odd struct { H *T; N []int }
func main() {
	hop.Scan(func(carry odd, x *T) (odd, *T) { // want HOP202
		return odd{carry.H.Clone(), carry.N}, x.Clone()
	}, odd{}, zero)
}`},
		{name: "a type that holds itself", text: `
type list struct { H *T; Next []list }
func main() {
	hop.Scan(func(carry list, x *T) (list, *T) {
		return list{carry.H.Clone(), carry.Next}, x.Clone() // want HOP301 next carry.Next=carry.Next
	}, list{}, zero)
}`},
	})
}

// What a generic function gives to an operator is looked at where it gets its type arguments.
func TestTypeArgumentsThatAreNoPytrees(t *testing.T) {
	checkPrograms(t, []program{
		{name: "through functions of this and other packages, methods and literals", packages: map[string]string{"gen": `package gen
import "github.com/hoplint/hoplint/runtime/hop"
type Pair[A any] struct{ L, R A }
func Fold[S, X any](s S, xs X) S {
	out, _ := hop.Scan(func(c S, x X) (S, *hop.Tensor) { return hop.Clone(c), hop.Zeros(hop.Float64) }, s, xs)
	return out
}
func Twice[A any](a A, xs *hop.Tensor) Pair[A] { return Fold(Pair[A]{a, a}, xs) }
type Cell[S any] struct{ init S }
func (c Cell[S]) Run(xs *hop.Tensor) S { return Fold(c.init, xs) }
func Free[S any](s S) S { return s }
`}, text: `
type odd struct { H *T; F func() }
func local[S any](s S) S { return gen.Fold(s, zero) }
func inner[S any](s S) {
	run := func() { hop.Map(func(x S) S { return hop.Clone(x) }, s) }
	run()
}
func main() {
	gen.Fold(3, zero)                   // want HOP202
	gen.Fold(zero, map[int]*T{})        // want HOP202
	gen.Fold(3, odd{})                  // want HOP202; HOP202
	gen.Twice(odd{}, zero)              // want HOP202
	gen.Cell[func()]{}.Run(zero)        // want HOP202
	local(make(chan int))               // want HOP202
	inner(odd{})                        // want HOP202
	gen.Fold(zero, []*T{zero})
	gen.Twice(S{zero, zero}, zero)
	gen.Cell[S]{}.Run(zero)
	gen.Free(3)
	local(map[string]*T{})
	inner(S{zero, zero})
	f := gen.Fold[*T, *T]
	f(zero, zero)
}`},
	})
}
