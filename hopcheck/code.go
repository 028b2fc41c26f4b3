package hopcheck

// Code identifies a rule. Codes never change meaning and are never reused. A Code is an error, so that
// errors.Is(err, hopcheck.MutatedCarry) finds it in a run-time error.
type Code string

// The codes, in the order of the rule table.
const (
	MutatedCarry    Code = "HOP101"
	MutatedX        Code = "HOP102"
	MutatedOperand  Code = "HOP103"
	MutatedCaptured Code = "HOP104"

	CarryMismatch   Code = "HOP201"
	UnsupportedLeaf Code = "HOP202"

	OutputAliasesInput    Code = "HOP301"
	OutputsAlias          Code = "HOP302"
	OutputAliasesCaptured Code = "HOP303"

	SideEffect           Code = "HOP401"
	LeakedTensor         Code = "HOP402"
	NondeterministicBody Code = "HOP403"
	ConcurrentBody       Code = "HOP404"
	StaleCapture         Code = "HOP405"

	DataDependentControlFlow Code = "HOP501"
	SpecialisedDimension     Code = "HOP502"
	DiscardedResult          Code = "HOP503"

	StaleSavedTensor Code = "HOP601"
	InPlaceOnLeaf    Code = "HOP602"

	CallbackBreaksContract Code = "HOP701"

	BadDirective Code = "HOP901"
	BrokenClaim  Code = "HOP902"
	UnprovedBody Code = "HOP903"
)

// Error returns the code and its name, e.g. "HOP101 mutated-carry".
func (c Code) Error() string {
	if r, ok := RuleFor(c); ok {
		return string(c) + " " + r.Name
	}
	return string(c)
}

// MutationCode returns the code for a write to a tensor of the given role.
func MutationCode(r Role) Code {
	switch r {
	case Carry:
		return MutatedCarry
	case X:
		return MutatedX
	case Captured:
		return MutatedCaptured
	default:
		return MutatedOperand
	}
}

// AliasCode returns the code for an output that shares storage with a place of the given role.
func AliasCode(with Role) Code {
	switch {
	case with == Captured:
		return OutputAliasesCaptured
	case with.IsOutput():
		return OutputsAlias
	default:
		return OutputAliasesInput
	}
}
