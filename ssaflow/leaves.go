package ssaflow

import (
	"go/types"
	"strconv"
	"strings"
)

// maxArray is the longest array whose elements are told apart: pytrees use short arrays, tables use long ones.
const maxArray = 8

// leafType is one pointer-like part of a type: its inline path and its type.
type leafType struct {
	path string
	typ  types.Type
}

// typeCache caches what is asked about types again and again.
type typeCache struct {
	model  Model
	leaves map[types.Type][]leafType
	opaque map[*types.TypeName]bool
	at     map[typeKey]types.Type
	// fields are the function-typed fields of structs.
	fields map[types.Type][]leafType
	lists  map[types.Type][]listField
}

// typeKey asks for the type at a path behind a pointer type, or within a boxed type.
type typeKey struct {
	ptr   types.Type
	boxed bool
	path  string
}

func newTypeCache(m Model) *typeCache {
	return &typeCache{model: m, leaves: map[types.Type][]leafType{}, opaque: map[*types.TypeName]bool{}, at: map[typeKey]types.Type{},
		fields: map[types.Type][]leafType{}, lists: map[types.Type][]listField{}}
}

// leavesOf returns the pointer-like parts of t. Strings are immutable and count as scalars.
func (c *typeCache) leavesOf(t types.Type) []leafType {
	if t == nil {
		return nil
	}
	if l, ok := c.leaves[t]; ok {
		return l
	}
	var list []leafType
	collectLeaves(t, "", &list)
	c.leaves[t] = list
	return list
}

func collectLeaves(t types.Type, path string, list *[]leafType) {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		if !scalarConstraint(p) {
			*list = append(*list, leafType{path, t})
		}
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			*list = append(*list, leafType{path, t})
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		*list = append(*list, leafType{path, t})
	case *types.Struct:
		for i := range u.NumFields() {
			collectLeaves(u.Field(i).Type(), path+fieldStep(u, i), list)
		}
	case *types.Array:
		if u.Len() > maxArray {
			collectLeaves(u.Elem(), path+"[]", list)
			return
		}
		for i := range u.Len() {
			collectLeaves(u.Elem(), path+"["+strconv.FormatInt(i, 10)+"]", list)
		}
	}
}

// fieldStep is the path step of a field; blank fields get distinct names.
func fieldStep(s *types.Struct, i int) string {
	name := s.Field(i).Name()
	if name == "_" {
		name += strconv.Itoa(i)
	}
	return "." + name
}

// scalarConstraint reports whether every type of the type set is a number, string or bool.
func scalarConstraint(p *types.TypeParam) bool {
	iface, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		return false
	}
	scalar := false
	for i := range iface.NumEmbeddeds() {
		switch e := types.Unalias(iface.EmbeddedType(i)).(type) {
		case *types.Union:
			all := e.Len() > 0
			for j := range e.Len() {
				all = all && isScalar(e.Term(j).Type())
			}
			scalar = scalar || all
		default:
			if u, ok := e.Underlying().(*types.Interface); ok {
				scalar = scalar || allScalar(u)
				continue
			}
			scalar = scalar || isScalar(e)
		}
	}
	return scalar
}

func allScalar(iface *types.Interface) bool {
	for i := range iface.NumEmbeddeds() {
		e := types.Unalias(iface.EmbeddedType(i))
		if u, ok := e.(*types.Union); ok {
			all := u.Len() > 0
			for j := range u.Len() {
				all = all && isScalar(u.Term(j).Type())
			}
			if all {
				return true
			}
			continue
		}
		if u, ok := e.Underlying().(*types.Interface); ok && allScalar(u) {
			return true
		}
	}
	return false
}

// core is the underlying type of t; of a type parameter the one that all types of its type set share, or nil.
func core(t types.Type) types.Type {
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	iface, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	return coreOf(iface)
}

func coreOf(iface *types.Interface) types.Type {
	var common types.Type
	for i := range iface.NumEmbeddeds() {
		e := types.Unalias(iface.EmbeddedType(i))
		u, ok := e.(*types.Union)
		if !ok {
			if inner, ok := e.Underlying().(*types.Interface); ok {
				if t := coreOf(inner); t != nil {
					return t
				}
				continue
			}
			return e.Underlying()
		}
		for j := range u.Len() {
			t := u.Term(j).Type().Underlying()
			if common != nil && !types.Identical(common, t) {
				return nil
			}
			common = t
		}
	}
	return common
}

func isScalar(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Interface:
		return allScalar(u)
	}
	return false
}

// isOpaque reports whether a pointer-like value of type t refers to one indivisible object.
func (c *typeCache) isOpaque(t types.Type) bool {
	if t == nil || c.model == nil {
		return false
	}
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok {
		return false
	}
	n = n.Origin()
	v, ok := c.opaque[n.Obj()]
	if !ok {
		v = c.model.Opaque(n)
		c.opaque[n.Obj()] = v
	}
	return v
}

// walkType returns the type of the inline path within a value of type t, or nil when the path does not fit.
func walkType(t types.Type, path string) types.Type {
	for path != "" && t != nil {
		step, rest := cutStep(path)
		path = rest
		if _, ok := types.Unalias(t).(*types.TypeParam); ok {
			return nil
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			t = nil
			for i := range u.NumFields() {
				if fieldStep(u, i) == step {
					t = u.Field(i).Type()
				}
			}
		case *types.Array:
			t = u.Elem()
		default:
			return nil
		}
	}
	return t
}

// behind returns the type of the inline path within what a pointer-like value of type ptr refers to.
func behind(ptr types.Type, path string) types.Type {
	if ptr == nil {
		return nil
	}
	step, rest := cutStep(path)
	switch u := core(ptr).(type) {
	case *types.Pointer:
		return walkType(u.Elem(), path)
	case *types.Slice:
		if step != "" && step[0] == '[' {
			return walkType(u.Elem(), rest)
		}
	case *types.Chan:
		if step != "" && step[0] == '[' {
			return walkType(u.Elem(), rest)
		}
	case *types.Map:
		switch {
		case step == keyStep:
			return walkType(u.Key(), rest)
		case step != "" && step[0] == '[':
			return walkType(u.Elem(), rest)
		}
	}
	return nil
}

// keyStep leads to the keys of a map.
const keyStep = "[key]"

// cutStep splits the first step off an inline path.
func cutStep(path string) (step, rest string) {
	if path == "" {
		return "", ""
	}
	for i := 1; i < len(path); i++ {
		if c := path[i]; c == '.' || c == '[' || c == '#' || c == '*' {
			return path[:i], path[i:]
		}
	}
	return path, ""
}

// overlaps reports whether two inline paths can name one location: equal but for indices, of which "[]" is any.
func overlaps(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.Contains(a, "[") || !strings.Contains(b, "[") {
		return false
	}
	for a != "" && b != "" {
		var x, y string
		x, a = cutStep(a)
		y, b = cutStep(b)
		if x == y {
			continue
		}
		anyX, anyY := (x == "[]" || x == oldStep) && y[0] == '[' && y != keyStep, (y == "[]" || y == oldStep) && x[0] == '[' && x != keyStep
		if !anyX && !anyY {
			return false
		}
	}
	return a == b
}

// concrete reports whether t is a type whose methods are known: no interface and no type parameter.
func concrete(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	return !types.IsInterface(t)
}

// IsReference reports whether a value of type t is a single reference, so that an interface holds it without a box.
func IsReference(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}
