package hop

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hoplint/hoplint/hopcheck"
)

var update = flag.Bool("update", false, "write generated and golden files")

// TestMethodsAreUpToDate renders methods_gen.go from the op literals.
func TestMethodsAreUpToDate(t *testing.T) {
	rows, err := readRows()
	if err != nil {
		t.Fatal(err)
	}
	src, err := renderMethods(rows)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "methods_gen.go", src)
}

// golden compares got with a committed file, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale; run go test ./runtime/hop -run '%s' -update\n%s", name, t.Name(),
			cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")))
	}
}

// row is what an op literal says, read from its source: the generator must work while the generated file is stale.
type row struct {
	variable string            // opAdd
	text     map[string]string // string fields
	is       map[string]bool   // bool fields that are set
	has      map[string]bool   // all fields
	infer    string            // source of the shape rule, without arguments
	dtypes   string            // name of the dtype set
}

func (r *row) id() string { return "id" + strings.TrimPrefix(r.variable, "op") }

// readRows reads the literals of the ops_*.go files, in the order of files and lines.
func readRows() ([]row, error) {
	files, err := filepath.Glob("ops_*.go")
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	fset := token.NewFileSet()
	var rows []row
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				r, ok, err := readRow(spec.(*ast.ValueSpec))
				if err != nil {
					return nil, fmt.Errorf("%s: %w", fset.Position(spec.Pos()), err)
				}
				if ok {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows, nil
}

func readRow(spec *ast.ValueSpec) (row, bool, error) {
	if len(spec.Values) != 1 {
		return row{}, false, nil
	}
	lit, ok := spec.Values[0].(*ast.CompositeLit)
	if !ok {
		return row{}, false, nil
	}
	if typ, ok := lit.Type.(*ast.Ident); !ok || typ.Name != "opRow" {
		return row{}, false, nil
	}
	r := row{variable: spec.Names[0].Name, text: map[string]string{}, is: map[string]bool{}, has: map[string]bool{}}
	for _, elt := range lit.Elts {
		kv := elt.(*ast.KeyValueExpr)
		key := kv.Key.(*ast.Ident).Name
		r.has[key] = true
		switch v := kv.Value.(type) {
		case *ast.BasicLit:
			s, err := strconv.Unquote(v.Value)
			if err != nil {
				return row{}, false, err
			}
			r.text[key] = s
		case *ast.Ident:
			r.is[key] = v.Name == "true"
			switch key {
			case "Infer":
				r.infer = v.Name
			case "DTypes":
				r.dtypes = v.Name
			}
		case *ast.CallExpr:
			if name, ok := v.Fun.(*ast.Ident); ok && key == "Infer" {
				r.infer = name.Name
				if arg, ok := v.Args[0].(*ast.Ident); ok && name.Name == "keyed" {
					r.infer += "(" + arg.Name + ")"
				}
			}
		}
	}
	return r, true, nil
}

// shapeTexts say in the doc comment what a shape rule does.
var shapeTexts = map[string]string{
	"sameAs":          "the result has the shape and dtype of %s",
	"toBool":          "the result has the shape of %s and is bool",
	"broadcast":       "operands of one dtype broadcast; the result has their dtype",
	"compare":         "operands of one dtype broadcast; the result is bool",
	"choose":          "cond is bool, a and b have one dtype; all three broadcast",
	"withScalars":     "the result has the shape of %s; Go numbers take its dtype",
	"casting":         "the result has the shape of %s",
	"filling":         "src has the dtype of %s and broadcasts to its shape",
	"reduced":         "dims are dropped",
	"reducedNonEmpty": "dims are dropped",
	"picked":          "dim is dropped",
	"along":           "the result has the shape of %s",
	"narrowed":        "dim gets size length",
	"sliced":          "dim gets size ceil((stop-start)/step)",
	"selected":        "dim is dropped",
	"transposed":      "sizes a and b are exchanged",
	"permuted":        "the sizes in the order dims",
	"expanded":        "the result has shape dims",
	"reshaped":        "the result has shape dims, of as many elements as %s",
	"flattened":       "[n] with n the number of elements",
	"squeezed":        "dims are dropped",
	"unsqueezed":      "a size 1 is inserted at dim",
	"diagonalOf":      "dims a and b are dropped, the length of the diagonal comes last",
	"windowed":        "the given shape",
	"flipped":         "the result has the shape and dtype of %s",
	"concatenated":    "sizes are equal but along dim, where they add up; one dtype",
	"stacked":         "shapes are equal; size len(tensors) is inserted at dim; one dtype",
	"multiplied":      "[..., n, k] and [..., k, m] give [..., n, m]; one dtype",
	"dotted":          "[n] and [n] give []; one dtype",
	"outerProduct":    "[n] and [m] give [n, m]; one dtype",
	"squareKept":      "[..., n, n] gives [..., n, n]",
	"determined":      "[..., n, n] gives [...]",
	"solvedFor":       "t is [..., n, n], b a vector [n] or matrices [..., n, k], the result [..., n] or [..., n, k]; batches broadcast; one dtype",
	"orthogonalised":  "[..., m, n] gives q [..., m, k] and r [..., k, n] with k = min(m, n)",
	"convolved":       "[..., c, l] and [o, c/groups, k] give [..., o, floor((l + 2·padding - dilation·(k-1) - 1)/stride) + 1]; one dtype",

	"gathered":        "index has as many dims as t; all but dim broadcast, the size of dim is that of index",
	"indexSelected":   "index is [m]; dim gets size m",
	"taken":           "the result has the shape of index",
	"scattered":       "index has as many dims as t and broadcasts to it but along dim; src broadcasts to index; the result has the shape and dtype of t",
	"oneHotted":       "a size n is added behind the dims of t; the result has the given dtype",
	"atIndex":         "index is []; dim is dropped",
	"putIndex":        "index is [], value broadcasts to t without dim; the result has the shape and dtype of t",
	"repeated":        "the size of dim grows n times",
	"padded":          "the size of dim grows by before and after",
	"triangular":      "[..., n, m]; the result has the shape and dtype of t",
	"sorted":          "both results have the shape of t, the indices are int64",
	"topOf":           "dim gets size k; the indices are int64",
	"pickedWithValue": "dim is dropped; the indices are int64",
	"searched":        "t is [n], the result has the shape of values; one dtype",
	"nonzeroRows":     "[m, rank of t] for m elements that are not 0",

	"keyed(splitAll)":  "key is int32[2], the result int32[n, 2]; row i is a key",
	"keyed(folded)":    "key is int32[2], so is the result; i is one int32 or int64 without dims",
	"keyed(drawn)":     "key is int32[2], the result float32 or float64, as dtype says, of shape dims; no dims give one number",
	"keyed(drawnInts)": "key is int32[2], the result is int64 of shape dims",
	"keyed(tossed)":    "key is int32[2], p float32 or float64 of any shape, the result bool of the shape of p",
	"keyed(chosen)":    "key is int32[2], logits float32 or float64 of shape [..., classes], the result int64[...]: the last dim is dropped",
	"keyed(shuffled)":  "key is int32[2], the result int64[n]",
}

// indexes are the rules of ops whose kernel checks an index tensor.
var indexes = map[string]bool{"gathered": true, "indexSelected": true, "taken": true, "scattered": true, "oneHotted": true, "atIndex": true, "putIndex": true}

var dtypeSets = map[string]dtypeSet{"bools": bools, "words": words, "ints": ints, "floats": floats, "numbers": numbers, "logical": logical, "anyDType": anyDType}

// function is one exported function that a row gives rise to.
type function struct {
	row     *row
	schema  hopcheck.Schema
	name    string
	method  bool
	keepDim bool
	writes  bool
}

func renderMethods(rows []row) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Code generated by gen_test.go from the op literals. DO NOT EDIT.\n\npackage hop\n\nimport (\n\t\"sync\"\n\n\t\"github.com/hoplint/hoplint/tracer\"\n)\n\n")
	b.WriteString("// The ops, in the order of their files.\nconst (\n")
	for i, r := range rows {
		b.WriteString("\t" + r.id())
		if i == 0 {
			b.WriteString(" opID = iota")
		}
		b.WriteString("\n")
	}
	b.WriteString(")\n\n// opTable is the op table.\nvar opTable = [...]*opRow{\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "\t%s: &%s,\n", r.id(), r.variable)
	}
	b.WriteString("}\n\n// opsByName finds an op by the name that graphs use.\nvar opsByName = sync.OnceValue(func() map[string]*opRow {\n\tm := make(map[string]*opRow, len(opTable))\n\tfor _, op := range opTable {\n\t\tm[op.Name] = op\n\t}\n\treturn m\n})\n")
	for i := range rows {
		fs, err := functions(&rows[i])
		if err != nil {
			return nil, err
		}
		for _, f := range fs {
			if err := f.render(&b); err != nil {
				return nil, err
			}
		}
	}
	src, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, b.Bytes())
	}
	return src, nil
}

// functions lists what a row exports, in order.
func functions(r *row) ([]function, error) {
	schema, err := hopcheck.ParseSchema(r.text["Schema"])
	if err != nil {
		return nil, err
	}
	if r.is["ByHand"] || r.is["Internal"] {
		return nil, nil
	}
	var fs []function
	name, method := r.text["Method"], true
	if f := r.text["Func"]; f != "" {
		name, method = f, false
	}
	if name != "" {
		fs = append(fs, function{row: r, schema: schema, name: name, method: method})
		if i := len(schema.Params) - 1; schema.Params[i].Name == "keepdim" {
			fs = append(fs, function{row: r, schema: schema, name: name + "KeepDims", method: method, keepDim: true})
		}
	}
	if text := r.text["InPlace"]; text != "" {
		written, err := hopcheck.ParseSchema(text)
		if err != nil {
			return nil, err
		}
		writer := r.text["Writer"]
		if writer == "" {
			writer = name + "InPlace"
		}
		fs = append(fs, function{row: r, schema: written, name: writer, method: true, writes: true})
	}
	return fs, nil
}

// goName is the Go parameter for a parameter of a schema.
func goName(param string) string {
	if param == "self" {
		return "t"
	}
	return param
}

func (f *function) render(b *bytes.Buffer) error {
	var params, tensors, attributes []string
	for i, p := range f.schema.Params {
		name := goName(p.Name)
		switch {
		case p.Type == "Tensor":
			tensors = append(tensors, name)
			if p.Variadic {
				tensors[len(tensors)-1] += "..."
				params = append(params, name+" ...*Tensor")
			} else if i > 0 || !f.method {
				params = append(params, name+" *Tensor")
			}
			continue
		case p.Name == "keepdim":
			attributes = append(attributes, fmt.Sprintf("{Key: %q, Value: %t}", p.Name, f.keepDim))
			continue
		}
		typ := map[string]string{"int": "int", "float": "float64", "bool": "bool", "dtype": "DType", "string": "string"}[p.Type]
		if typ == "" {
			return fmt.Errorf("%s: no Go type for %s", f.name, p.Type)
		}
		if p.Variadic {
			typ = "..." + typ
		}
		params = append(params, name+" "+typ)
		attributes = append(attributes, fmt.Sprintf("{Key: %q, Value: %s}", p.Name, name))
	}
	if err := f.doc(b, len(tensors)); err != nil {
		return err
	}
	receiver := ""
	if f.method {
		receiver = "(t *Tensor) "
	}
	list := "nil"
	if len(attributes) > 0 {
		list = "tracer.Attrs{" + strings.Join(attributes, ", ") + "}"
	}
	call := fmt.Sprintf("apply(%s, %s, %s)", f.row.id(), list, strings.Join(tensors, ", "))
	result := "*Tensor"
	switch {
	case len(f.schema.Results) > 1:
		result = "(" + f.row.text["Results"] + " *Tensor)"
		call = fmt.Sprintf("applyAll(%s, %s, %s)", f.row.id(), list, strings.Join(tensors, ", "))
	case f.writes:
		call = fmt.Sprintf("write(%s, %s, %s)", f.row.id(), list, strings.Join(tensors, ", "))
	case list == "nil" && len(tensors) == 1:
		call = fmt.Sprintf("unary(%s, %s)", f.row.id(), tensors[0])
	case list == "nil" && len(tensors) == 2:
		call = fmt.Sprintf("binary(%s, %s)", f.row.id(), strings.Join(tensors, ", "))
	}
	fmt.Fprintf(b, "func %s%s(%s) %s {\n", receiver, f.name, strings.Join(params, ", "), result)
	if n := len(f.schema.Results); n > 1 {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf("results[%d]", i)
		}
		fmt.Fprintf(b, "\tresults := %s\n\treturn %s\n}\n", call, strings.Join(parts, ", "))
		return nil
	}
	fmt.Fprintf(b, "\treturn %s\n}\n", call)
	return nil
}

// doc writes the comment: what; shapes and dtypes; aliasing; errors; gradient; source; directives.
func (f *function) doc(b *bytes.Buffer, tensors int) error {
	r := f.row
	shape, ok := shapeTexts[r.infer]
	if !ok {
		return fmt.Errorf("%s: shapeTexts says nothing about the shape rule %q", f.name, r.infer)
	}
	if strings.Contains(shape, "%s") {
		shape = fmt.Sprintf(shape, "t")
	}
	b.WriteString("\n")
	switch {
	case f.writes:
		fmt.Fprintf(b, "// %s writes to t: %s. It returns t.\n", f.name, r.text["Doc"])
	case f.keepDim:
		fmt.Fprintf(b, "// %s returns %s. The reduced dims are kept with size 1.\n", f.name, r.text["Doc"])
		shape = strings.Replace(strings.Replace(shape, "dims are dropped", "dims get size 1", 1), "dim is dropped", "dim gets size 1", 1)
	default:
		fmt.Fprintf(b, "// %s returns %s.\n", f.name, r.text["Doc"])
	}
	fmt.Fprintf(b, "//\n// Shapes: %s.", shape)
	if !strings.HasPrefix(r.infer, "keyed(") { // whose shapes say the dtypes of key and result
		fmt.Fprintf(b, " Dtypes: %s.", dtypeSets[r.dtypes])
	}
	b.WriteString("\n")
	res := f.schema.Results[0]
	switch {
	case f.writes:
		b.WriteString("// Aliasing: the result is t; its version counter goes up by one for all its views.\n")
	case res.OrFresh:
		b.WriteString("// Aliasing: the result may be a view of t.\n")
	case res.Storage != "":
		b.WriteString("// Aliasing: the result is a view of t, on its storage and version counter.\n")
	case len(f.schema.Results) > 1:
		b.WriteString("// Aliasing: the results are fresh.\n")
	default:
		b.WriteString("// Aliasing: the result is fresh.\n")
	}
	errors := "a dtype that does not fit"
	if tensors > 1 || len(f.schema.Params) > tensors {
		errors = "operands or arguments that do not fit"
	}
	if indexes[r.infer] {
		errors += ", and for an index out of range, with its position"
	}
	if f.writes {
		errors += ", an expanded receiver, or a leaf that requires grad (HOP602)"
	}
	fmt.Fprintf(b, "// Errors: panics with *[Error] for %s.\n", errors)
	if r.has["VJP"] {
		b.WriteString("// Gradient: defined.\n")
	} else {
		fmt.Fprintf(b, "// Gradient: none; %s.\n", r.text["NoGrad"])
	}
	fmt.Fprintf(b, "// Source: %s.\n//\n", r.text["Source"])
	for _, line := range f.schema.Directives(goName) {
		b.WriteString(line + "\n")
	}
	return nil
}
