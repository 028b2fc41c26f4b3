package analyzer

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// evaluator finds what is known of values, from the value back to what it was made of. Memory is followed for variables of the
// function that nobody else can write: the stores that reach a load, along every path. What would need more than that is not known.
type evaluator struct {
	*analysisOf
	// given are the inputs of the body and of the functions that it calls.
	given map[ssa.Value]tree
	memo  map[ssa.Value]tree
	open  map[ssa.Value]bool
	depth int
	work  int
}

const (
	// maxEvalDepth is the number of calls into functions of the package.
	maxEvalDepth = 4
	// maxEvalWork bounds the values and blocks that are looked at for one HOP call.
	maxEvalWork = 4000
)

func (a *analysisOf) newEvaluator() *evaluator {
	return &evaluator{analysisOf: a, given: map[ssa.Value]tree{}, memo: map[ssa.Value]tree{}, open: map[ssa.Value]bool{}}
}

// of is what is known of a value.
func (e *evaluator) of(v ssa.Value) tree {
	if t, ok := e.given[v]; ok {
		return t
	}
	if t, ok := e.memo[v]; ok {
		return t
	}
	e.work++
	if e.open[v] || e.work > maxEvalWork {
		return tree{} // a value that comes around a loop
	}
	e.open[v] = true
	t := e.value(v)
	delete(e.open, v)
	if len(e.open) == 0 || t.kind != anyTree {
		e.memo[v] = t
	}
	return t
}

func (e *evaluator) value(v ssa.Value) tree {
	switch v := v.(type) {
	case *ssa.Const:
		return constTree(v)
	case *ssa.Call:
		return e.call(v, 0)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return e.call(call, v.Index)
		}
	case *ssa.Phi:
		var out tree
		for i, x := range v.Edges {
			t := e.of(x)
			if i == 0 {
				out = t
			} else {
				out = out.join(t)
			}
			if out.kind == anyTree {
				return tree{}
			}
		}
		return out
	case *ssa.ChangeType:
		return e.of(v.X)
	case *ssa.Field:
		if s, ok := v.X.Type().Underlying().(*types.Struct); ok {
			return e.of(v.X).kid(s.Field(v.Field).Name())
		}
	case *ssa.Index:
		if i, ok := intConst(v.Index); ok {
			return e.of(v.X).elem(i)
		}
	case *ssa.Lookup:
		if c, ok := v.Index.(*ssa.Const); ok && !v.CommaOk && c.Value != nil && c.Value.Kind() == constant.String {
			return e.of(v.X).kid(constant.StringVal(c.Value))
		}
	case *ssa.Slice:
		if v.Low == nil && v.High == nil && v.Max == nil {
			if cell, ok := v.X.(*ssa.Alloc); ok {
				return e.at(v, cell, "", cell.Type().Underlying().(*types.Pointer).Elem())
			}
		}
	case *ssa.MakeMap:
		return e.mapLiteral(v)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return e.load(v)
		}
	case *ssa.BinOp:
		return e.sum(v)
	}
	return tree{}
}

// sum is a number that was counted up or down: what a static field must not hold.
func (e *evaluator) sum(v *ssa.BinOp) tree {
	a, errA := strconv.ParseInt(e.of(v.X).static, 10, 32)
	b, errB := strconv.ParseInt(e.of(v.Y).static, 10, 32)
	if errA != nil || errB != nil {
		return tree{}
	}
	switch v.Op {
	case token.ADD:
		return tree{kind: staticTree, static: strconv.FormatInt(a+b, 10)}
	case token.SUB:
		return tree{kind: staticTree, static: strconv.FormatInt(a-b, 10)}
	}
	return tree{}
}

// constTree is a nil tensor or slice, or the value of a static field.
func constTree(c *ssa.Const) tree {
	switch u := c.Type().Underlying().(type) {
	case *types.Pointer:
		if c.IsNil() && isTensorPointer(c.Type()) {
			return tree{kind: nilTree}
		}
	case *types.Slice:
		if c.IsNil() {
			return tree{kind: listTree}
		}
	case *types.Map:
		if c.IsNil() {
			return tree{kind: mapTree}
		}
	case *types.Basic:
		if c.Value == nil {
			break
		}
		switch {
		case u.Info()&types.IsString != 0:
			return tree{kind: staticTree, static: strconv.Quote(constant.StringVal(c.Value))}
		case u.Info()&(types.IsInteger|types.IsBoolean) != 0:
			return tree{kind: staticTree, static: c.Value.ExactString()}
		}
	}
	return tree{}
}

// zeroTree is the zero value of a type of pytrees.
func zeroTree(t types.Type) tree {
	if isTensorPointer(t) {
		return tree{kind: nilTree}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return structOf(u, func(f *types.Var) tree { return zeroTree(f.Type()) })
	case *types.Array:
		if u.Len() <= maxListed {
			out := tree{kind: listTree}
			for range u.Len() {
				out.kids = append(out.kids, zeroTree(u.Elem()))
			}
			return out
		}
	case *types.Slice:
		return tree{kind: listTree}
	case *types.Map:
		return tree{kind: mapTree}
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return tree{kind: staticTree, static: `""`}
		case u.Info()&types.IsInteger != 0:
			return tree{kind: staticTree, static: "0"}
		case u.Info()&types.IsBoolean != 0:
			return tree{kind: staticTree, static: "false"}
		}
	}
	return tree{}
}

// maxListed is the number of elements that are told apart.
const maxListed = 32

// structOf is a struct of which each field is known by itself; fields that belong to no pytree are left out.
func structOf(s *types.Struct, field func(*types.Var) tree) tree {
	out := tree{kind: structTree}
	for i := range s.NumFields() {
		if strings.Contains(s.Tag(i), `hop:"-"`) {
			continue
		}
		out.names = append(out.names, s.Field(i).Name())
		out.kids = append(out.kids, field(s.Field(i)))
	}
	return out
}

func intConst(v ssa.Value) (int64, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(c.Value))
}

// load is what a variable, or a part of one, holds at a load.
func (e *evaluator) load(v *ssa.UnOp) tree {
	switch x := v.X.(type) {
	case *ssa.FreeVar:
		if values, ok := capturedValues(x); ok && len(values) == 1 {
			return e.of(values[0])
		}
		return tree{}
	case *ssa.IndexAddr:
		if _, slice := x.X.Type().Underlying().(*types.Slice); slice {
			if i, ok := intConst(x.Index); ok {
				return e.of(x.X).elem(i)
			}
			return tree{}
		}
	}
	if variable, path, ok := globalOf(v.X); ok {
		return e.global(variable, path, v.Type())
	}
	cell, path, ok := cellOf(v.X)
	if !ok {
		if f, isField := v.X.(*ssa.FieldAddr); isField {
			if free, captured := f.X.(*ssa.FreeVar); captured {
				if values, ok := capturedValues(free); ok && len(values) == 1 {
					s := free.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
					return e.of(values[0]).kid(s.Field(f.Field).Name())
				}
			}
		}
		return tree{}
	}
	if path == "" {
		var values []ssa.Value
		if storesTo(cell, &values) && len(values) == 1 {
			return e.of(values[0])
		}
	}
	return e.at(v, cell, path, v.Type())
}

// cellOf is the variable of the function that an address lies in, and the path to it.
func cellOf(addr ssa.Value) (cell *ssa.Alloc, path string, ok bool) {
	switch a := addr.(type) {
	case *ssa.Alloc:
		return a, "", true
	case *ssa.FieldAddr:
		s, isStruct := a.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		if cell, path, ok = cellOf(a.X); ok && isStruct {
			return cell, path + "." + s.Field(a.Field).Name(), true
		}
	case *ssa.IndexAddr:
		p, isPointer := a.X.Type().Underlying().(*types.Pointer)
		if !isPointer {
			return nil, "", false
		}
		if _, isArray := p.Elem().Underlying().(*types.Array); !isArray {
			return nil, "", false
		}
		if cell, path, ok = cellOf(a.X); ok {
			step := "[]"
			if i, known := intConst(a.Index); known {
				step = "[" + strconv.FormatInt(i, 10) + "]"
			}
			return cell, path + step, true
		}
	}
	return nil, "", false
}

// isPrivate reports whether a variable is read and written by the function's own loads and stores alone. A slice of a whole array is
// taken for a read: literals of slices are made so.
func isPrivate(addr ssa.Value) bool {
	for _, user := range *addr.Referrers() {
		switch user := user.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if user.Addr != addr {
				return false
			}
		case *ssa.FieldAddr:
			if !isPrivate(user) {
				return false
			}
		case *ssa.IndexAddr:
			if !isPrivate(user) {
				return false
			}
		case *ssa.Slice:
			if !readOnly(user) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// readOnly reports whether a slice is not written through: it is read, handed to append as what is added, to an operation of the
// runtime, or returned.
func readOnly(v ssa.Value) bool {
	for _, user := range *v.Referrers() {
		switch user := user.(type) {
		case *ssa.DebugRef, *ssa.Return:
		case *ssa.IndexAddr:
			if !onlyRead(user) {
				return false
			}
		case *ssa.Store:
			if user.Val != v {
				return false
			}
			cell, path, ok := cellOf(user.Addr)
			if !ok || path != "" && !isPrivate(cell) {
				return false
			}
		case *ssa.Call:
			if b, ok := user.Call.Value.(*ssa.Builtin); ok {
				if b.Name() != "len" && b.Name() != "append" {
					return false
				}
				continue
			}
			if object := calledObject(user.Common()); object == nil || !isRuntime(object.Pkg()) {
				return false
			}
		case *ssa.Phi, *ssa.ChangeType:
			if v, ok := user.(ssa.Value); !ok || v == nil {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// at is what a place of a variable holds at an instruction.
func (e *evaluator) at(where ssa.Instruction, cell *ssa.Alloc, path string, t types.Type) tree {
	if !isPrivate(cell) {
		return tree{}
	}
	if !isTensorPointer(t) {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			return structOf(u, func(f *types.Var) tree { return e.at(where, cell, path+"."+f.Name(), f.Type()) })
		case *types.Array:
			if u.Len() > maxListed {
				return tree{}
			}
			out := tree{kind: listTree}
			for i := range u.Len() {
				out.kids = append(out.kids, e.at(where, cell, path+"["+strconv.FormatInt(i, 10)+"]", u.Elem()))
			}
			return out
		}
	}
	r := &reaching{e: e, cell: cell, path: path, typ: t, seen: map[*ssa.BasicBlock]bool{}}
	b := where.Block()
	r.before(b, slices.Index(b.Instrs, where))
	if r.lost {
		return tree{}
	}
	return r.found
}

// reaching collects the stores to one place that reach a point.
type reaching struct {
	e     *evaluator
	cell  *ssa.Alloc
	path  string
	typ   types.Type
	seen  map[*ssa.BasicBlock]bool
	found tree
	any   bool
	lost  bool
}

func (r *reaching) add(t tree) {
	if r.any {
		t = r.found.join(t)
	}
	r.found, r.any = t, true
	r.lost = r.lost || t.kind == anyTree
}

// before looks for stores from instruction n of a block backwards.
func (r *reaching) before(b *ssa.BasicBlock, n int) {
	for i := n - 1; i >= 0 && !r.lost; i-- {
		switch instr := b.Instrs[i].(type) {
		case *ssa.Alloc:
			if instr == r.cell {
				r.add(zeroTree(r.typ))
				return
			}
		case *ssa.Store:
			cell, path, ok := cellOf(instr.Addr)
			if !ok || cell != r.cell {
				continue
			}
			rest, above := strings.CutPrefix(r.path, path)
			switch {
			case above && (rest == "" || rest[0] == '.' || rest[0] == '['):
				r.add(below(r.e.of(instr.Val), rest))
				return
			case strings.Contains(path, "[]") || strings.HasPrefix(path, r.path):
				r.lost = true // an element that is not known, or a part of what is asked for
				return
			}
		}
	}
	if r.e.work++; r.e.work > maxEvalWork {
		r.lost = true
	}
	for _, p := range b.Preds {
		if r.lost {
			return
		}
		if !r.seen[p] {
			r.seen[p] = true
			r.before(p, len(p.Instrs))
		}
	}
}

// below is the part of a tree at a path.
func below(t tree, path string) tree {
	for path != "" {
		step, rest := cutStep(path)
		path = rest
		if step[0] == '.' {
			t = t.kid(step[1:])
			continue
		}
		i, err := strconv.ParseInt(strings.Trim(step, "[]"), 10, 64)
		if err != nil {
			return tree{}
		}
		t = t.elem(i)
	}
	return t
}

// mapLiteral is a map whose keys are constants and which nothing else writes.
func (e *evaluator) mapLiteral(m *ssa.MakeMap) tree {
	out := tree{kind: mapTree}
	for _, user := range *m.Referrers() {
		switch user := user.(type) {
		case *ssa.MapUpdate:
			c, ok := user.Key.(*ssa.Const)
			if user.Map != ssa.Value(m) || !ok || c.Value == nil || c.Value.Kind() != constant.String || user.Block() != m.Block() {
				return tree{}
			}
			key, value := constant.StringVal(c.Value), e.of(user.Value)
			i, found := slices.BinarySearch(out.names, key)
			if found {
				out.kids[i] = value
				continue
			}
			out.names, out.kids = slices.Insert(out.names, i, key), slices.Insert(out.kids, i, value)
		case *ssa.DebugRef, *ssa.Return, *ssa.Lookup, *ssa.Range, *ssa.Extract:
		case *ssa.Call:
			if object := calledObject(user.Common()); object == nil || !isRuntime(object.Pkg()) {
				return tree{}
			}
		case *ssa.Store:
			cell, path, ok := cellOf(user.Addr)
			if user.Val != ssa.Value(m) || !ok || path == "" && !assignedOnce(cell) || path != "" && (!isPrivate(cell) || updatedThrough(cell)) {
				return tree{}
			}
			if path == "" && updatedElsewhere(cell) {
				return tree{}
			}
		default:
			return tree{}
		}
	}
	return out
}

func assignedOnce(cell *ssa.Alloc) bool {
	var values []ssa.Value
	return storesTo(cell, &values) && len(values) == 1
}

// updatedElsewhere reports whether a map that a variable holds may be written through the variable.
func updatedElsewhere(cell *ssa.Alloc) bool {
	for _, user := range *cell.Referrers() {
		switch user := user.(type) {
		case *ssa.Store, *ssa.DebugRef:
		case *ssa.UnOp:
			for _, use := range *user.Referrers() {
				switch use := use.(type) {
				case *ssa.Lookup, *ssa.DebugRef, *ssa.Range:
				case *ssa.Call:
					if object := calledObject(use.Common()); object == nil || !isRuntime(object.Pkg()) {
						return true
					}
				default:
					return true
				}
			}
		default:
			return true
		}
	}
	return false
}
