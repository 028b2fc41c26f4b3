package pytree

import (
	"fmt"
	"reflect"
	"strconv"
	"sync"
)

// kind says what a place of a pytree holds.
type kind uint8

const (
	leafKind   kind = iota + 1 // *L
	otherKind                  // a value that stands for a leaf, see Other
	structKind                 // exported fields
	sliceKind
	arrayKind
	mapKind // string keys, in sorted order
	staticKind
	emptyKind // struct{}
)

// plan is how values of one type are flattened. Plans of a recursive type form a cycle.
type plan struct {
	kind   kind
	typ    reflect.Type
	elem   *plan       // of slices, arrays and maps
	fields []fieldPlan // of structs, in declaration order
	bare   *Tree       // of a leaf: the tree of a non-nil one, shared by all
	other  any         // of a value that stands for a leaf: the *Other[L]
	err    *LeafError  // what the type holds that no pytree may hold
}

type fieldPlan struct {
	index int
	name  string
	plan  *plan
}

// Other is a second type of leaves, integers: its values are flattened to leaves *L and back.
type Other[L any] struct {
	Type reflect.Type
	// Leaf returns the leaf that stands for v, Value the inverse; it gets nil where there is no leaf.
	Leaf  func(v reflect.Value) *L
	Value func(leaf *L) reflect.Value
}

// second describes the other type of leaves for a plan.
type second struct {
	typ reflect.Type // nil for none
	is  any          // the *Other[L]
}

func (o *Other[L]) second() second {
	if o == nil {
		return second{}
	}
	return second{o.Type, o}
}

// planKey names a plan: the same Go type is flattened differently for different leaf types.
type planKey struct{ typ, leaf, other reflect.Type }

// plans memoises what reflection found; it never changes what a call returns.
var plans sync.Map // planKey → *plan

// planFor returns the plan of typ for leaves of type leaf, a pointer type.
func planFor(typ, leaf reflect.Type, other second) *plan {
	if p, ok := plans.Load(planKey{typ, leaf, other.typ}); ok {
		return p.(*plan)
	}
	b := builder{leaf: leaf, other: other, made: map[reflect.Type]*plan{}}
	b.plan(typ, "")
	// A plan is published only when it and all that it points to are complete, so that readers need no lock. Only the
	// root carries an error with a path, and the path is relative to it.
	b.made[typ].err = b.err
	p, _ := plans.LoadOrStore(planKey{typ, leaf, other.typ}, b.made[typ])
	return p.(*plan)
}

// builder makes the plans of one root type.
type builder struct {
	leaf  reflect.Type
	other second
	made  map[reflect.Type]*plan
	err   *LeafError // the first one
}

func (b *builder) plan(t reflect.Type, path string) *plan {
	if p := b.made[t]; p != nil {
		return p
	}
	p := &plan{typ: t}
	b.made[t] = p // before its parts: they may hold t again
	if b.other.typ != nil && t == b.other.typ {
		p.kind, p.other = otherKind, b.other.is
		return p
	}
	switch t.Kind() {
	case reflect.Pointer:
		if t == b.leaf {
			p.kind, p.bare = leafKind, bareLeaf(p)
			break
		}
		b.fail(path, t, pointerReason(t))
	case reflect.Struct:
		switch {
		case t == b.leaf.Elem():
			b.fail(path, t, "a tensor is handled by pointer; use *"+t.String())
		case t.NumField() == 0:
			p.kind = emptyKind
		default:
			p.kind = structKind
			b.structFields(p, path)
		}
	case reflect.Slice:
		p.kind, p.elem = sliceKind, b.plan(t.Elem(), path+"[]")
	case reflect.Array:
		p.kind, p.elem = arrayKind, b.plan(t.Elem(), path+"[]")
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			b.fail(path, t, "the keys of a map must be strings, so that they have an order")
			break
		}
		p.kind, p.elem = mapKind, b.plan(t.Elem(), path+"[]")
	default:
		b.fail(path, t, reasonFor(t))
	}
	return p
}

func (b *builder) structFields(p *plan, path string) {
	for i := range p.typ.NumField() {
		f := p.typ.Field(i)
		tag, tagged := f.Tag.Lookup("hop")
		at := path + "." + f.Name
		switch {
		case tagged && tag == "-":
		case tagged && tag != "static":
			b.fail(at, f.Type, fmt.Sprintf(`unknown tag hop:%s; use hop:"static" or hop:"-"`, strconv.Quote(tag)))
		case !f.IsExported():
			b.fail(at, f.Type, `an unexported field is out of reach; export it, or leave it out with the tag hop:"-"`)
		case tagged && !isBasic(f.Type):
			b.fail(at, f.Type, "a static field is a bool, an integer, a float or a string")
		case tagged:
			p.fields = append(p.fields, fieldPlan{i, f.Name, &plan{kind: staticKind, typ: f.Type}})
		default:
			p.fields = append(p.fields, fieldPlan{i, f.Name, b.plan(f.Type, at)})
		}
	}
}

func (b *builder) fail(path string, t reflect.Type, reason string) {
	if b.err == nil {
		b.err = &LeafError{Path: path, Type: t.String(), Reason: reason}
	}
}

func pointerReason(t reflect.Type) string {
	switch t.Elem().Kind() {
	case reflect.Struct, reflect.Slice, reflect.Array, reflect.Map:
		return "a pointer to a container may be shared or nil; pass the value"
	default:
		return "a pointer is neither a tensor nor a container"
	}
}

func reasonFor(t reflect.Type) string {
	switch {
	case isBasic(t):
		return `a Go value is no leaf; make it a tensor with Scalar, or tag the field hop:"static" when it never changes`
	case t.Kind() == reflect.Interface:
		return "an interface hides what it holds; use the concrete type"
	default:
		return "it is neither a tensor nor a container of tensors"
	}
}

// isBasic reports whether values of t can be static fields: they compare and print.
func isBasic(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return true
	}
	return false
}
