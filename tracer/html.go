package tracer

import (
	_ "embed"
	"fmt"
	"go/token"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// WriteHTML writes the graph as one page that needs nothing else: a row for each node with its type, operation and line,
// bodies inside the rows of their operators. Pointing at a value marks where it was made and where it is used; a click
// marks its whole way, into the bodies, through their steps and out as results (or, against the arrows, all that it was
// made of).
//
// source gives the text of a line of the program, to be shown beside the node that it made, or ""; [SourceLines] reads
// it from the files. It may be nil.
func (g *Graph) WriteHTML(w io.Writer, source func(token.Position) string) error {
	if source == nil {
		source = func(token.Position) string { return "" }
	}
	b := htmlBuilder{source: source}
	page := htmlPage{Title: "graph " + g.Name, Root: b.graph(g, "", 0)}
	page.Uses, page.Way, page.Values, page.Bodies = b.uses, b.way, b.values, b.bodies
	if page.Uses == nil {
		page.Uses = [][2]int{}
	}
	if page.Way == nil {
		page.Way = [][2]int{}
	}
	t, err := pageTemplate()
	if err == nil {
		err = t.Execute(w, page)
	}
	if err != nil {
		return fmt.Errorf("graph %s as HTML: %w", g.Name, err)
	}
	return nil
}

// SourceLines returns a function that gives the text of a line from the file that the position names, "" where there is
// no such file or line. It keeps what it has read.
func SourceLines() func(token.Position) string {
	files := map[string][]string{}
	return func(pos token.Position) string {
		lines, known := files[pos.Filename]
		if !known {
			if text, err := os.ReadFile(pos.Filename); err == nil {
				lines = strings.Split(string(text), "\n")
			}
			files[pos.Filename] = lines
		}
		if pos.Line < 1 || pos.Line > len(lines) {
			return ""
		}
		return lines[pos.Line-1]
	}
}

//go:embed page.html
var pageText string

var pageTemplate = sync.OnceValues(func() (*template.Template, error) { return template.New("page").Parse(pageText) })

type htmlPage struct {
	Title          string
	Root           *htmlGraph
	Uses, Way      [][2]int
	Values, Bodies int
}

type htmlGraph struct {
	Name, Role string // its own name, and what it is to its operator
	Depth      int
	Rows       []*htmlRow
	Guards     []htmlGuard
	Outputs    []*htmlRow

	made   map[*Node]*htmlRow
	inputs []*htmlRow
}

type htmlRow struct {
	ID               int
	Kind             string // input, constant, op, or hop for an operator with bodies
	Name, Type       string
	Op               string
	Args             []*htmlRow // of a body's input: what it is given
	Then             []*htmlRow // of a body's input: what it is given in later steps
	Attrs            []htmlAttr
	Line, Pos, Quote string
	Bodies           []*htmlGraph
}

type htmlAttr struct{ Key, Value string }

type htmlGuard struct{ Cond, Line, Pos string }

// htmlBuilder numbers the values of a page. A body that several nodes share is shown for each of them.
type htmlBuilder struct {
	source         func(token.Position) string
	values, bodies int
	uses           [][2]int // from a value to one that it is an operand of, or that stands for it in a body
	way            [][2]int // from a value to one that depends on it
}

func (b *htmlBuilder) graph(g *Graph, role string, depth int) *htmlGraph {
	h := &htmlGraph{Name: g.Name, Role: role, Depth: depth, made: map[*Node]*htmlRow{}}
	for _, n := range g.Inputs {
		h.inputs = append(h.inputs, b.row(h, n, "input"))
	}
	for _, n := range g.Constants {
		b.row(h, n, "constant")
	}
	for _, n := range g.Nodes {
		kind := "op"
		if len(n.Graphs) > 0 {
			kind = "hop"
		}
		row := b.row(h, n, kind)
		for _, a := range n.Args {
			if from := h.made[a]; from != nil { // else the graph was not verified
				row.Args = append(row.Args, from)
				b.uses = append(b.uses, [2]int{from.ID, row.ID})
				if kind == "op" && (n.Op != OpGet || from.Kind != "hop") {
					b.way = append(b.way, [2]int{from.ID, row.ID})
				}
			}
		}
		for i, body := range n.Graphs {
			b.bodies++
			row.Bodies = append(row.Bodies, b.graph(body, bodyRole(n, i), depth+1))
		}
	}
	for _, n := range g.Outputs {
		if row := h.made[n]; row != nil {
			h.Outputs = append(h.Outputs, row)
		}
	}
	for _, n := range g.Nodes {
		if len(n.Graphs) > 0 {
			b.flow(h, g, n)
		}
	}
	for _, guard := range g.Guards {
		h.Guards = append(h.Guards, htmlGuard{guard.Cond.String(), shortLine(guard.Pos), posText(guard.Pos)})
	}
	return h
}

// bodyRole says what body i is to n, where the bodies differ.
func bodyRole(n *Node, i int) string {
	switch {
	case n.Op == "cond" && i < 2:
		return [...]string{"if true", "if false"}[i]
	case n.Op == "switch":
		return fmt.Sprintf("case %d", i)
	case n.Op == "while_loop" && i < 2:
		return [...]string{"condition", "body"}[i]
	case n.Op == "while_sweeps":
		return [...]string{"condition", "body", "from the last step", "from the first step"}[min(i, 2+i%2)]
	case n.Op == "custom_vjp" && i < 2:
		return [...]string{"forward", "backward"}[i]
	}
	return ""
}

// flow links the rows of n with those of its bodies.
func (b *htmlBuilder) flow(h *htmlGraph, g *Graph, n *Node) {
	row := h.made[n]
	link := func(from, to *htmlRow) {
		if from != nil && to != nil {
			b.way = append(b.way, [2]int{from.ID, to.ID})
		}
	}
	f := flowOf(n)
	for _, hand := range f.into {
		if from := h.made[n.Args[hand.From]]; from != nil {
			to := row.Bodies[hand.Body].inputs[hand.To]
			to.Args = append(to.Args, from)
			b.uses = append(b.uses, [2]int{from.ID, to.ID})
			link(from, to)
		}
	}
	output := func(body, i int) *htmlRow { return row.Bodies[body].made[n.Graphs[body].Outputs[i]] }
	for _, hand := range f.out {
		for _, result := range resultsOf(g, n, hand.To) {
			link(output(hand.Body, hand.From), h.made[result])
		}
	}
	for _, hand := range f.back {
		from, to := output(hand.Body, hand.From), row.Bodies[hand.Again].inputs[hand.To]
		if from != nil {
			to.Then = append(to.Then, from)
		}
		link(from, to)
	}
	// What chooses a body, or how often it runs, decides all results.
	var decides *htmlRow
	switch {
	case (n.Op == "cond" || n.Op == "switch") && len(n.Args) > 0:
		decides = h.made[n.Args[0]]
	case (n.Op == "while_loop" || n.Op == "while_sweeps") && len(n.Graphs) > 0 && len(n.Graphs[0].Outputs) > 0:
		decides = output(0, 0)
	}
	for i := range n.Meta.Elems {
		for _, result := range resultsOf(g, n, i) {
			link(decides, h.made[result])
		}
	}
}

func (b *htmlBuilder) row(h *htmlGraph, n *Node, kind string) *htmlRow {
	r := &htmlRow{ID: b.values, Kind: kind, Name: n.Name, Type: n.Meta.String(), Op: n.Op, Line: shortLine(n.Pos), Pos: posText(n.Pos)}
	if n.Pos.IsValid() {
		r.Quote = strings.TrimSpace(b.source(n.Pos))
	}
	for _, a := range n.Attrs {
		var p printer
		p.value(a.Value)
		r.Attrs = append(r.Attrs, htmlAttr{a.Key, shorten(string(p.b))})
	}
	b.values++
	h.made[n] = r
	h.Rows = append(h.Rows, r)
	return r
}

// shortLine is the file's name without folders, and the line.
func shortLine(pos token.Position) string {
	if !pos.IsValid() {
		return ""
	}
	return fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line)
}

func posText(pos token.Position) string {
	if !pos.IsValid() {
		return ""
	}
	return pos.String()
}
