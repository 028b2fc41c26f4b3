package analyzer

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/ssaflow"
)

// storagePlace names the storage of a tensor within one function: the value that it comes from, and the fields and elements below it.
// Two values with equal places certainly share one storage; nothing is said of others.
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
	// ofLists is set where a place may be that of some element of a list, see isList.
	ofLists bool
	fixed   map[string]bool // fields and elements that keep what they hold, by type and name
	open    map[ssa.Value]bool
	work    int
}

const (
	maxFollow = 64   // steps from a value to where it comes from
	maxPlaces = 2000 // steps to all of the places of one value
)

// places follows a value through views, variables, fields and elements to where its storage can come from: the value has one of them.
func (s *storages) places(v ssa.Value) []storagePlace {
	if list, ok := s.placesAt(v, nil); ok {
		return list
	}
	return []storagePlace{{root: v}}
}

// placesAt are the places of the tensor that lies at a path below a value.
func (s *storages) placesAt(v ssa.Value, path []string) ([]storagePlace, bool) {
	s.work = 0
	list, ok := s.at(v, path, 0)
	return list, ok && len(list) > 0
}

// place is the only place of a value, or the value itself.
func (s *storages) place(v ssa.Value) storagePlace {
	if list := s.places(v); len(list) == 1 && !list[0].isList() {
		return list[0]
	}
	return storagePlace{root: v}
}

// at finds the places of the tensor that lies at a path below a value; the path goes through pointers. It fails where that is not
// known.
func (s *storages) at(v ssa.Value, path []string, depth int) (list []storagePlace, ok bool) {
	if s.work++; depth > maxFollow || s.work > maxPlaces {
		return nil, false
	}
	switch v := v.(type) {
	case *ssa.ChangeType:
		return s.at(v.X, path, depth+1)
	case *ssa.Slice:
		if v.Low == nil {
			return s.at(v.X, path, depth+1)
		}
	case *ssa.Field:
		return s.at(v.X, prepended(fieldName(v.X.Type(), v.Field), path), depth+1)
	case *ssa.Index:
		return s.at(v.X, prepended(indexStep(v.Index), path), depth+1)
	case *ssa.Lookup:
		return s.at(v.X, prepended(indexStep(v.Index), path), depth+1)
	case *ssa.Phi:
		return s.merged(v, path, depth)
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr:
		return s.behind(v, path, depth+1)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if list, ok := s.behind(v.X, path, depth+1); ok {
				return list, true
			}
		}
	case *ssa.MakeMap:
		return s.assigned(v, path, depth)
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.Lookup:
			return s.at(tuple, path, depth+1)
		case *ssa.Next: // of a range over a map
			if all, ok := tuple.Iter.(*ssa.Range); ok && v.Index == 2 {
				if _, isMap := all.X.Type().Underlying().(*types.Map); isMap {
					return s.at(all.X, prepended("[]", path), depth+1)
				}
			}
		case *ssa.Call:
			if list, ok := s.returned(tuple, v.Index, path, depth); ok && s.unchanged(v, path) {
				return list, true
			}
		}
	case *ssa.Call:
		if arg := s.viewed(v); arg != nil && len(path) == 0 {
			return s.at(arg, nil, depth+1)
		}
		if list, ok := s.returned(v, 0, path, depth); ok && s.unchanged(v, path) {
			return list, true
		}
	case *ssa.Const:
		return nil, true // no tensor at all
	}
	if !s.keeps(v, path) {
		return nil, false
	}
	return []storagePlace{{v, strings.Join(path, "")}}, true
}

// prepended puts a step before a path.
func prepended(step string, path []string) []string { return append([]string{step}, path...) }

func fieldName(t types.Type, i int) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return "." + t.Underlying().(*types.Struct).Field(i).Name()
}

// indexStep is the step to an element: with its index where that is a constant.
func indexStep(index ssa.Value) string {
	if c, ok := index.(*ssa.Const); ok && c.Value != nil {
		return "[" + c.Value.ExactString() + "]"
	}
	return "[]"
}

// meets reports whether two steps can lead to one place.
func meets(a, b string) bool {
	return a == b || a[0] == '[' && b[0] == '[' && (a == "[]" || b == "[]")
}

// merged are the places of what one of several ways brings.
func (s *storages) merged(v *ssa.Phi, path []string, depth int) (list []storagePlace, ok bool) {
	if !s.enter(v) {
		return nil, true
	}
	defer delete(s.open, v)
	for _, e := range v.Edges {
		more, ok := s.at(e, path, depth+4)
		if !ok {
			return nil, false
		}
		list = joined(list, more)
	}
	return list, true
}

// enter reports whether a variable is met for the first time on a way; around a loop it is what it was.
func (s *storages) enter(v ssa.Value) bool {
	if s.open == nil {
		s.open = map[ssa.Value]bool{}
	}
	first := !s.open[v]
	s.open[v] = true
	return first
}

func joined(list, more []storagePlace) []storagePlace {
	for _, p := range more {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// behind finds the places of the tensor at a path below what an address or pointer leads to.
func (s *storages) behind(address ssa.Value, path []string, depth int) ([]storagePlace, bool) {
	switch v := address.(type) {
	case *ssa.FieldAddr:
		return s.behind(v.X, prepended(fieldName(v.X.Type(), v.Field), path), depth+1)
	case *ssa.IndexAddr:
		return s.behind(v.X, prepended(indexStep(v.Index), path), depth+1)
	case *ssa.Alloc:
		if list, ok := s.assigned(v, path, depth); ok {
			return list, true
		}
		if !s.keeps(v, path) {
			return nil, false
		}
		return []storagePlace{{v, strings.Join(path, "")}}, true
	case *ssa.FreeVar:
		values, ok := capturedValues(v)
		if !ok {
			return nil, false
		}
		var list []storagePlace
		for _, val := range values {
			more, ok := s.at(val, path, depth+4)
			if !ok {
				return nil, false
			}
			list = joined(list, more)
		}
		return list, true
	case *ssa.Global:
		return nil, false
	}
	if len(path) == 0 {
		return nil, false
	}
	return s.at(address, path, depth+1)
}

// assigned are the places of all that is assigned to a part of a local variable, array or map; it fails where something else may be.
func (s *storages) assigned(variable ssa.Value, path []string, depth int) (list []storagePlace, ok bool) {
	if !s.enter(variable) {
		return nil, true
	}
	defer delete(s.open, variable)
	f := &assignments{storages: s, want: path, seen: map[ssa.Value]bool{}}
	if !f.follow(variable, nil) {
		return nil, false
	}
	for _, found := range f.list {
		more, ok := s.at(found.value, found.rest, depth+4)
		if !ok {
			return nil, false
		}
		list = joined(list, more)
	}
	return list, len(f.list) > 0
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

// keeps reports whether what lies below a value stays the same for as long as the function runs: nothing in the function assigns the
// fields on the path, and the struct is handed to nobody who does. Elements are kept by lists alone.
func (s *storages) keeps(v ssa.Value, path []string) bool {
	return (s.ofLists || !slices.ContainsFunc(path, func(step string) bool { return step[0] == '[' })) && s.unchanged(v, path)
}

// unchanged is keeps with elements.
func (s *storages) unchanged(v ssa.Value, path []string) bool {
	t := v.Type()
	for _, step := range path {
		if t == nil {
			return false
		}
		p := t
		_, isPointer := t.Underlying().(*types.Pointer)
		if isPointer || step[0] == '[' {
			key := t.String() + step
			known, ok := s.fixed[key]
			if !ok {
				known = s.neverAssigned(s.fn, p, step)
				if s.fixed == nil {
					s.fixed = map[string]bool{}
				}
				s.fixed[key] = known
			}
			if !known {
				return false
			}
		}
		t, _ = typeAt(t, step)
	}
	return true
}

func (s *storages) neverAssigned(fn *ssa.Function, pointer types.Type, step string) bool {
	assigned := map[ssa.Value]bool{} // struct variables that are set once, where they are declared
	again := func(variable ssa.Value) bool {
		_, local := variable.(*ssa.Alloc)
		before := assigned[variable]
		assigned[variable] = true
		return !local || before
	}
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			switch v := instr.(type) {
			case *ssa.Store:
				if f, ok := v.Addr.(*ssa.FieldAddr); ok && types.Identical(f.X.Type(), pointer) && step[0] == '.' && fieldName(pointer, f.Field) == step && again(f.X) {
					return false
				}
				if e, ok := v.Addr.(*ssa.IndexAddr); ok && types.Identical(e.X.Type(), pointer) && step[0] == '[' {
					return false
				}
				if types.Identical(v.Addr.Type(), pointer) && again(v.Addr) {
					return false
				}
			case *ssa.MapUpdate:
				if types.Identical(v.Map.Type(), pointer) && step[0] == '[' {
					return false
				}
			case ssa.CallInstruction:
				for i, arg := range v.Common().Args {
					if types.Identical(arg.Type(), pointer) && s.mayAssign(v.Common(), i, []string{step}) {
						return false
					}
				}
			}
		}
	}
	for _, inner := range fn.AnonFuncs {
		if !s.neverAssigned(inner, pointer, step) {
			return false
		}
	}
	return true
}

// mayAssign reports whether a call may assign what lies at a path below an argument, or keeps the argument for code that may.
func (s *storages) mayAssign(common *ssa.CallCommon, arg int, path []string) bool {
	if b, ok := common.Value.(*ssa.Builtin); ok {
		return slices.Contains([]string{"append", "copy", "clear", "delete"}, b.Name())
	}
	sum, runtime := s.summary(common)
	if runtime {
		return false
	}
	if sum == nil || sum.Top || len(sum.Slots) > 0 {
		return true
	}
	given := func(ref ssaflow.Ref) bool { return ref.Root.Kind == ssaflow.Param && ref.Root.Index == arg }
	for _, e := range sum.Effects {
		if given(e.Ref) && e.Kind != ssaflow.Write && (e.Kind == ssaflow.Unseen || prefixes(steps(e.Ref.Path), path)) {
			return true
		}
	}
	return slices.ContainsFunc(sum.Stores, func(row ssaflow.StoreRow) bool {
		return row.Dst.Root.Kind != ssaflow.Fresh && slices.ContainsFunc(row.Origins, func(o ssaflow.Origin) bool {
			return given(o.Ref) && len(steps(o.Ref.Path)) < len(path)
		})
	})
}

// prefixes reports whether the shorter of two paths can lead to what the longer one passes through.
func prefixes(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if !meets(a[i], b[i]) {
			return false
		}
	}
	return true
}

// steps are the fields and elements on a path of ssaflow, which has "*" where it follows a pointer.
func steps(path string) (list []string) {
	for path != "" {
		if path[0] == '*' {
			path = path[1:]
			continue
		}
		end := 1
		switch quoted := strings.HasPrefix(path, `["`); {
		case quoted:
			if key, err := strconv.QuotedPrefix(path[1:]); err == nil {
				end = 1 + len(key) + 1
			}
		default:
			for end < len(path) && !strings.ContainsRune(".[*#", rune(path[end])) {
				end++
			}
		}
		list, path = append(list, path[:end]), path[end:]
	}
	return list
}

// summary is what a called function does, and whether it belongs to the runtime, which assigns no Go memory that it is given.
func (s *storages) summary(common *ssa.CallCommon) (sum *ssaflow.Summary, runtime bool) {
	if object := calledObject(common); object != nil {
		if isRuntime(object.Pkg()) {
			return nil, true
		}
		if !common.IsInvoke() {
			return s.a.summaryOf(object), false
		}
	}
	if closure := s.closure(common.Value); closure != nil {
		fn, _ := closure.Fn.(*ssa.Function)
		return s.a.flow.Summary(fn), false
	}
	return nil, false
}

// closure is the function literal that a value certainly is.
func (s *storages) closure(v ssa.Value) *ssa.MakeClosure {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		if !isBoundMethod(v) {
			return v
		}
	case *ssa.UnOp:
		if val := heldBy(v.X); val != nil && v.Op == token.MUL {
			return s.closure(val)
		}
	}
	return nil
}

// written is a tensor that a call certainly writes: it has one of the places.
type written struct {
	// value is what the source hands over; places are those of the tensor, which may be a part of it.
	value  ssa.Value
	path   string
	places []storagePlace
	op     string
}

// writes are the tensors that a call writes. Where they are recorded, as for leaves that require grad, writes of helpers through
// Detach do not count.
func (s *storages) writes(common *ssa.CallCommon) (list []written) {
	fn := calledObject(common)
	if fn != nil && isRuntime(fn.Pkg()) && !common.IsInvoke() {
		claim, _ := s.a.model.claim(fn)
		for _, m := range claim.Mutates {
			if m.Path == "" && m.Param < len(common.Args) && isTensorPointer(common.Args[m.Param].Type()) {
				list = append(list, written{common.Args[m.Param], "", s.places(common.Args[m.Param]), fn.Name()})
			}
		}
		return list
	}
	sum, _ := s.summary(common)
	if sum == nil || sum.Top {
		return nil
	}
	for _, e := range sum.Effects {
		if e.Kind != ssaflow.Write || !e.Definite || !s.throughDetach && detached(e) {
			continue
		}
		path := steps(e.Ref.Path)
		switch i := e.Ref.Root.Index; e.Ref.Root.Kind {
		case ssaflow.Param:
			if i >= len(common.Args) {
				continue
			}
			if places, ok := s.placesAt(common.Args[i], path); ok {
				list = append(list, written{common.Args[i], e.Ref.Fields(), places, e.Op})
			}
		case ssaflow.FreeVar:
			closure := s.closure(common.Value)
			if closure == nil || i >= len(closure.Bindings) {
				continue
			}
			if places, ok := s.behind(closure.Bindings[i], path, 0); ok && len(places) > 0 {
				list = append(list, written{closure.Bindings[i], e.Ref.Fields(), places, e.Op})
			}
		}
	}
	return list
}

// detachedPrefix begins the names of operations that wrote through Detach, in facts, which do not keep the way to a write.
const detachedPrefix = "Detach()."

// detached reports whether a write came through Detach, so that nobody records it.
func detached(e ssaflow.Effect) bool {
	return strings.HasPrefix(e.Op, detachedPrefix) || slices.ContainsFunc(e.Witness, func(step ssaflow.Step) bool { return step.Callee == "Detach" })
}

// withDetach returns a summary as facts keep it: operations that wrote through Detach say so.
func withDetach(s *ssaflow.Summary) *ssaflow.Summary {
	if !slices.ContainsFunc(s.Effects, detached) {
		return s
	}
	out := *s
	out.Effects = slices.Clone(s.Effects)
	for i, e := range out.Effects {
		if e.Kind == ssaflow.Write && detached(e) && !strings.HasPrefix(e.Op, detachedPrefix) {
			out.Effects[i].Op = detachedPrefix + e.Op
		}
	}
	return &out
}
