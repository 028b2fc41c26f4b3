package analyzer_test

// Constructs that write and copy Go memory that holds tensors.
func memoryConstructs() []construct {
	return []construct{
		{name: "append within capacity", carry: "[]*T", declares: `
func Push(ts []*T, t *T) []*T  { return append(ts, t) }
func Copy(ts []*T) []*T        { return append([]*T(nil), ts...) }
func All(ts ...*T) []*T        { return append(ts, ts...) }
func Front(ts []*T) []*T       { return ts[:1] }
type Buffer struct{ Ts []*T }
func (b *Buffer) Add(t *T)     { b.Ts = append(b.Ts, t) }
func Each(dst, src []*T) []*T {
	for _, t := range src {
		dst = append(dst, t.Clone())
	}
	return dst
}
`, broken: `
	_ = append(c[:0], x.Clone()) // want HOP101 carry[]
	_ = Push(c[:1], x.Clone()) // want HOP101 carry[]
	_ = Push(Front(c), x.Clone()) // want HOP101 carry[]
	_ = All(c[:1]...) // want HOP101 carry[]
	b := Buffer{c}
	b.Ts = b.Ts[:1]
	b.Add(x.Clone()) // want HOP101 carry[]
	_ = Each(c[:0], c) // want HOP101 carry[]
	own := Copy(c)
	own[0].Zero() // want HOP101 carry[]`, kept: `
	own := Copy(c)
	own = Push(own, x.Clone())
	own[0] = x.Clone()
	fresh := Push([]*T{x.Clone()}, c[0].Clone())
	fresh[1].Zero()
	_ = append(c[:1:1], x.Clone())
	_ = Push(c[:1:1], x.Clone())
	_ = Push(c, x.Clone())
	b := &Buffer{own[:1]}
	b.Add(x.Clone())
	_ = Each(nil, c)
	return hop.Clone(own), x.Clone()`},
		{name: "loops that overwrite all elements", carry: "[]*T", declares: `
func Copy(ts []*T) []*T        { return append([]*T(nil), ts...) }
func Neg(ts []*T) []*T {
	own := Copy(ts)
	for i := range own {
		own[i] = own[i].Neg()
	}
	return own
}
func NegAll(m map[string]*T) map[string]*T {
	own := make(map[string]*T, len(m))
	for k, t := range m {
		own[k] = t
	}
	for k := range own {
		own[k] = own[k].Neg()
	}
	return own
}
func NegPairs(ps [2]S) [2]S {
	for i, p := range ps {
		ps[i].H, ps[i].C = p.H.Neg(), p.C.Neg()
	}
	return ps
}
func NegSome(ts []*T) []*T {
	own := Copy(ts)
	for i := range own {
		if i > 0 {
			own[i] = own[i].Neg()
		}
	}
	return own
}
`, broken: `
	some := NegSome(c)
	some[0].Zero() // want HOP101 carry[]
	ps := [2]S{{c[0], x}, {x, c[1]}}
	for i := range ps {
		ps[i].H = ps[i].H.Neg()
	}
	ps[0].C.Zero() // want HOP102 x
	return NegSome(c), x.Clone() // want HOP301 next carry[]=carry[]`, kept: `
	ps := NegPairs([2]S{{c[0], x}, {x, c[1]}})
	ps[0].H.Zero()
	m := NegAll(map[string]*T{"a": x, "b": c[0]})
	m["b"].Zero()
	own := make([]*T, len(c))
	copy(own, c)
	for i := 0; i < len(own); i++ {
		own[i] = own[i].Neg()
	}
	for _, t := range own {
		t.Zero()
	}
	return Neg(c), m["a"]`},
		{name: "copy", carry: "[]*T", declares: `
func Overwrite(dst, src []*T) { copy(dst, src) }
func Copy(src []*T) []*T {
	dst := make([]*T, len(src))
	copy(dst, src)
	return dst
}
`, broken: `
	copy(c, []*T{x.Clone()}) // want HOP101 carry[]
	Overwrite(c[1:], []*T{x.Clone()}) // want HOP101 carry[]
	own := Copy(c)
	own[0].Zero() // want HOP101 carry[]`, kept: `
	own := make([]*T, len(c))
	Overwrite(own, c)
	copy(own[1:], Copy(c))
	own[0] = x.Clone()
	return hop.Clone(own), x.Clone()`},
		{name: "clear", carry: "map[string]*T", declares: `
func Reset(m map[string]*T)    { clear(m) }
func Empty(ts []*T)            { clear(ts) }
`, broken: `
	clear(c) // want HOP101 carry[]
	Reset(c) // want HOP101 carry[]`, kept: `
	own := map[string]*T{}
	for k, t := range c {
		own[k] = t
	}
	clear(own)
	Reset(own)
	Empty([]*T{x})`},
		{name: "delete", carry: "map[string]*T", declares: `
func Drop(m map[string]*T, keys ...string) {
	for _, k := range keys {
		delete(m, k)
	}
}
`, broken: `
	delete(c, "a") // want HOP101 carry[]
	Drop(c, "b") // want HOP101 carry[]`, kept: `
	own := map[string]*T{}
	for k, t := range c {
		own[k] = t.Neg()
	}
	delete(own, "a")
	Drop(own, "b")
	return own, x.Clone()`},
		{name: "conversions of slices to arrays", carry: "[]*T", declares: `
func Pair(ts []*T) [2]*T      { return [2]*T(ts) }
func Window(ts []*T) *[2]*T   { return (*[2]*T)(ts) }
func Part(a *[2]*T) []*T      { return a[:1] }
`, broken: `
	p := Pair(c)
	p[0].Zero() // want HOP101 carry[0]
	Window(c)[1] = x.Clone() // want HOP101 carry[1]
	Part(Window(c))[0].Zero() // want HOP101 carry[]`, kept: `
	p := Pair(c)
	p[0] = x.Clone()
	p[0].Zero()
	Part(&p)[0] = x.Clone()
	return hop.Clone(c), p[0]`},
	}
}
