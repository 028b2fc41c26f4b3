package analyzer_test

import "testing"

// Paths in findings lead to parts of the pytree that hold tensors.
func TestPathsOfFindingsExist(t *testing.T) {
	checkPrograms(t, []program{
		{name: "MapLeaves returns the leaves that it is given", text: `
type tree struct { A *T; L []*T; M map[string]*T; P S }
func main() {
	hop.Scan(func(carry tree, x *T) (tree, *T) {
		return hop.MapLeaves(func(l ...*T) *T { return l[0] }, carry), x.Clone() // want HOP301 next carry.A=carry.A, next carry.L=carry.L, next carry.M=carry.M, next carry.P.H=carry.P.H, next carry.P.C=carry.P.C
	}, tree{}, zero)
}`},
		{name: "MapLeaves returns one tensor for all leaves", text: `
func main() {
	w := zero.Clone()
	hop.Scan(func(carry S, x *T) (S, *T) {
		return hop.MapLeaves(func(l ...*T) *T { return w }, carry), x.Clone() // want HOP302 next carry.H=next carry.C; HOP303 next carry.H=captured w, next carry.C=captured w
	}, S{zero, zero}, zero)
}`},
		{name: "functions and channels hold no tensor", text: `
type odd struct { H *T; F func(); C chan *T }
func main() {
	hop.Scan(func(carry odd, x *T) (odd, *T) { // want HOP202
		return odd{carry.H.Clone(), carry.F, carry.C}, x.Clone()
	}, odd{}, zero)
}`},
		{name: "a list of what holds no tensor", text: `
type odd struct { H *T; N []int }
func main() {
	hop.Scan(func(carry odd, x *T) (odd, *T) { // want HOP202
		return odd{carry.H.Clone(), carry.N}, x.Clone()
	}, odd{}, zero)
}`},
		{name: "a type that holds itself", text: `
type list struct { H *T; Next []list }
func main() {
	hop.Scan(func(carry list, x *T) (list, *T) {
		return list{carry.H.Clone(), carry.Next}, x.Clone() // want HOP301 next carry.Next=carry.Next
	}, list{}, zero)
}`},
	})
}
