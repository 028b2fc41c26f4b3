package main

import (
	"fmt"
	"strings"

	"honnef.co/go/tools/analysis/lint"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

// explain prints the page of a rule.
func (c *command) explain(args []string) int {
	if len(args) != 1 {
		return c.usageError("explain takes one rule, by code or name, e.g. hoplint explain HOP101")
	}
	r, ok := findRule(args[0])
	if !ok {
		var names []string
		for _, r := range hopcheck.Rules() {
			names = append(names, string(r.Code), r.Name)
		}
		c.errorf("unknown rule %q%s", args[0], hopcheck.DidYouMean(args[0], names))
		fmt.Fprintln(c.stderr, "hoplint: run hoplint list for all rules")
		return exitError
	}
	fmt.Fprintf(c.stdout, "%s %s (%s)\n\n%s", string(r.Code), r.Name, r.Severity, documentation(r).Format(true))
	return exitClean
}

// findRule finds a rule by code or name, in any case.
func findRule(s string) (hopcheck.Rule, bool) {
	if r, ok := hopcheck.FindRule(strings.ToUpper(s)); ok {
		return r, true
	}
	return hopcheck.FindRule(strings.ToLower(s))
}

// section is one part of a rule's page.
type section struct {
	title string
	// text is prose; code is printed as it is.
	text, code string
}

// sections are the parts of a rule's page between its summary and its programs.
func sections(r hopcheck.Rule, enforced []hopcheck.Code) []section {
	list := []section{{title: "Why", text: r.Why}, {title: "Remedy", text: sentence(r.Remedy)}}
	if r.Fix != "" {
		list = append(list, section{title: "Fix", text: sentence("with -fix, hoplint " + r.Fix)})
	}
	f := sample(r.Code)
	list = append(list, section{title: "Found", text: foundBy(r, enforced)})
	if r.Static {
		list = append(list, section{title: "Message of the analyzer", code: staticForm(f)})
	}
	if r.Dynamic {
		list = append(list, section{title: "Message of the runtime", code: dynamicForm(sampleAtRunTime(r.Code))})
	}
	if r.Code == hopcheck.BadDirective {
		return append(list, section{title: "Directives", text: analyzer.DirectiveRules()}, section{title: "What they say", code: directiveForms()})
	}
	return append(list, section{title: "Accept a finding", code: fmt.Sprintf("//hop:allow %s -- the reason", r.Name)})
}

// directiveForms lists the directives, each with what it says below it.
func directiveForms() string {
	var forms []string
	for _, d := range analyzer.Directives() {
		forms = append(forms, d.Usage+"\n"+indent(wrap(d.Doc, textWidth-4)))
	}
	return strings.Join(forms, "\n")
}

// foundBy says who finds the rule in this version.
func foundBy(r hopcheck.Rule, enforced []hopcheck.Code) string {
	var by []string
	switch state := staticState(r); state {
	case yes:
		by = append(by, "before the program runs, by the analyzer")
	case no:
	case notYet:
		by = append(by, "not by the analyzer of this version")
	default:
		by = append(by, "before the program runs, by the analyzer with "+state)
	}
	switch dynamicState(r, enforced) {
	case yes:
		by = append(by, "while it runs, by the runtime")
	case notYet:
		by = append(by, "not by the runtime of this version")
	}
	return sentence(strings.Join(by, "; "))
}

// documentation is the page of a rule in the form of honnef.co/go/tools.
func documentation(r hopcheck.Rule) *lint.Documentation {
	var text strings.Builder
	for i, s := range sections(r, enforced()) {
		if i > 0 {
			text.WriteString("\n\n")
		}
		fmt.Fprintf(&text, "%s:\n\n", s.title)
		width := textWidth
		if s.code != "" {
			width = 0
		}
		text.WriteString(indent(wrap(s.text+s.code, width)))
	}
	program := programFor(programs(), r.Code)
	return lint.RawDocumentation{Title: sentence(r.Summary), Text: text.String(), Before: program.bad, After: program.good,
		Since: r.Since, NonDefault: r.OptIn != "", Severity: lintSeverity(r.Severity)}.Compile()
}

func lintSeverity(s hopcheck.Severity) lint.Severity {
	return [...]lint.Severity{hopcheck.Error: lint.SeverityError, hopcheck.Warning: lint.SeverityWarning,
		hopcheck.Info: lint.SeverityInfo}[s]
}

// program is a pair of programs out of a rule's testdata folder.
type program struct {
	code      hopcheck.Code
	bad, good string
}

func programFor(programs []program, code hopcheck.Code) program {
	for _, p := range programs {
		if p.code == code {
			return p
		}
	}
	return program{}
}

// sentence makes a sentence of a phrase.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

const textWidth = 100

// wrap breaks text into lines of at most width bytes where it can; width 0 leaves it whole.
func wrap(text string, width int) string {
	if width == 0 {
		return text
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}

// indent sets each line in by four spaces.
func indent(text string) string {
	return "    " + strings.ReplaceAll(text, "\n", "\n    ")
}
