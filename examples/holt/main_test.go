package main

import (
	"math"
	"testing"

	"github.com/hoplint/hoplint/examples/data"
	"github.com/hoplint/hoplint/runtime/hop"
)

// The scan over the grid must equal one plain loop for each model.
func TestFitEqualsPlainLoop(t *testing.T) {
	series, err := data.AirPassengers()
	if err != nil {
		t.Fatal(err)
	}
	g := NewGrid(19)
	last, steps := Fit(g, series.Values)
	levels, trends := hop.ToSlice[float64](last.Level), hop.ToSlice[float64](last.Trend)
	mse := hop.ToSlice[float64](steps.Squared.Mean(0))
	for m, alpha := range hop.ToSlice[float64](g.Alpha) {
		beta := hop.ItemAt[float64](g.Beta, m)
		level, trend, sum := series.Values[1], series.Values[1]-series.Values[0], 0.0
		for _, x := range series.Values[2:] {
			forecast := level + trend
			miss := x - forecast
			level = forecast + alpha*miss
			trend += beta * (alpha * miss)
			sum += miss * miss
		}
		want := sum / float64(len(series.Values)-2)
		if !near(levels[m], level) || !near(trends[m], trend) || !near(mse[m], want) {
			t.Fatalf("alpha %g beta %g: got level %g trend %g mse %g, want %g %g %g", alpha, beta, levels[m], trends[m], mse[m], level, trend, want)
		}
	}
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9*(1+math.Abs(want)) }
