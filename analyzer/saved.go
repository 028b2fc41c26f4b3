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
// HOP601. All of it lies on every way through the function, in this order; ops and Backward may lie in functions that it calls.
func (a *analysisOf) staleSaves(l *leaves) []*Finding {
	s := &saving{leaves: l, gradients: newGradients(a, l.fn)}
	for _, block := range l.fn.Blocks {
		if in, ok := l.in[block]; ok {
			l.after(block, in, func(instr ssa.Instruction, set leafSet) {
				call, ok := instr.(*ssa.Call)
				if !ok {
					return
				}
				for _, row := range s.saved(call) {
					s.savers = append(s.savers, saver{call, cloneSet(set), row})
				}
				for _, of := range s.runsBackward(call) {
					s.backward = append(s.backward, backward{call, of})
				}
				if len(s.aliases.writes(call.Common())) > 0 {
					s.written = append(s.written, call)
				}
			})
		}
	}
	if len(s.backward) == 0 {
		return nil
	}
	var list []*Finding
	for _, write := range s.written {
		if f := s.stale(write); f != nil {
			list = append(list, f)
		}
	}
	return append(list, s.inHelpers()...)
}

// inHelpers finds what one called function does at once: saves a tensor and writes it, or writes it and runs Backward.
func (s *saving) inHelpers() (list []*Finding) {
	for _, saver := range s.savers {
		if saver.written == "" || !s.requiresGrad(saver.by, saver.held, 0) {
			continue
		}
		if i := slices.IndexFunc(s.backward, func(b backward) bool { return inOrder(saver.call, b.call) && s.comesFrom(b.of, saver.call, 0) }); i >= 0 {
			list = append(list, s.finding(saver.call, saver, s.backward[i].call, saver.written))
		}
	}
	for _, b := range s.backward {
		s.finishes(b.call, func(at storagePlace, op string, of []storagePlace) {
			i := slices.IndexFunc(s.savers, func(saver saver) bool {
				return saver.written == "" && saver.kept == at && inOrder(saver.call, b.call) && s.comesFrom(of, saver.call, 0) && s.requiresGrad(saver.by, saver.held, 0)
			})
			if i >= 0 {
				list = append(list, s.finding(b.call, s.savers[i], b.call, op))
			}
		})
	}
	return list
}

// saving is the search through one function.
type saving struct {
	*leaves
	*gradients
	savers   []saver
	written  []*ssa.Call
	backward []backward
}

// saver is a call that saves a tensor, with the leaves before it.
type saver struct {
	call *ssa.Call
	held leafSet
	savedRow
}

// backward is a call that runs Backward on a tensor.
type backward struct {
	call *ssa.Call
	of   []storagePlace
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
	for _, saver := range s.savers {
		i := slices.IndexFunc(writes, func(w written) bool { return saver.written == "" && len(w.places) == 1 && w.places[0] == saver.kept })
		if i < 0 || !s.requiresGrad(saver.by, saver.held, 0) {
			continue
		}
		for _, b := range s.backward {
			if inOrder(saver.call, write, b.call) && s.comesFrom(b.of, saver.call, 0) {
				return s.finding(write, saver, b.call, writes[i].op)
			}
		}
	}
	return nil
}

// requiresGrad reports whether ops on a tensor are certainly recorded: it is a leaf, or was computed from one.
func (s *saving) requiresGrad(places []storagePlace, set leafSet, depth int) bool {
	if depth > maxFollow || len(places) == 0 {
		return false
	}
	return !slices.ContainsFunc(places, func(p storagePlace) bool {
		return !set.leaf([]storagePlace{p}) && !slices.ContainsFunc(s.flowsFrom(p), func(from []storagePlace) bool { return s.requiresGrad(from, set, depth+1) })
	})
}

// comesFrom reports whether a tensor is computed from what a call returned in a way that gradients take back.
func (s *saving) comesFrom(places []storagePlace, saver *ssa.Call, depth int) bool {
	if len(places) != 1 || depth > maxFollow {
		return false
	}
	if call, _ := callOf(places[0].root); call == saver {
		return true
	}
	return slices.ContainsFunc(s.flowsFrom(places[0]), func(from []storagePlace) bool { return s.comesFrom(from, saver, depth+1) })
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

func (s *saving) finding(write *ssa.Call, saver saver, backward *ssa.Call, op string) *Finding {
	pos, end := s.a.operation(write.Common().Pos())
	what := "the result of " + s.calledName(saver.call, saver.op)
	switch {
	case saver.written != "":
		what = "a tensor"
	case saver.value != nil:
		what = s.a.sourceName(saver.call, saver.value) + saver.path
	}
	f := &Finding{Pos: pos, End: end, Call: pos}
	f.Finding = hopcheck.Finding{Code: hopcheck.StaleSavedTensor, Op: op,
		Detail: fmt.Sprintf("%s, saved for backward by %s at line %d, is written through %s before Backward at line %d",
			what, saver.op, s.a.line(saver.call.Common().Pos()), op, s.a.line(backward.Common().Pos()))}
	for _, step := range []struct {
		call     *ssa.Call
		text, op string
	}{{saver.call, "saved by ", saver.op}, {backward, "needed by ", "Backward"}} {
		from, to := s.a.operation(step.call.Common().Pos())
		text := step.text + step.op
		if name := s.calledName(step.call, step.op); name != step.op {
			text += " in " + name
		}
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: from, End: to, Message: text + " here"})
	}
	return f
}

// calledName is the name of a called function, op for literals.
func (s *saving) calledName(call *ssa.Call, op string) string {
	if fn := calledObject(call.Common()); fn != nil {
		return fn.Name()
	}
	return op
}
