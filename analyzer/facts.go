package analyzer

import (
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/hoplint/hoplint/ssaflow"
)

// FunctionFact is what the analysis of a package remembers of one of its functions, methods or function-typed fields for
// the packages that import it. It holds slices and plain values only, so that its bytes are the same in every run.
type FunctionFact struct {
	// Summary is the computed summary, in the form of ssaflow.Encode; empty if the function was not summarised.
	Summary []byte
	// Reads is the summary of what it reads out of tensors and what its results are computed from, in the same form.
	Reads []byte
	// Leaves are the parts of its results that certainly are leaves which require grad.
	Leaves []LeafResult
	// Grads is what it does with gradients.
	Grads *GradFlow
	// Forwards are the calls of its parameters with others.
	Forwards []Forward
	// Generic is what the function asks of its type parameters.
	Generic []GenericLeaf
	// Metas are the dtypes and shapes of its results, as far as they are known.
	Metas []MetaTree
	// Claim is what directives declare, with the bodies that were inferred; Declared tells whether there is one.
	Claim    Claim
	Declared bool
}

// HoplintSuiteFunction is the fact of a function for the analyzers of [Analyzers].
type HoplintSuiteFunction struct{ FunctionFact }

// HoplintSuiteAnalysed says of a package that it was analysed: its functions without a fact have no effects.
type HoplintSuiteAnalysed struct{}

// HoplintSoloFunction is the fact of a function for [Analyzer].
type HoplintSoloFunction struct{ FunctionFact }

// HoplintSoloAnalysed is HoplintSuiteAnalysed for [Analyzer].
type HoplintSoloAnalysed struct{}

// AFact marks the type as a fact.
func (*HoplintSuiteFunction) AFact() {}

// AFact marks the type as a fact.
func (*HoplintSuiteAnalysed) AFact() {}

// AFact marks the type as a fact.
func (*HoplintSoloFunction) AFact() {}

// AFact marks the type as a fact.
func (*HoplintSoloAnalysed) AFact() {}

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
		return []analysis.Fact{new(HoplintSoloFunction), new(HoplintSoloAnalysed)}
	}
	return []analysis.Fact{new(HoplintSuiteFunction), new(HoplintSuiteAnalysed)}
}

// export stores the fact of a function of the pass's package.
func (k factKind) export(pass *analysis.Pass, object types.Object, fact FunctionFact) {
	if k == soloFacts {
		pass.ExportObjectFact(object, &HoplintSoloFunction{fact})
		return
	}
	pass.ExportObjectFact(object, &HoplintSuiteFunction{fact})
}

// exportAnalysed stores that the pass's package was analysed.
func (k factKind) exportAnalysed(pass *analysis.Pass) {
	if k == soloFacts {
		pass.ExportPackageFact(new(HoplintSoloAnalysed))
		return
	}
	pass.ExportPackageFact(new(HoplintSuiteAnalysed))
}

// function returns the fact of a function of any package.
func (k factKind) function(pass *analysis.Pass, object types.Object) (FunctionFact, bool) {
	if k == soloFacts {
		var fact HoplintSoloFunction
		ok := pass.ImportObjectFact(object, &fact)
		return fact.FunctionFact, ok
	}
	var fact HoplintSuiteFunction
	ok := pass.ImportObjectFact(object, &fact)
	return fact.FunctionFact, ok
}

// hasBodies reports whether a fact of the family says that a function runs a parameter as a HOP does.
func (k factKind) hasBodies(fact analysis.Fact) bool {
	switch f := fact.(type) {
	case *HoplintSuiteFunction:
		return len(f.Claim.Bodies) > 0
	case *HoplintSoloFunction:
		return len(f.Claim.Bodies) > 0
	}
	return false
}

// analysed reports whether a package was analysed.
func (k factKind) analysed(pass *analysis.Pass, pkg *types.Package) bool {
	if k == soloFacts {
		return pass.ImportPackageFact(pkg, new(HoplintSoloAnalysed))
	}
	return pass.ImportPackageFact(pkg, new(HoplintSuiteAnalysed))
}

// decode returns the summary that the fact of fn holds, or nil.
func (f *FunctionFact) decode(pass *analysis.Pass, fn *types.Func) *ssaflow.Summary {
	return decoded(f.Summary, pass, fn)
}

// decoded is the summary that bytes of the fact of fn hold, or nil.
func decoded(data []byte, pass *analysis.Pass, fn *types.Func) *ssaflow.Summary {
	if len(data) == 0 {
		return nil
	}
	if fn != nil {
		fn = fn.Origin()
	}
	s, err := ssaflow.Decode(data, fn, pass.Fset)
	if err != nil {
		return nil // a fact of another version of the tool: as if the function had not been analysed
	}
	return s
}
