package exec

import (
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
)

// stripSteps is how many steps are done together: two streams of float64 then take half of a 16 KiB piece of cache.
const stripSteps = 512

// strips is a scan whose steps compute scalars only, by ops that cannot fail. The steps are done in strips of
// stripSteps: first all that needs no carry, in one loop per op; then the recurrence itself, step by step, which
// records every carry; then all that is no part of the recurrence, again in one loop per op.
type strips struct {
	carries []stripCarry
	before  []stripOp
	steps   []func(i int) // step i of the strip
	recur   *stripRecur
	after   []stripOp
	live    bool    // whether any carry changes
	index   []int64 // the numbers of the steps, in a for loop whose body asks
}

// stripCarry is a carry with its record: history has the carry before each step of a strip and behind the last one.
type stripCarry struct {
	slot, init, result, history unsafe.Pointer
	size                        int
	// kept marks a carry that is forwarded: it is a constant of the scan.
	kept bool
}

// stream is a value over the steps of a strip: at its first step it lies at *base plus move bytes per step before the
// strip, and stride elements further from step to step.
type stream struct {
	base         *unsafe.Pointer
	move, stride int
	// fixed says that the address is the same in all runs and strips. That of an operand with one element for all steps is not.
	fixed bool
}

// addr returns the address of step i, the first of a strip.
func (s *stream) addr(i int) unsafe.Pointer {
	if s.base == nil {
		return nil
	}
	return unsafe.Add(*s.base, i*s.move)
}

func still(p unsafe.Pointer, stride int) stream { return stream{base: &p, stride: stride, fixed: true} }

// stripOp computes one value for all steps of a strip.
type stripOp struct {
	loop       kernels.Loop
	o, a, b, c stream
}

func (op *stripOp) run(i, n int) {
	op.loop(op.o.addr(i), op.a.addr(i), op.b.addr(i), op.c.addr(i), n, op.a.stride, op.b.stride, op.c.stride)
}

// stripRecur is a recurrence of one op.
type stripRecur struct {
	code func(o, a, b, c unsafe.Pointer, n, sb, sc int)
	b, c stream
}

// runStrips executes the scan.
func (s *scan) runStrips() error {
	t := s.strips
	t.begin()
	if err := s.prepare(); err != nil {
		return s.inside(0, err)
	}
	for i := 0; i < s.length; i += stripSteps {
		n := min(stripSteps, s.length-i)
		for k := range t.index {
			t.index[k] = int64(s.first + i + k)
		}
		for k := range t.before {
			t.before[k].run(i, n)
		}
		for k := range t.carries {
			if c := &t.carries[k]; !c.kept {
				copyScalar(c.history, c.slot, c.size)
			}
		}
		switch {
		case t.recur != nil:
			t.runRecur(i, n)
		case t.live:
			t.runSteps(n)
		}
		for k := range t.after {
			t.after[k].run(i, n)
		}
		if s.ctl.watched {
			if err := s.report(i + n); err != nil {
				return err
			}
		}
	}
	t.end()
	return nil
}

// begin makes the inits the carries.
func (t *strips) begin() {
	for k := range t.carries {
		c := &t.carries[k]
		copyScalar(c.slot, c.init, c.size)
	}
}

// end copies the last carries to the results.
func (t *strips) end() {
	for k := range t.carries {
		if c := &t.carries[k]; c.result != nil {
			copyScalar(c.result, c.slot, c.size)
		}
	}
}

func (t *strips) runRecur(i, n int) {
	for k := range t.carries {
		if c := &t.carries[k]; !c.kept {
			r := t.recur
			r.code(unsafe.Add(c.history, c.size), c.slot, r.b.addr(i), r.c.addr(i), n, r.b.stride, r.c.stride)
			copyScalar(c.slot, unsafe.Add(c.history, n*c.size), c.size)
		}
	}
}

// runSteps runs the recurrence step by step; short ones without a loop over their ops.
func (t *strips) runSteps(n int) {
	switch f := t.steps; len(f) {
	case 1:
		for i := range n {
			f[0](i)
		}
	case 2:
		f0, f1 := f[0], f[1]
		for i := range n {
			f0(i)
			f1(i)
		}
	case 3:
		f0, f1, f2 := f[0], f[1], f[2]
		for i := range n {
			f0(i)
			f1(i)
			f2(i)
		}
	default:
		for i := range n {
			for _, step := range f {
				step(i)
			}
		}
	}
	for k := range t.carries {
		if c := &t.carries[k]; !c.kept {
			copyScalar(c.slot, unsafe.Add(c.history, n*c.size), c.size)
		}
	}
}
