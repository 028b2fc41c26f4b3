package analyzer_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

func TestAnalyzersAreValid(t *testing.T) {
	if err := analysis.Validate(analyzer.Analyzers()); err != nil {
		t.Error(err)
	}
	if err := analysis.Validate([]*analysis.Analyzer{analyzer.Analyzer}); err != nil {
		t.Error(err)
	}
}

func TestOneThinAnalyzerForEachImplementedCode(t *testing.T) {
	list := analyzer.Analyzers()
	if list[0] != analyzer.Core() || list[0].Name != "hoplint" {
		t.Fatalf("first analyzer is %s, want the core", list[0].Name)
	}
	codes := analyzer.Codes()
	if got, want := len(list)-1, len(codes); got != want {
		t.Fatalf("%d thin analyzers for %d codes", got, want)
	}
	for i, a := range list[1:] {
		if a.Name != string(codes[i]) {
			t.Errorf("analyzer %d is %s, want %s", i, a.Name, codes[i])
		}
		rule, ok := hopcheck.RuleFor(codes[i])
		if !ok || !rule.Static {
			t.Errorf("%s is no rule of the analyzer", a.Name)
		}
	}
}

// A driver keys facts by type: the two families must not meet.
func TestFactTypesOfTheFamiliesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range []*analysis.Analyzer{analyzer.Core(), analyzer.Analyzer} {
		for _, f := range a.FactTypes {
			name := typeName(f)
			if seen[name] {
				t.Errorf("fact type %s belongs to both families", name)
			}
			seen[name] = true
		}
	}
}
