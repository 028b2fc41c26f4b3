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
// *Tensor, [None], or a struct with exported fields, slice, array or string-keyed map of pytrees.
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
// What decides where an op runs is its operands: there is no mode. A traced tensor knows its trace, a tensor of a
// stepwise run its tag, a tensor that needs a gradient its place on the tape.
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
