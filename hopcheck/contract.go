package hopcheck

import (
	"slices"
	"strconv"
)

// Contract is one row of the policy table: what a HOP lets its bodies do.
type Contract struct {
	// Name is the operator in messages and graphs, e.g. "scan".
	Name string
	// Func is the exported function of the runtime, e.g. "Scan".
	Func string
	// Bodies are the user functions that the HOP runs, in parameter order.
	Bodies []Body
	// Mutation says which input roles a body may write.
	Mutation Permissions
	// Aliasing says which output roles may share storage with inputs, captured tensors or other outputs.
	Aliasing Permissions
	// SameMeta lists the roles that must agree in structure, shape and dtype.
	SameMeta []MetaRule
	// Source says where the row comes from.
	Source string
}

// Body is one user function of a HOP.
type Body struct {
	// Param is the parameter of the HOP that receives the function.
	Param string
	// Words names the function in messages, e.g. "combine function".
	Words string
	// Variadic marks a parameter that holds a slice of functions (Switch's branches).
	Variadic bool
	// In and Out are the function's parameters and results, in order.
	In, Out []Slot
}

// Slot is one parameter or result of a body.
type Slot struct {
	Role  Role
	Label string // see Place.Label
}

// MetaRule says that a body's output of role Out must have structure, shape and dtype of its input of role In.
type MetaRule struct {
	In, Out Role
	Code    Code
}

// MayMutate reports whether a body may write inputs of role r.
func (c *Contract) MayMutate(r Role) bool { return c.Mutation[r] == Permit }

// MayAlias reports whether outputs of role r may share storage with anything else.
func (c *Contract) MayAlias(r Role) bool { return c.Aliasing[r] == Permit }

// Body returns the body with the given parameter name, or nil.
func (c *Contract) Body(param string) *Body {
	for i := range c.Bodies {
		if c.Bodies[i].Param == param {
			return &c.Bodies[i]
		}
	}
	return nil
}

// Contracts returns all rows, in a fixed order. The caller may change the result.
func Contracts() []*Contract { return slices.Clone(contracts) }

// ContractFor returns the row of the exported runtime function called fn, e.g. "Scan".
func ContractFor(fn string) (*Contract, bool) {
	for _, c := range contracts {
		if c.Func == fn {
			return c, true
		}
	}
	return nil, false
}

// ContractNamed returns the row of the operator called name in messages and graphs, e.g. "scan".
func ContractNamed(name string) (*Contract, bool) {
	for _, c := range contracts {
		if c.Name == name {
			return c, true
		}
	}
	return nil, false
}

// Segment returns the part of an operator path that stands for one run of a body: the operator, its step where it has
// steps, and which body where it has several, e.g. scan[2], cond.onTrue, switch.1, while_loop[3].cond. body counts the
// operator's functions from 0; a negative step stands for none.
func Segment(operator string, body, step int) string {
	s := operator
	if step >= 0 {
		s += "[" + strconv.Itoa(step) + "]"
	}
	c, ok := ContractNamed(operator)
	switch {
	case !ok || len(c.Bodies) == 0:
	case c.Bodies[0].Variadic:
		s += "." + strconv.Itoa(body)
	case len(c.Bodies) > 1 && body < len(c.Bodies):
		s += "." + c.Bodies[body].Param
	}
	return s
}

func slots(roles ...Role) []Slot {
	list := make([]Slot, len(roles))
	for i, r := range roles {
		list[i].Role = r
	}
	return list
}

func body(param, words string, ins, outs []Slot) Body {
	return Body{Param: param, Words: words, In: ins, Out: outs}
}

// operandRow is the row of a HOP with one body f(x) → y that sees explicit inputs only.
func operandRow(name, fn string, aliasing Permissions, source string) *Contract {
	return &Contract{Name: name, Func: fn, Mutation: forbidAll, Aliasing: aliasing, Source: source,
		Bodies: []Body{body("f", "function", slots(Operand), slots(Output))}}
}

// scalarRow is the row of an operator that differentiates f(x) → one number.
func scalarRow(name, fn string, more ...Slot) *Contract {
	c := operandRow(name, fn, scalarMayAlias, sourceStrict)
	c.Bodies[0].Out = append(slots(Scalar), more...)
	return c
}

const (
	sourceMutation = "pytorch #145298: mutation is decided by version counters and aliasing by storage, through any chain of views"
	sourceStrict   = "pytorch #149989, #185738: an operator that names no permission must get none"
)

var sameCarry = []MetaRule{{Carry, NextCarry, CarryMismatch}}

// A scalar loss that is its own input has a well-defined gradient, so what Grad differentiates may alias.
var scalarMayAlias = permit(Scalar)

var contracts = []*Contract{
	{Name: "scan", Func: "Scan", Mutation: forbidAll, Aliasing: forbidOutputs, SameMeta: sameCarry,
		Bodies: []Body{body("combine", "combine function", slots(Carry, X), slots(NextCarry, Y))},
		Source: "pytorch #158864: a write to init is visible for the first step only; writes to xs have no known use"},
	{Name: "associative_scan", Func: "AssociativeScan", Mutation: forbidAll, Aliasing: forbidOutputs,
		SameMeta: []MetaRule{{Element, Output, CarryMismatch}},
		Bodies:   []Body{body("combine", "combine function", []Slot{{Element, "left"}, {Element, "right"}}, slots(Output))},
		Source:   "pytorch #158864: the same slices are combined in an order that the operator chooses"},
	{Name: "cond", Func: "Cond", Mutation: forbidAll, Aliasing: forbidOutputs,
		SameMeta: []MetaRule{{Output, Output, CarryMismatch}},
		Bodies:   []Body{body("onTrue", "true branch", slots(Operand), slots(Output)), body("onFalse", "false branch", slots(Operand), slots(Output))},
		Source:   sourceMutation},
	{Name: "switch", Func: "Switch", Mutation: forbidAll, Aliasing: forbidOutputs,
		SameMeta: []MetaRule{{Output, Output, CarryMismatch}},
		Bodies:   []Body{{Param: "branches", Words: "branch", Variadic: true, In: slots(Operand), Out: slots(Output)}},
		Source:   sourceMutation},
	{Name: "while_loop", Func: "WhileLoop", Mutation: forbidAll, Aliasing: permit(Predicate), SameMeta: sameCarry,
		Bodies: []Body{body("cond", "cond function", slots(Carry), slots(Predicate)), body("body", "body function", slots(Carry), slots(NextCarry))},
		Source: "pytorch #145298; a predicate is read by the loop and never returned, so it may be part of the carry"},
	{Name: "for_loop", Func: "ForLoop", Mutation: forbidAll, Aliasing: forbidOutputs, SameMeta: sameCarry,
		Bodies: []Body{body("body", "body function", []Slot{{Operand, "index"}, {Carry, ""}}, slots(NextCarry))},
		Source: sourceMutation},
	{Name: "map", Func: "Map", Mutation: forbidAll, Aliasing: forbidOutputs,
		Bodies: []Body{body("f", "function", slots(X), slots(Y))}, Source: sourceMutation},
	{Name: "vmap", Func: "VMap", Mutation: forbidAll, Aliasing: forbidOutputs,
		Bodies: []Body{body("f", "function", slots(X), slots(Y))}, Source: sourceMutation},
	operandRow("checkpoint", "Checkpoint", forbidOutputs, "pytorch #124866: a recomputed body must not have effects"),
	operandRow("subgraph", "Subgraph", forbidOutputs, "pytorch #156449: one body serves many calls, so it may not write their inputs"),
	{Name: "custom_vjp", Func: "CustomVJP", Mutation: forbidAll, Aliasing: permit(Residual),
		Bodies: []Body{body("fwd", "forward function", slots(Operand), slots(Output, Residual)),
			body("bwd", "backward function", []Slot{{Operand, "residual"}, {Operand, "cotangent"}}, []Slot{{Output, "gradient"}})},
		Source: "residuals are kept by the operator and never returned, so they may share storage with x and y"},
	operandRow("trace", "Trace", forbidOutputs, sourceStrict),
	operandRow("compile", "Compile", forbidOutputs, sourceStrict),
	operandRow("compile", "NewCompiled", forbidOutputs, sourceStrict),
	scalarRow("grad", "Grad"),
	scalarRow("value_and_grad", "ValueAndGrad"),
	scalarRow("value_and_grad_aux", "ValueAndGradAux", Slot{Output, "aux"}),
	operandRow("vjp", "VJP", forbidOutputs, sourceStrict),
	operandRow("jvp", "JVP", forbidOutputs, sourceStrict),
	operandRow("jacobian", "Jacobian", forbidOutputs, sourceStrict),
	scalarRow("hessian", "Hessian"),
	scalarRow("check_grad", "CheckGrad"),
	operandRow("with_observer", "WithObserver", forbidOutputs, sourceStrict),
}
