package hop_test

import (
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/runtime/hop"
)

// The generator of programs of the law. It knows of every register its type, how it lies in memory and which body made
// its storage, by running the reference on zeros; so every program that it makes is legal, unless a fault is asked for.

// lawGen draws one program.
type lawGen struct {
	t      *rapid.T
	regs   []*lawArray
	owner  map[*[]lawCell]int // the body that a storage was made in; none for what bodies are given
	body   int                // the current body
	bodies int
	depth  int
	budget int // statements that may still be drawn
	probe  *lawMachine
	block  *lawBlock // the current one
	fault  *lawFault // nil for a legal program

	captured  int  // registers that the program itself captures
	predicate bool // the current body is the predicate of a loop
}

// lawDepth is how deep operators nest.
const lawDepth = 3

func (g *lawGen) n(lo, hi int, label string) int { return rapid.IntRange(lo, hi).Draw(g.t, label) }

// chance is true k times in n.
func (g *lawGen) chance(k, n int, label string) bool { return g.n(0, n-1, label) >= n-k }

// program draws a program with at most size statements.
func lawProgramOf(t *rapid.T, size int, fault *lawFault) *lawProgram {
	g := &lawGen{t: t, owner: map[*[]lawCell]int{}, budget: size, fault: fault, body: -1, probe: &lawMachine{rng: rand.New(rand.NewPCG(1, 1))}}
	p := &lawProgram{fault: fault, forms: [2]int{g.n(0, lawForms-1, "form"), g.n(0, lawForms-1, "form")}}
	for range g.n(0, 2, "captured") {
		p.captured = append(p.captured, g.input(p.captured))
	}
	for range g.n(1, 3, "inputs") {
		p.inputs = append(p.inputs, g.input(append(p.captured, p.inputs...)))
	}
	for _, in := range append(slices.Clone(p.captured), p.inputs...) {
		g.regs = append(g.regs, newLawArray(in.typ.dt, in.typ.shape))
	}
	g.captured = len(p.captured)
	p.body = g.draw(nil, func() {
		g.statements(3, 9)
		for range g.n(1, 3, "outputs") {
			g.output(g.any("output", func(*lawArray) bool { return true }))
		}
	})
	return p
}

func (g *lawGen) dtype() hop.DType {
	return []hop.DType{hop.Float64, hop.Float64, hop.Float64, hop.Float32, hop.Int64, hop.Bool}[g.n(0, 5, "dtype")]
}

func (g *lawGen) shape() []int {
	shape := []int{}
	for range g.n(0, 3, "rank") {
		shape = append(shape, []int{2, 3, 1, 2, 3, 4, 2, 0}[g.n(0, 7, "size")])
	}
	if len(shape) == 3 && elementsOf(shape) > 18 {
		shape = shape[:2]
	}
	return shape
}

// input draws a tensor, often of the type of an earlier one, so that they go together.
func (g *lawGen) input(earlier []lawInput) lawInput {
	in := lawInput{typ: lawType{g.dtype(), g.shape()}, layout: g.n(0, lawLayouts-1, "layout")}
	if len(earlier) > 0 && g.chance(1, 2, "same type") {
		in.typ = earlier[g.n(0, len(earlier)-1, "which")].typ
	}
	for range elementsOf(in.typ.shape) {
		v := float64(g.n(-20, 20, "value"))
		switch {
		case in.typ.dt.IsFloat():
			v = v/10 + 0.0137
		case in.typ.dt == hop.Bool:
			v = float64(truth(v > 0))
		}
		in.values = append(in.values, v)
	}
	return in
}

// draw makes a body with parameters; build draws its statements and outputs.
func (g *lawGen) draw(params []lawType, build func()) *lawBlock {
	regs, body, block := len(g.regs), g.body, g.block
	g.bodies++
	g.body, g.block = g.bodies, &lawBlock{params: params}
	g.regs = slices.Clip(g.regs)
	for _, t := range params {
		g.regs = append(g.regs, newLawArray(t.dt, t.shape))
	}
	g.depth++
	build()
	if g.fault != nil {
		g.fault.place(g, regs)
	}
	g.depth--
	made := g.block
	g.regs, g.body, g.block = g.regs[:regs], body, block
	return made
}

// any draws a register that fits, the newest first; -1 when there is none.
func (g *lawGen) any(label string, fits func(a *lawArray) bool) int {
	var list []int
	for r := len(g.regs) - 1; r >= 0; r-- {
		if fits(g.regs[r]) {
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return -1
	}
	return list[g.n(0, len(list)-1, label)]
}

// emit adds an op and returns the register of its result.
func (g *lawGen) emit(op string, at lawAttrs, args ...int) int {
	arrays := make([]*lawArray, len(args))
	for i, r := range args {
		arrays[i] = g.regs[r]
	}
	at.sizes = g.sizes(op, at.ints)
	r := lawOps[op].ref(g.probe, arrays, at)
	g.block.stmts = append(g.block.stmts, &lawStmt{op: op, args: args, at: at, types: []lawType{r.typ()}})
	if !lawOps[op].view || len(arrays) == 0 || r.cells != arrays[0].cells {
		g.owner[r.cells] = g.body
	}
	g.regs = append(g.regs, r)
	return len(g.regs) - 1
}

// sizes finds registers whose sizes the constants of an op are, so that the program has a meaning for other sizes, too.
func (g *lawGen) sizes(op string, ints []int) []lawSize {
	if !slices.Contains([]string{"expand", "full", "reshape", "narrow", "arange"}, op) {
		return nil
	}
	list, found := make([]lawSize, len(ints)), false
	for k, n := range ints {
		list[k].reg = -1
		if n < 2 || op == "narrow" && k < 2 {
			continue
		}
		for r := len(g.regs) - 1; r >= 0 && list[k].reg < 0; r-- {
			if d := slices.Index(g.regs[r].shape, n); d >= 0 {
				list[k], found = lawSize{r, d}, true
			}
		}
	}
	if !found {
		return nil
	}
	return list
}

// output adds an output of the current body: a copy, unless the register's storage is the body's and not yet given.
func (g *lawGen) output(r int) {
	out := lawOut{reg: r, clone: true}
	if g.mine(r) && g.chance(2, 3, "as it is") {
		out.clone = false
		for _, o := range g.block.outs {
			if !o.clone && g.regs[o.reg].cells == g.regs[r].cells {
				out.clone = true
			}
		}
	}
	g.block.outs = append(g.block.outs, out)
}

// mine reports whether the current body made the storage of r.
func (g *lawGen) mine(r int) bool { return g.owner[g.regs[r].cells] == g.body }

// want returns a register of a type, made of others where there is none.
func (g *lawGen) want(t lawType) int {
	r := g.any("operand", func(a *lawArray) bool { return a.typ().equal(t) })
	if r >= 0 && g.chance(4, 5, "as it is") {
		return r
	}
	r = g.any("source", func(a *lawArray) bool {
		_, ok := broadcast(a.shape, t.shape)
		return ok && len(a.shape) <= len(t.shape)
	})
	if r < 0 || !fitsInto(g.regs[r].shape, t.shape) {
		if r = g.any("source", func(*lawArray) bool { return true }); r < 0 {
			return g.emit("full", lawAttrs{ints: t.shape, nums: []float64{1}, dt: t.dt})
		}
		if g.regs[r].dt == hop.Bool {
			r = g.emit("any", lawAttrs{ints: []int{0}}, r)
		} else {
			r = g.emit("sum", lawAttrs{ints: []int{0}}, r)
		}
	}
	if g.regs[r].dt != t.dt {
		r = g.emit("cast", lawAttrs{dt: t.dt}, r)
	}
	if !slices.Equal(g.regs[r].shape, t.shape) {
		r = g.emit("expand", lawAttrs{ints: t.shape}, r)
	}
	return r
}

// fitsInto reports whether a shape broadcasts to another one.
func fitsInto(a, b []int) bool {
	s, ok := broadcast(a, b)
	return ok && slices.Equal(s, b)
}

// bounded is want, with floats brought near 0 half of the time, so that loops do not run away.
func (g *lawGen) bounded(t lawType) int {
	r := g.want(t)
	if t.dt.IsFloat() && g.chance(1, 2, "bound") {
		r = g.emit([]string{"tanh", "sin", "bell"}[g.n(0, 2, "bound by")], lawAttrs{}, r)
	}
	return r
}

// statements draws between lo and hi statements, as far as the budget goes.
func (g *lawGen) statements(lo, hi int) {
	for range g.n(lo, hi, "statements") {
		if g.budget <= 0 {
			return
		}
		g.budget--
		if g.depth <= lawDepth && g.chance(1, 3, "operator") {
			g.operator()
			continue
		}
		g.statement()
	}
}

// statement draws one op; nothing where its operands do not exist.
func (g *lawGen) statement() {
	switch kind := g.n(0, 19, "kind"); {
	case kind < 4:
		g.pointwise(g.one([]string{"tanh", "sin", "mul_scalar", "add_scalar", "neg", "cos", "sigmoid", "erf", "one_minus", "square", "softplus", "relu",
			"abs", "exp_tanh", "root", "log_root", "bell", "floor", "round", "sign", "not", "rsub_scalar", "maximum_scalar", "gt_scalar", "lt_scalar", "le_scalar"}))
	case kind < 8:
		g.pair(g.one([]string{"add", "mul", "sub", "maximum", "minimum", "div_root", "atan2", "and", "or", "xor", "lt", "ge", "eq"}))
	case kind < 10:
		g.reduction(g.one([]string{"sum", "mean", "max", "min", "any", "all", "var", "log_sum_exp"}))
	case kind < 13:
		g.view()
	case kind < 15:
		g.write()
	case kind < 16:
		op := g.one([]string{"cum_sum", "softmax", "flip", "cum_prod", "sort", "arg_max"})
		if r := g.any("operand", func(a *lawArray) bool {
			return len(a.shape) > 0 && elementsOf(a.shape) > 0 && slices.Contains(lawOps[op].dtypes, a.dt)
		}); r >= 0 {
			g.emit(op, lawAttrs{ints: []int{g.n(0, len(g.regs[r].shape)-1, "dim")}}, r)
		}
	case kind < 17:
		switch g.n(0, 2, "making") {
		case 0:
			at := lawAttrs{ints: g.shape(), nums: []float64{float64(g.n(-2, 2, "value"))}, dt: g.dtype()}
			if at.dt == hop.Bool {
				at.nums[0] = float64(truth(at.nums[0] > 0))
			}
			g.emit("full", at)
		case 1:
			g.emit("arange", lawAttrs{ints: []int{g.n(0, 4, "length")}, dt: []hop.DType{hop.Float64, hop.Int64, hop.Float32}[g.n(0, 2, "dtype")]})
		case 2:
			r := g.any("operand", func(*lawArray) bool { return true })
			g.emit("cast", lawAttrs{dt: lawAny[g.n(0, 3, "dtype")]}, r)
		}
	case kind < 18:
		g.product()
	case kind < 19:
		g.joined()
	default:
		g.indexed()
	}
}

func (g *lawGen) one(words []string) string { return words[g.n(0, len(words)-1, "op")] }

// pointwise draws an op on one tensor.
func (g *lawGen) pointwise(op string) {
	r := g.any("operand", func(a *lawArray) bool {
		return slices.Contains(lawOps[op].dtypes, a.dt) && (a.dt != hop.Int64 || !g.floatOnly(op))
	})
	if r >= 0 {
		g.emit(op, g.number(), r)
	}
}

// floatOnly are the ops of the number table that integers have no form of.
func (g *lawGen) floatOnly(op string) bool { return !slices.Contains(lawOps[op].dtypes, hop.Int64) }

// number draws the constant of a scalar op.
func (g *lawGen) number() lawAttrs {
	return lawAttrs{nums: []float64{[]float64{2, -1, 1, -2, 0, 3}[g.n(0, 5, "number")]}}
}

// pair draws an op on two tensors.
func (g *lawGen) pair(op string) {
	a := g.any("left", func(a *lawArray) bool { return slices.Contains(lawOps[op].dtypes, a.dt) })
	if a < 0 {
		return
	}
	b := g.any("right", func(b *lawArray) bool {
		shape, ok := broadcast(g.regs[a].shape, b.shape)
		return ok && b.dt == g.regs[a].dt && elementsOf(shape) <= 64
	})
	if g.chance(1, 6, "where") {
		if c := g.any("condition", func(c *lawArray) bool {
			return c.dt == hop.Bool && fitsInto(c.shape, g.regs[a].shape) && fitsInto(g.regs[b].shape, g.regs[a].shape)
		}); c >= 0 {
			g.emit("where", lawAttrs{}, c, a, b)
			return
		}
	}
	g.emit(op, lawAttrs{}, a, b)
}

func (g *lawGen) reduction(op string) {
	r := g.any("operand", func(a *lawArray) bool {
		return slices.Contains(lawOps[op].dtypes, a.dt) && (elementsOf(a.shape) > 0 || op == "sum" || op == "any" || op == "all")
	})
	if r < 0 {
		return
	}
	at := lawAttrs{ints: []int{g.n(0, 1, "keep")}}
	for d := range g.regs[r].shape {
		if g.chance(1, 2, "dim") {
			at.ints = append(at.ints, d)
		}
	}
	g.emit(op, at, r)
}

// view draws a view of a register.
func (g *lawGen) view() {
	r := g.any("operand", func(*lawArray) bool { return true })
	op, at, ok := g.window(g.regs[r])
	if ok {
		g.emit(op, at, r)
	}
}

// window draws a view op that fits a.
func (g *lawGen) window(a *lawArray) (op string, at lawAttrs, ok bool) {
	rank := len(a.shape)
	if rank == 0 {
		if g.chance(1, 2, "expand") {
			return "expand", lawAttrs{ints: []int{g.n(1, 3, "size")}}, true
		}
		return "unsqueeze", lawAttrs{ints: []int{0}}, true
	}
	d := g.n(0, rank-1, "dim")
	n := a.shape[d]
	switch g.n(0, 7, "view") {
	case 0:
		start := g.n(0, n, "start")
		length := g.n(0, n-start, "length")
		if length == 0 && g.chance(2, 3, "elements") {
			start, length = 0, n
		}
		return "narrow", lawAttrs{ints: []int{d, start, length}}, true
	case 1:
		if n == 0 {
			return "", at, false
		}
		start := g.n(0, n-1, "start")
		return "slice", lawAttrs{ints: []int{d, start, g.n(start+1, n, "stop"), g.n(1, 3, "step")}}, true
	case 2:
		if n == 0 {
			return "", at, false
		}
		return "select", lawAttrs{ints: []int{d, g.n(0, n-1, "index")}}, true
	case 3, 4:
		return "transpose", lawAttrs{ints: []int{d, g.n(0, rank-1, "with")}}, true
	case 5:
		if rank >= 2 && g.chance(1, 2, "diagonal") {
			return "diagonal", at, true
		}
		return "unsqueeze", lawAttrs{ints: []int{g.n(0, rank, "at")}}, rank < 4
	case 6:
		if elementsOf(a.shape) > 20 || rank > 3 {
			return "", at, false
		}
		return "expand", lawAttrs{ints: append([]int{g.n(1, 3, "size")}, a.shape...)}, true
	default:
		shape := slices.Clone(a.shape)
		if rank > 1 && g.chance(2, 3, "merge") {
			k := g.n(0, rank-2, "dims")
			shape = slices.Delete(shape, k, k+1)
			shape[k] *= a.shape[k]
		} else if rank < 4 && n%2 == 0 && n > 0 {
			shape[d] = n / 2
			shape = slices.Insert(shape, d, 2)
		} else if rank > 1 {
			slices.Reverse(shape)
		}
		return "reshape", lawAttrs{ints: shape}, true
	}
}

// write draws an in-place op on a register of the current body, often through a view made for it.
func (g *lawGen) write() {
	r := g.any("receiver", func(a *lawArray) bool { return g.owner[a.cells] == g.body && !a.overlaps() })
	if r < 0 {
		return
	}
	for range g.n(0, 3, "views") {
		if op, at, ok := g.window(g.regs[r]); ok {
			r = g.emit(op, at, r)
		}
	}
	if a := g.regs[r]; a.overlaps() { // one place of an expanded view
		if d := slices.Index(a.strides, 0); a.shape[d] > 1 {
			r = g.emit("select", lawAttrs{ints: []int{d, g.n(0, a.shape[d]-1, "index")}}, r)
		}
	}
	if g.regs[r].overlaps() {
		return
	}
	g.writeTo(r, -1)
}

// writeTo draws a write to r, of register from where that is given.
func (g *lawGen) writeTo(r, from int) {
	a := g.regs[r]
	put := func(op string, at lawAttrs, args ...int) {
		g.block.stmts = append(g.block.stmts, &lawStmt{op: op, args: append([]int{r}, args...), at: at, write: true})
	}
	second := from
	if second < 0 {
		second = g.any("source", func(b *lawArray) bool { return b.dt == a.dt && fitsInto(b.shape, a.shape) })
	}
	number := a.dt != hop.Bool
	switch k := g.n(0, 5, "write"); {
	case k == 0 && number && second >= 0:
		put([]string{"add", "mul", "sub", "maximum"}[g.n(0, 3, "op")], lawAttrs{}, second)
	case k == 1 && second >= 0 && !number:
		put([]string{"and", "or", "xor"}[g.n(0, 2, "op")], lawAttrs{}, second)
	case k <= 2 && second >= 0 || from >= 0:
		put("copy_from", lawAttrs{}, second)
	case k == 3 && a.dt.IsFloat():
		put([]string{"tanh", "sin", "square", "exp_tanh", "neg"}[g.n(0, 4, "op")], lawAttrs{})
	case k == 4 && number:
		put([]string{"mul_scalar", "add_scalar", "rsub_scalar"}[g.n(0, 2, "op")], g.number())
	default:
		put("fill", lawAttrs{nums: []float64{float64(g.n(0, 1, "value"))}})
	}
}

// product draws a matrix product of tensors of rank 1 or 2.
func (g *lawGen) product() {
	matrix := func(a *lawArray) bool { return (len(a.shape) == 1 || len(a.shape) == 2) && a.dt != hop.Bool }
	a := g.any("left", matrix)
	if a < 0 {
		return
	}
	n := g.regs[a].shape[len(g.regs[a].shape)-1]
	b := g.any("right", func(b *lawArray) bool { return matrix(b) && b.dt == g.regs[a].dt && b.shape[0] == n })
	if b < 0 {
		if len(g.regs[a].shape) != 2 {
			return
		}
		b = g.emit("transpose", lawAttrs{ints: []int{0, 1}}, a)
	}
	g.emit("matmul", lawAttrs{}, a, b)
}

// joined draws a Concat or Stack.
func (g *lawGen) joined() {
	a := g.any("first", func(a *lawArray) bool { return elementsOf(a.shape) <= 32 && len(a.shape) < 4 })
	if a < 0 {
		return
	}
	d := g.n(0, len(g.regs[a].shape), "dim")
	if b := g.any("second", func(b *lawArray) bool { return b.typ().equal(g.regs[a].typ()) }); d == len(g.regs[a].shape) || g.chance(1, 2, "stack") {
		g.emit("stack", lawAttrs{ints: []int{d}}, a, b)
		return
	}
	b := g.any("second", func(b *lawArray) bool {
		s, u := slices.Clone(b.shape), slices.Clone(g.regs[a].shape)
		if len(s) != len(u) || b.dt != g.regs[a].dt {
			return false
		}
		s[d], u[d] = 0, 0
		return slices.Equal(s, u)
	})
	g.emit("concat", lawAttrs{ints: []int{d}}, a, b)
}

// indexed draws an At, a Put or an IndexSelect with an index that is data.
func (g *lawGen) indexed() {
	a := g.any("operand", func(a *lawArray) bool { return elementsOf(a.shape) > 0 && len(a.shape) > 0 })
	if a < 0 {
		return
	}
	d := g.n(0, len(g.regs[a].shape)-1, "dim")
	if i := g.any("indices", func(i *lawArray) bool { return i.dt == hop.Int64 && len(i.shape) == 1 && i.shape[0] <= 4 }); i >= 0 && g.chance(1, 3, "select") {
		g.emit("index_select", lawAttrs{ints: []int{d}}, a, i)
		return
	}
	i := g.want(lawType{hop.Int64, []int{}})
	if g.chance(1, 2, "put") {
		rest := slices.Delete(slices.Clone(g.regs[a].shape), d, d+1)
		g.emit("put", lawAttrs{ints: []int{d}}, a, i, g.want(lawType{g.regs[a].dt, rest}))
		return
	}
	g.emit("at", lawAttrs{ints: []int{d}}, a, i)
}
