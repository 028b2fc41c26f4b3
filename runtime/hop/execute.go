package hop

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// execute runs a HOP in the mode that its options and operands ask for: Stepwise by option, or because the operands are
// part of a stepwise run; traced otherwise. Both functions return the flat results; a nil stepwise means that there is
// nothing to step through. g is the tag of what is executed.
func (h *hopCall) execute(operands []*Tensor, stepwise func(g *tag) []*Tensor, traced func(m *hopTrace) []*Tensor) []*Tensor {
	g, tr := innermost(operands), traceOf(operands)
	if h.opts.stepwise {
		if tr != nil && !tr.Probing() {
			h.misuse("Stepwise is refused inside the traced operator %s, where tensors have no data; %s", tr.Path(), orRemove(tr))
		}
	}
	h.long = h.opts.longRun(h.contract.Name)
	if h.long != nil && tr != nil {
		h.misuse("a run inside a traced function takes neither WithContext nor Progress; give them to Call of the program, or to the outermost operator")
	}
	h.long.check()
	step := stepwise != nil && tr == nil && (h.opts.stepwise || g.step() != nil) // a step may trace a body to learn its shapes
	var results []*Tensor
	if step {
		results, step = h.tryStepwise(stepwise, watching(g, h.opts.observers))
		g = g.inner(h.around)
	}
	if !step {
		m := openTrace("main", tr, h.pos)
		defer m.abandon()
		m.observers = h.opts.observers
		results = m.finish(traced(m), g, h.long)
		g = m.tag
	}
	results = settled(results)
	h.announce(watching(g, h.opts.observers), operands, results, !step)
	return taggedAll(results, g)
}

// settled copies real results that do not lie in row-major order, so that they are the same in every mode: a body may
// return an expanded view of what it made, which nobody could write.
func settled(results []*Tensor) []*Tensor {
	for i, t := range results {
		if traced(t) == nil && !t.IsContiguous() {
			results[i] = tagged(t, nil).Clone()
		}
	}
	return results
}

// tryStepwise runs stepwise. It reports false where the body met a traced tensor although only its operands, and no
// option, asked for steps: then the operator stands inside a traced body that captured tensors of a stepwise run, and
// belongs to the trace. What the steps wrote is taken back by then.
func (h *hopCall) tryStepwise(stepwise func(g *tag) []*Tensor, g *tag) (results []*Tensor, ok bool) {
	defer func() {
		if ok {
			return
		}
		p := recover()
		if p == nil { // the goroutine ends
			return
		}
		if e, is := p.(*Error); !is || !e.insideTrace || h.opts.stepwise && !e.probing {
			panic(p)
		}
	}()
	return stepwise(g), true
}

// tuple is the meta of a HOP's flat results.
func tuple(parts ...[]tracer.Meta) tracer.Meta {
	return tracer.Meta{Elems: append([]tracer.Meta{}, slices.Concat(parts...)...)}
}

// inputs returns the leaves as tensors of the trace.
func (m *hopTrace) inputs(leaves []*Tensor, name string) []*Tensor {
	list := make([]*Tensor, len(leaves))
	for i, t := range leaves {
		list[i] = m.input(t, name)
	}
	return list
}
