package hop_test

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/hoplint/hoplint/runtime/hop"
)

// matMulAdd adds the product of a [m, k] and b [k, n] to c [m, n], times beta; a loop by hand would call blas as well.
func matMulAdd(ta, tb blas.Transpose, m, n, k int, a []float32, lda int, b []float32, ldb int, beta float32, c []float32) {
	gonum.Implementation{}.Sgemm(ta, tb, m, n, k, 1, a, lda, b, ldb, beta, c, n)
}

func softmaxMap() job {
	const rows, width = 10000, 128
	xs, w, out := generated32(rows*width, 10, 2, 0), generated32(width*width, 11, .5, 0), make([]float32, rows*width)
	type input struct{ X, W T }
	f := func(in input) T {
		return hop.Map(func(row T) T { return row.MatMul(in.W).Softmax(0) }, in.X)
	}
	loop := func() {
		matMulAdd(blas.NoTrans, blas.NoTrans, rows, width, width, xs, width, w, width, 0, out)
		for r := 0; r < len(out); r += width {
			row := out[r : r+width]
			most, s := row[0], float32(0)
			for _, v := range row {
				most = max(most, v)
			}
			for j, v := range row {
				row[j] = float32(math.Exp(float64(v - most)))
				s += row[j]
			}
			for j := range row {
				row[j] /= s
			}
		}
	}
	checksum := func(y []float32) (s float64) { // each row adds to 1, so the columns have weights
		for i, v := range y {
			s += float64(v) * float64(i%width%7+1)
		}
		return s
	}
	return jobOf(f, input{hop.FromSlice(xs, rows, width), hop.FromSlice(w, width, width)},
		func(y T) float64 { return checksum(hop.ToSlice[float32](y)) }, loop, func() float64 { return checksum(out) })
}

// track is the Kalman filter's knowledge of position and velocity in the plane.
type track struct{ X, P T } // [4, 1], [4, 4]

func kalmanFilter() job {
	const n = 20000
	zs, ys := generated(2*n, 12, 1, 0), make([]float64, 4*n)
	F := hop.FromSlice([]float64{1, 0, .1, 0, 0, 1, 0, .1, 0, 0, 1, 0, 0, 0, 0, 1}, 4, 4)
	H := hop.Eye(hop.Float64, 4).Narrow(0, 0, 2)
	Q, R, I := hop.Eye(hop.Float64, 4).MulScalar(.01), hop.Eye(hop.Float64, 2).MulScalar(.1), hop.Eye(hop.Float64, 4)
	combine := func(s track, z T) (track, T) {
		x, p := F.MatMul(s.X), F.MatMul(s.P).MatMul(F.T()).Add(Q)
		miss := z.Unsqueeze(1).Sub(H.MatMul(x))
		gain := p.MatMul(H.T()).MatMul(H.MatMul(p).MatMul(H.T()).Add(R).Inverse())
		next := track{x.Add(gain.MatMul(miss)), I.Sub(gain.MatMul(H)).MatMul(p)}
		return next, next.X.Clone()
	}
	f := func(z T) T {
		_, y := hop.Scan(combine, track{hop.Zeros(hop.Float64, 4, 1), hop.Eye(hop.Float64, 4)}, z)
		return y
	}
	return jobOf(f, hop.FromSlice(zs, n, 2), func(y T) float64 { return total(hop.ToSlice[float64](y)) },
		func() { kalmanLoop(zs, ys) }, func() float64 { return total(ys) })
}

type mat4 [4][4]float64

func (a *mat4) mul(b *mat4) (c mat4) {
	for i := range 4 {
		for j := range 4 {
			for k := range 4 {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

// kalmanLoop is the filter on arrays: dense products of 4x4 matrices, H as the first two rows.
func kalmanLoop(zs, ys []float64) {
	var x [4]float64
	f := mat4{{1, 0, .1, 0}, {0, 1, 0, .1}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	ft := mat4{{1, 0, 0, 0}, {0, 1, 0, 0}, {.1, 0, 1, 0}, {0, .1, 0, 1}}
	p := mat4{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	for t := range len(zs) / 2 {
		var xp [4]float64
		for i := range 4 {
			for k := range 4 {
				xp[i] += f[i][k] * x[k]
			}
		}
		fp := f.mul(&p)
		pp := fp.mul(&ft)
		for i := range 4 {
			pp[i][i] += .01
		}
		s00, s01, s10, s11 := pp[0][0]+.1, pp[0][1], pp[1][0], pp[1][1]+.1
		d := s00*s11 - s01*s10
		i00, i01, i10, i11 := s11/d, -s01/d, -s10/d, s00/d
		e0, e1 := zs[2*t]-xp[0], zs[2*t+1]-xp[1]
		for i := range 4 {
			k0, k1 := pp[i][0]*i00+pp[i][1]*i10, pp[i][0]*i01+pp[i][1]*i11
			x[i] = xp[i] + k0*e0 + k1*e1
			ys[4*t+i] = x[i]
			for j := range 4 {
				p[i][j] = pp[i][j] - (k0*pp[0][j] + k1*pp[1][j])
			}
		}
	}
}
