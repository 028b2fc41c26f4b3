package hop_test

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/hoplint/hoplint/runtime/hop"
)

const lstmSteps, lstmBatch, lstmWidth = 512, 16, 128

// memory is the carry of an LSTM.
type memory struct{ H, C T } // [B, H]

// lstmWeights are the parameters of an LSTM: the gates i, f, g and o are columns of one matrix.
type lstmWeights struct{ Wx, Wh, B T } // [I, 4H], [H, 4H], [4H]

type lstmInput struct {
	X T // [T, B, I]
	W lstmWeights
}

func (w lstmWeights) cell(s memory, x T) (memory, T) {
	gates := x.MatMul(w.Wx).Add(s.H.MatMul(w.Wh)).Add(w.B).Chunk(1, 4)
	c := gates[1].Sigmoid().Mul(s.C).Add(gates[0].Sigmoid().Mul(gates[2].Tanh()))
	h := gates[3].Sigmoid().Mul(c.Tanh())
	return memory{h, c}, h.Clone()
}

func lstmInputs() lstmInput {
	f32 := func(seed uint32, scale float64, dims ...int) T {
		n := 1
		for _, d := range dims {
			n *= d
		}
		return hop.FromSlice(generated32(n, seed, scale, 0), dims...)
	}
	return lstmInput{f32(3, 2, lstmSteps, lstmBatch, lstmWidth),
		lstmWeights{f32(4, .2, lstmWidth, 4*lstmWidth), f32(5, .2, lstmWidth, 4*lstmWidth), f32(6, .2, 4*lstmWidth)}}
}

func lstmStart() memory {
	return memory{hop.Zeros(hop.Float32, lstmBatch, lstmWidth), hop.Zeros(hop.Float32, lstmBatch, lstmWidth)}
}

func lstmForward() job {
	in := lstmInputs()
	f := func(in lstmInput) T {
		_, ys := hop.Scan(in.W.cell, lstmStart(), in.X)
		return ys
	}
	l := newLSTMLoop(in)
	return jobOf(f, in, func(y T) float64 { return total(hop.ToSlice[float32](y)) }, l.forward, func() float64 { return total(l.h[lstmCells:]) })
}

func lstmGradient() job {
	in := lstmInputs()
	f := func(in lstmInput) lstmWeights {
		return hop.Grad(func(w lstmWeights) T {
			last, _ := hop.Scan(w.cell, lstmStart(), in.X)
			return last.H.Sum()
		})(in.W)
	}
	l := newLSTMLoop(in)
	return jobOf(f, in, func(d lstmWeights) float64 {
		return totalAbs(hop.ToSlice[float32](d.Wx)) + totalAbs(hop.ToSlice[float32](d.Wh)) + totalAbs(hop.ToSlice[float32](d.B))
	}, func() { l.forward(); l.backward() }, func() float64 { return totalAbs(l.dwx) + totalAbs(l.dwh) + totalAbs(l.db) })
}

const lstmCells = lstmBatch * lstmWidth

// lstmLoop is the LSTM on slices, with its gradient by hand; matrices are multiplied by blas.
type lstmLoop struct {
	x, wx, wh, b []float32
	h, c         []float32 // [T+1, B, H]
	gates        []float32 // after their nonlinearity, [T, B, 4H]
	tanhC        []float32 // [T, B, H]
	dwx, dwh, db []float32
	dgates       []float32 // [B, 4H]
	dh, dc       []float32 // [B, H]
}

func newLSTMLoop(in lstmInput) *lstmLoop {
	f := func(n int) []float32 { return make([]float32, n) }
	return &lstmLoop{
		x: hop.ToSlice[float32](in.X), wx: hop.ToSlice[float32](in.W.Wx), wh: hop.ToSlice[float32](in.W.Wh), b: hop.ToSlice[float32](in.W.B),
		h: f((lstmSteps + 1) * lstmCells), c: f((lstmSteps + 1) * lstmCells), gates: f(lstmSteps * 4 * lstmCells), tanhC: f(lstmSteps * lstmCells),
		dwx: f(4 * lstmWidth * lstmWidth), dwh: f(4 * lstmWidth * lstmWidth), db: f(4 * lstmWidth),
		dgates: f(4 * lstmCells), dh: f(lstmCells), dc: f(lstmCells),
	}
}

func (l *lstmLoop) step(t int) (x, h, c, gates, tanhC []float32) {
	at := func(s []float32, n int) []float32 { return s[t*n : (t+1)*n] }
	return at(l.x, lstmCells), at(l.h, lstmCells), at(l.c, lstmCells), at(l.gates, 4*lstmCells), at(l.tanhC, lstmCells)
}

func (l *lstmLoop) forward() {
	const n = lstmWidth
	sigmoid := func(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }
	tanh := func(x float32) float32 { return float32(math.Tanh(float64(x))) }
	for t := range lstmSteps {
		x, h, c, gates, tanhC := l.step(t)
		for r := range lstmBatch {
			copy(gates[r*4*n:], l.b)
		}
		matMulAdd(blas.NoTrans, blas.NoTrans, lstmBatch, 4*n, n, x, n, l.wx, 4*n, 1, gates)
		matMulAdd(blas.NoTrans, blas.NoTrans, lstmBatch, 4*n, n, h, n, l.wh, 4*n, 1, gates)
		nextH, nextC := l.h[(t+1)*lstmCells:], l.c[(t+1)*lstmCells:]
		for r := range lstmBatch {
			g := gates[r*4*n : (r+1)*4*n]
			for j := range n {
				g[j], g[n+j], g[2*n+j], g[3*n+j] = sigmoid(g[j]), sigmoid(g[n+j]), tanh(g[2*n+j]), sigmoid(g[3*n+j])
				k := r*n + j
				nextC[k] = g[n+j]*c[k] + g[j]*g[2*n+j]
				tanhC[k] = tanh(nextC[k])
				nextH[k] = g[3*n+j] * tanhC[k]
			}
		}
	}
}

// backward is the gradient of the sum of the last h by the weights.
func (l *lstmLoop) backward() {
	const n = lstmWidth
	clear(l.dwx)
	clear(l.dwh)
	clear(l.db)
	clear(l.dc)
	for i := range l.dh {
		l.dh[i] = 1
	}
	for t := lstmSteps - 1; t >= 0; t-- {
		x, h, c, gates, tanhC := l.step(t)
		for r := range lstmBatch {
			g, d := gates[r*4*n:(r+1)*4*n], l.dgates[r*4*n:(r+1)*4*n]
			for j := range n {
				k := r*n + j
				i, f, u, o := g[j], g[n+j], g[2*n+j], g[3*n+j]
				dc := l.dc[k] + l.dh[k]*o*(1-tanhC[k]*tanhC[k])
				d[j], d[n+j] = dc*u*i*(1-i), dc*c[k]*f*(1-f)
				d[2*n+j], d[3*n+j] = dc*i*(1-u*u), l.dh[k]*tanhC[k]*o*(1-o)
				l.dc[k] = dc * f
			}
			for j, v := range d {
				l.db[j] += v
			}
		}
		matMulAdd(blas.Trans, blas.NoTrans, n, 4*n, lstmBatch, x, n, l.dgates, 4*n, 1, l.dwx)
		matMulAdd(blas.Trans, blas.NoTrans, n, 4*n, lstmBatch, h, n, l.dgates, 4*n, 1, l.dwh)
		matMulAdd(blas.NoTrans, blas.Trans, lstmBatch, n, 4*n, l.dgates, 4*n, l.wh, 4*n, 0, l.dh)
	}
}
