package oracle

import "fmt"

func (g *generator) statements(n int) {
	for range n {
		g.statement()
	}
}

// statement generates one statement; some kinds need variables that may not be there, another is tried then.
func (g *generator) statement() {
	for {
		kinds := statementKinds()
		if kinds[g.r.IntN(len(kinds))](g) {
			return
		}
	}
}

// statementKinds report whether they generated a statement; those that come twice are twice as frequent.
func statementKinds() []func(*generator) bool {
	return []func(*generator) bool{
		declareTensor, declareTensor, declareContainer, declareContainer, declareContainer, declareClosure, declareMutator,
		write, write, assign, assign, assign, branch, branch, loop, overElements, deferred, early, typeSwitch,
		callHelper, callHelper, methods, methodValue, builtins, swap, immediate, goroutine, channel, overSequence, recovering, nodes,
	}
}

func declareTensor(g *generator) bool {
	g.declare(tensor, g.value())
	return true
}

func declareContainer(g *generator) bool {
	switch g.r.IntN(8) {
	case 0:
		if v := g.pick(state); v != "" {
			g.declare(state, v)
			return true
		}
	case 1:
		if v := g.pick(state); v != "" {
			g.declare(pointer, "&"+v)
			return true
		}
	case 2:
		if v := g.pick(pointer); v != "" {
			g.declare(state, "*"+v)
			return true
		}
	case 3:
		if v := g.listOfTwo(); v != "" && g.one(2) {
			g.declare(list, v)
		} else {
			g.declare(list, fmt.Sprintf("[]T{%s, %s}", g.tensor(1), g.tensor(1)))
		}
		return true
	case 4:
		if v := g.tableOfTwo(); v != "" && g.one(2) {
			g.declare(table, v)
		} else {
			g.declare(table, fmt.Sprintf("map[string]T{%q: %s, %q: %s}", "a", g.tensor(1), "b", g.tensor(1)))
		}
		return true
	case 5:
		if v := g.pick(pair); v != "" && g.one(2) {
			g.declare(pair, v)
		} else {
			g.declare(pair, fmt.Sprintf("[2]T{%s, %s}", g.tensor(1), g.tensor(1)))
		}
		return true
	case 6:
		g.declare(state, fmt.Sprintf("S{A: %s, B: %s, In: In{%s}, L: []T{%s, fresh()}, M: map[string]T{%q: %s, %q: fresh()}}",
			g.tensor(1), g.tensor(1), g.tensor(1), g.tensor(1), "a", g.tensor(1), "b"))
		return true
	case 7:
		if v := g.pick(pair); v != "" {
			g.declare(list, v+"[:]")
			return true
		}
	}
	return false
}

func declareClosure(g *generator) bool {
	if g.depth > 2 {
		return false
	}
	name, param := g.name("f"), g.name("t")
	g.line("%s := func(%s T) T {", name, param)
	g.depth++
	g.function([]variable{{name: param, kind: tensor}}, g.some(0, 2), func() string { return g.tensor(2) })
	g.depth--
	g.line("}")
	g.line("_ = %s", name)
	g.vars = append(g.vars, variable{name: name, kind: closure})
	return true
}

func declareMutator(g *generator) bool {
	switch g.r.IntN(3) {
	case 0:
		g.declare(mutator, "adder{"+g.tensor(1)+"}")
	case 1:
		g.declare(mutator, "&keeper{}")
	default:
		g.declare(mutator, "copier{}")
		if g.one(2) {
			m := g.pick(mutator)
			g.line("if %s {", g.flag())
			g.line("\t%s = adder{%s}", m, g.tensor(1))
			g.line("}")
		}
	}
	return true
}

// write writes into a tensor.
func write(g *generator) bool {
	target := g.place()
	if g.one(3) {
		target += view(g.r.IntN(8))
	}
	switch g.r.IntN(5) {
	case 0:
		g.line("%s.AddInPlace(%s)", target, g.tensor(1))
	case 1:
		g.line("%s.CopyFrom(%s.Clone())", target, g.tensor(1))
	case 2:
		g.line("%s.Zero()", target)
	case 3:
		g.line("%s.MulScalarInPlace(0.5)", target)
	default:
		g.line("%s.TanhInPlace()", target)
	}
	return true
}

func assign(g *generator) bool {
	p := g.settable()
	if p == "" {
		return false
	}
	value := g.value()
	if g.one(3) {
		value = p + ".Clone()"
	}
	g.line("%s = %s", p, value)
	return true
}

func branch(g *generator) bool {
	if g.depth > 2 {
		return false
	}
	g.line("if %s {", g.flag())
	g.scoped(func() { g.statements(1 + g.r.IntN(2)) })
	if g.one(2) {
		g.line("} else {")
		g.scoped(func() { g.statements(1) })
	}
	g.line("}")
	return true
}

func loop(g *generator) bool {
	if g.depth > 2 {
		return false
	}
	g.line("for range %d {", 1+g.r.IntN(2))
	g.scoped(func() { g.statements(1 + g.r.IntN(2)) })
	g.line("}")
	return true
}

func overElements(g *generator) bool {
	if g.depth > 2 {
		return false
	}
	over := ""
	if g.one(3) {
		over = g.pick(pair)
	} else if g.one(2) {
		over = g.tableOfTwo()
	} else {
		over = g.listOfTwo()
	}
	if over == "" {
		return false
	}
	t := g.name("e")
	g.line("for _, %s := range %s {", t, over)
	g.scoped(func() {
		g.line("_ = %s", t)
		g.vars = append(g.vars, variable{name: t, kind: tensor})
		g.statements(1 + g.r.IntN(2))
	})
	g.line("}")
	return true
}

func deferred(g *generator) bool {
	switch g.r.IntN(3) {
	case 0:
		g.line("defer %s.Zero()", g.place())
	case 1:
		if call := g.call(false, 0); call != "" {
			g.line("defer %s", call)
			return true
		}
		return false
	default:
		if g.depth > 2 {
			return false
		}
		g.line("defer func() {")
		saved := g.result
		g.result = nil
		g.scoped(func() { g.statements(1) })
		g.result = saved
		g.line("}()")
	}
	return true
}

func early(g *generator) bool {
	if g.result == nil {
		return false
	}
	text := g.result()
	g.line("if %s {", g.flag())
	g.line("\treturn %s", text)
	g.line("}")
	return true
}

func typeSwitch(g *generator) bool {
	if g.depth > 2 {
		return false
	}
	v, other := g.name("w"), "any("+g.tensor(1)+")"
	if s := g.pick(state); s != "" && g.one(2) {
		other = fmt.Sprintf("anyOf(%s, %s, %s)", g.flag(), g.tensor(1), s)
	}
	g.line("switch %s := %s.(type) {", v, other)
	for _, k := range []kind{tensor, state} {
		g.line("case %s:", typeNames[k])
		g.scoped(func() {
			g.line("_ = %s", v)
			g.vars = append(g.vars, variable{name: v, kind: k})
			g.statements(1)
		})
	}
	g.line("}")
	return true
}

func callHelper(g *generator) bool {
	if call := g.call(false, 0); call != "" {
		g.line("%s", call)
		return true
	}
	if call := g.call(true, 0); call != "" {
		g.declare(tensor, call)
		return true
	}
	return false
}

func methods(g *generator) bool {
	if v := g.pick(state); v != "" {
		g.line("%s.%s(%s)", v, []string{"set", "update"}[g.r.IntN(2)], g.tensor(1))
		return true
	}
	return false
}

func methodValue(g *generator) bool {
	f := g.name("m")
	g.line("%s := %s.%s", f, g.place(), []string{"AddInPlace", "Add", "CopyFrom"}[g.r.IntN(3)])
	g.line("%s(%s)", f, g.tensor(1)+".Clone()")
	return true
}

func builtins(g *generator) bool {
	switch g.r.IntN(4) {
	case 0:
		to, from := g.listOfTwo(), g.listOfTwo()
		if to == "" || from == "" || to == from {
			return false // a copy onto itself changes nothing that a run could show
		}
		g.line("copy(%s, %s)", to, from)
	case 1:
		l := g.pick(list)
		if l == "" {
			return false
		}
		v := g.name("v")
		g.line("%s := append(%s[:1], %s)", v, l, g.tensor(1))
		g.line("_ = %s", v)
		g.vars = append(g.vars, variable{name: v, kind: list})
	case 2:
		m := g.pick(table)
		if m == "" {
			return false
		}
		v := g.name("v") // what is put there may be read from there
		g.line("%s := %s", v, g.tensor(1))
		g.line("delete(%s, %q)", m, "a")
		g.line("%s[%q] = %s", m, "a", v)
	default:
		g.declare(list, fmt.Sprintf("collect(%s, %s)", g.tensor(1), g.tensor(1)))
	}
	return true
}

func swap(g *generator) bool {
	a, b := g.settable(), g.settable()
	if a == "" || b == "" {
		return false
	}
	g.line("%s, %s = %s, %s", a, b, b, a)
	return true
}

// immediate runs a function literal at once.
func immediate(g *generator) bool {
	if g.depth > 2 {
		return false
	}
	v := g.name("v")
	g.line("%s := func() T {", v)
	g.depth++
	g.function(nil, g.some(1, 1), func() string { return g.tensor(1) })
	g.depth--
	g.line("}()")
	g.line("_ = %s", v)
	g.vars = append(g.vars, variable{name: v, kind: tensor})
	return true
}
