// Command holt smooths a monthly series with Holt's linear method (level and trend) for a whole grid of smoothing
// constants at once, picks the pair with the smallest one-step error and forecasts the next year.
//
// The recurrence is one hop.Scan: the carry is a struct of tensors with one element for each pair of the grid, so 361
// models run side by side.
//
// Source: Holt (1957), reprinted in International Journal of Forecasting 20 (2004), in error-correction form.
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

// State is what the recurrence carries from month to month, one element for each model of the grid.
type State struct {
	Level, Trend *hop.Tensor // [models]
}

// Step is what it reports for each month.
type Step struct {
	Forecast *hop.Tensor // made one month before, [models]
	Squared  *hop.Tensor // squared error of that forecast, [models]
}

// Grid holds the smoothing constants of all models.
type Grid struct {
	Alpha, Beta *hop.Tensor // of level and trend, [models]
}

// NewGrid returns every pair of n constants spread evenly over (0, 1).
func NewGrid(n int) Grid {
	var alpha, beta []float64
	for i := range n {
		for j := range n {
			alpha = append(alpha, float64(i+1)/float64(n+1))
			beta = append(beta, float64(j+1)/float64(n+1))
		}
	}
	return Grid{Alpha: hop.FromSlice(alpha), Beta: hop.FromSlice(beta)}
}

// Smooth is the combine function: it forecasts the month, compares with what came, and corrects level and trend.
func (g Grid) Smooth(s State, x *hop.Tensor) (State, Step) {
	forecast := s.Level.Add(s.Trend)
	miss := x.Sub(forecast)
	correction := g.Alpha.Mul(miss)
	next := State{
		Level: forecast.Add(correction),
		Trend: s.Trend.Add(g.Beta.Mul(correction)),
	}
	return next, Step{Forecast: forecast, Squared: miss.Mul(miss)}
}

// Fit runs all models over the series. The first two months set level and trend, so the scan starts at the third.
func Fit(g Grid, series []float64) (State, Step) {
	models := g.Alpha.NumElems()
	init := State{
		Level: hop.Full(hop.Float64, series[1], models),
		Trend: hop.Full(hop.Float64, series[1]-series[0], models),
	}
	return hop.Scan(g.Smooth, init, hop.FromSlice(series[2:]))
}

// Best returns the model with the smallest mean squared error, and the root of that error.
func Best(steps Step) (model int, rmse float64) {
	mse := hop.ToSlice[float64](steps.Squared.Mean(0))
	for i, e := range mse {
		if e < mse[model] {
			model = i
		}
	}
	return model, math.Sqrt(mse[model])
}

// Forecast continues the best model's line for the given number of months.
func Forecast(s State, model, months int) []float64 {
	level := hop.ItemAt[float64](s.Level, model)
	trend := hop.ItemAt[float64](s.Trend, model)
	line := make([]float64, months)
	for h := range line {
		line[h] = level + float64(h+1)*trend
	}
	return line
}

func run(w io.Writer) error {
	series, err := data.AirPassengers()
	if err != nil {
		return err
	}
	g := NewGrid(19)
	var last State
	var steps Step
	if err := hop.Try(func() { last, steps = Fit(g, series.Values) }); err != nil {
		return err
	}
	model, rmse := Best(steps)
	fmt.Fprintf(w, "%d months, %d models\n", len(series.Values), g.Alpha.NumElems())
	fmt.Fprintf(w, "best: alpha %.2f, beta %.2f, one-step error %.3f thousand passengers\n",
		hop.ItemAt[float64](g.Alpha, model), hop.ItemAt[float64](g.Beta, model), rmse)
	fmt.Fprintf(w, "%s: level %.3f, trend %.3f a month\n", series.Labels[len(series.Labels)-1],
		hop.ItemAt[float64](last.Level, model), hop.ItemAt[float64](last.Trend, model))
	for h, v := range Forecast(last, model, 3) {
		fmt.Fprintf(w, "forecast 1961-%02d: %.1f\n", h+1, v)
	}
	return nil
}

func main() {
	log.SetFlags(0)
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
