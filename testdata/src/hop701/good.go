package hop701

import (
	"maps"
	"slices"
	"sort"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/optimize"
)

// Good lists the programs that keep the rule.
var Good = []func(){
	objectiveCopied, gradientFilled, counted, ownState, memo, valueElements, jacobianFilled, mapKept, wrapperKept,
}

func objectiveCopied() {
	minimize(optimize.Problem{Func: func(x []float64) float64 {
		d := x[0] - 3
		return d*d + x[1]*x[1]
	}})
}

func gradientFilled() {
	p := optimize.Problem{Grad: func(grad, x []float64) {
		copy(grad, x)
		scale(grad, 2)
	}}
	p.Grad(make([]float64, 2), []float64{1, 2})
}

// A function may count its evaluations: only what it is handed is out of bounds.
func counted() {
	evaluations := 0
	minimize(optimize.Problem{Func: func(x []float64) float64 {
		evaluations++
		y := slices.Clone(x)
		scale(y, 2)
		return y[0]
	}})
}

type patience struct {
	best float64
	last []float64
}

func (p *patience) Init(int) {}

func (p *patience) Converged(loc *optimize.Location) optimize.Status {
	p.best = min(p.best, loc.F)
	p.last = append(p.last[:0], loc.X...)
	return optimize.NotTerminated
}

func ownState() {
	p := optimize.Problem{Func: func(x []float64) float64 { return x[0] * x[0] }}
	settings := &optimize.Settings{MajorIterations: 2, Converger: &patience{}}
	optimize.Minimize(p, []float64{1}, settings, &optimize.NelderMead{})
}

type table struct {
	items    []item
	calls    int
	memoised map[int]int
}

func (t *table) Len() int      { return len(t.items) }
func (t *table) Swap(i, j int) { t.items[i], t.items[j] = t.items[j], t.items[i] }
func (t *table) Less(i, j int) bool {
	t.calls++
	t.memoised[t.items[i].key] = t.items[i].key * 2
	return t.items[i].key < t.items[j].key
}

// A comparison may count its calls and remember what it computed.
func memo() {
	sort.Sort(&table{items: []item{{key: 2}, {key: 1}}, memoised: map[int]int{}})
	calls := 0
	list := items()
	sort.Slice(list, func(i, j int) bool {
		calls++
		return list[i].key < list[j].key
	})
}

// Elements that are handed over by value are copies.
func valueElements() {
	slices.SortFunc([]item{{key: 2}, {key: 1}}, func(a, b item) int {
		a.key *= 10
		return a.key - 10*b.key
	})
}

func jacobianFilled() {
	fd.Gradient(nil, func(x []float64) float64 { return x[0] * x[1] }, []float64{1, 2}, nil)
}

func mapKept() {
	maps.DeleteFunc(map[string]*item{"a": {}}, func(key string, i *item) bool { return key == "" || i.key > 1 })
}

func wrapperKept() {
	each(func(row []float64) { _ = scaled(row, 2) }, [][]float64{{1}, {2}})
}

func scaled(row []float64, by float64) []float64 {
	out := slices.Clone(row)
	scale(out, by)
	return out
}
