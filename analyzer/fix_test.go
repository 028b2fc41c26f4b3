package analyzer_test

import (
	"cmp"
	"fmt"
	"go/format"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// edit is a change of a file by offsets.
type edit struct {
	start, end int
	text       string
}

// editsOf are the edits of a finding's first fix.
func editsOf(fset *token.FileSet, f analyzer.Finding) []edit {
	var list []edit
	if len(f.Fixes) > 0 {
		for _, e := range f.Fixes[0].TextEdits {
			list = append(list, edit{fset.Position(e.Pos).Offset, fset.Position(e.End).Offset, string(e.NewText)})
		}
	}
	return list
}

// applyEdits applies edits, equal ones once, as drivers do.
func applyEdits(text []byte, list []edit) []byte {
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Or(b.start-a.start, b.end-a.end, strings.Compare(a.text, b.text)) })
	for _, e := range slices.Compact(list) {
		text = slices.Concat(text[:e.start], []byte(e.text), text[e.end:])
	}
	return text
}

func TestFixes(t *testing.T) {
	checkFixes(t, []fixCase{
		{"functional form", `carry.AddInPlace(x)
		return carry.Mul(x), x.Clone()`, `carry = carry.Add(x)
		return carry.Mul(x), x.Clone()`},
		{"functional form of an assigned result", `carry = carry.AddInPlace(x)
		return carry.Mul(x), x.Clone()`, `carry = carry.Add(x)
		return carry.Mul(x), x.Clone()`},
		{"functional form of a receiver that is not used again", `h := carry.AddInPlace(x)
		return h.Mul(x), x.Clone()`, `h := carry.Add(x)
		return h.Mul(x), x.Clone()`},
		{"result and receiver both used", `h := carry.AddInPlace(x)
		return h.Mul(x), carry.Neg()`, `carry = carry.Clone()
		h := carry.AddInPlace(x)
		return h.Mul(x), carry.Neg()`},
		{"a view would miss the new tensor", `v := carry.View(2)
		carry.AddInPlace(x)
		return carry.Mul(x), v.Neg()`, `carry = carry.Clone()
		v := carry.View(2)
		carry.AddInPlace(x)
		return carry.Mul(x), v.Neg()`},
		{"no functional form", `carry.Zero()
		return carry.Mul(x), x.Clone()`, `carry = carry.Clone()
		carry.Zero()
		return carry.Mul(x), x.Clone()`},
		{"one of two writes has no functional form", `carry.AddInPlace(x)
		carry.Fill(1)
		return carry.Mul(x), x.Clone()`, `carry = carry.Clone()
		carry.AddInPlace(x)
		carry.Fill(1)
		return carry.Mul(x), x.Clone()`},
		{"two functional forms in a loop", `for range 2 {
			carry.AddInPlace(x)
			carry.TanhInPlace()
		}
		return carry.Mul(x), x.Clone()`, `for range 2 {
			carry = carry.Add(x)
			carry = carry.Tanh()
		}
		return carry.Mul(x), x.Clone()`},
		{"the write is in a literal", `f := func() { carry.AddInPlace(x) }
		f()
		return carry.Mul(x), x.Clone()`, `carry = carry.Clone()
		f := func() { carry.AddInPlace(x) }
		f()
		return carry.Mul(x), x.Clone()`},
		{"a written tensor is kept in a slice", `kept := []*T{carry}
		carry.AddInPlace(x)
		return kept[0].Neg(), x.Clone()`, `carry = carry.Clone()
		kept := []*T{carry}
		carry.AddInPlace(x)
		return kept[0].Neg(), x.Clone()`},
		{"returned operands", `if b := x; b != nil {
			return carry, b
		}
		return *&carry, x.Clone()`, `if b := x; b != nil {
			return carry.Clone(), b.Clone()
		}
		return (*&carry).Clone(), x.Clone()`},
		{"both outputs", `return carry, carry`, `return carry.Clone(), carry.Clone()`},
		{"write and alias", `carry.AddInPlace(x)
		return carry, x.Clone()`, `carry = carry.Add(x)
		return carry.Clone(), x.Clone()`},
	})
}

// fixCase is a body before and after its fixes.
type fixCase struct{ name, before, after string }

// checkFixes applies the fixes of each body and compares.
func checkFixes(t *testing.T, cases []fixCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			frame := func(body string) program {
				return program{text: "\nfunc main() {\n\thop.Scan(func(carry, x *T) (*T, *T) {\n\t\t" + body + "\n\t}, zero, zero)\n}\n"}
			}
			before, after := frame(tc.before), frame(tc.after)
			want, err := format.Source([]byte(after.file("case000")))
			if err != nil {
				t.Fatal(err)
			}
			got := string(fixed(t, []program{before})[0])
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if tc.before == tc.after {
				return // there is no fix
			}
			for _, left := range inspectPrograms(t, analyzer.Analyzer, []program{after}) {
				t.Errorf("the fixed program still has %s", left)
			}
		})
	}
}

// A fix is offered only where applying it removes the finding.
func TestNoFixThatWouldNotHelp(t *testing.T) {
	for _, tc := range []struct{ name, body string }{
		{"a deferred call sets the result again", `func(carry, x *T) (next, y *T) {
			defer func() { next = carry.View(-1) }()
			return carry.Add(x), x.Clone()
		}`},
		{"a deferred variable sets the result again", `func(carry, x *T) (next, y *T) {
			set := func() { next = carry }
			defer set()
			return carry.Add(x), x.Clone()
		}`},
		{"a bare return before a deferred call", `func(carry, x *T) (next, y *T) {
			defer func() { next = carry }()
			next, y = carry.Add(x), x.Clone()
			return
		}`},
		{"a body that recovers may go on without the copy", `func(carry, x *T) (next, y *T) {
			defer func() {
				if recover() != nil {
					next, y = carry.AddInPlace(x).Clone(), x.Clone()
				}
			}()
			panic("x")
		}`},
		{"a line of another file", `func(carry, x *T) (*T, *T) {
//line other.go:7
			carry.Zero()
			return x, x.Clone()
		}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := program{text: "\nfunc main() {\n\thop.Scan(" + tc.body + ", zero, zero)\n}\n"}
			found := 0
			eachProgramFinding(t, analyzer.Analyzer, []program{p}, func(_ string, _ *token.FileSet, f analyzer.Finding) {
				found++
				for _, fix := range f.Fixes {
					t.Errorf("%s has the fix %s: %s", f.Message(), fix.Message, fix.TextEdits[0].NewText)
				}
			})
			if found == 0 {
				t.Error("no finding")
			}
		})
	}
}

// fixed applies the fixes of each program.
func fixed(t *testing.T, programs []program) [][]byte {
	t.Helper()
	edits := make([][]edit, len(programs))
	eachProgramFinding(t, analyzer.Analyzer, programs, func(pkg string, fset *token.FileSet, f analyzer.Finding) {
		var i int
		if _, err := fmt.Sscanf(pkg, "case%d", &i); err == nil {
			edits[i] = append(edits[i], editsOf(fset, f)...)
		}
	})
	list := make([][]byte, len(programs))
	for i, p := range programs {
		text, err := format.Source(applyEdits([]byte(p.file(fmt.Sprintf("case%03d", i))), edits[i]))
		if err != nil {
			t.Fatalf("%s, fixed: %v", p.name, err)
		}
		list[i] = text
	}
	return list
}

// For every program of the case tables: the fixed program type-checks, and what the analyzer still finds in it are
// only the findings that had no fix.
func TestFixedCasesHaveOnlyFindingsWithoutFix(t *testing.T) {
	programs := slices.Concat(linterCases(), bodyCases(), wayCases())
	fixes := make([][2]int, len(programs)) // findings with and without a fix
	eachProgramFinding(t, analyzer.Analyzer, programs, func(pkg string, _ *token.FileSet, f analyzer.Finding) {
		var i int
		if _, err := fmt.Sscanf(pkg, "case%d", &i); err == nil {
			fixes[i][min(1, 1-min(1, len(f.Fixes)))]++
		}
	})
	again := make([]program, len(programs))
	for i, text := range fixed(t, programs) {
		again[i] = program{name: programs[i].name, full: string(text), packages: programs[i].packages}
	}
	left := inspectPrograms(t, analyzer.Analyzer, again)
	applied := 0
	for i, p := range again {
		got := left[fmt.Sprintf("case%03d", i)]
		if len(got) > fixes[i][1] {
			t.Errorf("%s: %d findings without fix, but the fixed program has %s\n%s", p.name, fixes[i][1], strings.Join(got, "; "), numbered(p.full))
		}
		applied += fixes[i][0]
	}
	if applied < 40 {
		t.Errorf("only %d fixes were tried", applied)
	}
}
