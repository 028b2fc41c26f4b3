package tracer

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/formats/dot"
)

// loopText is a scan whose combine function chooses by a cond, and a while loop behind it.
const loopText = `graph f(c: f64[], x: f64[100] @ "main.go":10:3) const(w: f64[]) {
  scan: (f64[], f64[100]) = scan(c, x, w; n_carry=1, n_xs=1, length=100) @ "main.go":12:5 {
    graph combine(c: f64[], x: f64[], w: f64[]) {
      add: f64[] = add(c, x) @ "main.go":13
      gt: bool[] = gt_scalar(x; value=0.5)
      cond: (f64[]) = cond(gt, add, w) {
        graph onTrue(add: f64[], w: f64[]) {
          tanh: f64[] = tanh(add)
          return tanh
        }
        graph onFalse(add: f64[], w: f64[]) {
          div: f64[] = div(add, w)
          return div
        }
      }
      get: f64[] = get(cond; index=0)
      clone: f64[] = clone(get)
      return get, clone
    }
  }
  get: f64[] = get(scan; index=0)
  get_1: f64[100] = get(scan; index=1)
  while_loop: (f64[]) = while_loop(get, w; n_carry=1) {
    graph cond(c: f64[], w: f64[]) {
      lt: bool[] = lt(c, w)
      return lt
    }
    graph body(c: f64[], w: f64[]) {
      mul: f64[] = mul_scalar(c; value=1.5)
      return mul
    }
  }
  get_2: f64[] = get(while_loop; index=0)
  return get_2, get_1
}
`

func parsed(t *testing.T, text string) *Graph {
	t.Helper()
	g, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func dotText(t *testing.T, g *Graph) string {
	t.Helper()
	var b bytes.Buffer
	if err := g.WriteDOT(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// drawn draws g in both ways and checks that the DOT is read.
func drawn(t *testing.T, g *Graph) {
	t.Helper()
	text := dotText(t, g)
	if _, err := dot.ParseString(text); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	if again := dotText(t, g); again != text {
		t.Errorf("drawn again\n%s\nwas\n%s", again, text)
	}
	htmlText(t, g)
}

func TestDOTShowsBodiesAsClustersAndTheWayThroughThem(t *testing.T) {
	text := dotText(t, parsed(t, loopText))
	flat := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		`strict digraph "f" { graph [ label="f" ];`,
		`subgraph cluster_0 { graph [ label="scan.combine" ]; subgraph cluster_1 { graph [ label="cond.onTrue" ];`,
		`n1 [ label="x: f64[100]" shape=ellipse tooltip="main.go:10:3" ];`,
		`n3 [ label="scan: (f64[], f64[100])\nscan n_carry=1, n_xs=1, length=100" shape=box tooltip="main.go:12:5" ];`,
		`label="get_1: f64[100]\nget index=1" shape=box peripheries=2 ];`,
		"n1 -> n5 [style=dashed];", // x, a slice of x
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "subgraph"); n != 5 {
		t.Errorf("%d clusters, want 5\n%s", n, text)
	}
	drawn(t, parsed(t, loopText))
}

func TestDrawingsOfGraphsThatWereNotVerified(t *testing.T) {
	for _, text := range []string{everything,
		"graph \n() { a: () = scan(; n_carry=9, n_xs=-9) { graph () { return } } b: f32[] = get(a; index=0) return b, b }",
		"graph () { a: () = associative_scan(; n_xs=3) { graph () { return } } w: () = while_loop() { graph () { return } } return a }",
		"graph (x: f32[]) { a: (f32[]) = custom_vjp(x; n_operands=7, n_results=-3) { graph (y: f32[]) { return y } graph (z: f32[]) { return z } } return x }",
		"graph (x: f32[]) { a: (f32[]) = cond() { graph (y: f32[]) { return y } } return x }",
		`graph (x: f32[] @ "a\"\\\xff\x00<b>":1) { y: f32[] = op(x; s="\"\\</script><b>\x00") return y }`,
	} {
		drawn(t, parsed(t, text))
	}
}

func TestFlowFollowsTheLayoutOfEachOperator(t *testing.T) {
	for _, tc := range []struct{ name, text, into, out, back string }{
		{"scan", "a: (f32[], f32[5]) = scan(x, y, z; n_carry=1, n_xs=1, length=5) { graph (c: f32[], x: f32[], z: f32[]) { return z, x } }", "0>0:0 1>0:1 2>0:2", "0:0>0 0:1>1", "0:0>0:0"},
		{"associative_scan", "a: (f32[5]) = associative_scan(x, y; n_xs=1, length=5) { graph (l: f32[], r: f32[], y: f32[]) { return l } }", "0>0:0 0>0:1 1>0:2", "0:0>0", "0:0>0:0"},
		{"while_loop", "a: (f32[]) = while_loop(x, y; n_carry=1) { graph (c: f32[], y: f32[]) { return y } graph (c: f32[], y: f32[]) { return c } }", "0>0:0 1>0:1 0>1:0 1>1:1", "1:0>0", "1:0>0:0 1:0>1:0"},
		{"while_sweeps", "a: (f32[], f32[]) = while_sweeps(x, y, z; carries=[1, 1]) { graph (c: f32[], z: f32[]) { return z } graph (c: f32[], z: f32[]) { return c, z } graph (g: f32[], s: f32[], z: f32[]) { return g } }",
			"0>1:0 0>0:0 2>0:1 2>1:1 1>2:0 2>2:2", "1:0>0 2:0>1", "1:0>0:0 1:0>1:0 2:0>2:0 1:1>2:1"},
		{"for_loop", "a: (f32[]) = for_loop(x, y; n_carry=1, lower=0, upper=3) { graph (i: i64[], c: f32[], y: f32[]) { return c } }", "0>0:1 1>0:2", "0:0>0", "0:0>0:1"},
		{"cond", "a: (f32[]) = cond(x, y) { graph (y: f32[]) { return y } graph (y: f32[]) { return y } }", "1>0:0 1>1:0", "0:0>0 1:0>0", ""},
		{"custom_vjp", "a: (f32[]) = custom_vjp(x, y; n_operands=1, n_results=1, grads=[0]) { graph (x: f32[], y: f32[]) { return x, y } graph (s: f32[], g: f32[], y: f32[]) { return g } }",
			"0>0:0 1>0:1 1>1:2", "0:0>0", "0:0>1:1 0:1>1:0"},
	} {
		g := parsed(t, "graph (x: f32[], y: f32[], z: f32[]) { "+tc.text+" return }")
		f := flowOf(g.Nodes[0])
		var into, out, back []string
		for _, h := range f.into {
			into = append(into, sprint("%d>%d:%d", h.From, h.Body, h.To))
		}
		for _, h := range f.out {
			out = append(out, sprint("%d:%d>%d", h.Body, h.From, h.To))
		}
		for _, h := range f.back {
			back = append(back, sprint("%d:%d>%d:%d", h.Body, h.From, h.Again, h.To))
		}
		for _, c := range []struct {
			what, want string
			got        []string
		}{{"into", tc.into, into}, {"out", tc.out, out}, {"back", tc.back, back}} {
			if got := strings.Join(c.got, " "); got != c.want {
				t.Errorf("%s: %s: got %s, want %s", tc.name, c.what, got, c.want)
			}
		}
	}
}
