package analyzer_test

import (
	"strings"
	"testing"
)

// Callees that swap, sort, rotate or set elements leave each of them in one place, also where the caller tells them apart, and through a
// package boundary.
func TestOrderOfElements(t *testing.T) {
	const helpers = `
func Swap[E any](l []E, i, j int) { l[i], l[j] = l[j], l[i] }
func Rotate[E any](l []E) { first := l[0]; copy(l, l[1:]); l[len(l)-1] = first }
func RotateBack[E any](l []E) { last := l[len(l)-1]; copy(l[1:], l); l[0] = last }
func Sort[E any](l []E, less func(a, b E) bool) { sort.Slice(l, func(i, j int) bool { return less(l[i], l[j]) }) }
func Set[E any](l []E, i int, e E) { l[i] = e }
func SetBoth[E any](l []E, i, j int, e E) { l[i] = e; l[j] = e }
func Duplicate[E any](l []E, i, j int) { l[i] = l[j] }
func RotateWrong[E any](l []E) { second := l[1]; copy(l, l[1:]); l[len(l)-1] = second }
func RotateBackWrong[E any](l []E) { first := l[0]; copy(l, l[1:]); l[0] = first }
`
	three := func(name, body, want string) program {
		if want != "" {
			want = " // want HOP302 " + want
		}
		return program{name: name, text: `
func main(n int) {
	hop.Scan(func(c [3]*T, x *T) ([3]*T, *T) {
		l := [3]*T{c[0].Clone(), c[1].Clone(), c[2].Clone()}` + body + want + `
	}, [3]*T{zero, zero, zero}, zero)
}`}
	}
	const all = "next carry[0]=next carry[1], next carry[0]=next carry[2], next carry[1]=next carry[2]"
	cases := []program{
		three("swapped", `
		order.Swap(l[:], 0, 1)
		return l, x.Clone()`, ""),
		three("rotated", `
		order.Rotate(l[:])
		order.RotateBack(l[:])
		return l, x.Clone()`, ""),
		three("sorted", `
		order.Sort(l[:], func(a, b *T) bool { return a.Dim(0) < b.Dim(0) })
		return l, x.Clone()`, ""),
		three("set", `
		order.Set(l[:], n, x.Clone())
		return l, x.Clone()`, ""),
		three("set twice", `
		order.SetBoth(l[:], n, 1, x.Clone())
		return l, x.Clone()`, all),
		three("duplicated", `
		order.Duplicate(l[:], n, 1)
		return l, x.Clone()`, all),
		three("rotated with another one", `
		order.RotateWrong(l[:])
		return l, x.Clone()`, all),
		three("rotated to the same end", `
		order.RotateBackWrong(l[:])
		return l, x.Clone()`, all),
		three("two were one before they were swapped", `
		l[1] = l[0]
		order.Swap(l[:], 0, 2)
		return l, x.Clone()`, all),
		three("swapped, and one of them returned too", `
		order.Swap(l[:], 0, 1)
		return l, l[1]`, "next carry[1]=y"),
		{name: "a list is rotated", text: `
func main() {
	hop.Scan(func(c []*T, x *T) ([]*T, *T) {
		l := hop.Clone(c)
		order.Rotate(l)
		order.RotateBack(l)
		return l, x.Clone()
	}, []*T{}, zero)
}`},
		{name: "a list without its first element is full", text: `
func main() {
	hop.Scan(func(c []*T, x *T) ([]*T, *T) {
		l := append(c[1:len(c):len(c)], x.Clone())
		for i := range l { l[i] = l[i].Clone() }
		return l, x.Clone()
	}, []*T{}, zero)
}`},
	}
	const head = "package order\n\nimport \"sort\"\n"
	for i := range cases[:len(cases)-1] {
		cases[i].packages = map[string]string{"order": head + helpers}
	}
	checkPrograms(t, cases)
	here := make([]program, len(cases))
	for i, p := range cases {
		here[i] = importing(program{name: p.name + ", here", text: strings.ReplaceAll(p.text, "order.", "") + helpers}, "sort")
	}
	checkPrograms(t, here)
	strictly(t)
	checkPrograms(t, cases)
}
