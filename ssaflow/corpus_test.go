package ssaflow

import (
	"crypto/sha256"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"sort"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
)

// A corpus is real code in the order of its imports, each package analysed with nothing but the facts of those before it, as
// drivers do.

// corpusPackage is what one package of a corpus came to.
type corpusPackage struct {
	pkg    *packages.Package
	result *Result
	instrs int
	took   time.Duration
	// facts are those that importers need.
	facts map[*types.Func][]byte
	// funcs is the number of declared functions, tops that of those which were given up.
	funcs, tops int
}

// corpusModel answers from the facts of the packages analysed so far and from the table of the standard library.
type corpusModel struct {
	facts    map[string][]byte
	analysed map[*types.Package]bool
	// own is true when the standard library itself is the corpus: then only what is known by hand comes before facts.
	own  bool
	fset *token.FileSet
}

func (m *corpusModel) Opaque(*types.Named) bool { return false }

func (m *corpusModel) Summary(fn *types.Func) *Summary {
	if m.own {
		// Calls of readers, writers and sorters are left to those who know them.
		if recv := fn.Signature().Recv(); recv == nil || !types.IsInterface(recv.Type()) || fn.Pkg() == nil || fn.Pkg().Path() != "io" && fn.Pkg().Path() != "sort" {
			if s := handRow(fn.Origin()); s != nil {
				return s
			}
		}
	}
	if b, ok := m.facts[fn.FullName()]; ok {
		s, err := Decode(b, fn, m.fset)
		if err != nil {
			panic(err)
		}
		return s
	}
	if recv := fn.Signature().Recv(); m.analysed[fn.Pkg()] && fn.Exported() && (recv == nil || !types.IsInterface(recv.Type())) {
		return &Summary{Name: fn.Name()}
	}
	if m.own {
		return nil
	}
	return Std(fn)
}

// loadCorpus loads packages with everything they import, in the order of imports.
func loadCorpus(tb testing.TB, patterns ...string) []*packages.Package {
	roots, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, patterns...)
	if err != nil {
		tb.Fatal(err)
	}
	var order []*packages.Package
	seen := map[*packages.Package]bool{}
	var visit func(p *packages.Package)
	visit = func(p *packages.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		imports := make([]string, 0, len(p.Imports))
		for path := range p.Imports {
			imports = append(imports, path)
		}
		sort.Strings(imports)
		for _, path := range imports {
			visit(p.Imports[path])
		}
		order = append(order, p)
	}
	sort.Slice(roots, func(i, j int) bool { return roots[i].PkgPath < roots[j].PkgPath })
	for _, p := range roots {
		visit(p)
	}
	return order
}

// analyzeCorpus analyses packages in order and hands each to visit.
func analyzeCorpus(tb testing.TB, m *corpusModel, list []*packages.Package, visit func(*corpusPackage)) {
	if m.facts == nil {
		m.facts, m.analysed = map[string][]byte{}, map[*types.Package]bool{}
	}
	if len(list) > 0 {
		m.fset = list[0].Fset
	}
	for _, p := range list {
		if len(p.Errors) > 0 || len(p.Syntax) == 0 || p.Types == nil || p.PkgPath == "unsafe" {
			continue
		}
		c := &corpusPackage{pkg: p, facts: map[*types.Func][]byte{}}
		start := time.Now()
		c.result = Analyze(Config{Fset: p.Fset, Pkg: p.Types, Files: p.Syntax, Info: p.TypesInfo, Model: m})
		c.took = time.Since(start)
		if c.result.engine != nil {
			c.instrs = c.result.engine.instrs
		}
		for _, fn := range c.result.Functions() {
			if declaration(fn) == nil || fn.Synthetic != "" {
				continue
			}
			c.funcs++
			if s := c.result.Summary(fn); s != nil && s.Top {
				c.tops++
			}
		}
		for _, fn := range c.result.Importable() {
			obj := declaration(fn)
			if s := c.result.Summary(fn); s != nil && (!s.Quiet() || obj.Signature().Recv() != nil) {
				b := Encode(s, obj)
				c.facts[obj] = b
				m.facts[obj.FullName()] = b
			}
		}
		m.analysed[p.Types] = true
		visit(c)
	}
}

// withoutStandard leaves out the packages of the standard library: the table stands for them.
func withoutStandard(list []*packages.Package) []*packages.Package {
	var out []*packages.Package
	for _, p := range list {
		if root, _, _ := strings.Cut(p.PkgPath, "/"); strings.Contains(root, ".") {
			out = append(out, p)
		}
	}
	return out
}

// factsOf names the environment variable that makes TestFactsAreEqualInSeparateProcesses print the hash of the facts.
const factsOf = "HOPLINT_TEST_FACTS"

// Two processes, with other seeds for their maps, give equal facts.
func TestFactsAreEqualInSeparateProcesses(t *testing.T) {
	if os.Getenv(factsOf) != "" {
		hash := sha256.New()
		analyzeCorpus(t, &corpusModel{}, withoutStandard(loadCorpus(t, "gonum.org/v1/gonum/graph/topo")), func(c *corpusPackage) {
			var lines []string
			for _, fn := range c.result.Functions() {
				if s := c.result.Summary(fn); s != nil {
					lines = append(lines, fmt.Sprintf("%s %x\n", fn, Encode(s, declaration(fn))))
				}
			}
			sort.Strings(lines) // the loader parses files at the same time, so that their order differs
			fmt.Fprint(hash, lines)
		})
		fmt.Printf("facts %x\n", hash.Sum(nil))
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	facts := func() string {
		cmd := exec.Command(self, "-test.run=^TestFactsAreEqualInSeparateProcesses$")
		cmd.Env = append(os.Environ(), factsOf+"=1")
		out, err := cmd.CombinedOutput()
		line, _, _ := strings.Cut(string(out), "\n")
		if err != nil || !strings.HasPrefix(line, "facts ") {
			t.Fatalf("%v\n%s", err, out)
		}
		return line
	}
	if a, b := facts(), facts(); a != b {
		t.Errorf("two processes give other facts: %s and %s", a, b)
	}
}
