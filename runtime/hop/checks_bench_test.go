package hop

import (
	"testing"
	"time"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// BenchmarkContractChecks prints what share of a traced scan of 100,000 scalar steps is spent on judging the body
// (%-checks): comparing versions, storages, containers, structures and types. Both are timed in turn in one run.
func BenchmarkContractChecks(b *testing.B) {
	body := func(c, x *Tensor) (*Tensor, *Tensor) {
		n := c.MulScalar(0.9).Add(x.MulScalar(0.1))
		return n, n.Clone()
	}
	xs, init := Ones(Float64, 100000), Scalar(0.0)
	h := begin("Scan", nil)
	spec := &h.contract.Bodies[0]
	fn := h.scanBody(spec, body)
	ins := []group{h.flatten(init, spec.In[0], "init"), h.flatten(init, spec.In[1], "x")}
	metas := [][]tracer.Meta{{init.meta()}, {init.meta()}}
	var checks, scan time.Duration
	for b.Loop() {
		m := openTrace("main", nil, h.pos)
		t := h.record(m, fn, ins, metas)
		t0 := time.Now()
		_, e := t.judge()
		t1 := time.Now()
		m.abandon()
		if e != nil {
			b.Fatal(e)
		}
		t2 := time.Now()
		Scan(body, init, xs)
		checks, scan = checks+t1.Sub(t0), scan+time.Since(t2)
	}
	b.ReportMetric(100*float64(checks)/float64(scan), "%-checks")
	b.ReportMetric(float64(checks.Nanoseconds())/float64(b.N), "ns-checks")
}

// scanBody is the body of a scan over bare tensors.
func (h *hopCall) scanBody(spec *hopcheck.Body, f func(c, x *Tensor) (*Tensor, *Tensor)) *body {
	return &body{spec: spec, run: func(ins [][]*Tensor) (outs, touched []group) {
		next, y := f(ins[0][0], ins[1][0])
		outs = []group{h.flatten(next, spec.Out[0], ""), h.flatten(y, spec.Out[1], "")}
		return outs, []group{h.flatten(ins[0][0], spec.In[0], ""), h.flatten(ins[1][0], spec.In[1], "")}
	}}
}
