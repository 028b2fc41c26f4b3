// Package analyzer finds the functions that break the contract of a higher-order operator (HOP) before the program runs.
//
// A HOP of the runtime, such as hop.Scan, hands tensors to a user function, its body. The body must not write them and
// must not return memory that shares storage with them; package hopcheck says so in one table that the runtime reads
// too. This package finds the HOP calls of a Go package, the functions that can be their bodies and what these do to
// each of their inputs, and reports every breach with the code and the sentence that the runtime would use.
//
// What a function does to its arguments is computed by package ssaflow, which knows nothing of tensors. This package
// gives it the effects of functions that cannot be computed, as //hop: directives declare them, and stores the computed
// ones as facts, so that helpers in other packages are seen through.
//
// Two ways to drive it, never both in one driver:
//
//   - [Analyzers] is a core, named hoplint, which owns the facts and the flags, and one thin analyzer for each rule code,
//     so that a driver can switch rules off one by one.
//   - [Analyzer] reports all rules by itself, for drivers that take one analyzer.
//
// The parts, one file each:
//
//	analyzer.go    the analyzers and their flags
//	select.go      which rules a list of codes, names and patterns selects
//	core.go        one pass over a package: SSA, summaries, calls, findings
//	facts.go       what is remembered of a function for the packages that import it
//	directive.go   the //hop: vocabulary
//	model.go       effects that directives declare, in the terms of ssaflow
//	files.go       and those of the package that reads and writes files of tensors
//	call.go        which calls are HOP calls and what their bodies are
//	wrapper.go     functions that hand a parameter to a HOP are HOPs too
//	runner.go      function literals among them, and which functions a call that names none reaches
//	handed.go      operators, and objects with a body as a method, that functions are handed
//	mutation.go    HOP101 … HOP104
//	aliasing.go    HOP301 … HOP303
//	leaf.go, leaf_generic.go                     HOP202
//	carry_mismatch.go                            HOP201, from what meta.go, meta_eval.go and meta_call.go find out
//	meta_op.go     the rules of ops for dtypes and shapes; meta_global.go, meta_fact.go: through package variables and packages
//	side_effect.go, leak.go                      HOP401, HOP402
//	outside.go, nondeterministic.go, concurrent.go   HOP403, HOP404
//	stale_capture.go, stale_kept.go              HOP405
//	control_flow.go, dependence.go               HOP501, HOP502: what values are computed from; compared_text.go: texts of tensors
//	discarded.go   HOP503
//	leaf_write.go, saved.go                      HOP602, HOP601: in one function, with what helpers write, save and return (saved_flow.go)
//	storage.go, storage_list.go, assignments.go  where the storage of a tensor comes from, through fields and elements
//	stepwise.go    which calls run their bodies step by step
//	unproved.go    HOP903, in strict mode
//	operator_table.go   operators in tables that stay within the package
//	operator_value.go   HOP903 for operators that are used as values or reached through interfaces, in strict mode
//	operator_typearg.go   and through type arguments
//	captured.go    what a body does through functions that it captures
//	position.go    where a finding stands
//	fix_clone.go   .Clone() on what is returned
//	fix_write.go   the functional form of an in-place op, or a clone at the top of the body
//	suppress.go    //hop:allow
//	generated.go   files that programs wrote or rewrote
package analyzer
