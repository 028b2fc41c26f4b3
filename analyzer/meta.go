package analyzer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// What is known of a pytree without running the program: structure, and the dtype and shape of its tensors. Everything may be
// unknown, and two trees differ only where both are known.

// size is the length of one dim of a tensor; unknownSize if it is not known.
type size int64

const unknownSize size = -1

// meta is what is known of a tensor.
type meta struct {
	// dtype is the name as messages write it, float64; empty if it is not known.
	dtype string
	// dims are the sizes; they mean something only if ranked is set.
	dims   []size
	ranked bool
	// base is the input whose rank, and more more dims than that, the tensor has; nil if that is not known either.
	base any
	more int
	// formula is how it depends on the arguments of the function at work; nil if it does not, or if that is not known.
	formula *Formula
}

// text is the meta as the runtime describes a tensor, float64[2 3], with … for what is not known.
func (m meta) text() string {
	dtype := m.dtype
	if dtype == "" {
		dtype = "…"
	}
	if !m.ranked {
		return dtype + "[…]"
	}
	words := make([]string, len(m.dims))
	for i, d := range m.dims {
		words[i] = "…"
		if d != unknownSize {
			words[i] = strconv.FormatInt(int64(d), 10)
		}
	}
	return dtype + "[" + strings.Join(words, " ") + "]"
}

// differs reports whether two tensors certainly have different types, and how each is described.
func (m meta) differs(n meta) (a, b string, ok bool) {
	if m.dtype != "" && n.dtype != "" && m.dtype != n.dtype {
		return m.text(), n.text(), true
	}
	if m.ranked && n.ranked {
		different := len(m.dims) != len(n.dims)
		for i := 0; !different && i < len(m.dims); i++ {
			different = m.dims[i] != n.dims[i] && m.dims[i] != unknownSize && n.dims[i] != unknownSize
		}
		return m.text(), n.text(), different
	}
	if m.base != nil && m.base == n.base && m.more != n.more {
		return rankText(m.more), rankText(n.more), true
	}
	return "", "", false
}

// rankText describes a rank relative to that of an input.
func rankText(more int) string {
	switch {
	case more > 0:
		return fmt.Sprintf("of rank r+%d", more)
	case more < 0:
		return fmt.Sprintf("of rank r-%d", -more)
	}
	return "of rank r"
}

// join is what is known of a tensor that is one of two.
func (m meta) join(n meta) meta {
	out := meta{}
	if m.dtype == n.dtype {
		out.dtype = m.dtype
	}
	if m.base == n.base && m.more == n.more {
		out.base, out.more = m.base, m.more
	}
	if sameFormula(m, n) {
		out.formula = m.formula
	}
	if m.ranked && n.ranked && len(m.dims) == len(n.dims) {
		out.ranked, out.dims = true, slices.Clone(m.dims)
		for i := range out.dims {
			if out.dims[i] != n.dims[i] {
				out.dims[i] = unknownSize
			}
		}
	}
	return out
}

// treeKind is the kind of a node of a pytree.
type treeKind uint8

const (
	anyTree treeKind = iota // nothing is known
	leafTree
	nilTree // no tensor where one can be
	structTree
	listTree // a slice or array
	mapTree
	staticTree
)

// tree is what is known of a pytree.
type tree struct {
	kind treeKind
	meta meta
	// names are the fields or the sorted keys; kids the parts.
	names []string
	kids  []tree
	// static is the value of a static field as messages write it.
	static string
	// param is set for an integer that is an argument of the function at work, counted from 1.
	param int
}

func leaf(m meta) tree { return tree{kind: leafTree, meta: m} }

// kid is the part with a name; the tree of which nothing is known if there is none.
func (t tree) kid(name string) tree {
	if i := slices.Index(t.names, name); i >= 0 && (t.kind == structTree || t.kind == mapTree) {
		return t.kids[i]
	}
	return tree{}
}

// elem is element i of a list.
func (t tree) elem(i int64) tree {
	if t.kind == listTree && 0 <= i && i < int64(len(t.kids)) {
		return t.kids[i]
	}
	return tree{}
}

// join is what is known of a value that is one of two.
func (t tree) join(u tree) tree {
	if t.kind != u.kind || len(t.kids) != len(u.kids) || !slices.Equal(t.names, u.names) || t.static != u.static || t.param != u.param {
		return tree{}
	}
	out := tree{kind: t.kind, names: t.names, static: t.static, param: t.param}
	if t.kind == leafTree {
		out.meta = t.meta.join(u.meta)
	}
	for i := range t.kids {
		out.kids = append(out.kids, t.kids[i].join(u.kids[i]))
	}
	return out
}

// mapLeaves returns the tree with every tensor replaced.
func (t tree) mapLeaves(f func(meta) meta) tree {
	if t.kind == leafTree {
		return leaf(f(t.meta))
	}
	kids := make([]tree, len(t.kids))
	for i := range t.kids {
		kids[i] = t.kids[i].mapLeaves(f)
	}
	t.kids = kids
	return t
}

// describe says in words what a place holds, as the runtime does.
func (t tree) describe() string {
	switch t.kind {
	case leafTree:
		return "a tensor"
	case nilTree:
		return "nil"
	case listTree:
		return fmt.Sprintf("a slice of length %d", len(t.kids))
	case mapTree:
		words := make([]string, len(t.names))
		for i, k := range t.names {
			words[i] = strconv.Quote(k)
		}
		return "a map with keys [" + strings.Join(words, ", ") + "]"
	case staticTree:
		return t.static
	}
	return "a value"
}

// comparedTrees collects the places in which two trees certainly differ, in the order of the leaves; as the runtime does, it speaks
// of types of tensors only where the structures agree.
type comparedTrees struct {
	got, want         hopcheck.Place
	structure, tensor []hopcheck.Difference
	// open is set where it is not known whether the structures agree.
	open bool
}

func (c *comparedTrees) add(list *[]hopcheck.Difference, path, got, want string) {
	g, w := c.got, c.want
	g.Path, w.Path = path, path
	*list = append(*list, hopcheck.Difference{Got: g, Want: w, GotValue: got, WantValue: want})
}

func (c *comparedTrees) compare(got, want tree, path string) {
	switch {
	case got.kind == anyTree || want.kind == anyTree:
		c.open = true
	case got.kind != want.kind:
		c.add(&c.structure, path, got.describe(), want.describe())
	case got.kind == leafTree:
		if a, b, ok := got.meta.differs(want.meta); ok {
			c.add(&c.tensor, path, a, b)
		}
	case got.kind == staticTree:
		if got.static != want.static {
			c.add(&c.structure, path, got.static, want.static)
		}
	case got.kind == mapTree:
		c.maps(got, want, path)
	default:
		if len(got.kids) != len(want.kids) {
			c.add(&c.structure, path, got.describe(), want.describe())
		}
		for i := range min(len(got.kids), len(want.kids)) {
			step := "[" + strconv.Itoa(i) + "]"
			if got.kind == structTree {
				step = "." + got.names[i]
			}
			c.compare(got.kids[i], want.kids[i], path+step)
		}
	}
}

func (c *comparedTrees) maps(got, want tree, path string) {
	names := append(slices.Clone(got.names), want.names...)
	slices.Sort(names)
	for _, k := range slices.Compact(names) {
		at := path + "[" + strconv.Quote(k) + "]"
		i, j := slices.Index(got.names, k), slices.Index(want.names, k)
		switch {
		case j < 0:
			c.add(&c.structure, at, got.kids[i].describe(), "missing")
		case i < 0:
			c.add(&c.structure, at, "missing", want.kids[j].describe())
		default:
			c.compare(got.kids[i], want.kids[j], at)
		}
	}
}

// differences are those that the runtime would tell.
func (c *comparedTrees) differences() []hopcheck.Difference {
	if len(c.structure) > 0 {
		return c.structure
	}
	return c.tensor
}
