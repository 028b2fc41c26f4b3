package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// A HOP call is recognised by the function that it names. An operator that is kept as a value, or reached as a method of an interface
// or of a type argument, can be called where no call names it: its bodies are then not looked at, which strict mode tells: HOP903.

// operator is a function that runs bodies: one of the runtime, or a wrapper.
type operator struct {
	object *types.Func
	hop    string
	// bodies are those of a wrapper.
	bodies []ClaimBody
}

// operatorOf tells what bodies a function runs; ok is false for functions that run none.
func (a *analysisOf) operatorOf(object *types.Func) (op operator, ok bool) {
	if object == nil {
		return op, false
	}
	object = object.Origin()
	if row, ok := contractOf(object); ok {
		return operator{object: object, hop: row.Name}, len(row.Bodies) > 0
	}
	if bodies := a.wrapperBodies(object); len(bodies) > 0 {
		return operator{object, bodies[0].HOP, bodies}, true
	}
	return op, false
}

// says begins the sentence about an operator with what it runs: run, which runs its f.
func (op operator) says(name string) string {
	if len(op.bodies) == 0 {
		return name
	}
	var words []string
	for _, b := range op.bodies {
		if param := paramVar(op.object.Signature(), b.Param); param != nil && param.Name() != "" && param.Name() != "_" {
			words = append(words, param.Name()+b.Path)
		}
	}
	if len(words) == 0 {
		return name
	}
	return name + ", which runs its " + strings.Join(words, " and ") + ","
}

// operatorValues reports operators that are used as values, each once in a function.
func (a *analysisOf) operatorValues() []*Finding {
	if a.flow.Package == nil || !a.options.strict {
		return nil
	}
	s := &valueSearch{analysisOf: a, done: map[valueUse]bool{}, of: map[types.Type][]operator{}}
	for _, fn := range append(slices.Clone(a.flow.Functions()), a.flow.Package.Func("init")) {
		for instr := range ssaflow.LiveInstructions(fn) {
			s.operands(instr)
			if to, ok := instr.(*ssa.MakeInterface); ok {
				s.converted(to)
			}
		}
	}
	s.typeArguments()
	return s.list
}

// valueUse is an operator and the function that uses it as a value.
type valueUse struct {
	object *types.Func
	in     ast.Node
}

// valueSearch collects the findings of operatorValues.
type valueSearch struct {
	*analysisOf
	list []*Finding
	done map[valueUse]bool
	// of are the operators among the methods of types.
	of map[types.Type][]operator
	// written are the expressions that name an operator without calling it, the first of each in a function.
	written map[valueUse]ast.Expr
	// users are the instructions that name package variables.
	users map[*ssa.Global][]ssa.Instruction
}

// operands finds functions among the operands of an instruction, but for the one that it calls.
func (s *valueSearch) operands(instr ssa.Instruction) {
	var buffer [8]*ssa.Value
	operands := instr.Operands(buffer[:0])
	if call, ok := instr.(ssa.CallInstruction); ok && !call.Common().IsInvoke() {
		operands = operands[1:] // the function called
	}
	for _, operand := range operands {
		fn, ok := (*operand).(*ssa.Function)
		if !ok {
			continue
		}
		if origin := fn.Origin(); origin != nil {
			fn = origin
		}
		object, _ := fn.Object().(*types.Func)
		op, ok := s.operatorOf(object)
		if !ok {
			continue
		}
		use := valueUse{op.object, instr.Parent().Syntax()}
		if s.done[use] || s.onlyCalled(instr, *operand) {
			continue
		}
		s.done[use] = true
		pos, end := s.whereNamed(use, instr.Pos())
		s.add(op, pos, end, op.says(s.nameOf(op.object))+" is used as a value: what is given to it so is not seen",
			"call it by its name")
	}
}

// converted finds operators among the methods of a value that is converted to an interface.
func (s *valueSearch) converted(to *ssa.MakeInterface) {
	iface, ok := to.Type().Underlying().(*types.Interface)
	if !ok || s.calls(to, map[ssa.Value]bool{}) && !s.holdsBodies(to.X.Type(), iface) {
		return
	}
	through := types.TypeString(to.Type(), s.qualifier)
	pos := func() token.Pos { return s.conversion(to) }
	s.methods(to.X.Type(), iface, through, to.Parent().Syntax(), pos)
	if s.toLibrary(to) {
		return
	}
	// An interface without the method can be asserted to one that has it.
	for _, op := range s.operatorsOf(to.X.Type()) {
		if object, _, _ := types.LookupFieldOrMethod(to.Type(), true, op.object.Pkg(), op.object.Name()); object == nil {
			s.reached(op, through, to.Parent().Syntax(), pos)
		}
	}
}

// operatorsOf are the operators among the methods of a type.
func (s *valueSearch) operatorsOf(t types.Type) []operator {
	list, known := s.of[t]
	if known || types.IsInterface(t) {
		return list
	}
	methods := types.NewMethodSet(t)
	for i := range methods.Len() {
		if method, ok := methods.At(i).Obj().(*types.Func); ok && !ofInterface(method) {
			if op, ok := s.operatorOf(method); ok {
				list = append(list, op)
			}
		}
	}
	s.of[t] = list
	return list
}

// toLibrary reports whether an interface value only goes to the standard library, which calls no operators, save by reflection, or
// to the runtime.
func (s *valueSearch) toLibrary(v ssa.Value) bool {
	for _, user := range *v.Referrers() {
		switch user := user.(type) {
		case ssa.CallInstruction:
			object := calledObject(user.Common())
			if object == nil || object.Pkg() == nil || !standardPath(object.Pkg().Path()) && !isRuntime(object.Pkg()) || object.Pkg().Path() == "reflect" {
				return false
			}
		case *ssa.Store: // an element of variadic arguments
			element, ok := user.Addr.(*ssa.IndexAddr)
			if !ok || !s.arguments(element.X) {
				return false
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// arguments reports whether an array is the variadic arguments of calls of the library.
func (s *valueSearch) arguments(array ssa.Value) bool {
	cell, ok := array.(*ssa.Alloc)
	if !ok {
		return false
	}
	for _, user := range *cell.Referrers() {
		switch user := user.(type) {
		case *ssa.IndexAddr, *ssa.DebugRef:
		case *ssa.Slice:
			if !s.toLibrary(user) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// conversion is where a value becomes an interface: the value where that has a place and is no argument, else as for the contracts of
// interfaces.
func (s *valueSearch) conversion(to *ssa.MakeInterface) token.Pos {
	s.indexed()
	if !to.Pos().IsValid() && !slices.ContainsFunc(*to.Referrers(), func(user ssa.Instruction) bool {
		call, ok := user.(ssa.CallInstruction)
		return ok && s.argumentOf(call, to) != nil
	}) {
		switch from := to.X.(type) {
		case *ssa.Alloc, *ssa.UnOp, *ssa.Call, *ssa.ChangeType:
			if from.Pos().IsValid() {
				return from.Pos()
			}
		}
	}
	k := &keeper{analysisOf: s.analysisOf}
	return k.conversion(to)
}

// onlyCalled reports whether a function that an instruction is given ends nowhere but in calls of which all callees are known: the
// instruction binds it to its receiver, merges it with other functions, or puts it in a table that stays within the package. The receiver of a bound method must not hold a body.
func (s *valueSearch) onlyCalled(instr ssa.Instruction, fn ssa.Value) bool {
	switch instr := instr.(type) {
	case *ssa.MakeClosure:
		op, _ := s.operatorOf(declarationOf(instr.Fn.(*ssa.Function)))
		return !slices.ContainsFunc(op.bodies, func(b ClaimBody) bool { return b.Param == 0 }) && s.calls(instr, map[ssa.Value]bool{})
	case *ssa.Phi, *ssa.ChangeType:
		return s.calls(instr.(ssa.Value), map[ssa.Value]bool{})
	case *ssa.Store:
		return instr.Val == fn && s.placed(instr.Addr, map[ssa.Value]bool{})
	case *ssa.MapUpdate:
		return instr.Value == fn && s.holds(instr.Map, map[ssa.Value]bool{})
	}
	return false
}

// calls reports whether a function or interface value is used in nothing but calls of it, of which all callees are known.
func (s *valueSearch) calls(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	for _, user := range *v.Referrers() {
		switch user := user.(type) {
		case *ssa.Phi, *ssa.ChangeType, *ssa.ChangeInterface:
			if !s.calls(user.(ssa.Value), seen) {
				return false
			}
		default:
			if !s.calledBy(user, v) {
				return false
			}
		}
	}
	return true
}

// calledBy reports whether an instruction does no more with a function or interface value than to call it, with all callees known.
func (s *valueSearch) calledBy(user ssa.Instruction, v ssa.Value) bool {
	call, ok := user.(ssa.CallInstruction)
	if !ok {
		_, debug := user.(*ssa.DebugRef)
		return debug
	}
	return call.Common().Value == v && !slices.Contains(call.Common().Args, v) && (call.Common().StaticCallee() != nil || s.flow.Callees(call).Complete)
}

// holdsBodies reports whether a value runs bodies that it holds itself when a method of an interface is called on it.
func (s *valueSearch) holdsBodies(t types.Type, iface *types.Interface) bool {
	for i := range iface.NumMethods() {
		object, _, _ := types.LookupFieldOrMethod(t, true, iface.Method(i).Pkg(), iface.Method(i).Name())
		method, _ := object.(*types.Func)
		if op, ok := s.operatorOf(method); ok && slices.ContainsFunc(op.bodies, func(b ClaimBody) bool { return b.Param == 0 }) {
			return true
		}
	}
	return false
}

// methods reports the operators among the methods of t that an interface has. Where the interface's own method is declared to run the
// same bodies its calls are looked at.
func (s *valueSearch) methods(t types.Type, iface *types.Interface, through string, in ast.Node, pos func() token.Pos) {
	if types.IsInterface(t) {
		return // it was looked at where its value was made
	}
	for i := range iface.NumMethods() {
		m := iface.Method(i)
		object, _, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
		method, _ := object.(*types.Func)
		op, ok := s.operatorOf(method)
		if ok && !s.declares(m, op) {
			s.reached(op, through, in, pos)
		}
	}
}

// reached reports a method that is an operator and can be called through something else than its type.
func (s *valueSearch) reached(op operator, through string, in ast.Node, pos func() token.Pos) {
	if s.done[valueUse{op.object, in}] {
		return
	}
	s.done[valueUse{op.object, in}] = true
	s.indexed()
	from, to := s.operation(pos())
	s.add(op, from, to, op.says(s.nameOf(op.object))+" is reached through "+through+": what is given to it so is not seen",
		"call it on the concrete type, or declare the body at the interface's method with //hop:body")
}

// declares reports whether a method of an interface is declared to run all bodies of an operator.
func (s *valueSearch) declares(m *types.Func, op operator) bool {
	declared := s.wrapperBodies(m)
	return !slices.ContainsFunc(op.bodies, func(b ClaimBody) bool {
		return !slices.ContainsFunc(declared, func(c ClaimBody) bool { return c.Param == b.Param && c.Path == b.Path })
	})
}

func (s *valueSearch) add(op operator, pos, end token.Pos, detail, remedy string) {
	f := &Finding{Pos: pos, End: end, Call: pos}
	f.Finding = hopcheck.Finding{Code: hopcheck.UnprovedBody, HOP: op.hop, Detail: detail, Remedy: remedy}
	s.list = append(s.list, f)
}

// nameOf is a function as a reader of the package calls it: hop.Map, mapRunner.run.
func (s *valueSearch) nameOf(object *types.Func) string {
	if recv := object.Signature().Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := types.Unalias(t).(*types.Named); ok {
			return named.Obj().Name() + "." + object.Name()
		}
		return object.Name()
	}
	if name := s.qualifier(object.Pkg()); name != "" {
		return name + "." + object.Name()
	}
	return object.Name()
}

// whereNamed is the expression that names an operator; at where the source has none.
func (s *valueSearch) whereNamed(use valueUse, at token.Pos) (pos, end token.Pos) {
	if s.written == nil {
		s.readValues()
	}
	if e := s.written[use]; e != nil {
		return e.Pos(), e.End()
	}
	s.indexed()
	return s.operation(at)
}

// readValues finds the expressions that name functions without calling them.
func (s *valueSearch) readValues() {
	s.written = map[valueUse]ast.Expr{}
	called := map[*ast.Ident]bool{}
	for _, file := range s.pass.Files {
		ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if id := nameIn(n.Fun); id != nil {
					called[id] = true
				}
			case *ast.Ident:
				object, ok := s.pass.TypesInfo.Uses[n].(*types.Func)
				if !ok || called[n] {
					break
				}
				use := valueUse{object.Origin(), enclosingFunc(stack)}
				if s.written[use] == nil {
					s.written[use] = whole(n, stack)
				}
			}
			return true
		})
	}
}

// nameIn is the name in an expression that is no more than a name: f, pkg.F, x.M, F[T].
func nameIn(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return nameIn(e.X)
	case *ast.IndexListExpr:
		return nameIn(e.X)
	}
	return nil
}

// whole is the expression that a name ends: x.M for M.
func whole(id *ast.Ident, stack []ast.Node) ast.Expr {
	if n := len(stack); n > 0 {
		if s, ok := stack[n-1].(*ast.SelectorExpr); ok && s.Sel == id {
			return s
		}
	}
	return id
}

// enclosingFunc is the innermost function of a stack of nodes, as go/ssa names it; nil outside of functions.
func enclosingFunc(stack []ast.Node) ast.Node {
	for _, n := range slices.Backward(stack) {
		switch n.(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return n
		}
	}
	return nil
}

// enclosing is the innermost function at a position.
func (s *valueSearch) enclosing(pos token.Pos) ast.Node {
	s.indexed()
	path := s.path(pos)
	slices.Reverse(path)
	return enclosingFunc(path)
}
