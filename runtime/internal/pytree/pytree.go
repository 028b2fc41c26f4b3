// Package pytree takes Go values that hold tensors apart into a flat list of leaves and a description of the rest, and
// puts them together again.
//
// A pytree is a leaf (*L), struct{}, or a struct, slice, array or string-keyed map of pytrees. Exported struct fields
// count; `hop:"static"` marks a field of basic type that belongs to the structure, `hop:"-"` one that is left out and
// is zero when the value is put together. Everything else is an error. A nil leaf is part of the structure, not a leaf.
// Values of one more type may stand for leaves, see [Other].
// What reflection finds about a type is kept, so a type is looked at once.
package pytree

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// maxDepth bounds the nesting of a value: a slice or map can contain itself.
const maxDepth = 10_000

// LeafError says what in a value cannot be part of a pytree (HOP202).
type LeafError struct {
	// Path leads from the root to the offending place; elements of slices, arrays and maps are written [] when the
	// element type itself is at fault.
	Path string
	// Type is the Go type found there.
	Type string
	// Reason says what is wrong and what to do.
	Reason string
}

// Error returns path, type and reason.
func (e *LeafError) Error() string {
	path := e.Path
	if path == "" {
		path = "value"
	}
	return fmt.Sprintf("%s is %s: %s", path, e.Type, e.Reason)
}

// Flatten returns the leaves of v in a fixed order (fields as declared, elements by index, map keys sorted) and the
// structure around them. Nil leaves are part of the structure. The error is a *[LeafError].
//
// other is a second type of leaves, nil for none.
func Flatten[L any](v any, other *Other[L]) (leaves []*L, tree *Tree, err error) {
	if leaf, ok := v.(*L); ok && leaf != nil { // the common case, without reflection
		return []*L{leaf}, planFor(reflect.TypeFor[*L](), reflect.TypeFor[*L](), other.second()).bare, nil
	}
	if v == nil {
		return nil, nil, &LeafError{Type: "nil", Reason: "there is no value"}
	}
	p := planFor(reflect.TypeOf(v), reflect.TypeFor[*L](), other.second())
	if p.err != nil {
		return nil, nil, p.err
	}
	f := flattener[L]{}
	root := f.node(p, reflect.ValueOf(v), 0)
	if f.err != nil {
		f.err.Type = p.typ.String()
		return nil, nil, f.err
	}
	return f.leaves, &Tree{root: root, leaves: len(f.leaves)}, nil
}

type flattener[L any] struct {
	leaves []*L
	err    *LeafError
}

func (f *flattener[L]) node(p *plan, v reflect.Value, depth int) node {
	n := node{plan: p}
	if depth > maxDepth {
		f.err = &LeafError{Reason: fmt.Sprintf("it is nested deeper than %d levels; a value that contains itself is no pytree", maxDepth)}
		return n
	}
	switch p.kind {
	case leafKind:
		if v.IsNil() {
			n.isNil = true
			break
		}
		f.leaves = append(f.leaves, v.Interface().(*L))
	case otherKind:
		f.leaves = append(f.leaves, p.other.(*Other[L]).Leaf(v))
	case structKind:
		n.kids = make([]node, len(p.fields))
		for i, field := range p.fields {
			n.kids[i] = f.node(field.plan, v.Field(field.index), depth+1)
		}
	case sliceKind, arrayKind:
		n.isNil = p.kind == sliceKind && v.IsNil()
		n.kids = make([]node, v.Len())
		for i := range n.kids {
			n.kids[i] = f.node(p.elem, v.Index(i), depth+1)
		}
	case mapKind:
		n.isNil = v.IsNil()
		n.keys = sortedKeys(v)
		n.kids = make([]node, len(n.keys))
		for i, k := range n.keys {
			n.kids[i] = f.node(p.elem, v.MapIndex(reflect.ValueOf(k).Convert(p.typ.Key())), depth+1)
		}
	case staticKind:
		n.static = v.Interface()
	}
	return n
}

func sortedKeys(m reflect.Value) []string {
	keys := make(map[string]bool, m.Len())
	for it := m.MapRange(); it.Next(); {
		keys[it.Key().String()] = true
	}
	return slices.Sorted(maps.Keys(keys))
}

// Unflatten puts leaves into the structure t. Its containers are new; leaves go where [Flatten] would find them, nil
// leaves stay nil. P must be the type that t was made from, or an interface; there must be t.NumLeaves() leaves.
func Unflatten[P, L any](t *Tree, leaves []*L) P {
	if len(leaves) != t.leaves {
		panic(fmt.Sprintf("pytree: %d leaves for a structure of %d: %v", len(leaves), t.leaves, t))
	}
	if t.root.plan.kind == leafKind && !t.root.isNil {
		return any(leaves[0]).(P)
	}
	out := reflect.New(t.root.plan.typ).Elem()
	rest := build(&t.root, out, leaves)
	if len(rest) != 0 {
		panic(fmt.Sprintf("pytree: %d leaves left over: %v", len(rest), t))
	}
	return out.Interface().(P)
}

// build sets out, which is addressable, and returns the leaves that it did not use.
func build[L any](n *node, out reflect.Value, leaves []*L) []*L {
	switch p := n.plan; p.kind {
	case leafKind:
		if !n.isNil {
			out.Set(reflect.ValueOf(leaves[0]))
			leaves = leaves[1:]
		}
	case otherKind:
		out.Set(p.other.(*Other[L]).Value(leaves[0]))
		leaves = leaves[1:]
	case structKind:
		for i := range n.kids {
			leaves = build(&n.kids[i], out.Field(p.fields[i].index), leaves)
		}
	case sliceKind, arrayKind:
		if p.kind == sliceKind && !n.isNil {
			out.Set(reflect.MakeSlice(p.typ, len(n.kids), len(n.kids)))
		}
		for i := range n.kids {
			leaves = build(&n.kids[i], out.Index(i), leaves)
		}
	case mapKind:
		if n.isNil {
			break
		}
		out.Set(reflect.MakeMapWithSize(p.typ, len(n.kids)))
		for i := range n.kids {
			elem := reflect.New(p.elem.typ).Elem()
			leaves = build(&n.kids[i], elem, leaves)
			out.SetMapIndex(reflect.ValueOf(n.keys[i]).Convert(p.typ.Key()), elem)
		}
	case staticKind:
		out.Set(reflect.ValueOf(n.static))
	}
	return leaves
}

// index writes the path element of part i of n.
func (n *node) index(i int) string {
	switch n.plan.kind {
	case structKind:
		return "." + n.plan.fields[i].name
	case mapKind:
		return "[" + strconv.Quote(n.keys[i]) + "]"
	default:
		return "[" + strconv.Itoa(i) + "]"
	}
}
