package ssaflow

import (
	"fmt"
	"math"
	"testing"
)

// BenchmarkCorpus analyses gonum, and the parts of x/tools that this module's checks are made of, each package with the facts of
// those it imports. It reports bytes of facts for each declared function and for each fact, microseconds for each SSA instruction, building the SSA
// form included, functions that gave up, and the slope of time against instructions on logarithmic scales: 1 is linear.
func BenchmarkCorpus(b *testing.B) {
	for _, c := range []struct{ name, pattern string }{
		{"gonum", "gonum.org/v1/gonum/..."},
		{"tools", "golang.org/x/tools/go/..."},
	} {
		b.Run(c.name, func(b *testing.B) {
			list := loadCorpus(b, c.pattern)
			for b.Loop() {
				var sum corpusSum
				analyzeCorpus(b, &corpusModel{}, withoutStandard(list), sum.add)
				sum.report(b)
			}
		})
	}
}

// corpusSum adds up the packages of a corpus.
type corpusSum struct {
	micros                                    float64
	instrs, funcs, facts, bytes, tops, panics int
	points                                    [][2]float64
}

func (s *corpusSum) add(c *corpusPackage) {
	micros := float64(c.took.Microseconds())
	s.micros += micros
	s.instrs += c.instrs
	s.funcs += c.funcs
	s.panics += len(c.result.Problems)
	if c.instrs >= 1000 { // below, the cost of a package does not depend on its code
		s.points = append(s.points, [2]float64{math.Log(float64(c.instrs)), math.Log(micros)})
	}
	s.tops += c.tops
	s.facts += len(c.facts)
	for _, b := range c.facts {
		s.bytes += len(b)
	}
}

func (s *corpusSum) report(b *testing.B) {
	b.ReportMetric(s.micros/float64(s.instrs), "µs/instr")
	b.ReportMetric(float64(s.bytes)/float64(s.funcs), "B/func")
	b.ReportMetric(float64(s.bytes)/float64(s.facts), "B/fact")
	b.ReportMetric(slope(s.points), "slope")
	b.ReportMetric(float64(s.tops), "tops")
	if s.panics > 0 {
		b.Error(fmt.Sprint(s.panics, " contained panics"))
	}
}

// slope is that of the line with the least squares.
func slope(points [][2]float64) float64 {
	var n, x, y, xx, xy float64
	for _, p := range points {
		n, x, y, xx, xy = n+1, x+p[0], y+p[1], xx+p[0]*p[0], xy+p[0]*p[1]
	}
	return (n*xy - x*y) / (n*xx - x*x)
}
