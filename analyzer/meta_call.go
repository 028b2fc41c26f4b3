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

// call is what is known of a result of a call.
func (e *evaluator) call(call *ssa.Call, result int) tree {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" && len(common.Args) == 2 {
			return appended(e.of(common.Args[0]), e.of(common.Args[1]))
		}
		return tree{}
	}
	object := calledObject(common)
	switch {
	case object != nil && isRuntime(object.Pkg()):
		return e.op(call, object, result)
	default:
		return e.inlined(common, result)
	}
}

func appended(a, b tree) tree {
	if a.kind != listTree || b.kind != listTree || len(a.kids)+len(b.kids) > maxListed {
		return tree{}
	}
	return tree{kind: listTree, kids: append(slices.Clone(a.kids), b.kids...)}
}

// inlined is what a function of the package returns for the arguments of a call.
func (e *evaluator) inlined(common *ssa.CallCommon, result int) tree {
	fn := common.StaticCallee()
	if fn != nil && fn.Origin() != nil {
		fn = fn.Origin()
	}
	if fn == nil || e.depth >= maxEvalDepth {
		return tree{}
	}
	if len(fn.Blocks) == 0 {
		given := make([]tree, len(common.Args))
		for i, arg := range common.Args {
			given[i] = e.of(arg)
		}
		return e.ofFact(calledObject(common), common.Args, given, result)
	}
	if len(common.Args) != len(fn.Params) {
		return tree{}
	}
	inner := &evaluator{analysisOf: e.analysisOf, given: map[ssa.Value]tree{}, memo: map[ssa.Value]tree{}, open: map[ssa.Value]bool{}, depth: e.depth + 1, work: e.work}
	for v, t := range e.given {
		inner.given[v] = t // of the functions around a literal
	}
	for i, p := range fn.Params {
		inner.given[p] = e.of(common.Args[i])
	}
	out := inner.returned(fn, result)
	e.work = inner.work
	return out
}

// returned is what is known of a result of a function over all of its return statements.
func (e *evaluator) returned(fn *ssa.Function, result int) tree {
	var out tree
	first := true
	e.returns(fn, func(ret *ssa.Return) {
		if result >= len(ret.Results) {
			return
		}
		t := e.of(ret.Results[result])
		if first {
			out, first = t, false
		} else {
			out = out.join(t)
		}
	})
	return out
}

// op is what an operation or operator of the runtime returns.
func (e *evaluator) op(call *ssa.Call, object *types.Func, result int) tree {
	common := call.Common()
	name := object.Name()
	if object.Signature().Recv() != nil {
		rule := metaOps(name)
		if rule == nil || result > 0 || !isTensorPointer(call.Type()) {
			return tree{}
		}
		return leaf(made(name, rule, e.arguments(common)))
	}
	if rule := makerMeta(name); rule != nil {
		return leaf(made(name, rule, e.arguments(common)))
	}
	args := common.Args
	switch name {
	case "Scalar":
		return leaf(meta{dtype: elementOf(args[0].Type())}.shaped(nil))
	case "FromSlice", "Wrap":
		m := meta{}
		if s, ok := args[0].Type().Underlying().(*types.Slice); ok {
			m.dtype = elementOf(s.Elem())
		}
		dims, ok := e.dims(args[1])
		switch {
		case !ok:
			return leaf(m)
		case len(dims) == 0:
			return leaf(m.shaped([]size{e.length(args[0])}))
		}
		return leaf(m.shaped(dims))
	case "Clone", "ZerosLike":
		return e.withoutDeleted(call, e.of(args[0]))
	case "Scan", "WhileLoop", "ForLoop":
		at, ok := paramNamed(object.Signature(), "init")
		if ok && result == 0 {
			return e.of(args[at]) // whatever else would be refused
		}
	case "AssociativeScan":
		return e.of(args[1])
	case "NewKey", "FoldIn":
		return tree{}
	case "Einsum":
		list, _ := e.list(args[1])
		return leaf(meta{dtype: eitherDType(list)})
	case "Must":
		return tree{}
	}
	if isTensorPointer(call.Type()) {
		return leaf(meta{})
	}
	return tree{}
}

// arguments are the arguments of an op.
func (e *evaluator) arguments(common *ssa.CallCommon) *metaCall {
	c := &metaCall{}
	for _, arg := range common.Args {
		t := arg.Type()
		switch {
		case isTensorPointer(t):
			c.in = append(c.in, e.of(arg).meta)
		case isTensorSlice(t):
			list, ok := e.list(arg)
			c.in, c.lost = append(c.in, list...), c.lost || !ok
		case isDType(t):
			c.dtype = e.dtype(arg)
		case isInt(t):
			c.ints = append(c.ints, e.int(arg))
		default:
			if s, ok := t.Underlying().(*types.Slice); ok && isInt(s.Elem()) {
				list, ok := e.ints(arg)
				c.ints, c.lost = append(c.ints, list...), c.lost || !ok
			}
		}
	}
	return c
}

// isDType reports whether t is the runtime's type of element types; DType may be an alias of a type of the tracer.
func isDType(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "DType" && named.Obj().Pkg() != nil && (isRuntime(named.Obj().Pkg()) || isRuntimePart(named.Obj().Pkg().Path()))
}

// dtype is a constant element type, by its name.
func (e *evaluator) dtype(v ssa.Value) string {
	if call, ok := v.(*ssa.Call); ok {
		object := calledObject(call.Common())
		if object == nil || !isRuntime(object.Pkg()) {
			return ""
		}
		switch object.Name() {
		case "DType":
			return e.of(call.Common().Args[0]).meta.dtype
		case "DTypeOf":
			if targs := call.Common().StaticCallee().TypeArgs(); len(targs) == 1 {
				return elementOf(targs[0])
			}
		}
		return ""
	}
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil {
		return ""
	}
	// The constants of the element types, by their values: only the runtime that the package imports is known as a whole.
	for _, pkg := range e.pass.Pkg.Imports() {
		if !isRuntime(pkg) {
			continue
		}
		for _, name := range dtypeNames() {
			k, ok := pkg.Scope().Lookup(name).(*types.Const)
			if ok && types.Identical(k.Type(), c.Type()) && constant.Compare(k.Val(), token.EQL, c.Value) {
				return strings.ToLower(name)
			}
		}
	}
	return ""
}

// dtypeNames are the constants of the runtime for its element types; in lower case they are what messages call them.
func dtypeNames() []string { return []string{"Bool", "Int32", "Int64", "Float32", "Float64"} }

// elementOf is the element type of Go values of type t.
func elementOf(t types.Type) string {
	b, ok := types.Unalias(t).(*types.Basic)
	if !ok {
		return ""
	}
	switch b.Kind() {
	case types.Bool, types.Int32, types.Int64, types.Float32, types.Float64:
		return b.Name()
	}
	return ""
}

// int is what is known of an integer.
func (e *evaluator) int(v ssa.Value) FormulaInt {
	if n, ok := intConst(v); ok {
		return FormulaInt{Value: n}
	}
	t := e.of(v)
	if t.param > 0 {
		return FormulaInt{Param: t.param}
	}
	if n, err := strconv.ParseInt(t.static, 10, 64); err == nil && t.kind == staticTree {
		return FormulaInt{Value: n}
	}
	return FormulaInt{Open: true}
}

// ints are the integers of a variadic call; ok is false if it is not known how many there are.
func (e *evaluator) ints(v ssa.Value) (list []FormulaInt, ok bool) {
	values, ok := variadic(v)
	for _, x := range values {
		list = append(list, e.int(x))
	}
	return list, ok
}

// dims are the sizes that a variadic call names.
func (e *evaluator) dims(v ssa.Value) (list []size, ok bool) {
	c := &metaCall{}
	c.ints, ok = e.ints(v)
	for i := range c.ints {
		list = append(list, c.size(i))
	}
	return list, ok
}

// variadic are the arguments that a variadic call puts into a slice.
func variadic(v ssa.Value) (values []ssa.Value, ok bool) {
	switch v := v.(type) {
	case *ssa.Const:
		return nil, v.IsNil()
	case *ssa.Slice:
		cell, isCell := v.X.(*ssa.Alloc)
		if !isCell || cell.Comment != "varargs" {
			return nil, false
		}
		array, isArray := cell.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
		if !isArray || array.Len() > maxListed {
			return nil, false
		}
		values = make([]ssa.Value, array.Len())
		for _, user := range *cell.Referrers() {
			at, isIndex := user.(*ssa.IndexAddr)
			if !isIndex {
				continue
			}
			i, known := intConst(at.Index)
			if !known || i < 0 || i >= array.Len() {
				return nil, false
			}
			for _, use := range *at.Referrers() {
				if store, isStore := use.(*ssa.Store); isStore {
					values[i] = store.Val
				}
			}
		}
		return values, !slices.Contains(values, nil)
	}
	return nil, false
}

// length is the number of elements of a slice literal.
func (e *evaluator) length(v ssa.Value) size {
	if s, ok := v.(*ssa.Slice); ok && s.Low == nil && s.High == nil {
		if p, ok := s.X.Type().Underlying().(*types.Pointer); ok {
			if a, ok := p.Elem().Underlying().(*types.Array); ok {
				return size(a.Len())
			}
		}
	}
	if m, ok := v.(*ssa.MakeSlice); ok {
		c := &metaCall{ints: []FormulaInt{e.int(m.Len)}}
		return c.size(0)
	}
	return unknownSize
}

// list are the tensors of a variadic call; ok is false if it is not known how many there are.
func (e *evaluator) list(v ssa.Value) (list []meta, ok bool) {
	t := e.of(v)
	for _, k := range t.kids {
		list = append(list, k.meta)
	}
	return list, t.kind == listTree
}
