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
	MatMul = Kernel{Run: matMul, Bind: bindMatMul}
	Outer  = Kernel{Run: outer}
	Dot    = Kernel{Run: dot}
)

// matrix is a window with the strides of its last two dims, in elements.
type matrix struct {
	p        unsafe.Pointer
	row, col int
}

// product is a MatMul with its matrices and batch dims.
type product struct {
	o, a, b matrix
	m, k, n int
	// batches are the numbers of leading dims of the result and of the arguments.
	batchO, batchA, batchB int
	gemm                   gemm
}

// productOf reads the dims and strides of a call; vectors have a dim of size 1 more.
func productOf(c *Call) (product, error) {
	out, a, b := &c.Out[0], &c.In[0], &c.In[1]
	if a.DType != b.DType || a.DType != out.DType {
		return product{}, unsupported("mat_mul of "+a.DType.String()+" and "+b.DType.String(), out.DType)
	}
	ra, rb, ro := len(a.Shape), len(b.Shape), len(out.Shape)
	p := product{m: 1, n: 1, k: a.Shape[ra-1], batchA: max(ra-2, 0), batchB: max(rb-2, 0), batchO: ro}
	p.a = matrix{p: a.Ptr, col: a.Strides[ra-1]}
	p.b = matrix{p: b.Ptr, row: b.Strides[max(rb-2, 0)]}
	p.o = matrix{p: out.Ptr}
	if rb > 1 {
		p.n, p.b.col, p.o.col = b.Shape[rb-1], b.Strides[rb-1], out.Strides[ro-1]
		p.batchO--
	}
	if ra > 1 {
		p.m, p.a.row, p.o.row = a.Shape[ra-2], a.Strides[ra-2], out.Strides[p.batchO-1]
		p.batchO--
	}
	if p.gemm = gemmFor(a.DType, p.m, p.k, p.n); p.gemm == nil {
		return product{}, unsupported("mat_mul", a.DType)
	}
	return p, nil
}

func matMul(c *Call) error {
	p, err := productOf(c)
	out, a, b := &c.Out[0], &c.In[0], &c.In[1]
	switch {
	case err != nil:
		return err
	case out.NumElems() == 0:
		return nil
	case p.batchO == 0:
		p.gemm(p.o, p.a, p.b, p.m, p.k, p.n)
		return nil
	}
	batch := out.Shape[:p.batchO]
	wa := Array{Ptr: a.Ptr, DType: a.DType, Shape: a.Shape[:p.batchA], Strides: a.Strides[:p.batchA]}
	wb := Array{Ptr: b.Ptr, DType: b.DType, Shape: b.Shape[:p.batchB], Strides: b.Strides[:p.batchB]}
	wo := Array{Ptr: out.Ptr, DType: out.DType, Shape: batch, Strides: out.Strides[:p.batchO]}
	args := [3]*Array{&wa, &wb, &wo} // the result walks as an argument too: its batch stride is no 1
	mo, ma, mb, m, k, n, gemm := p.o, p.a, p.b, p.m, p.k, p.n, p.gemm
	sweep(batch, &wo, &args, func(_, pa, pb, po unsafe.Pointer, count, sa, sb, so int) {
		for i := range count {
			mo.p, ma.p, mb.p = step(po, out.DType, i*so), step(pa, a.DType, i*sa), step(pb, b.DType, i*sb)
			gemm(mo, ma, mb, m, k, n)
		}
	})
	return nil
}

// bindMatMul binds products without batch dims.
func bindMatMul(c *Call) func() {
	p, err := productOf(c)
	if err != nil || p.batchO > 0 || c.Out[0].NumElems() == 0 {
		return nil
	}
	out, a, b := &c.Out[0], &c.In[0], &c.In[1]
	return func() {
		o, x, y := p.o, p.a, p.b
		o.p, x.p, y.p = out.Ptr, a.Ptr, b.Ptr
		p.gemm(o, x, y, p.m, p.k, p.n)
	}
}

// gemm makes the product o [m, n] of a [m, k] and b [k, n].
type gemm func(o, a, b matrix, m, k, n int)

// smallGemms are indexed by dtype and by k; the last is for all k from there on.
var smallGemms = [6][6]gemm{
	tracer.Int32:   {gemmZero[int32], gemmDepth1[int32], gemmDepth2[int32], gemmDepth3[int32], gemmDepth4[int32], gemmLoops[int32]},
	tracer.Int64:   {gemmZero[int64], gemmDepth1[int64], gemmDepth2[int64], gemmDepth3[int64], gemmDepth4[int64], gemmLoops[int64]},
	tracer.Float32: {gemmZero[float32], gemmDepth1[float32], gemmDepth2[float32], gemmDepth3[float32], gemmDepth4[float32], gemmLoops[float32]},
	tracer.Float64: {gemmZero[float64], gemmDepth1[float64], gemmDepth2[float64], gemmDepth3[float64], gemmDepth4[float64], gemmLoops[float64]},
}

// gemmFor returns how products of a dtype and size are made, nil when the dtype has none.
func gemmFor(dt tracer.DType, m, k, n int) gemm {
	if m*k*n >= blasWork {
		switch dt {
		case tracer.Float32:
			return gemmFloat32
		case tracer.Float64:
			return gemmFloat64
		}
	}
	return smallGemms[dt][min(k, len(smallGemms[dt])-1)]
}

// gemmZero is the product of matrices without elements. Their pointers may be nil and are not touched.
func gemmZero[T number](o, _, _ matrix, m, _, n int) {
	for i := range m {
		for j := range n {
			*at[T](o.p, i*o.row+j*o.col) = 0
		}
	}
}

// gemmDepth1 and its kin keep a row of the left matrix in registers.
func gemmDepth1[T number](o, a, b matrix, m, _, n int) {
	for i := range m {
		po, x0 := unsafe.Pointer(at[T](o.p, i*o.row)), *at[T](a.p, i*a.row)
		for j := range n {
			*at[T](po, j*o.col) = x0 * *at[T](b.p, j*b.col)
		}
	}
}

func gemmDepth2[T number](o, a, b matrix, m, _, n int) {
	b1 := unsafe.Pointer(at[T](b.p, b.row))
	for i := range m {
		po, pa := unsafe.Pointer(at[T](o.p, i*o.row)), unsafe.Pointer(at[T](a.p, i*a.row))
		x0, x1 := *at[T](pa, 0), *at[T](pa, a.col)
		for j := range n {
			*at[T](po, j*o.col) = x0**at[T](b.p, j*b.col) + x1**at[T](b1, j*b.col)
		}
	}
}

func gemmDepth3[T number](o, a, b matrix, m, _, n int) {
	b1, b2 := unsafe.Pointer(at[T](b.p, b.row)), unsafe.Pointer(at[T](b.p, 2*b.row))
	for i := range m {
		po, pa := unsafe.Pointer(at[T](o.p, i*o.row)), unsafe.Pointer(at[T](a.p, i*a.row))
		x0, x1, x2 := *at[T](pa, 0), *at[T](pa, a.col), *at[T](pa, 2*a.col)
		for j := range n {
			*at[T](po, j*o.col) = x0**at[T](b.p, j*b.col) + x1**at[T](b1, j*b.col) + x2**at[T](b2, j*b.col)
		}
	}
}

func gemmDepth4[T number](o, a, b matrix, m, _, n int) {
	b1, b2, b3 := unsafe.Pointer(at[T](b.p, b.row)), unsafe.Pointer(at[T](b.p, 2*b.row)), unsafe.Pointer(at[T](b.p, 3*b.row))
	for i := range m {
		po, pa := unsafe.Pointer(at[T](o.p, i*o.row)), unsafe.Pointer(at[T](a.p, i*a.row))
		x0, x1, x2, x3 := *at[T](pa, 0), *at[T](pa, a.col), *at[T](pa, 2*a.col), *at[T](pa, 3*a.col)
		for j := range n {
			*at[T](po, j*o.col) = x0**at[T](b.p, j*b.col) + x1**at[T](b1, j*b.col) + x2**at[T](b2, j*b.col) + x3**at[T](b3, j*b.col)
		}
	}
}

// blasWork is the number of multiplications from which gonum pays for its checks.
const blasWork = 4096

func gemmFloat32(o, a, b matrix, m, k, n int) {
	ta, lda, okA := blasForm(a, m, k)
	tb, ldb, okB := blasForm(b, k, n)
	if !okA || !okB || o.col != 1 && n > 1 || !finite[float32](b, k, n) {
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
	if !okA || !okB || o.col != 1 && n > 1 || !finite[float64](b, k, n) {
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
			pa, pb := unsafe.Pointer(at[T](a.p, i*a.row)), unsafe.Pointer(at[T](b.p, j*b.col))
			for l := range k {
				sum += *at[T](pa, l*a.col) * *at[T](pb, l*b.row)
			}
			*at[T](o.p, i*o.row+j*o.col) = sum
		}
	}
}

// gemmRows adds multiples of b's rows to the rows of the result; rows of b and o are contiguous.
func gemmRows[T number](o, a, b matrix, m, k, n int) {
	for i := range m {
		row := vec[T](unsafe.Pointer(at[T](o.p, i*o.row)), n)
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
	rows, cols := a.NumElems(), b.NumElems()
	gemm := gemmFor(a.DType, rows, 1, cols)
	if a.DType != b.DType || gemm == nil {
		return unsupported("outer of "+b.DType.String(), a.DType)
	}
	if c.Out[0].NumElems() > 0 {
		gemm(matrix{c.Out[0].Ptr, cols, 1}, matrix{a.Ptr, stride0(&a), 0}, matrix{b.Ptr, 0, stride0(&b)}, rows, 1, cols)
	}
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
