package analyzer

import (
	"go/ast"
	"go/token"
)

// index finds syntax by the positions that go/ssa keeps.
type index struct {
	// callAt has calls by their opening parenthesis, returnAt return statements by their keyword.
	callAt   map[token.Pos]*ast.CallExpr
	returnAt map[token.Pos]*ast.ReturnStmt
	files    []*ast.File
}

func newIndex(files []*ast.File) index {
	x := index{callAt: map[token.Pos]*ast.CallExpr{}, returnAt: map[token.Pos]*ast.ReturnStmt{}, files: files}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				x.callAt[n.Lparen] = n
			case *ast.ReturnStmt:
				x.returnAt[n.Return] = n
			}
			return true
		})
	}
	return x
}

// indexed makes the index on demand: few packages have HOP calls or claims, the others are not walked.
func (a *analysisOf) indexed() {
	if a.callAt == nil {
		a.index = newIndex(a.pass.Files)
	}
}

// file returns the file that holds a position, or nil.
func (x *index) file(pos token.Pos) *ast.File {
	for _, f := range x.files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return f
		}
	}
	return nil
}

// path returns the nodes that enclose a position, innermost first.
func (x *index) path(pos token.Pos) []ast.Node {
	file := x.file(pos)
	if file == nil {
		return nil
	}
	var path []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		path = append([]ast.Node{n}, path...)
		return true
	})
	return path
}
