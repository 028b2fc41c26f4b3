package hop_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hoplint/hoplint/runtime/hop"
)

// The reference: programs of the law on plain Go slices, one loop after the other, without any op of the library.

// lawCell is one element: f of floats, i of integers and bools (0 or 1).
type lawCell struct {
	f float64
	i int64
}

// lawArray is a window on cells, as a tensor is one on a storage.
type lawArray struct {
	dt             hop.DType
	shape, strides []int
	off            int
	cells          *[]lawCell
}

func (a *lawArray) typ() lawType { return lawType{a.dt, a.shape} }

func elementsOf(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func newLawArray(dt hop.DType, shape []int) *lawArray {
	cells := make([]lawCell, elementsOf(shape))
	a := &lawArray{dt: dt, shape: slices.Clone(shape), strides: make([]int, len(shape)), cells: &cells}
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		a.strides[i] = n
		n *= shape[i]
	}
	return a
}

// offsets are the places of the elements in row-major order.
func (a *lawArray) offsets() []int {
	list := make([]int, 0, elementsOf(a.shape))
	index := make([]int, len(a.shape))
	for range cap(list) {
		at := a.off
		for d, i := range index {
			at += i * a.strides[d]
		}
		list = append(list, at)
		for d := len(index) - 1; d >= 0; d-- {
			if index[d]++; index[d] < a.shape[d] {
				break
			}
			index[d] = 0
		}
	}
	return list
}

// values are the elements in row-major order.
func (a *lawArray) values() []lawCell {
	offs := a.offsets()
	list := make([]lawCell, len(offs))
	for k, o := range offs {
		list[k] = (*a.cells)[o]
	}
	return list
}

func arrayOf(dt hop.DType, shape []int, values []lawCell) *lawArray {
	a := newLawArray(dt, shape)
	if len(values) != len(*a.cells) {
		panic(fmt.Sprintf("%d values for %v", len(values), shape))
	}
	copy(*a.cells, values)
	return a
}

func (a *lawArray) clone() *lawArray { return arrayOf(a.dt, a.shape, a.values()) }

// window is a view of a.
func (a *lawArray) window(shape, strides []int, off int) *lawArray {
	return &lawArray{a.dt, slices.Clone(shape), slices.Clone(strides), off, a.cells}
}

// expand is a view of a in a shape that it broadcasts to.
func (a *lawArray) expand(shape []int) *lawArray {
	strides := make([]int, len(shape))
	for d := range a.shape {
		e := len(shape) - len(a.shape) + d
		if a.shape[d] == shape[e] {
			strides[e] = a.strides[d]
		}
	}
	return a.window(shape, strides, a.off)
}

// overlaps reports whether two indices name one element.
func (a *lawArray) overlaps() bool {
	for d, n := range a.shape {
		if n > 1 && a.strides[d] == 0 {
			return true
		}
	}
	return false
}

// store writes b, which broadcasts, into a.
func (a *lawArray) store(b *lawArray) {
	values := b.expand(a.shape).values()
	for k, o := range a.offsets() {
		(*a.cells)[o] = values[k]
	}
}

// sel is a view of index i along d.
func (a *lawArray) sel(d, i int) *lawArray {
	return a.window(slices.Delete(slices.Clone(a.shape), d, d+1), slices.Delete(slices.Clone(a.strides), d, d+1), a.off+i*a.strides[d])
}

// broadcast is the common shape of two, false when there is none.
func broadcast(a, b []int) ([]int, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i, n := range b {
		d := len(a) - len(b) + i
		switch {
		case out[d] == n:
		case out[d] == 1:
			out[d] = n
		case n != 1:
			return nil, false
		}
	}
	return out, true
}

// lawMachine runs a program on arrays.
type lawMachine struct {
	exact bool // float32 is not rounded: for differences of values
	// noise disturbs every result of arithmetic by about this many units in the last place. What results of several
	// noisy runs differ by is how far apart two right implementations may be.
	noise float64
	rng   *rand.Rand

	hard, soft uint64             // what was decided by the values of floats: results that jump, and only bend, where that changes
	reached    map[*lawBlock]bool // bodies that ran; nil when nobody asks
	turns      int
}

func (m *lawMachine) decide(hash *uint64, v int64) { *hash = (*hash ^ uint64(v)) * 1099511628211 }

// float is the result v of an operation in a dtype.
func (m *lawMachine) float(dt hop.DType, v float64) lawCell {
	if m.noise > 0 {
		unit := 0x1p-52
		if dt == hop.Float32 {
			unit = 0x1p-23
		}
		v *= 1 + m.noise*unit*(2*m.rng.Float64()-1)
	}
	if dt == hop.Float32 && !m.exact {
		v = float64(float32(v))
	}
	return lawCell{f: v}
}

// run runs a program on its inputs, captured ones first, and returns its outputs.
func (m *lawMachine) run(p *lawProgram, env []*lawArray) []*lawArray { return m.block(p.body, env) }

func (m *lawMachine) block(b *lawBlock, env []*lawArray) []*lawArray {
	env = slices.Clip(env)
	if m.reached != nil {
		m.reached[b] = true
	}
	for _, s := range b.stmts {
		if s.hop != nil {
			env = append(env, m.operator(s.hop, env)...)
			continue
		}
		args := make([]*lawArray, len(s.args))
		for i, r := range s.args {
			args[i] = env[r]
		}
		r := lawOps[s.op].ref(m, args, s.at.in(env))
		if s.write {
			args[0].store(r)
			continue
		}
		env = append(env, r)
	}
	outs := make([]*lawArray, len(b.outs))
	for i, o := range b.outs {
		outs[i] = env[o.reg].clone()
	}
	return outs
}

func noisySource(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 3)) }

// operator runs a higher-order operator as the loop that it stands for.
func (m *lawMachine) operator(h *lawHOP, env []*lawArray) []*lawArray {
	pick := func(regs []int) []*lawArray {
		list := make([]*lawArray, len(regs))
		for i, r := range regs {
			list[i] = env[r].clone()
		}
		return list
	}
	// row are the arguments of a body that takes one slice of each x.
	row := func(args []*lawArray, axes func(i int) int) []*lawArray {
		args = slices.Clone(args)
		for i, x := range xsOf(h, env) {
			if d := axes(i); d != hop.NoAxis {
				d = normal(d, len(x.shape))
				x = newLawArray(x.dt, slices.Delete(slices.Clone(x.shape), d, d+1))
			}
			args = append(args, x)
		}
		return args
	}
	call := func(k int, args ...*lawArray) []*lawArray {
		if m.turns++; m.turns > 20000 {
			panic("the program runs too long")
		}
		return m.block(h.bodies[k], slices.Concat(env, args))
	}
	carry, xs := pick(h.carry), pick(h.xs)
	body := h.bodies[len(h.bodies)-1]
	switch h.kind {
	case "scan", "map":
		length := h.length
		for _, x := range xs {
			length = x.shape[normal(h.axis, len(x.shape))]
		}
		rows := make([][]*lawArray, length)
		for k := range length {
			i := k
			if h.reverse {
				i = length - 1 - k
			}
			args := slices.Clone(carry)
			for _, x := range xs {
				args = append(args, x.sel(normal(h.axis, len(x.shape)), i).clone())
			}
			outs := call(0, args...)
			carry, rows[i] = outs[:len(carry)], outs[len(carry):]
		}
		return append(carry, m.stacked(body, len(carry), env, row(carry, func(int) int { return h.axis }), rows, make([]int, len(body.outs)))...)
	case "vmap":
		length := 0
		for i, x := range xs {
			if h.axes[i] != hop.NoAxis {
				length = x.shape[normal(h.axes[i], len(x.shape))]
			}
		}
		rows := make([][]*lawArray, length)
		for k := range length {
			args := make([]*lawArray, len(xs))
			for i, x := range xs {
				if args[i] = x; h.axes[i] != hop.NoAxis {
					args[i] = x.sel(normal(h.axes[i], len(x.shape)), k).clone()
				}
			}
			rows[k] = call(0, args...)
		}
		return m.stacked(body, 0, env, row(nil, func(i int) int { return h.axes[i] }), rows, h.out)
	case "associative_scan":
		length := xs[0].shape[normal(h.axis, len(xs[0].shape))]
		results := make([]*lawArray, len(xs))
		for j, x := range xs {
			results[j] = x.clone()
		}
		var acc []*lawArray
		for k := range length {
			i := k
			if h.reverse {
				i = length - 1 - k
			}
			element := make([]*lawArray, len(xs))
			for j, x := range xs {
				element[j] = x.sel(normal(h.axis, len(x.shape)), i).clone()
			}
			if k > 0 {
				element = call(0, append(acc, element...)...)
			}
			acc = element
			for j, r := range results {
				r.sel(normal(h.axis, len(r.shape)), i).store(acc[j])
			}
		}
		return results
	case "cond":
		if env[h.head].values()[0].i != 0 {
			return call(0, xs...)
		}
		return call(1, xs...)
	case "switch":
		k := min(max(env[h.head].values()[0].i, 0), int64(len(h.bodies)-1))
		return call(int(k), xs...)
	case "while_loop":
		// Legal loops make fewer turns; one whose counter is written might not end.
		for turn := 0; turn < 8 && call(0, carry...)[0].values()[0].i != 0; turn++ {
			carry = call(1, carry...)
		}
		return carry
	case "for_loop":
		for i := h.lower; i < h.upper; i++ {
			index := arrayOf(hop.Int64, nil, []lawCell{{i: int64(i)}})
			carry = call(0, append([]*lawArray{index}, carry...)...)
		}
		return carry
	default: // subgraph, checkpoint
		outs := call(0, xs...)
		if h.again != nil {
			outs = append(outs, call(0, pick(h.again)...)...)
		}
		return outs
	}
}

func xsOf(h *lawHOP, env []*lawArray) []*lawArray {
	list := make([]*lawArray, len(h.xs))
	for i, r := range h.xs {
		list[i] = env[r]
	}
	return list
}

// stacked stacks the outputs of rows, those from the given one on, at the axes out. Without rows the shapes are found by
// running the body on args as zeros.
func (m *lawMachine) stacked(b *lawBlock, from int, env, args []*lawArray, rows [][]*lawArray, out []int) []*lawArray {
	var types []lawType
	if len(rows) > 0 {
		for _, a := range rows[0] {
			types = append(types, a.typ())
		}
	} else {
		probe := &lawMachine{rng: rand.New(rand.NewPCG(1, 1))}
		for i, a := range args {
			args[i] = newLawArray(a.dt, a.shape)
		}
		for _, a := range probe.block(b, slices.Concat(env, args))[from:] {
			types = append(types, a.typ())
		}
	}
	results := make([]*lawArray, len(types))
	for j, t := range types {
		if out[j] == hop.NoAxis {
			results[j] = rows[0][j]
			continue
		}
		d := normal(out[j], len(t.shape)+1)
		results[j] = newLawArray(t.dt, slices.Insert(slices.Clone(t.shape), d, len(rows)))
		for i, r := range rows {
			results[j].sel(d, i).store(r[j])
		}
	}
	return results
}

// normal is d counted from the front.
func normal(d, rank int) int {
	if d < 0 {
		return d + rank
	}
	return d
}

// agree reports whether a tensor has the elements of a reference: integers and bools exactly, floats to the tolerance
// of their place.
func agree(got T, want *lawArray, tolerance []float64) error {
	if !slices.Equal(got.Shape(), want.shape) || got.DType() != want.dt {
		return fmt.Errorf("is %s%v, want %s", got.DType(), got.Shape(), want.typ())
	}
	values := cellsOf(got)
	for k, w := range want.values() {
		g := values[k]
		ok := g == w
		if want.dt.IsFloat() {
			ok = math.Abs(g.f-w.f) <= tolerance[k] || g.f == w.f || math.IsNaN(g.f) && math.IsNaN(w.f)
		}
		if !ok {
			return fmt.Errorf("element %d is %v, want %v to %v", k, g, w, tolerance)
		}
	}
	return nil
}

// cellsOf are the elements of a tensor in row-major order.
func cellsOf(t T) []lawCell {
	var list []lawCell
	if t.DType() == hop.Int64 {
		for _, v := range hop.ToSlice[int64](t) {
			list = append(list, lawCell{i: v})
		}
		return list
	}
	for _, v := range numbers(t) {
		if t.DType().IsFloat() {
			list = append(list, lawCell{f: v})
		} else {
			list = append(list, lawCell{i: int64(v)})
		}
	}
	return list
}
