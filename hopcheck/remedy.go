package hopcheck

import (
	"fmt"
	"slices"
	"strings"
)

// remedy is what helps in this case: what the finding says itself, else what fits its places and operator, else what the rule says.
func (f *Finding) remedy() string {
	if f.Remedy != "" {
		return f.Remedy
	}
	if _, advice := f.cutAdvice(); advice != "" {
		return advice
	}
	switch {
	case len(f.Differences) > 0:
		return agreement(f.Differences)
	case len(f.Pairs) > 0:
		return "return a copy, e.g. " + copyOf(f.Pairs[0].With)
	}
	if r := f.fitting(); r != "" {
		return r
	}
	if r, ok := RuleFor(f.Code); ok {
		return r.Remedy
	}
	return ""
}

// cutAdvice splits the detail of an unsupported leaf, which ends with what to do about that kind of leaf.
func (f *Finding) cutAdvice() (said, advice string) {
	if f.Code != UnsupportedLeaf {
		return f.Detail, ""
	}
	said, advice, _ = strings.Cut(f.Detail, "; ")
	return said, advice
}

// fitting is the remedy that follows from the operation, the first place and the operator; empty where none is better than the rule's.
func (f *Finding) fitting() string {
	switch f.Code {
	case MutatedCarry, MutatedX, MutatedOperand:
		return f.insteadOfWriting()
	case MutatedCaptured:
		return f.outputInstead(f.newTensor())
	case SideEffect:
		return f.outputInstead("the value")
	case InPlaceOnLeaf:
		return f.outsideTheTape()
	case DataDependentControlFlow:
		if f.HOP != "" && !f.runsSteps() {
			return "use Cond, WhileLoop or Where"
		}
	}
	return ""
}

// insteadOfWriting is the remedy for a write to what the body was given.
func (f *Finding) insteadOfWriting() string {
	if len(f.Places) == 0 {
		return ""
	}
	p := f.Places[0]
	if t := f.newTensor(); t != "" && !p.Container {
		return "write a new tensor instead, e.g. " + t
	}
	i := strings.LastIndexByte(p.Path, '[')
	if i < 0 || !strings.HasSuffix(p.Path, "]") {
		return ""
	}
	p.Path = p.Path[:i]
	switch of := expression(p); f.Op {
	case "append":
		return "append to a copy, e.g. append(slices.Clone(" + of + "), …)"
	case "delete":
		return "delete from a copy, e.g. maps.Clone(" + of + ")"
	case "assignment":
		return "assign to a copy, e.g. slices.Clone(" + of + ") or maps.Clone(" + of + ")"
	case "copy", "clear":
		return f.Op + " a new slice instead of " + of
	}
	return ""
}

// newTensor is Go code for what an in-place op would have written, as a new tensor; empty where no op makes it.
func (f *Finding) newTensor() string {
	if len(f.Places) == 0 {
		return ""
	}
	of := expression(f.Places[0])
	switch form := functionalForm(f.Op); {
	case form != "":
		return of + "." + form + "(…)"
	case f.Op == "Zero":
		return "hop.ZerosLike(" + of + ")"
	}
	return ""
}

// outputInstead is the remedy for what a body leaves behind outside: it comes out by the way that the operator has.
func (f *Finding) outputInstead(what string) string {
	c, ok := ContractNamed(f.HOP)
	if !ok {
		return ""
	}
	has := func(r Role) bool {
		return slices.ContainsFunc(c.Bodies, func(b Body) bool { return slices.ContainsFunc(b.Out, func(s Slot) bool { return s.Role == r }) })
	}
	tensor := what != "the value"
	switch {
	case has(NextCarry) && tensor && what != "":
		return "carry it and return its next value, e.g. " + what
	case has(NextCarry) && has(Y) || has(NextCarry) && tensor:
		return "" // as the rules say
	case has(NextCarry):
		return "carry the value"
	case has(Y) && !tensor:
		return "return the value as y"
	case !tensor:
		return "return the value as an output"
	case what != "":
		return "return the new value instead, e.g. " + what
	}
	return "return the new value instead of writing it"
}

// runsSteps reports whether the operator runs a body step by step when asked to: what traces or differentiates a function has no steps.
func (f *Finding) runsSteps() bool {
	c, ok := ContractNamed(f.HOP)
	return !ok || slices.ContainsFunc(c.Bodies, func(b Body) bool {
		return slices.ContainsFunc(b.In, func(s Slot) bool { return s.Role != Operand }) || b.Param == "onTrue" || b.Variadic
	})
}

// outsideTheTape is the remedy for a write to a leaf that requires grad.
func (f *Finding) outsideTheTape() string {
	if f.Op == "" {
		return ""
	}
	leaf := "w"
	if len(f.Places) > 0 {
		leaf = expression(f.Places[0])
	}
	if f.Op == "Data" {
		return "write it outside the tape, e.g. through hop.Data of " + leaf + ".Detach()"
	}
	return fmt.Sprintf("update it outside the tape, e.g. %s.Detach().%s(…)", leaf, f.Op)
}

// copyOf is Go code that copies a place.
func copyOf(p Place) string {
	if p.Container {
		return "hop.Clone(" + expression(p) + ")"
	}
	return expression(p) + ".Clone()"
}

// expression is the place as Go code: carry.H, x[0], w. An index or key that may be any is left open.
func expression(p Place) string {
	return p.root() + strings.ReplaceAll(p.Path, "[]", "[…]")
}

// root is a name for what a place lies in, as a body may call it.
func (p Place) root() string {
	switch {
	case p.Label != "" && !p.Role.IsOutput():
		return p.Label
	case p.Role == Captured:
		return "t"
	case p.Role == NextCarry:
		return "next"
	case p.Role == Output || p.Role == Scalar:
		return "out"
	default:
		return p.Role.String()
	}
}

// functionalForm is the functional op that an in-place op abbreviates: Add for AddInPlace; empty where there is none.
func functionalForm(op string) string {
	name, ok := strings.CutSuffix(op, "InPlace")
	if !ok {
		return ""
	}
	return name
}
