package ssaflow

import (
	"go/types"
	"slices"
)

// Std returns what is known of a function or interface method of the standard library, or of an assembly kernel of gonum; nil
// when nothing is.
//
// What it does with its parameters is told by a row written by hand where reflection, assembly or a custom decide, else by the
// table that [Analyze] computed from the source of the library. Its effects on the outside world are told by name.
func Std(fn *types.Func) *Summary {
	fn = fn.Origin()
	s := handRow(fn)
	if s == nil {
		if s = tabled(fn); s == nil {
			return nil
		}
	}
	for _, kind := range stdFlags(fn) {
		if !slices.ContainsFunc(s.Flags, func(f Flag) bool { return f.Kind == kind }) {
			s.Does(kind, fn.Name())
		}
	}
	return s
}

// handRow is the summary that a row written by hand gives, without effects on the outside world, or nil.
func handRow(fn *types.Func) *Summary {
	if row, ok := stdRow(fn); ok {
		return rowSummary(fn, row)
	}
	return nil
}
