package ssaflow

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// build makes the SSA form of the package alone; imports have declarations without bodies.
func build(cfg Config) (pkg *ssa.Package, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("SSA form of %s: %v", cfg.Pkg.Path(), p)
		}
	}()
	prog := ssa.NewProgram(cfg.Fset, ssa.BuilderMode(0))
	declareImports(prog, cfg)
	files, info := cfg.Files, cfg.Info
	if cfg.FactsOnly {
		files, info = withoutTests(cfg), withoutData(cfg.Info)
	}
	pkg = prog.CreatePackage(cfg.Pkg, files, info, false)
	pkg.Build()
	return pkg, nil
}

// declareImports gives each imported package the functions and variables that the package mentions, without bodies: the others
// would be most of the SSA form of a small package. Methods are made on demand.
func declareImports(prog *ssa.Program, cfg Config) {
	names := map[*types.Package]*ast.ValueSpec{}
	for _, p := range cfg.Pkg.Imports() {
		names[p] = &ast.ValueSpec{}
	}
	defs := map[*ast.Ident]types.Object{}
	declared := map[types.Object]bool{}
	for _, o := range cfg.Info.Uses {
		if o.Pkg() == nil || o.Pkg() == cfg.Pkg || o.Parent() != o.Pkg().Scope() || declared[o] {
			continue // universal, of this package, or a field or method
		}
		if _, builtin := o.(*types.Builtin); builtin {
			continue
		}
		declared[o] = true
		spec := names[o.Pkg()]
		if spec == nil {
			spec = &ast.ValueSpec{}
			names[o.Pkg()] = spec
		}
		id := &ast.Ident{Name: o.Name()}
		defs[id] = o
		spec.Names = append(spec.Names, id)
	}
	for p, spec := range names {
		// Members that constants of a source file declare are made as those of export data are.
		decl := &ast.GenDecl{Tok: token.CONST, Specs: []ast.Spec{spec}}
		prog.CreatePackage(p, []*ast.File{{Name: &ast.Ident{Name: p.Name()}, Decls: []ast.Decl{decl}}}, &types.Info{Defs: defs}, true)
	}
}

// withoutData leaves out the initialisers of variables that hold no functions: nobody asks what is in a table of numbers.
func withoutData(info *types.Info) *types.Info {
	lean := *info
	lean.InitOrder = nil
	for _, init := range info.InitOrder {
		keep := containsLiteral(init.Rhs)
		for _, v := range init.Lhs {
			keep = keep || holdsFuncs(v.Type(), 0)
		}
		if keep {
			lean.InitOrder = append(lean.InitOrder, init)
		}
	}
	return &lean
}

// containsLiteral reports whether an expression contains a function literal.
func containsLiteral(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		_, literal := n.(*ast.FuncLit)
		found = found || literal
		return !found
	})
	return found
}

// withoutTests drops the bodies of the functions in test files, unless tests in a package of their own could call them.
func withoutTests(cfg Config) []*ast.File {
	files := make([]*ast.File, len(cfg.Files))
	for i, file := range cfg.Files {
		files[i] = file
		if !strings.HasSuffix(cfg.Fset.Position(file.FileStart).Filename, "_test.go") {
			continue
		}
		lean := *file
		lean.Decls = nil
		helpers := exportsHelpers(file)
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && (!helpers || isTest(fn)) {
				bare := *fn
				bare.Body = nil
				d = &bare
			}
			lean.Decls = append(lean.Decls, d)
		}
		files[i] = &lean
	}
	return files
}

// exportsHelpers reports whether a test file declares functions or methods for tests in another package.
func exportsHelpers(file *ast.File) bool {
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() && !isTest(fn) {
			return true
		}
	}
	return false
}

// isTest reports whether the go command calls a function of a test file.
func isTest(fn *ast.FuncDecl) bool {
	if fn.Recv != nil {
		return false
	}
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if strings.HasPrefix(fn.Name.Name, prefix) {
			return true
		}
	}
	return false
}
