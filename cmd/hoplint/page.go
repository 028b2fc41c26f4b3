package main

import (
	"fmt"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// ruleMarkdown is the page of a rule below its heading, in Markdown.
func ruleMarkdown(r hopcheck.Rule, p program, enforced []hopcheck.Code) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s Severity: %s. Since %s.\n", sentence(r.Summary), r.Severity, r.Since)
	for _, s := range sections(r, enforced) {
		if s.code != "" {
			fmt.Fprintf(&b, "\n%s:\n\n```\n%s\n```\n", s.title, s.code)
			continue
		}
		fmt.Fprintf(&b, "\n**%s.** %s\n", s.title, s.text)
	}
	if p.bad != "" {
		fmt.Fprintf(&b, "\nBad:\n\n```go\n%s\n```\n\nGood:\n\n```go\n%s\n```\n", strings.TrimSpace(p.bad), strings.TrimSpace(p.good))
	}
	return b.String()
}

// anchor is the link that a rule's heading in RULES.md gets on the usual hosts.
func anchor(r hopcheck.Rule) string { return strings.ToLower(string(r.Code)) + "-" + r.Name }
