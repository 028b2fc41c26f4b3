// Package golangci is hoplint as a module plugin of golangci-lint: a package that a custom build of golangci-lint imports
// for its effect, which is that a linter named hoplint is known. The README shows the two files that this needs.
//
// golangci-lint must be 2.15 or later: earlier ones could lose what was found out about the functions of other packages,
// and with it findings (golangci-lint issue 6807).
package golangci

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

// Name is the name of the linter, in .golangci.yml and in //nolint:hoplint.
const Name = "hoplint"

// The register of golangci-lint is filled while the program starts; it offers no other way in.
func init() { register.Plugin(Name, New) }

// Settings are what stands under linters.settings.custom.hoplint.settings.
type Settings struct {
	// Strict also reports what cannot be proved.
	Strict bool `json:"strict"`
	// Checks are the rules to report: codes, names and patterns; a minus excludes. None stands for all.
	Checks []string `json:"checks"`
	// Contracts are shipped tables of contracts for callbacks of other libraries: gonum, std.
	Contracts []string `json:"contracts"`
	// Declare holds //hop: directives for code that cannot be edited: "example.com/kernels.Scale: //hop:mutates dst". They are
	// strings because golangci-lint writes the keys of settings in lower case.
	Declare []string `json:"declare"`
}

// New reads the settings, which golangci-lint has parsed already. A key that is not known and a value of another type are
// errors.
func New(conf any) (register.LinterPlugin, error) {
	s, err := readSettings(conf)
	if err != nil {
		return nil, fmt.Errorf("settings of %s: %w", Name, err)
	}
	a := analyzer.New()
	for _, f := range []struct{ name, value string }{
		{"strict", fmt.Sprint(s.Strict)},
		{"checks", strings.Join(s.Checks, ",")},
		{"contracts", strings.Join(s.Contracts, ",")},
		{"contract", strings.Join(s.Declare, "\n")},
	} {
		if err := a.Flags.Set(f.name, f.value); err != nil {
			return nil, fmt.Errorf("settings of %s: %s: %w", Name, f.name, err)
		}
	}
	return plugin{a}, nil
}

type plugin struct{ analyzer *analysis.Analyzer }

// BuildAnalyzers returns the analyzer that reports all rules: its name is that of the linter, so golangci-lint prints its
// messages as they are.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{p.analyzer}, nil
}

// GetLoadMode asks for types, and for the packages that are imported, whose functions are analysed first.
func (p plugin) GetLoadMode() string { return register.LoadModeTypesInfo }

// readSettings decodes the settings and says of an unknown key which known one is near.
func readSettings(conf any) (s Settings, err error) {
	if conf == nil {
		return s, nil
	}
	if m, ok := conf.(map[string]any); ok {
		known := keys()
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !slices.Contains(known, key) {
				suggestion := hopcheck.DidYouMean(key, known)
				if suggestion == "" {
					suggestion = "; known are " + strings.Join(known, ", ")
				}
				return s, fmt.Errorf("unknown key %q%s", key, suggestion)
			}
		}
	}
	text, err := json.Marshal(conf)
	if err != nil {
		return s, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&s)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if mismatch.Field == "" {
			return s, fmt.Errorf("want keys with values, got %s", mismatch.Value)
		}
		return s, fmt.Errorf("%s: want %s, got %s", mismatch.Field, wanted(mismatch.Type), mismatch.Value)
	}
	return s, err
}

// keys lists the names of the settings.
func keys() []string {
	var list []string
	for f := range reflect.TypeFor[Settings]().Fields() {
		list = append(list, f.Tag.Get("json"))
	}
	return list
}

// wanted names a type as YAML users know it.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.String:
		return "text in quotes"
	default:
		return "a " + t.Kind().String()
	}
}
