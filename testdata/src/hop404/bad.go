// Package hop404 holds bodies that let other goroutines in or wait for them, and the same programs put right.
package hop404

import (
	"sync"

	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule. The runtime does not see goroutines: it runs each, as long as none of them
// touches a tensor of the trace.
var Bad = []func(){goroutine, lock, readLock, received, selected, rangeOver, waited, throughHelper, otherPackage, inClosure, methodValue,
	deferred}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func goroutine() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		go func() {}() // want `scan: combine function starts a goroutine \(HOP404\); do the concurrent work outside the body`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func lock() {
	var mu sync.Mutex
	scale := 2.0
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		mu.Lock() // want `takes a lock through mu.Lock \(HOP404\)`
		defer mu.Unlock()
		return carry.MulScalar(scale), x.Clone()
	}, zeros(), series())
}

type table struct {
	sync.RWMutex
	scale map[string]float64
}

func (t *table) get(name string) float64 {
	t.RLock()
	defer t.RUnlock()
	return t.scale[name]
}

func readLock() {
	t := &table{scale: map[string]float64{"x": 2}}
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(t.get("x")) // want `map: function takes a lock through t.RLock \(HOP404\)`
	}, series())
}

func received() {
	scales := make(chan float64, 1)
	scales <- 2
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(<-scales) // want `waits on a channel \(HOP404\)`
	}, series())
}

func selected() {
	scales := make(chan float64, 1)
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		select { // want `waits on channels \(HOP404\)`
		case s := <-scales:
			return x.MulScalar(s)
		default:
			return x.Clone()
		}
	}, series())
}

func rangeOver() {
	scales := make(chan float64)
	close(scales)
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		y := x.Clone()
		for s := range scales { // want `waits on a channel \(HOP404\)`
			y = y.MulScalar(s)
		}
		return y
	}, series())
}

func waited() {
	var wg sync.WaitGroup
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		wg.Wait() // want `waits for other goroutines through wg.Wait \(HOP404\)`
		return x.Neg()
	}, series())
}

func start(f func()) { go f() }

func throughHelper() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		start(func() {}) // want `starts a goroutine \(HOP404\)`
		return x.Neg()
	}, series())
}

func otherPackage() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		helper.Guarded(func() {}) // want `takes a lock through helper.Guarded \(HOP404\)`
		return x.Neg()
	}, series())
}

func inClosure() {
	var mu sync.Mutex
	guarded := func(f func()) {
		mu.Lock()
		defer mu.Unlock()
		f()
	}
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		guarded(func() {}) // want `takes a lock through mu.Lock \(HOP404\)`
		return x.Neg()
	}, series())
}

func methodValue() {
	t := &table{scale: map[string]float64{"x": 2}}
	get := t.get
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(get("x")) // want `takes a lock through t.RLock \(HOP404\)`
	}, series())
}

func deferred() {
	var wg sync.WaitGroup
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		defer wg.Wait() // want `waits for other goroutines through wg.Wait \(HOP404\)`
		return x.Neg()
	}, series())
}
