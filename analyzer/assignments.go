package analyzer

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/ssaflow"
)

// assignments collects what is assigned to a part of a local variable, through every pointer to it that the function makes.
type assignments struct {
	*storages
	// want is the path to the part.
	want []string
	list []assignment
	seen map[ssa.Value]bool
}

// assignment is a value of which the wanted part lies at rest.
type assignment struct {
	value ssa.Value
	rest  []string
}

// follow goes through the uses of a pointer, slice or map that leads to the part of the variable at a path. It fails where the wanted
// part may be assigned out of sight.
func (f *assignments) follow(pointer ssa.Value, at []string) bool {
	if f.seen[pointer] {
		return true
	}
	f.seen[pointer] = true
	if len(f.seen) > 8*maxFollow || pointer.Referrers() == nil {
		return false
	}
	for _, user := range *pointer.Referrers() {
		if !f.use(user, pointer, at) {
			return false
		}
	}
	return true
}

func (f *assignments) use(user ssa.Instruction, pointer ssa.Value, at []string) bool {
	switch user := user.(type) {
	case *ssa.UnOp, *ssa.Lookup, *ssa.Range, *ssa.Return, *ssa.DebugRef, *ssa.BinOp:
		return true // read, or handed out when the function ends
	case *ssa.Store:
		if user.Addr == pointer {
			f.assign(user.Val, at)
			return user.Val != pointer
		}
		return f.kept(user.Addr, at)
	case *ssa.MapUpdate:
		if user.Map != pointer {
			return false
		}
		if step := append(at[:len(at):len(at)], indexStep(user.Key)); prefixes(step, f.want) {
			f.assign(user.Value, step)
		}
		return true
	case *ssa.FieldAddr:
		return f.part(user, append(at[:len(at):len(at)], fieldName(user.X.Type(), user.Field)))
	case *ssa.IndexAddr:
		return f.part(user, append(at[:len(at):len(at)], indexStep(user.Index)))
	case *ssa.Slice:
		return user.Low == nil && f.follow(user, at)
	case *ssa.Phi:
		return f.follow(user, at)
	case *ssa.ChangeType:
		return f.follow(user, at)
	case *ssa.MakeClosure:
		fn, _ := user.Fn.(*ssa.Function)
		for i, bound := range user.Bindings {
			if bound == pointer && (fn == nil || isBoundMethod(user) || !f.follow(fn.FreeVars[i], at)) {
				return false
			}
		}
		return true
	case ssa.CallInstruction:
		return f.called(user, pointer, at)
	}
	return false
}

// part follows the address of a part, if the wanted one can lie in it.
func (f *assignments) part(address ssa.Value, at []string) bool {
	return !prefixes(at, f.want) || f.follow(address, at)
}

// assign notes a value that is put at a path.
func (f *assignments) assign(value ssa.Value, at []string) {
	if len(at) <= len(f.want) && prefixes(at, f.want) {
		f.list = append(f.list, assignment{value, f.want[len(at):]})
	}
}

// kept follows a pointer that is put into a variable which is assigned once: what is read there is the pointer.
func (f *assignments) kept(address ssa.Value, at []string) bool {
	if heldBy(address) == nil {
		return false
	}
	for _, user := range *address.Referrers() {
		switch user := user.(type) {
		case *ssa.UnOp:
			if !f.follow(user, at) {
				return false
			}
		case *ssa.MakeClosure:
			fn := user.Fn.(*ssa.Function) // heldBy understood it
			for i, bound := range user.Bindings {
				if bound == address && !f.captured(fn.FreeVars[i], at) {
					return false
				}
			}
		}
	}
	return true
}

// captured follows the pointer that a captured variable holds.
func (f *assignments) captured(free *ssa.FreeVar, at []string) bool {
	for _, user := range *free.Referrers() {
		switch user := user.(type) {
		case *ssa.UnOp:
			if !f.follow(user, at) {
				return false
			}
		case *ssa.MakeClosure:
			fn, _ := user.Fn.(*ssa.Function)
			for i, bound := range user.Bindings {
				if bound == free && (fn == nil || !f.captured(fn.FreeVars[i], at)) {
					return false
				}
			}
		}
	}
	return true
}

// called reports whether a call leaves the wanted part alone.
func (f *assignments) called(call ssa.CallInstruction, pointer ssa.Value, at []string) bool {
	common := call.Common()
	for i, arg := range common.Args {
		if arg != pointer {
			continue
		}
		if f.mayAssign(common, i, f.want[min(len(at), len(f.want)):]) {
			return false
		}
		result, isValue := call.(*ssa.Call)
		if sum, _ := f.summary(common); isValue && sum != nil && returnsArgument(sum, i) && !f.follow(result, at) {
			return false
		}
	}
	return common.Value != pointer
}

// returnsArgument reports whether a result leads to an argument.
func returnsArgument(s *ssaflow.Summary, arg int) bool {
	return slices.ContainsFunc(s.Results, func(leaves []ssaflow.Leaf) bool {
		return slices.ContainsFunc(leaves, func(l ssaflow.Leaf) bool {
			return slices.ContainsFunc(l.Origins, func(o ssaflow.Origin) bool {
				return o.Ref.Root.Kind == ssaflow.Param && o.Ref.Root.Index == arg && len(steps(o.Ref.Path)) == 0
			})
		})
	})
}
