package hop_test

import (
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// A division of integers by zero says where it stands, what is divided, and how to keep the divisor from 0: as a number, as
// a size, in a branch that is taken, from data, and outside of traces.
func TestIntDivisionByZero(t *testing.T) {
	type args struct {
		X T
		K hop.Int
	}
	number := func(a args) T { return a.X.MulSym(a.X.SymDim(0).Div(a.K)) }
	rest := func(a args) T { return a.X.MulSym(a.X.SymDim(0).Mod(a.K)) }
	size := func(a args) T { return hop.ZerosSym(hop.Float64, a.X.SymDim(0).Div(a.K)) }
	part := func(a args) T { return a.X.NarrowSym(0, hop.IntOf(0), a.X.SymDim(0).Div(a.K)).Clone() }
	branch := func(a args) T {
		return hop.Cond(a.X.Sum().GtScalar(0), func(a args) T { return a.X.MulSym(a.X.SymDim(0).Div(a.K)) }, func(a args) T { return a.X.Neg() }, a)
	}
	data := func(a args) T { k := a.X.Sum().SymItem(); return a.X.MulSym(a.X.SymDim(0).Div(k)) }
	dataSize := func(a args) T { k := a.X.Sum().SymItem(); return hop.OnesSym(hop.Float64, a.X.SymDim(0).Mod(k)) }
	ones, none := ones(8), hop.Zeros(hop.Float64, 8)
	div := []string{"int_division_test.go:", "8 divided by zero", "Max(hop.IntOf(1))"}
	mod := []string{"int_division_test.go:", "remainder of 8 by zero", "Max(hop.IntOf(1))"}
	for _, tc := range []struct {
		name string
		f    func(args) T
		ok   args
		bad  args
		want []string
	}{
		{"number", number, args{ones, hop.IntOf(2)}, args{ones, hop.IntOf(0)}, append(div, "Div: ")},
		{"rest", rest, args{ones, hop.IntOf(3)}, args{ones, hop.IntOf(0)}, append(mod, "Mod: ")},
		{"size", size, args{ones, hop.IntOf(2)}, args{ones, hop.IntOf(0)}, div},
		{"part", part, args{ones, hop.IntOf(2)}, args{ones, hop.IntOf(0)}, div},
		{"branch", branch, args{ones, hop.IntOf(2)}, args{ones, hop.IntOf(0)}, append(div, "Div: ", "cond")},
		{"data", data, args{ones, hop.IntOf(2)}, args{none, hop.IntOf(2)}, append(div, "Div: ")},
		{"size of data", dataSize, args{ones.MulScalar(5), hop.IntOf(2)}, args{none, hop.IntOf(2)}, mod},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := dynamic(t, tc.f, tc.ok, hop.DynamicDims())
			want := tc.f(tc.ok)
			check(t, "result", call(t, p, tc.ok), want.Shape(), numbers(want)...)
			_, err := p.Call(tc.bad)
			says(t, err, tc.want...)
			says(t, hop.Try(func() { tc.f(tc.bad) }), tc.want...)
		})
	}
	p := dynamic(t, branch, args{ones, hop.IntOf(2)}, hop.DynamicDims())
	check(t, "the other branch", call(t, p, args{ones.Neg(), hop.IntOf(0)}), []int{8}, 1, 1, 1, 1, 1, 1, 1, 1)
}
