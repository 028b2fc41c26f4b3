package analyzer

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/ssaflow"
)

// A compiled function that is kept outlives the function that compiled it: in a field of an object that a constructor makes, in a package
// variable that is initialised with it, or captured. What it reads of that object, of package variables or of its neighbours must not
// be written by functions that run later: methods, other functions of the package, literals beside it. Nothing is said where the field
// is assigned in more than one place, for then it may be compiled anew after each write, and of functions that constructors alone call.

// literalWrites finds the writes of literals beside the compiled function that run later: those that are kept as it is, or handed to a
// call behind it.
func (s *staleness) literalWrites() {
	returned := slices.ContainsFunc(s.used, func(u ssa.Instruction) bool {
		_, ok := u.(*ssa.Return)
		return ok
	})
	for instr := range ssaflow.LiveInstructions(s.compiled.Parent()) {
		closure, ok := instr.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		fn, ok := closure.Fn.(*ssa.Function)
		if !ok || fn.Parent() != s.compiled.Parent() || s.own[fn] || fn.Synthetic != "" {
			continue
		}
		for _, user := range *closure.Referrers() {
			later := false
			switch user := user.(type) {
			case *ssa.Return, *ssa.MapUpdate:
				later = s.kept || returned
			case *ssa.Store:
				later = (s.kept || returned) && user.Val == closure && !isLocal(user.Addr)
			case *ssa.Call:
				later = user != s.compiled && slices.Contains(user.Call.Args, ssa.Value(closure)) && s.after(user, spot{})
			}
			if later {
				s.writesOf(closure, fn, s.wrote)
				break
			}
		}
	}
}

// isLocal reports whether an address is that of a variable of a function.
func isLocal(address ssa.Value) bool {
	_, ok := address.(*ssa.Alloc)
	return ok
}

// writesOf visits the writes of a literal and of those in it.
func (s *staleness) writesOf(closure *ssa.MakeClosure, fn *ssa.Function, visit func(spotWrite)) {
	for i, free := range fn.FreeVars {
		if at := s.of(closure.Bindings[i]); at.root != ssa.Value(free) {
			s.known[free] = at
		}
	}
	s.eachWrite(fn, visit)
	for instr := range ssaflow.LiveInstructions(fn) {
		if inner, ok := instr.(*ssa.MakeClosure); ok {
			if f, ok := inner.Fn.(*ssa.Function); ok && f.Parent() == fn {
				s.writesOf(inner, f, visit)
			}
		}
	}
}

// keptProgram is a compiled function that is kept: the object that holds it, as the function that compiled it sees the object, or no object where a
// package variable holds it.
type keptProgram struct {
	*staleness
	owner  *types.Named
	field  *types.Var
	object ssa.Value
	// makers are the functions that make the object ready: what they write is written before.
	makers []*ssa.Function
}

// keptWrites finds the writes of other functions to what a compiled function reads that a field or package variable holds.
func (a *analysisOf) keptWrites(s *staleness) {
	for _, store := range s.stored {
		k := &keptProgram{staleness: s, makers: []*ssa.Function{s.compiled.Parent()}}
		switch at := store.Addr.(type) {
		case *ssa.Global:
			if at.Pkg != a.flow.Package || s.compiled.Parent() != a.flow.Package.Func("init") || a.globals().open[at] {
				continue
			}
		case *ssa.FieldAddr:
			if !k.inField(store, at) {
				continue
			}
		default:
			continue
		}
		k.find()
	}
}

// inField looks at a field that holds the compiled function; it reports whether it holds that one for as long as the object lives.
func (k *keptProgram) inField(store *ssa.Store, at *ssa.FieldAddr) bool {
	base := k.of(at.X)
	k.object, k.owner = base.root, namedStruct(at.X.Type())
	if base.path != "" || k.owner == nil || k.owner.Obj().Pkg() != k.pass.Pkg || !k.made(k.compiled.Parent(), base.root, 0) {
		return false
	}
	field := fieldVar(at.X.Type(), at.Field)
	k.field = field
	used := field.Exported()
	for _, fn := range k.functions() {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				switch v := instr.(type) {
				case *ssa.FieldAddr:
					if fieldVar(v.X.Type(), v.Field) != field {
						continue
					}
					for _, user := range *v.Referrers() {
						switch user := user.(type) {
						case *ssa.Store:
							if user != store {
								return false
							}
						case *ssa.UnOp:
							used = used || k.runsLater(fn)
						case *ssa.DebugRef:
						default:
							return false
						}
					}
				case *ssa.Field:
					used = used || fieldVar(v.X.Type(), v.Field) == field && k.runsLater(fn)
				case *ssa.Store: // another object takes the place of this one
					if !isLocal(v.Addr) && namedStruct(v.Addr.Type()) == k.owner {
						if _, whole := v.Addr.(*ssa.Parameter); whole {
							return false
						}
					}
				}
			}
		}
	}
	k.heldTensors()
	return used
}

// functions are those of the package, its initialisation included.
func (a *analysisOf) functions() []*ssa.Function {
	return append(slices.Clone(a.flow.Functions()), a.flow.Package.Func("init"))
}

// namedStruct is the struct type that a type is or points to.
func namedStruct(t types.Type) *types.Named {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return nil
	}
	return named.Origin()
}

// made reports whether a function, or all who call it with an object, just made that object.
func (k *keptProgram) made(fn *ssa.Function, object ssa.Value, depth int) bool {
	switch object := object.(type) {
	case *ssa.Alloc:
		return true
	case *ssa.Parameter:
		declared, _ := fn.Object().(*types.Func)
		if declared == nil || declared.Exported() || depth > 2 {
			return false
		}
		calls, all := k.callers().of(fn)
		if !all || len(calls) == 0 {
			return false
		}
		i := slices.Index(fn.Params, object)
		for _, call := range calls {
			l := locator{k.analysisOf, map[ssa.Value]spot{}}
			at := l.of(call.Common().Args[i])
			if at.path != "" || !k.made(call.Parent(), at.root, depth+1) {
				return false
			}
			k.makers = append(k.makers, call.Parent())
		}
		return true
	}
	return false
}

// heldTensors notes the fields of the object that hold tensors which the compiled function captured by themselves.
func (k *keptProgram) heldTensors() {
	for instr := range ssaflow.LiveInstructions(k.compiled.Parent()) {
		store, ok := instr.(*ssa.Store)
		if !ok || !isTensorPointer(store.Val.Type()) {
			continue
		}
		at, held := k.of(store.Addr), k.of(store.Val)
		if at.root == k.object && at.path != "" && slices.ContainsFunc(k.reads, func(r reading) bool { return r.at == held }) {
			k.reads = append(k.reads, reading{at: at.step("*"), content: true})
		}
	}
}

// find reports the writes of functions that run later.
func (k *keptProgram) find() {
	for _, fn := range k.functions() {
		if slices.Contains(k.makers, outermost(fn)) || k.own[fn] || !k.runsLater(fn) {
			continue
		}
		at := &staleness{locator: locator{k.analysisOf, map[ssa.Value]spot{}}, reads: k.reads}
		at.capture(fn)
		at.eachWrite(fn, func(w spotWrite) {
			inner := w
			call, isCall := w.instr.(*ssa.Call)
			switch {
			case isCall && call.Call.StaticCallee() == nil && calledObject(&call.Call) == nil:
				return // of a literal, which is looked at by itself
			case isCall && k.toldInside(call, w):
				return
			}
			if g, ok := w.at.root.(*ssa.Global); !ok || k.object != nil {
				var member bool
				if inner.at, member = k.member(w, ok); !member {
					return
				}
			} else {
				inner.at.root = g
			}
			if slices.ContainsFunc(k.reads, func(r reading) bool { return r.touches(inner) }) {
				k.report(w)
			}
		})
	}
}

// toldInside reports whether a call of a function of the package writes what that function itself is found to write: of the object, or
// of a package variable.
func (k *keptProgram) toldInside(call *ssa.Call, w spotWrite) bool {
	callee := call.Call.StaticCallee()
	if callee == nil || len(callee.Blocks) == 0 {
		return false
	}
	if _, ok := w.at.root.(*ssa.Global); ok && w.param == nil {
		return true
	}
	return w.param != nil && k.owner != nil && k.leadsToOwner(w.param)
}

// leadsToOwner reports whether a parameter of a type leads to objects of the type, so that the write stands in the called function.
func (k *keptProgram) leadsToOwner(t types.Type) bool {
	named := namedStruct(t)
	if named == nil {
		return false
	}
	if named == k.owner {
		return true
	}
	s := named.Underlying().(*types.Struct)
	for f := range s.Fields() {
		if namedStruct(f.Type()) == k.owner {
			return true
		}
	}
	return false
}

// capture makes the variables that a literal captures stand for those of the functions around.
func (s *staleness) capture(fn *ssa.Function) {
	if fn.Parent() == nil {
		return
	}
	s.capture(fn.Parent())
	for _, free := range fn.FreeVars {
		if bound := boundTo(free); bound != nil {
			if at := s.of(bound); at.root != ssa.Value(free) {
				s.known[free] = at
			}
		}
	}
}

// member is the spot that another function writes as the function that compiled sees it, if it is one of such an object.
func (k *keptProgram) member(w spotWrite, global bool) (spot, bool) {
	if k.object == nil {
		return spot{}, false
	}
	root, copied := w.at.root, false
	if cell, ok := root.(*ssa.Alloc); ok { // a parameter that is a struct
		held := heldBy(cell)
		if _, isParam := held.(*ssa.Parameter); !isParam {
			return spot{}, false
		}
		root, copied = held, true
	}
	switch root := root.(type) {
	case *ssa.Parameter:
	case *ssa.Call, *ssa.Extract:
		call, _ := callOf(root)
		if call == nil || !slices.Contains(k.makers, call.Call.StaticCallee()) ||
			!k.used(root, w.instr, func(u ssa.Instruction) bool { return leads(u, w.instr) }) ||
			!k.used(root, w.instr, func(u ssa.Instruction) bool { return leads(w.instr, u) }) {
			return spot{}, false
		}
	default:
		if !global {
			return spot{}, false
		}
	}
	t := root.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	for path := w.at.path; ; {
		if namedStruct(t) == k.owner && !isPointer(t) {
			return spot{k.object, path}, !(copied && w.op == "")
		}
		if path == "" {
			return spot{}, false
		}
		var step string
		step, path = cutSpot(path)
		if t = stepType(t, step); t == nil {
			return spot{}, false
		}
		copied = copied && step != "*"
	}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// cutSpot takes the first step off the path of a spot.
func cutSpot(path string) (step, rest string) {
	end := 1
	for path[0] == '.' && end < len(path) && strings.IndexByte(".[*", path[end]) < 0 {
		end++
	}
	if path[0] == '[' {
		end = strings.IndexByte(path, ']') + 1
	}
	return path[:end], path[end:]
}

// stepType is the type to which a step leads, nil if it is not known.
func stepType(t types.Type, step string) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if i := fieldNamed(u, step[1:]); step[0] == '.' && i >= 0 {
			return u.Field(i).Type()
		}
	case *types.Pointer:
		if step == "*" {
			return u.Elem()
		}
	case *types.Slice:
		if step == "[]" {
			return u.Elem()
		}
		return t
	case *types.Array:
		return u.Elem()
	case *types.Map:
		if step == "[]" {
			return u.Elem()
		}
		return t
	}
	return nil
}

// used reports whether an object, or the compiled function that it holds, can be used in the function that holds the object by an
// instruction other than a given one that counts. Before the first use nothing was traced, after the last one nobody minds.
func (k *keptProgram) used(object ssa.Value, instr ssa.Instruction, counts func(ssa.Instruction) bool) bool {
	seen := map[ssa.Value]bool{}
	var used func(v ssa.Value) bool
	used = func(v ssa.Value) bool {
		if seen[v] || v.Referrers() == nil {
			return false
		}
		seen[v] = true
		for _, user := range *v.Referrers() {
			switch user := user.(type) {
			case *ssa.DebugRef:
			case *ssa.FieldAddr:
				if fieldVar(user.X.Type(), user.Field) == k.field && counts(user) {
					return true
				}
			case *ssa.Store:
				if cell, ok := user.Addr.(*ssa.Alloc); !ok || used(cell) {
					return true
				}
			case *ssa.UnOp, *ssa.Extract, *ssa.Phi:
				if used(user.(ssa.Value)) {
					return true
				}
			default:
				if user != instr && (user.Parent() != instr.Parent() || counts(user)) {
					return true
				}
			}
		}
		return false
	}
	return used(object)
}

// runsLater reports whether a function can run when the makers have returned: it is exported, kept as a value, or called by one that can.
func (k *keptProgram) runsLater(fn *ssa.Function) bool {
	callers := k.callers()
	seen := map[*ssa.Function]bool{}
	var runs func(fn *ssa.Function) bool
	runs = func(fn *ssa.Function) bool {
		fn = outermost(fn)
		if seen[fn] || slices.Contains(k.makers, fn) {
			return false
		}
		seen[fn] = true
		object := declarationOf(fn)
		if object == nil || object.Name() == "init" {
			return false
		}
		if object.Exported() || object.Name() == "main" || callers.kept[fn] {
			return true
		}
		return slices.ContainsFunc(callers.calls[fn], func(call ssa.CallInstruction) bool { return runs(call.Parent()) })
	}
	return runs(fn)
}

// callGraph are the calls of the functions of a package in it; kept are those that are used as values.
type callGraph struct {
	calls map[*ssa.Function][]ssa.CallInstruction
	kept  map[*ssa.Function]bool
}

// of are the calls of a function; all is false where there may be others.
func (g *callGraph) of(fn *ssa.Function) (calls []ssa.CallInstruction, all bool) {
	return g.calls[fn], !g.kept[fn]
}

// callers looks at all calls of the package once.
func (a *analysisOf) callers() *callGraph {
	if a.calledFrom != nil {
		return a.calledFrom
	}
	g := &callGraph{calls: map[*ssa.Function][]ssa.CallInstruction{}, kept: map[*ssa.Function]bool{}}
	a.calledFrom = g
	for _, fn := range a.functions() {
		for instr := range ssaflow.LiveInstructions(fn) {
			var buffer [8]*ssa.Value
			operands := instr.Operands(buffer[:0])
			if call, ok := instr.(ssa.CallInstruction); ok && call.Common().StaticCallee() != nil {
				callee := call.Common().StaticCallee()
				if origin := callee.Origin(); origin != nil {
					callee = origin
				}
				g.calls[callee] = append(g.calls[callee], call)
				operands = operands[1:]
			}
			for _, operand := range operands {
				if f, ok := (*operand).(*ssa.Function); ok {
					if object := declarationOf(f); object != nil {
						f = a.flow.FuncOf(object)
					}
					g.kept[f] = true
				}
			}
		}
	}
	return g
}
