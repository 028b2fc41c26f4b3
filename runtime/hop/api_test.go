package hop

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestAPIListIsCurrent keeps api.txt, every exported name with its type and directives, so that a change of the public
// surface is always seen in a diff.
func TestAPIListIsCurrent(t *testing.T) {
	lines, undocumented, err := publicAPI(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range undocumented {
		t.Errorf("%s has no doc comment", name)
	}
	golden(t, "api.txt", []byte(strings.Join(lines, "\n")+"\n"))
}

// publicAPI lists the exported declarations of the package in a folder, sorted, and those without a doc comment.
func publicAPI(dir string) (lines, undocumented []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	fset := token.NewFileSet()
	l := apiList{fset: fset}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, e.Name(), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				l.function(d)
			case *ast.GenDecl:
				l.declaration(d)
			}
		}
	}
	slices.Sort(l.lines)
	slices.Sort(l.undocumented)
	return l.lines, l.undocumented, nil
}

type apiList struct {
	fset         *token.FileSet
	lines        []string
	undocumented []string
}

func (l *apiList) text(node any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, l.fset, node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func (l *apiList) add(name, line string, docs ...*ast.CommentGroup) {
	l.lines = append(l.lines, line)
	if !slices.ContainsFunc(docs, func(g *ast.CommentGroup) bool { return g != nil && g.Text() != "" }) {
		l.undocumented = append(l.undocumented, name)
	}
}

func (l *apiList) function(d *ast.FuncDecl) {
	name := d.Name.Name
	if d.Recv != nil {
		base := strings.TrimPrefix(l.text(d.Recv.List[0].Type), "*")
		base, _, _ = strings.Cut(base, "[")
		if !ast.IsExported(base) {
			return
		}
		name = base + "." + name
	}
	if !d.Name.IsExported() {
		return
	}
	line := l.text(&ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type})
	if d.Doc != nil {
		for _, c := range d.Doc.List {
			if directive, ok := strings.CutPrefix(c.Text, "//hop:"); ok {
				line += " //hop:" + directive
			}
		}
	}
	l.add(name, line, d.Doc)
}

func (l *apiList) declaration(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				l.typeLines(d, s)
			}
		case *ast.ValueSpec:
			for i, name := range s.Names {
				if !name.IsExported() {
					continue
				}
				line := fmt.Sprintf("%s %s", d.Tok, name.Name)
				if s.Type != nil {
					line += " " + l.text(s.Type)
				}
				if i < len(s.Values) {
					line += " = " + l.text(s.Values[i])
				}
				l.add(name.Name, line, d.Doc, s.Doc, s.Comment)
			}
		}
	}
}

// typeLines writes one line for a type and one for each exported field or method of a struct or interface.
func (l *apiList) typeLines(d *ast.GenDecl, s *ast.TypeSpec) {
	assign := " "
	if s.Assign.IsValid() {
		assign = " = "
	}
	params := ""
	if s.TypeParams != nil {
		params = "[" + l.text(s.TypeParams) + "]"
	}
	head := "type " + s.Name.Name + params + assign
	var fields *ast.FieldList
	switch t := s.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
		head += "struct"
		if len(fields.List) == 0 {
			head += "{}"
		}
	default:
		head += l.text(s.Type)
	}
	l.add(s.Name.Name, head, d.Doc, s.Doc)
	if fields == nil {
		return
	}
	for _, f := range fields.List {
		for _, name := range f.Names {
			if name.IsExported() {
				l.lines = append(l.lines, fmt.Sprintf("field %s.%s %s", s.Name.Name, name.Name, l.text(f.Type)))
			}
		}
	}
}

func TestAPIListShowsNamesTypesAndDirectives(t *testing.T) {
	lines, _, err := publicAPI(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"func (t *Tensor) Add(other *Tensor) *Tensor //hop:returns fresh",
		"func (t *Tensor) AddInPlace(other *Tensor) *Tensor //hop:mutates t //hop:returns t",
		"func FromSlice[T Elem](data []T, dims ...int) *Tensor //hop:returns fresh",
		"type None = struct{}",
		"type Tensor struct",
		"field Error.Step int",
		"const Float64 = tracer.Float64",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %q", want)
		}
	}
}
