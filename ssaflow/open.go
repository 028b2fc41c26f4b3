package ssaflow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A method of an interface is called without its type being known. For an interface that only its package can name the types that the
// package converts to it are those it can hold, as long as no others get there: the interface is closed. For an interface of the standard
// library a row says what the method does by custom; a type of the program may do more.

// closed reports whether only types that the package converts to an interface of its own are ever found behind it.
func (e *engine) closed(n *types.Named) bool {
	known, ok := e.closedness[n]
	if !ok {
		if e.closedness == nil {
			e.closedness = map[*types.Named]bool{}
		}
		iface := n.Underlying().(*types.Interface)
		known = !e.entered(iface) && (sealed(iface) || e.pkg.Pkg.Name() == "main" || !e.offered()[n.Obj()])
		e.closedness[n] = known
	}
	return known
}

// sealed reports whether only types of one package can have the methods of an interface.
func sealed(iface *types.Interface) bool {
	for m := range iface.Methods() {
		if !m.Exported() {
			return true
		}
	}
	return false
}

// entered reports whether the package makes values of the interface of values whose types it may not know: of other interfaces, and of
// values of type parameters.
func (e *engine) entered(iface *types.Interface) bool {
	if e.entries == nil {
		e.entries = []types.Type{}
		for _, fn := range e.all {
			for _, b := range fn.Blocks {
				for _, instr := range b.Instrs {
					switch v := instr.(type) {
					case *ssa.TypeAssert:
						if types.IsInterface(v.AssertedType) {
							e.entries = append(e.entries, v.AssertedType)
						}
					case *ssa.ChangeInterface:
						e.entries = append(e.entries, v.Type())
					case *ssa.MakeInterface:
						if !concrete(v.X.Type()) {
							e.entries = append(e.entries, v.Type())
						}
					case *ssa.ChangeType: // of a type parameter
						if isTypeParam(v.X.Type()) && types.IsInterface(v.Type()) {
							e.entries = append(e.entries, v.Type())
						}
					}
				}
			}
		}
	}
	for _, t := range e.entries {
		if into, ok := t.Underlying().(*types.Interface); ok && types.Identical(into, iface) {
			return true
		}
	}
	return false
}

// offered are the types of the package that its exported declarations lead to: other packages can make values of them.
func (e *engine) offered() map[*types.TypeName]bool {
	if e.offers != nil {
		return e.offers
	}
	e.offers = map[*types.TypeName]bool{}
	seen := map[types.Type]bool{}
	var walk func(t types.Type)
	tuple := func(t *types.Tuple) {
		for v := range t.Variables() {
			walk(v.Type())
		}
	}
	methods := func(n *types.Named) {
		for m := range n.Methods() {
			if m.Exported() {
				walk(m.Type())
			}
		}
	}
	walk = func(t types.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			for i := range t.TypeArgs().Len() {
				walk(t.TypeArgs().At(i))
			}
			if t.Obj().Pkg() == e.pkg.Pkg {
				e.offers[t.Obj()] = true
				methods(t)
				walk(t.Underlying())
			}
		case *types.Pointer:
			walk(t.Elem())
		case *types.Slice:
			walk(t.Elem())
		case *types.Array:
			walk(t.Elem())
		case *types.Chan:
			walk(t.Elem())
		case *types.Map:
			walk(t.Key())
			walk(t.Elem())
		case *types.Struct:
			for f := range t.Fields() {
				if f.Exported() || f.Embedded() {
					walk(f.Type())
				}
			}
		case *types.Interface:
			for m := range t.Methods() {
				walk(m.Type())
			}
		case *types.Signature:
			for p := range t.TypeParams().TypeParams() {
				walk(p.Constraint())
			}
			tuple(t.Params())
			tuple(t.Results())
		}
	}
	scope := e.pkg.Pkg.Scope()
	for _, name := range scope.Names() {
		if o := scope.Lookup(name); o.Exported() {
			walk(o.Type())
		}
	}
	return e.offers
}

// custom reports whether a row written by hand says what a method of an interface of the standard library does that types of the
// program implement as well, doing more, perhaps. Methods that only tell something of a value are taken at their word.
func custom(m *types.Func) bool {
	recv := m.Signature().Recv()
	if m.Pkg() == nil || recv == nil || !types.IsInterface(recv.Type()) {
		return false
	}
	if _, ok := stdRow(m); !ok {
		return false
	}
	switch m.Pkg().Path() + "." + receiverName(m) {
	case "fmt.Stringer", "context.Context", "image.Image", "image/color.Color", "io/fs.FileInfo", "net.Error", "net.Addr", "runtime.Error", "reflect.Type":
		return false
	}
	return true
}

// ownMethod tells of a row that says what a method of the standard library's interfaces does by custom, in a function of another package:
// where the value turns out to be of a type of the program, and leads to indivisible objects, its own method may do more.
func (in *instance) ownMethod(st *state, e *Effect, at refs, pos token.Pos) {
	if e.Kind != Write && e.Kind != Store || in.t.fn != nil && len(in.t.fn.Blocks) > 0 {
		return
	}
	for _, r := range at {
		if !concrete(r.dyn) {
			continue
		}
		if o, _, _ := types.LookupFieldOrMethod(r.dyn, true, nil, e.Op); o == nil {
			continue
		}
		for _, x := range in.f.behind(st, refs{r}) {
			if x.o.opaque {
				in.f.flag(Unresolved, e.Op, pos)
				return
			}
		}
	}
}

// ofStd reports whether a root is a variable of the standard library, such as io.Discard.
func ofStd(r Root) bool {
	v, ok := r.Global.(*types.Var)
	return r.Kind == Global && ok && v.Pkg() != nil && standard.of(v.Pkg().Path()) != nil
}
