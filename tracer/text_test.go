package tracer

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
)

// everything is a graph with each form that the text has.
const everything = `graph main.f(s0: <s0>, x: f32[s0, 4], p: bool[]) const(w: f64[], w_1: i64[3]) {
  return: f32[s0, 4] = sin(x)
  a: f32[2] = literal(; value=f32[2]{-0.0, 1e+20})
  b: f32[3] = literal(; value=f32[3]{nan, inf, nan:7fc00001})
  c: f64[20] = literal(; value=f64[20]{0.1...})
  d: i32[17] = literal(; value=i32[17]"AQAAAAIAAAADAAAABAAAAAUAAAAGAAAABwAAAAgAAAAJAAAACgAAAAsAAAAMAAAADQAAAA4AAAAPAAAAEAAAABEAAAA=")
  e: bool[2] = literal(; value=bool[2]{true, false})
  e2: bool[18] = literal(; value=bool[18]{true...})
  f: i64[] = literal(; value=i64[]{-9223372036854775808})
  g: f32[0, 5] = literal(; value=f32[0, 5]{})
  op: f32[] = op(x, a; i=-3, f=0.5, g=1.0, h=-inf, n=nan:7ff8000000000002, t=true, u=false, s="a\"\n", d=f32, l=[1, -2], e=[], n1=<s0*2 - 1>, n2=<[s0, 4]>, n3=<[]>, n4=<3>)
  int: <floordiv(s0 + 1, 2) + max(1, s0) - min(s0 - 5, s0*s0) - mod(s0, 3)> = int(s0)
  none: () = op()
  two: (f32[], <u0>) = op()
  put: f32[s0, 4] = put_view(x, a; view="narrow", dim=0)
  cond: (f32[]) = cond(p, x) {
    graph (x: f32[s0, 4], s0: <s0>) {
      return
    }
    graph onFalse() {
      inner: (f32[]) = checkpoint() {
        graph f() {
          return
        }
      }
      guard s0 != 3
      return inner, inner
    }
  }
  guard 0 <= s0
  guard s0*2 < 9223372036854775807
  guard s0 == 3
  return return, a, x
}
`

func TestTextIsReadBack(t *testing.T) {
	g, err := Parse(everything)
	if err != nil {
		t.Fatal(err)
	}
	if got := g.String(); got != everything {
		t.Errorf("got\n%s\nwant\n%s", got, everything)
	}
	l := g.Nodes[2].Attrs.Get("value").(*Literal)
	if bits := math.Float32bits(float32(math.NaN())); l.Data[11] != 0x7f || l.Data[8] != 1 || l.Data[3] != byte(bits>>24) {
		t.Errorf("NaN bits are lost: % x", l.Data)
	}
}

func TestTextWithPositionsAndComments(t *testing.T) {
	text := "// a comment\n graph f(x:f32[] @ \"my file.go\":3:7){ y:f32[]=sin( x )@\"g.go\":9 // another\nguard s0==1@\"h.go\":1:1 return y}"
	g, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want := "graph f(x: f32[] @ \"my file.go\":3:7) {\n  y: f32[] = sin(x) @ \"g.go\":9\n  guard s0 == 1 @ \"h.go\":1:1\n  return y\n}\n"
	if got := g.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := g.String(); strings.Contains(got, "@") {
		t.Errorf("positions in\n%s", got)
	}
}

func TestParseErrorsNameLineAndColumn(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", "1:1: got end of text; want graph"},
		{"graph f() {\n  y: f32[] = sin(x)\n return y }", "2:18: got x; want a node that was made before"},
		{"graph f(x: f32[]) {\n x: f32[] = sin(x)\n return x }", "3:2: the name x is taken"},
		{"graph f(x: f16[]) { return }", "1:12: got f16; want a type"},
		{"graph f() { return } more", "1:22: got more behind the graph"},
		{"graph f() { y: ((f32[])) = op() return }", "1:18: a tuple of tuples"},
		{"graph f() { y: f32[2] = literal(; value=f32[2]{1.0}) return }", "1:52: 1 elements; want 2"},
		{"graph f() { y: f32[1] = literal(; value=f32[1]{1.0, 2.0}) return }", "1:53: more than 1 elements"},
		{"graph f() { y: bool[1] = literal(; value=bool[1]\"Ag==\") return }", "1:55: bytes that are no bool"},
		{"graph f() { y: f32[1] = literal(; value=f32[1]{nan:0}) return }", "1:51: 0 are no bits of a NaN"},
		{"graph f() { y: f32[] = op(; s=\"open) return }", "1:31: text without closing quote"},
		{"graph f() { guard s0 > 1 return }", "1:22: got >; want ==, !=, < or <="},
		{"graph f() { y: f32[] = op(; a=?) return }", "1:31: got ?; want a type"},
		{"graph f(x: f32[" + strings.Repeat("max(1, ", 300) + ")", "an expression nested more than 200 deep"},
	} {
		_, err := Parse(tc.text)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", tc.text, err, tc.want)
		}
	}
}

// K14
func TestTracedTwicePrintsTheSame(t *testing.T) {
	first := traceThirty().String()
	for range 20 {
		if got := traceThirty().String(); got != first {
			t.Fatalf("got\n%s\nwant\n%s", got, first)
		}
	}
}

func TestMetaAndLiteralText(t *testing.T) {
	s0 := symbol("s0")
	for _, tc := range []struct{ got, want string }{
		{TensorMeta(Float32, 2, 3).String(), "f32[2, 3]"},
		{Meta{DType: Int64, Shape: []Int{s0, Const(4)}}.String(), "i64[s0, 4]"},
		{Meta{Int: &s0}.String(), "<s0>"},
		{Meta{Elems: []Meta{TensorMeta(Bool), {Int: &s0}}}.String(), "(bool[], <s0>)"},
		{string((&Literal{Float32, []int{2}, []byte{1}}).append(nil)), `f32[2]"AQ=="`},
	} {
		if tc.got != tc.want {
			t.Errorf("got %s, want %s", tc.got, tc.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add(traceThirty().String())
	f.Add(traceThirty().Text())
	f.Add("graph f(x: f32[u0 + u1*s0*-2, 1]) {\n  y: f32[] = put_view(x; view=\"\")\n  return y\n}\n")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := parse(text, 1<<10) // a large literal would only be slow
		if err != nil {
			return
		}
		_ = g.Verify()
		jsonRoundTrip(t, g)
		for _, print := range []func(*Graph) string{(*Graph).String, (*Graph).Text} {
			once := print(g)
			back, err := parse(once, 1<<10)
			if err != nil {
				t.Fatalf("%v\n%s", err, once)
			}
			if again := print(back); again != once {
				t.Fatalf("got\n%s\nwant\n%s", again, once)
			}
		}
	})
}

// The text of a trace with findings is read back too, and so is one of every place that positions stand at.
func TestRefusedTraceStillPrints(t *testing.T) {
	_, b, a, _, x := scanBody(t)
	b.addInPlace(b.narrow(a, 0, 3), x)
	body := b.close(hopcheck.NextCarry, a)
	checked(t, body.Graph)
}

// A short text cannot ask for much work or memory.
func TestParseRefusesTextsThatGrow(t *testing.T) {
	sum := "s0"
	for i := range 40 {
		sum += fmt.Sprintf(" + s%d", i+1)
	}
	sums := strings.Repeat("floordiv("+sum+", 1)*", 12) + "1"
	fill := "  y: f64[67108864] = literal(; value=f64[67108864]{0.0...})\n"
	for _, tc := range []struct{ text, want string }{
		{"graph (x: f32[" + sums + "]) { return }", "a product of sums with more than 1024 terms"},
		{"graph (x: f32[" + strings.Repeat("a*", 1<<20) + "a]) { return }", "an expression longer than 4096 characters"},
		{"graph (x: f32[" + strings.Repeat("a", 1<<20) + "]) { return }", "an expression longer than 4096 characters"},
		{"graph () {\n" + fill + strings.ReplaceAll(fill, "y:", "z:") + "  return\n}", "literals of more than 536870912 bytes"},
		{"graph () {\n  y: f64[67108865] = literal(; value=f64[67108865]{0.0...})\n  return\n}", "a literal of shape [67108865]"},
	} {
		if _, err := Parse(tc.text); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%.60s…: got %v, want %s", tc.text, err, tc.want)
		}
	}
}
