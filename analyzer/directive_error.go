package analyzer

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// directiveError says what is wrong with a //hop: line and what to do about it.
type directiveError struct{ what, remedy string }

// Error is both, for texts of other kinds than findings.
func (e *directiveError) Error() string {
	if e.remedy == "" {
		return e.what
	}
	return e.what + "; " + e.remedy
}

// wrong makes a directiveError.
func wrong(remedy, format string, args ...any) error {
	return &directiveError{fmt.Sprintf(format, args...), remedy}
}

// bad is the line with its error as data.
func (d *directive) bad(err error) badDirective {
	b := badDirective{Pos: d.Pos, End: d.End, Reason: err.Error()}
	if e, ok := err.(*directiveError); ok {
		b.Reason, b.Remedy = e.what, e.remedy
	}
	return b
}

// finding is the finding at the line.
func (b *badDirective) finding() Finding {
	return Finding{Pos: b.Pos, End: b.End, Finding: hopcheck.Finding{Code: hopcheck.BadDirective, Detail: b.Reason, Remedy: b.Remedy}}
}

// form is the remedy for a line that cannot be read as a whole.
func form(verb string) string { return "its form is " + usage(verb) }

// respelled is the remedy for a word of a directive that is one of few: the line with the nearest of them, or the list.
func respelled(line, word string, allowed []string) string {
	if near := nearest(word, allowed); near != "" {
		return "write " + withWord(line, word, near)
	}
	return "write one of " + enumerated(allowed)
}

// nearest is the word that was meant. A single letter is near to itself only, but the only word there is is always meant.
func nearest(word string, allowed []string) string {
	if len(allowed) == 1 {
		return allowed[0]
	}
	if len(word) == 1 {
		allowed = slices.DeleteFunc(slices.Clone(allowed), func(w string) bool { return !strings.EqualFold(w, word) })
	}
	return hopcheck.Nearest(word, allowed)
}

// withWord is a directive with another word in place of one behind its verb.
func withWord(line, word, other string) string {
	letter := func(i int) bool {
		return i >= 0 && i < len(line) && (line[i] == '_' || line[i] >= 0x80 || '0' <= line[i] && line[i] <= '9' || 'a' <= line[i]|0x20 && line[i]|0x20 <= 'z')
	}
	for at := strings.IndexByte(line, ' '); at >= 0 && at < len(line); at++ {
		if strings.HasPrefix(line[at:], word) && !letter(at-1) && !letter(at+len(word)) {
			return line[:at] + other + line[at+len(word):]
		}
	}
	return line
}

// enumerated joins words: a, b and c.
func enumerated(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// unknownName is the error for a place that begins with the name of no parameter; words are what else could have been meant.
func unknownName(p pathText, d *directive, signature *types.Signature, words []string) error {
	var names []string
	unnamed := 0
	if recv := signature.Recv(); recv != nil && (recv.Name() == "" || recv.Name() == "_") {
		names = append(names, receiverWord)
	}
	for i := range numParams(signature) {
		switch name := paramVar(signature, i).Name(); {
		case name != "" && name != "_":
			names = append(names, name)
		case signature.Recv() == nil || i > 0:
			unnamed++
		}
	}
	var remedy string
	switch near := nearest(p.Name, append(slices.Clone(names), words...)); {
	case near != "":
		remedy = "write " + withWord(d.Text, p.Name, near)
	case unnamed > 0:
		remedy = "give the parameter that is meant a name"
	case len(names) > 0:
		remedy = "name one of " + strings.Join(names, ", ")
	default:
		remedy = "remove it: there is no parameter"
	}
	return wrong(remedy, "//hop:%s: no parameter is called %s", d.Verb, p.Name)
}

// checkPath returns an error if a path below a type certainly leads nowhere.
func checkPath(p pathText, d *directive, t types.Type) error {
	at := p.Name
	for path := p.Path; path != ""; {
		step, rest := cutStep(path)
		path = rest
		if pointer, ok := t.Underlying().(*types.Pointer); ok {
			t = pointer.Elem()
		}
		name := types.TypeString(t, func(p *types.Package) string { return p.Name() })
		switch u := t.Underlying().(type) {
		case *types.Struct:
			i := -1
			if step[0] == '.' {
				i = fieldNamed(u, step[1:])
			}
			if i < 0 {
				return noField(d, at, name, step, t, u)
			}
			t = u.Field(i).Type()
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		case *types.Basic, *types.Signature, *types.Chan:
			return wrong("end the path at "+at, "//hop:%s: %s is %s, which has no parts that can be named", d.Verb, at, name)
		default:
			return nil // what an interface holds or a type parameter stands for is not known
		}
		at += step
	}
	return nil
}

// noField is the error for a step that a struct does not have.
func noField(d *directive, at, name, step string, t types.Type, u *types.Struct) error {
	what := fmt.Sprintf("//hop:%s: %s is %s, which has no %s", d.Verb, at, name, strings.TrimPrefix(step, "."))
	if step[0] != '.' {
		return wrong("name one of its fields, as in "+at+"."+firstField(u), "//hop:%s: %s is %s, which has fields and no elements", d.Verb, at, name)
	}
	if isTensor(t) {
		return wrong("end the path at "+at, "%s that can be named", what)
	}
	if _, index, _ := types.LookupFieldOrMethod(t, true, nil, step[1:]); len(index) > 1 {
		whole := at
		for _, i := range index {
			if s, ok := t.Underlying().(*types.Struct); ok && i < s.NumFields() {
				whole += "." + s.Field(i).Name()
				t = s.Field(i).Type()
				if p, ok := t.Underlying().(*types.Pointer); ok {
					t = p.Elem()
				}
			}
		}
		return wrong("write "+withWord(d.Text, at+step, whole), "%s of its own", what)
	}
	var fields []string
	for i := range u.NumFields() {
		fields = append(fields, u.Field(i).Name())
	}
	if near := nearest(step[1:], fields); near != "" {
		return wrong("write "+withWord(d.Text, at+step, at+"."+near), "%s", what)
	}
	if len(fields) == 0 {
		return wrong("end the path at "+at, "%s", what)
	}
	return wrong("name one of its fields, "+strings.Join(fields, ", "), "%s", what)
}

func firstField(u *types.Struct) string {
	if u.NumFields() == 0 {
		return "field"
	}
	return u.Field(0).Name()
}

// refersToNothing reports whether a value of a type is all there is: numbers, text, and structs and arrays of them.
func refersToNothing(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Struct:
		for i := range u.NumFields() {
			if !refersToNothing(u.Field(i).Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		return refersToNothing(u.Elem())
	}
	return false
}

// standsOn says what a directive stands on that declares nothing there, and where it belongs.
func standsOn(d *directive, below ast.Node, file *ast.File) error {
	what := "//hop:" + d.Verb + " stands on "
	named := "declare a function with a name and put the line into its doc comment"
	switch n := below.(type) {
	case *ast.FuncDecl:
		return wrong("put it directly above func "+n.Name.Name+", into the doc comment", "//hop:%s is parted from func %s and so declares nothing", d.Verb, n.Name.Name)
	case *ast.GenDecl, *ast.ValueSpec, *ast.TypeSpec, *ast.ImportSpec:
		return wrong(named, "%s%s, and not on a function, method or function-typed field", what, kindOf(n))
	case ast.Stmt, *ast.FuncLit:
		return wrong(named, "%sa statement, and not on a function, method or function-typed field", what)
	case *ast.Field:
		return wrong("put it directly above the method or field", "%sno function, method or function-typed field", what)
	}
	if d.Pos < file.Package {
		return wrong("put it into the doc comment of a function", "%sthe package, of which only //hop:allow can speak", what)
	}
	return wrong("put it into the doc comment of a function", "%sno function, method or function-typed field", what)
}

// kindOf says what a declaration declares.
func kindOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GenDecl:
		if len(n.Specs) > 0 {
			return kindOfSpec(n.Specs[0], n.Tok.String())
		}
	case ast.Spec:
		return kindOfSpec(n, "")
	}
	return "a declaration"
}

func kindOfSpec(spec ast.Spec, word string) string {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return "type " + s.Name.Name
	case *ast.ValueSpec:
		if word == "const" {
			return "constant " + s.Names[0].Name
		}
		return "variable " + s.Names[0].Name
	case *ast.ImportSpec:
		return "an import"
	}
	return "a declaration"
}

// sameClaim returns an error where a directive says again, or otherwise, what the ones above it said.
func (c *Claim) sameClaim(d *directive, object types.Object) error {
	const remedy = "remove one of the two lines"
	switch d.Verb {
	case "pure":
		if c.Pure {
			return wrong(remedy, "%s is declared pure twice", object.Name())
		}
		if len(c.Mutates) > 0 {
			return wrong(remedy, "//hop:pure contradicts //hop:mutates: a pure function writes nothing that it was given")
		}
	case "mutates":
		if c.Pure {
			return wrong(remedy, "%s contradicts //hop:pure: a pure function writes nothing that it was given", d.Text)
		}
	case "returns":
		if len(c.Returns) > 0 {
			return wrong("write one line with an entry for each result, as in "+usage("returns"), "%s has a second line //hop:returns", object.Name())
		}
	}
	return nil
}

// repeats reports whether a place was named before.
func (c *Claim) repeats(p ClaimPlace) bool { return slices.Contains(c.Mutates, p) }
