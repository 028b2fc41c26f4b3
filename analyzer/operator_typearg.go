package analyzer

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/ssaflow"
)

// An operator can be reached as a method of a type argument: through the constraint, or through an interface that generic code makes of a
// value of the type parameter and asserts to another one.

// typeArguments finds operators among the methods that type arguments have for the constraints of generic functions and types.
func (s *valueSearch) typeArguments() {
	var names []*ast.Ident
	for id := range s.pass.TypesInfo.Instances {
		names = append(names, id)
	}
	slices.SortFunc(names, func(x, y *ast.Ident) int { return int(x.Pos() - y.Pos()) })
	for _, id := range names {
		args := s.pass.TypesInfo.Instances[id].TypeArgs
		params := typeParameters(s.pass.TypesInfo.Uses[id])
		for i := range min(args.Len(), params.Len()) {
			if iface, ok := params.At(i).Constraint().Underlying().(*types.Interface); ok {
				through := "type parameter " + params.At(i).Obj().Name() + " of " + id.Name
				s.methods(args.At(i), iface, through, s.enclosing(id.Pos()), id.Pos)
				s.boxedArgument(args.At(i), s.pass.TypesInfo.Uses[id], through, id)
			}
		}
	}
}

// boxedArgument finds operators among the methods of a type argument of which the generic function or type can make an interface, which
// can then be asserted to one that has the operator.
func (s *valueSearch) boxedArgument(t types.Type, generic types.Object, through string, id *ast.Ident) {
	list := s.operatorsOf(t)
	if _, pointer := types.Unalias(t).(*types.Pointer); !pointer {
		list = s.operatorsOf(types.NewPointer(t)) // of a variable of the type, too
	}
	if len(list) == 0 || !s.boxes(generic, map[types.Object]bool{}) {
		return
	}
	for _, op := range list {
		s.reached(op, through, s.enclosing(id.Pos()), id.Pos)
	}
}

// boxes reports whether a generic function or type may convert values of its type parameters to interfaces.
func (s *valueSearch) boxes(generic types.Object, seen map[types.Object]bool) bool {
	if seen[generic] || generic.Pkg() == nil || isRuntime(generic.Pkg()) || standardPath(generic.Pkg().Path()) {
		return false
	}
	seen[generic] = true
	switch generic := generic.(type) {
	case *types.TypeName:
		if named, ok := types.Unalias(generic.Type()).(*types.Named); ok {
			for m := range named.Origin().Methods() {
				if s.boxes(m, seen) {
					return true
				}
			}
		}
		return false
	case *types.Func:
		fn := s.flow.FuncOf(generic)
		return fn == nil || len(fn.Blocks) == 0 || s.boxesIn(fn, seen)
	}
	return true
}

// boxesIn is boxes for a function of the package, with its literals.
func (s *valueSearch) boxesIn(fn *ssa.Function, seen map[types.Object]bool) bool {
	for instr := range ssaflow.LiveInstructions(fn) {
		switch instr := instr.(type) {
		case *ssa.MakeInterface:
			if mentionsTypeParam(instr.X.Type()) {
				return true
			}
		case *ssa.ChangeType:
			if mentionsTypeParam(instr.X.Type()) && types.IsInterface(instr.Type()) && !isTypeParameter(instr.Type()) {
				return true
			}
		}
		var buffer [8]*ssa.Value
		for _, operand := range instr.Operands(buffer[:0]) {
			inner, ok := (*operand).(*ssa.Function)
			if !ok || inner.Origin() == nil {
				continue
			}
			if object, ok := inner.Origin().Object().(*types.Func); ok && slices.ContainsFunc(inner.TypeArgs(), mentionsTypeParam) && s.boxes(object, seen) {
				return true
			}
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, func(inner *ssa.Function) bool { return s.boxesIn(inner, seen) })
}

func isTypeParameter(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// mentionsTypeParam reports whether a type is a type parameter, or made of one.
func mentionsTypeParam(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Pointer:
		return mentionsTypeParam(t.Elem())
	case *types.Slice:
		return mentionsTypeParam(t.Elem())
	case *types.Array:
		return mentionsTypeParam(t.Elem())
	case *types.Map:
		return mentionsTypeParam(t.Key()) || mentionsTypeParam(t.Elem())
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if mentionsTypeParam(arg) {
				return true
			}
		}
	}
	return false
}

// typeParameters are those of a generic function or type.
func typeParameters(object types.Object) *types.TypeParamList {
	switch object := object.(type) {
	case *types.Func:
		return object.Origin().Signature().TypeParams()
	case *types.TypeName:
		switch t := object.Type().(type) {
		case *types.Named:
			return t.Origin().TypeParams()
		case *types.Alias:
			return t.Origin().TypeParams()
		}
	}
	return nil
}
