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

	"hoplint.test/hop101"
	"hoplint.test/hop102"
	"hoplint.test/hop103"
	"hoplint.test/hop104"
	"hoplint.test/hop202"
	"hoplint.test/hop301"
	"hoplint.test/hop302"
	"hoplint.test/hop303"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// program is what became of one program.
type program struct {
	Name     string
	Good     bool
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
}

func main() {
	var list []program
	for _, f := range [][]func(){hop101.Good, hop102.Good, hop103.Good, hop104.Good, hop202.Good, hop301.Good, hop302.Good, hop303.Good} {
		list = append(list, run(f, true)...)
	}
	for _, f := range [][]func(){hop101.Bad, hop102.Bad, hop103.Bad, hop104.Bad, hop202.Bad, hop301.Bad, hop302.Bad, hop303.Bad} {
		list = append(list, run(f, false)...)
	}
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

// flatten lists every place and pair of a finding.
func flatten(e *hop.Error) []refusal {
	var list []refusal
	for _, p := range e.Finding.Places {
		list = append(list, refusal{Code: e.Code, Role: p.Role.String(), Path: p.Path})
	}
	for _, p := range e.Finding.Pairs {
		list = append(list, refusal{Code: e.Code, Role: p.Out.Role.String(), Path: p.Out.Path, WithRole: p.With.Role.String(), WithAt: p.With.Path})
	}
	if len(list) == 0 {
		list = append(list, refusal{Code: e.Code, Message: e.Finding.Message()})
	}
	return list
}

// name is the program's function, e.g. hoplint.test/hop101.direct.
func name(f func()) string {
	return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
}
