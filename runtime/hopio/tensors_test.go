package hopio

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/runtime/hop"
)

var dtypes = []hop.DType{hop.Bool, hop.Int32, hop.Int64, hop.Float32, hop.Float64}

// fromBits returns a contiguous tensor of a dtype whose elements come from a source of bits, NaNs with payload and
// negative zeros included.
func fromBits(dt hop.DType, dims []int, next func() uint64) *hop.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	switch dt {
	case hop.Bool:
		return made(n, dims, func() bool { return next()&1 == 1 })
	case hop.Int32:
		return made(n, dims, func() int32 { return int32(next()) })
	case hop.Int64:
		return made(n, dims, func() int64 { return int64(next()) })
	case hop.Float32:
		return made(n, dims, func() float32 { return math.Float32frombits(uint32(next())) })
	default:
		return made(n, dims, func() float64 { return math.Float64frombits(next()) })
	}
}

func made[T hop.Elem](n int, dims []int, next func() T) *hop.Tensor {
	data := make([]T, n)
	for i := range data {
		data[i] = next()
	}
	return tensorOf(data, dims)
}

// tensors draws a tensor of any dtype, shape and strides.
func tensors() *rapid.Generator[*hop.Tensor] {
	return rapid.Custom(func(t *rapid.T) *hop.Tensor {
		dt := rapid.SampledFrom(dtypes).Draw(t, "dtype")
		dims := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "dims")
		x := fromBits(dt, dims, func() uint64 { return rapid.Uint64().Draw(t, "bits") })
		for range rapid.IntRange(0, 3).Draw(t, "views") {
			if x.Rank() == 0 {
				break
			}
			d := rapid.IntRange(0, x.Rank()-1).Draw(t, "dim")
			switch rapid.SampledFrom([]string{"transpose", "narrow", "slice", "select", "expand"}).Draw(t, "view") {
			case "transpose":
				x = x.Transpose(d, rapid.IntRange(0, x.Rank()-1).Draw(t, "with"))
			case "narrow":
				start := rapid.IntRange(0, x.Dim(d)).Draw(t, "start")
				x = x.Narrow(d, start, rapid.IntRange(0, x.Dim(d)-start).Draw(t, "length"))
			case "slice":
				x = x.Slice(d, 0, x.Dim(d), rapid.IntRange(1, 3).Draw(t, "step"))
			case "select":
				if x.Dim(d) > 0 {
					x = x.Select(d, x.Dim(d)-1)
				}
			case "expand":
				x = x.Unsqueeze(0).Expand(append([]int{2}, x.Shape()...)...)
			}
		}
		return x
	})
}

// text is everything that makes a tensor the same: dtype, shape and the bits of the elements.
func text(t *hop.Tensor) string {
	if t == nil {
		return "nil"
	}
	return fmt.Sprintf("%s %x", describe(t), elementBytes(t))
}

func wantSame(t interface {
	Helper()
	Fatalf(string, ...any)
}, what string, got, want *hop.Tensor) {
	t.Helper()
	if g, w := text(got), text(want); g != w {
		t.Fatalf("%s:\n got %s\nwant %s", what, g, w)
	}
	if !got.IsContiguous() {
		t.Fatalf("%s: got strides %v for shape %v, want a contiguous tensor", what, got.Strides(), got.Shape())
	}
}

// wantError checks that an error is an *Error that says each part.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if _, ok := errors.AsType[*Error](err); !ok {
		t.Fatalf("got error %v of type %T, want an *Error", err, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got error\n%s\nwant it to say\n%s", err, part)
		}
	}
}

// written returns what f writes.
func written(t interface{ Fatal(...any) }, f func(w *bytes.Buffer) error) []byte {
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// traced runs f in a traced body, on a tensor without elements.
func traced(f func(x *hop.Tensor)) {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, hop.None) {
		f(x)
		return carry.Add(x), hop.None{}
	}, hop.Scalar(0.0), hop.FromSlice([]float64{1, 2}))
}
