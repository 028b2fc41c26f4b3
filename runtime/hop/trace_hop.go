package hop

import (
	"go/token"
	"slices"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// hopTrace is the graph around a HOP node: the enclosing trace when an operand belongs to one, else a trace of its own
// that is run as soon as it ends. A trace of its own may turn out to be part of an older one, when the body meets a
// value of that; it is then inlined there.
type hopTrace struct {
	tr    *tracer.SubgraphTracer
	own   bool
	args  []*Tensor       // of an own trace: what its inputs stand for
	ins   []*tracer.Value // of an own trace
	ended bool
	// observers see what the graph executes. tag is that of its operands and captured tensors, known when it ran.
	observers []Observer
	tag       *tag
}

// openTrace returns the trace in which a HOP at pos is recorded.
func openTrace(name string, enclosing *tracer.SubgraphTracer, pos token.Position) *hopTrace {
	if enclosing != nil {
		return &hopTrace{tr: enclosing}
	}
	return &hopTrace{own: true, tr: tracer.NewTracer(tracer.Options{Name: name, Ops: shapes{}, Born: nextStamp(), Now: nextStamp, Pos: pos, Import: importCapture, Local: new(traceLocal)})}
}

// openProbe returns a trace that finds out what a body would return of an operator that runs stepwise and has no steps.
func openProbe(pos token.Position) *hopTrace {
	return &hopTrace{own: true, tr: tracer.NewTracer(tracer.Options{Name: "main", Ops: shapes{}, Born: nextStamp(), Now: nextStamp, Pos: pos, Import: importCapture, Local: new(traceLocal), Probe: true})}
}

// abandon ends an own trace that did not finish.
func (m *hopTrace) abandon() {
	if m.own && !m.ended {
		m.ended = true
		m.tr.Abort()
	}
}

// input returns t as a tensor of the trace.
func (m *hopTrace) input(t *Tensor, name string) *Tensor {
	if !m.own {
		return t
	}
	v := m.tr.Input(name, t.meta(), hopcheck.Place{})
	m.args, m.ins = append(m.args, t), append(m.ins, v)
	return ofValue(v)
}

// hop records a HOP node over closed bodies and returns its flat results.
func (m *hopTrace) hop(name string, bodies []*tracer.Body, operands []*Tensor, attrs tracer.Attrs, meta tracer.Meta, pos token.Position) []*Tensor {
	if !m.own { // operands or bodies may have met a trace that stands between the bodies and the trace of the operands
		if tr := traceOf(operands); tr != nil {
			m.tr = tr
		}
	}
	values := make([]*tracer.Value, len(operands))
	for i, t := range operands {
		values[i] = valueIn(m.tr, t)
	}
	results, err := m.tr.CallHOP(name, bodies, values, attrs, meta, pos)
	if err != nil {
		panic(fromTracer(err))
	}
	outs := make([]*Tensor, len(results))
	for i, v := range results {
		outs[i] = ofValue(v)
	}
	return outs
}

// finish ends an own trace and runs its graph under the tag g, or an inner one of captured tensors, or inlines it into the trace that adopted it. In an enclosing trace the
// results stay traced.
func (m *hopTrace) finish(outs []*Tensor, g *tag, long *longRun) []*Tensor {
	m.tag = g
	if !m.own {
		return outs
	}
	outputs := make([]tracer.Output, len(outs))
	for i, t := range outs {
		outputs[i] = tracer.Output{Value: valueIn(m.tr, t)}
	}
	m.joinOperands()
	parent := m.tr.Parent()
	m.ended = true
	b, found := m.tr.Close(outputs)
	if len(found) > 0 {
		panic(joinFindings(found, token.Position{}))
	}
	if parent != nil {
		return inline(parent, b, m.args)
	}
	for _, c := range b.Captures {
		m.tag = m.tag.inner(c.Payload.(*Tensor).tag)
	}
	return runGraph(b, m.args, watching(m.tag, m.observers), long)
}

// joinOperands makes an own trace part of those that its operands and captures joined while its bodies ran: a buffer
// made in a traced body is concrete until it meets a traced tensor.
func (m *hopTrace) joinOperands() {
	list := slices.Clone(m.args)
	if m.tr.Parent() == nil {
		for _, c := range m.tr.Captures() {
			list = append(list, c.Payload.(*Tensor))
		}
	}
	if tr := traceOf(list); tr != nil {
		if err := tracer.Unite(m.tr, tr); err != nil {
			panic(fromTracer(err))
		}
	}
}

// inline records the nodes of a closed graph again in the trace that adopted it.
func inline(tr *tracer.SubgraphTracer, b *tracer.Body, args []*Tensor) []*Tensor {
	values := make([]*tracer.Value, 0, len(args)+len(b.Lifted))
	for _, t := range args {
		values = append(values, valueIn(tr, t))
	}
	values = append(values, b.Lifted...)
	results, err := tr.Inline(b.Graph, values)
	if err != nil {
		panic(fromTracer(err))
	}
	b.Recorded()
	outs := make([]*Tensor, len(results))
	for i, v := range results {
		outs[i] = ofValue(v)
	}
	return outs
}

// tracedBody is a body that ran on placeholders and is not judged yet.
type tracedBody struct {
	hop           *hopCall
	body          *body
	tr            *tracer.SubgraphTracer
	ins           []group
	given         [][]*Tensor // placeholders of ins
	outs, touched []group     // what the function returned, and its inputs after the call
	outputs       []tracer.Output
}

// trace runs a body on placeholders, judges it and closes it. metas are those that the body sees of its inputs. It
// returns the closed body and the groups that the function returned, on traced tensors, or panics with everything that
// the body did against its contract.
func (h *hopCall) trace(m *hopTrace, b *body, ins []group, metas [][]tracer.Meta) (*tracer.Body, []group) {
	t := h.record(m, b, ins, metas)
	closed, e := t.judge()
	if e != nil {
		panic(e)
	}
	return closed, t.outs
}

// record runs a body on placeholders of a child of m. When the body panics the trace is ended, and an *Error takes along
// what the body did against its contract until then.
func (h *hopCall) record(m *hopTrace, b *body, ins []group, metas [][]tracer.Meta) *tracedBody {
	tr := m.tr.Child(tracer.Options{Name: b.spec.Param, Born: nextStamp(), Operator: h.contract.Name, Param: b.spec.Param, Branch: b.index, Pos: h.pos})
	return h.recordOn(tr, b, ins, metas, nil)
}

// recordOn is record in the given tracer. names are those of the placeholders, nil for names made from their places.
func (h *hopCall) recordOn(tr *tracer.SubgraphTracer, b *body, ins []group, metas [][]tracer.Meta, names []string) *tracedBody {
	t := &tracedBody{hop: h, body: b, tr: tr, ins: ins, given: make([][]*Tensor, len(ins))}
	returned := false
	defer func() {
		if returned {
			return
		}
		p := recover()
		reportCaptures(tr)
		path := operators(tr)
		found := tr.Abort()
		if e, ok := p.(*Error); ok {
			if e.HOP == "" {
				e.HOP = h.contract.Name
			}
			e = withFindings(e, found, h.pos)
			e.below(path)
			panic(e)
		}
		if p != nil { // else the goroutine ends
			panic(p)
		}
	}()
	for k, g := range ins {
		for i := range g.leaves {
			name := inputName(g, i)
			if len(names) > 0 {
				name, names = names[0], names[1:]
			}
			v := tr.Input(name, metas[k][i], g.place(i))
			t.given[k] = append(t.given[k], ofValue(v))
		}
	}
	t.outs, t.touched = b.run(t.given)
	for _, g := range t.outs {
		for i, leaf := range g.leaves {
			t.outputs = append(t.outputs, tracer.Output{Value: valueIn(tr, leaf), Place: g.place(i)})
		}
	}
	returned = true
	return t
}

// judge closes the trace and returns everything that the body did against its contract, as one error: writes to its
// containers, writes and aliases that the trace saw, outputs that differ from what they must equal.
func (t *tracedBody) judge() (*tracer.Body, *Error) {
	errs := t.hop.containers(t.body, t.ins, t.given, t.touched)
	mismatch := t.hop.mismatches(t.body, t.ins, t.given, t.outs)
	path := operators(t.tr)
	reportCaptures(t.tr)
	closed, found := t.tr.Close(t.outputs)
	for _, f := range found {
		f.Body = t.body.spec.Words
		errs = append(errs, fromFinding(f, t.body.pos))
	}
	e := joinErrors(append(errs, mismatch...))
	if e != nil {
		e.inside(path)
	}
	return closed, e
}

// mismatches applies the contract's rules on structure, dtype and shape to what the body returned.
func (h *hopCall) mismatches(b *body, ins []group, given [][]*Tensor, outs []group) []*Error {
	var errs []*Error
	for _, rule := range h.contract.SameMeta {
		for i := range outs {
			for k := range ins {
				if outs[i].slot.Role == rule.Out && ins[k].slot.Role == rule.In {
					want := ins[k]
					want.leaves = given[k]
					if e := h.sameMeta(rule, &outs[i], &want, b.pos); e != nil {
						errs = append(errs, e)
					}
					break // the two elements of an associative scan are of one type
				}
			}
		}
	}
	return errs
}

// operators is the path of nested HOPs down to tr, outermost first: scan / cond.onTrue.
func operators(tr *tracer.SubgraphTracer) string {
	path := ""
	for ; tr != nil; tr = tr.Parent() {
		if tr.Operator() == "" {
			continue
		}
		if path != "" {
			path = " / " + path
		}
		path = tr.Segment() + path
	}
	return path
}

// inputName names the placeholder of a leaf: carry_H for carry.H.
func inputName(g group, i int) string {
	name := g.slot.Role.String()
	if g.slot.Label != "" {
		name = g.slot.Label
	}
	return name + g.paths[i]
}

// reportCaptures tells the trace of writes to captured tensors that it could not see: ops on concrete operands only
// run at once. It tells the steps that captured tensors are part of what the trace wrote.
func reportCaptures(tr *tracer.SubgraphTracer) {
	for _, c := range tr.Captures() {
		t := c.Payload.(*Tensor)
		tr.Mutated(c.Key, t.storage.version.Load(), "", token.Position{})
		if op, pos, ok := tr.Wrote(c.Key); ok { // in the trace alone
			t.tag.wroteInTrace(t.storage, op, pos)
		}
	}
}

// joinFindings makes one error of what a trace found.
func joinFindings(found []tracer.Finding, fallback token.Position) *Error {
	errs := make([]*Error, len(found))
	for i, f := range found {
		errs[i] = fromFinding(f, fallback)
	}
	return joinErrors(errs)
}

// withFindings adds what an enclosing body did to the error that stopped it.
func withFindings(e *Error, found []tracer.Finding, fallback token.Position) *Error {
	errs := []*Error{e}
	for _, f := range found {
		errs = append(errs, fromFinding(f, fallback))
	}
	return joinErrors(errs)
}
