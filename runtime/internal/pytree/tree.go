package pytree

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Tree is the structure of a pytree: all of a value but its leaves. It is not changed after it was made.
type Tree struct {
	root   node
	leaves int
}

// node is one place of the structure.
type node struct {
	plan   *plan
	isNil  bool     // a nil leaf, slice or map
	keys   []string // of a map, sorted
	kids   []node
	static any
}

// isLeaf reports whether the place has a leaf in the flat list.
func (n *node) isLeaf() bool { return n.plan.kind == leafKind && !n.isNil || n.plan.kind == otherKind }

func bareLeaf(p *plan) *Tree { return &Tree{root: node{plan: p}, leaves: 1} }

// NumLeaves returns the number of leaves, nil ones not counted.
func (t *Tree) NumLeaves() int { return t.leaves }

// Others reports of each leaf, in the order of the leaves, whether it is an int, the other type of leaves.
func (t *Tree) Others() []bool {
	list := make([]bool, 0, t.leaves)
	var walk func(n *node)
	walk = func(n *node) {
		if n.isLeaf() {
			list = append(list, n.plan.kind == otherKind)
		}
		for i := range n.kids {
			walk(&n.kids[i])
		}
	}
	walk(&t.root)
	return list
}

// Paths returns the path of each leaf, in the order of the leaves: .H, [0], ["b"], .A[1].B; empty for a bare leaf.
func (t *Tree) Paths() []string {
	paths := make([]string, 0, t.leaves)
	var walk func(n *node, path string)
	walk = func(n *node, path string) {
		if n.isLeaf() {
			paths = append(paths, path)
		}
		for i := range n.kids {
			walk(&n.kids[i], path+n.index(i))
		}
	}
	walk(&t.root, "")
	return paths
}

// String returns the structure in one line: * for a leaf, e.g. {H: *, Steps: [*, nil], N: 3}.
func (t *Tree) String() string {
	var b strings.Builder
	t.root.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	opening, closing := "{", "}"
	switch n.plan.kind {
	case leafKind:
		b.WriteString(map[bool]string{false: "*", true: "nil"}[n.isNil])
		return
	case otherKind:
		b.WriteString(otherKind.word())
		return
	case staticKind:
		b.WriteString(staticText(n.static))
		return
	case sliceKind, arrayKind:
		opening, closing = "[", "]"
	}
	b.WriteString(opening)
	for i := range n.kids {
		if i > 0 {
			b.WriteString(", ")
		}
		switch n.plan.kind {
		case structKind:
			b.WriteString(n.plan.fields[i].name + ": ")
		case mapKind:
			b.WriteString(strconv.Quote(n.keys[i]) + ": ")
		}
		n.kids[i].write(b)
	}
	b.WriteString(closing)
}

func staticText(v any) string {
	if s := reflect.ValueOf(v); s.Kind() == reflect.String {
		return strconv.Quote(s.String())
	}
	return fmt.Sprint(v)
}

// Diff is one difference between two structures.
type Diff struct {
	// Path leads to the place that differs.
	Path string
	// A and B describe what the two structures have there.
	A, B string
}

// Diff returns every difference between t and u, in the order of the leaves: kinds, lengths, keys, nil leaves, static
// fields. Equal structures have none. A nil and an empty slice or map are equal.
func (t *Tree) Diff(u *Tree) []Diff {
	var c comparison
	c.nodes(&t.root, &u.root, "")
	return c.diffs
}

type comparison struct{ diffs []Diff }

func (c *comparison) add(path, a, b string) { c.diffs = append(c.diffs, Diff{path, a, b}) }

func (c *comparison) nodes(a, b *node, path string) {
	if a.plan.typ != b.plan.typ || a.plan.kind != b.plan.kind { // only below an interface: elsewhere Go's types agree
		c.add(path, a.describe(), b.describe())
		return
	}
	switch a.plan.kind {
	case leafKind:
		if a.isNil != b.isNil {
			c.add(path, a.describe(), b.describe())
		}
	case staticKind:
		if !sameStatic(a.static, b.static) {
			c.add(path, staticText(a.static), staticText(b.static))
		}
	case mapKind:
		c.maps(a, b, path)
	default:
		if len(a.kids) != len(b.kids) {
			c.add(path, a.describe(), b.describe())
		}
		for i := range min(len(a.kids), len(b.kids)) {
			c.nodes(&a.kids[i], &b.kids[i], path+a.index(i))
		}
	}
}

// maps merges the two sorted key lists.
func (c *comparison) maps(a, b *node, path string) {
	i, j := 0, 0
	for i < len(a.keys) || j < len(b.keys) {
		switch {
		case j == len(b.keys) || i < len(a.keys) && a.keys[i] < b.keys[j]:
			c.add(path+a.index(i), a.kids[i].describe(), "missing")
			i++
		case i == len(a.keys) || b.keys[j] < a.keys[i]:
			c.add(path+b.index(j), "missing", b.kids[j].describe())
			j++
		default:
			c.nodes(&a.kids[i], &b.kids[j], path+a.index(i))
			i, j = i+1, j+1
		}
	}
}

// sameStatic is equality in which NaN equals itself: a static field that did not change is no difference.
func sameStatic(a, b any) bool {
	return a == b || a != a && b != b
}

// describe says in words what a place holds.
func (n *node) describe() string {
	switch n.plan.kind {
	case leafKind:
		if n.isNil {
			return "nil"
		}
		return "a tensor"
	case otherKind:
		return "an int"
	case sliceKind:
		return fmt.Sprintf("a slice of length %d", len(n.kids))
	case mapKind:
		return "a map with keys " + quoted(n.keys)
	case staticKind:
		return staticText(n.static)
	case emptyKind:
		return "empty"
	default:
		return "a value of type " + n.plan.typ.String()
	}
}

func quoted(keys []string) string {
	words := slices.Clone(keys)
	for i := range words {
		words[i] = strconv.Quote(words[i])
	}
	return "[" + strings.Join(words, ", ") + "]"
}
