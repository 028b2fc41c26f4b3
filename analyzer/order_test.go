package analyzer_test

import "testing"

// Callees that put elements in another order: each may stand anywhere afterwards, and each only once.
func TestElementsInAnotherOrder(t *testing.T) {
	const head = `package main
import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/hoplint/hoplint/runtime/hop"
)
type T = hop.Tensor
type by []*T
func (b by) Len() int           { return len(b) }
func (b by) Less(i, j int) bool { return i > j }
func (b by) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
type queue struct{ by }
func (q *queue) Push(v any) { q.by = append(q.by, v.(*T)) }
func (q *queue) Pop() any   { return nil }
type hyp struct { score float64; state *T }
func rev(ts []*T) {
	for i, j := 0, len(ts)-1; i < j; i, j = i+1, j-1 {
		ts[i], ts[j] = ts[j], ts[i]
	}
}
func bubble(ts []*T, less func(a, b *T) bool) {
	for i := range ts {
		for j := i + 1; j < len(ts); j++ {
			if less(ts[j], ts[i]) {
				ts[i], ts[j] = ts[j], ts[i]
			}
		}
	}
}
func second(ts []*T) {
	for i := range ts[1:] {
		ts[i] = ts[i+1]
	}
}
func turn(p *[2]*T, i int) { p[i], p[1-i] = p[1-i], p[i] }
var _ = []any{heap.Init, rand.N[int], slices.Reverse[[]int], sort.Sort}
func main() {
	zero := hop.Zeros(hop.Float64, 2)
	hop.Scan(func(c, x *T) (*T, *T) {
		less := func(i, j int) bool { return i > j }
		_ = less
`
	const tail = "\n\t}, zero, zero)\n}\n"
	orders := []struct{ name, text string }{
		{"sort.Slice", "sort.Slice(ts, less)"},
		{"sort.SliceStable", "sort.SliceStable(ts, less)"},
		{"sort.Sort", "sort.Sort(by(ts))"},
		{"sort.Stable", "sort.Stable(by(ts))"},
		{"sort.Reverse", "sort.Sort(sort.Reverse(by(ts)))"},
		{"slices.Reverse", "slices.Reverse(ts)"},
		{"slices.SortFunc", "slices.SortFunc(ts, func(a, b *T) int { return -1 })"},
		{"rand.Shuffle", "rand.New(rand.NewPCG(1, 2)).Shuffle(2, func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })"},
		{"heap.Init", "heap.Init(&queue{ts})"},
		{"own loop", "rev(ts)"},
		{"own sort", "bubble(ts, func(a, b *T) bool { return true })"},
	}
	var list []program
	for _, o := range orders {
		made := "ts := []*T{c.Add(x), c}; " + o.text + "; "
		list = append(list,
			program{name: o.name + "/written", full: head + made + "\n\t\tts[0].AddInPlace(x) // want HOP101 carry\n\t\treturn c.Clone(), x.Clone()" + tail},
			program{name: o.name + "/returned", full: head + made + "\n\t\treturn ts[0], x.Clone() // want HOP301 next carry=carry" + tail},
			program{name: o.name + "/array", full: head + "a := [2]*T{c.Add(x), c}; ts := a[:]; " + o.text + "; \n\t\treturn a[0], x.Clone() // want HOP301 next carry=carry" + tail},
			program{name: o.name + "/each in one place", full: head + "ts := []*T{c.Add(x), c.Clone()}; " + o.text + "; \n\t\treturn ts[0], ts[1]" + tail},
		)
	}
	list = append(list,
		program{name: "beam", full: head + `
		hs := []hyp{{0.2, c.Add(x)}, {0.9, c}}
		sort.Slice(hs, func(i, j int) bool { return hs[i].score > hs[j].score })
		return hs[0].state, x.Clone() // want HOP301 next carry=carry` + tail},
		program{name: "beam of new states", full: head + `
		hs := []hyp{{0.2, c.Add(x)}, {0.9, c.Clone()}}
		sort.Slice(hs, func(i, j int) bool { return hs[i].score > hs[j].score })
		hs[0].state.AddInPlace(x)
		return hs[0].state, hs[1].state` + tail},
		program{name: "one left out", full: head + `
		ts := []*T{x.Clone(), x.Clone(), c}
		ts = slices.Delete(ts, 0, 1)
		ts[1].AddInPlace(x) // want HOP101 carry
		return c.Clone(), x.Clone()` + tail},
		program{name: "copied by one", full: head + `
		ts := []*T{c.Add(x), c.Clone()}
		second(ts)
		return ts[0], ts[1] // want HOP302 next carry=y` + tail},
		program{name: "through a pointer to an array", full: head + `
		a := [2]*T{c.Add(x), c}
		turn(&a, 0)
		return a[0], x.Clone() // want HOP301 next carry=carry` + tail},
	)
	checkPrograms(t, list)
}
