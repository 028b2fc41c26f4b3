// Package exec runs traced graphs, after the passes of package tracer/passes have taken work out of a copy of them.
// [Program.Plan] is the text of what runs.
//
// A Program is bound once per layout of its inputs to an instance: every value gets a place in memory, every node
// becomes a closure over fixed addresses, and only what moves (a slice of xs, a row of ys, a carry that alternates
// between two buffers) has its address patched per step. A step therefore allocates nothing and looks nothing up.
// Instances are kept and used again, so concurrent runs do not share memory.
//
// A node is computed as seldom as its arguments change: before a loop when they do not change in it. A branch, and the
// body of a while loop, may not run at all; what is computed seldom for them waits until they run for the first time
// (scope.go). Loops over scalars whose ops cannot fail run in strips of steps (strips.go), those of elementwise ops on
// rows without movers (scan_rows.go); maps and associative scans run on batches of elements where each op of the body has
// a batch that gives each element its own value (batch.go). Elements of a value that nobody reads any more are replaced
// where it lies (update.go). What cannot fail and does not change in a loop has left it before, by a pass; the levels of
// this package are for what may fail.
//
// The package knows windows of memory and graphs, not tensors, gradients or contracts; those are checked before.
package exec
