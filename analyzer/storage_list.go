package analyzer

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/ssaflow"
)

// Lists of tensors: what lies in those that functions return, and loops over all of their elements.

// returned finds the places of the tensor that lies at a path below a result of a call, where the summary of the called function tells
// that it comes from the arguments. It fails for tensors that the function makes.
func (s *storages) returned(call *ssa.Call, result int, path []string, depth int) (list []storagePlace, ok bool) {
	object := calledObject(call.Common())
	if object == nil || isRuntime(object.Pkg()) || call.Call.IsInvoke() {
		return nil, false
	}
	sum := s.a.summaryOf(object)
	if sum == nil || sum.Top || result >= len(sum.Results) {
		return nil, false
	}
	for _, leaf := range sum.Output(result) {
		at := steps(leaf.Path)
		if len(at) > len(path) || !prefixes(at, path) {
			continue
		}
		for _, o := range leaf.Origins {
			switch i := o.Ref.Root.Index; {
			case o.Ref.Root.Kind == ssaflow.Param && i < len(call.Call.Args):
				more, ok := s.at(call.Call.Args[i], append(steps(o.Ref.Path), path[len(at):]...), depth+4)
				if !ok {
					return nil, false
				}
				list = joined(list, more)
			case o.Ref.Root.Kind == ssaflow.Fresh && len(at) < len(path) && !o.Deep:
			default:
				return nil, false
			}
		}
	}
	return list, len(list) > 0
}

// isList reports whether a place is that of some element of a list, so that equal places may be different tensors.
func (p storagePlace) isList() bool { return strings.Contains(p.path, "[]") }

// ofList is the place of some element where a place is that of a certain one.
func (p storagePlace) ofList() storagePlace {
	list := steps(p.path)
	for i, step := range list {
		if step[0] == '[' {
			list[i] = "[]"
		}
	}
	p.path = strings.Join(list, "")
	return p
}

// lists are the storages where places may be those of some element of a list.
func (l *leaves) lists() *storages {
	s := storages{a: l.a, fn: l.fn, throughDetach: l.throughDetach, ofLists: true}
	return &s
}

// sweep is a loop that switches gradients on for all elements of a list: they are leaves behind it.
type sweep struct {
	header *ssa.BasicBlock
	places []storagePlace
}

// findSweeps finds the loops of a function that make leaves of all elements of a list.
func (l *leaves) findSweeps() {
	for _, block := range l.fn.Blocks {
		for _, instr := range block.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			if on, isSet := setRequiresGrad(call); !isSet || !on {
				continue
			}
			list, header := sweptList(call)
			if header == nil {
				continue
			}
			places, ok := l.members(list, 0)
			if ok && !slices.ContainsFunc(places, func(p storagePlace) bool { return !l.becomesLeaf(p) }) {
				l.sweeps = append(l.sweeps, sweep{header, places})
			}
		}
	}
}

// sweptList is the list of which a call is made with each element in turn, and the block that ends the loop.
func sweptList(call *ssa.Call) (list ssa.Value, header *ssa.BasicBlock) {
	load, ok := call.Call.Args[0].(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil, nil
	}
	element, ok := load.X.(*ssa.IndexAddr)
	if !ok {
		return nil, nil
	}
	header = countsAll(element.Index, element.X)
	if header == nil {
		return nil, nil
	}
	body := header.Succs[0]
	for _, latch := range header.Preds {
		if header.Dominates(latch) && !call.Block().Dominates(latch) {
			return nil, nil
		}
	}
	// The loop ends nowhere but at its head.
	seen := map[*ssa.BasicBlock]bool{header: true}
	work := []*ssa.BasicBlock{body}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if !body.Dominates(b) || len(b.Succs) == 0 {
			return nil, nil
		}
		work = append(work, b.Succs...)
	}
	return element.X, header
}

// countsAll is the block in which a loop asks whether its index is still one of the list, if the index takes all values from 0 on.
func countsAll(index, list ssa.Value) *ssa.BasicBlock {
	var phi *ssa.Phi
	first := int64(0)
	switch v := index.(type) {
	case *ssa.Phi:
		phi = v
	case *ssa.BinOp: // the index of a range loop is counted up before it is asked
		if p, ok := v.X.(*ssa.Phi); ok && v.Op == token.ADD && isConst(v.Y, 1) {
			phi, first = p, -1
		}
	}
	if phi == nil {
		return nil
	}
	header := phi.Block()
	for i, edge := range phi.Edges {
		if header.Dominates(header.Preds[i]) {
			next, ok := edge.(*ssa.BinOp)
			if !ok || next.Op != token.ADD || next.X != ssa.Value(phi) || !isConst(next.Y, 1) {
				return nil
			}
		} else if !isConst(edge, first) {
			return nil
		}
	}
	ask, ok := header.Instrs[len(header.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	cond, ok := ask.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.LSS || cond.X != index {
		return nil
	}
	if n, ok := arrayLen(list.Type()); ok && isConst(cond.Y, n) {
		return header
	}
	length, ok := cond.Y.(*ssa.Call)
	if !ok {
		return nil
	}
	if b, ok := length.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" || length.Call.Args[0] != list {
		return nil
	}
	return header
}

func isConst(v ssa.Value, n int64) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == constant.Int && c.Int64() == n
}

// arrayLen is the length of an array, or of one that a pointer leads to.
func arrayLen(t types.Type) (int64, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	array, ok := t.Underlying().(*types.Array)
	if !ok {
		return 0, false
	}
	return array.Len(), true
}

// members are the places of the elements of a list, each of which certainly is one: a list of a known length, one that a function returns
// with all of the given tensors in it, or one of which no more is known than that nobody changes it.
func (l *leaves) members(list ssa.Value, depth int) (places []storagePlace, ok bool) {
	element := func(step string) bool {
		at, ok := l.placesAt(list, []string{step})
		places = joined(places, at)
		return ok && len(at) == 1 && !at[0].isList()
	}
	switch v := list.(type) {
	case *ssa.Alloc, *ssa.Slice:
		array := list
		if slice, ok := v.(*ssa.Slice); ok {
			if array = slice.X; slice.Low != nil || slice.High != nil {
				return nil, false
			}
		}
		if n, ok := arrayLen(array.Type()); ok && n <= maxListed {
			for i := range n {
				if !element("[" + strconv.FormatInt(i, 10) + "]") {
					return nil, false
				}
			}
			return places, n > 0
		}
		return nil, false
	case *ssa.UnOp:
		if val := heldBy(v.X); val != nil && depth < maxFollow {
			return l.members(val, depth+1)
		}
	case *ssa.Call:
		if !l.tellsAll(v) {
			return nil, false
		}
		places, ok := l.placesAt(v, []string{"[]"})
		return places, ok && !slices.ContainsFunc(places, storagePlace.isList)
	}
	places, ok = l.lists().placesAt(list, []string{"[]"})
	return places, ok && len(places) == 1
}

// tellsAll reports whether a call returns a list in which all tensors lie that its summary names: each at an index of its own, or put
// there without a condition.
func (l *leaves) tellsAll(call *ssa.Call) bool {
	object := calledObject(call.Common())
	if object == nil || call.Call.IsInvoke() {
		return false
	}
	sum := l.a.summaryOf(object)
	if sum == nil || len(sum.Results) != 1 {
		return false
	}
	fn := l.a.flow.FuncOf(object)
	if fn != nil && len(fn.Blocks) == 1 {
		return true
	}
	for _, leaf := range sum.Output(0) {
		if at := steps(leaf.Path); len(at) > 1 || len(leaf.Origins) != 1 || len(at) == 1 && at[0] == "[]" {
			return false
		}
	}
	return true
}

// leafParams are the parts of a function's parameters that certainly are leaves when it returns, for it makes them such.
func (l *leaves) leafParams() (list []LeafResult) {
	first := true
	for _, block := range l.fn.Blocks {
		in, reached := l.in[block]
		if _, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return); !ok || !reached {
			continue
		}
		var here []LeafResult
		for p := range l.after(block, in, nil) {
			if i := slices.IndexFunc(l.fn.Params, func(v *ssa.Parameter) bool { return v == p.root }); i >= 0 {
				here = append(here, LeafResult{-1 - i, p.path})
			}
		}
		if first {
			list, first = here, false
			continue
		}
		list = slices.DeleteFunc(list, func(r LeafResult) bool { return !slices.Contains(here, r) })
	}
	slices.SortFunc(list, func(a, b LeafResult) int {
		if a.Result != b.Result {
			return b.Result - a.Result
		}
		return strings.Compare(a.Path, b.Path)
	})
	return list
}

// madeLeaves are the places that a call makes leaves of: parts of what it is given.
func (l *leaves) madeLeaves(call *ssa.Call) (list []storagePlace) {
	for _, made := range l.a.leafResults(call.Common()) {
		i := -1 - made.Result
		if i < 0 || i >= len(call.Call.Args) {
			continue
		}
		path := steps(made.Path)
		var places []storagePlace
		if n := len(path); n > 0 && path[n-1] == "[]" {
			if n > 1 {
				continue // a list below an argument is known to the function that made it
			}
			all, ok := l.members(call.Call.Args[i], 0)
			if !ok {
				continue
			}
			places = all
		} else if at, ok := l.placesAt(call.Call.Args[i], path); ok && len(at) == 1 && !at[0].isList() {
			places = at
		}
		for _, p := range places {
			if l.becomesLeaf(p) {
				list = append(list, p)
			}
		}
	}
	return list
}
