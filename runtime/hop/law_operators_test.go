package hop_test

import (
	"slices"

	"github.com/hoplint/hoplint/runtime/hop"
)

// The higher-order operators of the programs of the law.

// operator draws one call.
func (g *lawGen) operator() {
	h := &lawHOP{head: -1, length: -1, limit: -1, forms: [3]int{g.form(), g.form(), g.form()}}
	switch g.n(0, 10, "operator") {
	case 0, 1:
		g.scan(h)
	case 2, 3:
		g.branches(h)
	case 4:
		g.while(h)
	case 5:
		g.turns(h)
	case 6:
		g.maps(h)
	case 7:
		g.lanes(h)
	case 8:
		g.associative(h)
	default:
		g.call(h)
	}
}

func (g *lawGen) form() int { return g.n(0, lawForms-1, "form") }

// add adds the call and its results, which are fresh.
func (g *lawGen) add(h *lawHOP) {
	g.probe.turns = 0
	s := &lawStmt{hop: h}
	for _, r := range g.probe.operator(h, g.regs) {
		g.owner[r.cells] = g.body
		g.regs = append(g.regs, r)
		s.types = append(s.types, r.typ())
	}
	g.block.stmts = append(g.block.stmts, s)
}

func (g *lawGen) typesOf(regs []int) []lawType {
	var types []lawType
	for _, r := range regs {
		types = append(types, g.regs[r].typ())
	}
	return types
}

// some draws between lo and hi registers that fit, small ones.
func (g *lawGen) some(lo, hi int, label string, fits func(a *lawArray) bool) []int {
	var list []int
	for range g.n(lo, hi, label) {
		if r := g.any(label, func(a *lawArray) bool { return elementsOf(a.shape) <= 24 && fits(a) }); r >= 0 {
			list = append(list, r)
		}
	}
	return list
}

func anyArray(*lawArray) bool { return true }

// along draws tensors that are equally long along h.axis.
func (g *lawGen) along(h *lawHOP, lo, hi int) {
	h.axis = []int{0, 0, 1, -1}[g.n(0, 3, "axis")]
	has := func(a *lawArray) bool {
		d := normal(h.axis, len(a.shape))
		return d >= 0 && d < len(a.shape)
	}
	length := -1
	h.xs = g.some(lo, hi, "xs", func(a *lawArray) bool {
		return has(a) && (length < 0 || a.shape[normal(h.axis, len(a.shape))] == length)
	})
	if len(h.xs) == 0 {
		return
	}
	a := g.regs[h.xs[0]]
	length = a.shape[normal(h.axis, len(a.shape))]
	h.xs = slices.DeleteFunc(h.xs, func(r int) bool { b := g.regs[r]; return b.shape[normal(h.axis, len(b.shape))] != length })
}

// slicesOf are the types of one slice of xs.
func (g *lawGen) slicesOf(h *lawHOP) []lawType {
	var types []lawType
	for _, r := range h.xs {
		a := g.regs[r]
		d := normal(h.axis, len(a.shape))
		types = append(types, lawType{a.dt, slices.Delete(slices.Clone(a.shape), d, d+1)})
	}
	return types
}

func (g *lawGen) scan(h *lawHOP) {
	h.kind = "scan"
	h.carry = g.some(1, 3, "carry", anyArray)
	g.along(h, 0, 2)
	if len(h.carry) == 0 {
		return
	}
	if len(h.xs) == 0 {
		h.axis, h.length = 0, g.n(0, 3, "length")
	}
	h.reverse = g.chance(1, 3, "reverse")
	carry := g.typesOf(h.carry)
	h.bodies = []*lawBlock{g.draw(append(carry, g.slicesOf(h)...), func() {
		g.statements(1, 4)
		for _, t := range carry {
			g.output(g.bounded(t))
		}
		for range g.n(0, 2, "ys") {
			if r := g.any("y", func(a *lawArray) bool { return elementsOf(a.shape) <= 16 && len(a.shape) < 4 }); r >= 0 {
				g.output(r)
			}
		}
	})}
	g.add(h)
}

// branches draws a Cond or a Switch. The first branch decides what the others return.
func (g *lawGen) branches(h *lawHOP) {
	h.kind = "cond"
	n := 2
	if g.chance(1, 3, "switch") {
		h.kind = "switch"
		n = g.n(1, 3, "branches")
	}
	h.xs = g.some(0, 3, "operands", anyArray)
	params := g.typesOf(h.xs)
	if h.head = g.head(h.kind); h.head < 0 {
		return
	}
	var results []lawType
	for k := range n {
		h.bodies = append(h.bodies, g.draw(params, func() {
			g.statements(0, 3)
			if k == 0 {
				for range g.n(1, 2, "outputs") {
					r := g.any("output", anyArray)
					results = append(results, g.regs[r].typ())
					g.output(r)
				}
				return
			}
			for _, t := range results {
				g.output(g.want(t))
			}
		}))
	}
	g.add(h)
}

// head draws what chooses a branch.
func (g *lawGen) head(kind string) int {
	dt := hop.Bool
	if kind == "switch" {
		dt = hop.Int64
	}
	if r := g.any("head", func(a *lawArray) bool { return a.dt == dt && elementsOf(a.shape) == 1 }); r >= 0 {
		return r
	}
	r := g.any("source", func(a *lawArray) bool { return a.dt != hop.Bool && elementsOf(a.shape) > 0 })
	if r < 0 {
		return g.emit("full", lawAttrs{ints: []int{}, nums: []float64{float64(g.n(0, 1, "head"))}, dt: dt})
	}
	r = g.emit("sum", lawAttrs{ints: []int{0}}, r)
	if kind == "switch" {
		return g.emit("cast", lawAttrs{dt: hop.Int64}, r)
	}
	return g.emit("gt_scalar", lawAttrs{nums: []float64{0}}, r)
}

// while draws a WhileLoop. The first leaf of its carry counts the turns, so that it ends.
func (g *lawGen) while(h *lawHOP) {
	h.kind = "while_loop"
	counter := g.emit("full", lawAttrs{ints: []int{}, nums: []float64{float64(g.n(0, 2, "count"))}, dt: hop.Int64})
	h.carry = append([]int{counter}, g.some(1, 2, "carry", anyArray)...)
	types := g.typesOf(h.carry)
	first := len(g.regs)
	limit := g.n(0, 4, "turns")
	before := g.predicate
	g.predicate = true
	cond := g.draw(types, func() {
		g.statements(0, 2)
		p := g.emit("lt_scalar", lawAttrs{nums: []float64{float64(limit)}}, first)
		if more := g.any("more", func(a *lawArray) bool { return a.dt == hop.Bool && elementsOf(a.shape) == 1 }); g.chance(1, 2, "and more") {
			p = g.emit("and", lawAttrs{}, p, more)
		}
		g.block.outs = []lawOut{{reg: p, clone: g.chance(1, 2, "copy")}}
	})
	g.predicate = before
	body := g.draw(types, func() {
		g.statements(1, 3)
		g.output(g.emit("add_scalar", lawAttrs{nums: []float64{1}}, first))
		for _, t := range types[1:] {
			g.output(g.bounded(t))
		}
	})
	h.bodies = []*lawBlock{cond, body}
	if g.chance(1, 2, "limited") {
		h.limit = limit + 1
	}
	g.add(h)
}

func (g *lawGen) turns(h *lawHOP) {
	h.kind = "for_loop"
	if h.carry = g.some(1, 3, "carry", anyArray); len(h.carry) == 0 {
		return
	}
	h.lower = g.n(-1, 2, "from")
	h.upper = h.lower + g.n(-1, 3, "turns")
	types := g.typesOf(h.carry)
	h.bodies = []*lawBlock{g.draw(append([]lawType{{hop.Int64, []int{}}}, types...), func() {
		g.statements(1, 4)
		for _, t := range types {
			g.output(g.bounded(t))
		}
	})}
	g.add(h)
}

func (g *lawGen) maps(h *lawHOP) {
	h.kind = "map"
	if g.along(h, 1, 2); len(h.xs) == 0 {
		return
	}
	if g.chance(1, 2, "batches") {
		h.batch = g.n(1, 3, "batch")
	}
	h.bodies = []*lawBlock{g.rowBody(g.slicesOf(h))}
	g.add(h)
}

// rowBody draws the body of a map.
func (g *lawGen) rowBody(params []lawType) *lawBlock {
	return g.draw(params, func() {
		g.statements(1, 4)
		for range g.n(1, 2, "ys") {
			r := g.any("y", func(a *lawArray) bool { return elementsOf(a.shape) <= 16 && len(a.shape) < 4 })
			if r < 0 {
				r = g.emit("full", lawAttrs{ints: []int{}, nums: []float64{1}, dt: hop.Float64})
			}
			g.output(r)
		}
	})
}

func (g *lawGen) lanes(h *lawHOP) {
	h.kind = "vmap"
	for k := range h.forms {
		h.forms[k] = flat[g.n(0, 1, "form")]
	}
	lanes := -1
	for _, r := range g.some(1, 3, "xs", anyArray) {
		a := g.regs[r]
		axis := hop.NoAxis
		if len(a.shape) > 0 && (lanes < 0 || g.chance(2, 3, "batched")) {
			d := g.n(0, len(a.shape)-1, "axis")
			if lanes < 0 || a.shape[d] == lanes {
				lanes, axis = a.shape[d], d
				if g.chance(1, 2, "from the end") {
					axis -= len(a.shape)
				}
			}
		}
		h.xs, h.axes = append(h.xs, r), append(h.axes, axis)
	}
	if lanes < 0 {
		return
	}
	var params []lawType
	for i, r := range h.xs {
		t := g.regs[r].typ()
		if h.axes[i] != hop.NoAxis {
			d := normal(h.axes[i], len(t.shape))
			t.shape = slices.Delete(slices.Clone(t.shape), d, d+1)
		}
		params = append(params, t)
	}
	outer := len(g.regs)
	body := g.rowBody(params)
	for _, o := range body.outs {
		switch {
		case lanes > 0 && o.reg < outer && g.chance(1, 2, "once"):
			h.out = append(h.out, hop.NoAxis)
		default:
			h.out = append(h.out, []int{0, 0, -1}[g.n(0, 2, "out")])
		}
	}
	h.bodies = []*lawBlock{body}
	g.add(h)
}

// associative draws an AssociativeScan with an associative combine function, at times inside another operator.
func (g *lawGen) associative(h *lawHOP) {
	h.kind = "associative_scan"
	if g.along(h, 1, 2); len(h.xs) == 0 {
		return
	}
	h.reverse = g.chance(1, 3, "reverse")
	types := g.slicesOf(h)
	first := len(g.regs)
	affine := len(types) == 2 && types[0].equal(types[1]) && types[0].dt != hop.Bool && g.chance(2, 3, "affine")
	h.bodies = []*lawBlock{g.draw(slices.Concat(types, types), func() {
		if affine {
			g.output(g.emit("mul", lawAttrs{}, first, first+2))
			g.output(g.emit("add", lawAttrs{}, g.emit("mul", lawAttrs{}, first+2, first+1), first+3))
			return
		}
		for k, t := range types {
			a, b := first+k, first+len(types)+k
			switch {
			case g.chance(1, 8, "one side"):
				g.output([]int{a, b}[g.n(0, 1, "side")])
			case t.dt == hop.Bool:
				g.output(g.combined(g.one([]string{"xor", "or", "and"}), a, b))
			case len(t.shape) == 2 && t.shape[0] == t.shape[1] && g.chance(2, 3, "matrices"):
				g.output(g.combined("matmul", a, b))
			default:
				g.output(g.combined(g.one([]string{"add", "mul", "maximum", "minimum"}), a, b))
			}
		}
	})}
	g.add(h)
}

// combined is op of a and b, as it is or in an operator that does the same, with a captured number between at times.
func (g *lawGen) combined(op string, a, b int) int {
	switch g.n(0, 5, "wrapped") {
	case 0: // a ∘ w ∘ b with a w that broadcasts
		if op == "add" || op == "mul" {
			t := g.regs[a].typ()
			if w := g.any("captured", func(w *lawArray) bool {
				return w.dt == t.dt && fitsInto(w.shape, t.shape) && g.owner[w.cells] != g.body
			}); w >= 0 && w < a {
				return g.emit(op, lawAttrs{}, g.emit(op, lawAttrs{}, a, w), b)
			}
		}
	case 1:
		h := &lawHOP{kind: "cond", length: -1, limit: -1, xs: []int{a, b}, forms: [3]int{g.form(), g.form(), g.form()}}
		if h.head = g.head("cond"); h.head >= a {
			break // it must be the same for all elements
		}
		for range 2 {
			first := len(g.regs)
			h.bodies = append(h.bodies, g.draw(g.typesOf(h.xs), func() { g.output(g.emit(op, lawAttrs{}, first, first+1)) }))
		}
		g.add(h)
		return len(g.regs) - 1
	case 2:
		h := &lawHOP{kind: []string{"checkpoint", "subgraph"}[g.n(0, 1, "kind")], head: -1, length: -1, limit: -1, xs: []int{b}, forms: [3]int{g.form(), g.form(), g.form()}}
		first := len(g.regs)
		h.bodies = []*lawBlock{g.draw(g.typesOf(h.xs), func() { g.output(g.emit(op, lawAttrs{}, a, first)) })}
		g.add(h)
		return len(g.regs) - 1
	}
	return g.emit(op, lawAttrs{}, a, b)
}

// call draws a Subgraph, called once or twice, or a Checkpoint.
func (g *lawGen) call(h *lawHOP) {
	h.kind = []string{"subgraph", "checkpoint"}[g.n(0, 1, "kind")]
	h.xs = g.some(1, 3, "operands", anyArray)
	params := g.typesOf(h.xs)
	if h.kind == "subgraph" && len(h.xs) > 0 && g.chance(1, 2, "twice") {
		for _, t := range params {
			h.again = append(h.again, g.any("again", func(a *lawArray) bool { return a.typ().equal(t) }))
		}
	}
	h.bodies = []*lawBlock{g.draw(params, func() {
		g.statements(1, 4)
		for range g.n(1, 2, "outputs") {
			g.output(g.any("output", anyArray))
		}
	})}
	g.add(h)
}
