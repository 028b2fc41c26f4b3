package ssaflow

import (
	"fmt"
	"strings"
	"testing"
)

// What is appended to a slice that ends before its elements do lands in elements that others see, whoever appends.
func TestAppendToShortSlices(t *testing.T) {
	const helpers = `func Push(l []*T, x *T) []*T { return append(l, x) }
func All(l ...*T) []*T { return append(l, l...) }
func Loop(l []*T, x *T, n int) []*T { for range n { l = append(l, x) }; return l }
func Field(b *B, x *T) { b.L = append(b.L, x) }
func Front(l []*T, n int) []*T { return l[:n] }
func Same(l []*T) []*T { return l }
func Twice(l []*T, x *T) []*T { return Push(Push(l, x), x) }
func Lit(l []*T) func(*T) { return func(x *T) { _ = append(l, x) } }
type B struct{ L []*T }
`
	w := newWorld(t)
	w.model.std = true
	w.analyze(t, "dep", strings.Replace(collections, "package p", "package dep", 1)+helpers)
	const importing = "package p\n\nimport (\n. \"dep\"\n\"slices\"\n)\n\nvar _ B\nvar _ = slices.Clone[[]int]\n\n"
	for i, r := range []row{
		{"front part", `func f(l []*T, x *T) { _ = Push(l[:1], x) }`, "stores{l[]} via Push; keeps{x in l[]}"},
		{"front part of a known slice", `func f(l []*T, x *T) { l = l[:0]; l = Push(l, x) }`, "stores{l[]} via Push; keeps{x in l[]}"},
		{"whole", `func f(l []*T, x *T) { _ = Push(l, x) }`, "appends{l[]} via Push; keeps{x in l[]}"},
		{"whole, by its length", `func f(l []*T, x *T) { _ = Push(l[:len(l)], x) }`, "appends{l[]} via Push; keeps{x in l[]}"},
		{"rest", `func f(l []*T, x *T) { _ = Push(l[1:], x) }`, "appends{l[]} via Push; keeps{x in l[]}"},
		{"without capacity", `func f(l []*T, x *T) { _ = append(l[:1:1], x) }`, "pure"},
		{"more capacity than length", `func f(l []*T, x *T) { _ = append(l[:1:2], x) }`, "stores{l[]}; keeps{x in l[]}"},
		{"nothing appended", `func f(l []*T, x *T) { _ = append(l[:1]) }`, "pure"},
		{"two levels", `func f(l []*T, x *T) { _ = Twice(l[:1], x) }`, "stores{l[]} via Twice; keeps{x, x in l[]}"},
		{"variadic", `func f(l []*T) { _ = All(l[:1]...) }`, "stores{l[]} via All"},
		{"variadic without capacity", `func f(l []*T) { _ = All(l[:1:1]...) }`, "pure"},
		{"in a loop", `func f(l []*T, x *T) { _ = Loop(l[:0], x, 3) }`, "stores{l[]} via Loop; keeps{x, x in l[]}"},
		{"in a loop of its own", `func f(l []*T) { n := l[:0]; for _, t := range l { n = append(n, t.Clone()) } }`, "stores{l[]}; keeps{fresh in l[]}"},
		{"through a field", `func f(l []*T, x *T) { Field(&B{l[:1]}, x) }`, "stores{l[]} via Field; keeps{x in l[]}"},
		{"through a field of a variable", `func f(l []*T, x *T) { b := B{L: l}; b.L = b.L[:1]; Field(&b, x) }`, "stores{l[]} via Field; keeps{x in l[]}"},
		{"front part from a helper", `func f(l []*T, x *T) { _ = append(Front(l, 1), x) }`, "stores{l[]}; keeps{x in l[]}"},
		{"passed through a helper", `func f(l []*T, x *T) { _ = append(Same(l[:1]), x) }`, "stores{l[]}; keeps{x in l[]}"},
		{"captured by a literal", `func f(l []*T, x *T) { Lit(l[:1])(x) }`, "stores{l[]} via function literal; keeps{x in l[]}"},
		{"one of two", `func f(l []*T, x *T, b bool) { n := l; if b { n = l[:1] }; _ = Push(n, x) }`, "appends{l[]} via Push; stores{l[]} via Push; keeps{x in l[]}"},
		{"slices.Insert", `func f(l []*T, x *T) { _ = slices.Insert(l[:1], 0, x) }`, "stores{l[]}; keeps{x in l[]}"},
		{"slices.Grow, then append", `func f(l []*T, x *T) { _ = append(slices.Grow(l[:1], 4), x) }`, "stores{l[]}; keeps{x in l[]}"},
		{"slices.Delete, then append", `func f(l []*T, x *T) { n := slices.Clone(l); m := slices.Delete(n, 0, 1); _ = append(m, x); n[2].Zero() }`, "mutates{l[]}; mutates{x}"},
		{"of a slice made here", `func f(l []*T, x *T) []*T { n := slices.Clone(l); _ = Push(n[:1], x); return n }`, "returns []=l[]|x"},
	} {
		t.Run(r.name, func(t *testing.T) {
			for where, src := range map[string]string{"here": collections + helpers, "in another package": importing} {
				name := fmt.Sprintf("a%d", i)
				got := lines(w.analyze(t, name, strings.Replace(src, "package p", "package "+name, 1)+r.src), "f")
				if got = strings.ReplaceAll(got, " via Twice, Push", " via Twice"); got != r.want { // facts tell the last step only
					t.Errorf("helpers %s: %s\n got %s\nwant %s", where, r.src, got, r.want)
				}
			}
		})
	}
}
