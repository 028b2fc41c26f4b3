package kernels

import (
	"testing"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// TestFusedOpsRoundLikeTheirParts: a fused op, its step and its recurrence give the bits of the separate ops.
func TestFusedOpsRoundLikeTheirParts(t *testing.T) {
	for _, c := range []struct {
		op    *Pointwise
		parts func(mul, add, sub func(x, y num) num, x, y, z num) num
	}{
		{&MulAdd, func(mul, add, _ func(x, y num) num, x, y, z num) num { return add(mul(x, y), z) }},
		{&AddMul, func(mul, add, _ func(x, y num) num, x, y, z num) num { return add(x, mul(y, z)) }},
		{&MulSub, func(mul, _, sub func(x, y num) num, x, y, z num) num { return sub(mul(x, y), z) }},
		{&SubMul, func(mul, _, sub func(x, y num) num, x, y, z num) num { return sub(x, mul(y, z)) }},
	} {
		for _, dt := range numbers {
			r := newSource(uint64(dt) + 70)
			mul := func(x, y num) num { return num{x.f * y.f, x.i * y.i}.rounded(dt) }
			add := func(x, y num) num { return num{x.f + y.f, x.i + y.i}.rounded(dt) }
			sub := func(x, y num) num { return num{x.f - y.f, x.i - y.i}.rounded(dt) }
			for range 60 {
				shape := r.shape()
				in := []Array{r.window(dt, r.broadcastable(shape)), r.window(dt, r.broadcastable(shape)), r.window(dt, r.broadcastable(shape))}
				outShape := broadcastOf(in)
				call := Call{In: in, Out: []Array{dirty(dt, outShape...)}}
				if err := c.op.Run(&call); err != nil {
					t.Fatal(err)
				}
				eachIndex(outShape, func(_ int, idx []int) {
					x, y, z := numAt(&in[0], idx), numAt(&in[1], idx), numAt(&in[2], idx)
					got, want := numAt(&call.Out[0], idx), c.parts(mul, add, sub, x, y, z)
					if !agree(got, want, dt, 0) {
						t.Fatalf("%s of %s, %s, %s %s: got %s, want %s", c.op.Op, x.show(dt), y.show(dt), z.show(dt), dt, got.show(dt), want.show(dt))
					}
				})
				code, _ := c.op.CodeFor(dt, dt)
				checkRecur(t, c.op.Op, code, dt, r)
			}
		}
	}
}

func TestRecurrencesEqualRepeatedSteps(t *testing.T) {
	for name, k := range map[string]Kernel{"add": Add, "sub": Sub, "rsub": RSubScalar, "mul": Mul, "div": Div, "maximum": Maximum, "minimum": Minimum} {
		for _, dt := range numbers {
			r := newSource(uint64(dt) + 80)
			for range 60 {
				checkRecur(t, name, &k.Pointwise.Codes[dt], dt, r)
			}
		}
	}
	for _, dt := range numbers {
		checkRecur(t, "blend", &Blend.Codes[dt], dt, newSource(uint64(dt)))
	}
}

// checkRecur compares Recur with Step applied n times.
func checkRecur(t *testing.T, name string, code *Code, dt tracer.DType, r source) {
	t.Helper()
	if code.Recur == nil {
		if dt.IsFloat() {
			t.Fatalf("%s: no recurrence for %s", name, dt)
		}
		return
	}
	n, sb, sc := r.IntN(6), r.IntN(3), r.IntN(3)
	b, c, start := r.window(dt, []int{20}), r.window(dt, []int{20}), r.window(dt, nil)
	b, c = packed(b), packed(c)
	out := dirty(dt, max(n, 1))
	code.Recur(out.Ptr, start.Ptr, b.Ptr, c.Ptr, n, sb, sc)
	at, slot := New(dt), New(dt)
	CopyTo(&slot, &start)
	for i := range n {
		pc := c.Ptr
		if name != "blend" {
			pc = unsafe.Add(c.Ptr, i*sc*dt.Size())
		}
		code.Step(at.Ptr, slot.Ptr, unsafe.Add(b.Ptr, i*sb*dt.Size()), pc)()
		CopyTo(&slot, &at)
		if got, want := numAt(&out, []int{i}), numAt(&at, nil); !agree(got, want, dt, 0) {
			t.Fatalf("%s of %s, element %d of %d (strides %d, %d): got %s, want %s", name, dt, i, n, sb, sc, got.show(dt), want.show(dt))
		}
	}
}

func packed(a Array) Array {
	out := New(a.DType, a.Shape...)
	CopyTo(&out, &a)
	return out
}
