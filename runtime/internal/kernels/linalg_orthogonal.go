package kernels

import (
	"math"
	"unsafe"

	"gonum.org/v1/gonum/blas"
)

// What orthogonal matrices are good for: QR, and the cofactors of singular matrices.

func qr(c *Call) error {
	q, r, in := &c.Out[0], &c.Out[1], &c.In[0]
	dt := in.DType
	a, m, n := matrixOf(in)
	mq, _, _ := matrixOf(q)
	mr, _, _ := matrixOf(r)
	k := min(m, n)
	if k == 0 || NumElems(in.Shape) == 0 {
		return nil // Q and R have no elements: [m, 0] and [0, n]
	}
	width := max(n, k)
	work := make([]float64, m*width+m*k+k+64*max(m, n))
	stacked(in.Shape[:len(in.Shape)-2], [3]*Array{in, q, r}, [3]int{2, 2, 2}, func(pa, pq, pr unsafe.Pointer) {
		a.p, mq.p, mr.p = pa, pq, pr
		x, rest := work[:m*n], work[m*n:]
		y, rest := rest[:m*k], rest[m*k:]
		tau, room := rest[:k], rest[k:]
		load(x, dt, a, m, n)
		if m*n <= len(smallWork{}) {
			lapack().Dgeqr2(m, n, x, n, tau, room)
		} else {
			lapack().Dgeqrf(m, n, x, n, tau, room, len(room))
		}
		for i := range m {
			copy(y[i*k:(i+1)*k], x[i*n:i*n+k])
		}
		for i := range k {
			clear(x[i*n : i*n+i])
		}
		save(mr, dt, x, k, n)
		if m*k <= len(smallWork{}) {
			lapack().Dorg2r(m, k, k, y, k, tau, room)
		} else {
			lapack().Dorgqr(m, k, k, y, k, tau, room, len(room))
		}
		save(mq, dt, y, m, k)
	})
	return nil
}

func cofactor(c *Call) error {
	out, in := &c.Out[0], &c.In[0]
	if out.NumElems() == 0 {
		return nil
	}
	dt := in.DType
	o, n, _ := matrixOf(out)
	a, _, _ := matrixOf(in)
	work := make([]float64, 6*n*n+9*n)
	stacked(in.Shape[:len(in.Shape)-2], [3]*Array{out, in}, [3]int{2, 2}, func(p, q, _ unsafe.Pointer) {
		o.p, a.p = p, q
		m, x := work[:n*n], work[n*n:2*n*n]
		load(m, dt, a, n, n)
		switch {
		case n == 1:
			x[0] = 1
		case n == 2:
			x[0], x[1], x[2], x[3] = m[3], -m[2], -m[1], m[0]
		case n == 3:
			for i := range 3 {
				for j := range 3 {
					i1, i2, j1, j2 := (i+1)%3*3, (i+2)%3*3, (j+1)%3, (j+2)%3
					x[i*3+j] = m[i1+j1]*m[i2+j2] - m[i1+j2]*m[i2+j1]
				}
			}
		case !allFinite(m):
			fillNaN(x)
		default:
			cofactorBySVD(x, m, n, work[2*n*n:])
		}
		save(o, dt, x, n, n)
	})
	return nil
}

// cofactorBySVD is det(U)·det(V)·U·Γ·Vᵀ for m = U·S·Vᵀ, where Γ[i] is the product of the other singular values: right for
// singular matrices too, whose inverse does not exist.
func cofactorBySVD(x, m []float64, n int, work []float64) {
	u, vt, rest := work[:n*n], work[n*n:2*n*n], work[2*n*n:]
	s, gamma, room := rest[:n], rest[n:2*n], rest[2*n:]
	if !lapack().Dgesvd('A', 'A', n, n, m, n, s, u, n, vt, n, room, len(room)) {
		fillNaN(x)
		return
	}
	for i := range gamma {
		gamma[i] = 1
		for j, y := range s {
			if j != i {
				gamma[i] *= y
			}
		}
	}
	pivots := make([]int, n)
	sign := 1.0
	for _, q := range [][]float64{u, vt} {
		copy(m, q)
		factor(m, n, pivots)
		sign *= math.Copysign(1, diagonalProduct(m, n, pivots, false))
	}
	for i := range n {
		for j := range n {
			u[i*n+j] *= sign * gamma[j]
		}
	}
	blas3().Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, u, n, vt, n, 0, x, n)
}
