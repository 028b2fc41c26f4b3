package pytree

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func textOf(t interface {
	Helper()
	Fatal(...any)
}, v any) string {
	t.Helper()
	_, tree, err := Flatten[leaf](v, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(tree.AppendText(nil, "x"))
}

type mode string

type statics struct {
	A int8    `hop:"static"`
	B uint64  `hop:"static"`
	C float32 `hop:"static"`
	D float64 `hop:"static"`
	E mode    `hop:"static"`
	F bool    `hop:"static"`
}

func TestTextNamesEveryPlace(t *testing.T) {
	v := tree{Leaf: l(1), Kids: []tree{}, Named: map[string]tree{"k\n": {Two: [2]*leaf{l(3), nil}}}, N: 3}
	want := `x: struct of 6
x.Leaf: tensor
x.Kids: slice of 0
x.Named: map of 1
x.Named["k\n"]: struct of 6
x.Named["k\n"].Leaf: nil tensor
x.Named["k\n"].Kids: nil slice
x.Named["k\n"].Named: nil map
x.Named["k\n"].Two: array of 2
x.Named["k\n"].Two[0]: tensor
x.Named["k\n"].Two[1]: nil tensor
x.Named["k\n"].None: empty
x.Named["k\n"].N: static int 0
x.Two: array of 2
x.Two[0]: nil tensor
x.Two[1]: nil tensor
x.None: empty
x.N: static int 3
`
	if diff := cmp.Diff(want, textOf(t, v)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// parsedBack reads the text of v and gives v again with its leaves.
func parsedBack[P any](t interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}, v P) P {
	t.Helper()
	text := textOf(t, v)
	leaves, _, _ := Flatten[leaf](v, nil)
	structure, diffs, err := ParseText[leaf](reflect.TypeFor[P](), nil, "x", text)
	if err != nil || diffs != nil {
		t.Fatalf("%v %v\n%s", err, diffs, text)
	}
	return Unflatten[P](structure, leaves)
}

func TestTextIsReadBackToTheSameStructure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := treeGen(2).Draw(t, "v")
		if back := parsedBack(t, v); !reflect.DeepEqual(back, v) {
			t.Fatalf("got %+v\nwant %+v", back, v)
		}
	})
	for _, s := range []statics{
		{math.MinInt8, math.MaxUint64, math.MaxFloat32, math.SmallestNonzeroFloat64, "a \"b\"\n\xff", true},
		{C: float32(math.Copysign(0, -1)), D: math.Inf(-1)},
		{C: 0.1, D: 1e300},
	} {
		if back := parsedBack(t, s); back != s {
			t.Errorf("got %+v, want %+v", back, s)
		}
	}
	nan := statics{D: math.Float64frombits(0x7ff8000000000123)}
	if bits := math.Float64bits(parsedBack(t, nan).D); bits != 0x7ff8000000000123 {
		t.Errorf("NaN came back as %x", bits)
	}
	if back := parsedBack(t, l(1)); back.ID != 1 {
		t.Errorf("got %+v", back)
	}
}

func TestParseTextReportsEveryDifferenceFromTheType(t *testing.T) {
	type swapped struct{ C, H *leaf }
	type gained struct {
		H, C *leaf
		S    []*leaf
		N    int `hop:"static"`
	}
	for _, test := range []struct {
		name  string
		value any
		typ   reflect.Type
		want  []Diff
	}{
		{"another type of the same structure", pair{l(1), nil}, reflect.TypeFor[struct{ H, C *leaf }](), nil},
		{"leaf and struct", l(1), reflect.TypeFor[pair](), []Diff{{"", "a tensor", "a struct"}}},
		{"fields gained", pair{}, reflect.TypeFor[gained](), []Diff{{".S", "missing", "a slice"}, {".N", "missing", "a static int"}}},
		{"fields lost", gained{}, reflect.TypeFor[pair](), []Diff{{".S", "a slice", "missing"}, {".N", "a static int", "missing"}}},
		{"fields exchanged", pair{}, reflect.TypeFor[swapped](), []Diff{{"", "a struct of H, C", "a struct of C, H"}}},
		{"array lengths", [2]*leaf{}, reflect.TypeFor[[3]*leaf](), []Diff{{"", "an array of length 2", "an array of length 3"}}},
		{"slice and map", []*leaf{}, reflect.TypeFor[map[string]*leaf](), []Diff{{"", "a slice", "a map"}}},
		{"static kinds", statics{}, reflect.TypeFor[struct {
			A int16   `hop:"static"`
			B uint64  `hop:"static"`
			C float32 `hop:"static"`
			D struct{}
			E string `hop:"static"`
			F bool   `hop:"static"`
		}](), []Diff{{".A", "a static int8", "a static int16"}, {".D", "a static float64", "empty"}}},
		{"in every element", []any{[]pair{{}, {}}}[0], reflect.TypeFor[[]*leaf](), []Diff{{"[0]", "a struct", "a tensor"}, {"[1]", "a struct", "a tensor"}}},
		{"below a key", map[string]pair{"a": {}}, reflect.TypeFor[map[string]swapped](), []Diff{{`["a"]`, "a struct of H, C", "a struct of C, H"}}},
	} {
		_, got, err := ParseText[leaf](test.typ, nil, "x", textOf(t, test.value))
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n-want +got\n%s", test.name, err, diff)
		}
	}
	if _, _, err := ParseText[leaf](reflect.TypeFor[any](), nil, "x", "x: tensor\n"); err == nil || !strings.Contains(err.Error(), "concrete type") {
		t.Errorf("an interface: got %v", err)
	}
}

func TestParseTextRefusesOtherTexts(t *testing.T) {
	for _, test := range []struct {
		typ        reflect.Type
		text, want string
	}{
		{reflect.TypeFor[*leaf](), "", `line 1: got ""; want the path x`},
		{reflect.TypeFor[*leaf](), "x: tensor", `got "x: tensor"; want the path x`},
		{reflect.TypeFor[*leaf](), "y: tensor\n", `got "y: tensor"; want the path x`},
		{reflect.TypeFor[*leaf](), "x: tensor\nx: tensor\n", `line 2: "x: tensor" behind the last place`},
		{reflect.TypeFor[*leaf](), "x: matrix\n", `x is "matrix"; want tensor`},
		{reflect.TypeFor[*leaf](), "x: tensor of 1\n", `x is "tensor of 1"`},
		{reflect.TypeFor[[]*leaf](), "x: slice\n", `x is "slice"`},
		{reflect.TypeFor[[]*leaf](), "x: nil slice of 1\n", `x is "nil slice of 1"`},
		{reflect.TypeFor[[]*leaf](), "x: slice of -1\n", `x is "slice of -1"`},
		{reflect.TypeFor[[]*leaf](), "x: slice of 1000000000000\nx[0]: tensor\n", `line 3: got ""; want the path x[1]`},
		{reflect.TypeFor[[]*leaf](), "x: slice of 01\nx[0]: tensor\n", "not written as they should be"},
		{reflect.TypeFor[pair](), "x: nil struct of 2\n", `x is "nil struct of 2"`},
		{reflect.TypeFor[pair](), "x: struct of 2\nx[0]: tensor\n", `got "x[0]: tensor"; want a field of x`},
		{reflect.TypeFor[pair](), "x: struct of 3\nx.H: tensor\nx.H: tensor\nx.C: tensor\n", "not written"},
		{reflect.TypeFor[map[string]*leaf](), "x: map of 1\nx[a]: tensor\n", `want a key of x`},
		{reflect.TypeFor[map[string]*leaf](), "x: map of 1\nx[`a`]: tensor\n", `want a key of x`},
		{reflect.TypeFor[statics](), "x: struct of 6\nx.A: static int8 128\nx.B: static uint64 0\nx.C: static float32 0\nx.D: static float64 0\nx.E: static string \"\"\nx.F: static bool false\n", `.A is "128", which is no int8`},
		{reflect.TypeFor[statics](), "x: struct of 6\nx.A: static int8 +1\nx.B: static uint64 0\nx.C: static float32 0\nx.D: static float64 0\nx.E: static string \"\"\nx.F: static bool false\n", "+1 is written 1"},
	} {
		if got, _, err := ParseText[leaf](test.typ, nil, "x", test.text); err == nil || !strings.Contains(err.Error(), test.want) || got != nil {
			t.Errorf("%q: got %v, want %s", test.text, err, test.want)
		}
	}
	// Keys out of order, and one twice: the places would not be found where they are.
	for _, text := range []string{"x: map of 2\nx[\"b\"]: tensor\nx[\"a\"]: tensor\n", "x: map of 2\nx[\"a\"]: tensor\nx[\"a\"]: tensor\n"} {
		if _, _, err := ParseText[leaf](reflect.TypeFor[map[string]*leaf](), nil, "x", text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func FuzzParseText(f *testing.F) {
	for _, v := range []any{tree{Leaf: l(1), Kids: []tree{{}}, Named: map[string]tree{"a": {}}}, tree{}} {
		f.Add(textOf(f, v))
	}
	f.Fuzz(func(t *testing.T, text string) {
		structure, diffs, err := ParseText[leaf](reflect.TypeFor[tree](), nil, "x", text)
		if err != nil || diffs != nil {
			return
		}
		leaves := make([]*leaf, structure.NumLeaves())
		for i := range leaves {
			leaves[i] = l(i)
		}
		if again := textOf(t, Unflatten[tree](structure, leaves)); again != text {
			t.Fatalf("got\n%s\nwant\n%s", again, text)
		}
	})
}
