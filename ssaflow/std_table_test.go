package ssaflow

import (
	"bytes"
	"flag"
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

var update = flag.Bool("update", false, "write the table of the standard library")

// tableOf computes the parts of packages of the standard library, their imports first.
func tableOf(t *testing.T, patterns ...string) map[string][]byte {
	parts := map[string][]byte{}
	list := slices.DeleteFunc(loadCorpus(t, patterns...), func(p *packages.Package) bool { // no program calls the run-time system
		return p.PkgPath == "runtime" || strings.HasPrefix(p.PkgPath, "internal/runtime/")
	})
	analyzeCorpus(t, &corpusModel{own: true}, list, func(c *corpusPackage) {
		for _, p := range c.result.Problems {
			t.Errorf("contained panic in %s: %s", p.Func, p.Err)
		}
		if !tells(c.pkg.PkgPath) {
			return
		}
		facts := map[string][]byte{}
		for _, fn := range c.result.Functions() {
			obj, ok := fn.Object().(*types.Func)
			if !ok || fn.Synthetic != "" || !obj.Exported() {
				continue
			}
			if handRow(obj) != nil {
				continue
			}
			if s := c.result.Summary(fn); s != nil {
				facts[tableName(obj)] = nil
				if s = forTable(s, 0); !s.Quiet() {
					facts[tableName(obj)] = Encode(s, nil)
				}
			}
		}
		if len(facts) == 0 {
			return
		}
		part, err := writePart(facts)
		if err != nil {
			t.Fatal(err)
		}
		parts[c.pkg.PkgPath] = part
	})
	return parts
}

// tells reports whether programs can import a package.
func tells(path string) bool {
	for step := range strings.SplitSeq(path, "/") {
		if step == "internal" || step == "vendor" || step == "cmd" {
			return false
		}
	}
	return true
}

// The table is what this package computes from the source of the standard library. All of it is computed with -update only,
// which takes a minute.
func TestStandardTable(t *testing.T) {
	file := filepath.Join("stdtable", tableVersion+".bin")
	if !strings.HasPrefix(runtime.Version(), tableVersion) {
		t.Fatalf("the library is that of %s, the table that of %s: set tableVersion and run go test ./ssaflow -run TestStandardTable -update", runtime.Version(), tableVersion)
	}
	if *update {
		if err := os.WriteFile(file, writeTable(tableOf(t, "std")), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have := splitTable(tableData)
	for path, want := range tableOf(t, "bufio", "container/heap", "container/list", "encoding/hex", "sort", "strings", "text/tabwriter") {
		if have[path] != string(want) {
			t.Errorf("%s differs from the table: run go test ./ssaflow -run TestStandardTable -update\n%s", path, tableDiff(have[path], string(want)))
		}
	}
}

// tableDiff tells the functions of which two parts say different things.
func tableDiff(have, want string) string {
	a, _ := readPart(have)
	b, _ := readPart(want)
	var out strings.Builder
	tell := func(fact []byte, ok bool) string {
		if !ok {
			return "missing"
		}
		if len(fact) == 0 {
			return "pure"
		}
		s, err := Decode(fact, nil, nil)
		if err != nil {
			return err.Error()
		}
		return s.String()
	}
	names := slices.Sorted(maps.Keys(b))
	for _, name := range names {
		if out.Len() > 2000 {
			out.WriteString("…\n")
			break
		}
		x, inA := a[name]
		if !inA || !bytes.Equal(x, b[name]) {
			fmt.Fprintf(&out, "%s: table %s, source %s\n", name, tell(x, inA), tell(b[name], true))
		}
	}
	return out.String()
}

// Every name in the list of effects is one of the library.
func TestListedEffectsAreOfFunctionsThatExist(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes}, "std")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		list := stdEffects(p.PkgPath)
		for word := range strings.FieldsSeq(list) {
			effect, names, ok := strings.Cut(word, "=")
			if _, known := flagNamed(effect); !ok || !known && effect != "none" {
				t.Errorf("%s: %q is no effect", p.PkgPath, word)
			}
			for name := range strings.SplitSeq(names, ",") {
				if !declares(p.Types, name) {
					t.Errorf("%s has no %s", p.PkgPath, name)
				}
			}
		}
	}
}

// declares reports whether a package has a function, or a type with a method.
func declares(pkg *types.Package, name string) bool {
	if name == "*" {
		return true
	}
	typ, method, isMethod := strings.Cut(name, ".")
	obj := pkg.Scope().Lookup(typ)
	if !isMethod {
		_, ok := obj.(*types.Func)
		return ok
	}
	tn, ok := obj.(*types.TypeName)
	if !ok || method == "*" {
		return ok
	}
	m, _, _ := types.LookupFieldOrMethod(tn.Type(), true, pkg, method)
	fn, ok := m.(*types.Func)
	return ok && receiverName(fn) == typ
}
