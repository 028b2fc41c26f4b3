package ssaflow

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// RootKind says where memory comes from.
type RootKind uint8

// The kinds of roots.
const (
	// Unknown is memory nothing is known of: results of unseen code.
	Unknown RootKind = iota
	// Param is a parameter; the receiver is parameter 0, as in go/ssa.
	Param
	// FreeVar is a captured variable, or the receiver of a bound method.
	FreeVar
	// Global is a package-level variable.
	Global
	// Fresh is memory made by the function: an allocation or the result of a call. Equal indices in one summary are one object.
	Fresh
	// SlotResult is a result of a call that the caller resolves: Index is the position in Summary.Slots.
	SlotResult
	// Func is a function, code without memory: Index is the position in Summary.Funcs.
	Func
	// TypeArg is a type argument, of which a method is called: Index is the position among the type parameters.
	TypeArg
)

// Root is the start of a path to memory.
type Root struct {
	Kind  RootKind
	Index int
	// Result is the number of the result, for SlotResult.
	Result int
	// Global is the variable; nil when it belongs to a package that only facts speak of.
	Global types.Object
	// Name names a global in text and in facts: "path.Var".
	Name string
}

// Ref names memory: a location, or the object that a location points to; see the package documentation for paths.
type Ref struct {
	Root Root
	Path string
}

// Fields returns the path as users write it: ".H", "[]", without the steps that follow pointers.
func (r Ref) Fields() string { return strings.ReplaceAll(r.Path, "*", "") }

// same reports whether two refs name the same memory.
func (r Ref) same(o Ref) bool { return r.Path == o.Path && r.Root.same(o.Root) }

func (r Root) same(o Root) bool {
	return r.Kind == o.Kind && r.Index == o.Index && r.Result == o.Result && r.Name == o.Name
}

// StepKind says what happened at one step of a witness.
type StepKind uint8

// The kinds of steps.
const (
	// Enter is where the memory enters the function: the declaration of the parameter or captured variable.
	Enter StepKind = iota
	// View is a call whose result is, or shares storage with, an argument.
	View
	// Pass is a call that hands the value to the callee in which the following steps happen.
	Pass
	// Stored is where the value is kept in other memory.
	Stored
	// Written is the write itself.
	Written
	// Handed is where the value is given to code that cannot be seen.
	Handed
	// Returned is the return statement.
	Returned
	// Made is the allocation or call that made a fresh object.
	Made
	// Did is an effect on the outside world.
	Did
)

// Step is one step on the way from where memory enters a function to what happens to it.
type Step struct {
	Kind StepKind
	// Pos is the position; token.NoPos for steps in other packages and in code without positions.
	Pos token.Pos
	// Where is file:line for steps in other packages, the file behind the import path of its package.
	Where string
	// Callee is the function called, as the user writes it (AddInPlace), or the name of the parameter for Enter.
	Callee string
}

// EffectKind says how memory is changed.
type EffectKind uint8

// The kinds of effects.
const (
	// Write changes an opaque object, e.g. the storage of a tensor.
	Write EffectKind = iota
	// Store changes a location in Go memory that a pointer, slice or map leads to: p.H = x, xs[i] = x, delete(m, k).
	Store
	// Rebind assigns a captured or package-level variable, or a part of it.
	Rebind
	// Append may write into the capacity behind a slice.
	Append
	// Unseen hands memory to code that cannot be seen and might write it.
	Unseen
)

// Effect is one change of memory that was there before the call.
type Effect struct {
	Ref  Ref
	Kind EffectKind
	// Op is the terminal operation: AddInPlace, store, append, copy, delete, clear, send; the callee for Unseen.
	Op string
	// Definite is false for memory handed to unseen code.
	Definite bool
	// Witness leads from the root to the effect.
	Witness []Step
	// Stored is what the operation puts there, by the path below Ref, if Told is set. Facts do not tell it: what memory holds at
	// the end of a function of another package is among the stores.
	Stored []Leaf
	Told   bool
	// Below is true where several effects are told as one: what was changed may also be any memory that Ref leads to.
	Below bool

	stored value
}

// Origin is memory that a value may refer to.
type Origin struct {
	Ref Ref
	// View is true when the value came through a call that made a view of Ref.
	View bool
	// Unique is true when the origin stands for one object at run time, so that equal origins are equal objects.
	Unique bool
	// Deep is true for fresh memory of which all that it leads to is fresh as well.
	Deep bool
	// Twice is true at a place that stands for many elements, when two of them hold the origin.
	Twice bool
	// MayTwice is true where it is not known whether two of them do.
	MayTwice bool
	// Witness leads from the root to the value.
	Witness []Step

	// typ is the type of pointers to fresh memory, or of the boxed value; dyn the dynamic type of an interface value. Facts lack
	// both.
	typ, dyn                     types.Type
	boxed, moved, clipped, short bool
	// resliced is true for memory that slices of several lengths lead to.
	resliced bool
	// age and via tell origins apart that cannot be one object at one time, see ref.
	age int
	via edge
}

// Type is the type of the value, as far as the origin knows it: that of a pointer to memory made here, or the dynamic type of an
// interface value; nil otherwise, and in facts.
func (o Origin) Type() types.Type {
	if o.dyn != nil {
		return o.dyn
	}
	return o.typ
}

// Shares reports whether two values with origins o and p refer to one object whenever both origins hold.
func (o Origin) Shares(p Origin) bool {
	return o.Unique && p.Unique && o.age == p.age && !o.via.beside(p.via) && o.MayShare(p)
}

// MayShare reports whether two values with origins o and p may refer to one object: an origin that stands for many objects
// may be the same one twice, and a loop may have carried one object to two places.
func (o Origin) MayShare(p Origin) bool {
	return !o.via.excludes(p.via) && o.Ref.Root.Kind != Unknown && o.Ref.Root.Kind != Func && objectOf(o.Ref).same(objectOf(p.Ref))
}

// Excludes reports whether only one of two origins holds at one time: they come over different edges of one merge.
func (o Origin) Excludes(p Origin) bool { return o.via.excludes(p.via) }

// objectOf drops the inline steps behind the last pointer.
func objectOf(r Ref) Ref {
	if i := strings.LastIndexByte(r.Path, '*'); i >= 0 {
		r.Path = r.Path[:i+1]
	} else {
		r.Path = ""
	}
	return r
}

// Leaf is one pointer-like part of a value and what it may refer to. Of a result of type State, ".H" is a leaf.
type Leaf struct {
	Path    string
	Origins []Origin
}

// Fields returns the path as users write it.
func (l Leaf) Fields() string { return strings.ReplaceAll(l.Path, "*", "") }

// Return is one return statement. It exists only in the package that was analysed, not in facts.
type Return struct {
	Pos     token.Pos
	Results [][]Leaf
	// Stores are what Summary.Stores are, at this statement. Fresh memory has numbers of its own there and in Results.
	Stores []StoreRow
}

// StoreRow says what a location refers to when the function returns. The origins of a location that may be unchanged include
// what it referred to before. Dst with a Fresh root describes the inside of fresh memory.
type StoreRow struct {
	Dst     Ref
	Origins []Origin
	Pos     token.Pos
	// All is true where Dst is an element of memory that was there on entry, and each of its elements was replaced.
	All bool
}

// SlotRow is a call of a function or method that only the caller of the summarised function knows.
type SlotRow struct {
	// Callee is the function value, or the receiver when Method is set. Where it is a type argument the receiver is the first of Args.
	Callee Ref
	// Method is the method called on an interface or on a value of a type parameter.
	Method string
	// Func is the interface method itself, when known.
	Func *types.Func
	// Args are the leaves of each argument, without receiver.
	Args [][]Leaf
	// Types are those of the arguments, where a row tells them; facts do not.
	Types []types.Type
	// Always is true when every call of the summarised function makes this call, Repeats when one call can make several.
	Always, Repeats bool
	// Pos is the call.
	Pos token.Pos
	// Name is how the source names the function.
	Name string

	// home is the package of an unexported method in a fact.
	home *types.Package
	// way leads to the call when a callee left it to the summarised function.
	way []Step
}

// FlagKind is an effect on the outside world.
type FlagKind uint8

// The kinds of flags.
const (
	// Clock reads the time or waits for it.
	Clock FlagKind = iota
	// Rand reads random numbers that the program does not seed.
	Rand
	// IO reads or writes files, connections or processes.
	IO
	// Env reads or changes the environment of the process.
	Env
	// Goroutine starts one.
	Goroutine
	// Channel sends, receives, selects or closes.
	Channel
	// Lock takes or waits for a lock.
	Lock
	// Unsafe converts through unsafe.Pointer.
	Unsafe
	// Reflect changes or calls through reflection.
	Reflect
	// GlobalWrite changes package-level state that has no name here; variables are told as effects.
	GlobalWrite
	// Print writes to the terminal or a log.
	Print
	// Unresolved is a call of a function that could not be found.
	Unresolved
	// Blind is a change of memory of which is not known where it comes from, though all calls were found: what recover returns, what a
	// pool or a context holds, what an address points to.
	Blind
)

// Flag is one effect on the outside world, with its way.
type Flag struct {
	Kind    FlagKind
	Op      string
	Witness []Step
}

// Summary is what a caller can observe of a function.
type Summary struct {
	// Name is the function, as a user writes it.
	Name string
	// Where is file:line of the declaration or, in a row for one op, of the operation; empty when unknown.
	Where string
	// NoReturn is true for functions that never return normally.
	NoReturn bool
	// Recovers is true for functions that recover where what they call for their caller panics.
	Recovers bool
	// Top is true when nothing is known: every argument is handed to unseen code.
	Top bool
	// Effects are sorted by the order in which the function makes them.
	Effects []Effect
	// Results are the leaves of each result, joined over all return statements.
	Results [][]Leaf
	// Returns are the return statements one by one; empty in facts.
	Returns []Return
	Stores  []StoreRow
	Slots   []SlotRow
	Flags   []Flag
	// Funcs are the functions that origins of kind Func refer to.
	Funcs []FuncRow
	// objects caches what origins say of fresh objects, see freshObject.
	objects map[int]Origin
	// once caches the effects that differ, see toldOnce.
	once []Effect
	// fset tells the positions of the package that was analysed, whose import path is pkg.
	fset *token.FileSet
	pkg  string
	// names are the parameters and free variables as the source calls them, for text.
	names map[Root]string
	// bound is true for wrappers of bound methods: free variable 0 is the receiver itself and no variable's address.
	bound bool
	// prints is true for functions that print to the writer they are given.
	prints bool
}

// Quiet reports whether a summary says no more than that the function was analysed.
func (s *Summary) Quiet() bool {
	if s.Top || s.NoReturn || len(s.Effects)+len(s.Stores)+len(s.Slots)+len(s.Flags) > 0 {
		return false
	}
	for _, leaves := range s.Results {
		if len(leaves) > 0 {
			return false
		}
	}
	return true
}

// FuncRow is a function that a summary refers to: an origin with root Func and this index, or the code of the closure that is
// the fresh object Object.
type FuncRow struct {
	Name string
	// Object is the index of the fresh closure object; -1 for plain functions.
	Object  int
	Summary *Summary

	fn       *ssa.Function
	instance *ssa.Function // of the generic function fn
	// targs are the type arguments; params tells which of them are type parameters of the function that the summary is of, by
	// numbers from 1.
	targs  []types.Type
	params []int
	// ofType is true for a method of the dynamic type of the fresh object Object, which an interface holds; its receiver is the object,
	// or what it holds where it is a box.
	ofType, boxed bool
}
