package tracer

import (
	"strings"
	"testing"
)

func TestVerifyRefuses(t *testing.T) {
	body := func(inside string) string {
		return "graph f(c: f32[], x: f32[4], w: f32[]) {\n scan: (f32[], f32[4]) = scan(c, x, w; n_carry=1, n_xs=1, length=4) {\n" + inside +
			"\n }\n get: f32[] = get(scan; index=0)\n return get\n}"
	}
	for _, tc := range []struct{ name, text, want string }{
		{"wrong meta", "graph f(x: f32[2]) { y: f32[3] = sin(x) return y }", "graph f: y: sin: is f32[3]; want f32[2]"},
		{"unknown op", "graph f(x: f32[2]) { y: f32[3] = tan(x) return y }", "graph f: y: tan: no op tan of 1 arguments"},
		{"tuple used", "graph f(x: f32[2]) { y: (f32[2], f32[2]) = pair(x) z: f32[2] = sin(y) return z }", "argument y is a tuple; only get takes one"},
		{"tuple returned", "graph f(x: f32[2]) { y: (f32[2], f32[2]) = pair(x) return y }", "output y is a tuple"},
		{"part out of range", "graph f(x: f32[2]) { y: (f32[2], f32[2]) = pair(x) z: f32[2] = get(y; index=2) return z }", "attribute index is 2; y has 2 parts"},
		{"part of wrong type", "graph f(x: f32[2]) { y: (f32[2], f32[2]) = pair(x) z: f32[1] = get(y; index=1) return z }", "is f32[1]; want f32[2]"},
		{"literal of wrong type", "graph f() { y: f32[2] = literal(; value=f32[1]{1.0}) return y }", "is f32[2]; want f32[1]"},
		{"literal without value", "graph f() { y: f32[2] = literal() return y }", "wants the attribute value alone"},
		{"input in the list", "graph f() { y: f32[2] = input() return y }", "0 arguments in the list of nodes"},
		{"put of wrong value", "graph f(x: f32[4], v: f32[1]) { y: f32[4] = put_view(x, v; view=\"narrow\", dim=0, start=1, length=2) return y }", "the value is f32[1]; the view narrow of f32[4] is f32[2]"},
		{"put without view", "graph f(x: f32[4], v: f32[1]) { y: f32[4] = put_view(x, v) return y }", "wants two tensors and the attribute view in front"},
		{"size of wrong dim", "graph f(s0: <s0>, x: f32[s0, 4]) { y: <s0> = size(x; dim=1) return y }", "x is f32[s0, 4] and dim is 1"},
		{"integer from nothing", "graph f(s0: <s0>, s1: <s1>) { y: <s0 + s1> = int(s0) return y }", "mentions s1, which no argument gives"},
		{"negative size", "graph f(x: f32[-2]) { return x }", "has a negative size"},
		{"two attributes", "graph f(x: f32[4]) { y: f32[4] = sin(x; a=1, a=2) return y }", "two attributes a"},
		{"unbound symbol of a body's input", "graph f(s0: <s0>, x: f32[s0]) { y: (f32[s0]) = checkpoint(x) { graph g(x: f32[s0]) { return x } } return }", "graph f/y/g: x: input: its size mentions s0, which is no input of the graph"},
		{"unbound symbol of an input", "graph f(x: f32[s0*2]) { return x }", "its size mentions s0"},
		{"unbound symbol of an attribute", "graph f(x: f32[4]) { y: f32[s0] = narrow(x; dim=0, length=<s0>) return y }", "attribute length mentions s0, which no node before it gives"},
		{"unbound symbol of a guard", "graph f(x: f32[4]) { guard s0 == 3 return x }", "guard s0 == 3: the graph has no symbol s0"},
		{"bodies of a plain op", "graph f(x: f32[4]) { y: f32[4] = sin(x) { graph g() { return } } return y }", "has bodies and is no operator of graphs"},
		{"gradient of another type", "graph f(x: f32[2], w: f32[]) { y: (f32[2]) = custom_vjp(x, w; n_operands=1, n_results=1, grads=[0]) { graph fwd(x: f32[2], w: f32[]) { y: f32[2] = sin(x) return y, w } graph bwd(r: f32[], dy: f32[2], w: f32[]) { return r } } return }", "output 0 of body bwd, r, is f32[]; want f32[2]"},
		{"gradient of no operand", "graph f(x: f32[2], w: f32[]) { y: (f32[2]) = custom_vjp(x, w; n_operands=1, n_results=1, grads=[1]) { graph fwd(x: f32[2], w: f32[]) { y: f32[2] = sin(x) return y, w } graph bwd(r: f32[], dy: f32[2], w: f32[]) { return r } } return }", "attribute grads names operand 1 of 1"},
		{"constants of a body", body("graph g(c: f32[], x: f32[], w: f32[]) const(k: f32[]) { return c, x }"), "graph f/scan/g: has constants; only a root graph has any"},
		{"error inside a body", body("graph g(c: f32[], x: f32[], w: f32[]) { y: f32[1] = sin(x) return c, x }"), "graph f/scan/g: y: sin: is f32[1]; want f32[]"},
		{"body with too few inputs", body("graph g(c: f32[], x: f32[]) { return c, x }"), "graph f: scan: scan: body g has 2 inputs; want 3"},
		{"slice with the scanned axis", body("graph g(c: f32[], x: f32[4], w: f32[]) { return c, c }"), "input x of body g is f32[4]; want f32[]"},
		{"lifted input of wrong type", body("graph g(c: f32[], x: f32[], w: f64[]) { return c, x }"), "input w of body g is f64[]; want f32[]"},
		{"carry of wrong type", body("graph g(c: f32[], x: f32[], w: f32[]) { y: bool[] = gt0(c) return y, x }"), "output 0 of body g, y, is bool[]; want f32[]"},
		{"carry missing", body("graph g(c: f32[], x: f32[], w: f32[]) { return }"), "body g has 0 outputs; want 1"},
		{"y missing", body("graph g(c: f32[], x: f32[], w: f32[]) { return c }"), "is (f32[], f32[4]); want (f32[])"},
		{"y not stacked", body("graph g(c: f32[], x: f32[], w: f32[]) { y: bool[] = gt0(c) return c, y }"), "is (f32[], f32[4]); want (f32[], bool[4])"},
		{"two bodies", body("graph g(c: f32[], x: f32[], w: f32[]) { return c, x } graph h(c: f32[], x: f32[], w: f32[]) { return c, x }"), "2 bodies; want 1"},
		{"scan without counts", "graph f(c: f32[]) { y: (f32[]) = scan(c) { graph g(c: f32[]) { return c } } return }", "attribute n_carry is <nil>"},
		{"scan with too many xs", "graph f(c: f32[]) { y: (f32[]) = scan(c; n_carry=1, n_xs=1, length=2) { graph g(c: f32[]) { return c } } return }", "n_carry is 1 and n_xs is 1, but there are 1 arguments"},
		{"scan of negative length", "graph f(c: f32[]) { y: (f32[]) = scan(c; n_carry=1, n_xs=0, length=-2) { graph g(c: f32[]) { return c } } return }", "attribute length is -2; want no negative number"},
		{"xs of another length", "graph f(c: f32[], x: f32[3]) { y: (f32[]) = scan(c, x; n_carry=1, n_xs=1, length=2) { graph g(c: f32[], x: f32[]) { return c } } return }", "argument x is f32[3]; want a tensor of leading size 2"},
		{"predicate that is no bool", "graph f(p: f32[], x: f32[]) { y: (f32[]) = cond(p, x) { graph a(x: f32[]) { return x } graph b(x: f32[]) { return x } } return }", "argument p is f32[]; want one element that chooses the body"},
		{"branches that differ", "graph f(p: bool[], x: f32[]) { y: (f32[]) = cond(p, x) { graph a(x: f32[]) { return x } graph b(x: f32[]) { return p } } return }", "got p"},
		{"branch of another type", "graph f(p: bool[], x: f32[]) { y: (f32[]) = cond(p, x) { graph a(x: f32[]) { return x } graph b(x: f32[]) { q: bool[] = gt0(x) return q } } return }", "output 0 of body b, q, is bool[]; want f32[]"},
		{"no rows of a batch", "graph f(x: f32[2]) { y: (f32[2]) = map(x; n_xs=1, length=2, batch_size=0) { graph g(x: f32[]) { return x } } return }", "attribute batch_size is 0; want a number, at least 1"},
		{"a bound that counts nothing", "graph f(c: f32[]) { y: (f32[]) = while_loop(c; n_carry=1, max_steps=1.5) { graph p(c: f32[]) { q: bool[] = gt0(c) return q } graph b(c: f32[]) { return c } } return }", "attribute max_steps is 1.5; want a number, at least 0"},
		{"ways without a number", "graph f(c: f32[]) { y: (f32[]) = while_sweeps(c; carries=[1]) { graph p(c: f32[]) { q: bool[] = gt0(c) return q } graph b(c: f32[]) { return c } graph r(c: f32[]) { return c } } return }", "attribute carries is [1] and there are 3 bodies"},
		{"a way that misses a y", "graph f(c: f32[], g: f64[]) { y: (f32[], f64[]) = while_sweeps(c, g; carries=[1, 1]) { graph p(c: f32[]) { q: bool[] = gt0(c) return q } graph b(c: f32[]) { return c, c } graph r(g: f64[]) { return g } } return }", "body r has 1 inputs; want 2"},
		{"more carries than arguments", "graph f(c: f32[]) { y: (f32[]) = while_sweeps(c; carries=[2]) { graph p(c: f32[]) { q: bool[] = gt0(c) return q } graph b(c: f32[]) { return c } } return }", "attribute carries is [2], but there are 1 arguments"},
		{"predicate of a loop", "graph f(c: f32[]) { y: (f32[]) = while_loop(c; n_carry=1) { graph p(c: f32[]) { return c } graph b(c: f32[]) { return c } } return }", "body p returns [f32[]]; want one bool of one element"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g, err := Parse(tc.text)
			if err == nil {
				g.SetOps(fakeOps{})
				err = g.Verify()
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
}

func TestVerifyAcceptsEveryOperator(t *testing.T) {
	for _, text := range []string{
		"graph f(c: f32[], x: f32[4], w: f32[2]) { y: (f32[], f32[4, 2]) = scan(c, x, w; n_carry=1, n_xs=1, length=4) { graph g(c: f32[], x: f32[], w: f32[2]) { return x, w } } return }",
		"graph f(c: f32[]) { y: (f32[], f32[0]) = scan(c; n_carry=1, n_xs=0, length=0) { graph g(c: f32[]) { return c, c } } return }",
		"graph f(n: <n>, c: f32[], x: f32[n]) { y: (f32[], f32[n]) = scan(c, x; n_carry=1, n_xs=1, length=<n>) { graph g(c: f32[], x: f32[]) { return c, x } } return }",
		"graph f(x: f32[4, 2], w: f32[]) { y: (f32[4], f32[4, 2]) = map(x, w; n_xs=1, length=4) { graph g(x: f32[2], w: f32[]) { return w, x } } return }",
		"graph f(x: f32[4, 2], w: f32[]) { y: (f32[4, 2]) = associative_scan(x, w; n_xs=1, length=4) { graph g(a: f32[2], b: f32[2], w: f32[]) { return b } } return }",
		"graph f(c: f32[], w: f32[]) { y: (f32[]) = while_loop(c, w; n_carry=1) { graph p(c: f32[], w: f32[]) { q: bool[] = gt0(c) return q } graph b(c: f32[], w: f32[]) { return w } } return }",
		"graph f(x: f32[2]) { y: (f32[2]) = map(x; n_xs=1, length=2, batch_size=1) { graph g(x: f32[]) { return x } } return }",
		"graph f(x: f32[2], w: f32[]) { y: (f32[2]) = custom_vjp(x, w; n_operands=1, n_results=1, grads=[0]) { graph fwd(x: f32[2], w: f32[]) { y: f32[2] = sin(x) return y, w } graph bwd(r: f32[], dy: f32[2], w: f32[]) { return dy } } return }",
		"graph f(c: f32[]) { y: (f32[]) = while_loop(c; n_carry=1, max_steps=0) { graph p(c: f32[]) { q: bool[] = gt0(c) return q } graph b(c: f32[]) { return c } } return }",
		"graph f(c: f32[], n: <u0>) { y: (f32[], <u1>) = while_loop(c, n; n_carry=2) { graph p(c: f32[], n: <u2>) { q: bool[] = gt0(c) return q } graph b(c: f32[], n: <u3>) { m: <u3 + 1> = int(n) return c, m } } return }",
		"graph f(c: f32[], g: f64[2], w: f32[]) { y: (f32[], f64[2]) = while_sweeps(c, g, w; carries=[1, 1]) { graph p(c: f32[], w: f32[]) { q: bool[] = gt0(c) return q } graph b(c: f32[], w: f32[]) { return w, c } graph r(g: f64[2], c: f32[], w: f32[]) { return g } } return }",
		"graph f(c: f32[], w: f32[]) { y: (f32[]) = for_loop(c, w; n_carry=1, lower=0, upper=3) { graph b(i: i64[], c: f32[], w: f32[]) { return w } } return }",
		"graph f(p: bool[1], x: f32[]) { y: (f32[], f32[]) = cond(p, x) { graph a(x: f32[]) { return x, x } graph b(x: f32[]) { return x, x } } return }",
		"graph f(i: i32[], x: f32[]) { y: (f32[]) = switch(i, x) { graph a(x: f32[]) { return x } graph b(x: f32[]) { return x } graph c(x: f32[]) { return x } } return }",
		"graph f(x: f32[]) { y: () = subgraph(x) { graph a(x: f32[]) { return } } return }",
	} {
		g, err := Parse(text)
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		g.SetOps(fakeOps{})
		checked(t, g)
	}
}

// What no text can hold.
func TestVerifyRefusesGraphsThatNoTextHolds(t *testing.T) {
	f32 := TensorMeta(Float32)
	input := func(name string) *Node { return &Node{Name: name, Op: OpInput, Meta: f32} }
	sin := func(name string, args ...*Node) *Node { return &Node{Name: name, Op: "sin", Meta: f32, Args: args} }
	x := input("x")
	loop := &Graph{Name: "f"}
	loop.Nodes = []*Node{{Name: "y", Op: "subgraph", Meta: Meta{Elems: []Meta{}}, Graphs: []*Graph{loop}}}
	twice := sin("y", x)
	own := sin("y")
	own.Args = []*Node{own}
	for _, tc := range []struct {
		name string
		g    *Graph
		want string
	}{
		{"cycle", loop, "contains itself"},
		{"foreign argument", &Graph{Inputs: []*Node{x}, Nodes: []*Node{sin("y", input("z"))}}, "argument z is not defined before it"},
		{"its own argument", &Graph{Nodes: []*Node{own}}, "argument y is not defined before it"},
		{"foreign output", &Graph{Outputs: []*Node{x}}, "output x is no node of it"},
		{"made twice", &Graph{Inputs: []*Node{x}, Nodes: []*Node{twice, twice}}, "made twice"},
		{"name taken", &Graph{Inputs: []*Node{x}, Nodes: []*Node{sin("x", x)}}, "the name is taken"},
		{"bad name", &Graph{Inputs: []*Node{input("a b")}}, `the name "a b" cannot be printed`},
		{"bad graph name", &Graph{Name: "(*T).f"}, `the name "(*T).f" cannot be printed`},
		{"bad operation", &Graph{Inputs: []*Node{x}, Nodes: []*Node{{Name: "y", Op: "a b", Meta: f32}}}, "cannot be printed"},
		{"bad attribute", &Graph{Nodes: []*Node{{Name: "y", Op: "sin", Meta: f32, Attrs: Attrs{{"a", int32(3)}}}}}, "a graph cannot hold the int32 3"},
		{"no meta", &Graph{Nodes: []*Node{{Name: "y", Op: "sin"}}}, "is no tensor, integer or tuple"},
		{"nil body", &Graph{Nodes: []*Node{{Name: "y", Op: "subgraph", Meta: Meta{Elems: []Meta{}}, Graphs: []*Graph{nil}}}}, "a body is nil"},
		{"constant among inputs", &Graph{Inputs: []*Node{{Name: "x", Op: OpConstant, Meta: f32}}}, "is no input"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := tc.g.Verify(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}
