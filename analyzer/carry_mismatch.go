package analyzer

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
)

// mismatches finds, at one HOP call of the runtime, what certainly differs though it must agree: the next carry and the carry, a
// combined element and the elements, two branches; and predicates and indices of a wrong type: HOP201.
func (a *analysisOf) mismatches(call *hopCall) []*Finding {
	if call.operator == nil {
		return nil
	}
	m := &mismatch{evaluator: a.newEvaluator(), call: call, object: call.operator}
	switch call.contract.Func {
	case "Cond":
		m.argument("pred", "predicate", isBoolean, "a bool")
		m.branches()
	case "Switch":
		m.argument("index", "index", isIndex, "an int32 or int64")
		m.branches()
	default:
		m.outputs()
	}
	return m.list
}

// mismatch is the work on one call.
type mismatch struct {
	*evaluator
	call   *hopCall
	object *types.Func
	list   []*Finding
}

// value is the argument of a parameter of the HOP; nil if there is none.
func (m *mismatch) value(param string) ssa.Value {
	args := m.call.instr.Common().Args
	if i, ok := paramNamed(m.object.Signature(), param); ok && i < len(args) {
		return args[i]
	}
	return nil
}

// axis is the axis of xs along which the call runs; ok is false if an option chooses one that is not known.
func (m *mismatch) axis() (d int64, ok bool) {
	opts := m.value("opts")
	if opts == nil {
		return 0, true
	}
	values, ok := variadic(opts)
	for _, v := range values {
		call, isCall := unconverted(v).(*ssa.Call)
		if !isCall {
			return 0, false
		}
		option := calledObject(call.Common())
		if option == nil || !isRuntime(option.Pkg()) {
			return 0, false
		}
		switch option.Name() {
		case "Axis":
			if d, isCall = intConst(call.Call.Args[0]); !isCall {
				return 0, false
			}
		case "Stepwise", "Reverse", "Length", "MaxSteps", "Progress", "WithContext", "Observe", "BatchSize", "Unroll":
		default:
			return 0, false
		}
	}
	return d, ok
}

// inputs is what is known of the inputs of a body, by role.
func (m *mismatch) inputs(body *hopcheck.Body, signature *types.Signature) []tree {
	var ins []tree
	for i, slot := range body.In {
		var t tree
		switch slot.Role {
		case hopcheck.Carry:
			if v := m.value("init"); v != nil {
				t = m.of(v)
			}
		case hopcheck.X, hopcheck.Element:
			if v := m.value("xs"); v != nil {
				t = m.of(v)
				d, known := m.axis()
				switch {
				case slot.Role == hopcheck.X && known:
					t = t.mapLeaves(func(x meta) meta { return x.without(d) })
				case slot.Role == hopcheck.X:
					t = t.mapLeaves(meta.withoutOne)
				case !known || d != 0:
					t = t.mapLeaves(func(x meta) meta { return meta{dtype: x.dtype} })
				}
			}
		case hopcheck.Operand:
			switch {
			case slot.Label == "index":
				t = leaf(meta{dtype: "int64"}.shaped(nil))
			default:
				if v := m.value("operands"); v != nil {
					t = m.of(v)
				}
			}
		}
		if t.kind == anyTree && i < signature.Params().Len() {
			t = treeOf(signature.Params().At(i).Type())
		}
		ins = append(ins, t.based(i, ""))
	}
	return ins
}

// without is the type of a slice along an axis, which counts from the end where it is negative.
func (m meta) without(axis int64) meta {
	if axis < 0 {
		axis += int64(len(m.dims))
	}
	if !m.ranked || axis < 0 || axis >= int64(len(m.dims)) {
		return meta{dtype: m.dtype}
	}
	return m.shaped(slices.Delete(slices.Clone(m.dims), int(axis), int(axis)+1))
}

// withoutOne is the type of a slice along some axis: a size is known where it is the same whichever axis that is.
func (m meta) withoutOne() meta {
	if !m.ranked || len(m.dims) == 0 {
		return meta{dtype: m.dtype}
	}
	dims := make([]size, len(m.dims)-1)
	for i := range dims {
		if dims[i] = m.dims[i]; m.dims[i+1] != dims[i] {
			dims[i] = unknownSize
		}
	}
	return m.shaped(dims)
}

// treeOf is what a type alone says of its values.
func treeOf(t types.Type) tree {
	if isTensorPointer(t) {
		return leaf(meta{})
	}
	if s, ok := t.Underlying().(*types.Struct); ok && !isSymbolicInt(t) {
		return structOf(s, func(f *types.Var) tree { return treeOf(f.Type()) })
	}
	return tree{}
}

// input names a leaf of the inputs of a body.
type input struct {
	param int
	path  string
}

// based gives every tensor of an input its own rank to compare with.
func (t tree) based(param int, path string) tree {
	if t.kind == leafTree {
		t.meta.base, t.meta.more = input{param, path}, 0
		return t
	}
	kids := make([]tree, len(t.kids))
	for i := range t.kids {
		kids[i] = t.kids[i].based(param, path+"."+strconv.Itoa(i))
	}
	t.kids = kids
	return t
}

// enter gives the parameters of a body their inputs.
func (m *mismatch) enter(fn *bodyFunc, ins []tree) {
	m.memo = map[ssa.Value]tree{}
	for i, p := range fn.fn.Params {
		if fn.bound {
			i--
		}
		if i >= 0 && i < len(ins) {
			m.given[p] = ins[i]
		} else {
			delete(m.given, p)
		}
	}
}

// outputs compares the results of each body with the inputs that they must agree with.
func (m *mismatch) outputs() {
	for _, arg := range m.call.bodies {
		signature := m.call.bodySignature(arg)
		if signature == nil {
			continue
		}
		ins := m.inputs(arg.body, signature)
		funcs, _ := m.bodyFuncs(m.call, arg)
		for _, fn := range funcs {
			u := &bodyUse{m.call, arg, fn}
			if fn.fn == nil || len(fn.fn.Blocks) == 0 {
				m.elsewhere(u, ins)
				continue
			}
			m.enter(&u.fn, ins)
			for _, rule := range m.call.contract.SameMeta {
				in, out := slotOf(arg.body.In, rule.In), slotOf(arg.body.Out, rule.Out)
				if in < 0 || out < 0 {
					continue
				}
				m.eachReturn(&fn, func(ret *ssa.Return) {
					m.compare(u, ret, out, m.of(ret.Results[out]), ins[in], slotPlace(arg.body.Out[out]), slotPlace(arg.body.In[in]))
				})
			}
			if arg.body.Out[0].Role == hopcheck.Predicate {
				m.eachReturn(&fn, func(ret *ssa.Return) {
					m.oneElement(m.of(ret.Results[0]), "predicate", isBoolean, "a bool", func() (token.Pos, token.Pos) { return m.returnedAtPos(u, ret, 0) }, u)
				})
			}
		}
	}
}

// elsewhere compares what is known of the results of a body of another package with the inputs that they must agree with.
func (m *mismatch) elsewhere(u *bodyUse, ins []tree) {
	for _, rule := range m.call.contract.SameMeta {
		in, out := slotOf(u.arg.body.In, rule.In), slotOf(u.arg.body.Out, rule.Out)
		if in < 0 || out < 0 || u.fn.bound {
			continue
		}
		got := m.ofFact(u.fn.object, nil, ins, out)
		if difference := m.difference(u, got, ins[in], slotPlace(u.arg.body.Out[out]), slotPlace(u.arg.body.In[in])); difference != nil {
			difference.Pos, difference.End = m.analysisOf.argument(u)
			m.list = append(m.list, difference)
		}
	}
}

// slotOf is the first slot with a role, -1 if there is none.
func slotOf(slots []hopcheck.Slot, role hopcheck.Role) int {
	for i, s := range slots {
		if s.Role == role {
			return i
		}
	}
	return -1
}

// eachReturn visits the return statements of a body that can be reached.
func (m *mismatch) eachReturn(fn *bodyFunc, visit func(*ssa.Return)) {
	m.returns(fn.fn, func(ret *ssa.Return) {
		if len(ret.Results) > 0 {
			visit(ret)
		}
	})
}

func (m *mismatch) returnedAtPos(u *bodyUse, ret *ssa.Return, result int) (token.Pos, token.Pos) {
	pos := ret.Pos()
	if statement := m.returnAt[pos]; statement != nil && u.fn.contains(pos) {
		if e := returnedExpr(statement, result); e != nil {
			return e.Pos(), e.End()
		}
		return statement.Pos(), statement.End()
	}
	return m.analysisOf.argument(u)
}

// compare reports the differences of a result and what it must agree with.
func (m *mismatch) compare(u *bodyUse, ret *ssa.Return, result int, got, want tree, gotPlace, wantPlace hopcheck.Place) {
	if f := m.difference(u, got, want, gotPlace, wantPlace); f != nil {
		f.Pos, f.End = m.returnedAtPos(u, ret, result)
		m.list = append(m.list, f)
	}
}

// difference is the finding that a result differs from what it must agree with, without a position; nil if it does not.
func (m *mismatch) difference(u *bodyUse, got, want tree, gotPlace, wantPlace hopcheck.Place) *Finding {
	c := &comparedTrees{got: gotPlace, want: wantPlace}
	c.compare(got, want, "")
	differences := c.differences()
	if len(differences) == 0 {
		return nil
	}
	f := &Finding{Call: m.call.pos, use: u}
	f.Finding = hopcheck.Finding{Code: hopcheck.CarryMismatch, HOP: m.call.contract.Name, Differences: differences}
	if v := m.value("init"); v != nil && wantPlace.Role == hopcheck.Carry {
		if e := m.argumentOf(m.call.instr, v); e != nil {
			f.Related = append(f.Related, related(e.Pos(), e.End(), "the first carry is made here"))
		}
	}
	return f
}

// branches compares every branch with the first.
func (m *mismatch) branches() {
	type branch struct {
		use     *bodyUse
		label   string
		returns []*ssa.Return
		trees   []tree
	}
	var all []branch
	add := func(arg bodyArg, fn bodyFunc, label string) bool {
		if fn.fn == nil || len(fn.fn.Blocks) == 0 {
			return false
		}
		signature := m.call.bodySignature(arg)
		if signature == nil {
			return false
		}
		u := &bodyUse{m.call, arg, fn}
		m.enter(&u.fn, m.inputs(arg.body, signature))
		b := branch{use: u, label: label}
		m.eachReturn(&fn, func(ret *ssa.Return) {
			b.returns = append(b.returns, ret)
			b.trees = append(b.trees, m.of(ret.Results[0]))
		})
		all = append(all, b)
		return len(b.returns) > 0
	}
	for _, arg := range m.call.bodies {
		funcs, set := m.bodyFuncs(m.call, arg)
		switch {
		case arg.body.Variadic:
			list := m.branchList(arg)
			for k, v := range list {
				fn, ok := m.literal(v)
				if !ok || !add(arg, fn, fmt.Sprintf("branch %d", k)) {
					return
				}
			}
		case len(funcs) != 1 || !set.Complete || !add(arg, funcs[0], arg.body.Words):
			return
		}
	}
	for k, b := range all {
		if k == 0 {
			continue
		}
		want := all[0].trees[0]
		for _, t := range all[0].trees[1:] {
			want = want.join(t)
		}
		for i, ret := range b.returns {
			m.compare(b.use, ret, 0, b.trees[i], want, hopcheck.Place{Role: hopcheck.Output, Label: b.label}, hopcheck.Place{Role: hopcheck.Output, Label: all[0].label})
		}
	}
}

// branchList are the functions of a list of branches, in order.
func (m *mismatch) branchList(arg bodyArg) []ssa.Value {
	args := m.call.instr.Common().Args
	if arg.arg >= len(args) {
		return nil
	}
	slice, ok := args[arg.arg].(*ssa.Slice)
	if !ok || slice.Low != nil || slice.High != nil {
		return nil
	}
	cell, ok := slice.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	array, ok := cell.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || array.Len() > maxListed {
		return nil
	}
	list := make([]ssa.Value, array.Len())
	for _, user := range *cell.Referrers() {
		at, isIndex := user.(*ssa.IndexAddr)
		if !isIndex {
			continue
		}
		i, known := intConst(at.Index)
		for _, use := range *at.Referrers() {
			store, isStore := use.(*ssa.Store)
			if !known || !isStore || list[i] != nil {
				return nil
			}
			list[i] = store.Val
		}
	}
	return list
}

// literal is the function that a value certainly is.
func (m *mismatch) literal(v ssa.Value) (bodyFunc, bool) {
	switch f := unconverted(v).(type) {
	case *ssa.Function:
		return m.ofFunction(f)
	case *ssa.MakeClosure:
		if fn, ok := f.Fn.(*ssa.Function); ok && fn.Parent() != nil {
			return m.ofFunction(fn)
		}
	}
	return bodyFunc{}, false
}

func (m *mismatch) ofFunction(fn *ssa.Function) (bodyFunc, bool) {
	b := bodyFunc{fn: fn, syntax: fn.Syntax(), summary: m.flow.Summary(fn)}
	b.object, _ = fn.Object().(*types.Func)
	return b, len(fn.Blocks) > 0 && fn.Synthetic == ""
}

// slotPlace is a slot as messages name it.
func slotPlace(s hopcheck.Slot) hopcheck.Place { return hopcheck.Place{Role: s.Role, Label: s.Label} }

// argument checks a predicate or an index that the HOP is given.
func (m *mismatch) argument(param, what string, fits func(string) bool, want string) {
	v := m.value(param)
	if v == nil {
		return
	}
	if param == "index" && len(m.branchList(m.call.bodies[0])) < 2 {
		return // a single branch is called whatever the index is
	}
	m.oneElement(m.of(v), what, fits, want, func() (token.Pos, token.Pos) {
		if e := m.argumentOf(m.call.instr, v); e != nil {
			return e.Pos(), e.End()
		}
		return m.call.pos, m.call.pos + 1
	}, &bodyUse{call: m.call})
}

// oneElement reports a value that is certainly no single element of the wanted type.
func (m *mismatch) oneElement(t tree, what string, fits func(string) bool, want string, at func() (token.Pos, token.Pos), u *bodyUse) {
	if t.kind != leafTree {
		return
	}
	wrong, one := t.meta.dtype != "" && !fits(t.meta.dtype), t.meta.ranked
	for _, d := range t.meta.dims {
		wrong = wrong || t.meta.ranked && d != unknownSize && d != 1
		one = one && d == 1
	}
	if !wrong {
		return
	}
	pos, end := at()
	f := &Finding{Pos: pos, End: end, Call: m.call.pos, use: u}
	f.Finding = hopcheck.Finding{Code: hopcheck.CarryMismatch, HOP: m.call.contract.Name, Remedy: hopcheck.ChooserRemedy(want, t.meta.dtype == "bool", one),
		Detail: fmt.Sprintf("%s is %s, want %s of one element", what, t.meta.text(), want)}
	m.list = append(m.list, f)
}

func isBoolean(dtype string) bool { return dtype == "bool" }

func isIndex(dtype string) bool { return dtype == "int32" || dtype == "int64" }
