package hop

import (
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"runtime"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/internal/pytree"
)

// hopCall is one call of a HOP: its contract, its options and where it stands.
type hopCall struct {
	contract *hopcheck.Contract
	op       string // the method of a program that was called; empty for an operator
	opts     options
	pos      token.Position
	around   *tag     // the innermost of captured tensors that a stepwise run met
	long     *longRun // of the outermost operator with a context or a progress report
}

// begin starts a call of the exported function fn and reads its options.
func begin(fn string, opts []Option, known ...string) *hopCall {
	return beginMethod(fn, "", opts, known...)
}

// beginMethod is begin for the method op of what fn returned.
func beginMethod(fn, op string, opts []Option, known ...string) *hopCall {
	c, ok := hopcheck.ContractFor(fn)
	if !ok {
		panic(fmt.Sprintf("hop: %s has no contract", fn))
	}
	return &hopCall{contract: c, op: op, opts: collect(c.Name, op, opts, known...), pos: userPosition()}
}

// misuse panics with a plain error of the operator.
func (h *hopCall) misuse(format string, args ...any) {
	panic(&Error{HOP: h.contract.Name, Op: h.op, Step: -1, Position: h.pos, Detail: fmt.Sprintf(format, args...)})
}

// group is a flattened pytree that a HOP takes or a body returns.
type group struct {
	slot   hopcheck.Slot
	leaves []*Tensor
	tree   *pytree.Tree
	paths  []string
}

// place names leaf i for messages.
func (g *group) place(i int) hopcheck.Place {
	return hopcheck.Place{Role: g.slot.Role, Label: g.slot.Label, Path: g.paths[i]}
}

// flatten takes v apart. what names it in errors.
func (h *hopCall) flatten(v any, slot hopcheck.Slot, what string) group {
	leaves, tree, err := pytree.Flatten(v, intLeaves)
	if err != nil {
		var le *pytree.LeafError
		path := ""
		if errors.As(err, &le) {
			path = le.Path
		}
		e := refusal(hopcheck.Finding{Code: hopcheck.UnsupportedLeaf, HOP: h.contract.Name, Detail: leafDetail(what, err)}, h.pos)
		e.Role, e.Path = slot.Role, path
		panic(e)
	}
	g := group{slot: slot, leaves: leaves, tree: tree, paths: tree.Paths()}
	for i, t := range leaves {
		if t.isZero() {
			h.misuse("%s%s is a zero Tensor; make one with FromSlice, Zeros, Full, …", what, g.paths[i])
		}
	}
	return g
}

// leafDetail says what of the value called what cannot be part of a pytree.
func leafDetail(what string, err error) string {
	if text, atRoot := strings.CutPrefix(err.Error(), "value "); atRoot {
		return what + " " + text
	}
	return what + err.Error()
}

// body is a user function as a HOP runs it: on flat leaves, one group for each slot of the contract.
type body struct {
	spec *hopcheck.Body
	// index counts the functions of the operator.
	index int
	// run calls the function. touched are the leaves of the inputs, flattened again after the call, so that a write to
	// a container of the inputs is seen.
	run func(ins [][]*Tensor) (outs []group, touched []group)
	// pos is where the function's source begins.
	pos token.Position
}

// sourceOf returns where the source of a function begins; for a bound method, whose source is not known, where the HOP
// was called.
func (h *hopCall) sourceOf(fn any) token.Position {
	f := runtime.FuncForPC(reflect.ValueOf(fn).Pointer())
	if f == nil {
		return h.pos
	}
	file, line := f.FileLine(f.Entry())
	if strings.HasPrefix(file, "<") {
		return h.pos
	}
	return token.Position{Filename: file, Line: line}
}

// containers compares the leaves that were handed to a body with those found in its input values afterwards: a body
// that stores into a slice or map of its inputs writes that role.
func (h *hopCall) containers(b *body, ins []group, given [][]*Tensor, touched []group) []*Error {
	var errs []*Error
	for k := range ins {
		var places []hopcheck.Place
		after := touched[k]
		if diffs := ins[k].tree.Diff(after.tree); len(diffs) > 0 {
			for _, d := range diffs {
				places = append(places, hopcheck.Place{Role: ins[k].slot.Role, Label: ins[k].slot.Label, Path: d.Path})
			}
		} else {
			for i, t := range given[k] {
				if after.leaves[i] != t && !sameInt(after.leaves[i], t) {
					places = append(places, ins[k].place(i))
				}
			}
		}
		if len(places) > 0 {
			errs = append(errs, refusal(hopcheck.Finding{Code: hopcheck.MutationCode(ins[k].slot.Role), HOP: h.contract.Name,
				Body: b.spec.Words, Places: places, Op: "assignment"}, b.pos))
		}
	}
	return errs
}

// sameMeta compares a group of outputs with the inputs that it must agree with: structure, dtype and shape of every
// leaf. It returns nil or one error that lists every difference.
func (h *hopCall) sameMeta(rule hopcheck.MetaRule, got, want *group, pos token.Position) *Error {
	var diffs []hopcheck.Difference
	root := func(g *group, path string) hopcheck.Place {
		return hopcheck.Place{Role: g.slot.Role, Label: g.slot.Label, Path: path}
	}
	for _, d := range got.tree.Diff(want.tree) {
		diffs = append(diffs, hopcheck.Difference{Got: root(got, d.Path), Want: root(want, d.Path), GotValue: d.A, WantValue: d.B})
	}
	if len(diffs) == 0 {
		for i, t := range got.leaves {
			if !equalMeta(t, want.leaves[i]) {
				a, b := t.meta(), want.leaves[i].meta()
				diffs = append(diffs, hopcheck.Difference{Got: got.place(i), Want: want.place(i), GotValue: describe(a), WantValue: describe(b)})
			}
		}
	}
	if len(diffs) == 0 {
		return nil
	}
	return refusal(hopcheck.Finding{Code: rule.Code, HOP: h.contract.Name, Differences: diffs}, pos)
}

// announce tells the observers on g of the HOP itself.
func (h *hopCall) announce(g *tag, operands, results []*Tensor, traced bool) {
	if !g.observed() {
		return
	}
	tr := traceOf(results)
	g.notify(bornOf(tr), func() OpCall {
		return OpCall{Name: h.contract.Name, Position: h.pos, Path: g.path(), In: infosOf(operands), Out: infosOf(results),
			Levels: levels(anyRequiresGrad(results), traced, tr == nil)}
	})
}
