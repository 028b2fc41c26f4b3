// Package layering_test checks who may import whom in this module.
package layering_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	module = "github.com/hoplint/hoplint/"
	gonum  = "gonum.org/v1/gonum/"
	xtools = "golang.org/x/" // x/tools and what it needs itself
	honnef = "honnef.co/go/tools/"
	plugin = "github.com/golangci/plugin-module-register/" // the interface of golangci-lint's plugins
	garif  = "codeberg.org/chavacava/garif/"               // SARIF
	yaml   = "go.yaml.in/yaml/v3/"                         // .hoplint.yaml
	width  = "github.com/clipperhouse/"                    // letters as wide as terminals show them
)

// layer is one part of the module and what it may pull in.
type layer struct {
	part    string
	allowed []string
}

// layers say what each part of the module may pull in, directly or through others. The standard library and the part
// itself are always allowed. A package under no part fails the test: a further top-level folder needs a row here and a
// reason in the README's layout section.
var layers = []layer{
	{"hopcheck", nil},
	{"tracer", []string{module + "hopcheck", gonum}}, // gonum prints DOT
	{"runtime", []string{module + "hopcheck", module + "tracer", gonum}},
	{"ssaflow", []string{xtools, gonum}},
	{"analyzer/golangci", []string{module + "analyzer", module + "hopcheck", module + "ssaflow", xtools, plugin, honnef, gonum}},
	{"analyzer", []string{module + "hopcheck", module + "ssaflow", xtools, honnef, gonum}},
	{"cmd/hoplint", []string{module + "hopcheck", module + "ssaflow", module + "analyzer", xtools, honnef, gonum, garif, yaml, width}},
	{"examples", []string{module + "hopcheck", module + "tracer", module + "runtime", gonum}},
}

// listed is the part of a package's go list output that the test reads.
type listed struct {
	ImportPath string
	Standard   bool
	Deps       []string
}

func TestImportRules(t *testing.T) {
	packages, standard := goList(t)
	for _, p := range packages {
		path, ours := strings.CutPrefix(p.ImportPath, module)
		if !ours || strings.HasSuffix(path, "_test") {
			continue
		}
		i := slices.IndexFunc(layers, func(l layer) bool { return within(path, l.part) })
		if i < 0 {
			t.Errorf("%s belongs to no part; add a row to layers and a reason to the README's layout section", p.ImportPath)
			continue
		}
		for _, dep := range p.Deps {
			if standard[dep] || within(dep, module+layers[i].part) ||
				slices.ContainsFunc(layers[i].allowed, func(a string) bool { return within(dep, strings.TrimSuffix(a, "/")) }) {
				continue
			}
			t.Errorf("%s pulls in %s; part %s may use the standard library and %s", p.ImportPath, dep, layers[i].part,
				strings.Join(layers[i].allowed, ", "))
		}
	}
}

// Every part must exist, or its row checks nothing.
func TestEveryLayerExists(t *testing.T) {
	packages, _ := goList(t)
	for _, l := range layers {
		if !slices.ContainsFunc(packages, func(p listed) bool { return within(p.ImportPath, module+l.part) }) {
			t.Errorf("no package under %s; remove its row from layers", l.part)
		}
	}
}

// within reports whether path is folder or lies below it.
func within(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// goList returns the packages of this module with all they pull in, and which paths are of the standard library.
func goList(t *testing.T) (packages []listed, standard map[string]bool) {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Deps", "./...").Output()
	if err != nil {
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			err = errors.New(string(failed.Stderr))
		}
		t.Fatalf("go list: %v", err)
	}
	standard = map[string]bool{"C": true}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return packages, standard
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		if p.Standard {
			standard[p.ImportPath] = true
		} else {
			packages = append(packages, p)
		}
	}
}
