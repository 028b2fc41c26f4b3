// Package tracer records what a Go function does with tensors into a graph.
//
// It knows metadata only: dtype, shape, which storage, how often it was written. Data stays with the caller, which tells
// a [SubgraphTracer] each operation as it happens and gets a [Value] back for each result.
//
//	                     root (the traced function)          body of a HOP (scan, cond …)
//	                     ┌───────────────────────────┐ Child ┌───────────────────────────┐
//	the caller's op      │ SubgraphTracer            │──────▶│ SubgraphTracer            │──▶ deeper bodies
//	───────────────────▶ │  Input Constant Literal   │       │  (the innermost open one  │
//	Emit View Write      │  Emit  View  Write        │◀──────│   is Current)             │
//	CallHOP              │  Int   Compare  Fix       │ Use   │                           │
//	                     └─────────────┬─────────────┘ lifts └─────────────┬─────────────┘
//	                             Close │ Graph, findings             Close │ Body, findings
//	                                   ▼                                   ▼
//	                     ┌───────────────────────────┐       ┌───────────────────────────┐
//	                     │ Graph                     │◀──────│ Graph on a HOP node       │
//	                     │  Inputs Constants Nodes   │CallHOP│  explicit inputs, then    │
//	                     │  Outputs Guards           │       │  lifted ones              │
//	                     └──┬─────────────┬──────────┘       └───────────────────────────┘
//	            String Text │ ▲ Parse     │ Verify (with the op set's shape rules)
//	                        ▼ │           ▼
//
// Graphs are functional. A write in the traced function gives the storage's base new contents: put_view nodes replace
// the views that lead to what was written, from the inside out, and other views are taken anew when they are used next.
// Versions and storages are counted on the way, so that at Close every broken clause of the body's contract is known:
// writes to what it was given or captured, outputs that share storage.
//
// A value of an outer tracer that a body uses is lifted: each tracer on the way makes one input for it, behind the
// inputs for the symbols of its sizes. A captured concrete tensor is a constant of the root and lifted from there.
//
// The parts, a file or two each:
//
//	trace.go adopt.go           SubgraphTracer: nesting, and roots that turn out to be inside another trace
//	value.go record.go lift.go  Value, Store; recording operations; use across tracers
//	call.go inline.go           operators with bodies; a graph recorded again inside another
//	close.go check.go finding.go  the end of a trace and what it found
//	env.go symbols.go           symbols of a trace, comparisons and guards; symbols as values
//	int.go expr.go cond.go replace.go  integers, their canonical form, conditions
//	graph.go meta.go attrs.go dtype.go literal.go  the data of a graph
//	print.go parse.go scanner.go  the text form, both ways
//	json.go json_read.go        the JSON form, both ways
//	dot.go html.go flow.go      pictures: Graphviz, a page, and the ways through bodies that both show
//	verify.go signature.go      what every graph must be; the layout of each operator
//	passes/                     a package of its own: what an executor makes of a graph before it runs it
//
// A trace belongs to one goroutine. Different traces share nothing that changes; a closed graph is not changed.
package tracer
