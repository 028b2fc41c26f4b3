package analyzer

import (
	"go/ast"
	"go/build/constraint"
	"go/token"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// suppression is a //hop:allow line and the source that it speaks of.
type suppression struct {
	directive  directive
	start, end token.Pos
	// whole is true in a package comment: it speaks of the file.
	whole, used bool
}

// kept drops the findings in generated files and the suppressed ones, and adds those on the directives themselves.
func (a *analysisOf) kept(list []*Finding) []Finding {
	var all []suppression
	bad := a.claims.bad
	for _, file := range a.files {
		if isGenerated(file) || !mentionsDirective(file) {
			continue
		}
		suppressed, errs := suppressions(a.pass.Fset, file)
		all, bad = append(all, suppressed...), append(append(bad, errs...), a.floating(file)...)
	}
	var kept []Finding
	for _, f := range list {
		file := a.file(f.Pos)
		if file == nil || isGenerated(file) {
			continue
		}
		hidden := false
		for i := range all {
			if all[i].covers(f.Code, f.Pos) {
				all[i].used, hidden = true, true
			}
		}
		if !hidden {
			kept = append(kept, *f)
		}
	}
	for _, s := range all {
		if !s.used && a.everyRuleRan(s.directive) && !hasBuildConstraint(a.file(s.directive.Pos)) {
			bad = append(bad, s.directive.bad(wrong("remove it, or put it on the line above the finding", "//hop:allow suppresses nothing: there is no finding of %s %s", s.rules(), s.extent())))
		}
	}
	for _, b := range bad {
		kept = append(kept, b.finding())
	}
	slices.SortStableFunc(kept, func(f, g Finding) int { return int(f.Pos - g.Pos) })
	return kept
}

// mentionsDirective reports whether a comment of the file may be a directive; most files of most programs have none.
func mentionsDirective(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//"+directiveTool+":") || almostDirective(c) != "" {
				return true
			}
		}
	}
	return false
}

// floating finds directives that declare something and stand on no declaration.
func (a *analysisOf) floating(file *ast.File) (bad []badDirective) {
	var starts []ast.Node
	for _, group := range file.Comments {
		list, _ := readDirectives(group)
		for _, d := range list {
			if d.Verb != "allow" && !a.claims.seen[d.Pos] {
				if starts == nil {
					starts = startsOf(file)
				}
				bad = append(bad, d.bad(standsOn(&d, spokenOf(a.pass.Fset, starts, d), file)))
			}
		}
	}
	return bad
}

// everyRuleRan reports whether each rule that a suppression names could have found something here.
func (a *analysisOf) everyRuleRan(d directive) bool {
	for _, code := range d.Allow {
		rule, _ := hopcheck.RuleFor(code)
		if !slices.Contains(implemented, code) || rule.OptIn != "" && !a.options.on(rule.OptIn) {
			return false
		}
	}
	return true
}

// hasBuildConstraint reports whether a file is compiled in some configurations only, in which a suppression may be needed.
func hasBuildConstraint(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() < file.Package && constraint.IsGoBuild(c.Text) {
				return true
			}
		}
	}
	return false
}

// suppressions finds the //hop:allow lines of a file. A line in the package comment speaks of the whole file, any other
// of the statement, declaration or list element that follows it, or of the one it stands behind on the same line.
func suppressions(fset *token.FileSet, file *ast.File) (list []suppression, bad []badDirective) {
	starts := startsOf(file)
	for _, group := range file.Comments {
		directives, errs := readDirectives(group)
		bad = append(bad, errs...)
		for _, d := range directives {
			if d.Verb != "allow" {
				continue
			}
			s := suppression{directive: d}
			if group.Pos() < file.Package {
				s.start, s.end, s.whole = file.FileStart, file.FileEnd, true
			} else if n := spokenOf(fset, starts, d); n != nil {
				s.start, s.end = n.Pos(), n.End()
			}
			list = append(list, s)
		}
	}
	return list, bad
}

// startsOf are the nodes that a directive may speak of, outermost first where they start together.
func startsOf(file *ast.File) (starts []ast.Node) {
	ast.Inspect(file, func(n ast.Node) bool {
		if mayBeAllowed(n) {
			starts = append(starts, n)
		}
		return true
	})
	slices.SortStableFunc(starts, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	return starts
}

// rules names the rules of a suppression.
func (s *suppression) rules() string {
	var words []string
	for _, code := range s.directive.Allow {
		rule, _ := hopcheck.RuleFor(code)
		words = append(words, rule.Name)
	}
	return strings.Join(words, " or ")
}

// extent says of what a suppression speaks.
func (s *suppression) extent() string {
	switch {
	case !s.start.IsValid():
		return "here, for nothing follows"
	case s.whole:
		return "in this file"
	case s.start < s.directive.Pos:
		return "on this line"
	}
	return "in what follows"
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
