package tracer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/token"
	"unicode/utf8"
)

// The JSON form of a graph is made for other tools: each part has its own key, so that nothing needs to be parsed again
// but the expressions of symbolic sizes.
//
//	document  {"format": "hoplint graph", "version": 1, "graph": graph}
//	graph     {"name", "inputs": [leaf…], "constants": [leaf…], "nodes": [node…], "guards": [guard…], "outputs": [name…]}
//	leaf      {"name", "type": type, "pos": pos}
//	node      {"name", "op", "type": type, "args": [name…], "attrs": [attr…], "pos": pos, "graphs": [graph…]}
//	type      {"dtype": "float32", "shape": [size…]}   a tensor
//	          {"int": size}                            a symbolic integer
//	          {"tuple": [type…]}                       what an operator returns
//	size      4 or "s0*2 - 1"
//	attr      {"key", "type", "value"} with type and value one of
//	          "int" 3, "float" 0.5, "bool" true, "string" "text", "dtype" "float32", "ints" [1, 2],
//	          "size" "s0", "sizes" ["s0", 4], "tensor" literal, and "bytes" "base64" for text that is not UTF-8
//	literal   {"dtype", "shape": [2, 3], and one of: "elements": [x…], "fill": x for all, "base64": the bytes}
//	guard     {"op": "==", "a": size, "b": size, "pos": pos}; op is ==, !=, < or <=
//	pos       {"file", "line", "column"}; "file_base64" in place of file for a name that is not UTF-8
//
// Names are those of the text form: arguments and outputs name a leaf or an earlier node of the same graph. A float
// that no JSON number is stands as text: "inf", "-inf", "nan", "nan:7fc00001" with the bits of another NaN. Bytes are
// row-major and little endian. What is empty is left out. Version changes when a reader of this form would go wrong.
const (
	jsonFormat  = "hoplint graph"
	jsonVersion = 1
)

type jsonDocument struct {
	Format  string     `json:"format"`
	Version int        `json:"version"`
	Graph   *jsonGraph `json:"graph"`
}

type jsonGraph struct {
	Name      string      `json:"name,omitempty"`
	Inputs    []jsonLeaf  `json:"inputs,omitempty"`
	Constants []jsonLeaf  `json:"constants,omitempty"`
	Nodes     []jsonNode  `json:"nodes,omitempty"`
	Guards    []jsonGuard `json:"guards,omitempty"`
	Outputs   []string    `json:"outputs,omitempty"`
}

type jsonLeaf struct {
	Name string    `json:"name"`
	Type *jsonMeta `json:"type"`
	Pos  *jsonPos  `json:"pos,omitempty"`
}

type jsonNode struct {
	Name   string       `json:"name"`
	Op     string       `json:"op"`
	Type   *jsonMeta    `json:"type"`
	Args   []string     `json:"args,omitempty"`
	Attrs  []jsonAttr   `json:"attrs,omitempty"`
	Pos    *jsonPos     `json:"pos,omitempty"`
	Graphs []*jsonGraph `json:"graphs,omitempty"`
}

type jsonMeta struct {
	DType string             `json:"dtype,omitempty"`
	Shape *[]json.RawMessage `json:"shape,omitempty"`
	Int   json.RawMessage    `json:"int,omitempty"`
	Tuple *[]*jsonMeta       `json:"tuple,omitempty"`
}

type jsonAttr struct {
	Key   string          `json:"key"`
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

type jsonLiteral struct {
	DType    string             `json:"dtype"`
	Shape    []int              `json:"shape"`
	Elements *[]json.RawMessage `json:"elements,omitempty"`
	Fill     json.RawMessage    `json:"fill,omitempty"`
	Base64   *[]byte            `json:"base64,omitempty"`
}

type jsonGuard struct {
	Op  string          `json:"op"`
	A   json.RawMessage `json:"a"`
	B   json.RawMessage `json:"b"`
	Pos *jsonPos        `json:"pos,omitempty"`
}

type jsonPos struct {
	File       string  `json:"file,omitempty"`
	FileBase64 *[]byte `json:"file_base64,omitempty"`
	Line       int     `json:"line"`
	Column     int     `json:"column,omitempty"`
}

// MarshalJSON returns the graph as JSON, with all that [Graph.Text] prints:
//
//	{"format": "hoplint graph", "version": 1, "graph": {
//	  "name": "f",
//	  "inputs": [{"name": "x", "type": {"dtype": "float32", "shape": ["s0", 4]}}],
//	  "nodes": [{"name": "sum", "op": "sum", "type": {"dtype": "float32", "shape": ["s0"]}, "args": ["x"],
//	    "attrs": [{"key": "dims", "type": "ints", "value": [1]}], "pos": {"file": "main.go", "line": 10}}],
//	  "outputs": ["sum"]}}
//
// The keys stand in a fixed order: equal graphs give equal bytes. A body that several nodes share is repeated. An
// attribute that no graph can hold is an error.
func (g *Graph) MarshalJSON() ([]byte, error) {
	graph, err := jsonOfGraph(g)
	if err != nil {
		return nil, fmt.Errorf("graph JSON: %w", err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(jsonDocument{jsonFormat, jsonVersion, graph}); err != nil {
		return nil, fmt.Errorf("graph JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func jsonOfGraph(g *Graph) (*jsonGraph, error) {
	j := &jsonGraph{Name: g.Name, Inputs: jsonOfLeaves(g.Inputs), Constants: jsonOfLeaves(g.Constants), Outputs: namesOf(g.Outputs)}
	for _, n := range g.Nodes {
		node := jsonNode{Name: n.Name, Op: n.Op, Type: jsonOfMeta(n.Meta), Args: namesOf(n.Args), Pos: jsonOfPos(n.Pos)}
		for _, a := range n.Attrs {
			attr, err := jsonOfAttr(a)
			if err != nil {
				return nil, fmt.Errorf("node %s: attribute %s: %w", n.Name, a.Key, err)
			}
			node.Attrs = append(node.Attrs, attr)
		}
		for _, body := range n.Graphs {
			inner, err := jsonOfGraph(body)
			if err != nil {
				return nil, fmt.Errorf("node %s: %w", n.Name, err)
			}
			node.Graphs = append(node.Graphs, inner)
		}
		j.Nodes = append(j.Nodes, node)
	}
	for _, guard := range g.Guards {
		j.Guards = append(j.Guards, jsonGuard{guard.Cond.Op, jsonOfInt(guard.Cond.A), jsonOfInt(guard.Cond.B), jsonOfPos(guard.Pos)})
	}
	return j, nil
}

func jsonOfLeaves(nodes []*Node) []jsonLeaf {
	var list []jsonLeaf
	for _, n := range nodes {
		list = append(list, jsonLeaf{n.Name, jsonOfMeta(n.Meta), jsonOfPos(n.Pos)})
	}
	return list
}

func namesOf(nodes []*Node) []string {
	var list []string
	for _, n := range nodes {
		list = append(list, n.Name)
	}
	return list
}

func jsonOfMeta(m Meta) *jsonMeta {
	switch {
	case m.IsTensor():
		return &jsonMeta{DType: m.DType.String(), Shape: jsonOfInts(m.Shape)}
	case m.Int != nil:
		return &jsonMeta{Int: jsonOfInt(*m.Int)}
	}
	parts := make([]*jsonMeta, len(m.Elems))
	for i, e := range m.Elems {
		parts[i] = jsonOfMeta(e)
	}
	return &jsonMeta{Tuple: &parts}
}

func jsonOfInts(list []Int) *[]json.RawMessage {
	sizes := make([]json.RawMessage, len(list))
	for i, n := range list {
		sizes[i] = jsonOfInt(n)
	}
	return &sizes
}

// jsonOfInt is a number for a constant and text for an expression; both are ASCII without quotes.
func jsonOfInt(i Int) json.RawMessage {
	if i.expr == nil {
		return i.append(nil)
	}
	return append(i.append([]byte{'"'}), '"')
}

func jsonOfPos(pos token.Position) *jsonPos {
	if !pos.IsValid() {
		return nil
	}
	j := &jsonPos{Line: pos.Line, Column: max(pos.Column, 0)}
	if utf8.ValidString(pos.Filename) {
		j.File = pos.Filename
	} else {
		name := []byte(pos.Filename)
		j.FileBase64 = &name
	}
	return j
}

func jsonOfAttr(a Attr) (jsonAttr, error) {
	j := jsonAttr{Key: a.Key}
	value := a.Value
	switch v := a.Value.(type) {
	case int:
		j.Type = "int"
	case float64:
		j.Type, value = "float", jsonNumber(appendFloat(nil, v, 64))
	case bool:
		j.Type = "bool"
	case string:
		j.Type = "string"
		if !utf8.ValidString(v) {
			j.Type, value = "bytes", base64.StdEncoding.EncodeToString([]byte(v))
		}
	case DType:
		j.Type, value = "dtype", v.String()
	case []int:
		j.Type = "ints"
		if v == nil {
			value = []int{}
		}
	case Int:
		j.Type, value = "size", jsonOfInt(v)
	case []Int:
		j.Type, value = "sizes", jsonOfInts(v)
	case *Literal:
		j.Type, value = "tensor", jsonOfLiteral(v)
	default:
		return j, fmt.Errorf("a graph cannot hold the %T %v", value, value)
	}
	var err error
	j.Value, err = json.Marshal(value)
	return j, err
}

func jsonOfLiteral(l *Literal) jsonLiteral {
	j := jsonLiteral{DType: l.DType.String(), Shape: l.Shape}
	if j.Shape == nil {
		j.Shape = []int{}
	}
	n, _ := l.NumElems()
	switch {
	case l.Valid() && n <= maxNumbers:
		elements := make([]json.RawMessage, n)
		for i := range elements {
			elements[i] = jsonNumber(l.element(nil, i))
		}
		j.Elements = &elements
	case l.Valid() && l.isSplat():
		j.Fill = jsonNumber(l.element(nil, 0))
	default:
		j.Base64 = &l.Data
	}
	return j
}

// jsonNumber returns the text of an element as JSON: quoted when it is neither a number nor a bool, as inf and nan are.
func jsonNumber(text []byte) json.RawMessage {
	if c := text[len(text)-1]; isDigit(c) && text[0] != 'n' || text[0] == 't' || text[0] == 'f' {
		return text
	}
	return append(append([]byte{'"'}, text...), '"')
}
