package kernels

import (
	"math"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Products. MatMul has NumPy's rules: a vector on the left is a row, on the right a column, whose dim is dropped from
// the result; leading dims are batches and broadcast. Dot takes vectors to a scalar, Outer to a matrix.
var (
	MatMul = Kernel{Run: matMul}
	Outer  = Kernel{Run: outer}
	Dot    = Kernel{Run: dot}
)

// matrix is a window with the strides of its last two dims, in elements.
type matrix struct {
	p        unsafe.Pointer
	row, col int
}

func matMul(c *Call) error {
	out, a, b := &c.Out[0], &c.In[0], &c.In[1]
	if a.DType != b.DType || a.DType != out.DType {
		return unsupported("mat_mul of "+a.DType.String()+" and "+b.DType.String(), out.DType)
	}
	gemm := gemmFor(a.DType)
	if gemm == nil {
		return unsupported("mat_mul", a.DType)
	}
	if out.NumElems() == 0 {
		return nil
	}
	// m, k, n and the strides of the matrices; vectors have a dim of size 1 more.
	ra, rb, ro := len(a.Shape), len(b.Shape), len(out.Shape)
	m, n, k := 1, 1, a.Shape[ra-1]
	ma := matrix{p: a.Ptr, col: a.Strides[ra-1]}
	mb := matrix{p: b.Ptr, row: b.Strides[max(rb-2, 0)]}
	mo := matrix{p: out.Ptr}
	batchA, batchB, batchO := max(ra-2, 0), max(rb-2, 0), ro
	if rb > 1 {
		n, mb.col, mo.col = b.Shape[rb-1], b.Strides[rb-1], out.Strides[ro-1]
		batchO--
	}
	if ra > 1 {
		m, ma.row, mo.row = a.Shape[ra-2], a.Strides[ra-2], out.Strides[batchO-1]
		batchO--
	}
	if batchO == 0 {
		gemm(mo, ma, mb, m, k, n)
		return nil
	}
	batch := out.Shape[:batchO]
	wa := Array{Ptr: a.Ptr, DType: a.DType, Shape: a.Shape[:batchA], Strides: a.Strides[:batchA]}
	wb := Array{Ptr: b.Ptr, DType: b.DType, Shape: b.Shape[:batchB], Strides: b.Strides[:batchB]}
	wo := Array{Ptr: out.Ptr, DType: out.DType, Shape: batch, Strides: out.Strides[:batchO]}
	args := [3]*Array{&wa, &wb, &wo} // the result walks as an argument too: its batch stride is no 1
	sweep(batch, &wo, &args, func(_, pa, pb, po unsafe.Pointer, count, sa, sb, so int) {
		for i := range count {
			mo.p, ma.p, mb.p = step(po, out.DType, i*so), step(pa, a.DType, i*sa), step(pb, b.DType, i*sb)
			gemm(mo, ma, mb, m, k, n)
		}
	})
	return nil
}

func gemmFor(dt tracer.DType) func(o, a, b matrix, m, k, n int) {
	switch dt {
	case tracer.Int32:
		return gemmLoops[int32]
	case tracer.Int64:
		return gemmLoops[int64]
	case tracer.Float32:
		return gemmFloat32
	case tracer.Float64:
		return gemmFloat64
	default:
		return nil
	}
}

// blasWork is the number of multiplications from which gonum pays for its checks.
const blasWork = 4096

func gemmFloat32(o, a, b matrix, m, k, n int) {
	ta, lda, okA := blasForm(a, m, k)
	tb, ldb, okB := blasForm(b, k, n)
	if m*n*k < blasWork || !okA || !okB || o.col != 1 && n > 1 || !finite[float32](b, k, n) {
		gemmLoops[float32](o, a, b, m, k, n)
		return
	}
	columnBlocks(m, k, n, func(j, w int) {
		gonum.Implementation{}.Sgemm(ta, tb, m, w, k, 1, vec[float32](a.p, extent(a, m, k)), lda,
			vec[float32](step(b.p, tracer.Float32, j*b.col), extent(b, k, w)), ldb,
			0, vec[float32](step(o.p, tracer.Float32, j), (m-1)*max(o.row, n)+w), max(o.row, n))
	})
}

func gemmFloat64(o, a, b matrix, m, k, n int) {
	ta, lda, okA := blasForm(a, m, k)
	tb, ldb, okB := blasForm(b, k, n)
	if m*n*k < blasWork || !okA || !okB || o.col != 1 && n > 1 || !finite[float64](b, k, n) {
		gemmLoops[float64](o, a, b, m, k, n)
		return
	}
	columnBlocks(m, k, n, func(j, w int) {
		gonum.Implementation{}.Dgemm(ta, tb, m, w, k, 1, vec[float64](a.p, extent(a, m, k)), lda,
			vec[float64](step(b.p, tracer.Float64, j*b.col), extent(b, k, w)), ldb,
			0, vec[float64](step(o.p, tracer.Float64, j), (m-1)*max(o.row, n)+w), max(o.row, n))
	})
}

// columnBlocks calls f for column ranges of a product. gonum cuts a result into tiles of 64x64 and starts goroutines
// from 4 tiles on, which allocates; up to parallelWork multiplications the ranges stay below that, so that a product
// in a loop allocates nothing.
func columnBlocks(m, k, n int, f func(j, w int)) {
	const tile, tiles, parallelWork = 64, 3, 1 << 23
	rows := (m + tile - 1) / tile
	w := n
	if m*k*n < parallelWork && rows <= tiles {
		w = tiles / rows * tile
	}
	for j := 0; j < n; j += w {
		f(j, min(w, n-j))
	}
}

// extent is the number of elements from the first to the last of a matrix.
func extent(a matrix, rows, cols int) int { return (rows-1)*a.row + (cols-1)*a.col + 1 }

// blasForm returns how blas reads the matrix: rows or columns must be neighbours in memory, without overlap.
func blasForm(a matrix, rows, cols int) (blas.Transpose, int, bool) {
	switch {
	case a.col == 1 && (a.row >= cols || rows == 1):
		return blas.NoTrans, max(a.row, cols), true
	case a.row == 1 && (a.col >= rows || cols == 1):
		return blas.Trans, max(a.col, rows), true
	default:
		return blas.NoTrans, 0, false
	}
}

// finite reports whether no element is NaN or infinite. gonum skips products with a zero of the left matrix, and
// 0·Inf and 0·NaN are no zeros.
func finite[T float](b matrix, rows, cols int) bool {
	if b.row == 1 {
		rows, cols, b.row, b.col = cols, rows, b.col, b.row
	}
	for i := range rows {
		row := vec[T](unsafe.Pointer(at[T](b.p, i*b.row)), (cols-1)*b.col+1)
		var s0, s1, s2, s3 T
		j := 0
		if b.col == 1 {
			for ; j+4 <= len(row); j += 4 {
				v := row[j : j+4 : j+4]
				s0 += v[0] * 0
				s1 += v[1] * 0
				s2 += v[2] * 0
				s3 += v[3] * 0
			}
		}
		for ; j < cols; j++ {
			s0 += row[j*b.col] * 0
		}
		if s := (s0 + s1) + (s2 + s3); s != 0 || math.IsNaN(float64(s)) {
			return false
		}
	}
	return true
}

// gemmLoops is the product for small matrices, integers and layouts that blas cannot read. Each element adds its
// products in order of k.
func gemmLoops[T number](o, a, b matrix, m, k, n int) {
	if b.col == 1 && o.col == 1 && n > 1 {
		gemmRows[T](o, a, b, m, k, n)
		return
	}
	for i := range m {
		for j := range n {
			var sum T
			for l := range k {
				sum += *at[T](a.p, i*a.row+l*a.col) * *at[T](b.p, l*b.row+j*b.col)
			}
			*at[T](o.p, i*o.row+j*o.col) = sum
		}
	}
}

// gemmRows adds multiples of b's rows to the rows of the result; rows of b and o are contiguous.
func gemmRows[T number](o, a, b matrix, m, k, n int) {
	for i := range m {
		row := vec[T](unsafe.Pointer(at[T](o.p, i*o.row)), n)
		if k == 0 {
			clear(row)
			continue
		}
		// A first product starts the sums: 0 + -0 would lose the sign of a zero.
		x := *at[T](a.p, i*a.row)
		for j, y := range vec[T](b.p, n)[:len(row)] {
			row[j] = x * y
		}
		l := 1
		for ; l+1 < k; l += 2 {
			x0, x1 := *at[T](a.p, i*a.row+l*a.col), *at[T](a.p, i*a.row+(l+1)*a.col)
			b0 := vec[T](unsafe.Pointer(at[T](b.p, l*b.row)), n)[:len(row)]
			b1 := vec[T](unsafe.Pointer(at[T](b.p, (l+1)*b.row)), n)[:len(row)]
			for j := range row {
				row[j] = row[j] + x0*b0[j] + x1*b1[j]
			}
		}
		if l < k {
			x0 := *at[T](a.p, i*a.row+l*a.col)
			for j, y := range vec[T](unsafe.Pointer(at[T](b.p, l*b.row)), n)[:len(row)] {
				row[j] += x0 * y
			}
		}
	}
}

func outer(c *Call) error {
	a, b := c.In[0], c.In[1]
	if a.DType != b.DType || gemmFor(a.DType) == nil {
		return unsupported("outer of "+b.DType.String(), a.DType)
	}
	if c.Out[0].NumElems() == 0 {
		return nil
	}
	rows, cols := a.NumElems(), b.NumElems()
	gemmFor(a.DType)(matrix{c.Out[0].Ptr, cols, 1}, matrix{a.Ptr, stride0(&a), 0}, matrix{b.Ptr, 0, stride0(&b)}, rows, 1, cols)
	return nil
}

func stride0(a *Array) int {
	if len(a.Strides) == 0 {
		return 0
	}
	return a.Strides[0]
}

func dot(c *Call) error {
	a, b, out := c.In[0], c.In[1], c.Out[0]
	if a.DType != b.DType {
		return unsupported("dot of "+b.DType.String(), a.DType)
	}
	n := a.NumElems()
	switch a.DType {
	case tracer.Int32:
		*(*int32)(out.Ptr) = dotRun[int32](a.Ptr, b.Ptr, n, stride0(&a), stride0(&b))
	case tracer.Int64:
		*(*int64)(out.Ptr) = dotRun[int64](a.Ptr, b.Ptr, n, stride0(&a), stride0(&b))
	case tracer.Float32:
		*(*float32)(out.Ptr) = dotRun[float32](a.Ptr, b.Ptr, n, stride0(&a), stride0(&b))
	case tracer.Float64:
		*(*float64)(out.Ptr) = dotRun[float64](a.Ptr, b.Ptr, n, stride0(&a), stride0(&b))
	default:
		return unsupported("dot", a.DType)
	}
	return nil
}

// dotRun adds products like sumRun adds elements, with four lanes and blocks of 128: the error is at most
// (35 + ceil(log2(n/128)))·u·Σ|x·y|.
func dotRun[T number](a, b unsafe.Pointer, n, sa, sb int) T {
	if n > 128 {
		half := n / 2 &^ 7
		return dotRun[T](a, b, half, sa, sb) +
			dotRun[T](unsafe.Pointer(at[T](a, half*sa)), unsafe.Pointer(at[T](b, half*sb)), n-half, sa, sb)
	}
	var s0, s1, s2, s3 T
	i := 0
	for ; i+4 <= n; i += 4 {
		s0 += *at[T](a, i*sa) * *at[T](b, i*sb)
		s1 += *at[T](a, (i+1)*sa) * *at[T](b, (i+1)*sb)
		s2 += *at[T](a, (i+2)*sa) * *at[T](b, (i+2)*sb)
		s3 += *at[T](a, (i+3)*sa) * *at[T](b, (i+3)*sb)
	}
	r := (s0 + s1) + (s2 + s3)
	for ; i < n; i++ {
		r += *at[T](a, i*sa) * *at[T](b, i*sb)
	}
	return r
}
