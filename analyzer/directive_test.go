package analyzer

import (
	"fmt"
	"go/ast"
	"go/types"
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

func TestBadDirectivesSayWhatIsWrong(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"//hop:mutate t", "unknown directive //hop:mutate; did you mean mutates?"},
		{"//hop:mutates", "names no parameter"},
		{"//hop:mutates 9", `"9" is no parameter or path`},
		{"//hop:mutates t.", `"" is no field`},
		{"//hop:mutates t[0", "unclosed index"},
		{"//hop:returns", "says nothing"},
		{"//hop:returns view(t", "unclosed view"},
		{"//hop:returns |", "empty result"},
		{"//hop:pure t", "takes no arguments"},
		{"//hop:body combine", "cannot read"},
		{"//hop:body combine(cary)", `"cary" is no role of an input; did you mean carry?`},
		{"//hop:body combine(captured)", `"captured" is no role of an input`},
		{"//hop:allow mutated-cary -- why", `names no rule "mutated-cary"; did you mean mutated-carry?`},
		{"//hop:allow mutated-carry", "without a reason"},
		{"//hop:allow mutated-carry --", "without a reason"},
		{"//hop:allow -- why", "names no rule"},
		{"// hop:pure", `"// hop:pure" is no directive, but plain text; write //hop:pure`},
		{"//hop: pure", "write //hop:pure"},
		{"// hop: mutates t", "write //hop:mutates t"},
		{"/*hop:pure*/", "write //hop:pure"},
		{"/* hop:returns view(t) */", "write //hop:returns view(t)"},
		{"//\thop:pure", "write //hop:pure"},
		{"// hop:allow mutated-carry", "write //hop:allow mutated-carry"},
	} {
		_, err, ok := readDirective(&ast.Comment{Slash: 1, Text: tc.text})
		if !ok || err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: directive %t, error %v, want one that says %s", tc.text, ok, err, tc.want)
		}
	}
	for _, other := range []string{"//go:noinline", "// plain", "// hop: returns the next row", "// hop:scan runs it", "// see //hop:pure", "// hop is short", "/* hop:pure\nand more */", "//hop"} {
		if _, err, ok := readDirective(&ast.Comment{Slash: 1, Text: other}); ok {
			t.Errorf("%s was taken for a directive, error %v", other, err)
		}
	}
}

func TestUnknownNamesInDirectivesGetASuggestion(t *testing.T) {
	tensor := types.NewVar(0, nil, "tensor", types.Typ[types.Int])
	signature := types.NewSignatureType(nil, nil, nil, types.NewTuple(tensor), types.NewTuple(tensor), false)
	for _, tc := range []struct{ text, want string }{
		{"//hop:returns frsh", "no parameter is called frsh; did you mean fresh?"},
		{"//hop:returns view(tensr)", "no parameter is called tensr; did you mean tensor?"},
		{"//hop:mutates frsh", "no parameter is called frsh"},
		{"//hop:mutates tensors", "no parameter is called tensors; did you mean tensor?"},
	} {
		d, err, _ := readDirective(&ast.Comment{Slash: 1, Text: tc.text})
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Claim).apply(d, tensor, signature); err == nil || err.Error() != tc.want {
			t.Errorf("%s: got %v, want %s", tc.text, err, tc.want)
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
