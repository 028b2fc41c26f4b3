package tracer

import (
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
)

// traceThirty traces a scan body of thirty ops, as an eager call does.
func traceThirty() *Graph {
	m := TensorMeta(Float32, 8, 16)
	t := NewTracer(Options{Name: "combine", Operator: "scan", Param: "combine", Born: 1})
	h := t.Input("carry", m, hopcheck.Place{Role: hopcheck.Carry})
	x := t.Input("x", m, hopcheck.Place{Role: hopcheck.X})
	w := t.Constant(Capture{Key: 1, Store: 1, Name: "w", Meta: m})
	args := [2]*Value{h, x}
	for i := range 30 {
		args[i%2], _ = t.Emit1("add", args[:], nil, m, line(i))
		args[1-i%2] = w
	}
	body, _ := t.Close([]Output{{args[0], hopcheck.Place{Role: hopcheck.NextCarry}}})
	return body.Graph
}

func BenchmarkTrace30(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		traceThirty()
	}
}

func BenchmarkString30(b *testing.B) {
	g := traceThirty()
	b.ReportAllocs()
	for b.Loop() {
		_ = g.String()
	}
}

func BenchmarkAppendText30(b *testing.B) {
	g := traceThirty()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = g.AppendText(buf[:0], false)
	}
}

func BenchmarkParse30(b *testing.B) {
	text := traceThirty().String()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify30(b *testing.B) {
	g := traceThirty()
	b.ReportAllocs()
	for b.Loop() {
		if err := g.Verify(); err != nil {
			b.Fatal(err)
		}
	}
}
