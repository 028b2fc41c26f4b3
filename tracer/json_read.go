package tracer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"math"
	"strconv"
	"strings"
)

// UnmarshalJSON reads a graph from the form of [Graph.MarshalJSON]. Lists that are empty may be left out; a key that the
// form does not have is an error. The result printed is the text of the graph that was written. It checks the form only;
// see [Graph.Verify]. The error names the place, e.g. graph.nodes[3].attrs[0]; g is unchanged then.
func (g *Graph) UnmarshalJSON(data []byte) error { return g.readJSON(data, maxElems) }

func (g *Graph) readJSON(data []byte, most int) error {
	var doc jsonDocument
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("graph JSON: %s: got a %s; want a value for a Go %s", te.Field, te.Value, te.Type)
		}
		return fmt.Errorf("graph JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("graph JSON: offset %d: more behind the graph", d.InputOffset())
	}
	switch {
	case doc.Format != jsonFormat:
		return fmt.Errorf("graph JSON: format is %q; want %q", doc.Format, jsonFormat)
	case doc.Version != jsonVersion:
		return fmt.Errorf("graph JSON: version is %d; this library reads version %d", doc.Version, jsonVersion)
	}
	r := jsonReader{most: most}
	var read *Graph
	if err := guarded(func() { read = r.graph(doc.Graph, "graph", 0) }); err != nil {
		return err
	}
	*g = *read
	return nil
}

// jsonReader makes a graph of what was decoded. It fails by panics, as the parser of the text does.
type jsonReader struct {
	most   int // elements of a literal
	filled int // see parser
}

func (r *jsonReader) fail(at, format string, args ...any) {
	panic(syntaxError{fmt.Errorf("graph JSON: %s: %s", at, fmt.Sprintf(format, args...))})
}

// text reads a piece in the text form, to its end.
func (r *jsonReader) text(at, text string, read func(p *parser)) {
	p := newParser(text, r.most)
	p.filled = r.filled
	err := guarded(func() {
		p.next()
		read(p)
		if p.kind != endOfText {
			p.fail("got %s behind the end", p.word)
		}
	})
	if err != nil {
		r.fail(at, "%q: %v", shorten(text), err)
	}
	r.filled = p.filled
}

// shorten cuts text from a file for a message.
func shorten(text string) string {
	const most = 60
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// raw decodes one value.
func (r *jsonReader) raw(at string, data json.RawMessage, into any, want string) {
	if bytes.Equal(data, []byte("null")) || json.Unmarshal(data, into) != nil {
		r.fail(at, "got %s; want %s", shorten(string(data)), want)
	}
}

func (r *jsonReader) graph(j *jsonGraph, at string, depth int) *Graph {
	switch {
	case j == nil:
		r.fail(at, "there is none")
	case depth > maxDepth:
		r.fail(at, "more than %d nested bodies", maxDepth)
	case j.Name != "" && !isName(j.Name):
		r.fail(at+".name", "%q is no name: letters, digits, _ and dots between them", shorten(j.Name))
	}
	g := &Graph{Name: j.Name}
	nodes := map[string]*Node{}
	g.Inputs = r.leaves(j.Inputs, OpInput, at+".inputs", nodes)
	g.Constants = r.leaves(j.Constants, OpConstant, at+".constants", nodes)
	for i := range j.Nodes {
		g.Nodes = append(g.Nodes, r.node(&j.Nodes[i], fmt.Sprintf("%s.nodes[%d]", at, i), nodes, depth))
	}
	for i, guard := range j.Guards {
		at := fmt.Sprintf("%s.guards[%d]", at, i)
		c := Cond{guard.Op, r.size(at+".a", guard.A), r.size(at+".b", guard.B)}
		if known, ok := compare(c.Op, c.A, c.B); !ok || known.Op != c.Op {
			r.fail(at+".op", "got %q; want ==, !=, < or <=", shorten(c.Op))
		}
		g.Guards = append(g.Guards, Guard{c, r.pos(guard.Pos, at+".pos")})
	}
	g.Outputs = r.uses(j.Outputs, at+".outputs", nodes)
	return g
}

func (r *jsonReader) leaves(list []jsonLeaf, op, at string, nodes map[string]*Node) []*Node {
	var made []*Node
	for i, j := range list {
		at := fmt.Sprintf("%s[%d]", at, i)
		n := &Node{Name: j.Name, Op: op, Meta: r.meta(j.Type, at+".type", 0), Pos: r.pos(j.Pos, at+".pos")}
		r.define(n, at, nodes)
		made = append(made, n)
	}
	return made
}

func (r *jsonReader) define(n *Node, at string, nodes map[string]*Node) {
	switch {
	case !isName(n.Name):
		r.fail(at+".name", "%q is no name: letters, digits, _ and dots between them", shorten(n.Name))
	case nodes[n.Name] != nil:
		r.fail(at+".name", "the name %s is taken", shorten(n.Name))
	}
	nodes[n.Name] = n
}

func (r *jsonReader) uses(names []string, at string, nodes map[string]*Node) []*Node {
	var list []*Node
	for i, name := range names {
		n := nodes[name]
		if n == nil {
			r.fail(fmt.Sprintf("%s[%d]", at, i), "got %q; want a node that was made before", shorten(name))
		}
		list = append(list, n)
	}
	return list
}

func (r *jsonReader) node(j *jsonNode, at string, nodes map[string]*Node, depth int) *Node {
	n := &Node{Name: j.Name, Op: j.Op, Meta: r.meta(j.Type, at+".type", 0), Args: r.uses(j.Args, at+".args", nodes), Pos: r.pos(j.Pos, at+".pos")}
	if !isName(n.Op) {
		r.fail(at+".op", "%q is no name of an operation", shorten(n.Op))
	}
	for i, a := range j.Attrs {
		at := fmt.Sprintf("%s.attrs[%d]", at, i)
		if !isName(a.Key) {
			r.fail(at+".key", "%q is no name", shorten(a.Key))
		}
		n.Attrs = append(n.Attrs, Attr{a.Key, r.value(a, at+".value")})
	}
	for i, body := range j.Graphs {
		n.Graphs = append(n.Graphs, r.graph(body, fmt.Sprintf("%s.graphs[%d]", at, i), depth+1))
	}
	r.define(n, at, nodes)
	return n
}

func (r *jsonReader) meta(j *jsonMeta, at string, depth int) Meta {
	kinds := 0
	if j != nil {
		for _, is := range []bool{j.DType != "" || j.Shape != nil, j.Int != nil, j.Tuple != nil} {
			if is {
				kinds++
			}
		}
	}
	switch {
	case kinds != 1:
		r.fail(at, "got %d of dtype with shape, int, and tuple; want one of them", kinds)
	case j.Int != nil:
		i := r.size(at+".int", j.Int)
		return Meta{Int: &i}
	case j.Tuple != nil:
		if depth > 0 {
			r.fail(at, "a tuple of tuples")
		}
		m := Meta{Elems: []Meta{}}
		for i, part := range *j.Tuple {
			m.Elems = append(m.Elems, r.meta(part, fmt.Sprintf("%s.tuple[%d]", at, i), depth+1))
		}
		return m
	case j.Shape == nil:
		r.fail(at+".shape", "there is none")
	}
	return Meta{DType: r.dtype(at+".dtype", j.DType), Shape: r.sizes(at+".shape", *j.Shape)}
}

func (r *jsonReader) dtype(at, name string) DType {
	d, ok := ParseDType(name)
	if !ok {
		r.fail(at, "got %q; want one of %v", shorten(name), DTypes())
	}
	return d
}

func (r *jsonReader) sizes(at string, list []json.RawMessage) []Int {
	sizes := make([]Int, len(list))
	for i, data := range list {
		sizes[i] = r.size(fmt.Sprintf("%s[%d]", at, i), data)
	}
	return sizes
}

// size reads a number, or text with an expression.
func (r *jsonReader) size(at string, data json.RawMessage) Int {
	if n, err := strconv.Atoi(string(data)); err == nil {
		return Const(n)
	}
	var text string
	var i Int
	r.raw(at, data, &text, "an integer, or an expression as text")
	r.text(at, text, func(p *parser) { i = p.expr(0) })
	return i
}

func (r *jsonReader) pos(j *jsonPos, at string) (pos token.Position) {
	switch {
	case j == nil:
		return pos
	case j.Line < 1 || j.Column < 0:
		r.fail(at, "line %d, column %d; want numbers from 1", j.Line, j.Column)
	case j.File != "" && j.FileBase64 != nil:
		r.fail(at, "both file and file_base64")
	}
	pos = token.Position{Filename: j.File, Line: j.Line, Column: j.Column}
	if j.FileBase64 != nil {
		pos.Filename = string(*j.FileBase64)
	}
	return pos
}

// value reads an attribute.
func (r *jsonReader) value(a jsonAttr, at string) any {
	var text string
	switch a.Type {
	case "int":
		n, err := strconv.Atoi(string(a.Value))
		if err != nil {
			r.fail(at, "got %s; want an integer", shorten(string(a.Value)))
		}
		return n
	case "float":
		var data []byte
		r.text(at, r.number(at, a.Value), func(p *parser) { data = p.element(nil, Float64) })
		return floatOf(data)
	case "bool":
		var is bool
		r.raw(at, a.Value, &is, "true or false")
		return is
	case "string":
		r.raw(at, a.Value, &text, "text")
		return text
	case "bytes":
		r.raw(at, a.Value, &text, "text")
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			r.fail(at, "got %q; want base64", shorten(text))
		}
		return string(data)
	case "dtype":
		r.raw(at, a.Value, &text, "text")
		return r.dtype(at, text)
	case "ints":
		list := []int{}
		r.raw(at, a.Value, &list, "a list of integers")
		return list
	case "size":
		return r.size(at, a.Value)
	case "sizes":
		var list []json.RawMessage
		r.raw(at, a.Value, &list, "a list of sizes")
		return r.sizes(at, list)
	case "tensor":
		return r.literal(at, a.Value)
	}
	r.fail(at, "the type of the attribute is %q; want int, float, bool, string, bytes, dtype, ints, size, sizes or tensor", shorten(a.Type))
	return nil
}

// number returns a number, a bool, or the text in quotes, in the text form.
func (r *jsonReader) number(at string, data json.RawMessage) string {
	if len(data) == 0 || data[0] != '"' {
		return strings.ToLower(string(data)) // 1E5 is a number, too
	}
	var text string
	r.raw(at, data, &text, "a number")
	return text
}

func (r *jsonReader) literal(at string, data json.RawMessage) *Literal {
	var j jsonLiteral
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		r.fail(at, "%v", err)
	}
	l := &Literal{DType: r.dtype(at+".dtype", j.DType), Shape: j.Shape}
	n, ok := l.NumElems()
	switch {
	case j.Shape == nil:
		r.fail(at+".shape", "there is none")
	case !ok || n > r.most:
		r.fail(at+".shape", "a literal of shape %v", l.Shape)
	case j.Elements != nil && j.Fill == nil && j.Base64 == nil:
		if len(*j.Elements) != n {
			r.fail(at+".elements", "%d elements; want %d", len(*j.Elements), n)
		}
		for i, e := range *j.Elements {
			at := fmt.Sprintf("%s.elements[%d]", at, i)
			r.text(at, r.number(at, e), func(p *parser) { l.Data = p.element(l.Data, l.DType) })
		}
	case j.Fill != nil && j.Elements == nil && j.Base64 == nil:
		at += ".fill"
		r.text(at, r.number(at, j.Fill), func(p *parser) { p.fill(l, p.element(nil, l.DType), n) })
	case j.Base64 != nil && j.Elements == nil && j.Fill == nil:
		l.Data = *j.Base64
		if !l.Valid() {
			r.fail(at+".base64", "%d bytes that are no %s%v", len(l.Data), l.DType, l.Shape)
		}
	default:
		r.fail(at, "want one of elements, fill and base64")
	}
	return l
}

// floatOf returns the float64 with the given bytes.
func floatOf(data []byte) float64 {
	var word uint64
	for i, b := range data {
		word |= uint64(b) << (8 * i)
	}
	return math.Float64frombits(word)
}
