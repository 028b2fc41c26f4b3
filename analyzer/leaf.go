package analyzer

import (
	"fmt"
	"go/types"
	"reflect"
	"strconv"

	"github.com/hoplint/hoplint/hopcheck"
)

// unsupportedLeaves finds types given to a HOP that hold something that is neither a tensor nor a container of tensors:
// HOP202. The runtime looks at the same types by reflection and says the same.
func (a *analysisOf) unsupportedLeaves(call *hopCall) []*Finding {
	var list []*Finding
	var seen []types.Type
	for _, arg := range call.bodies {
		signature := call.bodySignature(arg)
		if signature == nil {
			continue
		}
		check := func(tuple *types.Tuple, slots []hopcheck.Slot) {
			for i := range min(tuple.Len(), len(slots)) {
				t := tuple.At(i).Type()
				if call.ofDirective() && !mayHoldTensors(t, nil) {
					continue // an operator of its own kind, over plain values
				}
				if role := slots[i].Role; containsType(seen, t) || role == hopcheck.NoRole || role == hopcheck.Captured {
					continue // known already, or none that the HOP takes apart
				}
				seen = append(seen, t)
				if bad := (&leafCheck{}).check(t, ""); bad != nil {
					list = append(list, a.leafFinding(call, slots[i], bad))
				}
			}
		}
		check(signature.Params(), arg.body.In)
		check(signature.Results(), arg.body.Out)
	}
	return list
}

// bodySignature is the type of a body at a call, type arguments filled in.
func (c *hopCall) bodySignature(arg bodyArg) *types.Signature {
	common := c.instr.Common()
	i := arg.arg
	if !common.IsInvoke() && common.Signature().Recv() != nil {
		i--
	}
	if i < 0 || i >= common.Signature().Params().Len() {
		return nil
	}
	t := common.Signature().Params().At(i).Type()
	if arg.method != "" {
		object, _, _ := types.LookupFieldOrMethod(t, true, c.instr.Parent().Package().Pkg, arg.method)
		if method, ok := object.(*types.Func); ok {
			return method.Signature()
		}
		return nil
	}
	return funcAt(t, arg.path)
}

func (a *analysisOf) leafFinding(call *hopCall, slot hopcheck.Slot, bad *badLeaf) *Finding {
	pos, end := call.pos, call.pos+1
	if call.syntax != nil {
		pos, end = a.operation(call.pos)
	}
	f := &Finding{Pos: pos, End: end}
	f.Finding = hopcheck.Finding{Code: hopcheck.UnsupportedLeaf, HOP: call.contract.Name,
		Detail: fmt.Sprintf("%s%s is %s: %s", operandName(slot), bad.path, bad.typ, bad.reason)}
	return f
}

// operandName is what the caller of a HOP calls a value of the given role.
func operandName(slot hopcheck.Slot) string {
	switch {
	case slot.Role == hopcheck.Carry:
		return "init"
	case slot.Role == hopcheck.X:
		return "xs"
	default:
		return hopcheck.Place{Role: slot.Role, Label: slot.Label}.String()
	}
}

func containsType(list []types.Type, t types.Type) bool {
	for _, u := range list {
		if types.Identical(t, u) {
			return true
		}
	}
	return false
}

// badLeaf is what a type holds that no pytree may hold.
type badLeaf struct{ path, typ, reason string }

// leafCheck walks one type; open holds the named types on the way, for a type may hold itself.
type leafCheck struct {
	open []types.Type
	// uses collects the type parameters on the way, if it is set.
	uses *[]typeUse
}

func (c *leafCheck) check(t types.Type, path string) *badLeaf {
	if isTensorPointer(t) || isSymbolicInt(t) || containsType(c.open, t) {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		if c.uses != nil {
			*c.uses = append(*c.uses, typeUse{p, path})
		}
		return nil // the instantiation decides
	}
	if path == "" && types.IsInterface(t) {
		return nil // the value decides
	}
	c.open = append(c.open, t)
	bad := func(reason string) *badLeaf { return &badLeaf{path, typeName(t), reason} }
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if isTensor(t) {
			return bad("a tensor is handled by pointer; use *" + typeName(t))
		}
		return c.fields(u, path)
	case *types.Slice:
		return c.check(u.Elem(), path+"[]")
	case *types.Array:
		return c.check(u.Elem(), path+"[]")
	case *types.Map:
		if key, ok := u.Key().Underlying().(*types.Basic); !ok || key.Kind() != types.String {
			return bad("the keys of a map must be strings, so that they have an order")
		}
		return c.check(u.Elem(), path+"[]")
	case *types.Pointer:
		switch u.Elem().Underlying().(type) {
		case *types.Struct, *types.Slice, *types.Array, *types.Map:
			return bad("a pointer to a container may be shared or nil; pass the value")
		}
		return bad("a pointer is neither a tensor nor a container")
	case *types.Interface:
		return bad("an interface hides what it holds; use the concrete type")
	}
	if isStaticType(t) {
		return bad(`a Go value is no leaf; make it a tensor with Scalar, or tag the field hop:"static" when it never changes`)
	}
	return bad("it is neither a tensor nor a container of tensors")
}

func (c *leafCheck) fields(s *types.Struct, path string) *badLeaf {
	for i := range s.NumFields() {
		f := s.Field(i)
		at := path + "." + f.Name()
		tag, tagged := reflect.StructTag(s.Tag(i)).Lookup("hop")
		switch {
		case tagged && tag == "-":
		case tagged && tag != "static":
			return &badLeaf{at, typeName(f.Type()), fmt.Sprintf(`unknown tag hop:%s; use hop:"static" or hop:"-"`, strconv.Quote(tag))}
		case !f.Exported():
			return &badLeaf{at, typeName(f.Type()), `an unexported field is out of reach; export it, or leave it out with the tag hop:"-"`}
		case tagged && !isStaticType(f.Type()):
			return &badLeaf{at, typeName(f.Type()), "a static field is a bool, an integer, a float or a string"}
		case tagged:
		default:
			if bad := c.check(f.Type(), at); bad != nil {
				return bad
			}
		}
	}
	return nil
}

// isStaticType reports whether a field of the type can be tagged hop:"static".
func isStaticType(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0
}

// isSymbolicInt reports whether t is the runtime's symbolic integer.
func isSymbolicInt(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Int" && isRuntime(named.Obj().Pkg())
}

// typeName is the type as reflection prints it: with the names of packages, the empty interface written out, and what
// aliases stand for.
func typeName(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Interface:
		if t.Empty() {
			return "interface {}"
		}
	case *types.Pointer:
		return "*" + typeName(t.Elem())
	case *types.Slice:
		return "[]" + typeName(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), typeName(t.Elem()))
	case *types.Map:
		return fmt.Sprintf("map[%s]%s", typeName(t.Key()), typeName(t.Elem()))
	case *types.Chan:
		if t.Dir() == types.SendRecv {
			return "chan " + typeName(t.Elem())
		}
	}
	return types.TypeString(types.Unalias(t), func(p *types.Package) string { return p.Name() })
}

// inTree reports whether a path below a type leads to a part of a pytree that holds tensors: fields tagged hop:"-" do not
// belong to it, functions and channels hold none, and a path that the type does not have comes from a summary that could not
// tell one leaf from another.
func inTree(t types.Type, path string) bool {
	t, ok := typeAt(t, path)
	return ok && (t == nil || mayHoldTensors(t, nil))
}

// typeAt is the type that a path below a type leads to, nil where that is not known; ok is false where the path leads out of
// the pytree.
func typeAt(t types.Type, path string) (at types.Type, ok bool) {
	for path != "" {
		step, rest := cutStep(path)
		path = rest
		if isTensorPointer(t) {
			return nil, false
		}
		if p, isPointer := t.Underlying().(*types.Pointer); isPointer {
			t = p.Elem()
		}
		var elem types.Type
		switch u := t.Underlying().(type) {
		case *types.Struct:
			field := fieldNamed(u, step[1:])
			if step[0] != '.' || field < 0 || reflect.StructTag(u.Tag(field)).Get("hop") == "-" {
				return nil, false
			}
			t = u.Field(field).Type()
			continue
		case *types.Slice:
			elem = u.Elem()
		case *types.Array:
			elem = u.Elem()
		case *types.Map:
			elem = u.Elem()
		default:
			return nil, true
		}
		if step[0] != '[' {
			return nil, false
		}
		t = elem
	}
	return t, true
}

// fieldNamed is the number of a field, -1 if there is none.
func fieldNamed(s *types.Struct, name string) int {
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			return i
		}
	}
	return -1
}

// mayHoldTensors reports whether a value of the type can lead to a tensor; open holds the types on the way.
func mayHoldTensors(t types.Type, open []types.Type) bool {
	if containsType(open, t) {
		return false
	}
	open = append(open, t)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Signature, *types.Chan:
		return false
	case *types.Pointer:
		return isTensorPointer(t) || mayHoldTensors(u.Elem(), open)
	case *types.Slice:
		return mayHoldTensors(u.Elem(), open)
	case *types.Array:
		return mayHoldTensors(u.Elem(), open)
	case *types.Map:
		return mayHoldTensors(u.Elem(), open)
	case *types.Struct:
		if isTensor(t) {
			return true
		}
		for i := range u.NumFields() {
			if mayHoldTensors(u.Field(i).Type(), open) {
				return true
			}
		}
		return false
	}
	return true // an interface or type parameter: the value decides
}

// isContainer reports whether a path below a type leads to a struct, slice, array or map of tensors.
func isContainer(t types.Type, path string) bool {
	t, ok := typeAt(t, path)
	if !ok || t == nil || isTensorPointer(t) {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Slice, *types.Array, *types.Map:
		return true
	}
	return false
}
