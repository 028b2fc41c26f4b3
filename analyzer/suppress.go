package analyzer

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/hoplint/hoplint/hopcheck"
)

// suppression is a //hop:allow line and the source that it speaks of.
type suppression struct {
	directive  directive
	start, end token.Pos
}

// suppressions finds the //hop:allow lines of a file. A line in the package comment speaks of the whole file, any other
// of the statement, declaration or list element that follows it, or of the one it stands behind on the same line.
func suppressions(fset *token.FileSet, file *ast.File) (list []suppression, bad []badDirective) {
	var starts []ast.Node // nodes that a directive may speak of, outermost first where they start together
	ast.Inspect(file, func(n ast.Node) bool {
		if mayBeAllowed(n) {
			starts = append(starts, n)
		}
		return true
	})
	slices.SortStableFunc(starts, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	for _, group := range file.Comments {
		directives, errs := readDirectives(group)
		bad = append(bad, errs...)
		for _, d := range directives {
			if d.Verb != "allow" {
				continue
			}
			s := suppression{directive: d}
			if group.Pos() < file.Package {
				s.start, s.end = file.FileStart, file.FileEnd
			} else if n := spokenOf(fset, starts, d); n != nil {
				s.start, s.end = n.Pos(), n.End()
			}
			list = append(list, s)
		}
	}
	return list, bad
}

// mayBeAllowed reports whether a suppression can speak of n: statements, declarations, fields and list elements.
func mayBeAllowed(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt, *ast.EmptyStmt:
		return false
	case *ast.FuncDecl, *ast.GenDecl, *ast.Field, ast.Stmt, ast.Spec, *ast.KeyValueExpr, *ast.FuncLit, *ast.CompositeLit:
		return n != nil
	}
	return false
}

// spokenOf returns the outermost node that starts first behind the directive, or the statement it trails.
func spokenOf(fset *token.FileSet, starts []ast.Node, d directive) ast.Node {
	line := fset.Position(d.Pos).Line
	var trailed ast.Node
	for _, n := range starts {
		if n.Pos() > d.End {
			if trailed == nil {
				return n
			}
			break
		}
		if trailed == nil && n.Pos() < d.Pos && fset.Position(n.Pos()).Line == line {
			trailed = n
		}
	}
	return trailed
}

// covers reports whether the suppression speaks of a finding with the given code at pos.
func (s *suppression) covers(code hopcheck.Code, pos token.Pos) bool {
	return s.start <= pos && pos < s.end && slices.Contains(s.directive.Allow, code)
}

// isGenerated reports whether the file says that it was generated, as the Go tools do.
func isGenerated(file *ast.File) bool { return ast.IsGenerated(file) }
