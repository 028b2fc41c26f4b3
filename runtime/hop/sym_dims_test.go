package hop_test

import (
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// What is wrong with names of dims is said in full: leaf, both sizes, and what to write instead.
func TestRefusalsOfNamedDims(t *testing.T) {
	type args struct{ X, Y T }
	sum := func(a args) T { return a.X.Sum().Add(a.Y.Sum()) }
	a := args{ones(3, 4), ones(3)}
	dims := hop.WithDims
	for _, tc := range []struct {
		name string
		opts []hop.TraceOption
		want string
	}{
		{"too few names", []hop.TraceOption{dims("X", "n")},
			`WithDims gives 1 names to the 2 dims of "X", which is float64[3 4]; give one to each, an empty one for a dim that stays fixed`},
		{"too many names", []hop.TraceOption{dims("Y", "n", "m")},
			`WithDims gives 2 names to the 1 dims of "Y", which is float64[3]; give one to each, an empty one for a dim that stays fixed`},
		{"no names", []hop.TraceOption{dims("X")},
			`WithDims gives 0 names to the 2 dims of "X", which is float64[3 4]; give one to each, an empty one for a dim that stays fixed`},
		{"one name for two sizes of a leaf", []hop.TraceOption{dims("X", "n", "n")},
			`WithDims for "X", which is float64[3 4]: the dim n is 3 and 4; one name is one size, so give each size a name of its own`},
		{"one name for sizes of two leaves", []hop.TraceOption{dims("X", "n", "m"), dims("Y", "m")},
			`WithDims for "Y", which is float64[3]: the dim m is 4 and 3; one name is one size, so give each size a name of its own`},
		{"negative", []hop.TraceOption{dims("X", "n", "-3")},
			`WithDims fixes dim 1 of "X" to -3, it is float64[3 4]; give the size that it has, or a name`},
		{"another size", []hop.TraceOption{dims("X", "n", "5")},
			`WithDims fixes dim 1 of "X" to 5, it is float64[3 4]; give the size that it has, or a name`},
		{"no name", []hop.TraceOption{dims("X", "n m", "k")},
			`WithDims for "X", which is float64[3 4]: "n m" is no name for a dim; use letters, digits and _`},
		{"a function", []hop.TraceOption{dims("X", "max", "k")},
			`WithDims for "X", which is float64[3 4]: "max" is no name for a dim; use letters, digits and _`},
		{"no leaf", []hop.TraceOption{dims("", "n", "m")},
			`WithDims names "", which is none of the tensors ".X" and ".Y" of the argument`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := hop.Trace(sum, a, tc.opts...)
			says(t, err, "sym_dims_test.go:", "trace: "+tc.want)
		})
	}

	// Calls with sizes that the names do not allow.
	p := dynamic(t, sum, a, dims("X", "n", ""), dims("Y", "n"))
	for _, tc := range []struct {
		name string
		x    args
		want string
	}{
		{"one name, two sizes", args{ones(2, 4), ones(3)}, "argument.Y is float64[3], example.Y is float64[n], here float64[2] (HOP201)"},
		{"a fixed size", args{ones(2, 5), ones(2)}, "argument.X is float64[2 5], example.X is float64[n 4], here float64[2 4] (HOP201)"},
		{"another rank", args{ones(2, 4, 1), ones(2)}, "argument.X is float64[2 4 1], example.X is float64[n 4], here float64[2 4] (HOP201)"},
		{"another dtype", args{hop.Zeros(hop.Float32, 2, 4), ones(2)}, "argument.X is float32[2 4], example.X is float64[n 4], here float64[2 4] (HOP201)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := p.Call(tc.x)
			says(t, err, "sym_dims_test.go:", tc.want, "trace the function for these types, or use Compile, which does")
		})
	}
	check(t, "no rows", call(t, p, args{hop.Zeros(hop.Float64, 0, 4), hop.Zeros(hop.Float64, 0)}), nil, 0)
	check(t, "one row", call(t, p, args{ones(1, 4), ones(1)}), nil, 5)

	// Sizes 0 and 1 can be named; empty names and the sizes themselves leave dims fixed.
	q := dynamic(t, func(x T) T { return x.Sum() }, ones(0, 1), dims("x", "n", "m"))
	check(t, "from empty", call(t, q, ones(3, 2)), nil, 6)
	fixed := dynamic(t, sum, a, dims("X", "", "4"), dims("Y", "3"))
	if fixed.Graph().IsSymbolic() {
		t.Errorf("dims without names are open:\n%s", fixed.Graph())
	}
}
