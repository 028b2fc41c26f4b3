package ssaflow_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"

	"github.com/hoplint/hoplint/ssaflow"
)

// A package without imports needs no model: everything is computed from its source.
func ExampleAnalyze() {
	const src = `package list

type Node struct {
	Next *Node
	Vals []float64
}

func Scale(n *Node, k float64) *Node {
	mul(n.Vals, k)
	return n.Next
}

func mul(xs []float64, k float64) {
	for i := range xs {
		xs[i] *= k
	}
}`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "list.go", src, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	pkg, err := (&types.Config{}).Check("list", fset, []*ast.File{file}, info)
	if err != nil {
		fmt.Println(err)
		return
	}
	result := ssaflow.Analyze(ssaflow.Config{Fset: fset, Pkg: pkg, Files: []*ast.File{file}, Info: info})
	for _, fn := range result.Functions() {
		fmt.Printf("%s: %s\n", fn.Name(), result.Summary(fn))
	}
	// Output:
	// Scale: stores{n.Vals[]} via mul; returns n.Next
	// mul: stores{xs[]}
}
