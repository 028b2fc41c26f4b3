package analyzer_test

// Constructs that write and copy Go memory that holds tensors.
func memoryConstructs() []construct {
	return []construct{
		{name: "append within capacity", carry: "[]*T", declares: `
func Push(ts []*T, t *T) []*T  { return append(ts, t) }
func Copy(ts []*T) []*T        { return append([]*T(nil), ts...) }
`, broken: `
	_ = append(c[:0], x.Clone()) // want HOP101 carry[]
	own := Copy(c)
	own[0].Zero() // want HOP101 carry[]`, kept: `
	own := Copy(c)
	own = Push(own, x.Clone())
	own[0] = x.Clone()
	fresh := Push([]*T{x.Clone()}, c[0].Clone())
	fresh[1].Zero()
	_ = append(c[:1:1], x.Clone())
	return hop.Clone(own), x.Clone()`},
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
