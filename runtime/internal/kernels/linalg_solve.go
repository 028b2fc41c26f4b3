package kernels

import (
	"math"
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"github.com/hoplint/hoplint/tracer"
)

// Systems of equations, and the Cholesky factor.

// solver is one call of Solve or SolveTriangular.
type solver struct {
	n, k              int
	dt                tracer.DType
	o, a, b           matrix
	triangular, upper bool
	large             []float64 // the matrix, then the right-hand sides
	pivots            []int
}

func solve(c *Call) error { return runSolver(c, solver{}) }
func solveTriangular(c *Call) error {
	return runSolver(c, solver{triangular: true, upper: c.Attrs.Bool("upper")})
}

func runSolver(c *Call, v solver) error {
	out, a, b := &c.Out[0], &c.In[0], &c.In[1]
	if out.NumElems() == 0 {
		return nil
	}
	v.dt = a.DType
	v.a, v.n, _ = matrixOf(a)
	tail := 1
	if len(b.Shape) == 1 {
		v.k = 1
		v.b, v.o = matrix{b.Ptr, b.Strides[0], 0}, matrix{out.Ptr, out.Strides[len(out.Strides)-1], 0}
	} else {
		tail = 2
		v.b, _, v.k = matrixOf(b)
		v.o, _, _ = matrixOf(out)
	}
	if v.n > smallMatrix || v.k > smallMatrix {
		v.large, v.pivots = make([]float64, v.n*(v.n+v.k)), make([]int, v.n)
	}
	batch := out.Shape[:len(out.Shape)-tail]
	if len(batch) == 0 {
		v.one(out.Ptr, a.Ptr, b.Ptr)
		return nil
	}
	stacked(batch, [3]*Array{out, a, b}, [3]int{tail, 2, tail}, v.one)
	return nil
}

func (v solver) one(p, q, r unsafe.Pointer) {
	v.o.p, v.a.p, v.b.p = p, q, r
	n, k := v.n, v.k
	if v.large != nil {
		a, b := v.large[:n*n], v.large[n*n:]
		load(a, v.dt, v.a, n, n)
		load(b, v.dt, v.b, n, k)
		v.solveLarge(a, b)
		save(v.o, v.dt, b, n, k)
		return
	}
	var a, b smallWork
	load(a[:], v.dt, v.a, n, n)
	load(b[:], v.dt, v.b, n, k)
	v.solveSmall(a[:n*n], b[:n*k])
	save(v.o, v.dt, b[:], n, k)
}

func (v *solver) solveSmall(a, b []float64) {
	var pivots [smallMatrix]int
	switch {
	case v.triangular && v.upper:
		backward(a, v.n, b, v.k)
	case v.triangular:
		forward(a, v.n, b, v.k, false)
	case factorSmall(a, v.n, pivots[:]):
		substitute(a, v.n, pivots[:], b, v.k)
	default:
		fillNaN(b)
	}
}

func (v *solver) solveLarge(a, b []float64) {
	// blas skips products with a zero of the matrix, which loses the NaN of 0·Inf and 0·NaN; it also skips the rest of
	// a zero right-hand side, which loses that of 0/0.
	byBlas := v.n > smallMatrix && allFinite(b)
	for i := range v.n {
		byBlas = byBlas && a[i*v.n+i] != 0
	}
	uplo := blas.Lower
	if v.upper {
		uplo = blas.Upper
	}
	switch {
	case v.triangular && byBlas:
		blas3().Dtrsm(blas.Left, uplo, blas.NoTrans, blas.NonUnit, v.n, v.k, 1, a, v.n, b, v.k)
	case v.triangular && v.upper:
		backward(a, v.n, b, v.k)
	case v.triangular:
		forward(a, v.n, b, v.k, false)
	case v.n <= smallMatrix:
		v.solveSmallMatrix(a, b)
	case factor(a, v.n, v.pivots):
		lapack().Dgetrs(blas.NoTrans, v.n, v.k, a, v.n, v.pivots, b, v.k)
	default:
		fillNaN(b)
	}
}

// solveSmallMatrix solves for many right-hand sides with a small matrix.
func (v *solver) solveSmallMatrix(a, b []float64) {
	if factorSmall(a, v.n, v.pivots) {
		substitute(a, v.n, v.pivots, b, v.k)
		return
	}
	fillNaN(b)
}

// rooter is one call of Cholesky.
type rooter struct {
	n     int
	dt    tracer.DType
	o, a  matrix
	large []float64
}

func cholesky(c *Call) error {
	out, in := &c.Out[0], &c.In[0]
	if out.NumElems() == 0 {
		return nil
	}
	v := rooter{dt: in.DType}
	v.o, v.n, _ = matrixOf(out)
	v.a, _, _ = matrixOf(in)
	if v.n > smallMatrix {
		v.large = make([]float64, v.n*v.n)
	}
	batch := in.Shape[:len(in.Shape)-2]
	if len(batch) == 0 {
		v.one(out.Ptr, in.Ptr, nil)
		return nil
	}
	stacked(batch, [3]*Array{out, in}, [3]int{2, 2}, v.one)
	return nil
}

func (v rooter) one(p, q, _ unsafe.Pointer) {
	v.o.p, v.a.p = p, q
	n := v.n
	if n > smallMatrix {
		load(v.large, v.dt, v.a, n, n)
		if lapack().Dpotrf(blas.Lower, n, v.large, n) {
			clearUpper(v.large, n)
		} else {
			fillNaN(v.large)
		}
		save(v.o, v.dt, v.large, n, n)
		return
	}
	var a smallWork
	load(a[:], v.dt, v.a, n, n)
	if rootSmall(a[:n*n], n) {
		clearUpper(a[:n*n], n)
	} else {
		fillNaN(a[:n*n])
	}
	save(v.o, v.dt, a[:], n, n)
}

func clearUpper(a []float64, n int) {
	for i := range n {
		clear(a[i*n+i+1 : (i+1)*n])
	}
}

// rootSmall overwrites the lower triangle of a with its Cholesky factor and reports whether a is positive definite.
func rootSmall(a []float64, n int) bool {
	for i := range n {
		row := a[i*n : (i+1)*n : (i+1)*n]
		for j := range i {
			other := a[j*n : (j+1)*n : (j+1)*n]
			s := row[j]
			for l := range j {
				s -= row[l] * other[l]
			}
			row[j] = s / other[j]
		}
		d := row[i]
		for _, x := range row[:i] {
			d -= x * x
		}
		if !(d > 0) {
			return false
		}
		row[i] = math.Sqrt(d)
	}
	return true
}
