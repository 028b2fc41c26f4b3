package hop302

import "github.com/hoplint/hoplint/runtime/hop"

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){copied, structCopied, loop, recursive}

func copied() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry.Add(x)
		return next, next.Clone()
	}, zeros(), series())
}

func structCopied() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, state) {
		next := state{Level: carry.Level.Add(x), Trend: carry.Trend.Add(x)}
		return next, hop.Clone(next)
	}, newState(), series())
}

func loop() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		previous, current := carry.Clone(), carry.Add(x)
		for range 3 {
			previous, current = current, current.Add(x)
		}
		return previous, current
	}, zeros(), series())
}

func halves(t *hop.Tensor, depth int) (*hop.Tensor, *hop.Tensor) {
	if depth == 0 {
		return t.Clone(), t.Clone()
	}
	a, b := halves(t, depth-1)
	return b, a
}

func recursive() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return halves(carry.Add(x), 3)
	}, zeros(), series())
}
