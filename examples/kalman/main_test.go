package main

import (
	"math"
	"testing"

	"github.com/hoplint/hoplint/examples/data"
	"github.com/hoplint/hoplint/runtime/hop"
)

// Durbin and Koopman report for these variances a diffuse log-likelihood of -632.54, a filtered level of 798.37 at the
// end and a steady filtered variance of 4032.16.
func TestPublishedFigures(t *testing.T) {
	series, err := data.Nile()
	if err != nil {
		t.Fatal(err)
	}
	_, years := Run(LocalLevel(15099, 1469.1), series.Values)
	n := len(series.Values)
	for _, tc := range []struct {
		name      string
		got, want float64
	}{
		{"level 1970", hop.ItemAt[float64](years.Level, n-1), 798.37},
		{"variance 1970", hop.ItemAt[float64](years.Variance, n-1), 4032.16},
		{"log-likelihood", hop.Item[float64](years.LogLikelihood.Narrow(0, 1, n-1).Sum()), -632.54},
	} {
		if math.Abs(tc.got-tc.want) > 0.005 {
			t.Errorf("%s: got %.4f, want %.2f", tc.name, tc.got, tc.want)
		}
	}
}
