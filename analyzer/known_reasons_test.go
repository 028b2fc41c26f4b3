package analyzer_test

import "testing"

// What the README names as reasons of findings that no run bears out, under "What a clean run means". A change that makes the
// analyzer tell them apart changes the page.
func TestKnownReasonsOfFindingsWithoutWitness(t *testing.T) {
	checkPrograms(t, []program{
		{name: "branches that never happen together", text: `
func main(deep bool) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		t := carry
		if deep {
			t = carry.Clone()
		}
		if deep {
			t.AddInPlace(x) // want HOP101 carry
		}
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "a loop that always runs", text: `
func main(fs []func(*T) *T) {
	last := func(t *T) *T {
		for range 1 + len(fs) {
			t = t.Clone()
		}
		return t
	}
	hop.Scan(func(carry, x *T) (*T, *T) {
		return last(carry), x.Clone() // want HOP301 next carry=carry
	}, zero, zero)
}`},
		{name: "a recursion that never ends at once", text: `
func again(n int, t *T) *T {
	if n == 0 {
		return t
	}
	return again(n-1, t.Neg())
}
func main() {
	hop.Map(func(x *T) *T {
		return again(2, x) // want HOP301 y=x
	}, zero)
}`},
		{name: "operations that may return a view", text: `
func main() {
	hop.Map(func(x *T) *T {
		return x.T().Reshape(6) // want HOP301 y=x
	}, zero)
}`},
		{name: "elements of one slice", text: `
func main(init []*T) {
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) {
		own := append([]*T(nil), carry...)
		own[0] = x.Clone()
		own[0].AddInPlace(x) // want HOP101 carry[]
		return []*T{x.Clone()}, x.Clone()
	}, init, zero)
}`},
	})
}
