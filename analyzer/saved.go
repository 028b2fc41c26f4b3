package analyzer

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
)

// saves says what the derivative of an op by one operand reads.
type saves struct {
	// by is the operand, counted as in go/ssa; operand and result say what is read.
	by      int
	operand int
	result  bool
}

// savedBy are the ops of which it is certain what their derivatives read, by the name of the method; a test holds it to the runtime.
// Ops with other operands, and derivatives that read something in some cases only, are not listed: they are not proved.
func savedBy(op string) []saves {
	switch op {
	case "Mul", "MatMul", "Dot", "Outer":
		return []saves{{by: 0, operand: 1}, {by: 1, operand: 0}}
	case "Div":
		return []saves{{by: 0, operand: 1}, {by: 1, operand: 0}, {by: 1, operand: 1}}
	case "Square", "Sin", "Cos", "Log", "Abs", "Gelu":
		return []saves{{by: 0, operand: 0}}
	case "Exp", "Tanh", "Sigmoid", "Sqrt", "Reciprocal", "Softmax":
		return []saves{{by: 0, result: true}}
	}
	return nil
}

// passesGrad reports whether a gradient that reaches the result of an op goes on to all of its operands.
func passesGrad(op string) bool {
	switch op {
	case "Add", "Sub", "Neg", "AddScalar", "SubScalar", "MulScalar", "DivScalar", "Sum", "Mean", "Clone", "View", "Reshape", "Flatten",
		"T", "Transpose", "Permute", "Squeeze", "Unsqueeze", "Select", "Narrow", "Expand":
		return true
	}
	return savedBy(op) != nil
}

// staleSaves finds tensors that an op saved for its derivative, that are written behind it, and that Backward certainly needs:
// HOP601. All of it lies on every way through the function, in this order.
func (a *analysisOf) staleSaves(l *leaves) []*Finding {
	s := &saving{leaves: l, aliases: storages{a: a, fn: l.fn, throughDetach: true}, held: map[ssa.Instruction]leafSet{}}
	for _, block := range l.fn.Blocks {
		if in, ok := l.in[block]; ok {
			l.after(block, in, func(instr ssa.Instruction, set leafSet) {
				call, ok := instr.(*ssa.Call)
				if !ok {
					return
				}
				switch fn := calledObject(call.Common()); {
				case fn == nil || !isRuntime(fn.Pkg()) || call.Call.IsInvoke():
				case fn.Name() == "Backward":
					s.backward = append(s.backward, call)
				case savedBy(fn.Name()) != nil:
					s.ops = append(s.ops, call)
					s.held[call] = cloneSet(set)
				}
				if len(s.aliases.writes(call.Common())) > 0 {
					s.written = append(s.written, call)
				}
			})
		}
	}
	if len(s.backward) == 0 || len(s.written) == 0 {
		return nil
	}
	var list []*Finding
	for _, write := range s.written {
		if f := s.stale(write); f != nil {
			list = append(list, f)
		}
	}
	return list
}

// saving is the search through one function.
type saving struct {
	*leaves
	aliases                storages
	ops, written, backward []*ssa.Call
	held                   map[ssa.Instruction]leafSet
}

func cloneSet(s leafSet) leafSet {
	c := leafSet{}
	for k := range s {
		c[k] = true
	}
	return c
}

// functional is the name of the op that an in-place op abbreviates. It keeps a copy of what it overwrites itself.
func functional(name string) string { return strings.TrimSuffix(name, "InPlace") }

// stale tells which op saved what a call writes, and which Backward needs it.
func (s *saving) stale(write *ssa.Call) *Finding {
	writes := s.aliases.writes(write.Common())
	for _, saver := range s.ops {
		for _, row := range savedBy(calledObject(saver.Common()).Name()) {
			if row.by >= len(saver.Call.Args) || !s.requiresGrad(saver.Call.Args[row.by], s.held[saver], 0) {
				continue
			}
			kept := ssa.Value(saver)
			if !row.result {
				kept = saver.Call.Args[row.operand]
			}
			saved := s.aliases.place(kept)
			i := slices.IndexFunc(writes, func(w written) bool { return len(w.places) == 1 && w.places[0] == saved })
			if i < 0 {
				continue
			}
			for _, backward := range s.backward {
				if inOrder(saver, write, backward) && s.comesFrom(backward.Call.Args[0], saver, 0) {
					return s.finding(write, saver, backward, kept, writes[i].op, row)
				}
			}
		}
	}
	return nil
}

// made is the call that certainly made a tensor, seen through variables and fields, and views that gradients pass.
func (s *saving) made(v ssa.Value) (*ssa.Call, bool) {
	call, ok := v.(*ssa.Call)
	if !ok {
		p := s.place(v)
		call, ok = p.root.(*ssa.Call)
		ok = ok && p.path == ""
	}
	return call, ok
}

// requiresGrad reports whether ops on a value are certainly recorded: it is a leaf, or was computed from one.
func (s *saving) requiresGrad(v ssa.Value, set leafSet, depth int) bool {
	if depth > maxFollow {
		return false
	}
	if set.leaf(s.places(v)) {
		return true
	}
	call, ok := s.made(v)
	if !ok {
		return false
	}
	fn := calledObject(call.Common())
	return fn != nil && isRuntime(fn.Pkg()) && passesGrad(functional(fn.Name())) &&
		slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool { return isTensorPointer(arg.Type()) && s.requiresGrad(arg, set, depth+1) })
}

// comesFrom reports whether a value is computed from what a call returned in a way that gradients take back.
func (s *saving) comesFrom(v ssa.Value, saver *ssa.Call, depth int) bool {
	call, ok := s.made(v)
	if call == saver {
		return true
	}
	if !ok || depth > maxFollow {
		return false
	}
	fn := calledObject(call.Common())
	return fn != nil && isRuntime(fn.Pkg()) && passesGrad(functional(fn.Name())) &&
		slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool { return isTensorPointer(arg.Type()) && s.comesFrom(arg, saver, depth+1) })
}

// inOrder reports whether the calls certainly happen one after the other: each lies on every way to the next, and either all in one
// block or none in a loop, so that they belong to one round.
func inOrder(calls ...*ssa.Call) bool {
	for i, call := range calls[1:] {
		before := calls[i]
		if before.Block() == call.Block() {
			if slices.Index(call.Block().Instrs, ssa.Instruction(before)) >= slices.Index(call.Block().Instrs, ssa.Instruction(call)) {
				return false
			}
			continue
		}
		if !before.Block().Dominates(call.Block()) || inLoop(before.Block()) || inLoop(call.Block()) {
			return false
		}
	}
	return true
}

// inLoop reports whether a block can be reached from itself.
func inLoop(b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	work := slices.Clone(b.Succs)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == b {
			return true
		}
		if !seen[x] {
			seen[x] = true
			work = append(work, x.Succs...)
		}
	}
	return false
}

func (s *saving) finding(write, saver, backward *ssa.Call, kept ssa.Value, op string, row saves) *Finding {
	pos, end := s.a.operation(write.Common().Pos())
	name := calledObject(saver.Common()).Name()
	what := "the result of " + name
	if !row.result {
		what = s.a.sourceName(saver, kept)
	}
	f := &Finding{Pos: pos, End: end, Call: pos}
	f.Finding = hopcheck.Finding{Code: hopcheck.StaleSavedTensor, Op: op,
		Detail: fmt.Sprintf("%s, saved for backward by %s at line %d, is written through %s before Backward at line %d",
			what, name, s.a.line(saver.Common().Pos()), op, s.a.line(backward.Common().Pos()))}
	for _, step := range []struct {
		call *ssa.Call
		text string
	}{{saver, "saved by " + name + " here"}, {backward, "needed by Backward here"}} {
		from, to := s.a.operation(step.call.Common().Pos())
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: from, End: to, Message: step.text})
	}
	return f
}
