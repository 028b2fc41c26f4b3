package analyzer_test

import "testing"

// importing is a program that uses packages of the library.
func importing(p program, paths ...string) program {
	head := "package p\n\nimport (\n"
	for _, path := range append(paths, "github.com/hoplint/hoplint/runtime/hop") {
		head += "\t\"" + path + "\"\n"
	}
	p.full = head + ")\n\ntype T = hop.Tensor\n\nvar zero = hop.Zeros(hop.Float64, 2); func changeZero() { zero = zero.Neg() }\n" + p.text
	return p
}

// Lists of known layers and functions, functional options, and what the library does with lists and maps are followed: strict mode has
// nothing to say where nothing is wrong.
func TestProved(t *testing.T) {
	const layers = `
type Layer interface{ Forward(h *T) *T }
type A struct{ w *T }
func (a *A) Forward(h *T) *T { return h.Add(a.w) }
type B struct{ w *T }
func (b B) Forward(h *T) *T { return h.Mul(b.w) }
type Bad struct{ w *T }
func (b *Bad) Forward(h *T) *T { return h.MulInPlace(b.w) }
`
	const options = `
type cell struct{ scale float64; act func(*T) *T; bias *T }
type Option func(*cell)
func WithScale(s float64) Option { return func(c *cell) { c.scale = s } }
func WithAct(f func(*T) *T) Option { return func(c *cell) { c.act = f } }
func WithBias(b *T) Option { return func(c *cell) { c.bias = b } }
func New(opts ...Option) *cell {
	c := &cell{scale: 1, act: (*T).Tanh}
	for _, o := range opts { o(c) }
	return c
}
func (c *cell) step(h, x *T) (*T, *T) { n := c.act(h.Add(x)).MulScalar(c.scale); return n, n.Clone() }
func apply(t *T, opts ...Option) *T {
	c := cell{scale: 1}
	for _, o := range opts { o(&c) }
	t = t.MulScalar(c.scale)
	if c.bias != nil { t = t.Add(c.bias) }
	return t
}
`
	const copies = `
func copies(l []*T) []*T { out := make([]*T, len(l)); for i, t := range l { out[i] = t.Clone() }; return out }
`
	one := func(name, decls, params, body string) program {
		return program{name: name, text: decls + `
func main(` + params + `) {
	hop.Scan(func(c, x *T) (*T, *T) {` + body + `
	}, zero, zero)
}`}
	}
	many := func(name, body string, imports ...string) program {
		return importing(program{name: name, text: copies + `
func main() {
	hop.Scan(func(c []*T, x *T) ([]*T, *T) {` + body + `
	}, []*T{}, zero)
}`}, imports...)
	}
	strictly(t)
	checkPrograms(t, []program{
		one("5: a literal list of layers", layers, "a *A, b B", `
		h := c.Add(x)
		for _, l := range []Layer{a, b, &A{x}} { h = l.Forward(h) }
		return h, h.Clone()`),
		one("5: a literal list with a layer that writes", layers, "a *A, b *Bad", `
		h := c
		for _, l := range []Layer{b, a} { h = l.Forward(h) } // want HOP101 carry
		return h, h.Clone() // want HOP301 next carry=carry`),
		one("5: a literal list of functions", "func relu(t *T) *T { return t.Tanh() }", "a *T", `
		h := c.Add(x)
		for _, f := range []func(*T) *T{relu, (*T).Neg, func(t *T) *T { return t.Add(a) }} { h = f(h) }
		return h, h.Clone()`),
		{name: "5: layers that a constructor made", text: layers + `
type Net struct { layers []Layer }
func New(w *T) *Net { return &Net{layers: []Layer{&A{w}, B{w}}} }
func (n *Net) step(c, x *T) (*T, *T) {
	h := c.Add(x)
	for _, l := range n.layers { h = l.Forward(h) }
	return h, h.Clone()
}
func main(w *T) { hop.Scan(New(w).step, zero, zero) }`},
		one("6: options", options, "b *T", `
		h := apply(c.Add(x), WithScale(2), WithBias(b))
		return h, h.Clone()`),
		{name: "6: options of a constructor", text: options + `
func main() { hop.Scan(New(WithScale(2), WithAct(func(t *T) *T { return t.Neg() })).step, zero, zero) }`},
		one("6: a captured object that options made", options, "", `
		k := New(WithScale(2), WithAct((*T).Neg))
		h := k.act(c.Add(x))
		return h, h.Clone()`),
		{name: "6: an option that brings a function which writes", text: options + `
func write(t *T) *T { t.NegInPlace(); return t.Clone() }
func (c *cell) first(h, x *T) (*T, *T) {
	n := c.act(h) // want HOP101 carry
	return n.Add(x), n.Clone()
}
func main() { hop.Scan(New(WithAct(write)).first, zero, zero) }`},
		one("6: an option that keeps an input", options, "", `
		k := New(WithBias(x))
		return k.bias, x.Clone() // want HOP301 next carry=x`),
		many("6: inserted", `
		return slices.Insert(copies(c), 0, x.Clone()), x.Clone()`, "slices"),
		many("6: an input inserted", `
		return slices.Insert(copies(c), 0, x), x.Clone() // want HOP301 next carry[]=x`, "slices"),
		many("6: inserted into the carry", `
		n := slices.Insert(c, 0, x.Clone()) // want HOP101 carry[]
		return n[:0], x.Clone() // want HOP301 next carry=carry, next carry[]=carry[]`, "slices"),
		many("6: replaced by an element of the carry", `
		return slices.Replace(copies(c), 0, 1, c[0]), x.Clone() // want HOP301 next carry[]=carry[]`, "slices"),
		many("6: repeated", `
		return slices.Repeat([]*T{x.Clone()}, len(c)), x.Clone() // want HOP302 next carry[]=next carry[]`, "slices"),
		many("6: deleted, concatenated, grown, compacted, reversed", `
		n := slices.Concat(slices.Delete(copies(c), 0, 1), []*T{x.Clone()})
		n = slices.Compact(slices.Grow(n, 1))
		slices.Reverse(n)
		return n, x.Clone()`, "slices"),
		importing(program{name: "6: copied into a map", text: `
func main() {
	hop.Scan(func(c map[string]*T, x *T) (map[string]*T, *T) {
		n := map[string]*T{}
		for k, t := range c { n[k] = t.Clone() }
		maps.Copy(n, map[string]*T{"z": x.Neg()})
		return n, x.Clone()
	}, map[string]*T{}, zero)
	hop.Scan(func(c map[string]*T, x *T) (map[string]*T, *T) {
		n := map[string]*T{}
		maps.Copy(n, c)
		return n, x.Clone() // want HOP301 next carry[]=carry[]
	}, map[string]*T{}, zero)
}`}, "maps"),
		{name: "6: a map of functions", text: `
var acts = map[string]func(*T) *T{"tanh": (*T).Tanh, "neg": func(t *T) *T { return t.Neg() }}
func main(name string) {
	hop.Scan(func(c, x *T) (*T, *T) {
		n := acts[name](c.Add(x))
		return n, n.Clone()
	}, zero, zero)
}`},
		{name: "a helper that folds", text: `
func fold(l []*T, from *T, f func(acc, t *T) *T) *T { for _, t := range l { from = f(from, t) }; return from }
func main() {
	hop.Scan(func(c []*T, x *T) ([]*T, *T) {
		return []*T{fold(c, x.Clone(), func(acc, t *T) *T { return acc.Add(t) })}, x.Clone()
	}, []*T{zero}, zero)
	hop.Scan(func(c []*T, x *T) ([]*T, *T) {
		return []*T{fold(c, x.Clone(), func(acc, t *T) *T { return t })}, x.Clone() // want HOP301 next carry[0]=carry[]
	}, []*T{zero}, zero)
}`},
	})
}

// Variables that nobody changes hold the types and functions that the initialiser put there.
func TestProvedVariables(t *testing.T) {
	const layers = `
type Layer interface{ Forward(h *T) *T }
type A struct{ w *T }
func (a *A) Forward(h *T) *T { return h.Add(h) }
type B struct{ w float64 }
func (b B) Forward(h *T) *T { return h.MulScalar(b.w) }
type Bad struct{ w *T }
func (b *Bad) Forward(h *T) *T { return h.AddInPlace(h).Neg() }
type Weight struct{ w *T }
func (w *Weight) Forward(h *T) *T { return w.w }
`
	one := func(name, decls, body string) program {
		return program{name: name, text: decls + `
func main(name string) {
	hop.Scan(func(c, x *T) (*T, *T) {` + body + `
	}, zero, zero)
}`}
	}
	strictly(t)
	checkPrograms(t, []program{
		one("6: a map of two types", layers+`var layers = map[string]Layer{"a": &A{}, "b": B{2}}`, `
		n := layers[name].Forward(c.Add(x))
		return n, n.Clone()`),
		one("6: a list of two types", layers+`var layers = []Layer{&A{}, B{2}}`, `
		h := c.Add(x)
		for _, l := range layers { h = l.Forward(h) }
		return h, h.Clone()`),
		one("6: variables and fields of interfaces", layers+`
var layer Layer = &A{}
var net = struct{ in, out Layer }{&A{}, B{3}}`, `
		h := net.in.Forward(layer.Forward(c))
		return h, h.Clone()`),
		one("6: one of the types writes", layers+`var layers = map[string]Layer{"a": &A{}, "b": &Bad{}}`, `
		n := layers[name].Forward(c) // want HOP101 carry
		return n, n.Clone()`),
		one("6: one of the types returns its weight", layers+`var layers = map[string]Layer{"a": &A{}, "w": &Weight{zero}}`, `
		n := layers[name].Forward(c)
		return n, n.Clone() // want HOP303 next carry=captured layers[].w`),
		one("6: a variable that a helper changes", layers+`
var layers = map[string]Layer{"a": &A{}}
func add(m map[string]Layer, l Layer) { m["x"] = l }
func Register(l Layer) { add(layers, l) }`, `
		_ = layers[name].Forward(c) // want HOP903; HOP903; HOP903
		return c.Clone(), x.Clone()`),
		one("6: an exported variable", layers+`var Layers = map[string]Layer{"a": &A{}}`, `
		_ = Layers[name].Forward(c) // want HOP903; HOP903; HOP903
		return c.Clone(), x.Clone()`),
		one("6: a variable that is set", layers+`
var layer Layer = &A{}
func Set(l Layer) { layer = l }`, `
		_ = layer.Forward(c) // want HOP903; HOP903; HOP903
		return c.Clone(), x.Clone()`),
		one("6: functions in a variable that a helper changes", `
var acts = map[string]func(*T) *T{"tanh": (*T).Tanh}
func add(m map[string]func(*T) *T, f func(*T) *T) { m["x"] = f }
func Register(f func(*T) *T) { add(acts, f) }`, `
		_ = acts[name](x.Clone()) // want HOP903
		return c.Clone(), x.Clone()`),
		one("6: functions in a variable that a helper reads", `
var acts = map[string]func(*T) *T{"tanh": (*T).Tanh}
func pick(m map[string]func(*T) *T, name string) func(*T) *T { return m[name] }`, `
		h := pick(acts, name)(x)
		return h, c.Clone()`),
	})
}

// An operator in a table that does not leave the package is told by what its bodies do.
func TestOperatorsInTables(t *testing.T) {
	const types = `
type op = func(func(c, x *T) (*T, *T), *T, *T, ...hop.Option) (*T, *T)
`
	strictly(t)
	checkPrograms(t, []program{
		{name: "7: a map", text: types + `
var ops = map[string]op{"scan": hop.Scan[*T, *T, *T]}
func main(name string) {
	ops[name](func(c, x *T) (*T, *T) {
		c.AddInPlace(x) // want HOP101 carry
		return c.Clone(), x.Clone()
	}, zero, zero)
	if f, ok := ops[name]; ok { f(func(c, x *T) (*T, *T) { return c.Clone(), x.Clone() }, zero, zero) }
}`},
		{name: "7: a field", text: types + `
type runner struct { scan op }
func main(name string) {
	r := runner{hop.Scan[*T, *T, *T]}
	r.scan(func(c, x *T) (*T, *T) {
		c.AddInPlace(x) // want HOP101 carry
		return c.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "7: a list", text: `
func main() {
	for _, op := range []func(func(x *T) *T, *T, ...hop.Option) *T{hop.Map[*T, *T]} {
		op(func(x *T) *T {
			x.AddInPlace(x) // want HOP102 x
			return x.Clone()
		}, zero)
	}
}`},
		{name: "7: a table that others get", text: types + `
var ops = map[string]op{"scan": hop.Scan[*T, *T, *T]} // want HOP903
func Get() map[string]op { return ops }
func main(name string) {
	ops[name](func(c, x *T) (*T, *T) { return c.Clone(), x.Clone() }, zero, zero)
}`},
		{name: "7: a table of which others get elements", text: types + `
var ops = map[string]op{"scan": hop.Scan[*T, *T, *T]} // want HOP903
func Get(name string) op { return ops[name] }
func main(name string) {
	ops[name](func(c, x *T) (*T, *T) { return c.Clone(), x.Clone() }, zero, zero)
}`},
	})
}
