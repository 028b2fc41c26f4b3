package golangci

import (
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
)

func TestPluginIsRegistered(t *testing.T) {
	constructor, err := register.GetPlugin(Name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := constructor(map[string]any{"strict": true, "checks": []any{"HOP1*", "-HOP104"}})
	if err != nil {
		t.Fatal(err)
	}
	if mode := p.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("load mode %q, want %q: facts need the packages that are imported", mode, register.LoadModeTypesInfo)
	}
	list, err := p.BuildAnalyzers()
	if err != nil || len(list) != 1 {
		t.Fatalf("analyzers %v, %v, want one", list, err)
	}
	if a := list[0]; a.Name != Name || len(a.FactTypes) == 0 || a.Flags.Lookup("strict").Value.String() != "true" {
		t.Errorf("analyzer %s with %d fact types and -strict=%s", a.Name, len(a.FactTypes), a.Flags.Lookup("strict").Value)
	}
}

func TestWrongSettingsAreErrors(t *testing.T) {
	for _, tc := range []struct {
		name string
		conf any
		want string
	}{
		{"none", nil, ""},
		{"empty", map[string]any{}, ""},
		{"unknown key", map[string]any{"cheks": "HOP101"}, `settings of hoplint: unknown key "cheks"; did you mean checks?`},
		{"unlike any key", map[string]any{"colour": true}, `settings of hoplint: unknown key "colour"; known are strict, checks, contracts, declare`},
		{"type of a value", map[string]any{"strict": "yes"}, "settings of hoplint: strict: want true or false, got string"},
		{"type of a list", map[string]any{"checks": "HOP101"}, "settings of hoplint: checks: want a list, got string"},
		{"unknown rule", map[string]any{"checks": []any{"HOP110"}}, `settings of hoplint: checks: unknown rule "HOP110"; did you mean HOP101?`},
		{"unknown table", map[string]any{"contracts": []any{"gonm"}}, `settings of hoplint: contracts: no table of contracts is called "gonm"; did you mean gonum?; there are gonum and std`},
		{"bad declaration", map[string]any{"declare": []any{"example.com/a.F: //hop:mutate x"}}, `settings of hoplint: contract: contract of example.com/a.F: //hop:mutate is no directive; the directives are mutates, returns, pure, body and allow; write //hop:mutates x`},
		{"declaration without quotes", map[string]any{"declare": []any{map[string]any{"example.com/a.f": "//hop:mutates x"}}}, "settings of hoplint: declare: want text in quotes, got object"},
		{"no mapping", "strict", "settings of hoplint: want keys with values, got string"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := New(tc.conf)
			if got := errorText(err); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimSpace(err.Error())
}
