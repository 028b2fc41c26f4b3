package hop

import (
	"fmt"
	"math"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// Independent references: every op once more, as naive loops over nested indices, without strides, kernels or shape
// rules. Elements are float64, in which all sampled integers are exact.

// ref is a tensor for references.
type ref struct {
	dt    DType
	shape []int
	v     []float64 // row-major
}

// refCall is one call of a reference.
type refCall struct {
	args  []ref
	attrs tracer.Attrs // as the user gave them
}

func refOf(t *Tensor) ref {
	r := ref{dt: t.DType(), shape: t.Shape()}
	t.offsets(func(at int) bool {
		r.v = append(r.v, t.float(at))
		return true
	})
	return r
}

// float reads one element as a float64.
func (t *Tensor) float(at int) float64 {
	switch t.storage.dtype {
	case Bool:
		if elems[bool](t.storage, at, 1)[0] {
			return 1
		}
		return 0
	case Int32:
		return float64(elems[int32](t.storage, at, 1)[0])
	case Int64:
		return float64(elems[int64](t.storage, at, 1)[0])
	case Float32:
		return float64(elems[float32](t.storage, at, 1)[0])
	default:
		return elems[float64](t.storage, at, 1)[0]
	}
}

func refArgs(s sample) refCall {
	c := refCall{attrs: s.attrs}
	for _, a := range s.args {
		c.args = append(c.args, refOf(a))
	}
	return c
}

// diffRef describes the first difference, or is empty.
func diffRef(got, want ref, tolerance float64) string {
	if got.dt != want.dt || !slices.Equal(got.shape, want.shape) || len(got.v) != len(want.v) {
		return fmt.Sprintf("got %s%v, want %s%v", got.dt, got.shape, want.dt, want.shape)
	}
	for i := range got.v {
		x, y := got.v[i], want.v[i]
		if x == y || x != x && y != y || math.Abs(x-y) <= tolerance*max(1, math.Abs(y)) {
			continue
		}
		return fmt.Sprintf("element %d is %v, want %v\ngot  %v\nwant %v", i, x, y, got.v, want.v)
	}
	return ""
}

// indices lists all indices of a shape in row-major order.
func indices(shape []int) [][]int {
	all := [][]int{{}}
	for _, n := range shape {
		var next [][]int
		for _, prefix := range all {
			for i := range n {
				next = append(next, append(slices.Clone(prefix), i))
			}
		}
		all = next
	}
	return all
}

// at reads the element at an index, which may have more dims than r: NumPy's broadcasting.
func (r ref) at(index []int) float64 {
	index = index[len(index)-len(r.shape):]
	pos := 0
	for d, n := range r.shape {
		i := index[d]
		if n == 1 {
			i = 0
		}
		pos = pos*n + i
	}
	return r.v[pos]
}

func build(dt DType, shape []int, f func(index []int) float64) ref {
	r := ref{dt: dt, shape: append([]int{}, shape...)}
	for _, index := range indices(shape) {
		r.v = append(r.v, f(index))
	}
	return r
}

func broadcastRef(args []ref) []int {
	var shape []int
	for _, a := range args {
		for len(shape) < len(a.shape) {
			shape = append([]int{1}, shape...)
		}
	}
	for _, a := range args {
		lead := len(shape) - len(a.shape)
		for d, n := range a.shape {
			if n != 1 {
				shape[lead+d] = n
			}
		}
	}
	return shape
}

type reference = func(c refCall) ref

func map1(f func(x float64) float64) reference {
	return func(c refCall) ref {
		a := c.args[0]
		return build(a.dt, a.shape, func(i []int) float64 { return f(a.at(i)) })
	}
}

func map2(f func(x, y float64) float64) reference {
	return func(c refCall) ref {
		a, b := c.args[0], c.args[1]
		return build(a.dt, broadcastRef(c.args), func(i []int) float64 { return f(a.at(i), b.at(i)) })
	}
}

// scalarRef is map2 with the attribute "value" as the second argument.
func scalarRef(f func(x, y float64) float64) reference {
	return func(c refCall) ref {
		v := c.attrs.Float("value")
		return map1(func(x float64) float64 { return f(x, v) })(c)
	}
}

// asBool gives a reference the dtype bool.
func asBool(f reference) reference {
	return func(c refCall) ref {
		r := f(c)
		r.dt = Bool
		return r
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// exact chooses between the integer and the float form of an operation.
func exact(onInts, onFloats func(x, y float64) float64) func(f func(func(x, y float64) float64) reference) reference {
	return func(f func(func(x, y float64) float64) reference) reference {
		return func(c refCall) ref {
			if c.args[0].dt.IsFloat() {
				return f(onFloats)(c)
			}
			return f(onInts)(c)
		}
	}
}

func floorMod(x, y float64) float64 { return x - y*math.Floor(x/y) }

// bitwise is logic on bools and two's complement on integers, which float64 holds exactly.
func bitwise(f func(x, y int64) int64) reference {
	return map2(func(x, y float64) float64 { return float64(f(int64(x), int64(y))) })
}

// grouped calls f with the elements of each group of a reduction.
func grouped(result func(DType) DType, f func(xs []float64) float64) reference {
	return func(c refCall) ref {
		a, keep := c.args[0], c.attrs.Bool("keepdim")
		reduced := make([]bool, len(a.shape))
		dims := c.attrs.Ints("dims")
		if d, ok := c.attrs.Get("dim").(int); ok {
			dims = []int{d}
		}
		for _, d := range dims {
			reduced[(d+len(a.shape))%len(a.shape)] = true
		}
		if len(dims) == 0 {
			for d := range reduced {
				reduced[d] = true
			}
		}
		var shape, inner []int
		for d, n := range a.shape {
			switch {
			case !reduced[d]:
				shape = append(shape, n)
			case keep:
				shape = append(shape, 1)
			}
			if reduced[d] {
				inner = append(inner, n)
			}
		}
		return build(result(a.dt), shape, func(i []int) float64 {
			var xs []float64
			for _, j := range indices(inner) {
				var full []int
				outer, in := i, j
				for d := range a.shape {
					if reduced[d] {
						full, in = append(full, in[0]), in[1:]
						if keep {
							outer = outer[1:]
						}
					} else {
						full, outer = append(full, outer[0]), outer[1:]
					}
				}
				xs = append(xs, a.at(full))
			}
			return f(xs)
		})
	}
}

// line calls f with each line along "dim" and the place in it.
func line(result func(DType) DType, f func(xs []float64, i int) float64) reference {
	return func(c refCall) ref {
		a := c.args[0]
		d := (c.attrs.Int("dim") + len(a.shape)) % len(a.shape)
		return build(result(a.dt), a.shape, func(index []int) float64 {
			xs := make([]float64, a.shape[d])
			for k := range xs {
				at := slices.Clone(index)
				at[d] = k
				xs[k] = a.at(at)
			}
			return f(xs, index[d])
		})
	}
}

func total(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum
}

func product(xs []float64) float64 {
	p := 1.0
	for _, x := range xs {
		p *= x
	}
	return p
}

func mean(xs []float64) float64 { return total(xs) / float64(len(xs)) }

func best(better func(x, y float64) bool) func(xs []float64) float64 {
	return func(xs []float64) float64 {
		k := 0
		for i := range xs {
			if better(xs[i], xs[k]) {
				k = i
			}
		}
		return float64(k)
	}
}

func softmaxRef(xs []float64, i int) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += math.Exp(x)
	}
	return math.Exp(xs[i]) / sum
}

// picture is a view: the shape of the result and which index of the operand each index shows.
func picture(f func(c refCall, shape []int) (out []int, from func(i []int) []int)) reference {
	return func(c refCall) ref {
		a := c.args[0]
		out, from := f(c, a.shape)
		return build(a.dt, out, func(i []int) float64 { return a.at(from(i)) })
	}
}

func place(d, rank int) int { return (d + rank) % rank }

// rows keeps the elements in their order.
func rows(shape func(c refCall, n int) []int) reference {
	return func(c refCall) ref {
		a := c.args[0]
		r := ref{dt: a.dt, shape: append([]int{}, shape(c, len(a.v))...), v: a.v}
		return r
	}
}

func solved(c refCall, n int) []int {
	dims, known, unknown := slices.Clone(c.attrs.Ints("dims")), 1, -1
	for i, d := range dims {
		if d < 0 {
			unknown = i
		} else {
			known *= d
		}
	}
	if unknown >= 0 {
		dims[unknown] = n / known
	}
	return dims
}

func same(d DType) DType { return d }

func wide(d DType) DType {
	if d.IsFloat() {
		return d
	}
	return Int64
}

func constant(f func(c refCall) float64) reference {
	return func(c refCall) ref {
		return build(c.args[0].dt, c.args[0].shape, func([]int) float64 { return f(c) })
	}
}
