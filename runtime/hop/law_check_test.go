package hop_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// lawRounds is how many times a hundred programs a run of the tests draws.
const lawRounds = 4

// checkLaw checks a law on random programs of up to size statements: from fixed seeds, so that every run of the tests
// is the same, unless rapid is told another one (-rapid.seed, RAPID_SEED; -rapid.checks for more of them). rapid shrinks
// what it drew; the program that is left is then made smaller statement by statement.
func checkLaw(t *testing.T, size int, faulty bool, law func(p *lawProgram) error) {
	t.Helper()
	withSeeds(t, lawRounds, func() { checkPrograms(t, size, faulty, law) })
}

// withSeeds calls check once for each of so many seeds, which are the same in every run of the tests, or for the one that
// is given by flag.
func withSeeds(t *testing.T, rounds int, check func()) {
	seed := flag.Lookup("rapid.seed").Value
	if _, given := os.LookupEnv("RAPID_SEED"); seed.String() != "0" || given {
		check()
		return
	}
	defer func() {
		if err := seed.Set("0"); err != nil {
			t.Error(err)
		}
	}()
	for round := range rounds {
		if err := seed.Set(fmt.Sprint(20251 + 1000003*round)); err != nil {
			t.Fatal(err)
		}
		check()
	}
}

// checkPrograms is checkLaw for one seed.
func checkPrograms(t *testing.T, size int, faulty bool, law func(p *lawProgram) error) {
	t.Helper()
	var failed *lawProgram
	defer func() {
		if failed != nil {
			kind := kindOf(holds(law, failed))
			failed.reduce(func() bool { return kindOf(holds(law, failed)) != kind })
			t.Logf("made smaller: %v\n%s", holds(law, failed), failed)
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		var fault *lawFault
		if faulty {
			fault = &lawFault{after: rapid.IntRange(0, 5).Draw(t, "bodies before"), alias: rapid.Bool().Draw(t, "alias")}
		}
		p := lawProgramOf(t, size, fault)
		if err := holds(law, p); err != nil {
			failed = p
			t.Fatalf("%v\n%s", err, p)
		}
	})
}

// kindOf is the beginning of an error without positions and numbers, so that a smaller program fails in the same way.
func kindOf(err error) string {
	if err == nil {
		return ""
	}
	words := regexp.MustCompile(`\S+\.go:\d+: |[0-9]+`).ReplaceAllString(err.Error(), "")
	return words[:min(len(words), 60)]
}

// holds returns what a law says of a program; a panic is a failure as well.
func holds(law func(p *lawProgram) error, p *lawProgram) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return law(p)
}

// reduce makes a program smaller as long as fine, which is false for it, stays false: statements become constants of
// their types, and go when nobody uses them.
func (p *lawProgram) reduce(fine func() bool) {
	for again := true; again; {
		again = false
		for len(p.body.outs) > 1 {
			outs := p.body.outs
			if p.body.outs = outs[:len(outs)-1]; fine() {
				p.body.outs = outs
				break
			}
			again = true
		}
		again = p.body.reduce(len(p.captured)+len(p.inputs), fine) || again
	}
}

// reduce reduces a body whose own registers begin at n.
func (b *lawBlock) reduce(n int, fine func() bool) (smaller bool) {
	n += len(b.params)
	firsts := make([]int, len(b.stmts)) // the first result of each statement
	for i, s := range b.stmts {
		firsts[i] = n
		n += len(s.types)
	}
	for i := len(b.stmts) - 1; i >= 0; i-- {
		s, stmts := b.stmts[i], b.stmts
		if b.unused(i, firsts[i]) {
			b.stmts = slices.Delete(slices.Clone(stmts), i, i+1)
			b.shift(i, firsts[i], -len(s.types))
			if !fine() {
				smaller = true
				continue
			}
			b.shift(i, firsts[i], len(s.types))
			b.stmts = stmts
		}
		if s.op != "full" && !s.write {
			var constants []*lawStmt
			for _, t := range s.types {
				constants = append(constants, &lawStmt{op: "full", at: lawAttrs{ints: t.shape, nums: []float64{1}, dt: t.dt}, types: []lawType{t}})
			}
			if b.stmts = slices.Replace(slices.Clone(stmts), i, i+1, constants...); !fine() {
				smaller = true
				continue
			}
			b.stmts = stmts
		}
		if s.hop != nil {
			for _, inner := range s.hop.bodies {
				smaller = inner.reduce(firsts[i], fine) || smaller
			}
		}
	}
	return smaller
}

// registers calls f for every register that a body mentions from statement i on, inner bodies included.
func (b *lawBlock) registers(i int, f func(r *int)) {
	all := func(list []int) {
		for k := range list {
			f(&list[k])
		}
	}
	for _, s := range b.stmts[i:] {
		all(s.args)
		for k := range s.at.sizes {
			f(&s.at.sizes[k].reg)
		}
		if h := s.hop; h != nil {
			f(&h.head)
			all(h.carry)
			all(h.xs)
			all(h.again)
			for _, inner := range h.bodies {
				inner.registers(0, f)
			}
		}
	}
	for k := range b.outs {
		f(&b.outs[k].reg)
	}
}

// unused reports whether nobody reads the results of statement i, which begin at first.
func (b *lawBlock) unused(i, first int) bool {
	used := false
	b.registers(i+1, func(r *int) { used = used || *r >= first && *r < first+len(b.stmts[i].types) })
	return !used
}

// shift moves all registers behind first, from statement i on, by d.
func (b *lawBlock) shift(i, first, d int) {
	b.registers(i, func(r *int) {
		if *r >= first {
			*r += d
		}
	})
}
