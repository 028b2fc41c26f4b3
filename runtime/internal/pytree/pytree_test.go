package pytree

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// leaf stands for a tensor.
type leaf struct{ ID int }

func l(id int) *leaf { return &leaf{id} }

type pair struct{ H, C *leaf }

type withStatic struct {
	W    *leaf
	N    int     `hop:"static"`
	Rate float64 `hop:"static"`
	Name string  `hop:"static"`
}

type withIgnored struct {
	W     *leaf
	cache []int       `hop:"-"`
	Hook  func() bool `hop:"-"`
}

type embedded struct {
	Pair
	X *leaf
}

// Pair is exported, so that it can be embedded.
type Pair struct{ A, B *leaf }

type tree struct {
	Leaf  *leaf
	Kids  []tree
	Named map[string]tree
	Two   [2]*leaf
	None  struct{}
	N     int `hop:"static"`
}

type key string

func ids(leaves []*leaf) []int {
	var out []int
	for _, x := range leaves {
		out = append(out, x.ID)
	}
	return out
}

func TestFlattenOrdersLeavesAndNamesTheirPaths(t *testing.T) {
	for _, test := range []struct {
		name  string
		value any
		ids   []int
		paths []string
		text  string
	}{
		{"bare leaf", l(1), []int{1}, []string{""}, "*"},
		{"nil leaf", (*leaf)(nil), nil, []string{}, "nil"},
		{"None", struct{}{}, nil, []string{}, "{}"},
		{"struct", pair{l(1), l(2)}, []int{1, 2}, []string{".H", ".C"}, "{H: *, C: *}"},
		{"struct with nil", pair{nil, l(2)}, []int{2}, []string{".C"}, "{H: nil, C: *}"},
		{"slice", []*leaf{l(1), nil, l(2)}, []int{1, 2}, []string{"[0]", "[2]"}, "[*, nil, *]"},
		{"nil slice", []*leaf(nil), nil, []string{}, "[]"},
		{"array", [2]pair{{l(1), l(2)}, {l(3), nil}}, []int{1, 2, 3}, []string{"[0].H", "[0].C", "[1].H"}, "[{H: *, C: *}, {H: *, C: nil}]"},
		{"map in key order", map[string]*leaf{"b": l(2), "a": l(1), "": l(0)}, []int{0, 1, 2}, []string{`[""]`, `["a"]`, `["b"]`}, `{"": *, "a": *, "b": *}`},
		{"named key type", map[key]*leaf{"a\"": l(1)}, []int{1}, []string{`["a\""]`}, `{"a\"": *}`},
		{"static", withStatic{l(1), 3, 0.5, "s"}, []int{1}, []string{".W"}, `{W: *, N: 3, Rate: 0.5, Name: "s"}`},
		{"ignored", withIgnored{W: l(1), cache: []int{1}}, []int{1}, []string{".W"}, "{W: *}"},
		{"embedded", embedded{Pair{l(1), l(2)}, l(3)}, []int{1, 2, 3}, []string{".Pair.A", ".Pair.B", ".X"}, "{Pair: {A: *, B: *}, X: *}"},
		{"same leaf twice", pair{shared, shared}, []int{9, 9}, []string{".H", ".C"}, "{H: *, C: *}"},
		{"recursive type", tree{Leaf: l(1), Kids: []tree{{Leaf: l(2)}}, Named: map[string]tree{"k": {Two: [2]*leaf{l(3), nil}}}},
			[]int{1, 2, 3}, []string{".Leaf", ".Kids[0].Leaf", `.Named["k"].Two[0]`},
			`{Leaf: *, Kids: [{Leaf: *, Kids: [], Named: {}, Two: [nil, nil], None: {}, N: 0}], Named: {"k": {Leaf: nil, Kids: [], Named: {}, Two: [*, nil], None: {}, N: 0}}, Two: [nil, nil], None: {}, N: 0}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			leaves, tree, err := Flatten[leaf](test.value, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := ids(leaves); !cmp.Equal(got, test.ids) {
				t.Errorf("leaves: got %v, want %v", got, test.ids)
			}
			if got := tree.Paths(); !cmp.Equal(got, test.paths) {
				t.Errorf("paths: got %q, want %q", got, test.paths)
			}
			if got := tree.String(); got != test.text {
				t.Errorf("text:\n got %s\nwant %s", got, test.text)
			}
			if tree.NumLeaves() != len(test.ids) {
				t.Errorf("NumLeaves: got %d, want %d", tree.NumLeaves(), len(test.ids))
			}
		})
	}
}

var shared = l(9)

func TestUnsupportedTypesAreErrorsWithPathTypeAndAdvice(t *testing.T) {
	type cell struct{ H *leaf }
	selfish := make(selfSlice, 1)
	selfish[0] = selfish
	for _, test := range []struct {
		name       string
		value      any
		path, typ  string
		reasonPart string
	}{
		{"nothing", nil, "", "nil", "no value"},
		{"channel", struct{ C chan int }{}, ".C", "chan int", "neither a tensor nor a container"},
		{"function", []func(){nil}, "[]", "func()", "neither"},
		{"interface", struct{ V any }{l(1)}, ".V", "interface {}", "concrete type"},
		{"float", 1.5, "", "float64", "Scalar"},
		{"untagged int field", struct{ N int }{3}, ".N", "int", `hop:"static"`},
		{"pointer to struct", struct{ C *cell }{&cell{}}, ".C", "*pytree.cell", "pass the value"},
		{"pointer to leaf pointer", new(*leaf), "", "**pytree.leaf", "neither"},
		{"leaf by value", struct{ T leaf }{}, ".T", "pytree.leaf", "*pytree.leaf"},
		{"unexported field", struct {
			A *leaf
			b *leaf
		}{}, ".b", "*pytree.leaf", `hop:"-"`},
		{"int keys", map[int]*leaf{}, "", "map[int]*pytree.leaf", "strings"},
		{"static of a leaf", struct {
			T *leaf `hop:"static"`
		}{}, ".T", "*pytree.leaf", "static field"},
		{"unknown tag", struct {
			T *leaf `hop:"statik"`
		}{}, ".T", "*pytree.leaf", `hop:"statik"`},
		{"deep", map[string][]struct{ F func() }{}, "[][].F", "func()", "neither"},
		{"element type of an empty slice", []complex128{}, "[]", "complex128", "neither"},
		{"slice that contains itself", selfish, "", "pytree.selfSlice", "contains itself"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 { // the second time from the cache
				_, _, err := Flatten[leaf](test.value, nil)
				var e *LeafError
				if !errors.As(err, &e) {
					t.Fatalf("got %v, want a *LeafError", err)
				}
				if e.Path != test.path || e.Type != test.typ || !strings.Contains(e.Reason, test.reasonPart) {
					t.Errorf("got  %q %q %q\nwant %q %q …%q…", e.Path, e.Type, e.Reason, test.path, test.typ, test.reasonPart)
				}
			}
		})
	}
}

type selfSlice []selfSlice

func TestDiffReportsEveryDifferenceWithItsPath(t *testing.T) {
	type m = map[string]*leaf
	type s = []*leaf
	for _, test := range []struct {
		name string
		a, b any
		want []Diff
	}{
		{"equal", pair{l(1), l(2)}, pair{l(3), l(4)}, nil},
		{"nil and empty slice", s(nil), s{}, nil},
		{"nil and empty map", m(nil), m{}, nil},
		{"B3: leaf count", s{l(1), l(2)}, s{l(1)}, []Diff{{"", "a slice of length 2", "a slice of length 1"}}},
		{"B4: key gained", m{"a": l(1)}, m{"a": l(1), "b": l(2)}, []Diff{{`["b"]`, "missing", "a tensor"}}},
		{"keys lost and gained", m{"a": l(1), "c": l(3)}, m{"b": nil, "c": nil},
			[]Diff{{`["a"]`, "a tensor", "missing"}, {`["b"]`, "missing", "nil"}, {`["c"]`, "a tensor", "nil"}}},
		{"nil leaves", pair{l(1), nil}, pair{nil, l(2)}, []Diff{{".H", "a tensor", "nil"}, {".C", "nil", "a tensor"}}},
		{"static", withStatic{l(1), 3, 1, "a"}, withStatic{l(1), 4, 1, "b"}, []Diff{{".N", "3", "4"}, {".Name", `"a"`, `"b"`}}},
		{"static NaN", withStatic{Rate: math.NaN()}, withStatic{Rate: math.NaN()}, nil},
		{"length and what lies before it", [][]*leaf{{l(1)}, {}}, [][]*leaf{{nil}},
			[]Diff{{"", "a slice of length 2", "a slice of length 1"}, {"[0][0]", "a tensor", "nil"}}},
		{"other type", l(1), pair{}, []Diff{{"", "a tensor", "a value of type pytree.pair"}}},
		{"None and leaf", struct{}{}, l(1), []Diff{{"", "empty", "a tensor"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, a, err := Flatten[leaf](test.a, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, b, err := Flatten[leaf](test.b, nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, a.Diff(b)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// treeGen draws values of the recursive type.
func treeGen(depth int) *rapid.Generator[tree] {
	maybeLeaf := rapid.Custom(func(t *rapid.T) *leaf {
		if rapid.Bool().Draw(t, "nil") {
			return nil
		}
		return l(rapid.IntRange(0, 99).Draw(t, "id"))
	})
	return rapid.Custom(func(t *rapid.T) tree {
		v := tree{Leaf: maybeLeaf.Draw(t, "leaf"), N: rapid.IntRange(0, 2).Draw(t, "n")}
		v.Two = [2]*leaf{maybeLeaf.Draw(t, "two0"), maybeLeaf.Draw(t, "two1")}
		if depth > 0 {
			v.Kids = rapid.SliceOfN(treeGen(depth-1), 0, 3).Draw(t, "kids")
			v.Named = rapid.MapOfN(rapid.StringMatching(`[a-c]{0,2}`), treeGen(depth-1), 0, 3).Draw(t, "named")
		}
		return v
	})
}

func TestUnflattenInvertsFlatten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := treeGen(2).Draw(t, "v")
		leaves, structure, err := Flatten[leaf](v, nil)
		if err != nil {
			t.Fatal(err)
		}
		back := Unflatten[tree](structure, leaves)
		if !reflect.DeepEqual(back, v) {
			t.Fatalf("got %+v\nwant %+v", back, v)
		}
		again, structure2, err := Flatten[leaf](back, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range leaves {
			if again[i] != leaves[i] {
				t.Fatalf("leaf %d is not the same pointer", i)
			}
		}
		if d := structure.Diff(structure2); len(d) != 0 || structure.String() != structure2.String() {
			t.Fatalf("structures differ: %v", d)
		}
		if n := len(structure.Paths()); n != len(leaves) {
			t.Fatalf("%d paths for %d leaves", n, len(leaves))
		}
	})
}

func TestDiffIsEmptyExactlyForEqualText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, a, errA := Flatten[leaf](treeGen(1).Draw(t, "a"), nil)
		_, b, errB := Flatten[leaf](treeGen(1).Draw(t, "b"), nil)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		ab, ba := a.Diff(b), b.Diff(a)
		if (len(ab) == 0) != (a.String() == b.String()) {
			t.Fatalf("%v\n%v\ndiff %v", a, b, ab)
		}
		if len(ab) != len(ba) {
			t.Fatalf("not symmetric: %v, %v", ab, ba)
		}
		for i := range ab {
			if ab[i].Path != ba[i].Path || ab[i].A != ba[i].B || ab[i].B != ba[i].A {
				t.Fatalf("not symmetric: %v, %v", ab[i], ba[i])
			}
		}
	})
}

func TestUnflattenBuildsNewContainers(t *testing.T) {
	in := tree{Kids: []tree{{Leaf: l(1)}}, Named: map[string]tree{"a": {Leaf: l(2)}}}
	leaves, structure, err := Flatten[leaf](in, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := Unflatten[tree](structure, leaves)
	out.Kids[0].Leaf = nil
	out.Named["b"] = tree{}
	if in.Kids[0].Leaf == nil || len(in.Named) != 1 {
		t.Errorf("a write to the result reached the input: %+v", in)
	}
}

func TestIgnoredFieldsAreZeroInTheResult(t *testing.T) {
	leaves, structure, err := Flatten[leaf](withIgnored{W: l(1), cache: []int{1}, Hook: func() bool { return true }}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := Unflatten[withIgnored](structure, leaves)
	if out.W.ID != 1 || out.cache != nil || out.Hook != nil {
		t.Errorf("got %+v", out)
	}
}

func TestUnflattenIntoAnInterface(t *testing.T) {
	leaves, structure, err := Flatten[leaf](pair{l(1), l(2)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := Unflatten[any](structure, leaves).(pair); !ok || got.C.ID != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestUnflattenRefusesAnotherLeafCount(t *testing.T) {
	_, structure, err := Flatten[leaf](pair{l(1), l(2)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "1 leaves for a structure of 2") {
			t.Errorf("got panic %q", got)
		}
	}()
	Unflatten[pair](structure, []*leaf{l(1)})
}

func TestFlattenIsSafeForConcurrentFirstUse(t *testing.T) {
	type fresh struct{ A []tree }
	done := make(chan string)
	for range 8 {
		go func() {
			_, structure, err := Flatten[leaf](fresh{A: []tree{{Leaf: l(1)}}}, nil)
			if err != nil {
				done <- err.Error()
				return
			}
			done <- structure.String()
		}()
	}
	first := <-done
	for range 7 {
		if got := <-done; got != first {
			t.Errorf("got %s, want %s", got, first)
		}
	}
}

func BenchmarkFlattenUnflatten(b *testing.B) {
	b.Run("bare leaf", func(b *testing.B) {
		b.ReportAllocs()
		v := l(1)
		for b.Loop() {
			leaves, tree, _ := Flatten[leaf](v, nil)
			Unflatten[*leaf](tree, leaves)
		}
	})
	b.Run("struct", func(b *testing.B) {
		b.ReportAllocs()
		v := pair{l(1), l(2)}
		for b.Loop() {
			leaves, tree, _ := Flatten[leaf](v, nil)
			Unflatten[pair](tree, leaves)
		}
	})
}
