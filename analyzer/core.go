package analyzer

import (
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/hoplint/hoplint/hopcheck"
)

// Result is what the core found in one package, in the order of positions.
type Result struct {
	Findings []Finding
}

// Finding is a breach with the place where it is reported.
type Finding struct {
	hopcheck.Finding
	// Pos and End enclose the operation that commits the breach.
	Pos, End token.Pos
	// Related leads from the input to the operation.
	Related []analysis.RelatedInformation
	// Fixes repair it; the first is the recommended one.
	Fixes []analysis.SuggestedFix
}

// report reports the findings with the given code, all of them if it is empty.
func (r *Result) report(pass *analysis.Pass, code hopcheck.Code) {
	for _, f := range r.Findings {
		if code != "" && f.Code != code {
			continue
		}
		pass.Report(analysis.Diagnostic{Pos: f.Pos, End: f.End, Category: string(f.Code), Message: f.Message(),
			Related: f.Related, SuggestedFixes: f.Fixes})
	}
}

// inspect is the pass over one package.
func inspect(pass *analysis.Pass, opts *options, kind factKind) (*Result, error) {
	return &Result{}, nil
}
