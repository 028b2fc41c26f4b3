package hopcheck

import "slices"

// Severity is how a finding is shown.
type Severity uint8

const (
	Error Severity = iota
	Warning
	Info
)

// String returns "error", "warning" or "info".
func (s Severity) String() string { return [...]string{"error", "warning", "info"}[s] }

// Rule is one row of the rule catalogue.
type Rule struct {
	Code Code
	// Name reads after "allow": //hop:allow mutated-captured -- reason.
	Name     string
	Severity Severity
	// Since is the first release that has the rule.
	Since string
	// Static and Dynamic say who finds it: the analyzer, the runtime.
	Static, Dynamic bool
	// OptIn names the flag that switches a static rule on; empty when it is always on.
	OptIn string
	// Summary is one line, lower case.
	Summary string
	// Why says what goes wrong.
	Why string
	// Remedy says what to do instead.
	Remedy string
	// Fix describes the automatic fix; empty where none is safe.
	Fix string
}

// Rules returns the catalogue in the order of the codes. The caller may change the result.
func Rules() []Rule { return slices.Clone(rules) }

// RuleFor returns the rule with the given code.
func RuleFor(c Code) (Rule, bool) {
	for _, r := range rules {
		if r.Code == c {
			return r, true
		}
	}
	return Rule{}, false
}

// FindRule returns the rule whose code or name is s, e.g. "HOP101" or "mutated-carry".
func FindRule(s string) (Rule, bool) {
	for _, r := range rules {
		if string(r.Code) == s || r.Name == s {
			return r, true
		}
	}
	return Rule{}, false
}

const (
	fixFunctional = "rewrites the in-place call to its functional form and rebinds the result, or clones the value first where rebinding would change what the body returns; a body of another package, or one that may have other callers, is handed a copy at the operator's call"
	fixClone      = "inserts .Clone() on the returned expression"
)

var rules = []Rule{
	{Code: MutatedCarry, Name: "mutated-carry", Since: "0.1", Static: true, Dynamic: true, Fix: fixFunctional,
		Summary: "body writes its carry",
		Why: "Only the first step's write would reach the caller's init; later steps write to intermediates that nobody else sees. " +
			"Gradients use the value before the write, and a traced graph disagrees with a step-by-step run.",
		Remedy: "build the next carry from functional ops, or update init before the loop"},
	{Code: MutatedX, Name: "mutated-x", Since: "0.1", Static: true, Dynamic: true, Fix: fixFunctional,
		Summary: "body writes its slice of xs",
		Why: "The slice is a window on the caller's data. A write changes xs while the loop still reads it, and with a reversed or " +
			"batched loop the order of these writes is not what the program says.",
		Remedy: "build a new tensor from x with functional ops, or return it as y"},
	{Code: MutatedOperand, Name: "mutated-operand", Since: "0.1", Static: true, Dynamic: true, Fix: fixFunctional,
		Summary: "body writes an operand or an element",
		Why: "Whether the write happens depends on which branch runs or in which order elements are combined; the caller's tensor " +
			"then holds a value that no line of the program asked for.",
		Remedy: "return the new value as a result instead of writing the operand"},
	{Code: MutatedCaptured, Name: "mutated-captured", Since: "0.1", Static: true, Dynamic: true,
		Summary: "body writes a tensor that it captured",
		Why: "A captured tensor is the same tensor in every step. A write makes each step depend on how often the body ran before, " +
			"which a traced graph runs once and a step-by-step run every time.",
		Remedy: "carry the tensor through the operator and return its next value"},

	{Code: CarryMismatch, Name: "carry-mismatch", Since: "0.1", Static: true, Dynamic: true,
		Summary: "next carry differs from carry, or two branches differ, in structure, shape or dtype",
		Why: "The next step receives what this one returned. If the type changed, the loop has no fixed type and no storage " +
			"can be planned for it.",
		Remedy: "give both the same structure, shape and dtype"},
	{Code: UnsupportedLeaf, Name: "unsupported-leaf", Since: "0.1", Static: true, Dynamic: true,
		Summary: "a pytree type holds something that is neither tensor, hop.Int nor a container of them",
		Why: "Operators flatten their arguments into tensors and build them up again. A value that is no tensor would be lost or " +
			"shared between steps.",
		Remedy: "use *hop.Tensor leaves in structs with exported fields, slices, arrays or string-keyed maps; tag other fields hop:\"static\" or hop:\"-\""},

	{Code: OutputAliasesInput, Name: "output-aliases-input", Since: "0.1", Static: true, Dynamic: true, Fix: fixClone,
		Summary: "an output shares storage with an input of the body",
		Why: "The operator may reuse the memory of its inputs for the next step, so an output that is a window on one changes after " +
			"it was returned. In a traced graph it cannot be told from a copy, so modes disagree.",
		Remedy: "return a copy with Clone"},
	{Code: OutputsAlias, Name: "outputs-alias", Since: "0.1", Static: true, Dynamic: true, Fix: fixClone,
		Summary: "two outputs share storage",
		Why:     "A later write to one result would change the other, and the next step's carry would be overwritten together with a stacked y.",
		Remedy:  "clone all but one of them"},
	{Code: OutputAliasesCaptured, Name: "output-aliases-captured", Since: "0.1", Static: true, Dynamic: true, Fix: fixClone,
		Summary: "an output shares storage with a captured tensor",
		Why: "The result would be a window on a tensor of the surrounding program: a later write to either changes both, and every " +
			"step would return the same memory.",
		Remedy: "return a copy with Clone"},

	{Code: SideEffect, Name: "side-effect", Since: "0.1", Static: true,
		Summary: "body writes Go state that outlives it",
		Why: "A traced body runs once, a stepwise one many times, a compiled one never again: a counter, map or slice outside the " +
			"body counts something different in each.",
		Remedy: "return the value as y or carry it"},
	{Code: LeakedTensor, Name: "leaked-tensor", Since: "0.1", Static: true, Dynamic: true,
		Summary: "a tensor made in the body or handed to it is stored outside",
		Why:     "While a body is traced its tensors have no data; one that is kept and used later belongs to a trace that has ended.",
		Remedy:  "return the tensor as an output of the body"},
	{Code: NondeterministicBody, Name: "nondeterministic-body", Since: "0.1", Static: true,
		Summary: "body reads the clock, a random source, the environment, or does I/O other than printing",
		Why: "What was read while tracing is frozen into the graph and reused in every step and every later call. A random source that was " +
			"made outside of the body is meant, seeded or not; one that the body makes from a constant seed draws the same numbers anyway.",
		Remedy: "pass the value in as an operand; for random numbers pass a key and use hop.Uniform or hop.Normal"},
	{Code: ConcurrentBody, Name: "concurrent-body", Since: "0.1", Static: true,
		Summary: "body starts a goroutine, locks, or waits on a channel",
		Why:     "A trace belongs to one goroutine; what another one does with its tensors is lost or recorded in the wrong place.",
		Remedy:  "do the concurrent work outside the body"},
	{Code: StaleCapture, Name: "stale-capture", Since: "0.1", Static: true, Dynamic: true,
		Summary: "a value that a compiled function captured is written after it was compiled",
		Why: "The compiled program keeps what it saw while tracing, so the new value is silently ignored. At run time tensors alone are " +
			"watched, by their versions: a plain Go value that the function captured is for the analyzer.",
		Remedy: "pass the value in as an operand"},

	{Code: DataDependentControlFlow, Name: "data-dependent-control-flow", Since: "0.1", Static: true, Dynamic: true,
		Summary: "a body reads the value of a tensor that depends on its inputs",
		Why:     "While a body is traced there is no value to read, and a Go branch on it would be frozen into the graph.",
		Remedy:  "use Cond, WhileLoop or Where, or run the operator with hop.Stepwise()"},
	{Code: SpecialisedDimension, Name: "specialised-dimension", Severity: Info, Since: "0.1", Static: true, Dynamic: true, OptIn: "info",
		Summary: "Int.Value fixes a dynamic dimension in the graph",
		Why:     "The graph then serves that one size and is traced anew for each other.",
		Remedy:  "compute with hop.Int instead of its value"},
	{Code: DiscardedResult, Name: "discarded-result", Since: "0.1", Static: true,
		Fix:     "assigns the result to the local variable whose method was called, where it is used again",
		Summary: "the result of a functional op is dropped",
		Why:     "A functional op leaves its receiver as it is, so the statement does nothing.",
		Remedy:  "assign the result"},

	{Code: StaleSavedTensor, Name: "stale-saved-tensor", Since: "0.1", Static: true, Dynamic: true,
		Summary: "a tensor saved for backward was written before backward",
		Why:     "The gradient would be computed from the new value and be wrong without a sign.",
		Remedy:  "write to a clone, or run Backward first"},
	{Code: InPlaceOnLeaf, Name: "in-place-on-leaf", Since: "0.1", Static: true, Dynamic: true,
		Fix:     "writes the leaf through Detach, where nobody uses the result of the write",
		Summary: "in-place write to a leaf that requires grad",
		Why:     "The leaf's gradient would belong to a value that no longer exists.",
		Remedy:  "update it outside the tape, e.g. w.Detach().SubInPlace(g)"},

	{Code: CallbackBreaksContract, Name: "callback-breaks-contract", Severity: Warning, Since: "0.1", Static: true, OptIn: "contracts",
		Fix:     "copies a slice of plain values at the top of the function that writes it",
		Summary: "a callback breaks the documented contract of the library that calls it",
		Why:     "The library goes on computing with the argument that the callback changed.",
		Remedy:  "work on a copy of the argument"},

	{Code: BadDirective, Name: "bad-directive", Since: "0.1", Static: true,
		Summary: "a //hop: directive is malformed, unused, or suppresses without a reason",
		Why:     "A directive that is not understood protects nothing, and a suppression without reason cannot be reviewed.",
		Remedy:  "correct or remove it"},
	{Code: BrokenClaim, Name: "broken-claim", Since: "0.1", Static: true,
		Summary: "a function's //hop: claim is refuted by its body",
		Why:     "Callers rely on the claim.",
		Remedy:  "correct the claim or the body"},
	{Code: UnprovedBody, Name: "unproved-body", Severity: Warning, Since: "0.1", Static: true, OptIn: "strict",
		Summary: "a body or callee cannot be resolved, so nothing is proved",
		Why:     "Code that the analyzer cannot see may write or keep what it is handed.",
		Remedy:  "declare its effects with //hop: directives or pass a function that can be resolved"},
}
