package analyzer_test

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// directiveEdges has a line for each way in which a directive can be wrong.
const directiveEdges = `package p

import "github.com/hoplint/hoplint/runtime/hop"

type T = hop.Tensor

//hop:body combine(cary, x)
func A(combine func(c, x *T) (*T, *T), init, xs *T) {}

//hop:body combin(carry, x)
func B(combine func(c, x *T) (*T, *T), init, xs *T) {}

//hop:body combine(carry)
func C(combine func(c, x *T) (*T, *T), init, xs *T) {}

//hop:body init(carry, x)
func D(combine func(c, x *T) (*T, *T), init, xs *T) {}

//hop:body combine(carry, x)
//hop:body combine(carry, x)
func E(combine func(c, x *T) (*T, *T), init, xs *T) {}

//hop:pure
//hop:pure
func F(t *T) *T { return t.Clone() }

//hop:pure
//hop:mutates t
func G(t *T) *T { return t.Zero() }

//hop:returns fresh
//hop:returns t
func H(t *T) *T { return t.Clone() }

//hop:mutates t
//hop:mutates t
func I(t *T) { t.Zero() }

type S struct{ H, C *T }

//hop:mutates s.W
func J(s S) { s.H.Zero() }

//hop:mutates s.H.X
func J2(s S) { s.H.Zero() }

//hop:mutates s[]
func J3(s S) { s.H.Zero() }

//hop:returns view(s.Q)
func K(s S) *T { return s.H.View(-1) }

//hop:mutates n
func K2(n int) {}

//hop:returns view(t)
func K3(t *T) int { return 0 }

//hop:pure
var V = func(t *T) *T { return t }

//hop:pure
type Fn func(t *T) *T

//hop:pure
const c = 1

func L(t *T) *T {
	//hop:pure
	f := func(t *T) *T { return t.Clone() }
	return f(t)
}

type Iface interface {
	//hop:mutates t
	//hop:pure
	M(t *T)
	//hop:mutates r
	N(t *T)
	//hop:mutates reciever
	O(t *T)
	//hop:body f(carry, x)
	P(f func(a, b *T) (*T, *T))
}

type St struct {
	//hop:mutates t
	W *T
	//hop:mutates u
	Fn func(t *T)
}

//hop:body f(x)
func Gen[X any](f func(X) X, xs X) {}

//hop:mutates x
func Gen2[X any](x X) {}

//hop:returns fresh, fresh
func M(t *T) *T { return t.Clone() }

//hop:returns
func M2(t *T) *T { return t.Clone() }

// Doc.
//hop:allow mutated-cary -- why
func M3(t *T) *T { return t.Clone() }

//hop:allow HOP101
func M4(t *T) *T { return t.Clone() }

//hop:allow HOP101 - reason
func M5(t *T) *T { return t.Clone() }

//hop:allow HOP101 -- reason
func M6(t *T) *T { return t.Clone() }

//hop:body f(_)
func M7(f func(x *T) *T) {}

//hop:body combine(carry, x) extra
func M8(combine func(c, x *T) (*T, *T), init, xs *T) {}

//hop:pure hop:mutates t
func M9(t *T) {}

//hop:Pure
func M10(t *T) {}

//hop:mutates t s
func M11(t, s *T) { t.Zero() }

//hop:returns views(t)
func M12(t *T) *T { return t.View(-1) }

//hop:body f(X)
func M13(f func(x *T) *T) {}

//hop:body f(captured)
func M14(f func(x *T) *T) {}

//hop:mutates _
func M15(_ *T) {}

//hop:mutates
func M16(t *T) {}

//hop:

//hop:allow HOP101,, -- x
func M17(t *T) {}
`

// Each says what is wrong, what there is, and what to write.
const directiveErrors = `
7: //hop:body: "cary" is no role of an input; the roles are carry, x, element and operand (HOP901); write //hop:body combine(carry, x)
10: //hop:body: no parameter is called combin (HOP901); write //hop:body combine(carry, x)
13: //hop:body gives 1 role, combine has 2 parameters (HOP901); write one role for each parameter, and _ for one that has none
16: //hop:body: init is no function (HOP901); write //hop:body combine(carry, x)
20: //hop:body speaks of combine twice (HOP901); remove one of the two lines
24: F is declared pure twice (HOP901); remove one of the two lines
28: //hop:mutates t contradicts //hop:pure: a pure function writes nothing that it was given (HOP901); remove one of the two lines
32: H has a second line //hop:returns (HOP901); write one line with an entry for each result, as in //hop:returns fresh, view(t)|fresh
36: //hop:mutates names t twice (HOP901); remove one of them
41: //hop:mutates: s is p.S, which has no W (HOP901); name one of its fields, H, C
44: //hop:mutates: s.H is p.T, which has no X that can be named (HOP901); end the path at s.H
47: //hop:mutates: s is p.S, which has fields and no elements (HOP901); name one of its fields, as in s.H
50: //hop:returns: s is p.S, which has no Q (HOP901); name one of its fields, H, C
53: //hop:mutates: n is a copy, so that the caller sees no write to it (HOP901); remove it, or hand over a pointer
56: //hop:returns: a result of type int shares storage with nothing (HOP901); write fresh for it
59: //hop:pure stands on variable V, and not on a function, method or function-typed field (HOP901); declare a function with a name and put the line into its doc comment
62: //hop:pure stands on type Fn, and not on a function, method or function-typed field (HOP901); declare a function with a name and put the line into its doc comment
65: //hop:pure stands on constant c, and not on a function, method or function-typed field (HOP901); declare a function with a name and put the line into its doc comment
69: //hop:pure stands on a statement, and not on a function, method or function-typed field (HOP901); declare a function with a name and put the line into its doc comment
76: //hop:pure contradicts //hop:mutates: a pure function writes nothing that it was given (HOP901); remove one of the two lines
78: //hop:mutates: no parameter is called r (HOP901); name one of receiver, t
80: //hop:mutates: no parameter is called reciever (HOP901); write //hop:mutates receiver
87: //hop:mutates stands on field W, which is no function (HOP901); declare it of a function, or of a field that holds one
89: //hop:mutates: no parameter is called u (HOP901); write //hop:mutates t
99: //hop:returns speaks of 2 results, M has 1 (HOP901); write one entry for each result, as in //hop:returns fresh
102: //hop:returns says nothing (HOP901); its form is //hop:returns fresh, view(t)|fresh
106: //hop:allow names no rule "mutated-cary" (HOP901); write //hop:allow mutated-carry -- why
109: //hop:allow without a reason suppresses nothing (HOP901); write //hop:allow HOP101 -- and why the finding is accepted
112: //hop:allow: two dashes stand before the reason (HOP901); write //hop:allow HOP101 -- reason
115: //hop:allow suppresses nothing: there is no finding of mutated-carry in what follows (HOP901); remove it, or put it on the line above the finding
121: //hop:body: cannot read "combine(carry, x) extra" (HOP901); its form is //hop:body combine(carry, x)
124: //hop:pure takes no arguments, got "hop:mutates t" (HOP901); write //hop:pure, and other directives on lines of their own
127: "//hop:Pure" is no directive, but plain text (HOP901); write //hop:pure
130: //hop:mutates: "t s" is no parameter or path (HOP901); write //hop:mutates t, s
133: //hop:returns: "views(t)" is no parameter or path (HOP901); write //hop:returns view(t)
136: //hop:body: "X" is no role of an input; the roles are carry, x, element and operand (HOP901); write //hop:body f(x)
139: //hop:body: "captured" is no role of an input; the roles are carry, x, element and operand (HOP901); leave it out: the roles are those of the parameters, and what a body captures is none of them
142: //hop:mutates: no parameter is called _ (HOP901); give the parameter that is meant a name
145: //hop:mutates names no parameter (HOP901); its form is //hop:mutates t, ts[], t.W
148: "//hop:" is no directive, but plain text (HOP901); write //hop: and one of mutates, returns, pure, body and allow
150: //hop:allow suppresses nothing: there is no finding of mutated-carry in what follows (HOP901); remove it, or put it on the line above the finding
`

func TestDirectivesAtTheEdges(t *testing.T) {
	var got []string
	eachProgramFinding(t, analyzer.Analyzer, []program{{full: directiveEdges}}, func(_ string, fset *token.FileSet, f analyzer.Finding) {
		if message := f.Message(); strings.Contains(message, "(HOP901)") {
			got = append(got, fmt.Sprintf("%d: %s", fset.Position(f.Pos).Line, message))
		}
	})
	if want := strings.Split(strings.TrimSpace(directiveErrors), "\n"); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
