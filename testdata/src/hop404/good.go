package hop404

import (
	"sync"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){aroundIt, ownQueue, stepByStep, oneForEach}

func aroundIt() {
	var mu sync.Mutex
	scales := make(chan float64, 1)
	go func() { scales <- 2 }()
	scale := <-scales
	mu.Lock()
	defer mu.Unlock()
	hop.Map(func(x *hop.Tensor) *hop.Tensor { return x.MulScalar(scale) }, series())
}

func ownQueue() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		queue := make(chan *hop.Tensor, 2)
		queue <- x
		close(queue)
		return (<-queue).Neg()
	}, series())
}

func stepByStep() {
	var mu sync.Mutex
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		mu.Lock()
		defer mu.Unlock()
		return x.Neg()
	}, series(), hop.Stepwise())
}

func oneForEach() {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			hop.Map(func(x *hop.Tensor) *hop.Tensor { return x.Neg() }, series())
		})
	}
	wg.Wait()
}
