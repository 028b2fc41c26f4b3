package main

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/types/objectpath"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

// nogo drives one analyzer as the nogo rule of Bazel does: each package by itself, its files parsed and checked against
// the export data of what it imports, the facts of direct imports read from bytes. The standard library is not analysed, so
// it has no facts; the pass knows no module, no other files and no file contents, and the types carry no file versions.
// Source: bazel-contrib/rules_go, go/tools/builders/nogo_main.go.
type nogo struct {
	analyzer *analysis.Analyzer
	packages map[string]*nogoPackage
	// facts are the encoded facts of the packages that were analysed.
	facts map[string][]byte
}

// nogoPackage is a package as go list -export prints it.
type nogoPackage struct {
	ImportPath, Dir, Export, ForTest string
	Standard, DepOnly                bool
	CompiledGoFiles, Imports         []string
	ImportMap                        map[string]string
}

func nogoFindings(t *testing.T, dir string) (keys []string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-compiled", "-deps", "-test",
		"-json=ImportPath,Dir,Export,ForTest,Standard,DepOnly,CompiledGoFiles,Imports,ImportMap", "./...")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	// An analyzer of its own, so that flags that another test sets do not matter.
	n := &nogo{analyzer: analyzer.New(), packages: map[string]*nogoPackage{}, facts: map[string][]byte{}}
	for _, f := range n.analyzer.FactTypes {
		gob.Register(f)
	}
	var order []*nogoPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(nogoPackage)
		if err := d.Decode(p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		n.packages[p.ImportPath] = p
		order = append(order, p)
	}
	for _, p := range order { // imports come before what imports them
		if p.Standard || strings.HasSuffix(p.ImportPath, ".test") {
			continue
		}
		found, err := n.check(p)
		if err != nil {
			t.Errorf("%s: %v", p.ImportPath, err)
		}
		if !p.DepOnly || p.ForTest != "" {
			keys = append(keys, found...)
		}
	}
	return sortedSet(keys)
}

// check analyses one package and keeps its facts.
func (n *nogo) check(p *nogoPackage) (keys []string, err error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.CompiledGoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	imports := map[string]*types.Package{}
	config := types.Config{Importer: importerFunc(func(path string) (*types.Package, error) {
		return n.load(p, path, fset, imports)
	})}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Defs: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{}}
	pkg, err := config.Check(basePath(p.ImportPath), fset, files, info)
	if err != nil {
		return nil, err
	}
	facts, err := n.readFacts(p, pkg)
	if err != nil {
		return nil, err
	}
	_, err = n.analyzer.Run(&analysis.Pass{
		Analyzer: n.analyzer, Fset: fset, Files: files, Pkg: pkg, TypesInfo: info,
		TypesSizes: types.SizesFor("gc", runtime.GOARCH),
		Report: func(d analysis.Diagnostic) {
			at := fset.Position(d.Pos)
			keys = append(keys, key(hopcheck.Code(d.Category), at.Filename, at.Line))
		},
		ImportObjectFact: func(o types.Object, f analysis.Fact) bool {
			return facts.read(factKey{o.Pkg(), o, reflect.TypeOf(f)}, f)
		},
		ImportPackageFact: func(q *types.Package, f analysis.Fact) bool { return facts.read(factKey{q, nil, reflect.TypeOf(f)}, f) },
		ExportObjectFact:  func(o types.Object, f analysis.Fact) { facts[factKey{pkg, o, reflect.TypeOf(f)}] = f },
		ExportPackageFact: func(f analysis.Fact) { facts[factKey{pkg, nil, reflect.TypeOf(f)}] = f },
		AllObjectFacts:    facts.objects,
		AllPackageFacts:   func() []analysis.PackageFact { panic("nogo: hoplint asks for package facts one by one") },
	})
	if err != nil {
		return nil, err
	}
	n.facts[p.ImportPath], err = facts.encode()
	return keys, err
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// load reads an imported package from export data. What that package imports itself comes in part only: the objects that
// its own exported ones mention.
func (n *nogo) load(from *nogoPackage, path string, fset *token.FileSet, imports map[string]*types.Package) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if actual, ok := from.ImportMap[path]; ok {
		path = actual
	}
	base := basePath(path)
	if p := imports[base]; p != nil && p.Complete() {
		return p, nil
	}
	file, err := os.Open(n.packages[path].Export)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := gcexportdata.NewReader(file)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, fset, imports, base)
}

// factSet holds facts of a package under analysis and of what it imports.
type factSet map[factKey]analysis.Fact

type factKey struct {
	pkg    *types.Package
	object types.Object
	kind   reflect.Type
}

func (s factSet) read(k factKey, into analysis.Fact) bool {
	f, ok := s[k]
	if ok {
		reflect.ValueOf(into).Elem().Set(reflect.ValueOf(f).Elem())
	}
	return ok
}

// objects lists the facts on objects, in no order.
func (s factSet) objects() []analysis.ObjectFact {
	var list []analysis.ObjectFact
	for k, f := range s {
		if k.object != nil {
			list = append(list, analysis.ObjectFact{Object: k.object, Fact: f})
		}
	}
	return list
}

// codedFact is a fact as it is kept between packages: objects go by their paths.
type codedFact struct {
	Pkg    string
	Object objectpath.Path
	Fact   analysis.Fact
}

// encode writes the facts of objects that other packages can name.
func (s factSet) encode() ([]byte, error) {
	var list []codedFact
	for k, f := range s {
		c := codedFact{Pkg: k.pkg.Path(), Fact: f}
		if k.object != nil {
			path, err := objectpath.For(k.object)
			if err != nil {
				continue // it is not visible outside
			}
			c.Object = path
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b codedFact) int {
		return cmp.Or(strings.Compare(a.Pkg, b.Pkg), strings.Compare(string(a.Object), string(b.Object)),
			strings.Compare(fmt.Sprintf("%T", a.Fact), fmt.Sprintf("%T", b.Fact)))
	})
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(list)
	return b.Bytes(), err
}

// readFacts decodes the facts of the direct imports. They speak of indirect imports too, as far as their objects are known.
func (n *nogo) readFacts(p *nogoPackage, pkg *types.Package) (factSet, error) {
	reachable := map[string]*types.Package{}
	var reach func(*types.Package)
	reach = func(q *types.Package) {
		if reachable[q.Path()] == nil {
			reachable[q.Path()] = q
			for _, next := range q.Imports() {
				reach(next)
			}
		}
	}
	reach(pkg)
	facts := factSet{}
	for _, path := range p.Imports {
		data := n.facts[path]
		if data == nil {
			continue // the standard library
		}
		var list []codedFact
		if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&list); err != nil {
			return nil, err
		}
		for _, c := range list {
			k := factKey{pkg: reachable[c.Pkg], kind: reflect.TypeOf(c.Fact)}
			if k.pkg == nil {
				continue
			}
			if c.Object != "" {
				object, err := objectpath.Object(k.pkg, c.Object)
				if err != nil {
					continue
				}
				k.object = object
			}
			facts[k] = c.Fact
		}
	}
	return facts, nil
}
