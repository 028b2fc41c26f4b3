// Package passes rewrites graphs so that they compute the same with less work.
//
// What a graph says about the user's program was judged when its trace ended: which input it writes, what its outputs
// share. A pass therefore never runs on a graph that was not judged, and never changes the graph that a user sees;
// [Optimise] works on a copy.
//
//	traced graph ──copy──▶ inline ▶ constants ▶ … ▶ dead code ▶ order ──▶ graph for an executor
//	                          ▲___________________________│ until nothing changes
//
// The same values, bit for bit: no pass reorders the sums of a float, drops a NaN or turns -0 into 0. The same
// failures: what can fail is computed as often, under the same conditions and behind the same other failures as before.
// The same storage, as far as somebody can see it: what an operator returns is its own memory whatever its body returns,
// so copies inside of bodies go; the outputs of a root graph share nothing that they did not share before.
//
// The parts:
//
//	table.go         the passes in order, with the reason for each place
//	ops.go           what the passes ask of an op table
//	optimise.go      copies, rounds until nothing changes, where nodes come from
//	sweep.go         rewriting the nodes of one graph in order
//	layout.go        arguments, inputs and results of operators; taking some away, adding lifted ones
//	inline.go unroll.go constants.go turns.go identities.go views.go clones.go common.go carries.go lifted.go hoist.go
//	choose.go dead.go order.go   one pass each
//
// A pass gives again what it was given once it has nothing to do: run twice it prints the same as run once.
package passes
