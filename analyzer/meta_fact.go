package analyzer

import (
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// What is known of the results of a function before its arguments are: a pytree whose tensors are formulas over the arguments. It is
// kept as a fact, for the packages that import the function's.

// MetaTree is what a function says of one of its results.
type MetaTree struct {
	Kind   uint8
	Leaf   *Formula
	Names  []string
	Kids   []MetaTree
	Static string
}

// Formula is the dtype and shape of a tensor: known, that of a tensor among the arguments, or what an op makes of others.
type Formula struct {
	// DType, Dims and Ranked say what is known.
	DType  string
	Dims   []int64
	Ranked bool
	// Param counts the arguments from 1; Path leads from one to the tensor. Param is 0 for a formula of another kind.
	Param int
	Path  []string
	// Op is the name of the op; In are its operands, Ints its integers.
	Op   string
	In   []Formula
	Ints []FormulaInt
}

// FormulaInt is an integer argument of an op: a number, one of the arguments of the function, counted from 1, or not known.
type FormulaInt struct {
	Value int64
	Param int
	Open  bool
}

// maxFormula is the number of ops in one formula, maxMetaTree that of the parts of one tree.
const (
	maxFormula  = 24
	maxMetaTree = 64
)

// size is the number of ops in a formula.
func (f *Formula) size() int {
	n := 1
	for i := range f.In {
		n += f.In[i].size()
	}
	return n
}

// formulaOf is a meta as a formula.
func formulaOf(m meta) Formula {
	if m.formula != nil {
		return *m.formula
	}
	f := Formula{DType: m.dtype, Ranked: m.ranked}
	if m.ranked {
		for _, d := range m.dims {
			f.Dims = append(f.Dims, int64(d))
		}
	}
	return f
}

// says reports whether a formula says anything.
func (f *Formula) says() bool { return f.Op != "" || f.Param > 0 || f.DType != "" || f.Ranked }

// made is the result of an op by its rule, with the formula for it if it depends on arguments.
func made(op string, rule transfer, c *metaCall) meta {
	m := rule(c)
	if m.formula != nil {
		return m // the type of an operand
	}
	open := slices.ContainsFunc(c.ints, func(n FormulaInt) bool { return n.Param > 0 })
	for _, in := range c.in {
		open = open || in.formula != nil
	}
	if !open || c.lost {
		return m
	}
	f := &Formula{Op: op, DType: c.dtype, Ints: slices.Clone(c.ints)}
	for _, in := range c.in {
		f.In = append(f.In, formulaOf(in))
	}
	if f.size() <= maxFormula {
		m.formula = f
	}
	return m
}

// formula is what a formula says for the arguments of a call.
func (e *evaluator) formula(f *Formula, args []ssa.Value, given []tree) meta {
	switch {
	case f.Param > len(given):
		return meta{}
	case f.Param > 0:
		t := given[f.Param-1]
		for _, step := range f.Path {
			t = t.kid(step)
		}
		return t.meta
	case f.Op == "":
		m := meta{dtype: f.DType}
		if !f.Ranked {
			return m
		}
		dims := make([]size, len(f.Dims))
		for i, d := range f.Dims {
			dims[i] = size(d)
		}
		return m.shaped(dims)
	}
	rule := ruleOf(f.Op)
	if rule == nil {
		return meta{} // a fact of another version of the tool
	}
	c := &metaCall{dtype: f.DType}
	for i := range f.In {
		c.in = append(c.in, e.formula(&f.In[i], args, given))
	}
	for _, n := range f.Ints {
		if n.Param > 0 {
			k := n.Param - 1
			n = FormulaInt{Open: true}
			if k < len(args) {
				n = e.int(args[k])
			}
		}
		c.ints = append(c.ints, n)
	}
	return made(f.Op, rule, c)
}

// instance is what a function's fact says of a result for the arguments of a call.
func (e *evaluator) instance(t *MetaTree, args []ssa.Value, given []tree) tree {
	out := tree{kind: treeKind(t.Kind), names: t.Names, static: t.Static}
	if t.Leaf != nil {
		out.meta = e.formula(t.Leaf, args, given)
	}
	for i := range t.Kids {
		out.kids = append(out.kids, e.instance(&t.Kids[i], args, given))
	}
	return out
}

// ofFact is what is known of a result of a function of another package.
func (e *evaluator) ofFact(object *types.Func, args []ssa.Value, given []tree, result int) tree {
	if object == nil || object.Pkg() == e.pass.Pkg {
		return tree{}
	}
	fact, _ := e.kind.function(e.pass, object.Origin())
	if result >= len(fact.Metas) {
		return tree{}
	}
	return e.instance(&fact.Metas[result], args, given)
}

// exportMetas tells what is known of the results of the package's functions.
func (a *analysisOf) exportMetas(put func(types.Object, func(*FunctionFact))) {
	if !reachesRuntime(a.pass.Pkg, map[*types.Package]bool{}) {
		return
	}
	for _, fn := range a.flow.Importable() {
		object, _ := fn.Object().(*types.Func)
		if object == nil || object.Pkg() != a.pass.Pkg || fn.Signature.Results().Len() == 0 {
			continue
		}
		_ = a.guarded("shapes", fn.Name(), func() {
			if metas := a.metasOf(fn); metas != nil {
				put(object, func(f *FunctionFact) { f.Metas = metas })
			}
		})
	}
}

// metasOf is what is known of the results of a function whatever its arguments are; nil if that is nothing.
func (a *analysisOf) metasOf(fn *ssa.Function) []MetaTree {
	e := a.newEvaluator()
	for i, p := range fn.Params {
		if isInt(p.Type()) {
			e.given[p] = tree{param: i + 1}
			continue
		}
		e.given[p] = treeOf(p.Type()).symbolic(i+1, nil)
	}
	var list []MetaTree
	says := false
	for i := range fn.Signature.Results().Len() {
		parts := 0
		t, told := metaTree(e.returned(fn, i), &parts)
		if parts > maxMetaTree {
			t, told = MetaTree{}, false
		}
		list, says = append(list, t), says || told
	}
	if !says {
		return nil
	}
	return list
}

func isInt(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Int
}

// symbolic gives the tensors of an argument formulas that name them.
func (t tree) symbolic(param int, path []string) tree {
	if t.kind == leafTree {
		t.meta.formula = &Formula{Param: param, Path: path}
		return t
	}
	kids := make([]tree, len(t.kids))
	for i := range t.kids {
		kids[i] = t.kids[i].symbolic(param, append(path[:len(path):len(path)], t.names[i]))
	}
	t.kids = kids
	return t
}

// metaTree is a tree as a fact keeps it, and whether it says anything of a tensor.
func metaTree(t tree, parts *int) (out MetaTree, says bool) {
	*parts++
	out = MetaTree{Kind: uint8(t.kind), Names: t.names, Static: t.static}
	if t.kind == leafTree {
		if f := formulaOf(t.meta); f.says() {
			out.Leaf, says = &f, true
		}
	}
	for i := range t.kids {
		if *parts > maxMetaTree {
			break
		}
		kid, told := metaTree(t.kids[i], parts)
		out.Kids, says = append(out.Kids, kid), says || told
	}
	return out, says
}

// sameFormula reports whether two metas have one formula.
func sameFormula(m, n meta) bool {
	return m.formula == n.formula || m.formula != nil && n.formula != nil && reflect.DeepEqual(*m.formula, *n.formula)
}
