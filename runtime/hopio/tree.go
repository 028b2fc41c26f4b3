package hopio

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/runtime/hop"
)

// extensions of the formats that hold a pytree.
const (
	npzExt         = ".npz"
	safetensorsExt = ".safetensors"
)

// TreeError lists every way in which named tensors differ from the value that they should fill.
type TreeError struct {
	// File is the path; empty when the tensors come from none.
	File string
	// Differences are in the order of the leaves, then those of the file alone by name.
	Differences []Difference
}

// Difference is a leaf that the file and the value do not agree on.
type Difference struct {
	// Path leads to the leaf in the value; empty for a tensor of the file that has no leaf, and for the leaf of a value
	// that is a tensor itself.
	Path string
	// Name is the leaf's name in the file.
	Name string
	// Got and Want are what the file and the value have: dtype and shape, or nothing.
	Got, Want string
}

// Error lists all differences.
func (e *TreeError) Error() string {
	file := e.File
	if file == "" {
		file = "tensors"
	}
	parts := make([]string, len(e.Differences))
	for i, d := range e.Differences {
		parts[i] = fmt.Sprintf("%q is %s, the value has %s", d.Name, d.Got, d.Want)
	}
	return fmt.Sprintf("%s: %s; load into a value of the structure, dtypes and shapes that were saved", file, strings.Join(parts, "; "))
}

// Flatten returns the leaves of a pytree by name. The name of a leaf is its path as [hop.Leaves] gives it, without a dot
// at the start: H, Layers[0].W, ["bias"]; empty for a tree that is one tensor. Nil leaves and static fields are left out.
//
// Aliasing: the results are the leaves themselves.
// Errors: the *[hop.Error] for a value that is no pytree (HOP202).
func Flatten[P any](tree P) (tensors map[string]*hop.Tensor, err error) {
	tensors = make(map[string]*hop.Tensor)
	err = hop.Try(func() {
		for path, leaf := range hop.Leaves(tree) {
			tensors[leafName(path)] = leaf
		}
	})
	if err != nil {
		return nil, err
	}
	return tensors, nil
}

// leafName is the name of the leaf at path. No two paths of a value have the same: behind a dot stands a field of the
// root, behind a bracket an element.
func leafName(path string) string { return strings.TrimPrefix(path, ".") }

// Unflatten returns like with every leaf replaced by the tensor of its name. Structure, dtypes and shapes must agree; the
// elements of like are not read. Nil leaves stay nil, static fields are those of like.
//
// Aliasing: the leaves of the result are the tensors themselves.
// Errors: a *[TreeError] with every difference; the *[hop.Error] for a value that is no pytree (HOP202).
func Unflatten[P any](like P, tensors map[string]*hop.Tensor) (P, error) {
	var none P
	var diffs []Difference
	var leaves []*hop.Tensor
	known := make(map[string]bool)
	if err := hop.Try(func() {
		for path, want := range hop.Leaves(like) {
			name := leafName(path)
			known[name] = true
			got := tensors[name]
			switch {
			case got == nil:
				diffs = append(diffs, Difference{path, name, "missing", describe(want)})
			case describe(got) != describe(want):
				diffs = append(diffs, Difference{path, name, describe(got), describe(want)})
			}
			leaves = append(leaves, got)
		}
	}); err != nil {
		return none, err
	}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		if !known[name] && tensors[name] != nil {
			diffs = append(diffs, Difference{"", name, describe(tensors[name]), "no such leaf"})
		}
	}
	if len(diffs) > 0 {
		return none, &TreeError{Differences: diffs}
	}
	out := none
	err := hop.Try(func() { // in the order of Leaves
		out = hop.MapLeaves(func(...*hop.Tensor) *hop.Tensor {
			next := leaves[0]
			leaves = leaves[1:]
			return next
		}, like)
	})
	return out, err
}

// SaveTree writes the leaves of a pytree by name to a file whose extension is .npz or .safetensors, whole or not at all;
// see [Flatten] for the names. A tensor that is in the tree twice is written twice.
//
// Errors: those of [WriteNPZ] and [WriteSafetensors]; the *[hop.Error] for a value that is no pytree (HOP202).
func SaveTree[P any](path string, tree P, opts ...WriteOption) error {
	tensors, err := Flatten(tree)
	if err != nil {
		return err
	}
	switch ext := filepath.Ext(path); ext {
	case npzExt:
		return SaveNPZ(path, tensors, opts...)
	case safetensorsExt:
		if writingOf(opts).compressed {
			return inFile(path, formatSafetensors, refuse(formatSafetensors, "option Compressed", "none", "save as .npz"))
		}
		return SaveSafetensors(path, tensors, nil)
	default:
		return unknownExtension(path)
	}
}

// LoadTree reads a file that [SaveTree] wrote, or one with tensors of the same names, into a value of the structure of
// like, whose leaves give the dtypes and shapes that are expected. The elements of like are not read. A leaf requires
// grad where that of like does.
//
// Aliasing: the leaves are fresh.
// Errors: a *[TreeError] with every difference between file and like; those of [ReadNPZ] and [ReadSafetensors].
func LoadTree[P any](path string, like P, opts ...ReadOption) (P, error) {
	var none P
	var tensors map[string]*hop.Tensor
	var err error
	switch ext := filepath.Ext(path); ext {
	case npzExt:
		tensors, err = LoadNPZ(path, opts...)
	case safetensorsExt:
		tensors, _, err = LoadSafetensors(path, opts...)
	default:
		err = unknownExtension(path)
	}
	if err != nil {
		return none, err
	}
	out, err := Unflatten(like, tensors)
	if e, ok := err.(*TreeError); ok {
		e.File = path
	}
	if err != nil {
		return none, err
	}
	for path, leaf := range hop.Leaves(like) {
		if leaf.RequiresGrad() {
			tensors[leafName(path)].SetRequiresGrad(true)
		}
	}
	return out, nil
}

func unknownExtension(path string) error {
	return &Error{Format: "tree", File: path, Offset: -1, Got: fmt.Sprintf("extension %q", filepath.Ext(path)), Want: npzExt + " or " + safetensorsExt,
		Remedy: "rename the file, or use Flatten and the function for its format"}
}
