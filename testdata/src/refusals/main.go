// Command refusals runs every program of the rule folders and prints, as JSON, what the runtime refused in each: the
// dynamic side of the comparison with the analyzer's findings.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"

	"hoplint.test/hop101"
	"hoplint.test/hop102"
	"hoplint.test/hop103"
	"hoplint.test/hop104"
	"hoplint.test/hop201"
	"hoplint.test/hop202"
	"hoplint.test/hop301"
	"hoplint.test/hop302"
	"hoplint.test/hop303"
	"hoplint.test/hop401"
	"hoplint.test/hop402"
	"hoplint.test/hop403"
	"hoplint.test/hop404"
	"hoplint.test/hop405"
	"hoplint.test/hop501"
	"hoplint.test/hop502"
	"hoplint.test/hop503"
	"hoplint.test/hop601"
	"hoplint.test/hop602"
	"hoplint.test/hop701"
	"hoplint.test/hop902"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// program is what became of one program.
type program struct {
	Name string
	Good bool
	// Unseen is true for programs that break a rule in a way that the runtime cannot see.
	Unseen   bool
	Refusals []refusal
	// Other is an error that is no refusal of a rule.
	Other string
}

// refusal is one place or pair of a finding.
type refusal struct {
	Code             hopcheck.Code
	Role, Path       string
	WithRole, WithAt string
	// Message is set for findings that name no tensor.
	Message string
	// HOP, Body and Op are the operator, its function and the operation.
	HOP, Body, Op string
}

// folders are the programs of each rule.
var folders = []struct{ good, bad []func() }{
	{hop101.Good, hop101.Bad},
	{hop102.Good, hop102.Bad},
	{hop103.Good, hop103.Bad},
	{hop104.Good, hop104.Bad},
	{hop201.Good, hop201.Bad},
	{hop202.Good, hop202.Bad},
	{hop301.Good, hop301.Bad},
	{hop302.Good, hop302.Bad},
	{hop303.Good, hop303.Bad},
	{hop401.Good, hop401.Bad},
	{hop402.Good, hop402.Bad},
	{hop403.Good, hop403.Bad},
	{hop404.Good, hop404.Bad},
	{hop501.Good, hop501.Bad},
	{hop503.Good, hop503.Bad},
	{hop601.Good, hop601.Bad},
	{hop602.Good, hop602.Bad},
	{hop405.Good, hop405.Bad},
	{hop701.Good, hop701.Bad},
	{hop902.Good, hop902.Bad},
}

func main() {
	var list []program
	for _, f := range folders {
		list = append(list, run(f.good, true)...)
		list = append(list, run(f.bad, false)...)
	}
	for _, p := range run(slices.Concat(hop405.Unseen, hop501.Unseen), false) {
		p.Unseen = true
		list = append(list, p)
	}
	list = append(list, notes(hop502.Good, true)...)
	list = append(list, notes(hop502.Bad, false)...)
	if err := json.NewEncoder(os.Stdout).Encode(list); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(funcs []func(), good bool) []program {
	var list []program
	for _, f := range funcs {
		p := program{Name: name(f), Good: good}
		err := hop.Try(f)
		var refused *hop.Error
		switch {
		case errors.As(err, &refused) && refused.Code != "":
			for _, e := range append([]*hop.Error{refused}, refused.More...) {
				p.Refusals = append(p.Refusals, flatten(e)...)
			}
		case err != nil:
			p.Other = err.Error()
		}
		list = append(list, p)
	}
	return list
}

// notes runs programs that break no contract: what the runtime tells of them are the notes that they return.
func notes(funcs []func() []*hop.Error, good bool) []program {
	var list []program
	for _, f := range funcs {
		p := program{Name: name(f), Good: good}
		if err := hop.Try(func() {
			for _, e := range f() {
				p.Refusals = append(p.Refusals, flatten(e)...)
			}
		}); err != nil {
			p.Other = err.Error()
		}
		list = append(list, p)
	}
	return list
}

// flatten lists every place and pair of a finding.
func flatten(e *hop.Error) []refusal {
	var list []refusal
	for _, p := range e.Finding.Places {
		list = append(list, refusal{Code: e.Code, Role: p.Role.String(), Path: p.Path})
	}
	for _, p := range e.Finding.Pairs {
		list = append(list, refusal{Code: e.Code, Role: p.Out.Role.String(), Path: p.Out.Path, WithRole: p.With.Role.String(), WithAt: p.With.Path})
	}
	for _, d := range e.Finding.Differences {
		list = append(list, refusal{Code: e.Code, Role: d.Got.Role.String(), Path: d.Got.Path, WithRole: d.Want.Role.String(), WithAt: d.Want.Path})
	}
	if len(list) == 0 {
		list = append(list, refusal{Code: e.Code, Message: e.Finding.Message(), HOP: e.Finding.HOP, Body: e.Finding.Body, Op: e.Finding.Op})
	}
	return list
}

// name is the program's function, e.g. hoplint.test/hop101.direct.
func name(f any) string {
	return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
}
