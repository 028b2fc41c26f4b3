package analyzer

import (
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// storagePlace names the storage of a tensor within one function: the value that it comes from, and fields below it. Two values with
// equal places certainly share one storage; nothing is said of others.
type storagePlace struct {
	root ssa.Value
	path string
}

// storages finds the places of values within one function.
type storages struct {
	a  *analysisOf
	fn *ssa.Function
	// throughDetach is set where writes count that nobody records.
	throughDetach bool
	fields        map[string]bool // fields of which every write is known to be none, by type and number
}

// place follows a value through views and variables that are assigned once to where its storage comes from.
func (s *storages) place(v ssa.Value) storagePlace { return s.follow(v, 0) }

const maxFollow = 64

func (s *storages) follow(v ssa.Value, depth int) storagePlace {
	if depth > maxFollow {
		return storagePlace{root: v}
	}
	switch v := v.(type) {
	case *ssa.ChangeType:
		return s.follow(v.X, depth+1)
	case *ssa.Call:
		if arg := s.viewed(v); arg != nil {
			return s.follow(arg, depth+1)
		}
	case *ssa.Phi:
		first := s.follow(v.Edges[0], depth+8)
		for _, e := range v.Edges[1:] {
			if s.follow(e, depth+8) != first {
				return storagePlace{root: v}
			}
		}
		return first
	case *ssa.UnOp:
		return s.loaded(v, depth)
	}
	return storagePlace{root: v}
}

// viewed is the argument of which the result of a call of the runtime certainly is a view, or which it is itself.
func (s *storages) viewed(call *ssa.Call) ssa.Value {
	fn := calledObject(call.Common())
	if fn == nil || !isRuntime(fn.Pkg()) || !s.throughDetach && fn.Name() == "Detach" || !isTensorPointer(call.Type()) {
		return nil
	}
	claim, _ := s.a.model.claim(fn)
	if len(claim.Returns) != 1 || claim.Returns[0].Fresh || len(claim.Returns[0].Views) != 1 {
		return nil
	}
	view := claim.Returns[0].Views[0]
	if view.Path != "" || view.Param >= len(call.Call.Args) || !isTensorPointer(call.Call.Args[view.Param].Type()) {
		return nil
	}
	return call.Call.Args[view.Param]
}

// loaded follows what is read from a variable that is assigned once, or from a field that the function never assigns.
func (s *storages) loaded(load *ssa.UnOp, depth int) storagePlace {
	switch x := load.X.(type) {
	case *ssa.Alloc:
		var values []ssa.Value
		if storesTo(x, &values) && len(values) == 1 {
			return s.follow(values[0], depth+1)
		}
	case *ssa.FieldAddr:
		if s.unassigned(x) {
			base := s.follow(x.X, depth+1)
			return storagePlace{base.root, base.path + "." + strconv.Itoa(x.Field)}
		}
	}
	return storagePlace{root: load}
}

// unassigned reports whether a field keeps its value for as long as the function runs: nothing in the function assigns it, and the
// struct is handed to nobody else.
func (s *storages) unassigned(field *ssa.FieldAddr) bool {
	t := field.X.Type().String()
	key := t + "." + strconv.Itoa(field.Field)
	known, ok := s.fields[key]
	if !ok {
		known = s.neverAssigned(s.fn, field.X.Type(), field.Field)
		if s.fields == nil {
			s.fields = map[string]bool{}
		}
		s.fields[key] = known
	}
	return known
}

func (s *storages) neverAssigned(fn *ssa.Function, pointer types.Type, number int) bool {
	assigned := map[ssa.Value]bool{} // struct variables that are set once, where they are declared
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			switch v := instr.(type) {
			case *ssa.Store:
				if f, ok := v.Addr.(*ssa.FieldAddr); ok && f.Field == number && types.Identical(f.X.Type(), pointer) {
					if _, local := f.X.(*ssa.Alloc); !local || assigned[f.X] {
						return false
					}
					assigned[f.X] = true
				}
				if types.Identical(v.Addr.Type(), pointer) {
					if _, local := v.Addr.(*ssa.Alloc); !local || assigned[v.Addr] {
						return false
					}
					assigned[v.Addr] = true
				}
			case ssa.CallInstruction:
				callee := calledObject(v.Common())
				if callee != nil && isRuntime(callee.Pkg()) {
					continue
				}
				for _, arg := range v.Common().Args {
					if types.Identical(arg.Type(), pointer) {
						return false
					}
				}
			}
		}
	}
	for _, inner := range fn.AnonFuncs {
		if !s.neverAssigned(inner, pointer, number) {
			return false
		}
	}
	return true
}

// writes are the arguments of a call whose storage it certainly writes, with the name of the operation.
func (s *storages) writes(common *ssa.CallCommon) (args []ssa.Value, op string) {
	fn := calledObject(common)
	if fn == nil || common.IsInvoke() || !isRuntime(fn.Pkg()) {
		return nil, ""
	}
	claim, _ := s.a.model.claim(fn)
	for _, m := range claim.Mutates {
		if m.Path == "" && m.Param < len(common.Args) && isTensorPointer(common.Args[m.Param].Type()) {
			args = append(args, common.Args[m.Param])
		}
	}
	return args, fn.Name()
}
