package hop_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// TestManyGoroutinesManySizes is case K14 for open sizes: four goroutines for each processor call one program at once,
// with more tuples of sizes than there are plans kept, and with numbers of rows that depend on data. Each gets the bits
// of a call alone.
func TestManyGoroutinesManySizes(t *testing.T) {
	type in struct{ X, W T }
	f := func(i in) in {
		rows := chosen(i.X)
		c, ys := hop.Scan(func(c, x T) (T, T) {
			c = hop.Cond(x.Sum().GtScalar(2), func(c T) T { return c.MulScalar(0.5).Add(x) }, func(c T) T { return c.Sub(x) }, c)
			return c, c.Sin()
		}, i.W.Sum(0), rows)
		open := hop.Map(func(x T) T { return x.Softmax(0) }, i.X.MatMul(i.W.T()))
		return in{hop.Concat(0, ys, i.X), open.Sum(0).Add(c.Sum())}
	}
	argument := func(k int) in {
		n, m := 5+k%12, 5+k/12
		return in{rowsOf(n, k%n), hop.Arange(hop.Float64, 3*m).Reshape(m, 3).MulScalar(0.1)}
	}
	const tuples = 12 * 9
	var want [tuples][]string
	alone := hop.NewCompiled(f, hop.WithDims("X", "n", "3"), hop.WithDims("W", "m", "3"))
	for k := range want {
		y, err := alone.Call(argument(k))
		if err != nil {
			t.Fatal(err)
		}
		want[k] = bitsOf([]T{y.X, y.W})
	}
	together := hop.NewCompiled(f, hop.WithDims("X", "n", "3"), hop.WithDims("W", "m", "3"))
	var group sync.WaitGroup
	for g := range 4 * runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range tuples {
				k := (i*(2*g+1) + 7*g) % tuples // each in an order of its own
				y, err := together.Call(argument(k))
				if err != nil {
					t.Error(err)
					return
				}
				for j, got := range bitsOf([]T{y.X, y.W}) {
					if got != want[k][j] {
						t.Errorf("sizes %d, result %d: got %s, want %s", k, j, got, want[k][j])
						return
					}
				}
			}
		})
	}
	group.Wait()
	if n := len(together.Programs()); n != len(alone.Programs()) {
		t.Errorf("%d programs together, %d alone", n, len(alone.Programs()))
	}
}
