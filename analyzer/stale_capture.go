package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// A compiled function keeps what it saw while it was traced. What it read of the program around, variables and fields and the
// tensors that they led to, must not be written any more: HOP405. The write has to be reachable from the call that compiled, and a
// use of the compiled function from the write, each without passing through what makes the function or the variable anew: a
// variable of one iteration of a loop is another one in the next. Compiled functions that are kept for later are in stale_kept.go.

// staleCaptures finds writes to what compiled functions of the package read.
func (a *analysisOf) staleCaptures(calls []*hopCall) []*Finding {
	var list []*Finding
	for _, call := range calls {
		if call.contract.Name != "compile" && call.contract.Name != "trace" {
			continue
		}
		compiled, ok := call.instr.(*ssa.Call)
		if !ok {
			continue
		}
		for _, arg := range call.bodies {
			if arg.path != "" || arg.method != "" || arg.arg >= len(compiled.Call.Args) {
				continue
			}
			s := &staleness{locator: locator{a, map[ssa.Value]spot{}}, call: call, compiled: compiled, names: map[ssa.Value]string{},
				own: map[*ssa.Function]bool{}}
			s.body(compiled.Call.Args[arg.arg], 0)
			if len(s.reads) == 0 {
				continue
			}
			s.uses(compiled, map[ssa.Value]bool{})
			s.writes()
			s.literalWrites()
			a.keptWrites(s)
			list = append(list, s.list...)
		}
	}
	return list
}

// reading is a place that the compiled function reads.
type reading struct {
	at spot
	// whole is true where code that is not in sight may read everything below; content where the tensor is read that the place holds,
	// and not the place.
	whole, content bool
}

// staleness is the work on one compiled function.
type staleness struct {
	locator
	call     *hopCall
	compiled *ssa.Call
	reads    []reading
	// used are the instructions that use the compiled function; kept is true when it may be used anywhere.
	used []ssa.Instruction
	kept bool
	// stored are the assignments that keep it; own are the functions that are part of it.
	stored []*ssa.Store
	own    map[*ssa.Function]bool
	// names are what literals and functions call what they were given.
	names map[ssa.Value]string
	list  []*Finding
}

// maxReadDepth is the number of calls that are followed into the package's own functions.
const maxReadDepth = 4

// body collects what a function value reads.
func (s *staleness) body(v ssa.Value, depth int) {
	root := s.of(v).root
	switch f := root.(type) {
	case *ssa.Function:
		s.function(f, depth)
	case *ssa.MakeClosure:
		s.closure(f, depth)
	case *ssa.Call:
		// A function that returns a literal: what the literal captures is what the call was given.
		maker := f.Common().StaticCallee()
		if maker == nil || depth > 1 {
			return
		}
		for _, block := range maker.Blocks {
			ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
			if !ok || len(ret.Results) != 1 {
				continue
			}
			if closure, ok := ret.Results[0].(*ssa.MakeClosure); ok {
				s.given(maker, f.Common().Args)
				s.closure(closure, depth+1)
			}
		}
	}
}

// given makes the parameters of a function stand for arguments.
func (s *staleness) given(fn *ssa.Function, args []ssa.Value) {
	for i, p := range fn.Params {
		if i < len(args) {
			if at := s.of(args[i]); at.root != ssa.Value(p) {
				s.known[p] = at
				s.callIt(at, p.Name())
			}
		}
	}
}

// callIt keeps the first name of a value.
func (s *staleness) callIt(at spot, name string) {
	if s.names[at.root] == "" {
		s.names[at.root] = name
	}
}

func (s *staleness) closure(c *ssa.MakeClosure, depth int) {
	fn, ok := c.Fn.(*ssa.Function)
	if !ok {
		return
	}
	for i, free := range fn.FreeVars {
		if at := s.of(c.Bindings[i]); at.root != ssa.Value(free) {
			s.known[free] = at
			if fn.Synthetic == "" {
				s.callIt(at, free.Name())
				if val := heldBy(at.root); val != nil {
					s.callIt(s.of(val), free.Name())
				}
			}
		}
	}
	s.function(fn, depth)
}

// function collects what the body of a function reads of memory that it did not make.
func (s *staleness) function(fn *ssa.Function, depth int) {
	s.own[fn] = true
	for instr := range ssaflow.LiveInstructions(fn) {
		switch instr := instr.(type) {
		case *ssa.UnOp:
			if instr.Op == token.MUL {
				s.read(s.of(instr.X), fn, false)
				s.tensor(instr, fn)
			}
		case *ssa.Field:
			s.tensor(instr, fn)
		case *ssa.Lookup:
			s.read(s.of(instr.X).step("[]"), fn, false)
			s.tensor(instr, fn)
		case *ssa.MakeClosure:
			if depth < maxReadDepth {
				s.closure(instr, depth+1)
			}
		case ssa.CallInstruction:
			s.called(instr.Common(), fn, depth)
		}
	}
}

// tensor notes the tensor that a value is, which operations of the function read.
func (s *staleness) tensor(v ssa.Value, fn *ssa.Function) {
	if isTensorPointer(v.Type()) {
		s.read(s.of(v), fn, false)
	}
}

// called follows a call of the body.
func (s *staleness) called(common *ssa.CallCommon, fn *ssa.Function, depth int) {
	callee := common.StaticCallee()
	if callee != nil && callee.Origin() != nil {
		callee = callee.Origin()
	}
	if callee != nil && len(callee.Blocks) > 0 && depth < maxReadDepth {
		if _, literal := common.Value.(*ssa.MakeClosure); !literal {
			s.given(callee, common.Args)
			s.function(callee, depth+1)
		}
		return
	}
	for _, arg := range common.Args {
		switch {
		case isTensorPointer(arg.Type()):
			s.read(s.of(arg), fn, false)
		case ssaflow.IsReference(arg.Type()) && mayHoldTensors(arg.Type(), nil):
			if _, isFunc := arg.Type().Underlying().(*types.Signature); !isFunc {
				s.read(s.of(arg), fn, true)
			}
		}
	}
}

// read notes a place if it is one of the program around.
func (s *staleness) read(at spot, fn *ssa.Function, whole bool) {
	switch root := at.root.(type) {
	case *ssa.Global:
	case ssa.Instruction:
		if root.Parent() != s.compiled.Parent() {
			return // made by the function itself, or by one that is not in sight
		}
	case *ssa.Parameter:
		if root.Parent() != s.compiled.Parent() {
			return
		}
	case *ssa.FreeVar:
		if root.Parent() != s.compiled.Parent() {
			return
		}
	default:
		return
	}
	if !slices.ContainsFunc(s.reads, func(r reading) bool { return r.at == at && r.whole == whole }) {
		s.reads = append(s.reads, reading{at: at, whole: whole})
	}
}

// uses collects the instructions that use the compiled function.
func (s *staleness) uses(v ssa.Value, seen map[ssa.Value]bool) {
	if seen[v] || v.Referrers() == nil {
		return
	}
	seen[v] = true
	for _, user := range *v.Referrers() {
		switch user := user.(type) {
		case *ssa.DebugRef:
		case *ssa.Extract:
			if user.Type() != types.Universe.Lookup("error").Type() {
				s.uses(user, seen)
			}
		case *ssa.Phi:
			s.uses(user, seen)
		case *ssa.ChangeType:
			s.uses(user, seen)
		case *ssa.Call:
			if object := calledObject(user.Common()); object != nil && isRuntime(object.Pkg()) && object.Name() == "Must" {
				s.uses(user, seen)
				continue
			}
			s.used = append(s.used, user)
		case *ssa.Return:
			s.used = append(s.used, user)
		default: // kept in memory, or captured by a function that runs when nobody knows
			s.kept = true
			if store, ok := user.(*ssa.Store); ok && store.Val == v {
				s.stored = append(s.stored, store)
			}
		}
	}
}

// spotWrite is a write of memory: the spot, the type of what is assigned where that is known, and the operation, empty for an
// assignment.
type spotWrite struct {
	instr ssa.Instruction
	at    spot
	t     types.Type
	op    string
	pos   token.Pos
	// param is the type of the parameter of a called function that leads to the spot, nil for other writes.
	param types.Type
}

// writes finds the writes of the function around.
func (s *staleness) writes() {
	s.eachWrite(s.compiled.Parent(), func(w spotWrite) {
		if w.instr != s.compiled && s.after(w.instr, w.at) {
			s.wrote(w)
		}
	})
}

// eachWrite visits what a function writes, itself and by calls.
func (s *staleness) eachWrite(fn *ssa.Function, visit func(spotWrite)) {
	for instr := range ssaflow.LiveInstructions(fn) {
		switch instr := instr.(type) {
		case *ssa.Store:
			visit(spotWrite{instr: instr, at: s.of(instr.Addr), t: instr.Val.Type(), pos: instr.Pos()})
		case *ssa.MapUpdate:
			visit(spotWrite{instr: instr, at: s.of(instr.Map).step("[]"), t: instr.Value.Type(), pos: instr.Pos()})
		case *ssa.Call:
			s.effects(instr, visit)
		}
	}
}

// effects visits what a call writes.
func (s *staleness) effects(call *ssa.Call, visit func(spotWrite)) {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "copy", "clear", "delete":
			visit(spotWrite{instr: call, at: s.of(common.Args[0]).step("[]"), op: b.Name(), pos: call.Pos()})
		}
		return
	}
	var sum *ssaflow.Summary
	if object := calledObject(common); object != nil {
		if _, isHOP := contractOf(object); isHOP {
			return
		}
		sum = s.summaryOf(object)
	} else if closure, ok := s.of(common.Value).root.(*ssa.MakeClosure); ok {
		if fn, ok := closure.Fn.(*ssa.Function); ok {
			sum = s.flow.Summary(fn)
		}
	}
	if sum == nil || sum.Top {
		return
	}
	for _, e := range sum.Effects {
		if !e.Definite || e.Kind == ssaflow.Append {
			continue
		}
		op := e.Op
		if op == "store" {
			op = ""
		}
		if e.Ref.Root.Kind == ssaflow.Global {
			for _, r := range s.reads {
				if g, ok := r.at.root.(*ssa.Global); ok && e.Ref.Root.Global != nil && g.Object() == e.Ref.Root.Global {
					visit(spotWrite{instr: call, at: spot{g, e.Ref.Path}, op: op, pos: call.Pos()})
					break
				}
			}
			continue
		}
		if at, ok := s.argument(common, e.Ref); ok {
			visit(spotWrite{call, at, s.typeOf(common, e.Ref), op, call.Pos(), s.typeOf(common, ssaflow.Ref{Root: e.Ref.Root})})
		}
	}
}

// typeOf is the type of a place below a parameter of a called function, nil if it is not known.
func (s *staleness) typeOf(common *ssa.CallCommon, ref ssaflow.Ref) types.Type {
	if i := ref.Root.Index; ref.Root.Kind == ssaflow.Param && !common.IsInvoke() && i < len(common.Args) {
		t, _ := typeAt(common.Args[i].Type(), ref.Fields())
		return t
	}
	return nil
}

// after reports whether an instruction of the function around, which writes a spot, can come after the call that compiled and before a
// use of the compiled function.
func (s *staleness) after(instr ssa.Instruction, at spot) bool {
	origin, _ := at.root.(ssa.Instruction)
	return leads(s.compiled, instr, origin, s.compiled) && (s.kept || slices.ContainsFunc(s.used, func(u ssa.Instruction) bool {
		return u == instr || leads(instr, u, s.compiled)
	}))
}

// touches reports whether a write reaches what is read at a place.
func (r reading) touches(w spotWrite) bool {
	return r.at == w.at && !(r.content && w.op == "") || r.at.below(w.at) && w.op == "" && !r.content ||
		r.whole && w.at.below(r.at) && (w.t == nil || mayHoldTensors(w.t, nil))
}

// wrote reports a write if the compiled function reads the place.
func (s *staleness) wrote(w spotWrite) {
	if slices.ContainsFunc(s.reads, func(r reading) bool { return r.touches(w) }) {
		s.report(w)
	}
}

func (s *staleness) report(w spotWrite) {
	at, op := w.at, w.op
	place := hopcheck.Place{Role: hopcheck.Captured, Label: s.nameOf(at.root), Path: strings.ReplaceAll(at.path, "*", "")}
	how := "assigned"
	if op != "" {
		how = "written through " + op
	}
	function := "the function was compiled"
	if s.call.contract.Name == "trace" {
		function = "the function was traced"
	}
	rule, _ := hopcheck.RuleFor(hopcheck.StaleCapture)
	start, end := s.operation(w.pos)
	f := &Finding{Pos: start, End: end, Call: s.call.pos}
	f.Finding = hopcheck.Finding{Code: hopcheck.StaleCapture, HOP: s.call.contract.Name, Places: []hopcheck.Place{place}, Op: op, Remedy: rule.Remedy,
		Detail: fmt.Sprintf("%s is %s after %s", place, how, function)}
	if e := s.call.syntax; e != nil {
		f.Related = append(f.Related, related(e.Pos(), e.End(), "captured by the function that is compiled here"))
	}
	s.list = append(s.list, f)
}

// nameOf is the variable that a spot begins at, as the source calls it.
func (s *staleness) nameOf(root ssa.Value) string {
	switch v := root.(type) {
	case *ssa.Alloc:
		if name := s.names[root]; name != "" {
			return name
		}
		if v.Comment != "complit" && v.Comment != "slicelit" && v.Comment != "new" {
			return v.Comment
		}
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
		return v.Name()
	}
	if call, result := callOf(root); call != nil && result >= 0 {
		if syntax := s.callAt[call.Common().Pos()]; syntax != nil {
			if assign, ok := s.parent(syntax).(*ast.AssignStmt); ok && result < len(assign.Lhs) {
				return types.ExprString(assign.Lhs[result])
			}
		}
	}
	// A value that one variable holds.
	if users := root.Referrers(); users != nil {
		for _, user := range *users {
			if store, ok := user.(*ssa.Store); ok && store.Val == root {
				if cell, ok := store.Addr.(*ssa.Alloc); ok && cell.Comment != "" {
					return cell.Comment
				}
			}
		}
	}
	return s.names[root]
}
