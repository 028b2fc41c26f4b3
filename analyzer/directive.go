package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// directive is one //hop: line, read. Exactly one of the fields after Verb is set, as the verb says.
type directive struct {
	// Pos and End enclose the comment, which is Text.
	Pos, End   token.Pos
	Text, Verb string

	Mutates []pathText   // mutates
	Returns []resultText // returns: one for each result
	Body    bodyText     // body
	Allow   []hopcheck.Code
	Reason  string // allow: the text behind --
}

// pathText is a parameter or the receiver by name and a path below it: t, t.W, ts[].
type pathText struct{ Name, Path string }

// resultText is what one result may share storage with.
type resultText struct {
	// Fresh: it may share storage with nothing.
	Fresh bool
	// Views are the places it may share storage with, the places themselves included.
	Views []pathText
}

// bodyText declares that a parameter, or a function-typed field of one, is the body of a HOP.
type bodyText struct {
	Param pathText
	Roles []hopcheck.Slot
}

// badDirective is a //hop: line that cannot be read.
type badDirective struct {
	Pos, End token.Pos
	// Remedy replaces that of the rule, if it is set.
	Reason, Remedy string
}

const directiveTool = "hop"

// verbs are the words after //hop:, what their arguments look like and what they say.
var verbs = []DirectiveVerb{
	{"mutates", "//hop:mutates t, ts[], t.W", "the function writes these parameters, its receiver, or parts of them"},
	{"returns", "//hop:returns fresh, view(t)|fresh", "one entry for each result: it shares storage with nothing (fresh), with t or a part of it (view(t) or t), or with one of several (|)"},
	{"pure", "//hop:pure", "the function writes nothing and has no side effects but printing; callers who cannot see it take its results for fresh unless //hop:returns says otherwise"},
	{"body", "//hop:body combine(carry, x)", "the parameter combine, or a field m.Step of a parameter m, is run as the body of an operator, with inputs of these roles: carry, x, element, operand; a label may stand before a role, as in left element; _ is an input that the operator has nothing to do with"},
	{"allow", "//hop:allow mutated-captured -- reason", "findings of these rules, by name or code and separated by commas, are accepted in the statement, declaration or list element that follows or that the line stands behind; in the package comment the line speaks of the whole file; the reason is required"},
}

// DirectiveVerb is one kind of //hop: line, for help texts.
type DirectiveVerb struct {
	// Verb is the word after //hop:, Usage an example, Doc what it says.
	Verb, Usage, Doc string
}

// Directives returns the kinds of //hop: lines.
func Directives() []DirectiveVerb { return slices.Clone(verbs) }

// DirectiveRules says what holds for all //hop: lines.
func DirectiveRules() string {
	return "A directive is a line comment without a space behind the slashes; one with spaces, or in /* */, is told. mutates, returns, pure and body stand in the doc " +
		"comment of a function, a method, an interface method or a function-typed field, and use the names of its parameters. " +
		"What is declared of a function with a body is a claim and is compared with the body, HOP902; callers go by what the body " +
		"does. What is declared of an interface method (its receiver is called receiver) or a field is a contract that the types " +
		"converted to the interface and the functions stored in the field must keep, HOP902 too. Functions without a body are " +
		"trusted. allow silences the analyzer only; the runtime refuses the body nevertheless. A line that cannot be read, " +
		"names no parameter, or accepts nothing is a finding itself, HOP901."
}

// readDirectives reads the //hop: lines of a comment group. Lines that cannot be read are returned as data.
func readDirectives(group *ast.CommentGroup) (list []directive, bad []badDirective) {
	if group == nil {
		return nil, nil
	}
	for _, c := range group.List {
		d, err, ok := readDirective(c)
		switch {
		case !ok:
		case err != nil:
			bad = append(bad, d.bad(err))
		default:
			list = append(list, d)
		}
	}
	return list, bad
}

// readDirective reads one comment; ok is false if it is no //hop: directive.
func readDirective(c *ast.Comment) (d directive, err error, ok bool) {
	d = directive{Pos: c.Pos(), End: c.End(), Text: c.Text}
	raw, isDirective := ast.ParseDirective(c.Pos(), c.Text)
	if !isDirective || raw.Tool != directiveTool {
		if meant := almostDirective(c); meant != "" {
			first, _, _ := strings.Cut(c.Text, "\n")
			return d, wrong("write "+meant, "%q is no directive, but plain text", first), true
		}
		return d, nil, false
	}
	d.Verb = raw.Name
	switch raw.Name {
	case "mutates":
		for _, field := range splitTop(raw.Args, ',') {
			p, err := parsePath(field)
			if err != nil {
				return d, d.unreadable(err, field), true
			}
			d.Mutates = append(d.Mutates, p)
		}
		if len(d.Mutates) == 0 {
			return d, wrong(form(raw.Name), "//hop:mutates names no parameter"), true
		}
	case "returns":
		for _, field := range splitTop(raw.Args, ',') {
			r, err := parseResult(field)
			if err != nil {
				return d, d.unreadable(err, field), true
			}
			d.Returns = append(d.Returns, r)
		}
		if len(d.Returns) == 0 {
			return d, wrong(form(raw.Name), "//hop:returns says nothing"), true
		}
	case "pure":
		if raw.Args != "" {
			return d, wrong("write //hop:pure, and other directives on lines of their own", "//hop:pure takes no arguments, got %q", raw.Args), true
		}
	case "body":
		d.Body, err = parseBody(raw.Args, c.Text)
	case "allow":
		d.Allow, d.Reason, err = parseAllow(raw.Args, c.Text)
	default:
		err = unknownVerb(c.Text, raw.Name)
	}
	return d, err, true
}

// unknownVerb is the error for a line that begins with none of the verbs.
func unknownVerb(line, verb string) error {
	remedy := "write one of them"
	if near := nearest(verb, verbNames()); near != "" {
		remedy = "write " + strings.Replace(line, ":"+verb, ":"+near, 1)
	}
	return wrong(remedy, "//hop:%s is no directive; the directives are %s", verb, enumerated(verbNames()))
}

// unreadable is the error for a place or result that cannot be read.
func (d *directive) unreadable(err error, field string) error {
	remedy := form(d.Verb)
	if word, rest, call := strings.Cut(field, "("); call && hopcheck.Nearest(word, []string{"view"}) != "" && strings.HasSuffix(rest, ")") {
		remedy = "write " + strings.Replace(d.Text, word+"(", "view(", 1)
	} else if words := strings.Fields(field); len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { _, err := parsePath(w); return err != nil }) {
		remedy = "write " + strings.Replace(d.Text, field, strings.Join(words, ", "), 1)
	}
	return wrong(remedy, "//hop:%s: %v", d.Verb, err)
}

// almostDirective returns the directive that a comment was meant to be: with a space too many, or in a comment of the other kind. Prose
// that happens to begin with hop: is none.
func almostDirective(c *ast.Comment) string {
	text, line := strings.CutPrefix(c.Text, "//")
	if !line {
		text = strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/")
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), directiveTool+":")
	if !ok || strings.Contains(rest, "\n") {
		return ""
	}
	if exact := strings.HasPrefix(c.Text, "//"+directiveTool+":"); exact && rest == "" {
		return "//" + directiveTool + ": and one of " + enumerated(verbNames())
	} else if verb, args, _ := strings.Cut(rest, " "); exact && slices.Contains(verbNames(), strings.ToLower(verb)) && !slices.Contains(verbNames(), verb) {
		return strings.TrimSpace("//" + directiveTool + ":" + strings.ToLower(verb) + " " + args)
	}
	words := strings.TrimSpace(rest)
	verb, _, _ := strings.Cut(words, " ")
	meant := "//" + directiveTool + ":" + words
	if !slices.Contains(verbNames(), verb) {
		return ""
	}
	if _, err, ok := readDirective(&ast.Comment{Slash: c.Slash, Text: meant}); words == rest || ok && err == nil {
		return meant
	}
	return ""
}

// parsePath reads t, t.W, t.Layers[].W or t.Layers[2].W.
func parsePath(s string) (pathText, error) {
	s = strings.TrimSpace(s)
	end := strings.IndexAny(s, ".[")
	if end < 0 {
		end = len(s)
	}
	p := pathText{Name: s[:end], Path: s[end:]}
	if !token.IsIdentifier(p.Name) {
		return p, fmt.Errorf("%q is no parameter or path", s)
	}
	for rest := p.Path; rest != ""; {
		switch rest[0] {
		case '.':
			n := strings.IndexAny(rest[1:], ".[") + 1
			if n == 0 {
				n = len(rest)
			}
			if !token.IsIdentifier(rest[1:n]) {
				return p, fmt.Errorf("%q is no field in path %q", rest[1:n], s)
			}
			rest = rest[n:]
		default:
			n := strings.IndexByte(rest, ']')
			if rest[0] != '[' || n < 0 {
				return p, fmt.Errorf("unclosed index in path %q", s)
			}
			rest = rest[n+1:]
		}
	}
	return p, nil
}

// parseResult reads fresh, view(t), t, or several of them joined by a bar.
func parseResult(s string) (resultText, error) {
	var r resultText
	for _, alternative := range splitTop(s, '|') {
		if alternative == "fresh" {
			r.Fresh = true
			continue
		}
		inner := alternative
		if call, ok := strings.CutPrefix(alternative, "view("); ok {
			if inner, ok = strings.CutSuffix(call, ")"); !ok {
				return r, fmt.Errorf("unclosed view in %q", s)
			}
		}
		p, err := parsePath(inner)
		if err != nil {
			return r, err
		}
		r.Views = append(r.Views, p)
	}
	if !r.Fresh && len(r.Views) == 0 {
		return r, fmt.Errorf("empty result")
	}
	return r, nil
}

// parseBody reads combine(carry, x); line is the whole directive.
func parseBody(s, line string) (bodyText, error) {
	name, list, ok := strings.Cut(s, "(")
	list, closed := strings.CutSuffix(list, ")")
	param, err := parsePath(name)
	if !ok || !closed || err != nil || strings.Contains(param.Path, "[") {
		return bodyText{}, wrong(form("body"), "//hop:body: cannot read %q", s)
	}
	b := bodyText{Param: param}
	for _, word := range splitTop(list, ',') {
		if word == "_" {
			b.Roles = append(b.Roles, hopcheck.Slot{})
			continue
		}
		slot, ok := parseSlot(word)
		if !ok {
			role := word[strings.LastIndexByte(word, ' ')+1:]
			remedy := respelled(line, role, inputRoles())
			if role == hopcheck.Captured.String() {
				remedy = "leave it out: the roles are those of the parameters, and what a body captures is none of them"
			}
			return bodyText{}, wrong(remedy, "//hop:body: %q is no role of an input; the roles are %s", role, enumerated(inputRoles()))
		}
		b.Roles = append(b.Roles, slot)
	}
	return b, nil
}

// parseSlot reads a role of an input, with an optional label before it: carry, left element.
func parseSlot(s string) (hopcheck.Slot, bool) {
	label, word := "", s
	if i := strings.LastIndexByte(s, ' '); i >= 0 {
		label, word = strings.TrimSpace(s[:i]), s[i+1:]
	}
	role, ok := hopcheck.ParseRole(word)
	return hopcheck.Slot{Role: role, Label: label}, ok && role.IsInput() && role != hopcheck.Captured
}

// parseAllow reads a comma list of codes or names, two dashes and a reason; line is the whole directive.
func parseAllow(s, line string) (codes []hopcheck.Code, reason string, err error) {
	list, reason, dashes := strings.Cut(s, "--")
	reason = strings.TrimSpace(reason)
	for _, word := range splitTop(list, ',') {
		rule, ok := hopcheck.FindRule(word)
		if ok {
			codes = append(codes, rule.Code)
			continue
		}
		first, rest, more := strings.Cut(word, " ")
		first = strings.TrimRight(first, ":;")
		if _, known := hopcheck.FindRule(first); known && more && !dashes {
			rest = strings.TrimLeft(rest, " -–—:")
			return nil, "", wrong("write //hop:allow "+strings.Replace(s, word, first, 1)[:strings.Index(s, word)+len(first)]+" -- "+rest, "//hop:allow: two dashes stand before the reason")
		}
		remedy := "hoplint list shows the rules"
		if near := hopcheck.Nearest(word, ruleNames()); near != "" {
			remedy = "write " + withWord(line, word, near)
		}
		return nil, "", wrong(remedy, "//hop:allow names no rule %q", word)
	}
	if len(codes) == 0 {
		return nil, "", wrong(form("allow"), "//hop:allow names no rule")
	}
	if reason == "" {
		return nil, "", wrong("write "+strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "--"))+" -- and why the finding is accepted", "//hop:allow without a reason suppresses nothing")
	}
	return codes, reason, nil
}

func usage(verb string) string {
	for _, v := range verbs {
		if v.Verb == verb {
			return v.Usage
		}
	}
	return ""
}

func verbNames() []string {
	names := make([]string, len(verbs))
	for i, v := range verbs {
		names[i] = v.Verb
	}
	return names
}

func inputRoles() []string {
	var words []string
	for r := hopcheck.Carry; r.IsInput(); r++ {
		if r != hopcheck.Captured {
			words = append(words, r.String())
		}
	}
	return words
}

func ruleNames() []string {
	var names []string
	for _, r := range hopcheck.Rules() {
		names = append(names, r.Name, string(r.Code))
	}
	return names
}

// splitTop splits at separators outside brackets, trims the fields and drops empty ones.
func splitTop(s string, separator byte) []string {
	var fields []string
	depth, start := 0, 0
	add := func(end int) {
		if f := strings.TrimSpace(s[start:end]); f != "" {
			fields = append(fields, f)
		}
		start = end + 1
	}
	for i := range len(s) {
		switch s[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case separator:
			if depth == 0 {
				add(i)
			}
		}
	}
	add(len(s))
	return fields
}
