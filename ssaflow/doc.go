// Package ssaflow computes effect summaries of Go functions: what a function does to the memory it was given, what its
// results share with that memory and with each other, and which effects on the outside world it has.
//
// It knows nothing of tensors. What it cannot see (functions of other packages, methods of interfaces, functions without a
// body) is asked from a [Model]; which pointer types stand for one indivisible object (a tensor and its storage) too.
//
// # Paths
//
// Memory is named from a [Root] by a path of steps: ".H" selects a field, "[0]" a constant index of a small array, or of a
// slice made here, `["k"]` a constant key of a map made here, "[]" any other element of an array, slice, map or channel, and
// "*" follows the pointer (slice, map, interface, function) that stands at the location so far. Of a parameter p *S, "*.H" is
// the field p.H, and "*.H*" is what that field points to. Of a parameter s S, ".H*" is what s.H points to. [Ref.Fields] gives
// the path as users write it, ".H" in all three cases.
//
// A captured variable is a variable of its own: of FreeVar(0), "" is the variable (writing it is [Rebind]), and "*" is what it
// points to. The receiver of a bound method is FreeVar(0) of its wrapper, also as a variable.
//
// # Method
//
// Function bodies in go/ssa form are interpreted forward, to a fixpoint, over an abstract store from (object, inline path) to
// sets of references, with strong updates where a reference names one object; functions are taken bottom-up over the strongly
// connected components of the call graph, and a call applies the summary of its callee. Summaries never hold graphs of the
// callee's inside: only what a caller can observe.
//
// A loop whose first test constants decide has its body behind it once it ends. A function value is summarised once in general,
// and again, on demand, for each place where it is met and its captured memory tells which functions it calls ([Result.InContext]).
package ssaflow
