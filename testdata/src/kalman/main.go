// Command kalman is the faulty twin of examples/kalman: its combine function writes its inputs and returns windows on
// them.
//
// It estimates the level of the Nile behind its noisy yearly flow with a Kalman filter in matrix form.
//
// The filter is one hop.Scan over the years. The model is a local linear trend; with the slope's variance at zero and
// a slope that starts at zero it is the local level model, whose published figures the program's test reproduces.
//
// Source: Durbin and Koopman, Time Series Analysis by State Space Methods, 2nd ed., chapters 2 and 4.
package main

import (
	"fmt"
	"io"
	"log"
	"math"
	"os"

	"github.com/hoplint/hoplint/examples/data"
	"github.com/hoplint/hoplint/runtime/hop"
)

// State is the filter's knowledge of level and slope before a year's flow is seen.
type State struct {
	Mean       *hop.Tensor // [2]
	Covariance *hop.Tensor // [2, 2]
}

// Step is what the filter reports for each year, with that year's flow taken into account.
type Step struct {
	Level, Variance *hop.Tensor // of the level, []
	LogLikelihood   *hop.Tensor // of the flow given the years before, []
}

// Model is a linear Gaussian state space model with one observation a year.
type Model struct {
	Transition *hop.Tensor // [2, 2]
	Observe    *hop.Tensor // [1, 2]
	Process    *hop.Tensor // covariance of the yearly disturbance, [2, 2]
	Noise      float64     // variance of the measurement
}

// LocalLevel returns the model of a level that wanders with the given variance under measurement noise.
func LocalLevel(noise, wander float64) Model {
	return Model{
		Transition: hop.FromSlice([]float64{1, 1, 0, 1}, 2, 2),
		Observe:    hop.FromSlice([]float64{1, 0}, 1, 2),
		Process:    hop.FromSlice([]float64{wander, 0, 0, 0}, 2, 2),
		Noise:      noise,
	}
}

// Filter is the combine function: update with the year's flow, then predict the next year. The slope is zero, so the
// mean of the next year is that of this one.
func (m Model) Filter(s State, flow *hop.Tensor) (State, Step) {
	h := m.Observe
	miss := flow.SubInPlace(h.MatMul(s.Mean).Reshape())
	cross := s.Covariance.MatMul(h.T())
	variance := h.MatMul(cross).AddScalar(m.Noise)
	gain := cross.Div(variance)
	mean := s.Mean.Add(gain.Flatten().Mul(miss))
	shrink(s.Covariance, gain, h)

	f := variance.Reshape()
	fit := miss.Mul(miss).Div(f).Add(f.Log()).AddScalar(math.Log(2 * math.Pi)).MulScalar(-0.5)

	next := State{
		Mean:       mean,
		Covariance: m.Transition.MatMul(s.Covariance).MatMul(m.Transition.T()).Add(m.Process),
	}
	return next, Step{
		Level:         mean.Select(0, 0),
		Variance:      s.Covariance.Select(0, 0).Select(0, 0),
		LogLikelihood: fit,
	}
}

// shrink takes from a covariance what the observation h told about it.
func shrink(covariance, gain, h *hop.Tensor) {
	covariance.SubInPlace(gain.MatMul(h.MatMul(covariance)))
}

// Run filters the series from a level that is as good as unknown.
func Run(m Model, series []float64) (State, Step) {
	const unknown = 1e7
	init := State{
		Mean:       hop.Zeros(hop.Float64, 2),
		Covariance: hop.FromSlice([]float64{unknown, 0, 0, 0}, 2, 2),
	}
	return hop.Scan(m.Filter, init, hop.FromSlice(series))
}

func run(w io.Writer) error {
	series, err := data.Nile()
	if err != nil {
		return err
	}
	var last State
	var years Step
	if err := hop.Try(func() { last, years = Run(LocalLevel(15099, 1469.1), series.Values) }); err != nil {
		return err
	}
	n := len(series.Values)
	fmt.Fprintf(w, "%d years, %s to %s\n", n, series.Labels[0], series.Labels[n-1])
	for _, year := range []int{0, 28, 50, n - 1} {
		level, variance := hop.ItemAt[float64](years.Level, year), hop.ItemAt[float64](years.Variance, year)
		fmt.Fprintf(w, "%s: flow %4.0f, level %7.2f ± %.2f\n", series.Labels[year], series.Values[year], level, math.Sqrt(variance))
	}
	fmt.Fprintf(w, "next year: %.2f ± %.2f\n", hop.ItemAt[float64](last.Mean, 0),
		math.Sqrt(hop.ItemAt[float64](last.Covariance, 0, 0)+15099))
	fmt.Fprintf(w, "log-likelihood without the first year: %.2f\n", hop.Item[float64](years.LogLikelihood.Narrow(0, 1, n-1).Sum()))
	return nil
}

func main() {
	log.SetFlags(0)
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
