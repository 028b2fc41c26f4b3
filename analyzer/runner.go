package analyzer

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A function literal that hands a parameter to a HOP is a wrapper as a declared function is. Its callers are found as the callees of
// calls that name no function: through variables, captured ones too, package variables and fields. Where a literal can be called by
// code that is not in sight its own HOP call stays unproved.

// runner is a function of the package that may run what it is given: a declared one, or a literal.
type runner struct {
	// object is a *types.Func or, where another package keeps a wrapper in an exported variable, a *types.Var.
	object  types.Object
	literal *ssa.Function
}

// runnerOf is the runner that a function is; ok is false for functions that the compiler wrote.
func runnerOf(fn *ssa.Function) (r runner, ok bool) {
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	if object := declarationOf(fn); object != nil {
		return runner{object: object}, true
	}
	return runner{literal: fn}, fn.Parent() != nil && fn.Synthetic == ""
}

// declaredRunner is the runner that a declared function is.
func declaredRunner(object *types.Func) runner { return runner{object: object.Origin()} }

// name is that of a declared function.
func (r runner) name() string {
	if r.object == nil {
		return ""
	}
	return r.object.Name()
}

// encloses reports whether a function is the runner, or a literal in it.
func (r runner) encloses(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		if at, ok := runnerOf(fn); ok && at == r {
			return true
		}
	}
	return false
}

// callees are the functions that a call can reach, generic ones by their origin. Where the flow of values does not tell, they are those
// that the called variable or field can hold, if they all run the same of what they are given.
func (a *analysisOf) callees(call ssa.CallInstruction) (list []*ssa.Function) {
	common := call.Common()
	add := func(fn *ssa.Function) {
		if origin := fn.Origin(); origin != nil {
			fn = origin
		}
		if !slices.Contains(list, fn) {
			list = append(list, fn)
		}
	}
	if fn := common.StaticCallee(); fn != nil {
		add(fn)
		return list
	}
	set := a.flow.Callees(call)
	for _, v := range set.Funcs {
		if v.Fn != nil {
			add(v.Fn)
		}
	}
	if len(set.Funcs) > 0 || common.IsInvoke() {
		return list
	}
	held, ok := a.functionsHeld(common.Value, map[ssa.Value]bool{})
	for _, fn := range held {
		if !ok || !a.runsAs(fn, held[0]) {
			return nil
		}
		add(fn)
	}
	return list
}

// runsAs reports whether two functions run the same of what they are given, as bodies of the same HOP.
func (a *analysisOf) runsAs(f, g *ssa.Function) bool {
	first, ok := runnerOf(f)
	second, also := runnerOf(g)
	return ok && also && slices.EqualFunc(a.bodiesOf(first), a.bodiesOf(second), func(b, c ClaimBody) bool {
		return b.Param == c.Param && b.Path == c.Path && b.HOP == c.HOP
	})
}

// reaches reports whether a call can reach a runner.
func (a *analysisOf) reaches(call ssa.CallInstruction, to runner) bool {
	if object := calledObject(call.Common()); object != nil {
		return to == declaredRunner(object)
	}
	return slices.ContainsFunc(a.callees(call), func(fn *ssa.Function) bool {
		r, ok := runnerOf(fn)
		return ok && r == to
	})
}

// declaredWrappers are the declared functions among the wrappers, in the order of the source.
func (a *analysisOf) declaredWrappers() []*types.Func {
	list := map[*types.Func]bool{}
	for r := range a.wrappers {
		if fn, ok := r.object.(*types.Func); ok {
			list[fn] = true
		}
	}
	return sortedFuncs(list)
}

// wrapperVariables are the exported variables of the package that hold a wrapper for as long as the package has a say in it.
func (a *analysisOf) wrapperVariables() (list []*types.Var, bodies [][]ClaimBody) {
	if a.flow.Package == nil || len(a.wrappers) == 0 {
		return nil, nil
	}
	for _, v := range a.flow.Variables() {
		global := a.flow.Package.Var(v.Name())
		if global == nil || a.globals().open[global] {
			continue
		}
		held, ok := a.functionsHeld(a.globals().stores[global][""], map[ssa.Value]bool{})
		if !ok || len(held) != 1 {
			continue
		}
		if r, ok := runnerOf(held[0]); ok && len(a.bodiesOf(r)) > 0 {
			list, bodies = append(list, v), append(bodies, a.bodiesOf(r))
		}
	}
	return list, bodies
}

// packageVariable is the variable of a package whose value a value is.
func packageVariable(v ssa.Value) *types.Var {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if global, ok := load.X.(*ssa.Global); ok {
			object, _ := global.Object().(*types.Var)
			return object
		}
	}
	return nil
}

// functionsHeld are the functions that a value can be, where every assignment to the variables and fields that it comes through can be
// seen.
func (a *analysisOf) functionsHeld(v ssa.Value, seen map[ssa.Value]bool) (list []*ssa.Function, ok bool) {
	if seen[v] {
		return nil, true
	}
	seen[v] = true
	any := func(values []ssa.Value) (list []*ssa.Function, ok bool) {
		for _, v := range values {
			more, ok := a.functionsHeld(v, seen)
			if !ok {
				return nil, false
			}
			list = append(list, more...)
		}
		return list, true
	}
	switch v := v.(type) {
	case *ssa.Function:
		return []*ssa.Function{v}, true
	case *ssa.MakeClosure:
		return a.functionsHeld(v.Fn, seen)
	case *ssa.Const:
		return nil, true
	case *ssa.ChangeType:
		return a.functionsHeld(v.X, seen)
	case *ssa.Phi:
		return any(v.Edges)
	case *ssa.Field:
		if stored, ok := a.fieldUses().held(fieldVar(v.X.Type(), v.Field)); ok {
			return any(stored)
		}
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return nil, false
		}
		switch at := v.X.(type) {
		case *ssa.Global:
			if a.fieldUses().keptGlobal(a, at) {
				if val := a.globals().stores[at][""]; val != nil {
					return a.functionsHeld(val, seen)
				}
			}
		case *ssa.FreeVar:
			if values, ok := capturedValues(at); ok {
				return any(values)
			}
		case *ssa.Alloc:
			var values []ssa.Value
			if storesTo(at, &values) {
				return any(values)
			}
		case *ssa.FieldAddr:
			if stored, ok := a.fieldUses().held(fieldVar(at.X.Type(), at.Field)); ok {
				return any(stored)
			}
		}
	}
	return nil, false
}

// callsKnown reports whether a literal is called nowhere but in calls of the package that are known to reach it.
func (a *analysisOf) callsKnown(fn *ssa.Function) bool {
	return a.onlyCalledAs(fn, fn, map[any]bool{})
}

// onlyCalledAs reports whether a value that can be a function is used in nothing but calls that are known to reach the function, and
// in variables and fields of which so are the values.
func (a *analysisOf) onlyCalledAs(v ssa.Value, fn *ssa.Function, seen map[any]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	for _, user := range *v.Referrers() {
		switch user := user.(type) {
		case *ssa.DebugRef:
		case *ssa.MakeClosure:
			if user.Fn != v || !a.onlyCalledAs(user, fn, seen) {
				return false
			}
		case *ssa.Phi, *ssa.ChangeType:
			if !a.onlyCalledAs(user.(ssa.Value), fn, seen) {
				return false
			}
		case ssa.CallInstruction:
			if slices.Contains(user.Common().Args, v) || !slices.Contains(a.callees(user), fn) {
				return false
			}
		case *ssa.Store:
			if user.Val != v || !a.variableOnlyCalledAs(user.Addr, fn, seen) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// variableOnlyCalledAs says so of the values of a variable.
func (a *analysisOf) variableOnlyCalledAs(variable ssa.Value, fn *ssa.Function, seen map[any]bool) bool {
	switch at := variable.(type) {
	case *ssa.Global:
		uses := a.fieldUses()
		return uses.keptGlobal(a, at) && uses.allOnlyCalled(a, uses.globalReads[at], fn, seen)
	case *ssa.FieldAddr:
		uses, field := a.fieldUses(), fieldVar(at.X.Type(), at.Field)
		if seen[field] {
			return true
		}
		seen[field] = true
		_, ok := uses.held(field)
		return ok && uses.allOnlyCalled(a, uses.reads[field], fn, seen)
	case *ssa.Alloc, *ssa.FreeVar:
		if seen[at] {
			return true
		}
		seen[at] = true
	default:
		return false
	}
	for _, user := range *variable.Referrers() {
		switch user := user.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			if !a.onlyCalledAs(user, fn, seen) {
				return false
			}
		case *ssa.Store:
			if user.Addr != variable {
				return false
			}
		case *ssa.MakeClosure:
			inner, _ := user.Fn.(*ssa.Function)
			for i, bound := range user.Bindings {
				if bound == variable && (inner == nil || !a.variableOnlyCalledAs(inner.FreeVars[i], fn, seen)) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// fieldUses are the uses of the function-typed fields of the package's own structs, and of its variables.
type fieldUses struct {
	stores map[*types.Var][]ssa.Value
	reads  map[*types.Var][]ssa.Value
	// open are the fields of which more is done than to read and assign them.
	open        map[*types.Var]bool
	globalReads map[*ssa.Global][]ssa.Value
	pkg         *types.Package
}

// fieldVar is the field of a struct, or of one that a pointer leads to.
func fieldVar(t types.Type, i int) *types.Var {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return t.Underlying().(*types.Struct).Field(i).Origin()
}

// fieldUses looks at every use of a function-typed field or package variable once.
func (a *analysisOf) fieldUses() *fieldUses {
	if a.funcFields != nil {
		return a.funcFields
	}
	u := &fieldUses{stores: map[*types.Var][]ssa.Value{}, reads: map[*types.Var][]ssa.Value{}, open: map[*types.Var]bool{},
		globalReads: map[*ssa.Global][]ssa.Value{}, pkg: a.pass.Pkg}
	a.funcFields = u
	for _, fn := range append(slices.Clone(a.flow.Functions()), a.flow.Package.Func("init")) {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				u.use(instr)
			}
		}
	}
	return u
}

func (u *fieldUses) use(instr ssa.Instruction) {
	switch v := instr.(type) {
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok && isFunc(v.Type()) {
			u.globalReads[g] = append(u.globalReads[g], v)
		}
	case *ssa.Field:
		if isFunc(v.Type()) {
			field := fieldVar(v.X.Type(), v.Field)
			u.reads[field] = append(u.reads[field], v)
		}
	case *ssa.FieldAddr:
		field := fieldVar(v.X.Type(), v.Field)
		if !isFunc(field.Type()) {
			return
		}
		for _, user := range *v.Referrers() {
			switch user := user.(type) {
			case *ssa.DebugRef:
			case *ssa.UnOp:
				u.reads[field] = append(u.reads[field], user)
			case *ssa.Store:
				if user.Addr == v {
					u.stores[field] = append(u.stores[field], user.Val)
					continue
				}
				u.open[field] = true
			default:
				u.open[field] = true
			}
		}
	case *ssa.ChangeType: // brings what the fields of another struct hold
		t := v.Type().Underlying()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem().Underlying()
		}
		if s, ok := t.(*types.Struct); ok {
			for f := range s.Fields() {
				u.open[f.Origin()] = true
			}
		}
	}
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// held are all values that a field is assigned; ok is false where others may be.
func (u *fieldUses) held(field *types.Var) (values []ssa.Value, ok bool) {
	if field.Pkg() != u.pkg || field.Exported() && u.pkg.Name() != "main" || u.open[field] {
		return nil, false
	}
	return u.stores[field], true
}

// keptGlobal reports whether a package variable holds nothing but what its declaration says.
func (u *fieldUses) keptGlobal(a *analysisOf, v *ssa.Global) bool {
	return v.Object() != nil && v.Pkg == a.flow.Package && !(v.Object().Exported() && u.pkg.Name() != "main") && !a.globals().open[v]
}

func (u *fieldUses) allOnlyCalled(a *analysisOf, reads []ssa.Value, fn *ssa.Function, seen map[any]bool) bool {
	return !slices.ContainsFunc(reads, func(v ssa.Value) bool { return !a.onlyCalledAs(v, fn, seen) })
}

// outermost is the declared function around a literal.
func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}
