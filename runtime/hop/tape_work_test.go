package hop

import "testing"

// The tests of this file bound what the tape does and keeps by counting, not by time.

// backwardWork runs backward from the scalar y and counts nodes and elements.
func backwardWork(y *Tensor) (visited, gathered int) {
	b := newBackward()
	b.add(y.place(), ones(y), true)
	b.run()
	return b.visited, b.gathered
}

// savedElements counts the elements of the storages that y's graph keeps, each once, and its nodes.
func savedElements(y *Tensor) (elements, nodes int) {
	storages, seen := map[*storage]bool{}, map[*tapeNode]bool{}
	todo := []*tapeNode{y.place().node}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n == nil || seen[n] {
			continue
		}
		seen[n] = true
		for _, list := range [][]saved{n.in, n.out} {
			for _, s := range list {
				if s.tensor != nil && !storages[s.tensor.storage] {
					storages[s.tensor.storage] = true
					elements += s.tensor.storage.n
				}
			}
		}
		for _, s := range n.in {
			todo = append(todo, s.next.node)
		}
	}
	return elements, len(seen)
}

func TestDeepGraphsAreLinear(t *testing.T) {
	work := func(n int) (visited, gathered int) {
		x := Scalar(1.0).SetRequiresGrad(true)
		y := x
		for range n {
			y = y.AddScalar(1)
		}
		visited, gathered = backwardWork(y)
		if got := Item[float64](x.Grad()); got != 1 {
			t.Errorf("%d ops: gradient %v, want 1", n, got)
		}
		return visited, gathered
	}
	if visited, gathered := work(100_000); visited != 100_001 || gathered != 0 {
		t.Errorf("100000 ops: %d nodes visited and %d elements added, want 100001 and 0", visited, gathered)
	}
}

// TestLoopsOverSlicesAreLinear: n reads of slices of one tensor, and n writes of slices of a buffer, cost O(n) elements
// backward, not O(n²).
func TestLoopsOverSlicesAreLinear(t *testing.T) {
	const width = 4
	for _, tc := range []struct {
		name string
		run  func(n int) (loss, leaf *Tensor)
		want func(i int) float64 // gradient of row i
	}{
		{"reading rows", func(n int) (*Tensor, *Tensor) {
			x := Ones(Float64, n, width).SetRequiresGrad(true)
			sum := Scalar(0.0)
			for i := range n {
				sum = sum.Add(x.Select(0, i).MulScalar(float64(i)).Sum())
			}
			return sum, x
		}, func(i int) float64 { return float64(i) }},
		{"writing rows", func(n int) (*Tensor, *Tensor) {
			x := Ones(Float64, n, width).SetRequiresGrad(true)
			buf := Zeros(Float64, n, width)
			for i := range n {
				buf.Select(0, i).CopyFrom(x.Select(0, i).MulScalar(float64(i)))
			}
			return buf.Sum(), x
		}, func(i int) float64 { return float64(i) }},
		{"writing rows from the row before", func(n int) (*Tensor, *Tensor) {
			x := Ones(Float64, n, width).SetRequiresGrad(true)
			buf := Zeros(Float64, n+1, width)
			for i := range n {
				buf.Select(0, i+1).CopyFrom(buf.Select(0, i).Add(x.Select(0, i)))
			}
			return buf.Select(0, n).Sum(), x
		}, func(int) float64 { return 1 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var per [2]float64
			for k, n := range []int{100, 400} {
				loss, leaf := tc.run(n)
				visited, gathered := backwardWork(loss)
				per[k] = float64(visited*width+gathered) / float64(n*width)
				for i := range n {
					if got := ItemAt[float64](leaf.Grad(), i, 1); got != tc.want(i) {
						t.Fatalf("n = %d: gradient of row %d is %v, want %v", n, i, got, tc.want(i))
					}
				}
			}
			if per[1] > 1.1*per[0] {
				t.Errorf("work for one element: %.2f with 100 rows, %.2f with 400; want no growth", per[0], per[1])
			}
		})
	}
}

// TestScansSaveOnlyWhatIsRead is the memory of C22 and C23: a scan keeps its operands, by reference and once, and of
// each step the carries whose values its derivative reads; nothing of what the body computes on the way.
func TestScansSaveOnlyWhatIsRead(t *testing.T) {
	const n, width = 50, 8
	type carry struct{ W, H *Tensor }
	w, h, xs := Ones(Float64, width, width), Ones(Float64, width), Ones(Float64, n, width)
	for _, tc := range []struct {
		name string
		run  func(xs *Tensor) *Tensor
		most int // saved elements
	}{
		{"C22 a sum keeps its operands", func(xs *Tensor) *Tensor {
			c, _ := Scan(func(c, x *Tensor) (*Tensor, None) { return c.Add(x), None{} }, h, xs)
			return c.Sum()
		}, n*width + width},
		{"C22 a product keeps the carries too", func(xs *Tensor) *Tensor {
			c, _ := Scan(func(c, x *Tensor) (*Tensor, None) { return c.Mul(x), None{} }, h, xs)
			return c.Sum()
		}, 2*n*width + width},
		{"C23 weights in the carry are kept once", func(xs *Tensor) *Tensor {
			c, _ := Scan(func(c carry, x *Tensor) (carry, None) { return carry{c.W.Clone(), c.W.MatMul(c.H).Add(x)}, None{} }, carry{w, h}, xs)
			return c.H.Sum()
		}, width*width + width + n*width},
		{"captured weights are kept once", func(xs *Tensor) *Tensor {
			c, _ := Scan(func(c, x *Tensor) (*Tensor, None) { return w.MatMul(c).Add(x), None{} }, h, xs)
			return c.Sum()
		}, width*width + width + n*width},
		{"a checkpoint keeps operands", func(xs *Tensor) *Tensor {
			f := Checkpoint(func(x *Tensor) *Tensor { return x.Sin().Exp().Tanh().Mul(x) })
			return f(xs).Sum()
		}, n * width},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, nodes := savedElements(tc.run(xs.Clone().SetRequiresGrad(true))); got > tc.most {
				t.Errorf("%d nodes keep %d elements, want at most %d", nodes, got, tc.most)
			}
		})
	}
}

// TestNestedRunsStayWithinTheirFunction: a derivative inside does not visit what its operands were made from.
func TestNestedRunsStayWithinTheirFunction(t *testing.T) {
	x := Scalar(1.0).SetRequiresGrad(true)
	y := x
	for range 1000 {
		y = y.MulScalar(1)
	}
	l := &linear{since: nextStamp()}
	list := []*Tensor{Scalar(2.0)}
	l.ins = leads(list)
	z := list[0].Mul(y)
	b := newBackward()
	b.since, b.retain, b.ends = l.since, true, map[*tapeNode]gradient{l.ins[0].tape.node: {}}
	b.add(z.place(), ones(z), true)
	b.run()
	if b.visited != 2 || x.Grad() != nil {
		t.Errorf("visited %d nodes and left %v in the outer leaf; want 2 and nil", b.visited, x.Grad())
	}
}
