package hop

import "testing"

// TestTracedOpsEqualEagerOnes runs every sample inside a scan of one step, which traces the op and executes its graph.
func TestTracedOpsEqualEagerOnes(t *testing.T) {
	forSamples(t, func(t *testing.T, op *opRow, s sample) {
		want := applyOps(op, s.attrs, s.args...)
		xs := make([]*Tensor, len(s.args))
		for i, a := range s.args {
			xs[i] = a.Unsqueeze(0)
		}
		step := func(c *Tensor, x []*Tensor) (*Tensor, []*Tensor) {
			outs := applyOps(op, s.attrs, x...)
			for i, out := range outs {
				outs[i] = out.Clone()
				if op.DataDependent != "" { // steps of different shapes cannot be stacked
					outs[i] = out.Sum()
				}
			}
			return c.AddScalar(1), outs
		}
		if op.DataDependent != "" {
			for i := range want {
				want[i] = want[i].Sum()
			}
		}
		_, ys := Scan(step, Scalar(0.0), xs)
		for i, y := range ys {
			if d := diffRef(refOf(y.Select(0, 0)), refOf(want[i]), tolerance(s.args)); d != "" {
				t.Errorf("result %d: %s", i, d)
			}
		}
	})
}

// TestTracedWritesEqualEagerOnes does the same for in-place forms, on a window of a tensor made in the body.
func TestTracedWritesEqualEagerOnes(t *testing.T) {
	forSamples(t, func(t *testing.T, op *opRow, s sample) {
		out := applyOp(op, s.attrs, s.args...)
		if op.InPlace == "" || describe(out.meta()) != describe(s.args[0].meta()) {
			return
		}
		want := refOf(Stack(0, out, out, s.args[0]))
		xs := make([]*Tensor, len(s.args))
		for i, a := range s.args {
			xs[i] = a.Unsqueeze(0)
		}
		step := func(c *Tensor, x []*Tensor) (*Tensor, *Tensor) {
			pair := Stack(0, x[0], x[0])
			first := append([]*Tensor{pair.Select(0, 0)}, x[1:]...)
			r := write(idOf(op), s.attrs, first...)
			return c.AddScalar(1), Stack(0, pair.Select(0, 0), r, pair.Select(0, 1))
		}
		_, ys := Scan(step, Scalar(0.0), xs)
		if d := diffRef(refOf(ys.Select(0, 0)), want, tolerance(s.args)); d != "" {
			t.Error(d)
		}
	})
}
