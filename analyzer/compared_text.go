package analyzer

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/ssaflow"
)

// Printing a tensor is allowed, also while a body is traced. A text of a tensor that is compared, looked up or taken apart decides
// what the program does as the value would: to make it is to read the tensor.

// Call returns what one call of a function reads beside what the function does.
func (d *dependence) Call(call ssa.CallInstruction, fn *types.Func, s *ssaflow.Summary) *ssaflow.Summary {
	tensor, ok := textOf(fn)
	if !ok || s == nil || s.Top {
		return s
	}
	value, ok := call.(*ssa.Call)
	if !ok {
		return s
	}
	if d.decides == nil {
		d.decides = map[*ssa.Call]bool{}
	}
	decides, known := d.decides[value]
	if !known {
		decides = d.isCompared(value, map[ssa.Value]bool{})
		d.decides[value] = decides
	}
	if !decides {
		return s
	}
	reads := *s
	reads.Effects = slices.Clone(s.Effects)
	for _, from := range values(tensor) {
		reads.Mutate(from.Ref, fn.Name())
	}
	return &reads
}

// textOf is the place of the tensors of which a function makes a text; ok is false for other functions.
func textOf(fn *types.Func) (tensor ssaflow.Ref, ok bool) {
	switch {
	case fn.Pkg() == nil:
	case fn.Pkg().Path() == "fmt" && slices.Contains([]string{"Sprint", "Sprintln"}, fn.Name()):
		return ssaflow.Place(0, "*[]*"), true
	case fn.Pkg().Path() == "fmt" && fn.Name() == "Sprintf":
		return ssaflow.Place(1, "*[]*"), true
	case isRuntime(fn.Pkg()) && fn.Name() == "String" && fn.Signature().Recv() != nil && isTensorPointer(fn.Signature().Recv().Type()):
		return ssaflow.Place(0, "*"), true
	}
	return tensor, false
}

// isText reports whether an operation makes a text of a tensor.
func isText(op string) bool {
	return slices.Contains([]string{"Sprint", "Sprintln", "Sprintf", "String"}, op)
}

// isCompared reports whether a text, or what was taken from it, decides something: it is compared or looked up.
func (d *dependence) isCompared(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] || v.Referrers() == nil {
		return false
	}
	seen[v] = true
	return slices.ContainsFunc(*v.Referrers(), func(user ssa.Instruction) bool {
		switch user := user.(type) {
		case *ssa.BinOp:
			return user.Op != token.ADD || d.isCompared(user, seen)
		case *ssa.If:
			return true
		case *ssa.Lookup:
			return user.Index == v || d.isCompared(user, seen)
		case *ssa.Phi, *ssa.ChangeType, *ssa.Convert, *ssa.Slice, *ssa.Index, *ssa.Extract:
			return d.isCompared(user.(ssa.Value), seen)
		case *ssa.Store:
			cell, ok := user.Addr.(*ssa.Alloc)
			if !ok || user.Val != v || cell.Comment == "varargs" {
				return false
			}
			return slices.ContainsFunc(*cell.Referrers(), func(use ssa.Instruction) bool {
				load, ok := use.(*ssa.UnOp)
				return ok && d.isCompared(load, seen)
			})
		case *ssa.Call:
			return d.takesApart(user, v, seen)
		case *ssa.Return:
			return d.callersCompare(user, v, seen)
		}
		return false
	})
}

// takesApart reports whether what a call makes of a text is compared: of the functions on texts, or in a function of the package.
func (d *dependence) takesApart(call *ssa.Call, text ssa.Value, seen map[ssa.Value]bool) bool {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return b.Name() == "len" && d.isCompared(call, seen)
	}
	fn := call.Call.StaticCallee()
	if fn == nil || fn.Pkg == nil || fn.Signature.Recv() != nil {
		return false
	}
	if slices.Contains([]string{"strings", "bytes", "strconv", "unicode/utf8"}, fn.Pkg.Pkg.Path()) {
		return d.isCompared(call, seen)
	}
	for i, arg := range call.Call.Args {
		if arg == text && i < len(fn.Params) && len(fn.Blocks) > 0 && d.isCompared(fn.Params[i], seen) {
			return true
		}
	}
	return false
}

// callersCompare reports whether all who call a function compare the text that it returns.
func (d *dependence) callersCompare(ret *ssa.Return, text ssa.Value, seen map[ssa.Value]bool) bool {
	fn := ret.Parent()
	object := declarationOf(fn)
	if object == nil || object.Exported() || d.callers == nil {
		return false
	}
	calls, all := d.callers().of(fn)
	if !all || len(calls) == 0 {
		return false
	}
	result := slices.Index(ret.Results, text)
	return !slices.ContainsFunc(calls, func(call ssa.CallInstruction) bool {
		value, ok := call.(*ssa.Call)
		if !ok {
			return true
		}
		got := resultOf(value, result)
		return got == nil || !d.isCompared(got, seen)
	})
}
