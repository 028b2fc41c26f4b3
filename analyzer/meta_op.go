package analyzer

import (
	"slices"
	"strings"
)

// transfer computes what is known of an op's result. The rules are those of the runtime: operands of one op have one dtype, shapes
// broadcast from the right, sums of integers are int64. An op whose operands do not fit fails by itself at run time; nothing is
// known of its result. A test compares the rules with the runtime.
type transfer func(c *metaCall) meta

// metaCall is one call of an op.
type metaCall struct {
	// in are the tensors, the receiver first, ints the integer arguments in order.
	in   []meta
	ints []FormulaInt
	// lost is set if it is not known which tensors or integers there are.
	lost bool
	// dtype is the argument of type DType; empty if it is not known.
	dtype string
}

func (c *metaCall) tensor(i int) meta {
	if i < len(c.in) {
		return c.in[i]
	}
	return meta{}
}

// exact reports whether all integer arguments are known.
func (c *metaCall) exact() bool {
	return !c.lost && !slices.ContainsFunc(c.ints, func(n FormulaInt) bool { return n.Open || n.Param > 0 })
}

// size is integer argument i as the size of a dim.
func (c *metaCall) size(i int) size {
	if n := c.ints[i]; !n.Open && n.Param == 0 && n.Value >= 0 {
		return size(n.Value)
	}
	return unknownSize
}

// ruleOf returns the rule of a method of Tensor or a function of the runtime; nil for those without one.
func ruleOf(name string) transfer {
	if rule := makerMeta(name); rule != nil {
		return rule
	}
	return metaOps(name)
}

// makerMeta returns the rule of a function that makes a tensor of given sizes or of others.
func makerMeta(name string) transfer {
	switch name {
	case "Zeros", "Ones", "Full", "Rand", "Randn", "Uniform", "Normal":
		return func(c *metaCall) meta {
			m := meta{dtype: c.dtype}
			if c.lost {
				return m
			}
			dims := make([]size, len(c.ints))
			for i := range c.ints {
				dims[i] = c.size(i)
			}
			return m.shaped(dims)
		}
	case "Eye":
		return func(c *metaCall) meta { return meta{dtype: c.dtype}.shaped([]size{c.size(0), c.size(0)}) }
	case "Arange", "Linspace":
		return func(c *metaCall) meta { return meta{dtype: c.dtype}.shaped([]size{c.size(0)}) }
	case "Where":
		return func(c *metaCall) meta { return meta{dtype: eitherDType(c.in[1:])}.broadcast(c.in) }
	case "Stack", "Concat":
		return func(c *metaCall) meta { return joinedMeta(c, name == "Stack") }
	}
	return nil
}

// joinedMeta is the rule of a stack or concatenation.
func joinedMeta(c *metaCall, stack bool) meta {
	if len(c.in) == 0 || c.lost {
		return meta{}
	}
	out := meta{dtype: eitherDType(c.in)}
	m := c.in[0]
	for _, n := range c.in[1:] {
		if n.ranked != m.ranked || len(n.dims) != len(m.dims) {
			return out
		}
	}
	rank := len(m.dims)
	if stack {
		rank++
	}
	d, ok := c.dim(0, rank)
	if !m.ranked || !ok {
		return out
	}
	if stack {
		return out.shaped(slices.Insert(slices.Clone(m.dims), d, size(len(c.in))))
	}
	dims := slices.Clone(m.dims)
	for _, n := range c.in[1:] {
		if dims[d] == unknownSize || n.dims[d] == unknownSize {
			dims[d] = unknownSize
		} else {
			dims[d] += n.dims[d]
		}
	}
	return out.shaped(dims)
}

// metaOps returns the rule of a method of Tensor; nil for methods without one.
func metaOps(name string) transfer {
	if strings.HasSuffix(name, "InPlace") {
		return sameMeta // the receiver itself
	}
	switch name {
	case "Abs", "Acos", "Asin", "Atan", "Ceil", "Clone", "Clamp", "Contiguous", "Cos", "Cosh", "CumMax", "Detach", "Erf", "Exp", "Expm1",
		"Fill", "Flip", "Floor", "Gelu", "Log", "Log1p", "LogSoftmax", "AddScalar", "SubScalar", "RSubScalar", "MulScalar", "DivScalar",
		"PowScalar", "ModScalar", "MaximumScalar", "MinimumScalar", "Neg", "Not", "OneMinus", "Reciprocal", "Relu", "Roll", "Round", "Rsqrt",
		"SetRequiresGrad", "Sigmoid", "Sign", "Sin", "Sinh", "Softmax", "Softplus", "Sqrt", "Square", "Tan", "Tanh", "Tril", "Triu", "Zero",
		"Set", "CopyFrom", "Cholesky", "Inverse", "Put", "Scatter", "ScatterAdd":
		return sameMeta
	case "Add", "Sub", "Mul", "Div", "Mod", "Pow", "Maximum", "Minimum", "Atan2", "And", "Or", "Xor":
		return broadcastMeta
	case "Eq", "Ne", "Lt", "Le", "Gt", "Ge":
		return func(c *metaCall) meta { return broadcastMeta(c).as("bool") }
	case "EqScalar", "NeScalar", "LtScalar", "LeScalar", "GtScalar", "GeScalar", "IsNaN":
		return func(c *metaCall) meta { return sameMeta(c).as("bool") }
	case "CumSum", "CumProd":
		return func(c *metaCall) meta { return sameMeta(c).as(sumOf(c.tensor(0).dtype)) }
	case "ArgSort":
		return func(c *metaCall) meta { return sameMeta(c).as("int64") }
	case "To":
		return func(c *metaCall) meta { return c.tensor(0).as(c.dtype) }
	case "Unsqueeze":
		return unsqueezeMeta
	case "Squeeze":
		return squeezeMeta
	case "Narrow":
		return narrowMeta
	case "Select", "At":
		return selectMeta
	case "Slice", "Repeat", "Pad", "IndexSelect", "Gather":
		return resizedMeta(name)
	case "Take":
		return func(c *metaCall) meta { return c.tensor(1).as(c.tensor(0).dtype) }
	case "SearchSorted":
		return func(c *metaCall) meta { return c.tensor(1).as("int64") }
	case "OneHot":
		return oneHotMeta
	case "Det", "LogDet":
		return func(c *metaCall) meta {
			if m := c.tensor(0); m.ranked && len(m.dims) >= 2 {
				return m.shaped(m.dims[:len(m.dims)-2])
			}
			return c.tensor(0).moreDims(-2)
		}
	case "Diagonal":
		return func(c *metaCall) meta { return c.tensor(0).moreDims(-1) }
	case "Solve", "SolveTriangular":
		return solveMeta
	case "T":
		return func(c *metaCall) meta {
			m := c.tensor(0).copied()
			slices.Reverse(m.dims)
			return m
		}
	case "Transpose":
		return transposeMeta
	case "Permute":
		return permuteMeta
	case "View", "Reshape":
		return reshapeMeta
	case "Flatten":
		return flattenMeta
	case "Expand":
		return expandMeta
	case "MatMul":
		return matMulMeta
	case "Dot":
		return func(c *metaCall) meta { return meta{dtype: eitherDType(c.in), ranked: true} }
	case "Outer":
		return outerMeta
	}
	reduced, keep := strings.CutSuffix(name, "KeepDims")
	if dtype, ok := reductionDType(reduced); ok {
		return func(c *metaCall) meta { return reduceMeta(c, keep).as(dtype(c.tensor(0).dtype)) }
	}
	return nil
}

// reductionDType is the dtype of a reduction over dims.
func reductionDType(name string) (func(string) string, bool) {
	constant := func(d string) func(string) string { return func(string) string { return d } }
	switch name {
	case "Sum", "Prod":
		return sumOf, true
	case "Mean":
		return func(d string) string {
			if d == "bool" || strings.HasPrefix(d, "int") {
				return "float64"
			}
			return d
		}, true
	case "Max", "Min", "Var", "Norm", "LogSumExp":
		return func(d string) string { return d }, true
	case "All", "Any":
		return constant("bool"), true
	case "ArgMax", "ArgMin":
		return constant("int64"), true
	}
	return nil, false
}

// sumOf is the dtype of a sum.
func sumOf(d string) string {
	if d == "bool" || strings.HasPrefix(d, "int") {
		return "int64"
	}
	return d
}

// as returns the meta with another dtype.
func (m meta) as(dtype string) meta {
	m.dtype, m.formula = dtype, nil
	return m
}

// copied returns the meta with dims of its own.
func (m meta) copied() meta {
	m.dims, m.formula = slices.Clone(m.dims), nil
	return m
}

// shaped is the meta with a rank that is known.
func (m meta) shaped(dims []size) meta { return meta{dtype: m.dtype, dims: dims, ranked: true} }

// moreDims is the meta of a tensor with n more dims of which nothing else is known.
func (m meta) moreDims(n int) meta {
	out := meta{dtype: m.dtype}
	if m.ranked && len(m.dims)+n >= 0 {
		out.ranked, out.dims = true, slices.Repeat([]size{unknownSize}, len(m.dims)+n)
	} else if m.base != nil {
		out.base, out.more = m.base, m.more+n
	}
	return out
}

func sameMeta(c *metaCall) meta { return c.tensor(0) }

// eitherDType is the one dtype of operands.
func eitherDType(in []meta) string {
	for _, m := range in {
		if m.dtype != "" {
			return m.dtype
		}
	}
	return ""
}

func broadcastMeta(c *metaCall) meta { return meta{dtype: eitherDType(c.in)}.broadcast(c.in) }

// broadcast gives the meta the shape to which operands broadcast.
func (m meta) broadcast(in []meta) meta {
	var dims []size
	for _, n := range in {
		if !n.ranked {
			return m
		}
		for len(dims) < len(n.dims) {
			dims = append([]size{1}, dims...)
		}
	}
	for _, n := range in {
		for i, d := range n.dims {
			at := len(dims) - len(n.dims) + i
			switch old := dims[at]; {
			case d == old || d == 1:
			case old == 1:
				dims[at] = d
			case old == unknownSize: // d is 2 or more, and so is the other unless it is 1: the result is d
				dims[at] = d
			case d == unknownSize:
			default:
				return m // the op fails
			}
		}
	}
	return m.shaped(dims)
}

// dim is argument i as the number of a dim of a tensor of the given rank.
func (c *metaCall) dim(i, rank int) (int, bool) {
	if i >= len(c.ints) || !c.exact() {
		return 0, false
	}
	d := int(c.ints[i].Value)
	if d < 0 {
		d += rank
	}
	return d, 0 <= d && d < rank
}

func unsqueezeMeta(c *metaCall) meta {
	m := c.tensor(0)
	if d, ok := c.dim(0, len(m.dims)+1); ok && m.ranked {
		return m.shaped(slices.Insert(slices.Clone(m.dims), d, 1))
	}
	return m.moreDims(1)
}

func squeezeMeta(c *metaCall) meta {
	m := c.tensor(0)
	if !m.ranked || !c.exact() {
		return meta{dtype: m.dtype}
	}
	var dims []size
	drop := map[int]bool{}
	for i := range c.ints {
		d, ok := c.dim(i, len(m.dims))
		if !ok {
			return meta{dtype: m.dtype}
		}
		drop[d] = true
	}
	for i, d := range m.dims {
		switch {
		case len(c.ints) == 0 && d == unknownSize:
			return meta{dtype: m.dtype}
		case len(c.ints) == 0 && d == 1 || drop[i]:
		default:
			dims = append(dims, d)
		}
	}
	return m.shaped(dims)
}

func narrowMeta(c *metaCall) meta {
	m := c.tensor(0)
	d, ok := c.dim(0, len(m.dims))
	if !m.ranked || !ok || len(c.ints) != 3 || c.ints[2].Value < 0 {
		return m.moreDims(0)
	}
	m = m.copied()
	m.dims[d] = size(c.ints[2].Value)
	return meta{dtype: m.dtype}.shaped(m.dims)
}

func selectMeta(c *metaCall) meta {
	m := c.tensor(0)
	if d, ok := c.dim(0, len(m.dims)); ok && m.ranked {
		return m.shaped(slices.Delete(slices.Clone(m.dims), d, d+1))
	}
	return m.moreDims(-1)
}

// resizedMeta is the rule of an op that gives one dim another size and keeps the others; a gather may grow them too.
func resizedMeta(name string) transfer {
	return func(c *metaCall) meta {
		m := c.tensor(0)
		d, ok := c.dim(0, len(m.dims))
		if !m.ranked || !ok || name == "Gather" {
			return m.moreDims(0)
		}
		m = m.copied()
		old := m.dims[d]
		m.dims[d] = unknownSize
		switch index := c.tensor(1); {
		case name == "IndexSelect" && index.ranked && len(index.dims) == 1:
			m.dims[d] = index.dims[0]
		case name == "Repeat" && old != unknownSize && c.ints[1].Value >= 0:
			m.dims[d] = old * size(c.ints[1].Value)
		case name == "Pad" && old != unknownSize && c.ints[1].Value >= 0 && c.ints[2].Value >= 0:
			m.dims[d] = old + size(c.ints[1].Value+c.ints[2].Value)
		}
		return m
	}
}

func oneHotMeta(c *metaCall) meta {
	m := c.tensor(0).moreDims(1).as(c.dtype)
	if in := c.tensor(0); in.ranked {
		n := unknownSize
		if c.exact() && len(c.ints) == 1 && c.ints[0].Value >= 0 {
			n = size(c.ints[0].Value)
		}
		m.dims = append(slices.Clone(in.dims), n)
	}
	return m
}

// solveMeta knows one matrix; batches are left open.
func solveMeta(c *metaCall) meta {
	a, b := c.tensor(0), c.tensor(1)
	out := meta{dtype: eitherDType(c.in)}
	if a.ranked && b.ranked && len(a.dims) == 2 && len(b.dims) <= 2 {
		return out.shaped(b.dims)
	}
	return out
}

func transposeMeta(c *metaCall) meta {
	m := c.tensor(0)
	a, okA := c.dim(0, len(m.dims))
	b, okB := c.dim(1, len(m.dims))
	if !m.ranked || !okA || !okB {
		return m.moreDims(0)
	}
	m = m.copied()
	m.dims[a], m.dims[b] = m.dims[b], m.dims[a]
	return m
}

func permuteMeta(c *metaCall) meta {
	m := c.tensor(0)
	if !m.ranked || !c.exact() || len(c.ints) != len(m.dims) {
		return m.moreDims(0)
	}
	dims := make([]size, len(m.dims))
	for i := range c.ints {
		d, ok := c.dim(i, len(m.dims))
		if !ok {
			return m.moreDims(0)
		}
		dims[i] = m.dims[d]
	}
	return m.shaped(dims)
}

func reshapeMeta(c *metaCall) meta {
	m := c.tensor(0)
	if !c.exact() {
		return meta{dtype: m.dtype}
	}
	total, known := int64(1), m.ranked
	for _, d := range m.dims {
		known = known && d != unknownSize
		total *= int64(d)
	}
	dims := make([]size, len(c.ints))
	rest, open := int64(1), -1
	for i := range c.ints {
		n := c.ints[i].Value
		dims[i] = size(n)
		if n == -1 {
			dims[i], open = unknownSize, i
		} else {
			rest *= n
		}
	}
	switch {
	case open >= 0 && known && rest > 0 && total%rest == 0:
		dims[open] = size(total / rest)
	case open < 0 && known && rest != total:
		return meta{dtype: m.dtype} // the op fails
	}
	return m.shaped(dims)
}

func flattenMeta(c *metaCall) meta {
	m := c.tensor(0)
	total := size(1)
	for _, d := range m.dims {
		if d == unknownSize {
			return m.shaped([]size{unknownSize})
		}
		total *= d
	}
	if !m.ranked {
		total = unknownSize
	}
	return m.shaped([]size{total})
}

func expandMeta(c *metaCall) meta {
	m := c.tensor(0)
	if !c.exact() {
		return meta{dtype: m.dtype}
	}
	dims := make([]size, len(c.ints))
	for i := range c.ints {
		n := c.ints[i].Value
		dims[i] = size(n)
		if n == -1 {
			dims[i] = unknownSize
			if at := i - (len(c.ints) - len(m.dims)); m.ranked && at >= 0 {
				dims[i] = m.dims[at]
			}
		}
	}
	return m.shaped(dims)
}

// matMulMeta knows products of matrices and vectors; batches are left open.
func matMulMeta(c *metaCall) meta {
	a, b := c.tensor(0), c.tensor(1)
	out := meta{dtype: eitherDType(c.in)}
	if !a.ranked || !b.ranked {
		return out
	}
	switch [2]int{len(a.dims), len(b.dims)} {
	case [2]int{2, 2}:
		return out.shaped([]size{a.dims[0], b.dims[1]})
	case [2]int{2, 1}:
		return out.shaped([]size{a.dims[0]})
	case [2]int{1, 2}:
		return out.shaped([]size{b.dims[1]})
	case [2]int{1, 1}:
		return out.shaped(nil)
	}
	return out
}

func outerMeta(c *metaCall) meta {
	a, b := c.tensor(0), c.tensor(1)
	dims := []size{unknownSize, unknownSize}
	if a.ranked && len(a.dims) == 1 {
		dims[0] = a.dims[0]
	}
	if b.ranked && len(b.dims) == 1 {
		dims[1] = b.dims[0]
	}
	return meta{dtype: eitherDType(c.in)}.shaped(dims)
}

// reduceMeta drops dims, all of them if none is named, or keeps them with size 1.
func reduceMeta(c *metaCall, keep bool) meta {
	m := c.tensor(0)
	if !c.exact() {
		return meta{dtype: m.dtype}
	}
	if len(c.ints) == 0 && !keep {
		return m.shaped(nil)
	}
	if !m.ranked {
		if keep {
			return m.moreDims(0)
		}
		return m.moreDims(-len(c.ints))
	}
	named := map[int]bool{}
	for i := range c.ints {
		d, ok := c.dim(i, len(m.dims))
		if !ok {
			return meta{dtype: m.dtype}
		}
		named[d] = true
	}
	var dims []size
	for i, d := range m.dims {
		switch {
		case len(named) > 0 && !named[i]:
			dims = append(dims, d)
		case keep:
			dims = append(dims, 1)
		}
	}
	return m.shaped(dims)
}
