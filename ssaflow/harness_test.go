package ssaflow

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"sort"
	"strings"
	"testing"
)

// hopSource is the stub of a tensor library: T is opaque, and its functions have rows instead of bodies.
const hopSource = `package hop

type T struct{ data []float64 }

type Number interface{ ~float32 | ~float64 }

func (t *T) AddInPlace(o *T) *T //hop:mutates t //hop:returns t
func (t *T) Zero() *T //hop:mutates t //hop:returns t
func (t *T) Narrow(d, i, n int) *T //hop:returns view(t)
func (t *T) Data() []float64 //hop:returns view(t)
func (t *T) Clone() *T //hop:returns fresh
func (t *T) Add(o *T) *T //hop:returns fresh
func (t *T) Contiguous() *T //hop:returns view(t)|fresh
func Zeros(n int) *T //hop:returns fresh
func Clone[S any](s S) S //hop:returns fresh
func Detach[S any](s S) S //hop:returns view(s)
func Split(t *T) (a, b *T) //hop:returns view(t), view(t)
func Two(t *T) (a, b *T) //hop:returns fresh, fresh
func Print(t ...*T) //hop:pure
func Map(f func(*T) *T, xs *T) *T //hop:calls f //hop:returns fresh
func Scan[C, X, Y any](combine func(C, X) (C, Y), init C, xs X) (C, Y) //hop:calls combine //hop:returns fresh, fresh
func Opaque(t *T)
`

// stubModel reads the rows of the stub and the facts of other packages.
type stubModel struct {
	rows  map[string]string // by full name
	facts map[string][]byte
	std   bool
	fset  *token.FileSet
}

func (m *stubModel) Opaque(t *types.Named) bool {
	return t.Obj().Name() == "T" && t.Obj().Pkg().Path() == "hop"
}

func (m *stubModel) Summary(fn *types.Func) *Summary {
	if b, ok := m.facts[fn.FullName()]; ok {
		s, err := Decode(b, fn, m.fset)
		if err != nil {
			panic(err)
		}
		return s
	}
	if m.std {
		if s := Std(fn); s != nil {
			return s
		}
	}
	row, ok := m.rows[fn.FullName()]
	if !ok || row == "" {
		return nil
	}
	s := &Summary{Name: fn.Name()}
	sig := fn.Type().(*types.Signature)
	param := func(name string) Ref {
		name, path, dotted := strings.Cut(name, ".")
		if dotted {
			path = "." + path
		}
		if r := sig.Recv(); r != nil && r.Name() == name {
			return Place(0, path)
		}
		for i := range sig.Params().Len() {
			if sig.Params().At(i).Name() == name {
				if sig.Recv() != nil {
					i++
				}
				return Place(i, path)
			}
		}
		panic(name)
	}
	for _, d := range strings.Split(row, "//hop:") {
		verb, arg, _ := strings.Cut(strings.TrimSpace(d), " ")
		switch verb {
		case "mutates":
			s.Mutate(param(arg), fn.Name())
		case "calls":
			f := param(arg)
			sig := sig.Params().At(f.Root.Index).Type().(*types.Signature)
			var args [][]Origin
			for i := range sig.Params().Len() {
				args = append(args, []Origin{NewMemory(10 + i)})
			}
			s.Call(f, true, true, args...)
		case "returns":
			for i, alt := range strings.Split(arg, ",") {
				for _, o := range strings.Split(strings.TrimSpace(alt), "|") {
					switch {
					case o == "fresh":
						s.Return(i, NewMemory(i))
					case strings.HasPrefix(o, "view("):
						s.Return(i, ViewOf(param(o[5:len(o)-1])))
					default:
						s.Return(i, Same(param(o)))
					}
				}
			}
		}
	}
	return s
}

// world is a set of packages that import each other, in order.
type world struct {
	fset  *token.FileSet
	pkgs  map[string]*types.Package
	model *stubModel
	std   types.Importer
}

func newWorld(t testing.TB) *world {
	w := &world{fset: token.NewFileSet(), pkgs: map[string]*types.Package{}, model: &stubModel{rows: map[string]string{}, facts: map[string][]byte{}}}
	w.model.fset = w.fset
	w.std = importer.ForCompiler(w.fset, "source", nil)
	w.load(t, "hop", hopSource)
	return w
}

func (w *world) Import(path string) (*types.Package, error) {
	if p, ok := w.pkgs[path]; ok {
		return p, nil
	}
	return w.std.Import(path)
}

func (w *world) load(t testing.TB, path, src string) Config {
	t.Helper()
	file, err := parser.ParseFile(w.fset, path+".go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{}}
	conf := types.Config{Importer: w, IgnoreFuncBodies: false, Error: func(error) {}}
	pkg, err := conf.Check(path, w.fset, []*ast.File{file}, info)
	if err != nil && path != "hop" {
		t.Fatal(err)
	}
	w.pkgs[path] = pkg
	line := func(p token.Pos) int { return w.fset.Position(p).Line }
	comments := map[int]string{}
	for _, g := range file.Comments {
		for _, c := range g.List {
			comments[line(c.Pos())] += c.Text
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		var id *ast.Ident
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				return true
			}
			id = n.Name
		case *ast.Field:
			if _, ok := n.Type.(*ast.FuncType); ok && len(n.Names) > 0 {
				id = n.Names[0]
			}
		}
		if id == nil {
			return true
		}
		if fn, ok := info.Defs[id].(*types.Func); ok {
			if c := comments[line(id.Pos())]; strings.Contains(c, "//hop:") {
				w.model.rows[fn.FullName()] = c
			}
		}
		return true
	})
	return Config{Fset: w.fset, Pkg: pkg, Files: []*ast.File{file}, Info: info, Model: w.model}
}

// analyze loads and analyses a package and publishes its facts, through bytes, to packages loaded later.
func (w *world) analyze(t testing.TB, path, src string) *Result {
	t.Helper()
	r := Analyze(w.load(t, path, src))
	for _, p := range r.Problems {
		t.Errorf("contained panic in %s: %s", p.Func, p.Err)
	}
	for _, fn := range r.Functions() {
		if obj, ok := fn.Object().(*types.Func); ok {
			w.model.facts[obj.FullName()] = Encode(r.Summary(fn), obj)
		}
	}
	return r
}

// lines tells the summaries of declared functions, or of one.
func lines(r *Result, name string) string {
	var out []string
	for _, fn := range r.Functions() {
		if fn.Parent() == nil && fn.Object() != nil && (name == "" || fn.Name() == name) {
			out = append(out, fmt.Sprint(r.Summary(fn)))
		}
	}
	sort.Strings(out)
	return strings.Join(out, "\n")
}

// row is one golden case: function f of the source has the summary. With dep, the helpers live in a package of their own and only
// their facts are seen.
type row struct {
	name, src, want string
}

const prelude = "package p\n\nimport \"hop\"\n\ntype T = hop.T\n\ntype S struct{ H, C *T }\n\n"

func runRows(t *testing.T, rows []row) {
	w := newWorld(t)
	for i, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			res := w.analyze(t, fmt.Sprintf("p%d", i), strings.Replace(prelude, "package p", fmt.Sprintf("package p%d", i), 1)+r.src)
			if got := lines(res, "f"); got != r.want {
				t.Errorf("%s\n got %s\nwant %s", r.src, got, r.want)
			}
		})
	}
}
