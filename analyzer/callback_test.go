package analyzer_test

import (
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// withFlag runs a test with a flag of the all-in-one analyzer set.
func withFlag(t *testing.T, name, value string) {
	t.Helper()
	flag := analyzer.Analyzer.Flags.Lookup(name)
	before := flag.Value.String()
	if err := flag.Value.Set(value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flag.Value.Set(before); err != nil {
			t.Fatal(err)
		}
	})
}

const optimizePackage = `package optimize
type SymDense struct{ data []float64 }
func (s *SymDense) SetSym(i, j int, v float64) { s.data[i] = v }
type Problem struct {
	Func func(x []float64) float64
	Grad func(grad, x []float64)
	Hess func(hess *SymDense, x []float64)
}
type Location struct {
	X []float64
	F float64
}
type Converger interface {
	Init(dim int)
	Converged(loc *Location) int
}
type Recorder interface {
	Init() error
	Record(*Location, int, *int) error
}
type NextDirectioner interface {
	InitDirection(loc *Location, dir []float64) (step float64)
	NextDirection(loc *Location, dir []float64) (step float64)
}
func Minimize(p Problem, initX []float64, c Converger) {}
`

const fdPackage = `package fd
type Settings struct{}
func Gradient(dst []float64, f func([]float64) float64, x []float64, settings *Settings) []float64 { return dst }
func Jacobian(dst []float64, f func(y, x []float64), x []float64, settings *Settings) {}
`

func callbackPrograms() []program {
	gonum := map[string]string{"gonum.org/v1/gonum/optimize": optimizePackage, "gonum.org/v1/gonum/diff/fd": fdPackage}
	return []program{
		{name: "problem", packages: gonum, text: `
func scale(x []float64) { for i := range x { x[i] *= 2 } }
func norm(x []float64) float64 {
	scale(x) // want HOP701 x[]
	return x[0]
}
type model struct{ data []float64 }
func (m *model) loss(x []float64) float64 {
	m.data[0]++
	x[0] = 1 // want HOP701 x[]
	return x[0]
}
func main(m *model) {
	_ = optimize.Problem{
		Func: func(x []float64) float64 {
			x[0] -= 1 // want HOP701 x[]
			return x[0]
		},
		Grad: func(grad, x []float64) {
			copy(grad, x)
			x[0] = 0 // want HOP701 x[]
		},
		Hess: func(hess *optimize.SymDense, x []float64) { hess.SetSym(0, 0, x[0]) },
	}
	var p optimize.Problem
	p.Func = norm
	p.Grad = func(g, x []float64) { g[0] = 2 * x[0] }
	p.Func = m.loss
	optimize.Minimize(p, nil, nil)
	evals := 0
	p.Func = func(x []float64) float64 {
		evals++
		y := append([]float64(nil), x...)
		y[0] = 1
		return y[0]
	}
	fd.Gradient(nil, func(x []float64) float64 {
		x[1] = 0 // want HOP701 x[]
		return x[0]
	}, nil, nil)
	fd.Jacobian(nil, func(y, x []float64) { y[0] = x[0] }, nil, nil)
	fd.Jacobian(nil, func(y, x []float64) {
		x[0], y[0] = y[0], x[0] // want HOP701 x[]
	}, nil, nil)
}`},
		{name: "methods of gonum's interfaces", packages: map[string]string{"gonum.org/v1/gonum/optimize": optimizePackage}, text: `
type last struct{ n int; x []float64 }
func (l *last) Init(int) {}
func (l *last) Converged(loc *optimize.Location) int {
	l.n++
	l.x = append(l.x[:0], loc.X...)
	return 0
}
type bad struct{ last }
func (*bad) Converged(loc *optimize.Location) int {
	loc.F = 0 // want HOP701 loc.F
	return 0
}
type recorder struct{ seen []float64 }
func (r *recorder) Init() error { return nil }
func (r *recorder) Record(l *optimize.Location, op int, s *int) error {
	r.seen = append(r.seen, l.X...)
	l.X[0] = 0 // want HOP701 l.X[]
	return nil
}
type down struct{}
func (down) InitDirection(loc *optimize.Location, dir []float64) float64 { copy(dir, loc.X); return 1 }
func (down) NextDirection(loc *optimize.Location, dir []float64) float64 {
	copy(loc.X, dir) // want HOP701 loc.X[]
	return 1
}
var _ optimize.NextDirectioner = down{}
func main() {
	optimize.Minimize(optimize.Problem{}, nil, &last{})
	optimize.Minimize(optimize.Problem{}, nil, &bad{})
	var r optimize.Recorder = &recorder{}
	r.Init()
}`},
		{name: "comparisons", full: `package p

import (
	"maps"
	"slices"
	"sort"
)

type item struct{ key, uses int }

type byKey []*item
func (b byKey) Len() int { return len(b) }
func (b byKey) Less(i, j int) bool {
	b[i].uses++ // want HOP701 b[].uses
	return b[i].key < b[j].key
}
func (b byKey) Swap(i, j int) { b[i], b[j] = b[j], b[i] }

type counted struct {
	items []item
	calls int
	cache map[int]int
}
func (c *counted) Len() int { return len(c.items) }
func (c *counted) Less(i, j int) bool {
	c.calls++
	c.cache[i] = c.calls
	return c.items[i].key < c.items[j].key
}
func (c *counted) Swap(i, j int) { c.items[i], c.items[j] = c.items[j], c.items[i] }

func touch(i *item) int { i.uses++; return i.key }

var all []item

func main(items []*item, values []item, s struct{ list []item }) {
	sort.Sort(byKey(items))
	sort.Sort(&counted{})
	slices.SortFunc(items, func(a, b *item) int {
		a.uses++ // want HOP701 a.uses
		return a.key - b.key
	})
	slices.SortFunc(items, func(a, b *item) int { return touch(a) - touch(b) }) // want HOP701 a.uses; HOP701 b.uses
	slices.SortFunc(values, func(a, b item) int { a.uses++; return a.key - b.key })
	slices.IndexFunc(items, func(i *item) bool { i.uses = 0; return i.key == 0 }) // want HOP701 i.uses
	n := 0
	memo := map[int]int{}
	sort.Slice(values, func(i, j int) bool {
		n++
		memo[i] = j
		values[i].uses++ // want HOP701 captured values[].uses
		return values[i].key < values[j].key
	})
	sort.Slice(s.list, func(i, j int) bool {
		values[i].uses++
		s.list[j].key = 0 // want HOP701 captured s.list[].key
		return s.list[i].key < s.list[j].key
	})
	sort.SliceStable(all, func(i, j int) bool {
		all[i], all[j] = all[j], all[i] // want HOP701 captured all[]
		return all[i].key < all[j].key
	})
	sort.Search(len(values), func(i int) bool { return values[i].key > 3 })
	maps.DeleteFunc(map[string]*item{}, func(k string, i *item) bool { i.uses = 1; return false }) // want HOP701 i.uses
	slices.SortFunc(items, compare)
}

func compare(a, b *item) int {
	b.uses = a.key // want HOP701 b.uses
	return a.key - b.key
}
`},
		{name: "wrapper with a directive of its own", packages: map[string]string{"opt": `package opt
//hop:body f(operand)
func Minimize(f func(x []float64) float64, x []float64) { f(x) }
//hop:body m.Loss(_, operand)
func Fit(m Model) {}
type Model struct{ Loss func(out, x []float64) }
`}, text: `
func main() {
	opt.Minimize(func(x []float64) float64 {
		x[0] = 1 // want HOP701 x[]
		return x[0]
	}, nil)
	opt.Minimize(func(x []float64) float64 { return x[0] }, nil)
	opt.Fit(opt.Model{Loss: func(out, x []float64) {
		out[0] = 1
		x[0] = out[0] // want HOP701 x[]
	}})
}`},
	}
}

func TestCallbacks(t *testing.T) {
	withFlag(t, "contracts", "gonum,std")
	checkPrograms(t, callbackPrograms())
}

// Without -contracts nothing is said of them.
func TestCallbacksAreLeftAloneUnlessAsked(t *testing.T) {
	programs := callbackPrograms()
	for i := range programs {
		lines := strings.Split(programs[i].text+programs[i].full, "\n")
		for k, line := range lines {
			lines[k], _, _ = strings.Cut(line, "// want")
		}
		if programs[i].full != "" {
			programs[i].full = strings.Join(lines, "\n")
		} else {
			programs[i].text = strings.Join(lines, "\n")
		}
	}
	checkPrograms(t, programs)
	withFlag(t, "contracts", "gonum")
	checkPrograms(t, programs[2:3]) // the comparisons are of the other table
}

// Rows of a user's own table speak of code that cannot be edited.
func TestContractsOfATable(t *testing.T) {
	withFlag(t, "contract", `
lib.Each: //hop:body f(operand)
lib.Run: //hop:body step(carry, x)
lib.Solver.Residual: //hop:mutates out
(*lib.Pool).Do: //hop:body f(operand)
lib.Kernel: //hop:mutates dst
missing/pkg.F: //hop:pure
`)
	checkPrograms(t, []program{{name: "rows", packages: map[string]string{"lib": `package lib
import "github.com/hoplint/hoplint/runtime/hop"
type Solver struct{ Residual func(out, x []float64) }
type Pool struct{}
func (*Pool) Do(f func(x []int)) {}
func Each(f func(x []int), xs [][]int) {}
var Steps []any
func Run(step func(c, x *hop.Tensor) (*hop.Tensor, *hop.Tensor)) { Steps = append(Steps, step) }
func Kernel(dst, src *hop.Tensor)
`}, text: `
func main(p *lib.Pool) {
	lib.Each(func(x []int) { x[0] = 1 }, nil) // want HOP701 x[]
	p.Do(func(x []int) { x[0]++ }) // want HOP701 x[]
	_ = lib.Solver{Residual: func(out, x []float64) {
		out[0] = x[0]
		x[0] = 1 // want HOP701 x[]
	}}
	lib.Run(func(c, x *T) (*T, *T) {
		c.AddInPlace(x) // want HOP101 carry
		return c.Clone(), x.Clone()
	})
	hop.Scan(func(c, x *T) (*T, *T) {
		lib.Kernel(c, x) // want HOP101 carry
		return c.Clone(), x.Clone()
	}, zero, zero)
}`}})
}

// A finding names the function of the user, what the contract calls the argument where the function calls it otherwise, and the function
// that was called, not a kernel behind it.
func TestMessagesOfCallbacks(t *testing.T) {
	withFlag(t, "contracts", "gonum,std")
	checkMessages(t, []messageCase{
		{program{name: "kernel", packages: map[string]string{
			"gonum.org/v1/gonum/optimize":         optimizePackage,
			"gonum.org/v1/gonum/floats":           "package floats\nimport \"gonum.org/v1/gonum/internal/asm/f64\"\nfunc Scale(c float64, dst []float64) { f64.ScalUnitary(c, dst) }\n",
			"gonum.org/v1/gonum/internal/asm/f64": "package f64\nfunc ScalUnitary(alpha float64, x []float64)\n",
		}, full: `package p

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

type fit struct{ calls int }
func (f *fit) loss(params []float64) float64 {
	floats.Scale(2, params)
	return params[0]
}
func norm(x []float64) float64 {
	slices.Sort(x)
	return x[0]
}
type stop struct{}
func (stop) Init(int) {}
func (stop) Converged(at *optimize.Location) int {
	at.F = 0
	return 0
}
func main(f *fit) {
	p := optimize.Problem{Func: f.loss}
	p.Func = norm
	p.Func = func(v []float64) float64 { floats.Scale(2, v[1:]); return v[0] }
	optimize.Minimize(p, nil, stop{})
}`}, `
12: optimize.Problem.Func: method loss writes params[], its x, through floats.Scale (HOP701); work on a copy of params
11: params[] enters here
12: passed to Scale here, written by ScalUnitary (gonum.org/v1/gonum/floats/p.go:3)
26: given to optimize.Problem.Func here
16: optimize.Problem.Func: function norm writes x[] through slices.Sort (HOP701); work on a copy of x
15: x[] enters here
16: written by Sort here
27: given to optimize.Problem.Func here
22: optimize.Converger.Converged: method Converged writes at.F, its loc, through assignment (HOP701); leave at.F as it is
21: at.F enters here
22: written by assignment here
29: given to optimize.Converger here
28: optimize.Problem.Func: function writes v[], its x, through floats.Scale (HOP701); work on a copy of v
28: v[] enters here
28: passed to Scale here, written by ScalUnitary (gonum.org/v1/gonum/floats/p.go:3)`},
		{program{name: "elements", full: `package p

import (
	"slices"
	"sort"
)

type item struct{ key, uses int }
type byKey []*item
func (b byKey) Len() int { return len(b) }
func (b byKey) Less(i, j int) bool {
	b[i].uses++
	return b[i].key < b[j].key
}
func (b byKey) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func touch(i *item) int { i.uses++; return i.key }
func by(l, r *item) int { return touch(l) - r.key }
func main(list []*item) {
	sort.Sort(byKey(list))
	slices.SortFunc(list, by)
}`}, `
12: sort.Interface.Less: method Less writes b[].uses, reached from its receiver, through assignment (HOP701); leave the elements as they are
11: b[].uses enters here
12: written by assignment here
19: given to sort.Interface here
17: slices.SortFunc: function by writes l.uses, an element, through assignment (HOP701); leave the elements as they are
17: l.uses enters here
17: passed to touch here
16: written by assignment here
20: given to slices.SortFunc here`},
	})
}
