package tracer

import "testing"

// A trace is claimed by one operation at a time, from every tracer of its tree.
func TestATraceIsClaimedOnce(t *testing.T) {
	root := NewTracer(Options{Name: "main", Born: 1})
	child := root.Child(Options{Name: "body", Born: 2, Operator: "scan"})
	if !child.Enter() {
		t.Fatal("a trace that nobody uses refuses")
	}
	if root.Enter() || child.Enter() {
		t.Error("a trace that is in use is claimed again")
	}
	child.Leave()
	if !root.Enter() {
		t.Error("a trace that was left refuses")
	}
	root.Leave()
}
