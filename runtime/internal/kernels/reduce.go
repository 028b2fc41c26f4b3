package kernels

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// Reductions over the attribute "dims"; none means all. The shape of the result decides between dropped and kept dims.
//
// A float sum over n elements adds blocks of 128 in 8 lanes and the block sums pairwise, so its error is at most
// (19 + ceil(log2(n/128)))·u·Σ|x| with u the unit roundoff; one ceil(log2 d) more for each further reduced dim d that
// cannot be merged. Column sums of a matrix have the bound of sumColumns. Sums and products of integers are made in int64 and wrap. Zero elements give 0 for Sum, 1 for
// Prod, NaN for Mean and Var, -Inf for LogSumExp; for Max and Min they are an error. NaN wins Max and Min.
var (
	Sum       = reduction("sum", pickSum)
	Prod      = reduction("prod", pickProd)
	Mean      = reduction("mean", pickMean)
	Max       = reduction("max", pickMax)
	Min       = reduction("min", pickMin)
	Any       = reduction("any", pickAny)
	All       = reduction("all", pickAll)
	Var       = reduction("var", pickVar)
	LogSumExp = reduction("log_sum_exp", pickLogSumExp)
)

var errEmptyExtremum = errors.New("no elements to choose from; guard the empty case or concatenate a least element")

// reducer writes one result at o from the n elements that a visits behind p.
type reducer func(o, p unsafe.Pointer, a *axes, n int)

// axes are the dims that one reduction runs over, merged where possible, the last one first.
type axes struct {
	rank           int
	shape, strides [maxAxes]int
}

const maxAxes = 2 * maxWalk

func (a *axes) add(size, stride int) bool {
	if size == 1 {
		return true
	}
	if r := a.rank; r > 0 && stride == a.strides[r-1]*a.shape[r-1] {
		a.shape[r-1] *= size
		return true
	}
	if a.rank == maxAxes {
		return false
	}
	a.shape[a.rank], a.strides[a.rank] = size, stride
	a.rank++
	return true
}

func reduction(op string, pick func(in, out tracer.DType) reducer) Kernel {
	table := byDTypes(pick)
	return Kernel{Run: func(c *Call) error { return reduce(c, op, table) }}
}

// byDTypes asks pick once for every pair of dtypes, so that a call only looks up.
func byDTypes[F any](pick func(in, out tracer.DType) F) *[6][6]F {
	var table [6][6]F
	for _, in := range tracer.DTypes() {
		for _, out := range tracer.DTypes() {
			table[in][out] = pick(in, out)
		}
	}
	return &table
}

func reduce(c *Call, op string, table *[6][6]reducer) error {
	in, out := &c.In[0], &c.Out[0]
	f := table[in.DType][out.DType]
	if f == nil {
		return fmt.Errorf("%s of %s does not give %s; convert the tensor with To", op, in.DType, out.DType)
	}
	dims := c.Attrs.Ints("dims")
	var kept axes
	over := &c.over
	over.rank = 0
	kept.shape[0], over.shape[0], over.strides[0] = 1, 1, 0
	n := 1
	for d := len(in.Shape) - 1; d >= 0; d-- {
		ok := false
		if len(dims) == 0 || has(dims, d) {
			n *= in.Shape[d]
			ok = over.add(in.Shape[d], in.Strides[d])
		} else {
			ok = kept.add(in.Shape[d], in.Strides[d])
		}
		if !ok {
			return fmt.Errorf("%s: %d dims that cannot be merged; make the tensor contiguous first", op, maxAxes+1)
		}
	}
	results := out.NumElems()
	if results == 0 {
		return nil
	}
	if n == 0 {
		over.rank, over.shape[0] = 0, 0
		kept.strides = [maxAxes]int{} // there is no element to step to
		if op == "max" || op == "min" {
			return fmt.Errorf("%s over dims of %v: %w", op, in.Shape, errEmptyExtremum)
		}
	}
	if columns := columnsOf(in.DType, op); columns != nil && n > 0 && kept.strides[0] == 1 && over.rank == 1 && kept.rank == 1 {
		columns(out.Ptr, in.Ptr, results, n, over.strides[0])
		return nil
	}
	var index [maxAxes]int
	p := in.Ptr
	for i := 0; ; i++ {
		f(step(out.Ptr, out.DType, i), p, over, n)
		d := 0
		for ; d < kept.rank; d++ {
			index[d]++
			if index[d] < kept.shape[d] {
				p = step(p, in.DType, kept.strides[d])
				break
			}
			index[d] = 0
			p = step(p, in.DType, -kept.strides[d]*(kept.shape[d]-1))
		}
		if d == kept.rank {
			return nil
		}
	}
}

// columnsOf returns the loop that sums the columns of a matrix with contiguous rows, nil for other reductions.
func columnsOf(dt tracer.DType, op string) func(o, p unsafe.Pointer, columns, n, s int) {
	switch {
	case op != "sum":
		return nil
	case dt == tracer.Float32:
		return sumColumns[float32]
	case dt == tracer.Float64:
		return sumColumns[float64]
	default:
		return nil
	}
}

// tile is how many columns are summed side by side, so that memory is read along rows.
const tile = 8

// sumColumns sums n rows that are s elements apart. Blocks of 32 rows are added in order, the blocks pairwise: the
// error is at most (31 + ceil(log2(n/32)))·u·Σ|x|.
func sumColumns[T float](o, p unsafe.Pointer, columns, n, s int) {
	j := 0
	for ; j+tile <= columns; j += tile {
		sumTile((*[tile]T)(unsafe.Pointer(at[T](o, j))), unsafe.Pointer(at[T](p, j)), n, s)
	}
	for ; j < columns; j++ {
		*at[T](o, j) = sumRun[T](unsafe.Pointer(at[T](p, j)), n, s)
	}
}

func sumTile[T float](o *[tile]T, p unsafe.Pointer, n, s int) {
	if n > 32 {
		half := n / 2
		var rest [tile]T
		sumTile(o, p, half, s)
		sumTile(&rest, unsafe.Pointer(at[T](p, half*s)), n-half, s)
		for k, v := range rest {
			o[k] += v
		}
		return
	}
	var a0, a1, a2, a3, a4, a5, a6, a7 T
	for i := range n {
		row := (*[tile]T)(unsafe.Pointer(at[T](p, i*s)))
		a0 += row[0]
		a1 += row[1]
		a2 += row[2]
		a3 += row[3]
		a4 += row[4]
		a5 += row[5]
		a6 += row[6]
		a7 += row[7]
	}
	*o = [tile]T{a0, a1, a2, a3, a4, a5, a6, a7}
}

func has(dims []int, d int) bool {
	for _, k := range dims {
		if k == d {
			return true
		}
	}
	return false
}

// fold reduces dims d … 0 of a: leaf reduces the run of n elements along dim 0, join combines halves of the other dims.
func fold[T plain, R any](p unsafe.Pointer, a *axes, d int, leaf func(p unsafe.Pointer, n, s int) R, join func(x, y R) R) R {
	if d <= 0 {
		return leaf(p, a.shape[0], a.strides[0])
	}
	return foldRange[T](p, a, d, a.shape[d], leaf, join)
}

func foldRange[T plain, R any](p unsafe.Pointer, a *axes, d, n int, leaf func(p unsafe.Pointer, n, s int) R, join func(x, y R) R) R {
	if n == 1 {
		return fold[T](p, a, d-1, leaf, join)
	}
	half := n / 2
	low := foldRange[T](p, a, d, half, leaf, join)
	return join(low, foldRange[T](unsafe.Pointer(at[T](p, half*a.strides[d])), a, d, n-half, leaf, join))
}

func add2[T number](x, y T) T { return x + y }
func mul2[T number](x, y T) T { return x * y }
func max2[T plain](x, y T) T  { return max(x, y) }
func min2[T plain](x, y T) T  { return min(x, y) }

// sumRun adds n floats that are s elements apart: blocks of 128 in 8 lanes, blocks pairwise.
func sumRun[T float](p unsafe.Pointer, n, s int) T {
	if n > 128 {
		half := n / 2 &^ 7
		return sumRun[T](p, half, s) + sumRun[T](unsafe.Pointer(at[T](p, half*s)), n-half, s)
	}
	var a0, a1, a2, a3, a4, a5, a6, a7 T
	i := 0
	if s == 1 {
		v := vec[T](p, n)
		for ; len(v) >= 8; v = v[8:] {
			a0 += v[0]
			a1 += v[1]
			a2 += v[2]
			a3 += v[3]
			a4 += v[4]
			a5 += v[5]
			a6 += v[6]
			a7 += v[7]
		}
		i = n - len(v)
	} else {
		for ; i+8 <= n; i += 8 {
			a0 += *at[T](p, i*s)
			a1 += *at[T](p, (i+1)*s)
			a2 += *at[T](p, (i+2)*s)
			a3 += *at[T](p, (i+3)*s)
			a4 += *at[T](p, (i+4)*s)
			a5 += *at[T](p, (i+5)*s)
			a6 += *at[T](p, (i+6)*s)
			a7 += *at[T](p, (i+7)*s)
		}
	}
	r := ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7))
	for ; i < n; i++ {
		r += *at[T](p, i*s)
	}
	return r
}

// foldRun folds f over a run of n elements from start.
func foldRun[T plain, R any](p unsafe.Pointer, n, s int, start R, f func(acc R, x T) R) R {
	for i := range n {
		start = f(start, *at[T](p, i*s))
	}
	return start
}

// runOf makes a leaf of foldRun.
func runOf[T plain, R any](start R, f func(acc R, x T) R) func(p unsafe.Pointer, n, s int) R {
	return func(p unsafe.Pointer, n, s int) R { return foldRun(p, n, s, start, f) }
}

func sumFloat[T float](o, p unsafe.Pointer, a *axes, _ int) {
	*(*T)(o) = fold[T](p, a, a.rank-1, sumRun[T], add2[T])
}

// foldInto makes a reducer from a leaf and a join whose result is stored as is.
func foldInto[T plain, R any](leaf func(p unsafe.Pointer, n, s int) R, join func(x, y R) R) reducer {
	return func(o, p unsafe.Pointer, a *axes, _ int) { *(*R)(o) = fold[T](p, a, a.rank-1, leaf, join) }
}

// foldInt makes a reducer that works in int64 and stores as int32 where the result is one.
func foldInt[T plain](out tracer.DType, start int64, f func(acc int64, x T) int64, join func(x, y int64) int64) reducer {
	leaf := runOf(start, f)
	switch out {
	case tracer.Int64:
		return foldInto[T](leaf, join)
	case tracer.Int32:
		return func(o, p unsafe.Pointer, a *axes, _ int) { *(*int32)(o) = int32(fold[T](p, a, a.rank-1, leaf, join)) }
	default:
		return nil
	}
}

func pickSum(in, out tracer.DType) reducer {
	switch in {
	case tracer.Bool:
		return foldInt(out, 0, func(acc int64, x uint8) int64 { return acc + int64(x) }, add2[int64])
	case tracer.Int32:
		return foldInt(out, 0, func(acc int64, x int32) int64 { return acc + int64(x) }, add2[int64])
	case tracer.Int64:
		return foldInt(out, 0, func(acc, x int64) int64 { return acc + x }, add2[int64])
	}
	return floatsOnly(in, out, sumFloat[float32], sumFloat[float64])
}

func pickProd(in, out tracer.DType) reducer {
	switch in {
	case tracer.Bool:
		return foldInt(out, 1, func(acc int64, x uint8) int64 { return acc * int64(x) }, mul2[int64])
	case tracer.Int32:
		return foldInt(out, 1, func(acc int64, x int32) int64 { return acc * int64(x) }, mul2[int64])
	case tracer.Int64:
		return foldInt(out, 1, func(acc, x int64) int64 { return acc * x }, mul2[int64])
	}
	return floatsOnly(in, out, foldInto[float32](runOf(1, mul2[float32]), mul2), foldInto[float64](runOf(1, mul2[float64]), mul2))
}

// floatsOnly picks one of two reducers that keep a float dtype.
func floatsOnly(in, out tracer.DType, f32, f64 reducer) reducer {
	switch {
	case in != out:
		return nil
	case in == tracer.Float32:
		return f32
	case in == tracer.Float64:
		return f64
	default:
		return nil
	}
}

func meanFloat[T float](o, p unsafe.Pointer, a *axes, n int) {
	*(*T)(o) = fold[T](p, a, a.rank-1, sumRun[T], add2[T]) / T(n)
}

// meanInt64 adds as floats: the sum of large integers does not fit an int64.
func meanInt64(o, p unsafe.Pointer, a *axes, n int) {
	leaf := runOf(0.0, func(acc float64, x int64) float64 { return acc + float64(x) })
	*(*float64)(o) = fold[int64](p, a, a.rank-1, leaf, add2[float64]) / float64(n)
}

func pickMean(in, out tracer.DType) reducer {
	if in == tracer.Int64 && out == tracer.Float64 {
		return meanInt64
	}
	if sum := pickSum(in, tracer.Int64); sum != nil && out == tracer.Float64 {
		return func(o, p unsafe.Pointer, a *axes, n int) {
			sum(o, p, a, n) // the integer sum fits the float's eight bytes
			*(*float64)(o) = float64(*(*int64)(o)) / float64(n)
		}
	}
	return floatsOnly(in, out, meanFloat[float32], meanFloat[float64])
}

func varFloat[T float](o, p unsafe.Pointer, a *axes, n int) {
	mean := fold[T](p, a, a.rank-1, sumRun[T], add2[T]) / T(n)
	leaf := func(p unsafe.Pointer, n, s int) T { return sumSquares(p, n, s, mean) }
	*(*T)(o) = fold[T](p, a, a.rank-1, leaf, add2[T]) / T(n)
}

// sumSquares adds the squared distances from mean, pairwise down to blocks of 64.
func sumSquares[T float](p unsafe.Pointer, n, s int, mean T) T {
	if n > 64 {
		half := n / 2
		return sumSquares(p, half, s, mean) + sumSquares(unsafe.Pointer(at[T](p, half*s)), n-half, s, mean)
	}
	var r T
	for i := range n {
		d := *at[T](p, i*s) - mean
		r += d * d
	}
	return r
}

// pickVar is the population variance (ddof 0) in two passes.
func pickVar(in, out tracer.DType) reducer {
	return floatsOnly(in, out, varFloat[float32], varFloat[float64])
}

// maxRun is the largest of n elements, found in four lanes; NaN wins.
func maxRun[T plain](p unsafe.Pointer, n, s int) T {
	a0 := *(*T)(p)
	a1, a2, a3 := a0, a0, a0
	i := 1
	for ; i+4 <= n; i += 4 {
		a0, a1 = max(a0, *at[T](p, i*s)), max(a1, *at[T](p, (i+1)*s))
		a2, a3 = max(a2, *at[T](p, (i+2)*s)), max(a3, *at[T](p, (i+3)*s))
	}
	for ; i < n; i++ {
		a0 = max(a0, *at[T](p, i*s))
	}
	return max(a0, a1, a2, a3)
}

// minRun is the smallest of n elements; NaN wins.
func minRun[T plain](p unsafe.Pointer, n, s int) T {
	a0 := *(*T)(p)
	a1, a2, a3 := a0, a0, a0
	i := 1
	for ; i+4 <= n; i += 4 {
		a0, a1 = min(a0, *at[T](p, i*s)), min(a1, *at[T](p, (i+1)*s))
		a2, a3 = min(a2, *at[T](p, (i+2)*s)), min(a3, *at[T](p, (i+3)*s))
	}
	for ; i < n; i++ {
		a0 = min(a0, *at[T](p, i*s))
	}
	return min(a0, a1, a2, a3)
}

func largest[T plain]() reducer  { return foldInto[T](maxRun[T], max2[T]) }
func smallest[T plain]() reducer { return foldInto[T](minRun[T], min2[T]) }

func pickMax(in, out tracer.DType) reducer {
	return sameDType(in, out, largest[uint8](), largest[int32](), largest[int64](),
		foldInto[float32](largestFloat[float32], max2[float32]), foldInto[float64](largestFloat[float64], max2[float64]))
}

func pickMin(in, out tracer.DType) reducer {
	return sameDType(in, out, smallest[uint8](), smallest[int32](), smallest[int64](),
		foldInto[float32](smallestFloat[float32], min2[float32]), foldInto[float64](smallestFloat[float64], min2[float64]))
}

// sameDType picks the reducer of the dtype when the result has it too.
func sameDType(in, out tracer.DType, table ...reducer) reducer {
	if in != out || !in.Valid() {
		return nil
	}
	return table[in-tracer.Bool]
}

func pickAny(in, out tracer.DType) reducer { return pickTruth(in, out, false) }
func pickAll(in, out tracer.DType) reducer { return pickTruth(in, out, true) }

// pickTruth finds an element whose truth differs from start.
func pickTruth(in, out tracer.DType, start bool) reducer {
	if out != tracer.Bool {
		return nil
	}
	return sameDType(in, in, truth[uint8](start), truth[int32](start), truth[int64](start), truth[float32](start), truth[float64](start))
}

func truthRun[T plain](p unsafe.Pointer, n, s int, start bool) bool {
	for i := range n {
		if (*at[T](p, i*s) != 0) != start {
			return !start
		}
	}
	return start
}

func truth[T plain](start bool) reducer {
	leaf := func(p unsafe.Pointer, n, s int) bool { return truthRun[T](p, n, s, start) }
	join := func(x, y bool) bool {
		if x != start {
			return x
		}
		return y
	}
	return foldInto[T](leaf, join)
}

// sumExp adds the exponentials of the distances from m.
func sumExp[T float](p unsafe.Pointer, n, s int, m T) float64 {
	r := 0.0
	for i := range n {
		r += math.Exp(float64(*at[T](p, i*s) - m))
	}
	return r
}

func logSumExpFloat[T float](o, p unsafe.Pointer, a *axes, n int) {
	if n == 0 {
		*(*T)(o) = T(math.Inf(-1))
		return
	}
	m := fold[T](p, a, a.rank-1, maxRun[T], max2[T])
	if math.IsInf(float64(m), 0) || m != m {
		*(*T)(o) = m // all -Inf, some +Inf, or NaN
		return
	}
	leaf := func(p unsafe.Pointer, n, s int) float64 { return sumExp(p, n, s, m) }
	*(*T)(o) = T(float64(m) + math.Log(fold[T](p, a, a.rank-1, leaf, add2[float64])))
}

func pickLogSumExp(in, out tracer.DType) reducer {
	return floatsOnly(in, out, logSumExpFloat[float32], logSumExpFloat[float64])
}
