package ssaflow

import (
	"fmt"
	"go/ast"
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
	created := map[*types.Package]bool{}
	var create func([]*types.Package)
	create = func(list []*types.Package) {
		for _, p := range list {
			if !created[p] {
				created[p] = true
				prog.CreatePackage(p, nil, nil, true)
				create(p.Imports())
			}
		}
	}
	create(cfg.Pkg.Imports())
	files, info := cfg.Files, cfg.Info
	if cfg.FactsOnly {
		files, info = withoutTests(cfg), withoutData(cfg.Info)
	}
	pkg = prog.CreatePackage(cfg.Pkg, files, info, false)
	pkg.Build()
	return pkg, nil
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
