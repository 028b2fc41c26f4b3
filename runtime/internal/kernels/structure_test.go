package kernels

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

func TestMatMulEqualsDefinition(t *testing.T) {
	for _, dt := range numbers {
		t.Run(dt.Short(), func(t *testing.T) {
			r := newSource(uint64(dt))
			r.plain = true
			for i := range 150 {
				m, k, n := r.IntN(6), r.IntN(6), r.IntN(6)
				if i%10 == 0 {
					m, k, n = 10+r.IntN(70), 10+r.IntN(30), 10+r.IntN(250)
				}
				batch := r.shape()
				batch = batch[:min(len(batch), 2)]
				if i%10 == 0 {
					batch = nil
				}
				sa, sb := append(r.broadcastable(batch), m, k), append(r.broadcastable(batch), k, n)
				switch r.IntN(8) {
				case 0:
					sa = []int{k}
				case 1:
					sb = []int{k}
				case 2:
					sa, sb = []int{k}, []int{k}
				}
				checkMatMul(t, r.window(dt, sa), r.window(dt, sb), dt)
			}
		})
	}
}

func checkMatMul(t *testing.T, a, b Array, dt tracer.DType) {
	t.Helper()
	wa, wb := a, b
	if len(a.Shape) == 1 {
		wa.Shape, wa.Strides = []int{1, a.Shape[0]}, []int{0, a.Strides[0]}
	}
	if len(b.Shape) == 1 {
		wb.Shape, wb.Strides = []int{b.Shape[0], 1}, []int{b.Strides[0], 0}
	}
	ra, rb := len(wa.Shape), len(wb.Shape)
	batch := broadcastOf([]Array{{Shape: wa.Shape[:ra-2]}, {Shape: wb.Shape[:rb-2]}})
	m, k, n := wa.Shape[ra-2], wa.Shape[ra-1], wb.Shape[rb-1]
	shape := append([]int{}, batch...)
	if len(a.Shape) > 1 {
		shape = append(shape, m)
	}
	if len(b.Shape) > 1 {
		shape = append(shape, n)
	}
	call := Call{In: []Array{a, b}, Out: []Array{dirty(dt, shape...)}}
	if err := MatMul.Run(&call); err != nil {
		t.Fatal(err)
	}
	pos := 0
	eachIndex(append(append([]int{}, batch...), m, n), func(_ int, idx []int) {
		head, i, j := idx[:len(batch)], idx[len(batch)], idx[len(batch)+1]
		var want num
		abs := 0.0
		for l := range k {
			x, y := numAt(&wa, append(append([]int{}, head...), i, l)), numAt(&wb, append(append([]int{}, head...), l, j))
			want.f += x.f * y.f
			want.i += x.i * y.i
			abs += math.Abs(x.f * y.f)
		}
		want = want.rounded(dt)
		got := numOf(unsafe.Add(call.Out[0].Ptr, pos*dt.Size()), dt)
		pos++
		if got.i != want.i || math.Abs(got.f-want.f) > float64(k+1)*unit(dt)*abs*2 {
			t.Fatalf("mat_mul of%s at %v: got %s, want %s", describe(call.In), idx, got.show(dt), want.show(dt))
		}
	})
}

func TestLargeMatMulKeepsNaNAndInf(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, transposed := range []bool{false, true} {
			a, b := New(tracer.Float64, 32, 32), New(tracer.Float64, 32, 32)
			Elems[float64](b)[5*32+7] = bad
			if transposed {
				b.Strides = []int{1, 32}
			}
			call := Call{In: []Array{a, b}, Out: []Array{dirty(tracer.Float64, 32, 32)}}
			if err := MatMul.Run(&call); err != nil {
				t.Fatal(err)
			}
			column := 7
			if transposed {
				column = 5
			}
			for i, got := range Elems[float64](call.Out[0]) {
				if isNaN := got != got; isNaN != (i%32 == column) {
					t.Fatalf("0 x %v (transposed: %v): element %d is %v", bad, transposed, i, got)
				}
			}
		}
	}
}

func TestDotAndOuterEqualDefinition(t *testing.T) {
	for _, dt := range numbers {
		r := newSource(uint64(dt) + 40)
		r.plain = true
		for i := range 60 {
			n := r.IntN(9)
			if i%10 == 0 {
				n = 500
			}
			a, b, c := r.window(dt, []int{n}), r.window(dt, []int{n}), r.window(dt, []int{r.IntN(5)})
			call := Call{In: []Array{a, b}, Out: []Array{dirty(dt)}}
			if err := Dot.Run(&call); err != nil {
				t.Fatal(err)
			}
			var want num
			abs := 0.0
			for i := range n {
				x, y := numAt(&a, []int{i}), numAt(&b, []int{i})
				want = num{want.f + x.f*y.f, want.i + x.i*y.i}
				abs += math.Abs(x.f * y.f)
			}
			if got := numAt(&call.Out[0], nil); got.i != want.rounded(dt).i || math.Abs(got.f-want.f) > 60*unit(dt)*abs {
				t.Fatalf("dot of%s: got %s, want %s", describe(call.In), got.show(dt), want.show(dt))
			}
			outer := Call{In: []Array{a, c}, Out: []Array{dirty(dt, n, c.Shape[0])}}
			if err := Outer.Run(&outer); err != nil {
				t.Fatal(err)
			}
			eachIndex(outer.Out[0].Shape, func(_ int, idx []int) {
				x, y := numAt(&a, idx[:1]), numAt(&c, idx[1:])
				want := num{x.f * y.f, x.i * y.i}.rounded(dt)
				if got := numAt(&outer.Out[0], idx); !agree(got, want, dt, 0) {
					t.Fatalf("outer of%s at %v: got %s, want %s", describe(outer.In), idx, got.show(dt), want.show(dt))
				}
			})
		}
	}
}

// expect compares a window with a function from its index to the index of a base.
func expect(t *testing.T, what string, got, base Array, from func(idx []int) []int) {
	t.Helper()
	eachIndex(got.Shape, func(_ int, idx []int) {
		want := numAt(&base, from(idx))
		if v := numAt(&got, idx); !agree(v, want, base.DType, 0) {
			t.Fatalf("%s of%s at %v: got %s, want %s", what, describe([]Array{base}), idx, v.show(base.DType), want.show(base.DType))
		}
	})
}

func with(idx []int, d, i int) []int {
	out := append([]int{}, idx...)
	out[d] = i
	return out
}

func insert(idx []int, d, i int) []int {
	return append(append(append([]int{}, idx[:d]...), i), idx[d:]...)
}

// views of a [3, 4, 5] base with their index maps; also what put_view writes through.
var viewCases = []struct {
	op    string
	attrs tracer.Attrs
	shape []int
	from  func(idx []int) []int
}{
	{"narrow", attrs("dim", 1, "start", 1, "length", 2), []int{3, 2, 5}, func(idx []int) []int { return with(idx, 1, idx[1]+1) }},
	{"narrow", attrs("dim", 2, "start", 5, "length", 0), []int{3, 4, 0}, func(idx []int) []int { return idx }},
	{"slice", attrs("dim", 2, "start", 1, "stop", 5, "step", 2), []int{3, 4, 2}, func(idx []int) []int { return with(idx, 2, 1+2*idx[2]) }},
	{"slice", attrs("dim", 0, "start", 2, "stop", -1, "step", -1), []int{3, 4, 5}, func(idx []int) []int { return with(idx, 0, 2-idx[0]) }},
	{"select", attrs("dim", 1, "index", 3), []int{3, 5}, func(idx []int) []int { return insert(idx, 1, 3) }},
	{"transpose", attrs("a", 0, "b", 2), []int{5, 4, 3}, func(idx []int) []int { return []int{idx[2], idx[1], idx[0]} }},
	{"permute", attrs("dims", []int{2, 0, 1}), []int{5, 3, 4}, func(idx []int) []int { return []int{idx[1], idx[2], idx[0]} }},
	{"unsqueeze", attrs("dim", 1), []int{3, 1, 4, 5}, func(idx []int) []int { return []int{idx[0], idx[2], idx[3]} }},
	{"diagonal", nil, []int{5, 3}, func(idx []int) []int { return []int{idx[1], idx[1], idx[0]} }},
	{"diagonal", attrs("offset", 1, "a", 1, "b", 2), []int{3, 4}, func(idx []int) []int { return []int{idx[0], idx[1], idx[1] + 1} }},
	{"diagonal", attrs("offset", -1, "a", 0, "b", 1), []int{5, 2}, func(idx []int) []int { return []int{idx[1] + 1, idx[1], idx[0]} }},
	{"detach", nil, []int{3, 4, 5}, func(idx []int) []int { return idx }},
	{"expand", attrs("dims", []int{2, 3, 4, 5}), []int{2, 3, 4, 5}, func(idx []int) []int { return idx[1:] }},
}

func TestViewsAddressTheirBase(t *testing.T) {
	r := newSource(1)
	for _, c := range viewCases {
		for range 10 {
			base := r.window(tracer.Float64, []int{3, 4, 5})
			k, _ := ViewNamed(c.op)
			out := Array{DType: tracer.Float64, Shape: c.shape}
			if !k.View(base, c.attrs, &out) {
				t.Fatalf("%s: no view", c.op)
			}
			expect(t, c.op, out, base, c.from)
		}
	}
}

func TestReshapeViewsExactlyWhereStridesAllowIt(t *testing.T) {
	r := newSource(2)
	views := 0
	for range 2000 {
		shape := r.shape()
		base := r.window(tracer.Int32, shape)
		fresh := r.regroup(NumElems(shape))
		out := Array{DType: tracer.Int32, Shape: fresh}
		ok := View.View(base, nil, &out)
		// A view exists where steps between neighbours in row-major order are linear in the new index.
		var offsets []int
		eachIndex(shape, func(_ int, idx []int) {
			o := 0
			for d, i := range idx {
				o += i * base.Strides[d]
			}
			offsets = append(offsets, o)
		})
		want := linear(offsets, fresh)
		if ok != want {
			t.Fatalf("view of%s as %v: got %v, want %v", describe([]Array{base}), fresh, ok, want)
		}
		if !ok {
			continue
		}
		views++
		eachIndex(fresh, func(i int, idx []int) {
			got := 0
			for d, k := range idx {
				got += k * out.Strides[d]
			}
			if got != offsets[i] {
				t.Fatalf("view of%s as %v strides %v at %v: offset %d, want %d", describe([]Array{base}), fresh, out.Strides, idx, got, offsets[i])
			}
		})
	}
	if views < 200 {
		t.Errorf("only %d of 2000 layouts had a view; the test checks too little", views)
	}
}

// regroup returns a random shape with n elements.
func (r source) regroup(n int) []int {
	shape := []int{}
	for n > 1 {
		f := 1 + r.IntN(n)
		for n%f != 0 {
			f--
		}
		shape = append(shape, f)
		n /= f
		if len(shape) > 5 {
			break
		}
	}
	shape = append(shape, n)
	if n == 1 && r.IntN(2) == 0 {
		shape = shape[:len(shape)-1]
	}
	return shape
}

// linear reports whether offsets in row-major order of shape are a sum of index times stride.
func linear(offsets, shape []int) bool {
	strides := make([]int, len(shape))
	contiguous := ContiguousStrides(shape)
	for d, n := range shape {
		if n > 1 && len(offsets) > 0 {
			strides[d] = offsets[contiguous[d]] - offsets[0]
		}
	}
	ok := true
	eachIndex(shape, func(i int, idx []int) {
		want := offsets[0]
		for d, k := range idx {
			want += k * strides[d]
		}
		ok = ok && offsets[i] == want
	})
	return ok
}

func TestPutViewReplacesTheView(t *testing.T) {
	r := newSource(5)
	for _, dt := range allDTypes {
		for _, c := range viewCases {
			if c.op == "expand" {
				continue // a write through repeated elements is refused before
			}
			base, value := r.window(dt, []int{3, 4, 5}), r.window(dt, c.shape)
			call := Call{In: []Array{base, value}, Out: []Array{dirty(dt, 3, 4, 5)}, Attrs: append(attrs("view", c.op), c.attrs...)}
			if err := PutView.Run(&call); err != nil {
				t.Fatal(err)
			}
			want := Call{In: []Array{base}, Out: []Array{dirty(dt, 3, 4, 5)}}
			_ = Copy.Run(&want)
			eachIndex(c.shape, func(_ int, idx []int) {
				at := c.from(idx)
				pos := (at[0]*4+at[1])*5 + at[2]
				size := dt.Size()
				v := value
				offset := 0
				for d, i := range idx {
					offset += i * v.Strides[d]
				}
				copy(vec[byte](unsafe.Add(want.Out[0].Ptr, pos*size), size), vec[byte](unsafe.Add(v.Ptr, offset*size), size))
			})
			expect(t, "put_view "+c.op, call.Out[0], want.Out[0], func(idx []int) []int { return idx })
		}
	}
	if err := PutView.Run(&Call{In: []Array{New(tracer.Bool), New(tracer.Bool)}, Out: []Array{New(tracer.Bool)}, Attrs: attrs("view", "swirl")}); err == nil {
		t.Error("an unknown view: got no error")
	}
}

func TestConcatStackFlipCopyEqualDefinition(t *testing.T) {
	r := newSource(9)
	for i := range 300 {
		dt := allDTypes[i%5]
		shape := append(r.shape(), 1+r.IntN(3))
		dim := r.IntN(len(shape))
		a := r.window(dt, shape)
		flip := Call{In: []Array{a}, Out: []Array{dirty(dt, shape...)}, Attrs: attrs("dims", []int{dim})}
		copied := Call{In: []Array{a}, Out: []Array{dirty(dt, shape...)}}
		b := r.window(dt, with(shape, dim, r.IntN(4)))
		joined := Call{In: []Array{a, b, a}, Out: []Array{dirty(dt, with(shape, dim, 2*shape[dim]+b.Shape[dim])...)}, Attrs: attrs("dim", dim)}
		c := r.window(dt, shape)
		at := r.IntN(len(shape) + 1)
		stacked := Call{In: []Array{a, c}, Out: []Array{dirty(dt, insert(shape, at, 2)...)}, Attrs: attrs("dim", at)}
		for _, run := range []struct {
			k Kernel
			c *Call
		}{{Flip, &flip}, {Copy, &copied}, {Concat, &joined}, {Stack, &stacked}} {
			if err := run.k.Run(run.c); err != nil {
				t.Fatal(err)
			}
		}
		expect(t, "flip", flip.Out[0], a, func(idx []int) []int { return with(idx, dim, shape[dim]-1-idx[dim]) })
		expect(t, "copy", copied.Out[0], a, func(idx []int) []int { return idx })
		start := 0
		for k, in := range joined.In {
			part := joined.Out[0]
			part.Shape = in.Shape
			if in.NumElems() > 0 {
				part.Ptr = unsafe.Add(part.Ptr, start*part.Strides[dim]*dt.Size())
			}
			expect(t, fmt.Sprintf("concat part %d", k), part, in, func(idx []int) []int { return idx })
			start += in.Shape[dim]
		}
		for k, in := range stacked.In {
			eachIndex(in.Shape, func(_ int, idx []int) {
				got, want := numAt(&stacked.Out[0], insert(idx, at, k)), numAt(&in, idx)
				if !agree(got, want, dt, 0) {
					t.Fatalf("stack at %d of%s at %v: got %s, want %s", at, describe(stacked.In), idx, got.show(dt), want.show(dt))
				}
			})
		}
	}
}

func TestManyDimsThatCannotBeMerged(t *testing.T) {
	const rank = 12
	shape, strides, perm := make([]int, rank), make([]int, rank), make([]int, rank)
	for d := range shape {
		shape[d], strides[d], perm[d] = 2, 1<<d, rank-1-d // reversed order: no two dims merge
	}
	base := New(tracer.Int64, 1<<rank)
	for i := range Elems[int64](base) {
		Elems[int64](base)[i] = int64(i)
	}
	a := Array{Ptr: base.Ptr, DType: tracer.Int64, Shape: shape, Strides: strides}
	neg := Call{In: []Array{a}, Out: []Array{dirty(tracer.Int64, shape...)}}
	copied := Call{In: []Array{a}, Out: []Array{dirty(tracer.Int64, shape...)}}
	sum := Call{In: []Array{a}, Out: []Array{dirty(tracer.Int64)}}
	for _, run := range []struct {
		k Kernel
		c *Call
	}{{Neg, &neg}, {Copy, &copied}, {Sum, &sum}} {
		if err := run.k.Run(run.c); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, "copy", copied.Out[0], a, func(idx []int) []int { return idx })
	eachIndex(shape, func(_ int, idx []int) {
		if got, want := numAt(&neg.Out[0], idx).i, -numAt(&a, idx).i; got != want {
			t.Fatalf("neg at %v: got %d, want %d", idx, got, want)
		}
	})
	if got, want := Elems[int64](sum.Out[0])[0], int64(1<<rank*(1<<rank-1)/2); got != want {
		t.Errorf("sum: got %d, want %d", got, want)
	}
}

// TestKernelsDoNotAllocate runs kernels on layouts that need no walk of more than eight dims.
func TestKernelsDoNotAllocate(t *testing.T) {
	f64, i64, boolean := tracer.Float64, tracer.Int64, tracer.Bool
	x, y := New(f64, 6, 8), Array{Ptr: New(f64, 6, 8).Ptr, DType: f64, Shape: []int{6, 8}, Strides: []int{1, 6}}
	square := New(f64, 8, 8)
	for name, c := range map[string]struct {
		k    Kernel
		call Call
	}{
		"add":         {Add, Call{In: []Array{x, y}, Out: []Array{New(f64, 6, 8)}}},
		"add_scalar":  {AddScalar, Call{In: []Array{y}, Out: []Array{New(f64, 6, 8)}, Attrs: attrs("value", 2.0)}},
		"where":       {Where, Call{In: []Array{New(boolean, 8), x, y}, Out: []Array{New(f64, 6, 8)}}},
		"cast":        {Cast, Call{In: []Array{y}, Out: []Array{New(i64, 6, 8)}}},
		"tanh":        {Tanh, Call{In: []Array{y}, Out: []Array{New(f64, 6, 8)}}},
		"copy":        {Copy, Call{In: []Array{y}, Out: []Array{New(f64, 6, 8)}}},
		"sum":         {Sum, Call{In: []Array{y}, Out: []Array{New(f64, 8)}, Attrs: attrs("dims", []int{0})}},
		"var":         {Var, Call{In: []Array{x}, Out: []Array{New(f64, 6)}, Attrs: attrs("dims", []int{1})}},
		"log_sum_exp": {LogSumExp, Call{In: []Array{x}, Out: []Array{New(f64)}}},
		"arg_max":     {ArgMax, Call{In: []Array{y}, Out: []Array{New(i64, 6)}, Attrs: attrs("dim", 1)}},
		"softmax":     {Softmax, Call{In: []Array{y}, Out: []Array{New(f64, 6, 8)}, Attrs: attrs("dim", 1)}},
		"mat_mul":     {MatMul, Call{In: []Array{x, square}, Out: []Array{New(f64, 6, 8)}}},
		"batched":     {MatMul, Call{In: []Array{New(f64, 3, 6, 8), square}, Out: []Array{New(f64, 3, 6, 8)}}},
		"large":       {MatMul, Call{In: []Array{New(f64, 64, 64), New(f64, 64, 512)}, Out: []Array{New(f64, 64, 512)}}},
		"concat":      {Concat, Call{In: []Array{x, y}, Out: []Array{New(f64, 12, 8)}, Attrs: attrs("dim", 0)}},
		"stack":       {Stack, Call{In: []Array{x, y}, Out: []Array{New(f64, 6, 2, 8)}, Attrs: attrs("dim", 1)}},
		"flip":        {Flip, Call{In: []Array{y}, Out: []Array{New(f64, 6, 8)}, Attrs: attrs("dims", []int{0})}},
	} {
		if got := testing.AllocsPerRun(10, func() { _ = c.k.Run(&c.call) }); got != 0 {
			t.Errorf("%s: %v allocations, want 0", name, got)
		}
	}
}
