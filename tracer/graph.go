package tracer

import (
	"go/token"
)

// Graph is what one trace recorded: a list of nodes in order, each used only after it was made. It has no effects:
// in-place operations of the traced function appear in functional form.
type Graph struct {
	Name string
	// Inputs are the placeholders: explicit inputs first, lifted ones behind, each tensor's symbols before it.
	Inputs []*Node
	// Constants are captured concrete tensors; only a root graph has them. They are no arguments of a call.
	Constants []*Node
	// Nodes are the operations, in execution order.
	Nodes []*Node
	// Outputs are inputs, constants or nodes, in order.
	Outputs []*Node
	// Guards are what the trace assumed of symbolic sizes.
	Guards []Guard

	ops OpSet // shape rules of the ops that the graph may use; nil in a graph just parsed
}

// Guard is one assumption on symbolic sizes and where it was made.
type Guard struct {
	// Cond is the condition, e.g. s0 == s1.
	Cond Cond
	Pos  token.Position
}

// Node is one value of a graph.
type Node struct {
	// Name is unique in the graph.
	Name string
	// Op is the operation: the name of an op, of a HOP, or one of the Op… constants.
	Op string
	// Args are the inputs, made before the node.
	Args []*Node
	// Attrs are the parameters that are no tensors.
	Attrs Attrs
	// Graphs are the bodies of a HOP.
	Graphs []*Graph
	// Meta describes the value.
	Meta Meta
	// Pos is the user's call that made the node.
	Pos token.Position

	// While the trace is open: the value that the node shows, and when it was recorded, from the clock of the root.
	value *Value
	stamp uint64
}

// Operations that every graph knows; all others are named by the op table of the runtime or by hopcheck's contracts.
const (
	OpInput    = "input"    // a placeholder
	OpConstant = "constant" // a captured concrete tensor
	OpLiteral  = "literal"  // a tensor with known bytes, made while tracing: attribute "value" is a *Literal
	OpGet      = "get"      // one part of a tuple: attribute "index"
	OpSize     = "size"     // the size of a tensor along attribute "dim", as an integer
	OpInt      = "int"      // the integer expression of its meta, computed from args
	OpPut      = "put_view" // args base, value: base with the view given by attribute "view" and its parameters replaced
)

// OpSet gives a graph the shape rules of the ops that it uses.
type OpSet interface {
	// Infer returns what the op makes of arguments with the given metas. It knows the plain ops; the tracer knows
	// the operations above and the HOPs. A size that depends on data is [AnyInt]. An unknown op is an error.
	Infer(op string, args []Meta, attrs Attrs) (Meta, error)
}
