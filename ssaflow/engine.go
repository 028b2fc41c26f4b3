package ssaflow

import (
	"go/ast"
	"go/token"
	"go/types"
	"sort"

	"golang.org/x/tools/go/ssa"
)

// Model answers what the engine cannot compute from the package's own source.
type Model interface {
	// Summary returns what is known of a function of another package, of a function without a body, or of an interface method
	// called on an unknown value: from directives, facts or tables. It returns nil when nothing is known; arguments are then
	// handed to unseen code.
	Summary(fn *types.Func) *Summary
	// Opaque reports whether a pointer to t stands for one indivisible object: writing any part of it is writing the object.
	Opaque(t *types.Named) bool
}

// Calls is what a [Model] may answer as well: what one call does, where that is more than what its function does.
type Calls interface {
	// Call returns s, the summary of the function without a body in sight that a call names, or another one for this call.
	Call(call ssa.CallInstruction, fn *types.Func, s *Summary) *Summary
}

// Config is one type-checked package.
type Config struct {
	Fset  *token.FileSet
	Pkg   *types.Package
	Files []*ast.File
	Info  *types.Info
	// Model may be nil: then every other package is unseen.
	Model Model
	// FactsOnly leaves out what no importer can ask about: functions that only the tests of the package call, the content of package
	// variables that hold no functions, and which functions arguments of calls can be.
	FactsOnly bool
	// Terse leaves out all steps of witnesses but the last, and the return statements one by one: what messages tell and facts do not.
	Terse bool
}

// Problem is a panic that was contained: the function is treated as unseen.
type Problem struct {
	// Func is the function, or empty when the SSA form of the package could not be built.
	Func string
	Pos  token.Pos
	Err  string
}

// FuncValue is a function that a value can be.
type FuncValue struct {
	// Fn is the function when it belongs to this package (wrappers of methods included), or an external declaration.
	Fn *ssa.Function
	// Summary is what the function does; its FreeVar roots are the captured variables, of which Bindings are the origins in the
	// function that holds the value.
	Summary *Summary
	// Bindings are, for each free variable, the locations (for bound methods: the values) it was bound to.
	Bindings [][]Origin

	met *setting
}

// FuncSet is the set of functions that a value can be.
type FuncSet struct {
	Funcs []FuncValue
	// Origins are the places outside the function that the value can come from: a parameter, captured variable or global.
	Origins []Origin
	// Complete is true when Funcs holds every possible function.
	Complete bool
}

// Result is what was found in one package.
type Result struct {
	// Package is the SSA form; nil when it could not be built.
	Package *ssa.Package
	// Problems are the contained panics, sorted by function.
	Problems []Problem

	engine *engine
}

// Analyze builds the SSA form of a package and summarises every function, literals in package variables included.
func Analyze(cfg Config) *Result {
	res := &Result{}
	pkg, err := build(cfg)
	if err != nil {
		res.Problems = append(res.Problems, Problem{Err: err.Error()})
		return res
	}
	res.run(cfg, pkg)
	return res
}

// With summarises the functions of the package once more, with what another model says of the functions that they call. The SSA
// form is shared: calls and functions of one result are those of the other.
func (r *Result) With(m Model) *Result {
	res := &Result{Problems: append([]Problem(nil), r.Problems...)}
	if r.engine != nil {
		cfg := r.engine.cfg
		cfg.Model = m
		res.Problems = nil
		res.run(cfg, r.Package)
	}
	return res
}

// run summarises the functions of a package.
func (r *Result) run(cfg Config, pkg *ssa.Package) {
	r.Package = pkg
	r.engine = newEngine(cfg, pkg)
	r.engine.guardedRun()
	r.Problems = append(r.Problems, r.engine.problems...)
	sort.SliceStable(r.Problems, func(i, j int) bool { return r.Problems[i].Func < r.Problems[j].Func })
}

// Functions returns the source functions of the package, literals included, sorted by position.
func (r *Result) Functions() []*ssa.Function {
	if r.engine == nil {
		return nil
	}
	return r.engine.source
}

// Summary returns what a function of the package does, and nil for functions of other packages.
func (r *Result) Summary(fn *ssa.Function) *Summary {
	if r.engine == nil || fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return r.engine.done[fn]
}

// External returns what the model knows of a function of another package or of an interface method, with all paths spelled out; nil
// when it knows nothing.
func (r *Result) External(fn *types.Func) *Summary {
	if r.engine == nil {
		return nil
	}
	return r.engine.external(fn)
}

// FuncOf returns the SSA function of a declared function or method of the package, or nil. Of other packages it knows the methods,
// without bodies, and the functions that the package mentions.
func (r *Result) FuncOf(fn *types.Func) *ssa.Function {
	if r.engine == nil {
		return nil
	}
	fn = fn.Origin()
	if f := r.Package.Prog.FuncValue(fn); f != nil {
		return f
	}
	if recv := fn.Signature().Recv(); recv != nil && fn.Pkg() != r.Package.Pkg && !types.IsInterface(recv.Type()) {
		return r.engine.method(recv.Type(), fn)
	}
	return nil
}

// FuncsAt returns the functions that argument arg of a call can be, receiver counted as argument 0 as in go/ssa. A slice of
// functions stands for all of its elements.
func (r *Result) FuncsAt(call ssa.CallInstruction, arg int) FuncSet {
	return r.FuncsIn(call, arg, "")
}

// FuncsIn is FuncsAt for a function-typed field of an argument: path is ".Step" for an argument that is, or points to, a struct with
// a field Step.
func (r *Result) FuncsIn(call ssa.CallInstruction, arg int, path string) FuncSet {
	return r.funcsAt(setKey{call, arg, path})
}

// FuncsStored returns the functions that an assignment to a field can store.
func (r *Result) FuncsStored(store *ssa.Store) FuncSet { return r.funcsAt(setKey{at: store}) }

func (r *Result) funcsAt(key setKey) FuncSet {
	if r.engine == nil {
		return FuncSet{}
	}
	r.visit(key.at.Parent())
	return r.engine.funcsAt(key)
}
