package exec

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// Error is a failure of one node at run time.
type Error struct {
	// Node is the node's name in its graph, Op its operation, Pos the user's call that made it.
	Node, Op string
	Pos      token.Position
	// Step is the step of the innermost loop around the node, -1 outside of loops.
	Step int
	// Path are the HOPs around the node, outermost first.
	Path []Frame
	// Err is what the kernel reported.
	Err error

	node *tracer.Node
}

// Frame is one HOP around a failed node.
type Frame struct {
	// HOP is the operator, e.g. "scan", Node the name of its node, Pos the user's call of it.
	HOP, Node string
	Pos       token.Position
	// Body is the index of the body that failed among the node's graphs.
	Body int
	// Step is the step that failed, -1 for an operator without steps.
	Step int

	node *tracer.Node
}

// String returns the operator with its step and, when it has several bodies, which: scan[2], cond.onTrue, switch.1,
// while_loop[3].cond.
func (f Frame) String() string {
	if f.HOP == "while_sweeps" { // the gradient of a while loop
		return hopcheck.Segment("while_loop", min(f.Body, 1), f.Step)
	}
	return hopcheck.Segment(f.HOP, f.Body, f.Step)
}

// Error renders position, path and cause, e.g. "ema.go:12:3: scan[2]: div (n4): integer division by zero; …".
func (e *Error) Error() string {
	var b strings.Builder
	if e.Pos.IsValid() {
		fmt.Fprintf(&b, "%s: ", e.Pos)
	}
	for i, f := range e.Path {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(f.String())
	}
	if len(e.Path) > 0 {
		b.WriteString(": ")
	}
	fmt.Fprintf(&b, "%s (%s): %v", e.Op, e.Node, e.Err)
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// hasSteps reports whether an operator runs its bodies step by step.
func hasSteps(op string) bool {
	switch op {
	case "scan", "map", "vmap", "associative_scan", "while_loop", "while_sweeps", "for_loop":
		return true
	}
	return false
}

func failed(n *tracer.Node, err error) *Error {
	return &Error{Node: n.Name, Op: n.Op, Pos: n.Pos, Step: -1, Err: err, node: n}
}

// inside adds the HOP node, its body and its step around an error.
func inside(n *tracer.Node, body, step int, err error) error {
	e, ok := err.(*Error)
	if !ok {
		e = failed(n, err)
	}
	if e.Step < 0 {
		e.Step = step
	}
	e.Path = append([]Frame{{HOP: n.Op, Node: n.Name, Pos: n.Pos, Body: body, Step: step, node: n}}, e.Path...)
	return e
}
