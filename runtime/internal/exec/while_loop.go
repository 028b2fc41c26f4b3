package exec

import (
	"fmt"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// while is a bound while loop.
type while struct {
	node    *tracer.Node
	max     int // the steps that are allowed; -1 when the node does not say
	carries carries
	// scope is the loop: its body is the condition, which is computed at least once. The steps are gated behind it.
	scope *scope
	cond  block
	pred  unsafe.Pointer
	body  gate
	// keeps are the ys of the loop that further ways read, nil for others; a loop alone has none.
	keeps []*history
	ctl   *control
	depth int
}

func checkWhileLoop(n *tracer.Node) error {
	carries := n.Attrs.Int("n_carry")
	if len(n.Graphs) != 2 {
		return fmt.Errorf("while_loop has %d bodies, it takes a condition and a body", len(n.Graphs))
	}
	cond, body := n.Graphs[0], n.Graphs[1]
	if carries < 0 || len(n.Args) < carries || len(cond.Inputs) != len(n.Args) || len(body.Inputs) != len(n.Args) ||
		len(cond.Outputs) != 1 || len(body.Outputs) != carries || len(n.Meta.Elems) != carries {
		return fmt.Errorf("while_loop with %d carries has %d arguments and %d results, its condition %d inputs and %d outputs, its body %d and %d",
			carries, len(n.Args), len(n.Meta.Elems), len(cond.Inputs), len(cond.Outputs), len(body.Inputs), len(body.Outputs))
	}
	if err := oneElement(cond.Outputs[0].Meta, tracer.Bool); err != nil {
		return fmt.Errorf("the condition %w", err)
	}
	if err := checkMaxSteps(n); err != nil {
		return err
	}
	return sameCarries(body.Inputs[:carries], body.Outputs)
}

func checkMaxSteps(n *tracer.Node) error {
	if max := n.Attrs.Get("max_steps"); max != nil {
		if k, ok := max.(int); !ok || k < 0 {
			return fmt.Errorf("max_steps is %v, it is the number of steps that are allowed", max)
		}
	}
	return nil
}

// oneElement checks that a meta is one element of one of the dtypes.
func oneElement(m tracer.Meta, dts ...tracer.DType) error {
	shape, ok := m.ConstShape()
	for _, d := range shape {
		ok = ok && d == 1
	}
	for _, dt := range dts {
		if ok && m.DType == dt {
			return nil
		}
	}
	return fmt.Errorf("is %s, it is one element of %s", m, dts[len(dts)-1])
}

// whileLoop binds a while_loop node.
func (f *frame) whileLoop(n *tracer.Node) (*value, error) {
	level, k := f.levels[n], n.Attrs.Int("n_carry")
	results := f.results(n, level)
	w := newWhile(f, n, level)
	if err := f.whileBodies(w, n.Args[:k], n.Args[k:], results.parts, nil, nil); err != nil {
		return nil, inside(n, 0, -1, err)
	}
	f.remark(n, "%s", w.carries.describe())
	f.emit(level, instr{try: func() error { _, err := w.steps(); return err }, node: n})
	return results, nil
}

func newWhile(f *frame, n *tracer.Node, level int) *while {
	w := &while{node: n, max: -1, ctl: f.ctl}
	if max, ok := n.Attrs.Get("max_steps").(int); ok {
		w.max = max
	}
	w.scope = f.inner(n, level, level+1)
	return w
}

// whileBodies binds the condition and the body. ys are outputs of the body behind the next carries, to be kept in keeps.
func (f *frame) whileBodies(w *while, inits, captured []*tracer.Node, results []*value, ys []*tracer.Node, keeps []*history) error {
	cond, body := w.node.Graphs[0], w.node.Graphs[1]
	steps := &scope{parent: w.scope, depth: w.scope.depth, gated: true}
	b, k := f.child(steps), len(inits)
	b.loops++
	w.depth = b.loops
	c := &w.carries
	c.node, c.inputs, c.next = w.node, body.Inputs[:k], body.Outputs[:k]
	c.open(b, f.valuesOf(inits))

	p := f.child(w.scope)
	p.loops++
	for j, v := range c.values {
		p.env[cond.Inputs[j]], b.env[body.Inputs[j]] = v, v
	}
	f.pass(p, cond.Inputs[k:], captured)
	f.pass(b, body.Inputs[k:], captured)
	p.survey(cond)
	if err := p.nodes(cond); err != nil {
		return err
	}
	p.env[cond.Outputs[0]].track(&w.pred)

	b.survey(body)
	for j, h := range keeps {
		if h != nil {
			b.claim(ys[j], h.next)
		}
	}
	c.claim(b, body, ys)
	if err := b.nodes(body); err != nil {
		return err
	}
	for j, h := range keeps {
		if h != nil {
			w.keeps = append(w.keeps, h)
			b.deliver(&steps.body, ys[j], b.env[ys[j]], h.next)
		}
	}
	c.close(b, results, func(*mover) bool { return false })
	w.cond, w.body = sealed(w.scope.body), steps.gate()
	return nil
}

// steps executes the loop and returns the number of its steps; it allocates nothing but room for what is kept.
func (w *while) steps() (int, error) {
	if err := w.carries.begin(); err != nil {
		return 0, inside(w.node, 0, -1, err)
	}
	if err := runAll(w.scope.pre); err != nil {
		return 0, inside(w.node, 0, 0, err)
	}
	max, watched := w.max, w.ctl.watched
	if max < 0 && w.ctl.MaxSteps > 0 {
		max = w.ctl.MaxSteps
	}
	for i := 0; ; i++ {
		if err := w.cond.run(); err != nil {
			return i, inside(w.node, 0, i, err)
		}
		if *(*uint8)(w.pred) == 0 {
			return i, w.end(i)
		}
		if i == max {
			e := failed(w.node, &MaxStepsError{Steps: max}) // of the loop and of neither function
			e.Step = i
			return i, e
		}
		w.carries.move(i)
		for _, h := range w.keeps {
			h.row(i)
		}
		if i == 0 {
			if err := w.body.prepare(); err != nil {
				return i, inside(w.node, 1, 0, err)
			}
		}
		if err := w.body.body.run(); err != nil {
			return i, inside(w.node, 1, i, err)
		}
		w.carries.advance(i)
		if watched {
			if err := w.ctl.step(w.depth, i+1, -1); err != nil {
				return i, inside(w.node, 1, i, err)
			}
		}
	}
}

// forget lets go of what was kept.
func (w *while) forget() { forget(w.keeps) }

func (w *while) end(steps int) error {
	if w.ctl.watched && steps > 0 {
		if err := w.ctl.step(w.depth, steps, steps); err != nil {
			return inside(w.node, 1, steps-1, err)
		}
	}
	return w.carries.end()
}
