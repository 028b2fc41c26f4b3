package analyzer_test

import "testing"

// Dtypes and shapes through package variables, helpers of other packages, and integers that are no constants.
func TestMetaCases(t *testing.T) { checkPrograms(t, metaCases()) }

func metaCases() []program {
	return []program{
		{name: "package variables", text: `
var vector = hop.Zeros(hop.Float64, 2)
var width = 3
var pair = S{H: hop.Zeros(hop.Float64, 2), C: hop.Zeros(hop.Float64, width)}
var list = [2]*T{vector, hop.Ones(hop.Float32, 2)}
var assigned = hop.Zeros(hop.Float64, 2)
var lent = hop.Zeros(hop.Float64, 2)
var Exported = hop.Zeros(hop.Float64, 2)
func set() { assigned = hop.Zeros(hop.Float64, 1, 2) }
func fill(p **T) { *p = hop.Zeros(hop.Float64, 1, 2) }
func main() {
	fill(&lent)
	hop.Scan(func(carry, x *T) (*T, *T) {
		return carry.Add(hop.Ones(hop.Float64, width)), x.Clone() // want HOP201
	}, hop.Zeros(hop.Float64, 1), hop.Ones(hop.Float64, 4, 1))
	hop.Scan(func(carry, x *T) (*T, *T) {
		return carry.Unsqueeze(0).Add(vector), x.Clone() // want HOP201
	}, vector, hop.Ones(hop.Float64, 4, 2))
	hop.Scan(func(carry S, x *T) (S, *T) {
		return S{carry.C.Neg(), carry.H.Neg()}, x.Clone() // want HOP201
	}, pair, hop.Ones(hop.Float64, 4, 2))
	hop.Scan(func(carry [2]*T, x *T) ([2]*T, *T) {
		return [2]*T{carry[1].Neg(), carry[0].Neg()}, x.Clone() // want HOP201
	}, list, hop.Ones(hop.Float64, 4, 2))
	hop.Scan(func(carry, x *T) (*T, *T) { return carry.Add(hop.Ones(hop.Float64, 1, 2)), x.Clone() }, assigned, x4)
	hop.Scan(func(carry, x *T) (*T, *T) { return carry.Add(hop.Ones(hop.Float64, 1, 2)), x.Clone() }, lent, x4)
	hop.Scan(func(carry, x *T) (*T, *T) { return carry.Add(hop.Ones(hop.Float64, 1, 2)), x.Clone() }, Exported, x4)
	hop.Scan(func(carry S, x *T) (S, *T) { return S{carry.H.Neg(), carry.C.Neg()}, x.Clone() }, pair, x4)
}
var x4 = hop.Ones(hop.Float64, 4, 2)`},
		{name: "helpers of other packages", packages: map[string]string{"shapes": `package shapes
import "github.com/hoplint/hoplint/runtime/hop"
const N = 2
var unexported = 5
type State struct{ H, C *hop.Tensor }
func Vector() *hop.Tensor { return hop.Zeros(hop.Float64, N) }
func Of(n int) *hop.Tensor { return hop.Zeros(hop.Float64, n) }
func Square(n int) *hop.Tensor { return hop.Eye(hop.Float64, n) }
func Five() *hop.Tensor { return hop.Zeros(hop.Float64, unexported) }
func New(n int) State { return State{H: Of(n), C: hop.Zeros(hop.Float32, n)} }
func Row(t *hop.Tensor) *hop.Tensor { return t.Neg().Unsqueeze(0) }
func Twice(t *hop.Tensor) *hop.Tensor { return hop.Concat(0, t, t) }
func Same(t *hop.Tensor) *hop.Tensor { return t.Exp().Add(t) }
func Pick(s State) *hop.Tensor { return s.C.Neg() }
func Both(b bool, t *hop.Tensor) *hop.Tensor { if b { return Row(t) }; return t.Unsqueeze(0).Clone() }
func Either(b bool, t *hop.Tensor) *hop.Tensor { if b { return Row(t) }; return Same(t) }
func Step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) { return Row(carry), x.Clone() }
func Fine(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) { return Same(carry), x.Clone() }
`, "more": `package more
import ("shapes"; "github.com/hoplint/hoplint/runtime/hop")
func Wide(n int, t *hop.Tensor) *hop.Tensor { return shapes.Row(t).Add(shapes.Of(n)) }
`}, text: `
var xs = hop.Ones(hop.Float64, 4, 2)
func main(b bool) {
	hop.Scan(func(carry, x *T) (*T, *T) { return shapes.Row(carry), x.Clone() }, shapes.Vector(), xs) // want HOP201
	hop.Scan(func(carry, x *T) (*T, *T) { return shapes.Row(carry), x.Clone() }, zero, xs)            // want HOP201
	hop.Scan(func(carry, x *T) (*T, *T) { return shapes.Twice(carry), x.Clone() }, shapes.Of(3), xs)  // want HOP201
	hop.Scan(func(carry, x *T) (*T, *T) { return shapes.Of(3), x.Clone() }, shapes.Of(2), xs)         // want HOP201
	hop.Scan(func(carry, x *T) (*T, *T) { return shapes.Square(2), x.Clone() }, shapes.Of(2), xs)     // want HOP201
	hop.Scan(func(carry, x *T) (*T, *T) { return shapes.Five(), x.Clone() }, shapes.Of(2), xs)        // want HOP201
	hop.Scan(func(carry shapes.State, x *T) (shapes.State, *T) {
		return shapes.State{H: carry.H.Neg(), C: shapes.Pick(carry).To(hop.Float64)}, x.Clone()       // want HOP201
	}, shapes.New(2), xs)
	hop.Scan(func(carry, x *T) (*T, *T) { return shapes.Both(b, carry), x.Clone() }, zero, xs)        // want HOP201
	hop.Scan(func(carry, x *T) (*T, *T) { return more.Wide(2, carry), x.Clone() }, shapes.Vector(), xs)// want HOP201
	hop.Scan(shapes.Step, shapes.Vector(), xs)                                                        // want HOP201
	hop.Scan(shapes.Fine, shapes.Vector(), xs)
	hop.Scan(func(carry, x *T) (*T, *T) { return shapes.Same(carry), x.Clone() }, shapes.Vector(), xs)
	hop.Scan(func(carry, x *T) (*T, *T) { return shapes.Either(b, carry), x.Clone() }, zero, xs)
	hop.Scan(func(carry, x *T) (*T, *T) { return shapes.Of(2), x.Clone() }, shapes.Of(2), xs)
	n := len("two") - 1
	hop.Scan(func(carry, x *T) (*T, *T) { return shapes.Of(n), x.Clone() }, shapes.Of(xs.Dim(1)), xs)
	hop.Scan(func(carry shapes.State, x *T) (shapes.State, *T) {
		return shapes.State{H: carry.H.Neg(), C: shapes.Pick(carry)}, x.Clone()
	}, shapes.New(2), xs)
}`},
	}
}

// What is done to maps that fields hold, and returns that the inputs cannot reach.
func TestMetaOfMapsAndGuards(t *testing.T) {
	maps := func(name, body string) program {
		return program{name: name, text: `
type state struct{ M map[string]*T; L []map[string]*T }
func fill(s state) { s.M["a"] = hop.Zeros(hop.Float64, 2) }
func main() {
	hop.Scan(func(c state, x *T) (state, *T) {` + body + `
	}, state{M: map[string]*T{"a": hop.Zeros(hop.Float64, 2)}, L: []map[string]*T{{"b": hop.Zeros(hop.Float64, 2)}}}, hop.Zeros(hop.Float64, 3, 2))
}`}
	}
	list := func(name, body string) program {
		return program{name: name, text: `
func main() {
	hop.Scan(func(c []*T, x *T) ([]*T, *T) {` + body + `
	}, []*T{hop.Zeros(hop.Float64, 2), hop.Zeros(hop.Float64, 2)}, hop.Zeros(hop.Float64, 3, 2))
}`}
	}
	key := func(name, body string) program {
		return program{name: name, text: `
func main(k string, b bool) {
	hop.Scan(func(c map[string]*T, x *T) (map[string]*T, *T) {
		n := hop.Clone(c)` + body + `
	}, map[string]*T{"a": hop.Zeros(hop.Float64, 2), "b": hop.Zeros(hop.Float64, 2)}, hop.Zeros(hop.Float64, 3, 2))
}`}
	}
	checkPrograms(t, []program{
		maps("map in a field filled in a loop", `
		n := state{M: map[string]*T{}, L: hop.Clone(c.L)}
		for k, v := range c.M { n.M[k] = v.Neg() }
		return n, x.Clone()`),
		maps("map assigned to a field", `
		var n state
		n.M, n.L = make(map[string]*T), hop.Clone(c.L)
		for k, v := range c.M { n.M[k] = v.Neg() }
		return n, x.Clone()`),
		maps("map in a field filled by a helper", `
		n := state{M: map[string]*T{}, L: hop.Clone(c.L)}
		fill(n)
		return n, x.Clone()`),
		maps("map in a list", `
		n := state{M: hop.Clone(c.M), L: []map[string]*T{{}}}
		for k, v := range c.L[0] { n.L[0][k] = v.Neg() }
		return n, x.Clone()`),
		maps("map in a field left empty", `
		return state{M: map[string]*T{}, L: hop.Clone(c.L)}, x.Clone() // want HOP201`),
		list("guard against no elements", `
		if len(c) == 0 { return nil, x.Clone() }
		return hop.Clone(c), x.Clone()`),
		list("guards of other forms", `
		if len(c) < 2 { return []*T{x.Clone()}, x.Clone() }
		if 3 <= len(c) { return nil, x.Clone() }
		if c[0] == nil { return nil, x.Clone() }
		return hop.Clone(c), x.Clone()`),
		list("guard that lets the input pass", `
		if len(c) > 1 { return nil, x.Clone() } // want HOP201
		return hop.Clone(c), x.Clone()`),
		list("guard of the element", `
		if c[0] != nil { return nil, x.Clone() } // want HOP201
		return hop.Clone(c), x.Clone()`),
		list("guard in a helper", `
		next := func(l []*T) []*T { if len(l) == 0 { return nil }; return []*T{l[1].Clone(), l[0].Clone()} }
		return next(c), x.Clone()`),
		key("key deleted", `
		delete(n, "b")
		return n, x.Clone() // want HOP201`),
		key("no such key", `
		delete(n, "z")
		return n, x.Clone()`),
		key("key replaced", `
		delete(n, "b")
		n["b"] = x.Clone()
		return n, x.Clone()`),
		key("perhaps deleted", `
		if b { delete(n, "b") }
		delete(n, k)
		return n, x.Clone()`),
	})
}
