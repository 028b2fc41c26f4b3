package hopio

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

type layer struct {
	W, B *hop.Tensor
}

type model struct {
	Embed  *hop.Tensor
	Layers []layer
	Named  map[string]*hop.Tensor
	Unused *hop.Tensor
	Rate   float64 `hop:"static"`
}

func newModel(at float64) model {
	return model{
		Embed:  hop.Full(hop.Float64, at, 2, 3).T(),
		Layers: []layer{{hop.Full(hop.Float32, at+1, 2), hop.Scalar(at + 2)}, {hop.Full(hop.Float32, at+3, 1), hop.Scalar(at + 4)}},
		Named:  map[string]*hop.Tensor{"a.b": hop.Full(hop.Int64, at+5, 0), `q"`: hop.Full(hop.Int64, at+6)},
		Rate:   at,
	}
}

var modelNames = []string{"Embed", "Layers[0].B", "Layers[0].W", "Layers[1].B", "Layers[1].W", `Named["a.b"]`, `Named["q\""]`}

func TestFlattenNamesLeavesByPath(t *testing.T) {
	x := hop.Scalar(1.0)
	for _, test := range []struct {
		name string
		flat func() (map[string]*hop.Tensor, error)
		want []string
	}{
		{"model", func() (map[string]*hop.Tensor, error) { return Flatten(newModel(0)) }, modelNames},
		{"tensor", func() (map[string]*hop.Tensor, error) { return Flatten(x) }, []string{""}},
		{"slice", func() (map[string]*hop.Tensor, error) { return Flatten([]*hop.Tensor{x, nil, x}) }, []string{"[0]", "[2]"}},
		{"none", func() (map[string]*hop.Tensor, error) { return Flatten(hop.None{}) }, nil},
	} {
		got, err := test.flat()
		if err != nil {
			t.Fatal(err)
		}
		if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, names, test.want)
		}
	}
}

func TestTreesAreSavedAndLoaded(t *testing.T) {
	for _, ext := range []string{".npz", ".safetensors"} {
		t.Run(ext, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "model"+ext)
			want, like := newModel(10), newModel(0)
			like.Layers[0].W.SetRequiresGrad(true)
			if err := SaveTree(path, want); err != nil {
				t.Fatal(err)
			}
			got, err := LoadTree(path, like)
			if err != nil {
				t.Fatal(err)
			}
			flatGot, _ := Flatten(got)
			flatWant, _ := Flatten(want)
			wantSameMap(t, flatGot, flatWant)
			if got.Unused != nil || got.Rate != 0 {
				t.Errorf("got %v and rate %v, want what like has: nil and 0", got.Unused, got.Rate)
			}
			if !got.Layers[0].W.RequiresGrad() || got.Layers[1].W.RequiresGrad() {
				t.Errorf("requires grad: got %t and %t, want that of like: true and false", got.Layers[0].W.RequiresGrad(), got.Layers[1].W.RequiresGrad())
			}
			if hop.Item[float64](like.Layers[0].B) != 2 || got.Layers[0].W.SharesStorage(like.Layers[0].W) {
				t.Error("like was written")
			}
		})
	}
}

func TestATreeOfOneTensorIsSavedAndLoaded(t *testing.T) {
	for _, ext := range []string{".npz", ".safetensors"} {
		path := filepath.Join(t.TempDir(), "x"+ext)
		want := hop.FromSlice([]int32{1, 2})
		if err := SaveTree(path, want); err != nil {
			t.Fatal(err)
		}
		got, err := LoadTree(path, hop.Zeros(hop.Int32, 2))
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, "loaded", got, want)
	}
}

func TestLoadTreeReportsEveryDifference(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.npz")
	if err := SaveTree(path, newModel(1)); err != nil {
		t.Fatal(err)
	}
	like := newModel(0)
	like.Embed = hop.Zeros(hop.Float64, 2, 3)    // another shape
	like.Layers[0].W = hop.Zeros(hop.Float64, 2) // another dtype
	like.Layers[1].B = nil                       // one too many in the file
	like.Layers = append(like.Layers, layer{})   // nothing
	like.Layers[2].W = hop.Zeros(hop.Float32, 1) // missing in the file
	like.Named = map[string]*hop.Tensor{"a.b": like.Named["a.b"]}
	_, err := LoadTree(path, like)
	tree, ok := errors.AsType[*TreeError](err)
	if !ok {
		t.Fatalf("got %v, want a *TreeError", err)
	}
	want := []Difference{
		{".Embed", "Embed", "float64[3 2]", "float64[2 3]"},
		{".Layers[0].W", "Layers[0].W", "float32[2]", "float64[2]"},
		{".Layers[2].W", "Layers[2].W", "missing", "float32[1]"},
		{"", "Layers[1].B", "float64[]", "no such leaf"},
		{"", `Named["q\""]`, "int64[]", "no such leaf"},
	}
	if !slices.Equal(tree.Differences, want) {
		t.Errorf("differences:\n got %v\nwant %v", tree.Differences, want)
	}
	text := path + `: "Embed" is float64[3 2], the value has float64[2 3]; "Layers[0].W" is float32[2], the value has float64[2]; ` +
		`"Layers[2].W" is missing, the value has float32[1]; "Layers[1].B" is float64[], the value has no such leaf; ` +
		`"Named[\"q\\\"\"]" is int64[], the value has no such leaf; load into a value of the structure, dtypes and shapes that were saved`
	if err.Error() != text {
		t.Errorf("message:\n got %s\nwant %s", err, text)
	}
}

func TestTreesThatAreNoneAndFilesOfOtherFormatsAreRefused(t *testing.T) {
	dir := t.TempDir()
	bad := struct{ N int }{3}
	for name, err := range map[string]error{
		"SaveTree":  SaveTree(filepath.Join(dir, "x.npz"), bad),
		"Flatten":   func() error { _, err := Flatten(bad); return err }(),
		"Unflatten": func() error { _, err := Unflatten(bad, nil); return err }(),
	} {
		if !errors.Is(err, hopcheck.UnsupportedLeaf) {
			t.Errorf("%s: got %v, want HOP202", name, err)
		}
	}
	good := layer{hop.Scalar(1.0), hop.Scalar(2.0)}
	path := filepath.Join(dir, "x.pt")
	wantError(t, SaveTree(path, good), path+`: got extension ".pt", want .npz or .safetensors`)
	_, err := LoadTree(path, good)
	wantError(t, err, path+`: got extension ".pt"`)
	wantError(t, SaveTree(filepath.Join(dir, "x.safetensors"), good, Compressed()), "got option Compressed, want none; save as .npz")
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("got %d files, want none", len(entries))
	}
}

func TestLoadTreeReadsHalfPrecisionWhenAskedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "half.safetensors")
	file := safeFile(`{"W":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}`, "\x80\x3f\x00\xc0")
	if err := os.WriteFile(path, []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := LoadTree(path, layer{W: hop.Zeros(hop.Float32, 2)}, Widen())
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "loaded", got.W, hop.FromSlice([]float32{1, -2}))
}
