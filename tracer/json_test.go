package tracer

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// jsonRoundTrip writes g as JSON and reads it back; the text with positions must stay.
func jsonRoundTrip(t *testing.T, g *Graph) []byte {
	t.Helper()
	data, err := json.Marshal(g)
	if err != nil {
		t.Fatalf("%v\n%s", err, g)
	}
	back := new(Graph)
	if err := json.Unmarshal(data, back); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if diff := cmp.Diff(g.Text(), back.Text()); diff != "" {
		t.Fatalf("-written +read\n%s%s", diff, data)
	}
	again, err := json.Marshal(back)
	if err != nil || !bytes.Equal(again, data) {
		t.Fatalf("written again: %v\n%s\nwas\n%s", err, again, data)
	}
	return data
}

func TestJSONIsReadBackToTheSameText(t *testing.T) {
	for _, text := range []string{
		everything,
		traceThirty().Text(),
		"graph () {\n  return\n}\n",
		"graph f(x: f32[] @ \"my file.go\":3:7) {\n  y: f32[] = sin(x) @ \"g\\xffo\":9\n  guard s0 == 1 @ \"h.go\":1:1\n  return y\n}\n",
		"graph f() {\n  y: f32[] = op(; s=\"\\xff\\x00\", z=\"\", b=\"a<b>&\", f=-0.0, i=-9223372036854775808)\n  return y\n}\n",
	} {
		g, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		jsonRoundTrip(t, g)
	}
}

// TestJSONForm is the documented form, key by key.
func TestJSONForm(t *testing.T) {
	g, err := Parse(`graph f(s0: <s0>, x: f32[s0, 4] @ "main.go":3:7) const(w: i64[]) {
  y: f32[s0*2] = op(x, w; dims=[1], eps=0.5, big=inf, to=f32, mode="a", n=<s0 + 1>, ns=<[s0, 4]>, keep=true) @ "main.go":9
  z: (f32[], <u0>) = cond(w) {
    graph b() {
      return
    }
  }
  k: f32[2] = literal(; value=f32[2]{1.0, nan})
  l: bool[20] = literal(; value=bool[20]{true...})
  guard 0 < s0 @ "main.go":5
  return y
}`)
	if err != nil {
		t.Fatal(err)
	}
	data, err := g.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"format":"hoplint graph","version":1,"graph":{"name":"f",
"inputs":[{"name":"s0","type":{"int":"s0"}},{"name":"x","type":{"dtype":"float32","shape":["s0",4]},"pos":{"file":"main.go","line":3,"column":7}}],
"constants":[{"name":"w","type":{"dtype":"int64","shape":[]}}],
"nodes":[{"name":"y","op":"op","type":{"dtype":"float32","shape":["s0*2"]},"args":["x","w"],
"attrs":[{"key":"dims","type":"ints","value":[1]},{"key":"eps","type":"float","value":0.5},{"key":"big","type":"float","value":"inf"},
{"key":"to","type":"dtype","value":"float32"},{"key":"mode","type":"string","value":"a"},{"key":"n","type":"size","value":"s0 + 1"},
{"key":"ns","type":"sizes","value":["s0",4]},{"key":"keep","type":"bool","value":true}],"pos":{"file":"main.go","line":9}},
{"name":"z","op":"cond","type":{"tuple":[{"dtype":"float32","shape":[]},{"int":"u0"}]},"args":["w"],"graphs":[{"name":"b"}]},
{"name":"k","op":"literal","type":{"dtype":"float32","shape":[2]},"attrs":[{"key":"value","type":"tensor","value":{"dtype":"float32","shape":[2],"elements":[1.0,"nan"]}}]},
{"name":"l","op":"literal","type":{"dtype":"bool","shape":[20]},"attrs":[{"key":"value","type":"tensor","value":{"dtype":"bool","shape":[20],"fill":true}}]}],
"guards":[{"op":"<","a":0,"b":"s0","pos":{"file":"main.go","line":5}}],
"outputs":["y"]}}`
	if got, want := string(data), strings.ReplaceAll(want, "\n", ""); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestJSONOfOtherToolsIsRead(t *testing.T) {
	g := new(Graph)
	err := json.Unmarshal([]byte(`{"graph": {"outputs": ["x"], "nodes": [], "name": "", "inputs": [{"type": {"shape": ["2*s0 + 0"], "dtype": "f64"}, "name": "x"}],
		"guards": null}, "version": 1, "format": "hoplint graph"}`), g)
	if want := "graph (x: f64[s0*2]) {\n  return x\n}\n"; err != nil || g.Text() != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, g.Text(), want)
	}
}

func TestJSONErrorsNameThePlace(t *testing.T) {
	doc := func(graph string) string { return `{"format":"hoplint graph","version":1,"graph":` + graph + `}` }
	node := func(more string) string {
		return doc(`{"nodes":[{"name":"y","op":"sin","type":{"dtype":"bool","shape":[]}` + more + `}]}`)
	}
	attr := func(a string) string { return node(`,"attrs":[{"key":"k",` + a + `}]`) }
	literal := func(l string) string { return attr(`"type":"tensor","value":` + l) }
	for _, tc := range []struct{ text, want string }{
		{``, "EOF"},
		{`null`, `format is ""; want "hoplint graph"`},
		{`[]`, "got a array"},
		{`{"format":"gif","version":1}`, `format is "gif"; want "hoplint graph"`},
		{`{"format":"hoplint graph","version":2,"graph":{}}`, "version is 2; this library reads version 1"},
		{`{"format":"hoplint graph","version":1}`, "graph: there is none"},
		{doc(`{}`) + "1", "more behind the graph"},
		{doc(`{"extra":1}`), `unknown field "extra"`},
		{doc(`{"name":"a b"}`), `graph.name: "a b" is no name`},
		{doc(`{"outputs":["x"]}`), `graph.outputs[0]: got "x"; want a node that was made before`},
		{doc(`{"inputs":[{"name":"x"}]}`), "graph.inputs[0].type: got 0 of dtype with shape, int, and tuple"},
		{doc(`{"inputs":[{"name":"x","type":{"dtype":"f16","shape":[]}}]}`), `graph.inputs[0].type.dtype: got "f16"; want one of [bool int32`},
		{doc(`{"inputs":[{"name":"x","type":{"dtype":"bool"}}]}`), "graph.inputs[0].type.shape: there is none"},
		{doc(`{"inputs":[{"name":"x","type":{"dtype":"bool","shape":[1.5]}}]}`), "graph.inputs[0].type.shape[0]: got 1.5; want an integer, or an expression as text"},
		{doc(`{"inputs":[{"name":"x","type":{"dtype":"bool","shape":["s0 +"]}}]}`), `graph.inputs[0].type.shape[0]: "s0 +"`},
		{doc(`{"inputs":[{"name":"x","type":{"tuple":[{"tuple":[]}]}}]}`), "graph.inputs[0].type.tuple[0]: a tuple of tuples"},
		{doc(`{"inputs":[{"name":"x","type":{"int":1}},{"name":"x","type":{"int":1}}]}`), "graph.inputs[1].name: the name x is taken"},
		{doc(`{"inputs":[{"name":"x","type":{"int":null}}]}`), "graph.inputs[0].type.int: got null"},
		{doc(`{"inputs":[{"name":"x","type":{"int":1},"pos":{"line":0}}]}`), "graph.inputs[0].pos: line 0, column 0"},
		{doc(`{"guards":[{"op":">","a":1,"b":1}]}`), `graph.guards[0].op: got ">"; want ==, !=, < or <=`},
		{doc(`{"nodes":[{"name":"y","op":"","type":{"int":1}}]}`), `graph.nodes[0].op: "" is no name of an operation`},
		{node(`,"args":["y"]`), `graph.nodes[0].args[0]: got "y"`},
		{node(`,"graphs":[null]`), "graph.nodes[0].graphs[0]: there is none"},
		{attr(`"type":"color","value":1`), `graph.nodes[0].attrs[0].value: the type of the attribute is "color"`},
		{attr(`"type":"int","value":1.5`), "graph.nodes[0].attrs[0].value: got 1.5; want an integer"},
		{attr(`"type":"int"`), "graph.nodes[0].attrs[0].value: got ; want an integer"},
		{attr(`"type":"float","value":"high"`), `graph.nodes[0].attrs[0].value: "high"`},
		{attr(`"type":"float","value":1e999`), `"1e999"`},
		{attr(`"type":"bool","value":null`), "got null; want true or false"},
		{attr(`"type":"bytes","value":"?"`), `got "?"; want base64`},
		{attr(`"type":"ints","value":[1.5]`), "got [1.5]; want a list of integers"},
		{literal(`{"dtype":"bool","shape":[2],"elements":[true]}`), "value.elements: 1 elements; want 2"},
		{literal(`{"dtype":"int32","shape":[1],"elements":[3000000000]}`), `value.elements[0]: "3000000000"`},
		{literal(`{"dtype":"bool","shape":[2],"base64":"AgE="}`), "value.base64: 2 bytes that are no bool[2]"},
		{literal(`{"dtype":"bool","shape":[2]}`), "value: want one of elements, fill and base64"},
		{literal(`{"dtype":"bool","shape":[2],"fill":true,"elements":[true,true]}`), "value: want one of"},
		{literal(`{"dtype":"bool","shape":[1000000000000],"fill":true}`), "value.shape: a literal of shape [1000000000000]"},
		{doc(strings.Repeat(`{"nodes":[{"name":"y","op":"f","type":{"tuple":[]},"graphs":[`, 300) + `{}` + strings.Repeat(`]}]}`, 300)), "more than 200 nested bodies"},
	} {
		g := &Graph{Name: "before"}
		if err := g.UnmarshalJSON([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) || g.Name != "before" {
			t.Errorf("%.150s:\ngot  %v\nwant %s", tc.text, err, tc.want)
		}
	}
	g := &Graph{Nodes: []*Node{{Name: "y", Op: "f", Attrs: Attrs{{"k", struct{}{}}}}}}
	if _, err := g.MarshalJSON(); err == nil || !strings.Contains(err.Error(), "node y: attribute k: a graph cannot hold the struct") {
		t.Errorf("got %v", err)
	}
}

func FuzzJSON(f *testing.F) {
	for _, text := range []string{everything, traceThirty().Text(), "graph f() {\n  return\n}\n"} {
		g, err := Parse(text)
		if err != nil {
			f.Fatal(err)
		}
		data, err := g.MarshalJSON()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g := new(Graph)
		if g.readJSON(data, 1<<10) != nil { // a large literal would only be slow
			return
		}
		_ = g.Verify()
		jsonRoundTrip(t, g)
		text := g.Text()
		if back, err := Parse(text); err != nil || back.Text() != text {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}
