package exec

import (
	"math"
	"testing"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// kalman is the body of workload W9: state 4, observations 2, everything in matrices. The inverse of the 2x2
// innovation covariance is written out with views.
func kalman() *graph {
	b := newGraph("kalman")
	x, p, z := b.input(f64, 4, 1), b.input(f64, 4, 4), b.input(f64, 2, 1)
	F, H, Q, R := b.input(f64, 4, 4), b.input(f64, 2, 4), b.input(f64, 4, 4), b.input(f64, 2, 2)
	dims := func(n *tracer.Node, i int) int { shape, _ := n.Meta.ConstShape(); return shape[i] }
	mul := func(u, v *tracer.Node) *tracer.Node {
		return b.node("matmul", m(f64, dims(u, 0), dims(v, 1)), nil, u, v)
	}
	tr := func(u *tracer.Node) *tracer.Node {
		return b.node("transpose", m(f64, dims(u, 1), dims(u, 0)), attrs("a", 0, "b", 1), u)
	}
	at := func(u *tracer.Node, i, j int) *tracer.Node {
		row := b.node("select", m(f64, 2), attrs("dim", 0, "index", i), u)
		return b.node("select", m(f64), attrs("dim", 0, "index", j), row)
	}
	xp := mul(F, x)
	pp := b.same("add", mul(mul(F, p), tr(F)), Q)
	pht := mul(pp, tr(H))
	s := b.same("add", mul(H, pht), R)
	det := b.same("sub", b.same("mul", at(s, 0, 0), at(s, 1, 1)), b.same("mul", at(s, 0, 1), at(s, 1, 0)))
	adj := s
	put := func(i, j int, v *tracer.Node) {
		cell := b.node("view", m(f64, 1), nil, v)
		flat := b.node("view", m(f64, 4), nil, adj)
		flat = b.node(tracer.OpPut, m(f64, 4), attrs("view", "narrow", "dim", 0, "start", 2*i+j, "length", 1), flat, cell)
		adj = b.node("view", m(f64, 2, 2), nil, flat)
	}
	put(0, 0, at(s, 1, 1))
	put(0, 1, b.same("neg", at(s, 0, 1)))
	put(1, 0, b.same("neg", at(s, 1, 0)))
	put(1, 1, at(s, 0, 0))
	gain := mul(pht, b.node("div", m(f64, 2, 2), nil, adj, det))
	xn := b.same("add", xp, mul(gain, b.same("sub", z, mul(H, xp))))
	pn := b.same("sub", pp, mul(mul(gain, H), pp))
	b.Outputs = []*tracer.Node{xn, pn, xn}
	return b
}

func kalmanInputs(length int) (*graph, []tensor) {
	g := scanOf(kalman(), 2, 1, length, m(f64, 4, 1), m(f64, 4, 4), m(f64, length, 2, 1), m(f64, 4, 4), m(f64, 2, 4), m(f64, 4, 4), m(f64, 2, 2))
	eye := func(n int, v float64) []float64 {
		d := make([]float64, n*n)
		for i := range n {
			d[i*n+i] = v
		}
		return d
	}
	F := eye(4, 1)
	F[0*4+2], F[1*4+3] = .1, .1
	zs := newTensor(m(f64, length, 2, 1))
	for i := range zs.data {
		zs.data[i] = unit(uint32(i), 12)
	}
	return g, []tensor{newTensor(m(f64, 4, 1)), {f64, []int{4, 4}, eye(4, 1)}, zs, {f64, []int{4, 4}, F},
		ts(f64, []int{2, 4}, 1, 0, 0, 0, 0, 1, 0, 0), {f64, []int{4, 4}, eye(4, .01)}, {f64, []int{2, 2}, eye(2, .1)}}
}

func TestKalmanFilterEqualsTheReference(t *testing.T) {
	g, ins := kalmanInputs(20)
	check(t, g.Graph, ins, arraysOf(ins))
}

func BenchmarkW9Kalman(b *testing.B) {
	const length = 20000
	g, ins := kalmanInputs(length)
	p := compiled(b, g)
	arrays, outs := arraysOf(ins), outputsFor(g.Graph)
	zs, ys := ins[2].data, make([]float64, length*4)
	against(b, func() { mustRun(b, p, arrays, outs) }, func() { kalmanLoop(zs, ys) })
	got := kernels.Elems[float64](outs[2])
	for i := range ys {
		if math.Abs(got[i]-ys[i]) > 1e-9 {
			b.Fatalf("y %d is %v, the loop has %v", i, got[i], ys[i])
		}
	}
}

type mat4 [4][4]float64

func mul4(a, b *mat4) (c mat4) {
	for i := range 4 {
		for j := range 4 {
			for k := range 4 {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

// kalmanLoop is the filter as one would write it in Go: dense 4x4 products, H as the first two rows.
func kalmanLoop(zs, ys []float64) {
	var x [4]float64
	var F, Ft, P mat4
	for i := range 4 {
		F[i][i], P[i][i] = 1, 1
	}
	F[0][2], F[1][3] = .1, .1
	for i := range 4 {
		for j := range 4 {
			Ft[i][j] = F[j][i]
		}
	}
	for t := range len(zs) / 2 {
		var xp [4]float64
		for i := range 4 {
			for k := range 4 {
				xp[i] += F[i][k] * x[k]
			}
		}
		fp := mul4(&F, &P)
		pp := mul4(&fp, &Ft)
		for i := range 4 {
			pp[i][i] += .01
		}
		s00, s01, s10, s11 := pp[0][0]+.1, pp[0][1], pp[1][0], pp[1][1]+.1
		d := s00*s11 - s01*s10
		i00, i01, i10, i11 := s11/d, -s01/d, -s10/d, s00/d
		e0, e1 := zs[2*t]-xp[0], zs[2*t+1]-xp[1]
		var K [4][2]float64
		for i := range 4 {
			K[i][0] = pp[i][0]*i00 + pp[i][1]*i10
			K[i][1] = pp[i][0]*i01 + pp[i][1]*i11
			x[i] = xp[i] + K[i][0]*e0 + K[i][1]*e1
			ys[4*t+i] = x[i]
		}
		for i := range 4 {
			for j := range 4 {
				P[i][j] = pp[i][j] - (K[i][0]*pp[0][j] + K[i][1]*pp[1][j])
			}
		}
	}
}
