package analyzer

import "golang.org/x/tools/go/analysis"

// factKind makes the facts of one family. The core analyzer and the all-in-one analyzer have distinct fact types, for a
// driver keys facts by type. The type names are distinctive because gob registers a pointer type by the name of its
// package, not its path.
type factKind uint8

const (
	suiteFacts factKind = iota
	soloFacts
)

// types lists the fact types of the family for analysis.Analyzer.FactTypes.
func (k factKind) types() []analysis.Fact {
	if k == soloFacts {
		return []analysis.Fact{new(HoplintSoloAnalysed)}
	}
	return []analysis.Fact{new(HoplintSuiteAnalysed)}
}

// HoplintSuiteAnalysed says of a package that it was analysed: its functions without a fact have no effects.
type HoplintSuiteAnalysed struct{}

// AFact marks the type as a fact.
func (*HoplintSuiteAnalysed) AFact() {}

// String describes the fact in tests.
func (*HoplintSuiteAnalysed) String() string { return "analysed" }

// HoplintSoloAnalysed is HoplintSuiteAnalysed for the all-in-one analyzer.
type HoplintSoloAnalysed struct{}

// AFact marks the type as a fact.
func (*HoplintSoloAnalysed) AFact() {}

// String describes the fact in tests.
func (*HoplintSoloAnalysed) String() string { return "analysed" }
