package hop

import (
	"errors"
	"slices"
	"testing"
)

// grown returns tensors with every size of 2 or more larger by one: the elements again and again. Equal sizes stay equal, as
// their symbol asks.
func grown(ts []*Tensor) []*Tensor {
	list := make([]*Tensor, len(ts))
	for i, t := range ts {
		dims := t.Shape()
		for d, n := range dims {
			if n >= 2 {
				dims[d]++
			}
		}
		out := newTensor(t.DType(), dims)
		values := refOf(t).v
		for k := range out.count() {
			switch v := values[(k*7+k/len(values))%len(values)]; t.DType() {
			case Bool:
				elems[bool](out.storage, k, 1)[0] = v != 0
			case Int32:
				elems[int32](out.storage, k, 1)[0] = int32(v)
			case Int64:
				elems[int64](out.storage, k, 1)[0] = int64(v)
			default:
				out.put(k, v)
			}
		}
		list[i] = out
	}
	return list
}

// sumOfSines is a number that depends on all floats of ts.
func sumOfSines(ts []*Tensor) *Tensor {
	sum := Scalar(0.0)
	for _, t := range ts {
		if t != nil && t.DType() == Float64 {
			sum = sum.Add(t.Sin().Sum())
		}
	}
	return sum
}

// TestDerivativesOfOpsLeaveSizesOpen traces the first and the second derivative of every op with open sizes. They fix no
// size that the op itself does not fix, and are right for other sizes.
func TestDerivativesOfOpsLeaveSizesOpen(t *testing.T) {
	kept, seen := map[string]int{}, map[string]int{}
	forSamples(t, func(t *testing.T, op *opRow, s sample) {
		isFloat64 := func(t *Tensor) bool { return t.DType() == Float64 }
		empty := func(t *Tensor) bool { return t.count() == 0 }
		if op.VJP == nil || op.Name == "as_strided" || !slices.ContainsFunc(s.args, isFloat64) || slices.ContainsFunc(s.args, empty) {
			return
		}
		if seen[op.Name]++; seen[op.Name] > 3 {
			return
		}
		value := func(x []*Tensor) *Tensor { return sumOfSines(applyOps(op, s.attrs, x...)) }
		first := Grad(value)
		second := Grad(func(x []*Tensor) *Tensor { return sumOfSines(first(x)) })
		fixed := func(f func([]*Tensor) []*Tensor) (*Program[[]*Tensor, []*Tensor], []string) {
			p, err := Trace(f, s.args, DynamicDims())
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Graph().Verify(); err != nil {
				t.Fatalf("%v in\n%s", err, p.Graph())
			}
			var notes []string
			for _, g := range p.Graph().Guards {
				if _, constant := g.Cond.B.Const(); constant && g.Cond.Op == "==" {
					notes = append(notes, g.Cond.String())
				}
			}
			return p, notes
		}
		_, byOp := fixed(func(x []*Tensor) []*Tensor { return []*Tensor{value(x)} })
		for order, f := range []func([]*Tensor) []*Tensor{first, second} {
			p, notes := fixed(f)
			if !slices.Equal(notes, byOp) {
				t.Errorf("derivative %d fixes %v, the op %v\n%s", order+1, notes, byOp, p.Graph())
			}
			for _, x := range [][]*Tensor{s.args, grown(s.args), grown(grown(s.args))} {
				var want []*Tensor
				refused := Try(func() { want = f(x) })
				got, err := p.Call(x)
				if err != nil && (refused != nil || errors.Is(err, ErrGuard)) {
					continue
				}
				if err != nil {
					t.Fatalf("derivative %d: %v", order+1, err)
				}
				if refused != nil {
					t.Fatalf("derivative %d: the program runs, and eager says %v", order+1, refused)
				}
				kept[op.Name]++
				for i, g := range got {
					if g == nil {
						continue
					}
					if d := diffRef(refOf(g), refOf(want[i]), 1e-9); d != "" {
						t.Fatalf("derivative %d, operand %d, sizes %v: %s", order+1, i, shapesOf(x), d)
					}
				}
			}
		}
	})
	for _, op := range opTable {
		if op.VJP != nil && op.Name != "as_strided" && kept[op.Name] < 6 {
			t.Errorf("%s: only %d calls for other sizes", op.Name, kept[op.Name])
		}
	}
}

func shapesOf(ts []*Tensor) (list [][]int) {
	for _, t := range ts {
		list = append(list, t.shape)
	}
	return list
}
