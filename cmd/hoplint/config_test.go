package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadConfig(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"comment", "# nothing\n", ""},
		{"null", "checks:\nstrict: ~\n", ""},
		{"all keys", "checks: [HOP1*, -HOP104]\nstrict: true\ntests: false\ntags: [a, b]\nformat: json\ncontracts: [std, gonum]\n" +
			"declare:\n  - \"example.com/a.F: //hop:mutates x //hop:returns fresh\"\n  - example.com/a.G: //hop:pure\n",
			"checks HOP1*,-HOP104; strict; no tests; tags a,b; format json; contracts std,gonum; " +
				"declare example.com/a.F: //hop:mutates x //hop:returns fresh; declare example.com/a.G: //hop:pure"},
		{"words instead of lists", "checks: HOP101\ntags: 386\n", "checks HOP101; tags 386"},
		{"declarations as a mapping", "declare:\n  example.com/a.F: >\n    //hop:mutates x\n    //hop:returns fresh\n", "declare example.com/a.F: //hop:mutates x //hop:returns fresh"},
		{"alias", "checks: &c [HOP101]\ntags: *c\n", "checks HOP101; tags HOP101"},
		{"json", `{"checks": ["HOP101"], "strict": true}`, "checks HOP101; strict"},

		{"unknown key", "strict: true\n\nchekcs: [HOP101]\n", `f.yaml:3:1: unknown key "chekcs"; did you mean checks?`},
		{"unlike any key", "colour: true\n", `f.yaml:1:1: unknown key "colour"; known are checks, strict, tests, tags, format, contracts, declare`},
		{"all errors are told", "a1: 1\nb2: 2\n", `f.yaml:1:1: unknown key "a1"; known are checks, strict, tests, tags, format, contracts, declare` + "\n" +
			`f.yaml:2:1: unknown key "b2"; known are checks, strict, tests, tags, format, contracts, declare`},
		{"twice", "strict: true\nstrict: false\n", "f.yaml:2:1: strict is set in line 1 already"},
		{"no boolean", "strict: yes\n", `f.yaml:1:9: strict: want true or false, got "yes"`},
		{"no list of words", "tags:\n  - a\n  - [b]\n", "f.yaml:3:5: tags: want a list of words, got a list"},
		{"mapping for a list", "checks: {HOP101: true}\n", "f.yaml:1:9: checks: want a list of words, got keys with values"},
		{"unknown rule", "checks: [HOP110]\n", `f.yaml:1:9: checks: unknown rule "HOP110"; did you mean HOP101?`},
		{"unknown format", "format: sarfi\n", `f.yaml:1:9: format: unknown format "sarfi"; did you mean sarif?`},
		{"list for a word", "format: [text]\n", "f.yaml:1:9: format: want one of text, json, sarif, github, got a list"},
		{"unknown table", "contracts: [gonm]\n", `f.yaml:1:12: contracts: no table of contracts is called "gonm"; did you mean gonum?; there are gonum and std`},
		{"no row", "declare:\n  - example.com/a.F\n", `f.yaml:2:5: declare: contract "example.com/a.F": want a name, a colon and directives, as in slices.SortFunc: //hop:body cmp(operand, operand)`},
		{"bad directive", "declare:\n  - example.com/a.F: //hop:mutate x\n", "f.yaml:2:5: declare: contract of example.com/a.F: //hop:mutate is no directive; the directives are mutates, returns, pure, body and allow; write //hop:mutates x"},
		{"list of directives", "declare:\n  example.com/a.F: [//hop:pure]\n", "f.yaml:2:20: declare: want directives, got a list"},
		{"no mapping", "- checks\n", "f.yaml:1:1: want keys with values, got a list"},
		{"word", "strict\n", `f.yaml:1:1: want keys with values, got "strict"`},
		{"two documents", "strict: true\n---\ntests: true\n", "f.yaml:1:1: want one document"},
		{"no yaml", "strict: true\n  checks: [\n", "f.yaml:2: mapping values are not allowed in this context"},
		{"tab", "checks:\n\t- HOP101\n", "f.yaml:2: found character that cannot start any token"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := &options{tests: true}
			got := ""
			if err := errors.Join(readConfig("f.yaml", []byte(tc.text), opts)...); err != nil {
				got = err.Error()
			} else {
				got = configText(opts)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func configText(o *options) string {
	var parts []string
	add := func(on bool, words ...string) {
		if on {
			parts = append(parts, strings.Join(words, " "))
		}
	}
	add(o.checks != "", "checks", o.checks)
	add(o.strict, "strict")
	add(!o.tests, "no tests")
	add(o.tags != "", "tags", o.tags)
	add(o.format != "", "format", o.format)
	add(o.contracts != "", "contracts", o.contracts)
	for _, row := range o.declare {
		add(true, "declare", row)
	}
	return strings.Join(parts, "; ")
}

// Each key of a file sets what a flag sets, and the flag wins.
func TestFlagsWin(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f.yaml")
	text := "checks: [HOP101]\nstrict: true\ntests: false\ntags: [a]\nformat: json\ncontracts: [std]\ndeclare: [\"example.com/a.F: //hop:pure\"]\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	flags := map[string]string{"checks": "HOP102", "strict": "false", "tests": "true", "tags": "b", "f": "sarif", "contracts": "gonum",
		"declare": "example.com/b.G: //hop:pure"}
	plain, err := parseFlags([]string{"-config", file})
	if err != nil {
		t.Fatal(err)
	}
	want := "checks HOP101; strict; no tests; tags a; format json; contracts std; declare example.com/a.F: //hop:pure"
	if got := configText(plain); got != want {
		t.Errorf("from the file: %s, want %s", got, want)
	}
	set, _ := flagSet()
	args := []string{"-config", file}
	for _, k := range configKeys() {
		if set.Lookup(k.flag) == nil {
			t.Errorf("key %s sets flag -%s, which does not exist", k.name, k.flag)
		}
		args = append(args, "-"+k.flag+"="+flags[k.flag])
	}
	all, err := parseFlags(args)
	if err != nil {
		t.Fatal(err)
	}
	want = "checks HOP102; tags b; format sarif; contracts gonum; declare example.com/b.G: //hop:pure"
	if got := configText(all); got != want {
		t.Errorf("with flags: %s, want %s", got, want)
	}
}

// The file is looked for from the folder that is analysed up to the root of its module, and outside of a module in the
// folder itself.
func TestConfigFileIsFound(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{configName, "m/go.mod", "m/a/b/c.go", "m/own/" + configName, "m/own/d/c.go", "n/go.mod", "n/" + configName,
		"n/a/b/c.go", "m/wrong/.hoplint.yml", "free/c.go", "top/" + configName} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ dir, config, want string }{
		{"m", "", ""},
		{"m/a/b", "", ""}, // what lies above the root of the module is not read
		{"m/own", "", "m/own/" + configName},
		{"m/own/d", "", "m/own/" + configName},
		{"n/a/b", "", "n/" + configName},
		{"n/a/b", noConfig, ""},
		{"n/a/b", "../f.yaml", "n/a/f.yaml"},
		{"free", "", ""},
		{"top", "", "top/" + configName},
	} {
		opts := &options{dir: filepath.Join(dir, tc.dir), config: tc.config}
		got, err := opts.configFile()
		if err != nil {
			t.Errorf("%+v: %v", tc, err)
		}
		if want := tc.want; want != "" && got != filepath.Join(dir, want) || want == "" && got != "" {
			t.Errorf("from %s with -config %q: %s, want %s", tc.dir, tc.config, got, tc.want)
		}
	}
	wrong := &options{dir: filepath.Join(dir, "m/wrong")}
	if _, err := wrong.configFile(); err == nil || !strings.Contains(err.Error(), "call it .hoplint.yaml") {
		t.Errorf(".hoplint.yml: %v, want a word about the name", err)
	}
}
