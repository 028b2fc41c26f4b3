package hop403

import (
	"fmt"
	"log"
	"math/rand/v2"
	"time"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){handedIn, keys, ownGenerator, printing, durations, stepByStep}

func handedIn() {
	now := hop.Scalar(float64(time.Now().Second()))
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Add(now), x.Clone()
	}, zeros(), series())
}

func keys() {
	type state struct{ Sum, Key *hop.Tensor }
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		keys := hop.SplitKey(carry.Key, 2)
		noise := hop.Normal(keys[0], hop.Float64, 2)
		return state{carry.Sum.Add(noise), keys[1].Clone()}, x.Clone()
	}, state{zeros(), hop.NewKey(1)}, series())
}

func ownGenerator() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		rng := rand.New(rand.NewPCG(1, 2))
		return x.MulScalar(rng.Float64())
	}, series())
}

func printing() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		_ = fmt.Sprint(x)
		log.New(nowhere{}, "", 0).Print("step")
		return x.Neg()
	}, series())
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

func durations() {
	limit := 3 * time.Second
	hop.Map(func(x *hop.Tensor) *hop.Tensor { return x.MulScalar(limit.Seconds()) }, series())
}

func stepByStep() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor { return x.MulScalar(rand.Float64()) }, series(), hop.Stepwise())
}
