package tracer

import (
	"errors"

	"github.com/hoplint/hoplint/hopcheck"
)

// Output is one result of a body and its place, e.g. {NextCarry, ".H"}.
type Output struct {
	Value *Value
	Place hopcheck.Place
}

// Body is a closed trace.
type Body struct {
	Graph *Graph
	// Explicit counts the leading inputs of the graph that are no lifted ones.
	Explicit int
	// Lifted are the values of the parent that stand behind the explicit inputs, in order; empty for a root.
	Lifted []*Value
	// Captures are the captured tensors of a root, aligned with Graph.Constants.
	Captures []Capture

	tracer *SubgraphTracer
}

// Recorded says that the graph of the body was recorded again, by [SubgraphTracer.Inline], in the trace around it.
func (b *Body) Recorded() {
	if b.tracer != nil {
		b.tracer.recorded = true
	}
}

// Close ends the trace: it pops t and whatever is still open inside it, and returns the graph and everything that the
// body did against its contract: mutations, then outputs that alias each other, an input, a captured tensor. An output
// that is a leak comes first and is missing from the graph.
func (t *SubgraphTracer) Close(outputs []Output) (*Body, []Finding) {
	var found []Finding
	kept := make([]Output, 0, len(outputs))
	for _, o := range outputs {
		n, err := t.Use(o.Value)
		if err != nil {
			if e := (*Error)(nil); errors.As(err, &e) {
				found = append(found, e.Finding)
			} else {
				found = append(found, Finding{Finding: hopcheck.Finding{Code: hopcheck.LeakedTensor, HOP: t.opts.Operator, Body: t.words, Detail: err.Error()}, Path: t.Path()})
			}
			continue
		}
		t.graph.Outputs = append(t.graph.Outputs, n)
		kept = append(kept, Output{o.Value.real(), o.Place})
	}
	found = append(found, t.mutations()...)
	found = append(found, t.aliases(kept)...)
	return t.finish(), found
}

// Abort ends the trace of a body that panicked and returns the mutations seen so far: a body that a nested operator
// refused may have broken its own contract too.
func (t *SubgraphTracer) Abort() []Finding {
	found := t.mutations()
	t.finish()
	return found
}

// finish puts the inputs into the graph, explicit ones first, and pops t.
func (t *SubgraphTracer) finish() *Body {
	b := &Body{Graph: t.graph, Explicit: len(t.explicit), tracer: t}
	for _, v := range t.captured {
		b.Captures = append(b.Captures, *v.capture)
	}
	t.graph.Inputs = make([]*Node, 0, len(t.explicit)+len(t.lifted))
	for _, p := range t.explicit {
		t.graph.Inputs = append(t.graph.Inputs, p.node)
	}
	for _, p := range t.lifted {
		t.graph.Inputs = append(t.graph.Inputs, p.node)
		b.Lifted = append(b.Lifted, p.value)
	}
	for _, list := range [][]*Node{t.graph.Inputs, t.graph.Nodes} { // a graph outlives its trace
		for _, n := range list {
			n.value = nil
		}
	}
	t.pop()
	return b
}
