package oracle

import (
	"fmt"
	"go/ast"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

// Inspect analyses the command in dir and returns what the analyzer says of each program, by name.
func Inspect(dir string) (map[string]Static, error) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: dir}, ".")
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(pkgs) > 0 {
		return nil, fmt.Errorf("the programs in %s do not compile", dir)
	}
	found := map[string]Static{}
	for _, strict := range []bool{false, true} {
		if err := analyzer.Analyzer.Flags.Set("strict", strconv.FormatBool(strict)); err != nil {
			return nil, err
		}
		graph, err := checker.Analyze([]*analysis.Analyzer{analyzer.Analyzer}, pkgs, &checker.Options{})
		if err != nil {
			return nil, err
		}
		for _, root := range graph.Roots {
			if root.Err != nil {
				return nil, root.Err
			}
			for _, f := range root.Result.(*analyzer.Result).Findings {
				name := enclosing(root.Package, f)
				s := found[name]
				if !strict {
					s.Findings = append(s.Findings, flatten(f)...)
				} else if f.Code == hopcheck.UnprovedBody {
					s.Unproved = true
				} else {
					s.Strict = append(s.Strict, flatten(f)...)
				}
				found[name] = s
			}
		}
	}
	return found, analyzer.Analyzer.Flags.Set("strict", "false")
}

func flatten(f analyzer.Finding) []Refusal {
	var list []Refusal
	for _, p := range f.Places {
		list = append(list, Refusal{Code: string(f.Code), Role: p.Role.String(), Path: p.Path})
	}
	for _, p := range f.Pairs {
		list = append(list, Refusal{string(f.Code), p.Out.Role.String(), p.Out.Path, p.With.Role.String(), p.With.Path})
	}
	return list
}

// enclosing is the declared function that holds the finding's HOP call.
func enclosing(p *packages.Package, f analyzer.Finding) string {
	for _, file := range p.Syntax {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Pos() <= f.Call && f.Call < fn.End() {
				return fn.Name.Name
			}
		}
	}
	return ""
}
