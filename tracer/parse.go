package tracer

import (
	"bytes"
	"encoding/base64"
	"go/token"
	"math"
	"strconv"
)

// Parse reads a graph from the text that [Graph.String] and [Graph.Text] print. Blanks and comments (//) do not matter.
// The result printed is the text again. Parse checks the form only; see [Graph.Verify].
func Parse(text string) (g *Graph, err error) { return parse(text, maxElems) }

func parse(text string, most int) (g *Graph, err error) {
	p := newParser(text, most)
	err = guarded(func() {
		p.next()
		read := p.graph(0)
		if p.kind != endOfText {
			p.fail("got %s behind the graph", p.word)
		}
		g = read
	})
	return g, err
}

// maxDepth bounds nested bodies and expressions in a text, so that no text exhausts the stack.
const maxDepth = 200

// maxExpr bounds the text of an expression, maxTerms the terms of a product of sums: a short text such as
// floordiv(a + b, 1)*floordiv(a + b, 1)*… multiplies out to a long one.
const (
	maxExpr  = 1 << 12
	maxTerms = 1 << 10
)

// maxFill bounds the bytes of all literals of a text that give one element for many.
const maxFill = 1 << 29

type parser struct {
	scanner
	maxElems int // of a literal
	filled   int // bytes of literals that give one element for many
}

func newParser(text string, most int) *parser {
	return &parser{scanner: scanner{text: text}, maxElems: most}
}

// guarded runs read and returns what it failed with.
func guarded(read func()) (err error) {
	defer func() {
		if e := recover(); e != nil {
			s, ok := e.(syntaxError)
			if !ok {
				panic(e)
			}
			err = s.err
		}
	}()
	read()
	return nil
}

func (p *parser) graph(depth int) *Graph {
	if depth > maxDepth {
		p.fail("more than %d nested bodies", maxDepth)
	}
	p.want("graph")
	g := &Graph{}
	if p.kind == nameWord {
		g.Name = p.name("the graph's name")
	}
	nodes := map[string]*Node{}
	p.want("(")
	g.Inputs = p.params(OpInput, nodes)
	if p.accept("const") {
		p.want("(")
		g.Constants = p.params(OpConstant, nodes)
		if len(g.Constants) == 0 {
			p.fail("const without constants")
		}
	}
	p.want("{")
	for !p.is("return") && !p.is("guard") || p.peek(':') {
		n := p.node(nodes, depth)
		p.define(n, nodes)
		g.Nodes = append(g.Nodes, n)
	}
	for p.accept("guard") {
		g.Guards = append(g.Guards, p.guard())
	}
	p.want("return")
	for !p.is("}") {
		if len(g.Outputs) > 0 {
			p.want(",")
		}
		g.Outputs = append(g.Outputs, p.use(nodes))
	}
	p.want("}")
	return g
}

// peek reports whether c is the next character behind the present word: a node may be called return.
func (p *parser) peek(c byte) bool { return p.pos < len(p.text) && p.text[p.pos] == c }

func (p *parser) define(n *Node, nodes map[string]*Node) {
	if nodes[n.Name] != nil {
		p.fail("the name %s is taken", n.Name)
	}
	nodes[n.Name] = n
}

func (p *parser) use(nodes map[string]*Node) *Node {
	n := nodes[p.word]
	if n == nil || p.kind != nameWord {
		p.fail("got %s; want a node that was made before", p.word)
	}
	p.next()
	return n
}

// params reads "x: f32[3], y: f32[])".
func (p *parser) params(op string, nodes map[string]*Node) []*Node {
	var list []*Node
	for !p.accept(")") {
		if len(list) > 0 {
			p.want(",")
		}
		n := &Node{Op: op, Name: p.name("a name")}
		p.want(":")
		n.Meta = p.meta(0)
		n.Pos = p.position()
		p.define(n, nodes)
		list = append(list, n)
	}
	return list
}

// node reads "y: f32[3] = op(x, z; key=value) @ "file":1:2 { bodies }".
func (p *parser) node(nodes map[string]*Node, depth int) *Node {
	n := &Node{Name: p.name("a node, guard or return")}
	p.want(":")
	n.Meta = p.meta(0)
	p.want("=")
	n.Op = p.name("an operation")
	p.want("(")
	for !p.is(")") && !p.is(";") {
		if len(n.Args) > 0 {
			p.want(",")
		}
		n.Args = append(n.Args, p.use(nodes))
	}
	if p.accept(";") {
		for {
			key := p.name("an attribute")
			p.want("=")
			n.Attrs = append(n.Attrs, Attr{key, p.value()})
			if !p.accept(",") {
				break
			}
		}
	}
	p.want(")")
	n.Pos = p.position()
	if p.accept("{") {
		for !p.accept("}") {
			n.Graphs = append(n.Graphs, p.graph(depth+1))
		}
		if len(n.Graphs) == 0 {
			p.fail("braces without bodies")
		}
	}
	return n
}

func (p *parser) position() (pos token.Position) {
	if !p.accept("@") {
		return pos
	}
	pos.Filename = p.quoted("a file name")
	p.want(":")
	if pos.Line = p.int("a line"); pos.Line < 1 {
		p.fail("line %d", pos.Line)
	}
	if p.accept(":") {
		if pos.Column = p.int("a column"); pos.Column < 1 {
			p.fail("column %d", pos.Column)
		}
	}
	return pos
}

func (p *parser) guard() Guard {
	a := p.expr(0)
	op := p.word
	if c, ok := compare(op, a, a); !ok || c.Op != op {
		p.fail("got %s; want ==, !=, < or <=", op)
	}
	p.next()
	return Guard{Cond{op, a, p.expr(0)}, p.position()}
}

// meta reads f32[s0, 4], <s0> or (f32[], f32[3]).
func (p *parser) meta(depth int) Meta {
	switch {
	case p.accept("<"):
		i := p.expr(0)
		p.want(">")
		return Meta{Int: &i}
	case p.accept("("):
		if depth > 0 {
			p.fail("a tuple of tuples")
		}
		m := Meta{Elems: []Meta{}}
		for !p.accept(")") {
			if len(m.Elems) > 0 {
				p.want(",")
			}
			m.Elems = append(m.Elems, p.meta(depth+1))
		}
		return m
	}
	m := Meta{DType: p.dtype(), Shape: []Int{}}
	p.want("[")
	for !p.accept("]") {
		if len(m.Shape) > 0 {
			p.want(",")
		}
		m.Shape = append(m.Shape, p.expr(0))
	}
	return m
}

func (p *parser) dtype() DType {
	d, ok := ParseDType(p.word)
	if !ok || d.Short() != p.word || p.kind != nameWord {
		p.fail("got %s; want a type", p.word)
	}
	p.next()
	return d
}

// expr reads a sum such as s0*s1*2 - floordiv(s0, 2) + 1.
func (p *parser) expr(depth int) Int {
	if depth > maxDepth {
		p.fail("an expression nested more than %d deep", maxDepth)
	}
	sum := Const(0)
	for first := true; ; first = false {
		sign := 1
		switch {
		case p.accept("-"):
			sign = -1
		case first:
		case !p.accept("+"):
			return sum
		}
		term := p.product(depth)
		if sign < 0 {
			term = term.Neg()
		}
		sum = p.short(sum.Add(term))
	}
}

func (p *parser) product(depth int) Int {
	product := p.factor(depth)
	for p.accept("*") {
		factor := p.factor(depth)
		if product.numTerms()*factor.numTerms() > maxTerms {
			p.fail("a product of sums with more than %d terms", maxTerms)
		}
		product = p.short(product.Mul(factor))
	}
	return product
}

// short returns i unless its text is too long.
func (p *parser) short(i Int) Int {
	if i.expr != nil && len(i.expr.text) > maxExpr {
		p.fail("an expression longer than %d characters", maxExpr)
	}
	return i
}

func (p *parser) factor(depth int) Int {
	if p.kind == numberWord {
		n, err := strconv.Atoi(p.word)
		if err != nil {
			u, err := strconv.ParseUint(p.word, 10, strconv.IntSize)
			if err != nil {
				p.fail("got %s; want an integer", p.word)
			}
			n = int(u) // the digits of the smallest int, behind a minus
		}
		p.next()
		return Const(n)
	}
	name := p.name("a symbol or an integer")
	if !isFunction(name) {
		return p.short(symbol(name))
	}
	p.want("(")
	a := p.expr(depth + 1)
	p.want(",")
	b := p.expr(depth + 1)
	p.want(")")
	return p.short(apply(name, a, b))
}

// value reads an attribute.
func (p *parser) value() any {
	switch {
	case p.kind == quotedWord:
		return p.quoted("text")
	case p.accept("true"):
		return true
	case p.accept("false"):
		return false
	case p.kind == numberWord:
		if n, err := strconv.Atoi(p.word); err == nil {
			p.next()
			return n
		}
		return p.float(64)
	case p.is("nan"), p.is("inf"), p.is("-"):
		if word, ok := p.nanBits(64); ok {
			return math.Float64frombits(word)
		}
		return p.float(64)
	case p.accept("["):
		list := []int{}
		for !p.accept("]") {
			if len(list) > 0 {
				p.want(",")
			}
			list = append(list, p.int("an integer"))
		}
		return list
	case p.accept("<"):
		return p.symbolic()
	}
	d := p.dtype()
	if !p.is("[") {
		return d
	}
	return p.literal(d)
}

// symbolic reads s0 + 1> or [s0, 4]>.
func (p *parser) symbolic() any {
	if !p.accept("[") {
		i := p.expr(0)
		p.want(">")
		return i
	}
	list := []Int{}
	for !p.accept("]") {
		if len(list) > 0 {
			p.want(",")
		}
		list = append(list, p.expr(0))
	}
	p.want(">")
	return list
}

// float reads a number, inf, -inf, nan, or nan: with the bits of one.
func (p *parser) float(bits int) float64 {
	sign := 1
	if p.accept("-") {
		sign = -1
		if !p.is("inf") {
			p.fail("got -%s; want a number", p.word)
		}
	}
	switch {
	case p.accept("inf"):
		return math.Inf(sign)
	case p.accept("nan"):
		return math.NaN()
	}
	f, err := strconv.ParseFloat(p.word, bits)
	if err != nil || p.kind != numberWord {
		p.fail("got %s; want a number", p.word)
	}
	p.next()
	return f
}

// literal reads [2]{1.0, 2.0}, [1000]{0.0...} or [9]"base64" behind the dtype.
func (p *parser) literal(d DType) *Literal {
	l := &Literal{DType: d, Shape: []int{}}
	p.want("[")
	for !p.accept("]") {
		if len(l.Shape) > 0 {
			p.want(",")
		}
		l.Shape = append(l.Shape, p.int("a size"))
	}
	n, ok := l.NumElems()
	if !ok || n > p.maxElems {
		p.fail("a literal of shape %v", l.Shape)
	}
	if p.kind == quotedWord {
		data, err := base64.StdEncoding.DecodeString(p.quoted("base64"))
		if err != nil || len(data) != n*d.Size() {
			p.fail("%d bytes in base64 (%v); want %d", len(data), err, n*d.Size())
		}
		l.Data = data
	} else {
		p.want("{")
		p.elements(l, n)
	}
	if !l.Valid() {
		p.fail("bytes that are no %s", d)
	}
	return l
}

// maxElems bounds what a short text can ask for: the elements of a literal.
const maxElems = 1 << 26

func (p *parser) elements(l *Literal, n int) {
	size := l.DType.Size()
	for i := 0; !p.accept("}"); i++ {
		if i > 0 {
			p.want(",")
		}
		if i == n {
			p.fail("more than %d elements", n)
		}
		l.Data = p.element(l.Data, l.DType)
		if i == 0 && p.accept("...") {
			p.fill(l, l.Data, n)
			p.want("}")
			return
		}
	}
	if len(l.Data) != n*size {
		p.fail("%d elements; want %d", len(l.Data)/size, n)
	}
}

// fill gives l n times the one element.
func (p *parser) fill(l *Literal, one []byte, n int) {
	if p.filled += n * len(one); p.filled > maxFill {
		p.fail("literals of more than %d bytes that give one element for many", maxFill)
	}
	l.Data = bytes.Repeat(one, n)
}

// element reads one number and appends its bytes.
func (p *parser) element(data []byte, d DType) []byte {
	var word uint64
	switch d {
	case Bool:
		switch {
		case p.accept("true"):
			word = 1
		case !p.accept("false"):
			p.fail("got %s; want true or false", p.word)
		}
	case Int32, Int64:
		n, err := strconv.ParseInt(p.word, 10, 8*d.Size())
		if err != nil || p.kind != numberWord {
			p.fail("got %s; want an %s", p.word, d)
		}
		p.next()
		word = uint64(n)
	case Float32:
		if w, ok := p.nanBits(32); ok {
			word = w
		} else if f := float32(p.float(32)); f != f {
			word = nan32
		} else {
			word = uint64(math.Float32bits(f))
		}
	default:
		if w, ok := p.nanBits(64); ok {
			word = w
		} else {
			word = math.Float64bits(p.float(64))
		}
	}
	for range d.Size() {
		data = append(data, byte(word))
		word >>= 8
	}
	return data
}

// nanBits reads nan: followed by the bits in hexadecimal.
func (p *parser) nanBits(bits int) (uint64, bool) {
	if !p.is("nan") || !p.peek(':') {
		return 0, false
	}
	p.next()
	start := p.pos
	for p.pos < len(p.text) && (isDigit(p.text[p.pos]) || isLetter(p.text[p.pos])) {
		p.pos++
	}
	word, err := strconv.ParseUint(p.text[start:p.pos], 16, bits)
	f := math.Float64frombits(word)
	if bits == 32 {
		f = float64(math.Float32frombits(uint32(word)))
	}
	if err != nil || f == f {
		p.fail("%s are no bits of a NaN", p.text[start:p.pos])
	}
	p.next()
	return word, true
}
