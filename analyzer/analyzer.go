package analyzer

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/hoplint/hoplint/hopcheck"
)

// Analyzer reports every rule by itself, for drivers that take one analyzer. It must not share a driver with those of
// [Analyzers]: it has facts of its own and would report everything a second time.
var Analyzer = New()

// Analyzers returns the core analyzer, which owns the facts and the flags and reports nothing, followed by one thin
// analyzer for each rule, in the order of the codes. Every call returns the same analyzers.
func Analyzers() []*analysis.Analyzer { return slices.Clone(suite) }

// Core is the analyzer that the others of [Analyzers] build upon; its result is a *[Result].
func Core() *analysis.Analyzer { return suite[0] }

// Codes returns the codes of the rules that are implemented, in order.
func Codes() []hopcheck.Code { return slices.Clone(implemented) }

var implemented = []hopcheck.Code{
	hopcheck.MutatedCarry, hopcheck.MutatedX, hopcheck.MutatedOperand, hopcheck.MutatedCaptured,
	hopcheck.CarryMismatch, hopcheck.UnsupportedLeaf,
	hopcheck.OutputAliasesInput, hopcheck.OutputsAlias, hopcheck.OutputAliasesCaptured,
	hopcheck.SideEffect, hopcheck.LeakedTensor, hopcheck.NondeterministicBody, hopcheck.ConcurrentBody, hopcheck.StaleCapture,
	hopcheck.DataDependentControlFlow, hopcheck.SpecialisedDimension, hopcheck.DiscardedResult,
	hopcheck.StaleSavedTensor, hopcheck.InPlaceOnLeaf,
	hopcheck.CallbackBreaksContract,
	hopcheck.BadDirective, hopcheck.BrokenClaim, hopcheck.UnprovedBody,
}

const coreName = "hoplint"

const coreDoc = `hoplint: find functions that break the contract of a higher-order operator

The functions given to hop.Scan, hop.Cond, hop.WhileLoop and their like must not write what they are handed or
capture, and must not return memory that shares storage with it. Each breach is reported at the operation that
commits it, with the way that the value took from the function's parameter.`

var suite = newSuite()

// options are the flags of an analyzer.
type options struct {
	// strict counts shared objects and reports bodies that could not be proved.
	strict bool
	// contracts are the shipped tables of contracts for other people's functions that were asked for, rows further ones.
	contracts contractNames
	rows      contractRows
	// checks are the rules that the all-in-one analyzer reports; of those of the suite each is an analyzer.
	checks Selection
	// info reports what costs speed or generality and breaks no contract.
	info bool
	// probe is called where work on one function or call begins; tests let it panic. It is nil otherwise.
	probe func(work, name string)
}

// on reports whether the flag that a rule names as its switch is set.
func (o *options) on(flag string) bool {
	return flag == "strict" && o.strict || flag == "info" && o.info || flag == "contracts" && len(o.contracts) > 0
}

func newSuite() []*analysis.Analyzer {
	core, opts := newAnalyzer(suiteFacts)
	core.Run = func(pass *analysis.Pass) (any, error) { return inspect(pass, opts, suiteFacts) }
	list := []*analysis.Analyzer{core}
	for _, code := range implemented {
		rule, _ := hopcheck.RuleFor(code)
		list = append(list, &analysis.Analyzer{
			Name:     string(code),
			Doc:      fmt.Sprintf("%s: %s\n\n%s\n\nRemedy: %s.", rule.Name, rule.Summary, rule.Why, rule.Remedy),
			Requires: []*analysis.Analyzer{core},
			Run: func(pass *analysis.Pass) (any, error) {
				pass.ResultOf[core].(*Result).report(pass, func(c hopcheck.Code) bool { return c == code })
				return nil, nil
			},
		})
	}
	return list
}

// New returns an analyzer like [Analyzer] with flags of its own: strict, and checks, which selects rules as [SelectRules]
// reads it. It is for drivers that are configured more than once in one process.
func New() *analysis.Analyzer { return newSolo(nil) }

func newSolo(probe func(work, name string)) *analysis.Analyzer {
	a, opts := newAnalyzer(soloFacts)
	opts.probe = probe
	a.Flags.Func("checks", "report only these rules: codes, names and patterns, separated by commas; a minus excludes", func(list string) (err error) {
		opts.checks, err = SelectRules(list)
		return err
	})
	a.Run = func(pass *analysis.Pass) (any, error) {
		result, err := inspect(pass, opts, soloFacts)
		if err == nil {
			result.report(pass, opts.checks.Has)
		}
		return result, err
	}
	return a
}

// newAnalyzer returns an analyzer that owns facts of the given kind and the flags.
func newAnalyzer(kind factKind) (*analysis.Analyzer, *options) {
	opts := new(options)
	a := &analysis.Analyzer{Name: coreName, Doc: coreDoc, FactTypes: kind.types(), ResultType: reflect.TypeFor[*Result]()}
	a.Flags.BoolVar(&opts.strict, "strict", false, "also report what cannot be proved")
	a.Flags.Var(&opts.contracts, "contracts", "check callbacks against these `tables` of contracts: "+strings.Join(ContractTables(), ", "))
	a.Flags.Var(&opts.rows, "contract", "further `rows` of contracts for code that cannot be edited, one in a line, e.g. "+contractExample)
	a.Flags.BoolVar(&opts.info, "info", false, "also report what breaks no contract but costs speed or generality")
	return a, opts
}
