package ssaflow

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// stmt is a statement of a generated program over tensors v0..v3, a struct s, a struct r and a pointer p to one of them.
type stmt struct {
	op         string
	a, b       int
	body, rest []stmt
}

var opNames = []string{"copy", "clone", "view", "write", "setH", "setC", "getH", "getC", "copyStruct", "swapPtr", "ptrSet", "ptrGet", "help", "fix", "close", "slice"}

func genStmts(t *rapid.T, depth int) []stmt {
	n := rapid.IntRange(1, 5).Draw(t, "n")
	var list []stmt
	for range n {
		s := stmt{a: rapid.IntRange(0, 3).Draw(t, "a"), b: rapid.IntRange(0, 3).Draw(t, "b")}
		k := rapid.IntRange(0, len(opNames)+3).Draw(t, "op")
		switch {
		case k < len(opNames):
			s.op = opNames[k]
		case depth > 0 && k == len(opNames):
			s.op, s.body = "loop", genStmts(t, depth-1)
		case depth > 0:
			s.op, s.body, s.rest = "if", genStmts(t, depth-1), genStmts(t, depth-1)
		default:
			s.op = "write"
		}
		list = append(list, s)
	}
	return list
}

func source(list []stmt, b *strings.Builder) {
	for _, s := range list {
		v, w := fmt.Sprintf("v%d", s.a), fmt.Sprintf("v%d", s.b)
		switch s.op {
		case "copy":
			fmt.Fprintf(b, "%s = %s\n", v, w)
		case "clone":
			fmt.Fprintf(b, "%s = %s.Clone()\n", v, w)
		case "view":
			fmt.Fprintf(b, "%s = %s.Narrow(0, 0, 1)\n", v, w)
		case "write":
			fmt.Fprintf(b, "%s.Zero()\n", v)
		case "setH":
			fmt.Fprintf(b, "s.H = %s\n", v)
		case "setC":
			fmt.Fprintf(b, "s.C = %s\n", v)
		case "getH":
			fmt.Fprintf(b, "%s = s.H\n", v)
		case "getC":
			fmt.Fprintf(b, "%s = s.C\n", v)
		case "copyStruct":
			b.WriteString([]string{"r = s\n", "s = r\n", "*p = s\n", "r = *p\n"}[s.a])
		case "swapPtr":
			b.WriteString([]string{"p = &s\n", "p = &r\n"}[s.a%2])
		case "ptrSet":
			fmt.Fprintf(b, "p.H = %s\n", v)
		case "ptrGet":
			fmt.Fprintf(b, "%s = p.H\n", v)
		case "help":
			fmt.Fprintf(b, "%s = helper(%s, p)\n", v, w)
		case "fix":
			b.WriteString("fix(p, &s)\n")
		case "close":
			fmt.Fprintf(b, "func() { %s = %s; s.C = %s }()\n", v, w, w)
		case "slice":
			fmt.Fprintf(b, "{ ts := []*T{%s, %s}; ts[0], ts[1] = ts[1], ts[0]; %s = ts[0] }\n", v, w, v)
		case "loop":
			b.WriteString("for range n {\n")
			source(s.body, b)
			b.WriteString("}\n")
		case "if":
			b.WriteString("if cond() {\n")
			source(s.body, b)
			b.WriteString("} else {\n")
			source(s.rest, b)
			b.WriteString("}\n")
		}
	}
}

// machine runs a program on storages: "x", "y", "s.H", "s.C" are the inputs' own, others are fresh.
type machine struct {
	v       [4]string
	mem     [2]struct{ h, c string } // s and r
	p       int
	fresh   int
	written map[string]bool
	choose  func() int
}

func (m *machine) write(storage string) { m.written[storage] = true }

func (m *machine) run(list []stmt) {
	for _, s := range list {
		switch s.op {
		case "copy", "view":
			m.v[s.a] = m.v[s.b]
		case "clone":
			m.fresh++
			m.v[s.a] = fmt.Sprintf("fresh%d", m.fresh)
		case "write":
			m.write(m.v[s.a])
		case "setH":
			m.mem[0].h = m.v[s.a]
		case "setC":
			m.mem[0].c = m.v[s.a]
		case "getH":
			m.v[s.a] = m.mem[0].h
		case "getC":
			m.v[s.a] = m.mem[0].c
		case "copyStruct":
			switch s.a {
			case 0:
				m.mem[1] = m.mem[0]
			case 1:
				m.mem[0] = m.mem[1]
			case 2:
				m.mem[m.p] = m.mem[0]
			case 3:
				m.mem[1] = m.mem[m.p]
			}
		case "swapPtr":
			m.p = s.a % 2
		case "ptrSet":
			m.mem[m.p].h = m.v[s.a]
		case "ptrGet":
			m.v[s.a] = m.mem[m.p].h
		case "help": // func helper(t *T, p *S) *T { p.C.Zero(); old := p.H; p.H = t; return old }
			m.write(m.mem[m.p].c)
			old := m.mem[m.p].h
			m.mem[m.p].h = m.v[s.b]
			m.v[s.a] = old
		case "fix": // func fix(a, b *S) { a.H = b.C; b.H.Zero() }
			m.mem[m.p].h = m.mem[0].c
			m.write(m.mem[0].h)
		case "close":
			m.v[s.a] = m.v[s.b]
			m.mem[0].c = m.v[s.b]
		case "slice":
			m.v[s.a] = m.v[s.b]
		case "loop":
			for range m.choose() % 3 {
				m.run(s.body)
			}
		case "if":
			if m.choose()%2 == 0 {
				m.run(s.body)
			} else {
				m.run(s.rest)
			}
		}
	}
}

func branches(list []stmt) bool {
	for _, s := range list {
		if s.op == "if" || s.op == "loop" {
			return true
		}
	}
	return false
}

const helpers = `func helper(t *T, p *S) *T { p.C.Zero(); old := p.H; p.H = t; return old }
func fix(a, b *S) { a.H = b.C; b.H.Zero() }
`

// Whatever a program writes or returns when it runs, its summary tells; and without branches it tells nothing else.
func TestSummaryCoversEveryRun(t *testing.T) { coverEveryRun(t, newWorld(t), prelude+helpers, true) }

// With the helpers known by their facts only, calls in which two arguments lead to one object are told less exactly.
func TestSummaryCoversEveryRunAcrossPackages(t *testing.T) {
	w := newWorld(t)
	w.analyze(t, "dep", strings.NewReplacer("package p", "package dep", "helper(", "Helper(", "fix(", "Fix(").Replace(prelude+helpers))
	coverEveryRun(t, w, `package p

import (
	"dep"
	"hop"
)

type T = hop.T
type S = dep.S

`, false)
}

func coverEveryRun(t *testing.T, w *world, head string, exact bool) {
	count := 0
	rapid.Check(t, func(rt *rapid.T) {
		prog := genStmts(rt, 2)
		seed := rapid.SliceOfN(rapid.IntRange(0, 5), 64, 64).Draw(rt, "choices")
		var b strings.Builder
		count++
		name := fmt.Sprintf("law%d", count)
		b.WriteString(strings.Replace(head, "package p", "package "+name, 1) + "func cond() bool\n")
		b.WriteString("func f(x, y *T, s S, n int) *T {\nv0, v1, v2, v3 := x, y, s.H, x.Clone()\nr := S{y.Clone(), x}\np := &r\n_, _, _, _, _, _ = v0, v1, v2, v3, p, r\n")
		source(prog, &b)
		b.WriteString("return v0\n}\n")
		text := b.String()
		if !exact {
			text = strings.NewReplacer("= helper(", "= dep.Helper(", "\nfix(", "\ndep.Fix(").Replace(text)
		}
		res := Analyze(w.load(t, name, text))
		static, returned := map[string]bool{}, map[string]bool{}
		for _, fn := range res.Functions() {
			if fn.Name() != "f" {
				continue
			}
			s := res.Summary(fn)
			for _, e := range s.Effects {
				if e.Kind == Write {
					static[s.Text(e.Ref)] = true
				}
			}
			for _, o := range s.Results[0][0].Origins {
				if o.Ref.Root.Kind == Param {
					returned[s.Text(o.Ref)] = true
				}
			}
		}
		dynamic, back := map[string]bool{}, map[string]bool{}
		for run := range 12 {
			i := run
			m := machine{v: [4]string{"x", "y", "s.H", "fresh"}, p: 1, written: map[string]bool{}, choose: func() int { i++; return seed[(i*7+run)%len(seed)] }}
			m.mem[0].h, m.mem[0].c = "s.H", "s.C"
			m.mem[1].h, m.mem[1].c = "freshR", "x"
			m.run(prog)
			for k := range m.written {
				if !strings.HasPrefix(k, "fresh") {
					dynamic[k] = true
				}
			}
			if !strings.HasPrefix(m.v[0], "fresh") {
				back[m.v[0]] = true
			}
		}
		for what, sets := range map[string][2]map[string]bool{"writes": {dynamic, static}, "returns": {back, returned}} {
			for k := range sets[0] {
				if !sets[1][k] {
					rt.Fatalf("a run %s %s, the summary has %v\n%s", what, k, keys(sets[1]), b.String())
				}
			}
			if exact && !branches(prog) {
				for k := range sets[1] {
					if !sets[0][k] {
						rt.Fatalf("the summary %s %s, the one run has %v\n%s", what, k, keys(sets[0]), b.String())
					}
				}
			}
		}
	})
}

func keys(m map[string]bool) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	sort.Strings(list)
	return list
}
