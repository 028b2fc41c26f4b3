package analyzer

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/ssaflow"
)

// capturedValues are the values that a captured variable can hold, if every assignment to it can be seen: those of the
// function that declares it and of all literals that capture it.
func capturedValues(free *ssa.FreeVar) (values []ssa.Value, ok bool) {
	v := ssa.Value(free)
	for {
		inner, isFree := v.(*ssa.FreeVar)
		if !isFree {
			break
		}
		if v = boundTo(inner); v == nil {
			return nil, false
		}
	}
	cell, isCell := v.(*ssa.Alloc)
	if !isCell {
		return nil, false
	}
	return values, storesTo(cell, &values) && len(values) > 0
}

// storesTo collects what is assigned to a variable and reports whether all of its uses are understood.
func storesTo(cell ssa.Value, values *[]ssa.Value) bool {
	for _, user := range *cell.Referrers() {
		switch user := user.(type) {
		case *ssa.Store:
			if user.Addr != cell {
				return false // its address is kept elsewhere
			}
			*values = append(*values, user.Val)
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			fn, _ := user.Fn.(*ssa.Function)
			for i, bound := range user.Bindings {
				if bound == cell && (fn == nil || !storesTo(fn.FreeVars[i], values)) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// boundTo is what a function literal binds a captured variable to, if it is made in one place.
func boundTo(free *ssa.FreeVar) ssa.Value {
	fn := free.Parent()
	if fn.Parent() == nil {
		return nil
	}
	var bound ssa.Value
	for _, block := range fn.Parent().Blocks {
		for _, instr := range block.Instrs {
			if closure, ok := instr.(*ssa.MakeClosure); ok && closure.Fn == fn {
				if bound != nil {
					return nil
				}
				bound = closure.Bindings[slices.Index(fn.FreeVars, free)]
			}
		}
	}
	return bound
}

// capturedParam follows a captured variable of a function literal to the parameter of the declared function around it
// that it holds, if nothing else is ever assigned to it.
func capturedParam(fn *ssa.Function, callee ssaflow.Ref) (holder *types.Func, param int, ok bool) {
	free, isFree := freeVariable(fn, callee)
	if !isFree {
		return nil, 0, false
	}
	values, ok := capturedValues(free)
	if !ok || len(values) != 1 {
		return nil, 0, false
	}
	p, isParam := values[0].(*ssa.Parameter)
	if !isParam || declarationOf(p.Parent()) == nil {
		return nil, 0, false
	}
	return declarationOf(p.Parent()), slices.Index(p.Parent().Params, p), true
}

// freeVariable is the captured variable that a reference names as a whole.
func freeVariable(fn *ssa.Function, ref ssaflow.Ref) (*ssa.FreeVar, bool) {
	if fn == nil || ref.Root.Kind != ssaflow.FreeVar || ref.Fields() != "" || ref.Root.Index >= len(fn.FreeVars) {
		return nil, false
	}
	return fn.FreeVars[ref.Root.Index], true
}

// maxCaptured bounds chains of literals that call captured literals; such chains may be cycles.
const maxCaptured = 4

// withCaptured adds to the summary of a body what the functions do that it calls through captured variables. What the
// variables hold is known where the body is made, not in the body itself.
func (a *analysisOf) withCaptured(fn *ssa.Function, s *ssaflow.Summary, depth int) *ssaflow.Summary {
	if fn == nil || s == nil || len(s.Slots) == 0 || depth == maxCaptured {
		return s
	}
	out := *s
	for i := range s.Slots {
		slot := &s.Slots[i]
		free, ok := freeVariable(fn, slot.Callee)
		if !ok || slot.Method != "" {
			continue
		}
		values, _ := capturedValues(free)
		for _, v := range values {
			callee := functionOf(v)
			if callee == nil || callee == fn {
				continue
			}
			if inner := a.withCaptured(callee, a.flow.Summary(callee), depth+1); inner != nil {
				c := &composed{fn: callee, slot: slot, index: i}
				out.Effects = append(slices.Clone(out.Effects), c.effects(inner)...)
				out.Results = c.results(out.Results, inner)
				out.Returns = slices.Clone(out.Returns)
				for k := range out.Returns {
					out.Returns[k].Results = c.results(out.Returns[k].Results, inner)
				}
			}
		}
	}
	return &out
}

// functionOf is the function that a value is: a literal or a declared function.
func functionOf(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		return v
	case *ssa.MakeClosure:
		fn, _ := v.Fn.(*ssa.Function)
		return fn
	}
	return nil
}

// composed is a call of a known function through a slot.
type composed struct {
	fn    *ssa.Function
	slot  *ssaflow.SlotRow
	index int
}

// effects are the callee's effects in the terms of the caller.
func (c *composed) effects(s *ssaflow.Summary) []ssaflow.Effect {
	var list []ssaflow.Effect
	for _, e := range s.Effects {
		for _, o := range c.origins(e.Ref) {
			e := e
			e.Ref = o.Ref
			e.Witness = c.way(o.Witness, e.Witness)
			list = append(list, e)
		}
	}
	return list
}

// results replaces what the slot returned by what the callee returns.
func (c *composed) results(results [][]ssaflow.Leaf, s *ssaflow.Summary) [][]ssaflow.Leaf {
	out := make([][]ssaflow.Leaf, len(results))
	for i, leaves := range results {
		for _, leaf := range leaves {
			var origins []ssaflow.Origin
			for _, o := range leaf.Origins {
				if r := o.Ref.Root; r.Kind != ssaflow.SlotResult || r.Index != c.index || r.Result >= len(s.Results) {
					origins = append(origins, o)
					continue
				}
				origins = append(origins, c.returned(o, s.Results[o.Ref.Root.Result])...)
			}
			out[i] = append(out[i], ssaflow.Leaf{Path: leaf.Path, Origins: origins})
		}
	}
	return out
}

// returned are the origins of one value that the callee returned. Fresh memory stays the slot's own.
func (c *composed) returned(o ssaflow.Origin, leaves []ssaflow.Leaf) []ssaflow.Origin {
	var list []ssaflow.Origin
	fresh := false
	for _, leaf := range leaves {
		if leaf.Path+"*" != o.Ref.Path {
			continue
		}
		for _, inner := range leaf.Origins {
			mapped := c.origins(inner.Ref)
			fresh = fresh || len(mapped) == 0
			for _, m := range mapped {
				m.View = m.View || inner.View
				m.Witness = c.way(m.Witness, inner.Witness)
				list = append(list, m)
			}
		}
	}
	if fresh || len(list) == 0 {
		list = append(list, o)
	}
	return list
}

// origins translates memory of the callee's parameters, captured variables and globals.
func (c *composed) origins(ref ssaflow.Ref) []ssaflow.Origin {
	switch ref.Root.Kind {
	case ssaflow.Global:
		return []ssaflow.Origin{{Ref: ref, Unique: true}}
	case ssaflow.FreeVar:
		// The caller has no number for what only the callee captures; to the HOP it is captured all the same.
		if ref.Root.Index < len(c.fn.FreeVars) {
			ref.Root = ssaflow.Root{Kind: ssaflow.Global, Name: c.fn.FreeVars[ref.Root.Index].Name()}
			ref.Path = strings.TrimPrefix(ref.Path, "*")
			return []ssaflow.Origin{{Ref: ref, Unique: true}}
		}
	case ssaflow.Param:
		if ref.Root.Index >= len(c.slot.Args) {
			return nil
		}
		var list []ssaflow.Origin
		for _, leaf := range c.slot.Args[ref.Root.Index] {
			rest, below := strings.CutPrefix(ref.Path, leaf.Path+"*")
			if !below {
				continue
			}
			for _, o := range leaf.Origins {
				o.Ref.Path += rest
				list = append(list, o)
			}
		}
		return list
	}
	return nil
}

// way joins the way to the call with the callee's own.
func (c *composed) way(before, after []ssaflow.Step) []ssaflow.Step {
	way := append(slices.Clone(before), ssaflow.Step{Kind: ssaflow.Pass, Pos: c.slot.Pos, Callee: c.slot.Name})
	for _, s := range after {
		if s.Kind != ssaflow.Enter && s.Kind != ssaflow.Returned {
			way = append(way, s)
		}
	}
	return way
}
