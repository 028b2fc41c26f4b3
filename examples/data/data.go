// Package data holds two small public series that the examples read.
//
//   - airpassengers.csv: international airline passengers, thousands a month, January 1949 to December 1960; series G of
//     Box, Jenkins and Reinsel, Time Series Analysis: Forecasting and Control.
//   - nile.csv: annual flow of the Nile at Aswan, 10^8 m³, 1871 to 1970; Cobb, The problem of the Nile, Biometrika 65
//     (1978), and Durbin and Koopman, Time Series Analysis by State Space Methods.
package data

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

//go:embed airpassengers.csv
var airPassengers string

//go:embed nile.csv
var nile string

// Series is a labelled series of numbers.
type Series struct {
	// Labels name the periods: a month 1949-01, a year 1871.
	Labels []string
	Values []float64
}

// AirPassengers returns the monthly airline passengers, in thousands.
func AirPassengers() (Series, error) { return parse("airpassengers.csv", airPassengers) }

// Nile returns the annual flow of the Nile at Aswan, in 10^8 m³.
func Nile() (Series, error) { return parse("nile.csv", nile) }

// parse reads a CSV of two columns, label and number, with a header line.
func parse(name, text string) (Series, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return Series{}, fmt.Errorf("%s: %w", name, err)
	}
	var s Series
	for i, row := range rows[1:] {
		v, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			return Series{}, fmt.Errorf("%s:%d: %w", name, i+2, err)
		}
		s.Labels, s.Values = append(s.Labels, row[0]), append(s.Values, v)
	}
	return s, nil
}
