// Package hop701 holds callbacks that break the contracts of other people's libraries, and the same programs put right. The
// tables gonum and std are asked for.
package hop701

import (
	"maps"
	"slices"
	"sort"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"hoplint.test/helper"
)

// Bad lists the programs that break the rule.
var Bad = []func(){
	objective, gradient, throughHelper, otherPackage, namedFunction, methodValue, closure, laterField, converger, recorder,
	kernel, finiteDifferences, jacobian, comparison, capturedElements, lessMethod, predicate, mapPredicate, wrapper,
}

func minimize(p optimize.Problem) {
	settings := &optimize.Settings{MajorIterations: 2}
	optimize.Minimize(p, []float64{1, 2}, settings, &optimize.NelderMead{})
}

func objective() {
	minimize(optimize.Problem{Func: func(x []float64) float64 {
		x[0] -= 3 // want `optimize.Problem.Func: function writes x\[\] through assignment \(HOP701\); work on a copy of x`
		return x[0]*x[0] + x[1]*x[1]
	}})
}

func gradient() {
	p := optimize.Problem{
		Func: func(x []float64) float64 { return x[0] * x[0] },
		Grad: func(grad, x []float64) {
			for i := range x {
				x[i] *= 2 // want `optimize.Problem.Grad: function writes x\[\] through assignment \(HOP701\)`
			}
			copy(grad, x)
		},
	}
	p.Grad(make([]float64, 2), []float64{1, 2})
}

func scale(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

func throughHelper() {
	minimize(optimize.Problem{Func: func(x []float64) float64 {
		scale(x, 0.5) // want `function writes x\[\] through assignment \(HOP701\)`
		return x[0] * x[0]
	}})
}

func otherPackage() {
	minimize(optimize.Problem{Func: func(x []float64) float64 {
		helper.Normalise(x) // want `function writes x\[\] through helper.Normalise \(HOP701\)`
		return x[0]
	}})
}

func norm(x []float64) float64 {
	sort.Float64s(x) // want `optimize.Problem.Func: function norm writes x\[\] through sort.Float64s \(HOP701\)`
	return x[0]
}

func namedFunction() {
	minimize(optimize.Problem{Func: norm})
}

type model struct{ data []float64 }

func (m *model) loss(x []float64) float64 {
	for i, v := range m.data {
		x[i] -= v // want `method loss writes x\[\] through assignment \(HOP701\)`
	}
	return x[0]*x[0] + x[1]*x[1]
}

func methodValue() {
	m := &model{data: []float64{3, 4}}
	minimize(optimize.Problem{Func: m.loss})
}

func closure() {
	var x0 []float64
	set := func(x []float64) { copy(x, x0) }
	minimize(optimize.Problem{Func: func(x []float64) float64 {
		set(x) // want `function writes x\[\] through copy \(HOP701\)`
		return x[0]
	}})
}

func laterField() {
	var p optimize.Problem
	p.Func = func(x []float64) float64 {
		clear(x) // want `function writes x\[\] through clear \(HOP701\)`
		return 0
	}
	minimize(p)
}

type stopper struct{ rounds int }

func (s *stopper) Init(int) {}

func (s *stopper) Converged(loc *optimize.Location) optimize.Status {
	s.rounds++
	loc.F = 0 // want `optimize.Converger.Converged: method Converged writes loc.F through assignment \(HOP701\); leave loc.F as it is`
	return optimize.NotTerminated
}

func converger() {
	p := optimize.Problem{Func: func(x []float64) float64 { return x[0] * x[0] }}
	settings := &optimize.Settings{MajorIterations: 2, Converger: &stopper{}}
	optimize.Minimize(p, []float64{1}, settings, &optimize.NelderMead{})
}

type trail struct{ points [][]float64 }

func (t *trail) Init() error { return nil }

func (t *trail) Record(loc *optimize.Location, op optimize.Operation, stats *optimize.Stats) error {
	t.points = append(t.points, loc.X)
	scale(loc.X, 10) // want `optimize.Recorder.Record: method Record writes loc.X\[\] through assignment \(HOP701\)`
	return nil
}

func recorder() {
	p := optimize.Problem{Func: func(x []float64) float64 { return x[0] * x[0] }}
	settings := &optimize.Settings{MajorIterations: 2, Recorder: &trail{}}
	optimize.Minimize(p, []float64{1}, settings, &optimize.NelderMead{})
}

func kernel() {
	minimize(optimize.Problem{Func: func(params []float64) float64 {
		floats.Scale(0.5, params) // want `optimize.Problem.Func: function writes params\[\], its x, through floats.Scale \(HOP701\); work on a copy of params`
		return floats.Sum(params)
	}})
}

func finiteDifferences() {
	fd.Gradient(nil, func(x []float64) float64 {
		x[1] = 0 // want `fd.Gradient: function writes x\[\], its operand, through assignment \(HOP701\)`
		return x[0] * x[0]
	}, []float64{1, 2}, nil)
}

func jacobian() {
	f := func(y, x []float64) {
		y[0] = x[0]
		x[0] = 0 // want `optimize.Problem.Grad: function writes x\[\] through assignment \(HOP701\)`
	}
	_ = optimize.Problem{Grad: f}
}

type item struct{ key, seen int }

func items() []*item { return []*item{{key: 2}, {key: 1}, {key: 3}} }

func comparison() {
	slices.SortFunc(items(), func(a, b *item) int {
		a.seen++ // want `slices.SortFunc: function writes a.seen, an element, through assignment \(HOP701\); leave the elements as they are`
		return a.key - b.key
	})
}

func capturedElements() {
	list := []item{{key: 2}, {key: 1}}
	sort.Slice(list, func(i, j int) bool {
		list[i].seen++ // want `sort.Slice: function writes captured list\[\].seen through assignment \(HOP701\); leave the elements as they are while sort.Slice works on them`
		return list[i].key < list[j].key
	})
}

type byKey []*item

func (b byKey) Len() int      { return len(b) }
func (b byKey) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b byKey) Less(i, j int) bool {
	b[i].seen++ // want `sort.Interface.Less: method Less writes b\[\].seen, reached from its receiver, through assignment \(HOP701\)`
	return b[i].key < b[j].key
}

func lessMethod() { sort.Sort(byKey(items())) }

func predicate() {
	_ = slices.ContainsFunc(items(), func(i *item) bool {
		i.seen = 1 // want `slices.ContainsFunc: function writes i.seen, an element, through assignment \(HOP701\)`
		return i.key == 3
	})
}

func mapPredicate() {
	maps.DeleteFunc(map[string]*item{"a": {}}, func(_ string, i *item) bool {
		i.key++ // want `maps.DeleteFunc: function writes i.key, an element, through assignment \(HOP701\)`
		return i.key > 1
	})
}

// each runs f on the rows of a table.
//
//hop:body f(operand)
func each(f func(row []float64), rows [][]float64) {
	for _, row := range rows {
		f(row)
	}
}

func wrapper() {
	each(func(row []float64) {
		row[0] = 0 // want `each: function writes row\[\], its operand, through assignment \(HOP701\)`
	}, [][]float64{{1}, {2}})
}
