package analyzer

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/ssaflow"
)

// spot is a place of memory at one point of a program: the variable or value that it is reached from and a path, in the notation of
// ssaflow: "*" follows the pointer that stands at the place so far.
type spot struct {
	root ssa.Value
	path string
}

func (s spot) step(text string) spot { return spot{s.root, s.path + text} }

// below reports whether a spot is another one or a part of it.
func (s spot) below(above spot) bool {
	rest, ok := strings.CutPrefix(s.path, above.path)
	return ok && s.root != nil && s.root == above.root && (rest == "" || strings.IndexByte(".[*", rest[0]) >= 0)
}

// locator finds the spots of SSA values. Parameters and captured variables are what the place says where the function was met.
type locator struct {
	*analysisOf
	known map[ssa.Value]spot
}

// of is the spot that a value points to, or where a struct or array lies that was read as a whole. A variable that is assigned once
// is what it was assigned.
func (l *locator) of(v ssa.Value) spot {
	if s, ok := l.known[v]; ok {
		return s
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		if p, ok := v.X.Type().Underlying().(*types.Pointer); ok {
			if s, ok := p.Elem().Underlying().(*types.Struct); ok {
				return l.of(v.X).step("." + s.Field(v.Field).Name())
			}
		}
	case *ssa.Field:
		if s, ok := v.X.Type().Underlying().(*types.Struct); ok {
			return l.value(l.of(v.X).step("."+s.Field(v.Field).Name()), v.Type())
		}
	case *ssa.IndexAddr:
		return l.of(v.X).step("[]")
	case *ssa.Index:
		return l.value(l.of(v.X).step("[]"), v.Type())
	case *ssa.Lookup:
		return l.value(l.of(v.X).step("[]"), v.Type())
	case *ssa.UnOp:
		if v.Op != token.MUL {
			break
		}
		at := l.of(v.X)
		if at.path == "" && ssaflow.IsReference(v.Type()) {
			if val := heldBy(at.root); val != nil && val != ssa.Value(v) {
				return l.of(val)
			}
		}
		return l.value(at, v.Type())
	case *ssa.ChangeType:
		return l.of(v.X)
	case *ssa.ChangeInterface:
		return l.of(v.X)
	case *ssa.MakeInterface:
		return l.of(v.X)
	case *ssa.Slice:
		return l.of(v.X)
	case *ssa.TypeAssert:
		if !v.CommaOk {
			return l.of(v.X)
		}
	case *ssa.Call:
		if arg := l.returned(v); arg != nil {
			return l.of(arg)
		}
	}
	return spot{root: v}
}

// heldBy is what a variable holds that is assigned once; nil if there is no such value.
func heldBy(variable ssa.Value) ssa.Value {
	cell, ok := variable.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var values []ssa.Value
	if !storesTo(cell, &values) || len(values) != 1 {
		return nil
	}
	return values[0]
}

// behind is a place below the variable or value at a spot; a variable that is assigned once is what it was assigned.
func (l *locator) behind(at spot, path string) spot {
	if rest, ok := strings.CutPrefix(path, "*"); ok && at.path == "" {
		if val := heldBy(at.root); val != nil {
			return l.of(val).step(rest)
		}
	}
	return at.step(path)
}

// value is the spot of a value that was read at another one: behind the pointer that it is, or that spot itself.
func (l *locator) value(at spot, t types.Type) spot {
	if ssaflow.IsReference(t) {
		return at.step("*")
	}
	return at
}

// returned is the argument that a call certainly returns, or a view of it; nil if there is none.
func (l *locator) returned(call *ssa.Call) ssa.Value {
	object := calledObject(call.Common())
	if object == nil || !isTensorPointer(call.Type()) {
		return nil
	}
	sum := l.summaryOf(object)
	if sum == nil || len(sum.Results) != 1 {
		return nil
	}
	param := -1
	for _, leaf := range sum.Results[0] {
		for _, o := range leaf.Origins {
			if o.Ref.Root.Kind != ssaflow.Param || o.Ref.Fields() != "" || param >= 0 && param != o.Ref.Root.Index {
				return nil
			}
			param = o.Ref.Root.Index
		}
	}
	if param < 0 || param >= len(call.Common().Args) {
		return nil
	}
	return call.Common().Args[param]
}

// argument is the spot of what a place below a parameter of a called function is for the caller; ok is false where that is not known.
func (l *locator) argument(common *ssa.CallCommon, ref ssaflow.Ref) (at spot, ok bool) {
	var v ssa.Value
	path := ref.Path
	switch i := ref.Root.Index; ref.Root.Kind {
	case ssaflow.Param:
		args := common.Args
		if common.IsInvoke() {
			args = append([]ssa.Value{common.Value}, args...)
		}
		if i >= len(args) {
			return at, false
		}
		v = args[i]
		if ssaflow.IsReference(v.Type()) {
			if !strings.HasPrefix(path, "*") {
				return at, false
			}
			path = path[1:]
		}
	case ssaflow.FreeVar:
		closure, isClosure := l.of(common.Value).root.(*ssa.MakeClosure)
		if !isClosure || i >= len(closure.Bindings) {
			return at, false
		}
		v = closure.Bindings[i]
		if isBoundMethod(closure) && ssaflow.IsReference(v.Type()) {
			path = strings.TrimPrefix(path, "*")
		}
	default:
		return at, false
	}
	return l.behind(l.of(v), path), true
}

// isBoundMethod reports whether a closure binds a receiver, which is a value and no variable.
func isBoundMethod(closure *ssa.MakeClosure) bool {
	fn, ok := closure.Fn.(*ssa.Function)
	return ok && fn.Parent() == nil && fn.Synthetic != ""
}

// leads reports whether control can go from one instruction to another without passing through those of without in between.
func leads(from, to ssa.Instruction, without ...ssa.Instruction) bool {
	stop := map[ssa.Instruction]bool{}
	for _, w := range without {
		if w != nil {
			stop[w] = true
		}
	}
	// run walks a block from position i; it reports whether it found the target, and whether control comes to the end.
	run := func(b *ssa.BasicBlock, i int) (found, through bool) {
		for _, instr := range b.Instrs[i:] {
			if instr == to {
				return true, false
			}
			if stop[instr] {
				return false, false
			}
		}
		return false, true
	}
	start := from.Block()
	at := 0
	for i, instr := range start.Instrs {
		if instr == from {
			at = i + 1
		}
	}
	found, through := run(start, at)
	if found || !through {
		return found
	}
	seen := map[*ssa.BasicBlock]bool{}
	work := ssaflow.LiveSuccs(start)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if found, through = run(b, 0); found {
			return true
		}
		if through {
			work = append(work, ssaflow.LiveSuccs(b)...)
		}
	}
	return false
}
