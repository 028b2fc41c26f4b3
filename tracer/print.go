package tracer

import (
	"go/token"
	"math"
	"strconv"
)

// String returns the graph as text, nested bodies indented, without positions:
//
//	graph ema(c: f64[], x: f64[100]) const(w: f64[]) {
//	  scan: (f64[], f64[100]) = scan(c, x, w; n_carry=1, n_xs=1, length=100) {
//	    graph combine(c: f64[], x: f64[], w: f64[]) {
//	      mul: f64[] = mul(c, w)
//	      add: f64[] = add(mul, x)
//	      clone: f64[] = clone(add)
//	      return add, clone
//	    }
//	  }
//	  get: f64[] = get(scan; index=0)
//	  get_1: f64[100] = get(scan; index=1)
//	  return get, get_1
//	}
//
// A guard stands before return, as in "guard s0 == s1". [Parse] reads the text back. Two graphs that print the same
// compute the same, so the text serves as the key of a compiled plan.
func (g *Graph) String() string {
	return string(g.AppendText(make([]byte, 0, 64*(len(g.Nodes)+len(g.Inputs)+4)), false))
}

// Text returns the graph as text with the position of every node, as in " @ main.go:10:3".
func (g *Graph) Text() string { return string(g.AppendText(nil, true)) }

// Annotated returns the graph as text with a comment behind each node for which note gives one. [Parse] skips comments.
func (g *Graph) Annotated(note func(n *Node) string) string {
	p := printer{note: note}
	p.graph(g, 0)
	return string(append(p.b, '\n'))
}

// AppendText appends the text of the graph to b, with or without positions.
func (g *Graph) AppendText(b []byte, positions bool) []byte {
	p := printer{b: b, positions: positions}
	p.graph(g, 0)
	return append(p.b, '\n')
}

type printer struct {
	b         []byte
	positions bool
	note      func(n *Node) string // nil for none
}

const indentation = "                                "

func (p *printer) indent(depth int) {
	for n := 2 * depth; n > 0; n -= len(indentation) {
		p.b = append(p.b, indentation[:min(n, len(indentation))]...)
	}
}

func (p *printer) graph(g *Graph, depth int) {
	p.indent(depth)
	p.b = append(p.b, "graph "...)
	p.b = append(append(p.b, g.Name...), '(')
	p.params(g.Inputs)
	p.b = append(p.b, ')')
	if len(g.Constants) > 0 {
		p.b = append(p.b, " const("...)
		p.params(g.Constants)
		p.b = append(p.b, ')')
	}
	p.b = append(p.b, " {\n"...)
	for _, n := range g.Nodes {
		p.node(n, depth+1)
	}
	for i := range g.Guards {
		p.indent(depth + 1)
		p.b = append(p.b, "guard "...)
		p.b = append(p.b, g.Guards[i].Cond.String()...)
		p.pos(g.Guards[i].Pos)
		p.b = append(p.b, '\n')
	}
	p.indent(depth + 1)
	p.b = append(p.b, "return"...)
	p.list(g.Outputs, " ")
	p.b = append(p.b, '\n')
	p.indent(depth)
	p.b = append(p.b, '}')
}

func (p *printer) params(list []*Node) {
	for i, n := range list {
		if i > 0 {
			p.b = append(p.b, ", "...)
		}
		p.b = append(append(p.b, n.Name...), ": "...)
		p.b = n.Meta.append(p.b)
		p.pos(n.Pos)
	}
}

// list appends the names, separated by commas, the first one behind before.
func (p *printer) list(list []*Node, before string) {
	for i, n := range list {
		if i > 0 {
			before = ", "
		}
		p.b = append(append(p.b, before...), n.Name...)
	}
}

func (p *printer) node(n *Node, depth int) {
	p.indent(depth)
	p.b = append(append(p.b, n.Name...), ": "...)
	p.b = n.Meta.append(p.b)
	p.b = append(append(append(p.b, " = "...), n.Op...), '(')
	p.list(n.Args, "")
	for i := range n.Attrs {
		before := ", "
		if i == 0 {
			before = "; "
		}
		p.b = append(append(append(p.b, before...), n.Attrs[i].Key...), '=')
		p.value(n.Attrs[i].Value)
	}
	p.b = append(p.b, ')')
	p.pos(n.Pos)
	if len(n.Graphs) > 0 {
		p.b = append(p.b, " {"...)
		p.comment(n)
		p.b = append(p.b, '\n')
		for _, g := range n.Graphs {
			p.graph(g, depth+1)
			p.b = append(p.b, '\n')
		}
		p.indent(depth)
		p.b = append(p.b, '}')
	} else {
		p.comment(n)
	}
	p.b = append(p.b, '\n')
}

func (p *printer) comment(n *Node) {
	if p.note == nil {
		return
	}
	if text := p.note(n); text != "" {
		p.b = append(append(p.b, " // "...), text...)
	}
}

func (p *printer) pos(pos token.Position) {
	if !p.positions || !pos.IsValid() {
		return
	}
	p.b = append(p.b, " @ "...)
	p.b = strconv.AppendQuote(p.b, pos.Filename)
	p.b = strconv.AppendInt(append(p.b, ':'), int64(pos.Line), 10)
	if pos.Column > 0 {
		p.b = strconv.AppendInt(append(p.b, ':'), int64(pos.Column), 10)
	}
}

// value appends an attribute: 3, 0.5, true, "text", f32, [1, 2], <s0 + 1>, <[s0, 4]>, or a literal.
func (p *printer) value(v any) {
	switch v := v.(type) {
	case int:
		p.b = strconv.AppendInt(p.b, int64(v), 10)
	case float64:
		p.b = appendFloat(p.b, v, 64)
	case bool:
		p.b = strconv.AppendBool(p.b, v)
	case string:
		p.b = strconv.AppendQuote(p.b, v)
	case DType:
		p.b = append(p.b, v.Short()...)
	case []int:
		p.b = append(p.b, '[')
		for i, n := range v {
			if i > 0 {
				p.b = append(p.b, ", "...)
			}
			p.b = strconv.AppendInt(p.b, int64(n), 10)
		}
		p.b = append(p.b, ']')
	case Int:
		p.b = append(v.append(append(p.b, '<')), '>')
	case []Int:
		p.b = append(p.b, "<["...)
		for i, n := range v {
			if i > 0 {
				p.b = append(p.b, ", "...)
			}
			p.b = n.append(p.b)
		}
		p.b = append(p.b, "]>"...)
	case *Literal:
		p.b = v.append(p.b)
	default:
		p.b = append(p.b, '?') // Verify names the key and the type; Parse refuses the text
	}
}

// appendFloat appends the shortest text that reads back to the same bits, and that no integer looks like. A NaN whose
// bits are not those of math.NaN prints them.
func appendFloat(b []byte, f float64, bits int) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(b, "inf"...)
	case math.IsInf(f, -1):
		return append(b, "-inf"...)
	case f != f:
		if word := math.Float64bits(f); bits == 64 && word != math.Float64bits(math.NaN()) {
			return strconv.AppendUint(append(b, "nan:"...), word, 16)
		}
		return append(b, "nan"...)
	}
	start := len(b)
	b = strconv.AppendFloat(b, f, 'g', -1, bits)
	for _, c := range b[start:] {
		if c == '.' || c == 'e' {
			return b
		}
	}
	return append(b, ".0"...)
}
