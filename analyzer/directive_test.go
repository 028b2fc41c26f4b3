package analyzer

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
)

func TestDirectives(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"//hop:mutates t", "mutates [{t }] [] {} []"},
		{"//hop:mutates t.W, ts[2].H", "mutates [{t .W} {ts [2].H}] [] {} []"},
		{"//hop:returns fresh", "returns [] [{fresh []}] {} []"},
		{"//hop:returns view(t)", "returns [] [{ [{t }]}] {} []"},
		{"//hop:returns view(t.H)|fresh, t", "returns [] [{fresh [{t .H}]} { [{t }]}] {} []"},
		{"//hop:returns view(a)|view(b)", "returns [] [{ [{a } {b }]}] {} []"},
		{"//hop:pure", "pure [] [] {} []"},
		{"//hop:body combine(carry, x)", "body [] [] {combine carry,x} []"},
		{"//hop:body f(left element, right element)", "body [] [] {f left element,right element} []"},
		{"//hop:body m.Step(carry, x)", "body [] [] {m.Step carry,x} []"},
		{"//hop:body f(_, operand)", "body [] [] {f value,operand} []"},
		{"//hop:allow mutated-captured -- running mean", "allow [] [] {} [HOP104] running mean"},
		{"//hop:allow HOP101,mutated-x -- both", "allow [] [] {} [HOP101 HOP102] both"},
	} {
		d, err, ok := readDirective(&ast.Comment{Slash: 1, Text: tc.text})
		if !ok || err != nil {
			t.Errorf("%s: directive %t, error %v", tc.text, ok, err)
			continue
		}
		if got := describe(d); got != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tc.text, got, tc.want)
		}
	}
}

func describe(d directive) string {
	var returns []string
	for _, r := range d.Returns {
		fresh := ""
		if r.Fresh {
			fresh = "fresh"
		}
		returns = append(returns, fmt.Sprintf("{%s %v}", fresh, r.Views))
	}
	var roles []string
	for _, s := range d.Body.Roles {
		roles = append(roles, strings.TrimSpace(s.Label+" "+s.Role.String()))
	}
	body := strings.TrimSpace(d.Body.Param.Name + d.Body.Param.Path + " " + strings.Join(roles, ","))
	var allow []string
	for _, c := range d.Allow {
		allow = append(allow, string(c))
	}
	return strings.TrimSpace(fmt.Sprintf("%s %v %v {%s} %v %s", d.Verb, d.Mutates, returns, body, allow, d.Reason))
}

func TestBadDirectivesSayWhatIsWrongAndWhatToWrite(t *testing.T) {
	for _, tc := range []struct{ text, what, remedy string }{
		{"//hop:mutate t", "//hop:mutate is no directive; the directives are mutates, returns, pure, body and allow", "write //hop:mutates t"},
		{"//hop:scan f", "//hop:scan is no directive; the directives are mutates, returns, pure, body and allow", "write one of them"},
		{"//hop:mutates", "names no parameter", "its form is //hop:mutates t, ts[], t.W"},
		{"//hop:mutates 9", `"9" is no parameter or path`, "its form is //hop:mutates t, ts[], t.W"},
		{"//hop:mutates t s.W", `"t s.W" is no parameter or path`, "write //hop:mutates t, s.W"},
		{"//hop:mutates t.", `"" is no field`, "its form is"},
		{"//hop:mutates t[0", "unclosed index", "its form is"},
		{"//hop:returns", "says nothing", "its form is //hop:returns fresh, view(t)|fresh"},
		{"//hop:returns view(t", "unclosed view", "its form is"},
		{"//hop:returns views(t)|fresh", "is no parameter or path", "its form is"},
		{"//hop:returns vew(t)", `"vew(t)" is no parameter or path`, "write //hop:returns view(t)"},
		{"//hop:returns |", "empty result", "its form is"},
		{"//hop:pure t", "takes no arguments", "write //hop:pure, and other directives on lines of their own"},
		{"//hop:body combine", "cannot read", "its form is //hop:body combine(carry, x)"},
		{"//hop:body combine(cary)", `"cary" is no role of an input; the roles are carry, x, element and operand`, "write //hop:body combine(carry)"},
		{"//hop:body y(y)", `"y" is no role of an input`, "write one of carry, x, element and operand"},
		{"//hop:body xs(left elment, right element)", `"elment" is no role of an input`, "write //hop:body xs(left element, right element)"},
		{"//hop:body combine(captured)", `"captured" is no role of an input`, "leave it out"},
		{"//hop:allow mutated-cary -- why", `names no rule "mutated-cary"`, "write //hop:allow mutated-carry -- why"},
		{"//hop:allow something -- why", `names no rule "something"`, "hoplint list shows the rules"},
		{"//hop:allow mutated-carry", "without a reason", "write //hop:allow mutated-carry -- and why"},
		{"//hop:allow mutated-carry --", "without a reason", "write //hop:allow mutated-carry -- and why"},
		{"//hop:allow mutated-x, mutated-carry - why so", "two dashes stand before the reason", "write //hop:allow mutated-x, mutated-carry -- why so"},
		{"//hop:allow mutated-carry: why", "two dashes stand before the reason", "write //hop:allow mutated-carry -- why"},
		{"//hop:allow -- why", "names no rule", "its form is"},
		{"// hop:pure", `"// hop:pure" is no directive, but plain text`, "write //hop:pure"},
		{"//hop:Pure", "is no directive", "write //hop:pure"},
		{"//hop:", "is no directive", "write //hop: and one of mutates"},
		{"//hop: pure", "is no directive", "write //hop:pure"},
		{"// hop: mutates t", "is no directive", "write //hop:mutates t"},
		{"/*hop:pure*/", "is no directive", "write //hop:pure"},
		{"/* hop:returns view(t) */", "is no directive", "write //hop:returns view(t)"},
		{"//\thop:pure", "is no directive", "write //hop:pure"},
		{"// hop:allow mutated-carry", "is no directive", "write //hop:allow mutated-carry"},
	} {
		d, err, ok := readDirective(&ast.Comment{Slash: 1, Text: tc.text})
		if !ok || err == nil {
			t.Errorf("%s: directive %t, error %v", tc.text, ok, err)
			continue
		}
		if b := d.bad(err); !strings.Contains(b.Reason, tc.what) || !strings.HasPrefix(b.Remedy, tc.remedy) {
			t.Errorf("%s:\n got %s; %s\nwant %s; %s", tc.text, b.Reason, b.Remedy, tc.what, tc.remedy)
		}
	}
	for _, other := range []string{"//go:noinline", "// plain", "// hop: returns the next row", "// hop:scan runs it", "// see //hop:pure", "// hop is short", "/* hop:pure\nand more */", "//hop", "// hop:"} {
		if _, err, ok := readDirective(&ast.Comment{Slash: 1, Text: other}); ok {
			t.Errorf("%s was taken for a directive, error %v", other, err)
		}
	}
}

func FuzzDirective(f *testing.F) {
	for _, v := range verbs {
		f.Add(v.Usage)
	}
	f.Add("//hop:returns view(t.H[0])|fresh, t")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\n\r") {
			return
		}
		d, err, ok := readDirective(&ast.Comment{Slash: 1, Text: text})
		if ok && err == nil && usage(d.Verb) == "" {
			t.Errorf("%q was read as the unknown verb %q", text, d.Verb)
		}
	})
}
