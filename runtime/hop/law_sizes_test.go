package hop_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// The law where sizes are open: a program that is traced once is called for other sizes.

// otherSizes are what becomes of a size of 2 or more. Equal sizes stay equal, since they share a symbol.
var otherSizes = []func(n int) int{
	func(n int) int { return n + 1 },
	func(n int) int { return n - 1 },
	func(n int) int { return n % 2 },
}

// at is the program with other inputs; captured tensors are inputs of it, so that all sizes may change.
func (p *lawProgram) at(size func(n int) int) *lawProgram {
	q := &lawProgram{forms: [2]int{4, p.forms[1]}, body: p.body}
	for _, in := range slices.Concat(p.captured, p.inputs) {
		in.typ.shape = slices.Clone(in.typ.shape)
		for d, n := range in.typ.shape {
			if n >= 2 {
				in.typ.shape[d] = size(n)
			}
		}
		values := make([]float64, elementsOf(in.typ.shape))
		for k := range values {
			values[k] = 1
			if n := len(in.values); n > 0 {
				values[k] = in.values[(k*7+k/n)%n]
			}
		}
		in.values = values
		q.inputs = append(q.inputs, in)
	}
	return q
}

func sameSize(n int) int { return n }

// lawSizeCounts says what became of calls for other sizes.
type lawSizeCounts struct{ calls, kept, again, refused, unknown int }

// TestOpenSizesAgreeOnRandomPrograms calls random programs, traced with open sizes, for other sizes.
func TestOpenSizesAgreeOnRandomPrograms(t *testing.T) {
	var n lawSizeCounts
	checkLaw(t, 16, false, func(p *lawProgram) error {
		if e := p.expect(); !e.stable {
			return nil
		}
		return p.agreesAtOtherSizes(&n)
	})
	t.Logf("%d calls for other sizes: %d by the program of the example, %d traced again, %d refused by every mode, %d without one right answer", n.calls, n.kept, n.again, n.refused, n.unknown)
	if n.kept*5 < n.calls || n.again*200 < n.calls {
		t.Errorf("the generator makes too few programs for other sizes")
	}
}

// agreesAtOtherSizes compares a compiled function and programs of the example's trace, which are called for other sizes,
// with plain loops. A program may refuse sizes by a guard; then its file and the trace that it is called in do the same.
func (p *lawProgram) agreesAtOtherSizes(n *lawSizeCounts) error {
	example := p.at(sameSize)
	f := example.function(&lawRun{}, nil)
	x := func(q *lawProgram) lawTree { return pack(4, tensorsOf(q.inputs)) }
	program, err := hop.Trace(f, x(example), hop.DynamicDims())
	if err != nil {
		return fmt.Errorf("trace with open sizes: %w", err)
	}
	if err := checkGraph(program.Graph(), f, x(example), hop.DynamicDims()); err != nil {
		return err
	}
	loaded := saveAndLoad(program)
	compiled := hop.Compile(f, hop.DynamicDims())
	inlined := hop.Compile(hop.Must(func(x lawTree) (lawTree, error) { return program.Call(x) }), hop.DynamicDims())
	for _, size := range append([]func(int) int{sameSize}, otherSizes...) {
		q := p.at(size)
		e, known := q.expectOrNot()
		var eager lawTree
		refused := attempt(func() error { eager = f(x(q)); return nil })
		n.calls++
		switch {
		case refused == nil && (!known || !e.stable): // such as the mean of nothing
			n.unknown++
			continue
		case refused == nil:
			if err := e.compare(eager); err != nil {
				return fmt.Errorf("eager, sizes %v: %w", typesOfInputs(q), err)
			}
		}
		var kept error
		for _, mode := range []struct {
			name string
			run  func(lawTree) (lawTree, error)
		}{
			{"compiled", compiled},
			{"program", func(x lawTree) (lawTree, error) { return program.Call(x) }},
			{"loaded", func(x lawTree) (lawTree, error) { return loaded.Call(x) }},
			{"inlined", inlined},
			{"observed", func(x lawTree) (lawTree, error) { return program.Call(x, hop.Observe(&ignoring{})) }},
		} {
			in := x(q)
			before := guard(unpack(in, len(q.inputs)))
			var y lawTree
			err := attempt(func() (err error) { y, err = mode.run(in); return err })
			err = errors.Join(err, before.changed())
			if mode.name == "program" {
				kept = err
			}
			switch {
			case err == nil && known && e.stable: // also where eager refuses what nobody reads
				err = e.compare(y)
			case refused != nil:
				err = nil
			case mode.name == "compiled":
			case errors.Is(err, hop.ErrGuard) && kept != nil:
				err = nil
			}
			if err != nil {
				return fmt.Errorf("%s, sizes %v: %w", mode.name, typesOfInputs(q), err)
			}
		}
		switch {
		case refused != nil:
			n.refused++
		case kept != nil:
			n.again++
		default:
			n.kept++
		}
	}
	return nil
}

func typesOfInputs(p *lawProgram) (list []lawType) {
	for _, in := range p.inputs {
		list = append(list, in.typ)
	}
	return list
}

// expectOrNot is expect; known is false for sizes that the program has no meaning for.
func (p *lawProgram) expectOrNot() (e expected, known bool) {
	defer func() {
		if recover() != nil {
			known = false
		}
	}()
	return p.expect(), true
}
