package oracle

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// idioms are bodies as numerical programs have them. They keep the contract: the runtime runs them with its checks, and the analyzer has
// nothing to say, in strict mode neither, but for those of which it is known why.
var idioms = []struct{ name, imports, decls, run string }{
	{"ring buffer", "", `
type ring struct {
	Items []T
	Sum   T
}
func (r ring) push(t T) ring {
	items := make([]T, len(r.Items))
	for i := range items {
		items[i] = r.Items[(i+1)%len(r.Items)].Clone()
	}
	items[len(items)-1] = t.Clone()
	return ring{items, r.Sum.Add(t)}
}
`, `hop.Scan(func(r ring, x T) (ring, T) {
		next := r.push(x)
		return next, next.Sum.Clone()
	}, ring{[]T{fresh(), fresh(), fresh()}, fresh()}, hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
	{"double buffering", "", `
type buffers struct{ Front, Back []T }
func (b *buffers) swap() { b.Front, b.Back = b.Back, b.Front }
`, `hop.Scan(func(b buffers, x T) (buffers, T) {
		next := buffers{Front: make([]T, len(b.Front)), Back: make([]T, len(b.Back))}
		for i := range b.Front {
			next.Front[i] = b.Front[i].Clone()
			next.Back[i] = b.Front[i].Add(x)
		}
		next.swap()
		return next, next.Front[0].Sum()
	}, buffers{[]T{fresh(), fresh()}, []T{fresh(), fresh()}}, hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
	{"double buffering of copies", "slices", "", `hop.Scan(func(c []T, x T) ([]T, T) {
		cur, next := slices.Clone(c), make([]T, len(c))
		for range 2 {
			for i := range cur {
				next[i] = cur[i].Add(x)
			}
			cur, next = next, make([]T, len(c))
		}
		return cur, x.Clone()
	}, []T{fresh(), fresh()}, hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
	{"struct of slices", "slices", `
type layersState struct{ H, C []T }
func (s layersState) clone() layersState {
	out := layersState{slices.Clone(s.H), slices.Clone(s.C)}
	for i := range out.H {
		out.H[i] = out.H[i].Clone()
	}
	for i := range out.C {
		out.C[i] = out.C[i].Clone()
	}
	return out
}
`, `hop.Scan(func(s layersState, x T) (layersState, T) {
		next := s.clone()
		in := x
		for i := range next.H {
			next.H[i].AddInPlace(in)
			next.C[i].MulInPlace(next.H[i])
			in = next.H[i]
		}
		return next, in.Clone()
	}, layersState{[]T{fresh(), fresh()}, []T{fresh(), fresh()}}, hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
	{"per-layer state map", "maps slices", `
type perLayer map[string]T
func (p perLayer) update(f func(name string, t T) T) perLayer {
	next := maps.Clone(p)
	for name := range p {
		next[name] = f(name, p[name])
	}
	return next
}
`, `hop.Scan(func(p perLayer, x T) (perLayer, T) {
		next := p.update(func(name string, t T) T { return t.Add(x) })
		var total T
		for _, name := range slices.Sorted(maps.Keys(next)) {
			if total == nil {
				total = next[name].Clone()
				continue
			}
			total = total.Add(next[name])
		}
		return next, total
	}, perLayer{"a": fresh(), "b": fresh()}, hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
	{"accumulator with early return", "", `
type accumulator struct {
	Sum, Max T
	Hist     []T
}
func (a accumulator) add(t T, keep bool) (accumulator, error) {
	out := accumulator{Sum: a.Sum.Add(t), Hist: make([]T, len(a.Hist))}
	copy(out.Hist, a.Hist)
	for i, h := range out.Hist {
		out.Hist[i] = h.Clone()
	}
	if !keep {
		out.Max = a.Max.Clone()
		return out, nil
	}
	out.Max = hop.Where(a.Max.Gt(t), a.Max, t)
	return out, nil
}
`, `hop.Scan(func(a accumulator, x T) (accumulator, T) {
		next, err := a.add(x, flags[0])
		if err != nil {
			panic(err)
		}
		return next, next.Sum.Clone()
	}, accumulator{fresh(), fresh(), []T{fresh(), fresh()}}, hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
	{"generics with constraints", "", `
type adds[E any] interface{ Add(E) E }
func running[E adds[E]](l []E, by E) []E {
	out := make([]E, 0, len(l))
	for _, e := range l {
		by = by.Add(e)
		out = append(out, by)
	}
	return out
}
`, `hop.Scan(func(c []T, x T) ([]T, T) {
		next := running(c, x)
		return next, next[len(next)-1].Clone()
	}, []T{fresh(), fresh()}, hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
	{"builder", "", `
type stateBuilder struct {
	s   S
	err error
}
func newBuilder() *stateBuilder { return &stateBuilder{s: S{M: map[string]T{}}} }
func (b *stateBuilder) with(a, c T) *stateBuilder { b.s.A, b.s.B = a, c; return b }
func (b *stateBuilder) in(t T) *stateBuilder { b.s.In.C = t; return b }
func (b *stateBuilder) list(ts ...T) *stateBuilder { b.s.L = append(b.s.L, ts...); return b }
func (b *stateBuilder) entry(k string, t T) *stateBuilder { b.s.M[k] = t; return b }
func (b *stateBuilder) build() (S, error) { return b.s, b.err }
`, `hop.Scan(func(s S, x T) (S, T) {
		next, err := newBuilder().with(s.A.Add(x), s.B.Clone()).in(s.In.C.Clone()).list(s.L[0].Clone(), s.L[1].Add(x)).
			entry("a", s.M["a"].Clone()).entry("b", s.M["b"].Clone()).build()
		if err != nil {
			panic(err)
		}
		return next, x.Clone()
	}, newS(), hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
	{"sorted keys before a walk", "sort", `
func sortedKeys(m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
`, `hop.Scan(func(m map[string]T, x T) (map[string]T, T) {
		next, h := make(map[string]T, len(m)), x
		for _, k := range sortedKeys(m) {
			h = m[k].Add(h)
			next[k] = h
		}
		return next, h.Clone()
	}, map[string]T{"a": fresh(), "b": fresh()}, hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
	{"named results and errors", "errors fmt", `
var errShape = errors.New("shape")
func checked(s S, x T) (next S, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("checked: %w", err)
		}
	}()
	next = hop.Clone(s)
	if x.Dim(0) != next.A.Dim(0) {
		return next, errShape
	}
	next.A.AddInPlace(x)
	return
}
`, `hop.Scan(func(s S, x T) (S, T) {
		next, err := checked(s, x)
		if err != nil {
			panic(err)
		}
		return next, next.A.Clone()
	}, newS(), hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
	{"stencil", "slices", "", `hop.Scan(func(u []T, x T) ([]T, T) {
		next := slices.Clone(u)
		next[0], next[len(next)-1] = u[0].Clone(), u[len(u)-1].Clone()
		for i := 1; i < len(next)-1; i++ {
			next[i] = u[i-1].Add(u[i+1]).MulScalar(0.5)
		}
		return next, x.Clone()
	}, []T{fresh(), fresh(), fresh(), fresh()}, hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
	{"delay line", "", `
func delay(line []T, t T) {
	for i := len(line) - 1; i > 0; i-- {
		line[i] = line[i-1]
	}
	line[0] = t
}
`, `hop.Scan(func(c []T, x T) ([]T, T) {
		line := hop.Clone(c)
		delay(line, x.Clone())
		return line, line[len(line)-1].Clone()
	}, []T{fresh(), fresh(), fresh()}, hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
	{"history that drops the oldest", "", "", `hop.Scan(func(c []T, x T) ([]T, T) {
		next := hop.Clone(c)
		next = append(next[1:], x.Clone())
		return next, x.Clone()
	}, []T{fresh(), fresh(), fresh()}, hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
}

// onFlags are idioms in which one flag is asked twice: that the branches never happen together is not seen.
var onFlags = []struct{ name, imports, decls, run string }{
	{"copy on write", "", `
type cow struct {
	list  []T
	owned bool
}
func (c *cow) set(i int, t T) {
	if !c.owned {
		own := make([]T, len(c.list))
		for j, u := range c.list {
			own[j] = u.Clone()
		}
		c.list, c.owned = own, true
	}
	c.list[i] = t
}
`, `hop.Scan(func(c []T, x T) ([]T, T) {
		next := &cow{list: c}
		next.set(0, c[0].Add(x))
		next.set(1, c[1].Add(x))
		return hop.Clone(next.list), x.Clone()
	}, []T{fresh(), fresh()}, hop.Ones(hop.Float64, 3, 2, 2), hop.Stepwise())`},
}

func TestIdioms(t *testing.T) {
	var list []Program
	all := append(slices.Clone(idioms), onFlags...)
	for i, d := range all {
		p := Program{Name: fmt.Sprintf("program%d", i), Imports: strings.Fields(d.imports)}
		p.Text = fmt.Sprintf("%s\nfunc %s() {\n\t%s\n}\n", d.decls, p.Name, d.run)
		list = append(list, p)
	}
	dynamic, static := judge(t, list)
	for i, d := range all {
		t.Run(d.name, func(t *testing.T) {
			if o := dynamic[i]; len(o.Refusals) > 0 || o.Other != "" {
				t.Errorf("the runtime says %v %s", o.Refusals, o.Other)
			}
			if s := static[list[i].Name]; i < len(idioms) && (len(s.Findings) > 0 || len(s.Strict) > 0 || s.Unproved) {
				t.Errorf("the analyzer says %v, in strict mode %v, unproved %t", s.Findings, s.Strict, s.Unproved)
			}
		})
	}
}
