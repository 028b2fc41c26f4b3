// Package helper holds functions that combine functions of other packages call, so that what they do must be seen
// across packages.
package helper

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Scale writes its argument.
func Scale(t *hop.Tensor, by float64) { t.MulScalarInPlace(by) }

// Descend makes a step against a gradient, outside the tape.
func Descend(t, by *hop.Tensor) { t.Detach().SubInPlace(by) }

// Row is its argument as a row.
func Row(t *hop.Tensor) *hop.Tensor { return t.Unsqueeze(0).Clone() }

// Wider is a combine function whose next carry is a row.
func Wider(carry, x *hop.Tensor) (next, y *hop.Tensor) { return Row(carry.Add(x)), x.Clone() }

// Moments are running moments.
type Moments struct{ Mean, Spread *hop.Tensor }

// NewMoments has n of each.
func NewMoments(n int) Moments {
	return Moments{Mean: hop.Zeros(hop.Float64, n), Spread: hop.Zeros(hop.Float64, n)}
}

// Fold scans over xs and changes nothing.
func Fold[S any](init S, xs *hop.Tensor) S {
	last, _ := hop.Scan(func(carry S, x *hop.Tensor) (S, *hop.Tensor) { return hop.Clone(carry), x.Clone() }, init, xs)
	return last
}

// Window is a view of its argument.
func Window(t *hop.Tensor) *hop.Tensor { return t.Narrow(0, 0, 1) }

// Scaled leaves its argument as it is.
//
//hop:pure
//hop:returns fresh
func Scaled(t *hop.Tensor, by float64) *hop.Tensor { return t.MulScalar(by) }

// Apply calls f with t; what that does depends on f.
func Apply(f func(*hop.Tensor), t *hop.Tensor) { f(t) }

// Accumulate is a combine function that writes its carry.
func Accumulate(carry, x *hop.Tensor) (next, y *hop.Tensor) {
	carry.AddInPlace(x)
	return carry.Clone(), carry.Clone()
}

// Log keeps lines.
type Log struct{ Lines []string }

// Note adds a line.
func (l *Log) Note(line string) { l.Lines = append(l.Lines, line) }

// Calls is how often Count was called.
var Calls int

// Count changes the package's state.
func Count() { Calls++ }

// List keeps tensors.
type List struct{ Items []*hop.Tensor }

// Push keeps its argument.
func (l *List) Push(t *hop.Tensor) { l.Items = append(l.Items, t) }

// Second reads the clock.
func Second() float64 { return float64(time.Now().Second()) }

var mu sync.Mutex

// Guarded runs f under a lock.
func Guarded(f func()) {
	mu.Lock()
	defer mu.Unlock()
	f()
}

// Number reads its argument.
func Number(t *hop.Tensor) float64 { return hop.Item[float64](t) }

// Fill puts the values of from into t.
func Fill(t, from *hop.Tensor) { t.CopyFrom(from) }

// Total adds up in place.
type Total struct{ Sum *hop.Tensor }

// Add adds its argument.
func (t *Total) Add(x *hop.Tensor) { t.Sum.AddInPlace(x) }

// Value reads the sum.
func (t Total) Value() float64 { return hop.Item[float64](t.Sum) }

// Dot is computed from both of its arguments.
func Dot(a, b *hop.Tensor) *hop.Tensor { return a.Mul(b).Sum() }

// Normalise divides a vector by its first element, in place.
func Normalise(x []float64) {
	first := x[0]
	for i := range x {
		x[i] /= first
	}
}

// Layer is one step of a model.
type Layer interface {
	// Forward leaves its argument as it is.
	//
	//hop:pure
	Forward(x *hop.Tensor) *hop.Tensor
}

// Run runs a layer.
func Run(l Layer, x *hop.Tensor) *hop.Tensor { return l.Forward(x) }

// Rows is the size of the first dim as a Go number.
func Rows(t *hop.Tensor) int { return t.SymDim(0).Value() }

var rng = rand.New(rand.NewPCG(1, 2))

// Noise draws from a generator that nobody else can reach.
func Noise() float64 { return rng.Float64() }
