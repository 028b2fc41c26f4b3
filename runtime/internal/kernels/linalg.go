package kernels

import (
	"math"
	"unsafe"

	blasgonum "gonum.org/v1/gonum/blas/gonum"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"

	"github.com/hoplint/hoplint/tracer"
)

// Linear algebra on stacks of matrices: the last two dims are a matrix, those before it batches. Both float dtypes are
// computed in float64. Matrices of up to smallMatrix rows are factored by loops on the stack, larger ones by gonum's
// lapack. What has no answer gives NaN: the inverse of a singular matrix, the Cholesky factor of one that is not
// positive definite.
var (
	Inverse         = Kernel{Run: inverse}
	Det             = Kernel{Run: det}
	LogDet          = Kernel{Run: logDet}
	Cofactor        = Kernel{Run: cofactor}
	Solve           = Kernel{Run: solve}
	SolveTriangular = Kernel{Run: solveTriangular}
	Cholesky        = Kernel{Run: cholesky}
	QR              = Kernel{Run: qr}
)

const smallMatrix = 8

// smallWork is the memory of one small matrix.
type smallWork [smallMatrix * smallMatrix]float64

func lapack() lapackgonum.Implementation { return lapackgonum.Implementation{} }
func blas3() blasgonum.Implementation    { return blasgonum.Implementation{} }

// matrixOf is the window on the last two dims of a.
func matrixOf(a *Array) (m matrix, rows, cols int) {
	r := len(a.Shape)
	return matrix{a.Ptr, a.Strides[r-2], a.Strides[r-1]}, a.Shape[r-2], a.Shape[r-1]
}

// stacked calls f with the addresses of each matrix in up to three windows, whose batch dims broadcast to batch. The last
// tails[i] dims of window i are no batch dims.
func stacked(batch []int, windows [3]*Array, tails [3]int, f func(p, q, r unsafe.Pointer)) {
	if NumElems(batch) == 0 {
		return
	}
	var heads [3]Array
	var args [3]*Array
	for i, w := range windows {
		if w != nil {
			n := len(w.Shape) - tails[i]
			heads[i] = Array{Ptr: w.Ptr, DType: w.DType, Shape: w.Shape[:n], Strides: w.Strides[:n]}
			args[i] = &heads[i]
		}
	}
	dp, dq, dr := args[0].DType, args[1].DType, args[1].DType
	if args[2] != nil {
		dr = args[2].DType
	}
	sweep(batch, args[0], &args, func(_, p, q, r unsafe.Pointer, n, sp, sq, sr int) {
		for i := range n {
			f(step(p, dp, i*sp), step(q, dq, i*sq), step(r, dr, i*sr))
		}
	})
}

// load copies a matrix of dtype dt to dst, row by row.
func load(dst []float64, dt tracer.DType, m matrix, rows, cols int) {
	if dt == tracer.Float32 {
		loadRows[float32](dst, m, rows, cols)
		return
	}
	loadRows[float64](dst, m, rows, cols)
}

func loadRows[T float](dst []float64, m matrix, rows, cols int) {
	for i := range rows {
		row := dst[i*cols : (i+1)*cols]
		p := unsafe.Pointer(at[T](m.p, i*m.row))
		for j := range row {
			row[j] = float64(*at[T](p, j*m.col))
		}
	}
}

// save writes src, row by row, to a matrix of dtype dt.
func save(m matrix, dt tracer.DType, src []float64, rows, cols int) {
	if dt == tracer.Float32 {
		saveRows[float32](m, src, rows, cols)
		return
	}
	saveRows[float64](m, src, rows, cols)
}

func saveRows[T float](m matrix, src []float64, rows, cols int) {
	for i := range rows {
		p := unsafe.Pointer(at[T](m.p, i*m.row))
		for j, x := range src[i*cols : (i+1)*cols] {
			*at[T](p, j*m.col) = T(x)
		}
	}
}

func saveOne(p unsafe.Pointer, dt tracer.DType, x float64) {
	if dt == tracer.Float32 {
		*(*float32)(p) = float32(x)
		return
	}
	*(*float64)(p) = x
}

func fillNaN(a []float64) {
	for i := range a {
		a[i] = math.NaN()
	}
}

func allFinite(a []float64) bool {
	s := 0.0
	for _, x := range a {
		s += x * 0
	}
	return s == 0
}

// factor overwrites the n by n matrix a with its factors L and U, whose row k was exchanged with row pivots[k]. It
// reports whether no pivot is zero. Large matrices go to lapack.
func factor(a []float64, n int, pivots []int) bool {
	if n > smallMatrix {
		return lapack().Dgetrf(n, n, a, n, pivots)
	}
	return factorSmall(a, n, pivots)
}

// factorSmall is elimination with the largest pivot of each column.
func factorSmall(a []float64, n int, pivots []int) bool {
	regular := true
	for k := range n {
		best, where := math.Abs(a[k*n+k]), k
		for i := k + 1; i < n; i++ {
			if x := math.Abs(a[i*n+k]); x > best {
				best, where = x, i
			}
		}
		pivots[k] = where
		if best == 0 {
			regular = false
			continue
		}
		top := a[k*n : (k+1)*n : (k+1)*n]
		if where != k {
			other := a[where*n : (where+1)*n]
			for j := range top {
				top[j], other[j] = other[j], top[j]
			}
		}
		for i := k + 1; i < n; i++ {
			row := a[i*n : (i+1)*n : (i+1)*n]
			f := row[k] / top[k]
			row[k] = f
			for j := k + 1; j < n; j++ {
				row[j] -= f * top[j]
			}
		}
	}
	return regular
}

// substitute solves for k right-hand sides in the n rows of b, in place, by the factors of factorSmall.
func substitute(lu []float64, n int, pivots []int, b []float64, k int) {
	for i := range n {
		if p := pivots[i]; p != i {
			x, y := b[i*k:(i+1)*k], b[p*k:(p+1)*k]
			for j := range x {
				x[j], y[j] = y[j], x[j]
			}
		}
	}
	forward(lu, n, b, k, true)
	backward(lu, n, b, k)
}

// forward solves with the lower triangle of a.
func forward(a []float64, n int, b []float64, k int, unit bool) {
	for i := range n {
		row := b[i*k : (i+1)*k]
		for l := range i {
			f := a[i*n+l]
			for j, y := range b[l*k : (l+1)*k] {
				row[j] -= f * y
			}
		}
		if !unit {
			d := a[i*n+i]
			for j := range row {
				row[j] /= d
			}
		}
	}
}

// backward solves with the upper triangle of a.
func backward(a []float64, n int, b []float64, k int) {
	for i := n - 1; i >= 0; i-- {
		row := b[i*k : (i+1)*k]
		for l := i + 1; l < n; l++ {
			f := a[i*n+l]
			for j, y := range b[l*k : (l+1)*k] {
				row[j] -= f * y
			}
		}
		d := a[i*n+i]
		for j := range row {
			row[j] /= d
		}
	}
}

// inverter is one call of Inverse.
type inverter struct {
	n      int
	dt     tracer.DType
	o, a   matrix
	large  []float64 // the matrix, then room for lapack
	pivots []int
}

func inverse(c *Call) error {
	out, in := &c.Out[0], &c.In[0]
	if out.NumElems() == 0 {
		return nil
	}
	v := inverter{dt: in.DType}
	v.o, v.n, _ = matrixOf(out)
	v.a, _, _ = matrixOf(in)
	if v.n > smallMatrix {
		v.large, v.pivots = make([]float64, 2*v.n*v.n), make([]int, v.n)
	}
	batch := in.Shape[:len(in.Shape)-2]
	if len(batch) == 0 {
		v.one(out.Ptr, in.Ptr, nil)
		return nil
	}
	stacked(batch, [3]*Array{out, in}, [3]int{2, 2}, v.one)
	return nil
}

func (v inverter) one(p, q, _ unsafe.Pointer) {
	v.o.p, v.a.p = p, q
	n := v.n
	if n > smallMatrix {
		a, work := v.large[:n*n], v.large[n*n:]
		load(a, v.dt, v.a, n, n)
		if !lapack().Dgetrf(n, n, a, n, v.pivots) || !lapack().Dgetri(n, a, n, v.pivots, work, len(work)) {
			fillNaN(a)
		}
		save(v.o, v.dt, a, n, n)
		return
	}
	var lu, x smallWork
	var pivots [smallMatrix]int
	load(lu[:], v.dt, v.a, n, n)
	if factorSmall(lu[:n*n], n, pivots[:]) {
		for i := range n {
			x[i*n+i] = 1
		}
		substitute(lu[:n*n], n, pivots[:n], x[:n*n], n)
	} else {
		fillNaN(x[:n*n])
	}
	save(v.o, v.dt, x[:], n, n)
}

// determiner is one call of Det or LogDet.
type determiner struct {
	n      int
	dt     tracer.DType
	a      matrix
	log    bool
	large  []float64
	pivots []int
}

func det(c *Call) error    { return determine(c, false) }
func logDet(c *Call) error { return determine(c, true) }

func determine(c *Call, log bool) error {
	out, in := &c.Out[0], &c.In[0]
	if out.NumElems() == 0 {
		return nil
	}
	v := determiner{dt: in.DType, log: log}
	v.a, v.n, _ = matrixOf(in)
	batch := in.Shape[:len(in.Shape)-2]
	switch {
	case v.n == 0: // there are no addresses to step through
		for i := range out.NumElems() {
			saveOne(step(out.Ptr, v.dt, i), v.dt, diagonalProduct(nil, 0, nil, log))
		}
		return nil
	case v.n > smallMatrix:
		v.large, v.pivots = make([]float64, v.n*v.n), make([]int, v.n)
	}
	if len(batch) == 0 {
		v.one(out.Ptr, in.Ptr, nil)
		return nil
	}
	stacked(batch, [3]*Array{out, in}, [3]int{0, 2}, v.one)
	return nil
}

func (v determiner) one(p, q, _ unsafe.Pointer) {
	v.a.p = q
	if v.n > smallMatrix {
		load(v.large, v.dt, v.a, v.n, v.n)
		lapack().Dgetrf(v.n, v.n, v.large, v.n, v.pivots)
		saveOne(p, v.dt, diagonalProduct(v.large, v.n, v.pivots, v.log))
		return
	}
	var lu smallWork
	var pivots [smallMatrix]int
	load(lu[:], v.dt, v.a, v.n, v.n)
	factorSmall(lu[:v.n*v.n], v.n, pivots[:])
	saveOne(p, v.dt, diagonalProduct(lu[:], v.n, pivots[:], v.log))
}

// diagonalProduct is the determinant of a factored matrix, or its logarithm, which neither overflows nor underflows.
func diagonalProduct(lu []float64, n int, pivots []int, log bool) float64 {
	product, sum := 1.0, 0.0
	for i := range n {
		d := lu[i*n+i]
		if pivots[i] != i {
			d = -d
		}
		if log {
			sum += math.Log(math.Abs(d))
			d = math.Copysign(1, d)
		}
		product *= d
	}
	switch {
	case !log && product == 0:
		return 0 // without the sign of the exchanges
	case !log:
		return product
	}
	if product < 0 && !math.IsInf(sum, -1) {
		return math.NaN()
	}
	return sum
}
