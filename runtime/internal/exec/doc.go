// Package exec runs traced graphs.
//
// A Program is bound once per layout of its inputs to an instance: every value gets a place in memory, every node
// becomes a closure over fixed addresses, and only what moves (a slice of xs, a row of ys, a carry that alternates
// between two buffers) has its address patched per step. A step therefore allocates nothing and looks nothing up.
// Instances are kept and used again, so concurrent runs do not share memory.
//
// The package knows windows of memory and graphs, not tensors, gradients or contracts; those are checked before.
package exec
