package ssaflow

import (
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// callees tells what the calls in f can reach that name no function.
func callees(r *Result) string {
	var out []string
	for _, fn := range r.Functions() {
		if fn.Name() != "f" {
			continue
		}
		for instr := range LiveInstructions(fn) {
			call, ok := instr.(ssa.CallInstruction)
			if !ok || call.Common().StaticCallee() != nil {
				continue
			}
			set := r.Callees(call)
			for _, v := range set.Funcs {
				out = append(out, v.Fn.Name())
			}
			if !set.Complete {
				out = append(out, "incomplete")
			}
		}
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

func TestCallees(t *testing.T) {
	const shared = `
func run(g func(*T) *T) {}
func walk(g func(*T) *T) {}
func body(x *T) *T { return x }
type runner interface{ run(g func(*T) *T) }
type A struct{}
func (A) run(g func(*T) *T) {}
type B struct{ x *T }
func (*B) run(g func(*T) *T) {}
var table = []func(func(*T) *T){run, walk}
var changed = run
func change() { changed = walk }
`
	for _, r := range []struct{ name, src, want string }{
		{"either of two", `func f(b bool) { g := run; if b { g = walk }; g(body) }`, "run walk"},
		{"or none", `func f(b bool) { g := run; if b { g = nil }; g(body) }`, "run"},
		{"field", `type R struct{ g func(func(*T) *T) }; func f() { s := &R{run}; s.g(body) }`, "run"},
		{"element of a package variable", `func f() { table[1](body) }`, "run walk"},
		{"package variable that is assigned", `func f() { changed(body) }`, "incomplete run"},
		{"parameter", `func f(g func(func(*T) *T)) { g(body) }`, "incomplete"},
		{"parameter or known", `func f(g func(func(*T) *T), b bool) { if b { g = run }; g(body) }`, "incomplete run"},
		{"method of a value", `func f() { var r runner = A{}; r.run(body) }`, "run"},
		{"method of a pointer", `func f(b bool) { var r runner = A{}; if b { r = &B{} }; r.run(body) }`, "run run"},
		{"unknown receiver", `func f(r runner) { r.run(body) }`, "incomplete"},
		{"method value", `func f() { g := []func(func(*T) *T){A{}.run}; g[0](body) }`, "run$bound"},
		{"no functions given", `func f(g func(int)) { h := func(int) {}; if g == nil { g = h }; g(1) }`, "incomplete"},
	} {
		t.Run(r.name, func(t *testing.T) {
			if got := callees(newWorld(t).analyze(t, "p", prelude+shared+r.src)); got != r.want {
				t.Errorf("%s\n got %s\nwant %s", r.src, got, r.want)
			}
		})
	}
}
