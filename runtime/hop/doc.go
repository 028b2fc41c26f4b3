// Package hop computes with tensors and with functional control flow over them.
//
// A [Tensor] is a window on a storage; functional methods (a.Add(b)) return fresh tensors, methods ending in InPlace
// write. A higher-order operator (HOP) such as [Scan] takes a function, its body, and runs it many times. The body must
// not write what it is given or captures, and must not return memory that shares storage with it: what a write would
// mean differs from step to step. The contract is checked twice, by the hoplint command before the program runs and
// here while it runs, with the same codes (HOP101 …) and the same sentences.
//
// Bodies run traced unless [Stepwise] is given: the body is called once on tensors without data, what it does becomes a
// graph, the contract is checked on the graph, and the graph is compiled and run. Arguments of HOPs are pytrees: a
// *Tensor, an [Int], [None], or a struct with exported fields, slice, array or string-keyed map of pytrees. A nil *Tensor
// stays nil and is part of the structure. A field of bool, integer, float or string type tagged `hop:"static"` is no leaf:
// it passes unchanged, belongs to the signature of a compiled function, and must be equal between carry and next carry. A
// field tagged `hop:"-"` is left out and has its zero value in the body. Anything else is refused (HOP202), with its path.
//
// Ops and HOPs panic with an *[Error] on misuse, as matrix packages do, so that formulas stay formulas; [Try] turns the
// panic into an error.
//
// # How it is built
//
//	user code ── methods ──▶ fast.go, dispatch.go, write.go ──▶ kernels (runtime/internal/kernels)
//	                │                 │ a traced operand
//	                │                 └──▶ trace.go ──▶ tracer: graph, versions, storages
//	                └─ HOPs: scan.go, branches.go, loops.go, map.go, … ──▶ execute.go ─┬─ traced: trace_hop.go ──▶ run_graph.go
//	                                                                                   └─ Stepwise: stepwise.go
//	run_graph.go ─┬─ a plan of the executor (runtime/internal/exec)
//	              └─ op by op (interpret*.go), when an operand requires grad or carries an observer;
//	                 operators that have a derivative as graphs (derivative.go) run by that
//	tape.go, backward.go, vjp.go: what Backward walks; derivative.go, *_gradient.go: derivatives of operators; linear.go, grad.go: the functional family on top of it
//	program.go, compile.go: functions that are traced once
//	op.go and ops_*.go are the op table; methods_gen.go, api.txt and the tests over all ops are derived from it.
//
//	int.go, sym_*.go: integers of a trace, open sizes; see below
//
// What decides where an op runs is its operands: there is no mode. A traced tensor knows its trace, a tensor of a
// stepwise run its tag, a tensor that needs a gradient its place on the tape.
//
// # Open sizes
//
// A program traced with [DynamicDims] or [WithDims] has symbols for sizes. They live in the metas of traced tensors; a
// traced tensor's own shape holds the sizes of the example, which [Tensor.Dim], Shape and NumElems hand out at the price of
// a guard, and [Tensor.SymDim] does not. Shape rules decide about symbols by the example and leave a guard where they had
// a choice (infer_sizes.go).
//
// A call binds the symbols from its argument, checks the guards, and puts the sizes in place; every op is checked again
// with constants, so what a trace took for granted is never more than a message. The graph that is left is planned like
// any other and kept for the next call with these sizes (sym_sizes.go). For the executor integers are int64 scalars and
// guards on data are ops that fail (sym_lower.go). Where a size depends on data, as after [Tensor.Nonzero], the graph runs
// op by op, with plans for the operators whose sizes are known by then (sym_interpret.go). A graph without symbols takes
// none of these turns.
//
// A derivative that is recorded into a graph is built of open sizes; that of a loop fixes them by guards instead.
//
// # What the runtime cannot see
//
// An op whose operands are all captured concrete tensors does not meet a tensor of the body, so nothing tells it that a
// body is running: it runs at once, once for each trace (traced) or in every step (Stepwise). What it computes is a
// constant of the trace. What it writes is reported (HOP104) when the written tensor itself meets a tensor of the body
// at any time of the run, and is not taken back; when it does not, as in
//
//	w.AddScalarInPlace(1)
//	v := w.Clone()
//	return c.Add(x.Mul(v)), …
//
// the two modes differ and nothing is reported. [Data] of a captured tensor is such a write. The hoplint command finds such writes before the program runs. Another
// goroutine's write to a captured tensor may be reported as the body's.
package hop
