package hop

import "github.com/hoplint/hoplint/tracer"

// traceLocal is what the runtime keeps for one trace, so that an eager call, which traces its body anew, allocates little.
type traceLocal struct {
	// boxes is room for tensors: one that runs away from its trace keeps the graph in any case.
	boxes []viewBox
	// captures are the first captured tensors, as the trace knows them.
	captures []tracer.Capture
}

const (
	boxChunk         = 16
	maxKnownCaptures = 8
)

// localOf returns what the runtime keeps for a trace, nil for one that it did not open.
func localOf(tr *tracer.SubgraphTracer) *traceLocal {
	l, _ := tr.Local().(*traceLocal)
	return l
}

// box returns room for a tensor.
func (l *traceLocal) box() *viewBox {
	if len(l.boxes) == 0 {
		l.boxes = make([]viewBox, boxChunk)
	}
	b := &l.boxes[0]
	l.boxes = l.boxes[1:]
	return b
}
