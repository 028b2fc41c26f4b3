package hop_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hoplint/hoplint/runtime/hop"
)

func numbered(rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			m.Set(i, j, float64(10*i+j))
		}
	}
	return m
}

// TestFromMatrixCopiesEveryKindOfMatrix compares with At, element by element.
func TestFromMatrixCopiesEveryKindOfMatrix(t *testing.T) {
	big := numbered(4, 5)
	part := big.Slice(1, 3, 2, 5)
	for _, test := range []struct {
		name string
		m    mat.Matrix
	}{
		{"dense", big},
		{"slice with a stride", part},
		{"transposed", big.T()},
		{"transposed slice", part.T()},
		{"transposed twice", part.T().T()},
		{"symmetric, of which one triangle is stored", mat.NewSymDense(3, []float64{1, 2, 3, 0, 4, 5, 0, 0, 6})},
		{"slice of a symmetric", mat.NewSymDense(3, []float64{1, 2, 3, 0, 4, 5, 0, 0, 6}).SliceSym(1, 3)},
		{"triangular", mat.NewTriDense(2, mat.Lower, []float64{1, 9, 2, 3})},
		{"transposed triangular", mat.NewTriDense(2, mat.Lower, []float64{1, 9, 2, 3}).T()},
		{"diagonal", mat.NewDiagDense(2, []float64{1, 2})},
		{"band", mat.NewBandDense(3, 3, 1, 0, []float64{9, 1, 2, 3, 4, 5})},
		{"vector", mat.NewVecDense(3, []float64{1, 2, 3})},
		{"column of a matrix", big.ColView(1)},
		{"transposed vector", mat.NewVecDense(2, []float64{1, 2}).T()},
		{"empty", &mat.Dense{}},
		{"empty transposed", (&mat.Dense{}).T()},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := hop.FromMatrix(test.m)
			rows, cols := test.m.Dims()
			if !slices.Equal(got.Shape(), []int{rows, cols}) || got.DType() != hop.Float64 || !got.IsContiguous() || got.Version() != 0 {
				t.Fatalf("got %+v, want a fresh [%d %d]", got, rows, cols)
			}
			for i := range rows {
				for j := range cols {
					if x, want := hop.ItemAt[float64](got, i, j), test.m.At(i, j); x != want {
						t.Errorf("element %d, %d is %v, want %v", i, j, x, want)
					}
				}
			}
		})
	}
	big.Set(0, 0, -1)
	if got := hop.FromMatrix(big); hop.ItemAt[float64](got, 0, 0) != -1 {
		t.Error("a copy was taken before the call")
	} else if got.Zero(); big.At(0, 0) != -1 {
		t.Error("FromMatrix shares memory")
	}
}

func TestWrapDenseSharesMemoryBothWays(t *testing.T) {
	big := numbered(4, 5)
	part := big.Slice(1, 3, 2, 5).(*mat.Dense)
	x := hop.WrapDense(part)
	if got := x.Strides(); !slices.Equal(got, []int{5, 1}) {
		t.Errorf("strides %v, want [5 1]", got)
	}
	if got := x.String(); got != "[[12 13 14] [22 23 24]]" {
		t.Errorf("got %s", got)
	}
	x.T().Select(0, 1).MulScalarInPlace(-1)
	if big.At(1, 3) != -13 || big.At(2, 3) != -23 || big.At(0, 3) != 3 || big.At(3, 3) != 33 {
		t.Errorf("a write through the tensor is not in the matrix:\n%v", mat.Formatted(big))
	}
	if x.Version() != 1 {
		t.Errorf("version %d, want 1", x.Version())
	}
	part.Set(0, 0, 100)
	if hop.ItemAt[float64](x, 0, 0) != 100 || x.Version() != 1 {
		t.Errorf("a write through the matrix: got %v at version %d, want 100 at 1", x, x.Version())
	}
	if empty := hop.WrapDense(&mat.Dense{}); !slices.Equal(empty.Shape(), []int{0, 0}) {
		t.Errorf("empty: got shape %v", empty.Shape())
	}
}

func TestDenseIsACopyOfAnyLayout(t *testing.T) {
	x := hop.Arange(hop.Float64, 12).View(3, 4)
	for name, v := range map[string]*hop.Tensor{
		"contiguous": x, "transposed": x.T(), "window": x.Narrow(1, 1, 2), "every other column": x.Slice(1, 0, 4, 2),
		"expanded": x.Narrow(0, 1, 1).Expand(3, 4), "leaf": x.Clone().SetRequiresGrad(true), "0 by 0": hop.Zeros(hop.Float64, 0, 0),
	} {
		m := v.Dense()
		if back := hop.FromMatrix(m); back.String() != v.String() || !slices.Equal(back.Shape(), v.Shape()) {
			t.Errorf("%s: %v came back as %v", name, v, back)
		}
		if v.NumElems() > 0 {
			m.Set(0, 0, -1)
			if hop.ItemAt[float64](v, 0, 0) == -1 {
				t.Errorf("%s: Dense shares memory", name)
			}
		}
	}
}

func TestExchangeRefusesWhatGonumHasNot(t *testing.T) {
	for _, test := range []struct {
		name string
		f    func()
		want []string
	}{
		{"nil", func() { hop.FromMatrix(nil) }, []string{"FromMatrix: ", "nil"}},
		{"nil pointer", func() { hop.FromMatrix((*mat.SymDense)(nil)) }, []string{"FromMatrix: ", "nil"}},
		{"nil dense", func() { hop.WrapDense(nil) }, []string{"WrapDense: ", "nil"}},
		{"vector", func() { hop.Zeros(hop.Float64, 3).Dense() }, []string{"Dense: ", "float64[3]", "Unsqueeze"}},
		{"rows without columns", func() { hop.Zeros(hop.Float64, 3, 0).Dense() }, []string{"Dense: ", "float64[3 0]"}},
		{"float32", func() { hop.Zeros(hop.Float32, 1, 1).Dense() }, []string{"Dense: ", "float32", "To(Float64)"}},
	} {
		err := hop.Try(test.f)
		for _, part := range test.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: got %v, want a part %q", test.name, err, part)
			}
		}
	}
}

// TestTensorsAndGonumComputeTheSame goes to gonum and back.
func TestTensorsAndGonumComputeTheSame(t *testing.T) {
	x := hop.Randn(rand.New(rand.NewPCG(1, 2)), hop.Float64, 4, 4)
	var svd mat.SVD
	if !svd.Factorize(x.Dense(), mat.SVDFull) {
		t.Fatal("no decomposition")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	s := hop.FromSlice(svd.Values(nil))
	back := hop.Einsum("ij,j,kj", hop.FromMatrix(&u), s, hop.WrapDense(&v))
	if d := hop.Item[float64](back.Sub(x).Norm()); d > 1e-13 {
		t.Errorf("U·S·Vᵀ differs by %v", d)
	}
}
