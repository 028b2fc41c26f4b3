package hop_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// lawFault is the one thing that a faulty program does against the contract.
type lawFault struct {
	after int // bodies that are left alone
	early bool
	alias bool

	placed bool
	body   *lawBlock // that breaks the contract
	outer  bool      // the program itself does
	stmt   *lawStmt  // the write; nil for an alias
	codes  []hopcheck.Code
}

// place puts the fault into the current body where its turn has come and the body has what it needs. outer is the number
// of registers that the body captures.
func (f *lawFault) place(g *lawGen, outer int) {
	if f.placed {
		return
	}
	if f.after > 0 {
		f.after--
		return
	}
	if f.alias {
		f.placed = f.placeAlias(g)
	} else {
		f.placed = f.placeWrite(g, outer)
	}
	if f.placed {
		f.body, f.outer = g.block, g.depth == 1
	}
}

// placeWrite writes something that the body was given or captures, at times through views of it. What it writes to a
// captured tensor is computed from what the body was given: other writes to tensors that are not traced run at once.
func (f *lawFault) placeWrite(g *lawGen, outer int) bool {
	r := g.any("victim", func(a *lawArray) bool {
		return g.owner[a.cells] != g.body && elementsOf(a.shape) > 0 && !a.overlaps()
	})
	if r < 0 {
		return false
	}
	params := len(g.block.params)
	if g.depth == 1 { // of the program itself: its inputs
		outer, params = g.captured, len(g.regs)
	}
	captured := slices.ContainsFunc(g.regs[:outer], func(a *lawArray) bool { return a.cells == g.regs[r].cells })
	if captured && params == 0 {
		return false
	}
	for range g.n(0, 3, "views") {
		op, at, ok := g.window(g.regs[r])
		if !ok || op == "expand" || op == "reshape" {
			continue
		}
		if v := lawOps[op].ref(g.probe, []*lawArray{g.regs[r]}, at); elementsOf(v.shape) > 0 {
			r = g.emit(op, at, r)
		}
	}
	from := -1
	if captured {
		from = outer
		if g.regs[from].dt == hop.Bool {
			from = g.emit("any", lawAttrs{ints: []int{0}}, from)
		} else {
			from = g.emit("sum", lawAttrs{ints: []int{0}}, from)
		}
		if g.regs[from].dt != g.regs[r].dt {
			from = g.emit("cast", lawAttrs{dt: g.regs[r].dt}, from)
		}
	}
	g.writeTo(r, from)
	f.stmt = g.block.stmts[len(g.block.stmts)-1]
	f.codes = []hopcheck.Code{hopcheck.MutatedCarry, hopcheck.MutatedX, hopcheck.MutatedOperand, hopcheck.MutatedCaptured}
	return true
}

// placeAlias makes an output share storage with an input, a captured tensor or another output.
func (f *lawFault) placeAlias(g *lawGen) bool {
	outs := g.block.outs
	if len(outs) == 0 || g.predicate {
		return false
	}
	k := g.n(0, len(outs)-1, "which")
	t := g.regs[outs[k].reg].typ()
	if elementsOf(t.shape) == 0 {
		return false
	}
	if j := g.n(0, len(outs)-1, "other"); j != k && g.regs[outs[j].reg].typ().equal(t) && g.mine(outs[j].reg) {
		outs[j].clone = false
		outs[k] = outs[j]
		f.codes = []hopcheck.Code{hopcheck.OutputsAlias}
		return true
	}
	r := g.any("source", func(a *lawArray) bool { return a.typ().equal(t) && g.owner[a.cells] != g.body })
	if r < 0 {
		return false
	}
	for range g.n(0, 2, "turns") {
		if d := len(t.shape); d > 0 {
			at := lawAttrs{ints: []int{0, g.n(0, d-1, "with")}}
			r = g.emit("transpose", at, g.emit("transpose", at, r))
		} else {
			r = g.emit("select", lawAttrs{ints: []int{0, 0}}, g.emit("unsqueeze", lawAttrs{ints: []int{0}}, r))
		}
	}
	outs[k] = lawOut{reg: r}
	f.codes = []hopcheck.Code{hopcheck.OutputAliasesInput, hopcheck.OutputAliasesCaptured, hopcheck.OutputsAlias}
	return true
}

// findings lists what an error says the program did, without where and in which step it was seen.
func findings(err error) []string {
	var e *hop.Error
	if !errors.As(err, &e) {
		return []string{fmt.Sprint(err)}
	}
	var list []string
	for _, f := range append([]*hop.Error{e}, e.More...) {
		s := fmt.Sprintf("%s by %q", string(f.Code), f.Op)
		for _, p := range f.Finding.Places {
			s += " " + nameOf(p)
		}
		for _, p := range f.Finding.Pairs {
			s += fmt.Sprintf(" %s=%s", nameOf(p.Out), nameOf(p.With))
		}
		if f.Code == "" {
			s = f.Error()
		}
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

// nameOf is a place by role, label and path. By which name of the body around it a captured tensor is called depends on
// whether the two were traced together.
func nameOf(p hopcheck.Place) string {
	if p.Role == hopcheck.Captured {
		return p.Role.String()
	}
	return fmt.Sprintf("%s %s%s", p.Role, p.Label, p.Path)
}

// attempt runs f and returns what it was refused with.
func attempt(f func() error) (err error) {
	if e := hop.Try(func() { err = f() }); e != nil {
		return e
	}
	return err
}

// inside reports whether the faulty body is part of b.
func (f *lawFault) inside(b *lawBlock) bool {
	if b == f.body {
		return f.stmt == nil || slices.Contains(b.stmts, f.stmt)
	}
	return slices.ContainsFunc(b.stmts, func(s *lawStmt) bool { return s.hop != nil && slices.ContainsFunc(s.hop.bodies, f.inside) })
}

// TestModesRefuseTheSameFaults runs random programs with one fault at a random place: what is traced and what runs
// Stepwise must find the same, and leave everything as it was.
func TestModesRefuseTheSameFaults(t *testing.T) {
	total, reached := 0, 0
	checkLaw(t, 18, true, func(p *lawProgram) error {
		if !p.fault.placed || !p.fault.inside(p.body) || !p.expect().stable {
			return nil
		}
		m := &lawMachine{reached: map[*lawBlock]bool{}, rng: noisySource(1)}
		m.run(p, arraysOf(p.captured, p.inputs))
		total++
		if m.reached[p.fault.body] {
			reached++
		}
		return p.refused(m.reached[p.fault.body])
	})
	t.Logf("%d faulty programs, %d reach their fault", total, reached)
	if reached*2 < total {
		t.Errorf("%d of %d programs reach their fault; the generator does not make enough good ones", reached, total)
	}
}

// refused runs a faulty program in every mode; reached says whether the fault is met when it runs step by step.
func (p *lawProgram) refused(reached bool) error {
	captured, inputs := tensorsOf(p.captured), tensorsOf(p.inputs)
	x := pack(p.forms[0], inputs)
	kept := guard(captured, inputs)
	refusal := func(r *lawRun, must bool, f func() error) ([]string, error) {
		err := attempt(f)
		found := findings(err)
		switch broken := errors.Join(kept.changed(), r.broken); {
		case broken != nil:
			return nil, fmt.Errorf("after %v: %w", found, broken)
		case err == nil && must:
			return nil, errors.New("not refused")
		case err == nil:
			return nil, nil
		case !slices.ContainsFunc(p.fault.codes, func(c hopcheck.Code) bool { return errors.Is(err, c) }):
			return nil, fmt.Errorf("refused with\n%w\nwant %v", err, p.fault.codes)
		}
		return found, nil
	}
	plain, guarded, stepped := &lawRun{}, &lawRun{guarded: true}, &lawRun{guarded: true, outer: []hop.Option{hop.Stepwise()}}
	for _, pair := range []struct {
		name             string
		traced, stepwise func() ([]string, error)
	}{
		{"whole program",
			func() ([]string, error) {
				return refusal(plain, true, func() error { _, err := hop.Trace(p.function(plain, captured), x); return err })
			},
			func() ([]string, error) {
				return refusal(guarded, reached, func() error { whole(p.function(guarded, captured))(x); return nil })
			}},
		{"operators",
			func() ([]string, error) {
				return refusal(guarded, true, func() error { p.function(guarded, captured)(x); return nil })
			},
			func() ([]string, error) {
				return refusal(stepped, reached, func() error { p.function(stepped, captured)(x); return nil })
			}},
	} {
		traced, err := pair.traced()
		if err != nil {
			return fmt.Errorf("%s, traced: %w", pair.name, err)
		}
		stepwise, err := pair.stepwise()
		if err != nil {
			return fmt.Errorf("%s, stepwise: %w", pair.name, err)
		}
		// An operator that is traced inside a step, because nothing of the step is among its operands, does not tell the
		// step what its body wrote. The step is refused all the same.
		fewer := len(stepwise) < len(traced) && !slices.ContainsFunc(stepwise, func(s string) bool { return !slices.Contains(traced, s) })
		if stepwise != nil && reached && !fewer && !slices.Equal(traced, stepwise) {
			return fmt.Errorf("%s: traced finds\n%s\nStepwise finds\n%s", pair.name, strings.Join(traced, "\n"), strings.Join(stepwise, "\n"))
		}
		if p.fault.outer {
			break // as a plain function the program does nothing wrong
		}
	}
	return nil
}
