package oracle

import "fmt"

// operator generates the body and the function that runs the operator over it.
func (g *generator) operator() {
	captured := g.global("captured")
	g.line("var %s = fresh()\n", captured)
	o := []struct{ params, results, call string }{
		{"s S, x X", "(S, Y)", "hop.Scan(%s, newS(), newX(3), hop.Stepwise())"},
		{"s S, x X", "(S, Y)", "hop.Scan(%s, newS(), newX(3), hop.Stepwise(), hop.Reverse())"},
		{"s S", "Y", "hop.Cond(hop.Scalar(true), %s, other, newS(), hop.Stepwise())"},
		{"s S", "Y", "hop.Switch(hop.Scalar(int64(1)), []func(S) Y{other, %s}, newS(), hop.Stepwise())"},
		{"i T, s S", "S", "hop.ForLoop(0, 2, %s, newS(), hop.Stepwise())"},
		{"x X", "Y", "hop.Map(%s, newX(2), hop.Stepwise())"},
		{"a, b X", "X", "hop.AssociativeScan(%s, newX(2), hop.Stepwise())"},
	}[g.r.IntN(7)]
	var vars []variable
	switch o.params {
	case "s S, x X":
		vars = []variable{{name: "s", kind: state}, {name: "x", kind: row}}
	case "s S", "i T, s S":
		vars = []variable{{name: "s", kind: state}}
	case "x X":
		vars = []variable{{name: "x", kind: row}}
	default:
		vars = []variable{{name: "a", kind: row}, {name: "b", kind: row}}
	}
	if g.one(3) {
		vars = append(vars, variable{name: captured, kind: tensor, fixed: true})
	}
	result := map[string]func() string{
		"(S, Y)": func() string { return g.state() + ", " + g.output() },
		"S":      g.state,
		"Y":      g.output,
		"X":      func() string { return fmt.Sprintf("X{P: %s, Q: %s}", g.ownTensor(), g.ownTensor()) },
	}[o.results]
	if g.one(2) { // a literal
		g.line("func %s() {", g.global("program"))
		g.indent++
		g.line("_, _ = flags, %s", captured)
		g.line("body := func(%s) %s {", o.params, o.results)
		g.body(vars, result)
		g.line("}")
		g.line(o.call, "body")
		g.indent--
		g.line("}")
		return
	}
	body := g.global("body")
	g.line("func %s(%s) %s {", body, o.params, o.results)
	g.body(vars, result)
	g.line("}\n")
	g.line("func %s() { "+o.call+" }", g.global("program"), body)
}

// ownTensor is a tensor for a result: mostly fresh, so that programs without a fault and with one fault are common.
func (g *generator) ownTensor() string {
	if g.careful && g.one(16) || !g.careful && g.one(4) {
		return g.tensor(2)
	}
	return g.tensor(1) + []string{".Clone()", ".MulScalar(0.5)", ".Neg()"}[g.r.IntN(3)]
}

// state is an S for a result.
func (g *generator) state() string {
	if v := g.pick(state); v != "" && g.one(3) {
		if !g.careful || g.one(3) {
			return v
		}
		return "hop.Clone(" + v + ")"
	}
	if v := g.pick(pointer); v != "" && !g.careful && g.one(3) {
		return "*" + v
	}
	return fmt.Sprintf("S{A: %s, B: %s, In: In{C: %s}, L: %s, M: %s}", g.ownTensor(), g.ownTensor(), g.ownTensor(), g.ownList(), g.ownTable())
}

func (g *generator) ownList() string {
	if v := g.listOfTwo(); v != "" && g.one(4) && !g.careful {
		return v
	}
	return fmt.Sprintf("[]T{%s, %s}", g.ownTensor(), g.ownTensor())
}

func (g *generator) ownTable() string {
	if v := g.tableOfTwo(); v != "" && g.one(4) && !g.careful {
		return v
	}
	return fmt.Sprintf("map[string]T{%q: %s, %q: %s}", "a", g.ownTensor(), "b", g.ownTensor())
}

// output is a Y for a result.
func (g *generator) output() string {
	return fmt.Sprintf("Y{U: %s, V: %s}", g.ownTensor(), g.ownList())
}
