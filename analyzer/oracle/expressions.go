package oracle

import (
	"fmt"
	"strings"
)

// tensor is an expression of a tensor [2, 2], nested at most depth deep. It calls nothing that assigns to variables: Go
// leaves open whether that happens before other variables of the expression are read.
func (g *generator) tensor(depth int) string {
	if depth <= 0 || g.one(3) {
		return g.place()
	}
	switch g.r.IntN(10) {
	case 0, 1:
		return g.tensor(depth-1) + view(g.r.IntN(8))
	case 2:
		return g.tensor(depth-1) + ".Add(" + g.tensor(depth-1) + ")"
	case 3:
		return g.tensor(depth-1) + ".Clone()"
	case 4:
		return g.tensor(depth-1) + []string{".Tanh()", ".MulScalar(0.5)", ".Neg()"}[g.r.IntN(3)]
	case 5:
		return fmt.Sprintf("choose(%s, %s, %s)", g.flag(), g.tensor(depth-1), g.tensor(depth-1))
	case 6:
		return fmt.Sprintf("again(%d, %s)", 1+g.r.IntN(2), g.tensor(depth-1))
	case 7:
		if s := g.pick(state); s != "" {
			return s + ".first()"
		}
	case 8:
		if l := g.listOfTwo(); l != "" {
			return "last(" + l + ")"
		}
	case 9:
		return g.tensor(depth-1) + []string{".AddInPlace(", ".MulInPlace("}[g.r.IntN(2)] + g.tensor(depth-1) + ")"
	}
	return g.place()
}

// value is a tensor expression or a call that may do anything.
func (g *generator) value() string {
	switch g.r.IntN(6) {
	case 0:
		if f := g.pick(closure); f != "" {
			return f + "(" + g.place() + ")"
		}
	case 1:
		if m := g.pick(mutator); m != "" {
			return m + ".Apply(" + g.place() + ")"
		}
	case 2:
		if call := g.call(true, 0); call != "" {
			return call
		}
	}
	return g.tensor(2)
}

// view is a chain of view ops that keeps the shape.
func view(i int) string {
	return [...]string{".T()", ".Narrow(0, 0, 2)", ".View(2, 2)", ".Unsqueeze(0).Select(0, 0)", ".Transpose(0, 1)", ".Detach()",
		".Reshape(4).View(2, 2)", ".Permute(1, 0)"}[i]
}

// place is a tensor that a variable leads to.
func (g *generator) place() string {
	var places []string
	for _, v := range g.vars {
		places = append(places, v.tensors()...)
	}
	if len(places) == 0 || g.one(8) {
		return "fresh()"
	}
	return places[g.r.IntN(len(places))]
}

// tensors are the expressions of the tensors that a variable leads to.
func (v variable) tensors() []string {
	switch v.kind {
	case tensor:
		return []string{v.name}
	case state, pointer:
		return []string{v.name + ".A", v.name + ".B", v.name + ".In.C", v.name + ".L[0]", v.name + ".L[1]", v.name + `.M["a"]`}
	case list, pair:
		return []string{v.name + "[0]", v.name + "[1]"}
	case table:
		return []string{v.name + `["a"]`, v.name + `["b"]`}
	case row:
		return []string{v.name + ".P", v.name + ".Q"}
	}
	return nil
}

// settable are the tensors of variables that may be assigned.
func (g *generator) settable() string {
	var places []string
	for _, v := range g.vars {
		if !v.fixed {
			places = append(places, v.tensors()...)
		}
	}
	if places == nil {
		return ""
	}
	return places[g.r.IntN(len(places))]
}

func (g *generator) listOfTwo() string {
	v, s := g.pick(list), g.pick(state)
	if v == "" || s != "" && g.one(2) {
		if s == "" {
			return ""
		}
		return s + ".L"
	}
	return v
}

func (g *generator) tableOfTwo() string {
	v, s := g.pick(table), g.pick(state)
	if v == "" || s != "" && g.one(2) {
		if s == "" {
			return ""
		}
		return s + ".M"
	}
	return v
}

// call is a call of a helper with or without a result, or "".
func (g *generator) call(result bool, depth int) string {
	var fits []helper
	for _, h := range g.helpers {
		if h.result == result {
			fits = append(fits, h)
		}
	}
	if fits == nil {
		return ""
	}
	h := fits[g.r.IntN(len(fits))]
	args := make([]string, len(h.params))
	for i, k := range h.params {
		if args[i] = g.argument(k, depth); args[i] == "" {
			return ""
		}
	}
	return h.name + "(" + strings.Join(args, ", ") + ")"
}

// argument is an expression of a kind, or "".
func (g *generator) argument(k kind, depth int) string {
	switch k {
	case tensor:
		return g.tensor(depth)
	case state:
		return g.pick(state)
	case pointer:
		if v := g.pick(pointer); v != "" && g.one(2) {
			return v
		}
		if v := g.pick(state); v != "" {
			return "&" + v
		}
		return ""
	case list:
		if v := g.listOfTwo(); v != "" {
			return v
		}
		return fmt.Sprintf("[]T{%s, %s}", g.tensor(depth), g.tensor(depth))
	case table:
		if v := g.tableOfTwo(); v != "" {
			return v
		}
		return fmt.Sprintf("map[string]T{%q: %s, %q: %s}", "a", g.tensor(depth), "b", g.tensor(depth))
	case closure:
		if v := g.pick(closure); v != "" {
			return v
		}
		return []string{"T.Neg", "T.Clone", "func(t T) T { return t.T() }", "func(t T) T { return t.TanhInPlace() }"}[g.r.IntN(4)]
	}
	return ""
}
