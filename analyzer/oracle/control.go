package oracle

import "fmt"

// Statements that change where control goes: goroutines, channels, iterators, panics, recursion.

// inner generates statements of a function literal that cannot return from the function around.
func (g *generator) inner(n int) {
	saved := g.result
	g.result = nil
	g.scoped(func() { g.statements(n) })
	g.result = saved
}

// goroutine runs statements in a goroutine and waits for it.
func goroutine(g *generator) bool {
	if g.depth > 2 {
		return false
	}
	done := g.name("done")
	g.line("%s := make(chan bool)", done)
	g.line("go func() {")
	g.line("\tdefer close(%s)", done)
	g.inner(1 + g.r.IntN(2))
	g.line("}()")
	g.line("<-%s", done)
	return true
}

// channel brings a tensor through a channel, perhaps by way of a goroutine.
func channel(g *generator) bool {
	ch, v := g.name("ch"), g.name("v")
	sent := g.name("v") // what is sent is computed here
	g.line("%s := %s", sent, g.tensor(1))
	if g.one(2) {
		g.line("%s := make(chan T)", ch)
		g.line("go func() { %s <- %s }()", ch, sent)
	} else {
		g.line("%s := make(chan T, 1)", ch)
		g.line("%s <- %s", ch, sent)
	}
	g.line("%s := <-%s", v, ch)
	g.line("_ = %s", v)
	g.vars = append(g.vars, variable{name: v, kind: tensor})
	return true
}

// overSequence ranges over a function, whose body may defer.
func overSequence(g *generator) bool {
	if g.depth > 2 {
		return false
	}
	t := g.name("e")
	g.line("for %s := range sequence(%s, %s) {", t, g.tensor(1), g.tensor(1))
	g.scoped(func() {
		g.line("_ = %s", t)
		g.vars = append(g.vars, variable{name: t, kind: tensor})
		g.statements(1)
		if g.one(4) {
			g.line("defer %s.Zero()", g.place())
		}
	})
	g.line("}")
	return true
}

// recovering runs statements of which a panic may leave out some.
func recovering(g *generator) bool {
	if g.depth > 2 {
		return false
	}
	g.line("func() {")
	g.line("\tdefer func() { _ = recover() }()")
	g.inner(1)
	g.line("\tif %s {", g.flag())
	g.line("\t\tpanic(%q)", "half way")
	g.line("\t}")
	g.inner(1)
	g.line("}()")
	return true
}

// nodes visits a list.
func nodes(g *generator) bool {
	if g.depth > 2 {
		return false
	}
	list := "nil"
	for range 1 + g.r.IntN(4) {
		list = fmt.Sprintf("&link{%s, %s}", g.tensor(1), list)
	}
	t := g.name("e")
	g.line("(%s).walk(func(%s T) {", list, t)
	g.vars = append(g.vars, variable{name: t, kind: tensor})
	n := len(g.vars)
	g.line("\t_ = %s", t)
	g.inner(1)
	g.vars = append(g.vars[:n-1:n-1], g.vars[n:]...)
	g.line("})")
	return true
}
