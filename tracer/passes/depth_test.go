package passes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

// nest is a graph of bodies in bodies: scans around conditionals around maps, each with a clone that goes, a carry that
// is forwarded, a node that is hoisted and one that nobody reads; the innermost one uses all that was captured outside.
func nest(depth int) string {
	var b strings.Builder
	open := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	open("graph main(p: bool[], c: f64[], w: f64[]) {")
	two := "two: f64[] = literal(; value=f64[]{2.0})"
	open("%s", two)
	for k := range depth {
		if k%2 == 0 {
			open("hop: (f64[], f64[]) = scan(c, w, p, two; n_carry=2, n_xs=0, length=3) { graph body(c: f64[], w: f64[], p: bool[], two: f64[]) {")
		} else {
			open("hop: (f64[], f64[]) = cond(p, c, w, p, two) { graph onTrue(c: f64[], w: f64[], p: bool[], two: f64[]) {")
		}
		open("dead: f64[] = sin(c) fixed: f64[] = exp(w) more: f64[] = mul(fixed, two)")
	}
	open("inner: f64[] = mul(c, w)")
	for k := depth - 1; k >= 0; k-- {
		open("copy: f64[] = clone(w) sum: f64[] = add(inner, more) return sum, copy }")
		if k%2 == 1 {
			open("graph onFalse(c: f64[], w: f64[], p: bool[], two: f64[]) { return c, w }")
		}
		open("} inner: f64[] = get(hop; index=0)")
	}
	open("return inner }")
	return b.String()
}

// TestNestsTakeLinearWork: what the passes look at grows with the depth of a nest, not with its square or worse.
func TestNestsTakeLinearWork(t *testing.T) {
	visits := func(depth int) int {
		g := parsed(t, nest(depth))
		r := newRun(testOps{})
		c, err := r.optimise(g)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, c)
		if text := c.String(); strings.Contains(text, "clone") || strings.Contains(text, "dead") {
			t.Errorf("depth %d: something is left:\n%s", depth, text)
		}
		return r.visits
	}
	ten := visits(10)
	for depth, most := range map[int]int{20: 22 * ten / 10, 80: 90 * ten / 10} {
		if got := visits(depth); got > most {
			t.Errorf("%d levels take %d visits of nodes, want at most %d; 10 levels take %d", depth, got, most, ten)
		}
	}
}

// TestSharedBodiesStayShared: a body that several operators have is copied once and not given other inputs, until the
// operators that are calls are gone.
func TestSharedBodiesStayShared(t *testing.T) {
	g := parsed(t, `graph main(x: f64[3], w: f64[]) {
  map: (f64[3]) = map(x, w; n_xs=1, length=3) {
    graph f(x: f64[], w: f64[]) {
      exp: f64[] = exp(w)
      dead: f64[] = sin(x)
      copy: f64[] = clone(x)
      mul: f64[] = mul(copy, exp)
      return mul
    }
  }
  get: f64[3] = get(map; index=0)
  map_1: (f64[3]) = map(get, w; n_xs=1, length=3) {
    graph f(x: f64[], w: f64[]) {
      exp: f64[] = exp(w)
      return exp
    }
  }
  get_1: f64[3] = get(map_1; index=0)
  return get_1
}`)
	g.Nodes[2].Graphs = g.Nodes[0].Graphs
	before := g.String()
	res, err := Optimise(g, testOps{})
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, res.Graph)
	var bodies []*tracer.Graph
	for _, n := range res.Graph.Nodes {
		bodies = append(bodies, n.Graphs...)
	}
	if len(bodies) != 2 || bodies[0] != bodies[1] || len(bodies[0].Inputs) != 2 || len(bodies[0].Nodes) != 2 {
		t.Errorf("got\n%s", res.Graph)
	}
	if g.String() != before {
		t.Error("the graph itself has changed")
	}
}

// TestOriginsNameWhatTheUserKnows: nodes of bodies that were put in place lead back through the operators around them.
func TestOriginsNameWhatTheUserKnows(t *testing.T) {
	g := parsed(t, `graph main(x: i64[], y: i64[]) {
  div: i64[] = div(x, y)
  subgraph: (i64[]) = subgraph(div, y) {
    graph f(a: i64[], b: i64[]) {
      checkpoint: (i64[]) = checkpoint(a, b) {
        graph g(a: i64[], b: i64[]) {
          div: i64[] = div(b, a)
          return div
        }
      }
      get: i64[] = get(checkpoint; index=0)
      return get
    }
  }
  get: i64[] = get(subgraph; index=0)
  return get
}`)
	res, err := Optimise(g, testOps{})
	if err != nil {
		t.Fatal(err)
	}
	n := res.Graph.Nodes[1]
	o := res.Origins[n]
	path := ""
	for _, a := range o.Via {
		path += a.Node.Name + " "
	}
	if n.Name != "div_1" || o.Node == nil || o.Node.Name != "div" || path != "subgraph checkpoint " {
		t.Errorf("%s comes from %+v via %q\n%s", n.Name, o, path, res.Graph)
	}
}

// TestTableGivesReasons: every pass says what it does and why it stands where it does, under a name of its own.
func TestTableGivesReasons(t *testing.T) {
	names := map[string]bool{}
	for _, p := range Table() {
		if p.Name == "" || p.What == "" || p.Reason == "" || names[p.Name] {
			t.Errorf("%+v lacks a part, or its name is taken", p)
		}
		names[p.Name] = true
	}
}
