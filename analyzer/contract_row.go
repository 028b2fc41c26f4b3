package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// ContractRow is what directives declare of code that cannot be edited: of a function, a method, a method of an interface or a
// function-typed field of a struct.
type ContractRow struct {
	// Name is the import path and the name: "slices.SortFunc", "example.com/opt.Problem.Func" for a field or method of a type. The
	// spelling of go doc and of stack traces, "(*example.com/opt.Sum).Add", is read too.
	Name string
	// Directives are //hop: lines, of any kind but allow.
	Directives []string
}

// ReadContractRow reads a row of a table of contracts: a name, a colon and directives.
//
//	gonum.org/v1/gonum/optimize.Problem.Grad: //hop:mutates grad
//	example.com/kernels.Scale: //hop:mutates dst //hop:returns fresh, fresh
//
// Errors say what cannot be read. Whether the name and its parameters exist is found out where the package is imported.
func ReadContractRow(text string) (ContractRow, error) {
	name, rest, ok := strings.Cut(text, ":")
	row := ContractRow{Name: strings.TrimSpace(name)}
	rest = strings.TrimSpace(rest)
	if !ok || row.Name == "" || !strings.HasPrefix(rest, "//"+directiveTool+":") {
		return row, fmt.Errorf("contract %q: want a name, a colon and directives, as in %s", text, contractExample)
	}
	if _, _, err := cutPackage(row.Name); err != nil {
		return row, fmt.Errorf("contract %q: %w", text, err)
	}
	for part := range strings.SplitSeq(rest, "//"+directiveTool+":") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		line := "//" + directiveTool + ":" + part
		d, err, isDirective := readDirective(&ast.Comment{Slash: 1, Text: line})
		switch {
		case !isDirective:
			return row, fmt.Errorf("contract %q: %q is no directive; want %s", text, line, contractExample)
		case err != nil:
			return row, fmt.Errorf("contract of %s: %w", row.Name, err)
		case d.Verb == "allow":
			return row, fmt.Errorf("contract of %s: //hop:allow accepts findings in source and is no contract", row.Name)
		}
		row.Directives = append(row.Directives, line)
	}
	return row, nil
}

const contractExample = "slices.SortFunc: //hop:body cmp(operand, operand)"

// String returns the row in the form that [ReadContractRow] reads.
func (r ContractRow) String() string { return r.Name + ": " + strings.Join(r.Directives, " ") }

// cutPackage splits a name into the import path and the names below the package, a type and a member or a function alone.
func cutPackage(name string) (path string, names []string, err error) {
	bad := func() (string, []string, error) {
		return "", nil, fmt.Errorf("%q is no import path with a name below it, as in slices.SortFunc", name)
	}
	text := name
	if receiver, rest, ok := strings.Cut(name, ")"); ok && strings.HasPrefix(name, "(") {
		text = strings.TrimPrefix(receiver[1:], "*") + rest
	}
	slash := strings.LastIndexByte(text, '/') + 1
	dot := strings.IndexByte(text[slash:], '.')
	// The last element of an import path may hold a dot itself (gopkg.in/yaml.v3): names of Go do not begin with a digit or v2.
	for dot >= 0 && isVersion(text[slash+dot+1:]) {
		next := strings.IndexByte(text[slash+dot+1:], '.')
		if next < 0 {
			return bad()
		}
		dot += 1 + next
	}
	if dot <= 0 {
		return bad()
	}
	names = strings.Split(text[slash+dot+1:], ".")
	if len(names) > 2 || slices.ContainsFunc(names, func(n string) bool { return !token.IsIdentifier(n) }) {
		return bad()
	}
	return text[:slash+dot], names, nil
}

// isVersion reports whether text begins with a version as it ends import paths: v2 before a dot or the end.
func isVersion(text string) bool {
	word, _, _ := strings.Cut(text, ".")
	return len(word) > 1 && word[0] == 'v' && strings.Trim(word[1:], "0123456789") == ""
}

// contractRows is the value of the flag that gives rows, one in a line.
type contractRows []ContractRow

// String lists the rows.
func (r *contractRows) String() string {
	lines := make([]string, len(*r))
	for i, row := range *r {
		lines[i] = row.String()
	}
	return strings.Join(lines, "\n")
}

// Set reads rows; each use of the flag replaces those before, as go vet hands a flag on once.
func (r *contractRows) Set(text string) error {
	var rows contractRows
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		row, err := ReadContractRow(line)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	*r = rows
	return nil
}

// contractNames is the value of the flag that asks for shipped tables.
type contractNames []string

// String lists the tables.
func (n *contractNames) String() string { return strings.Join(*n, ",") }

// Set reads a comma list of tables.
func (n *contractNames) Set(text string) error {
	var names contractNames
	for _, name := range splitTop(text, ',') {
		if !slices.Contains(ContractTables(), name) {
			return fmt.Errorf("no table of contracts is called %q%s; there are %s", name, hopcheck.DidYouMean(name, ContractTables()), strings.Join(ContractTables(), " and "))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	*n = names
	return nil
}

// tabled is what a table declares of one object.
type tabled struct {
	object types.Object
	name   string // as messages say it: Problem.Func, SortFunc
	claim  Claim
	// shipped is true for rows of a shipped table, elements for rows that forbid writes to elements of slices only.
	shipped, elements bool
}

// resolve finds the object that a row speaks of in a package, and reads the directives for it.
func (r ContractRow) resolve(pkg *types.Package, names []string) (t tabled, err error) {
	fail := func(err error) (tabled, error) { return t, fmt.Errorf("contract of %s: %w", r.Name, err) }
	object := pkg.Scope().Lookup(names[0])
	if object == nil {
		return fail(fmt.Errorf("package %s declares no %s%s", pkg.Path(), names[0], hopcheck.DidYouMean(names[0], pkg.Scope().Names())))
	}
	if len(names) == 2 {
		member, _, _ := types.LookupFieldOrMethod(object.Type(), true, pkg, names[1])
		if _, isType := object.(*types.TypeName); !isType || member == nil {
			return fail(fmt.Errorf("%s has no method or field %s", names[0], names[1]))
		}
		object = member
	}
	switch o := object.(type) {
	case *types.Func:
		object = o.Origin()
	case *types.Var:
		object = o.Origin()
	}
	signature, ok := object.Type().Underlying().(*types.Signature)
	if _, isType := object.(*types.TypeName); isType || !ok {
		return fail(fmt.Errorf("%s is no function, method or function-typed field", strings.Join(names, ".")))
	}
	t = tabled{object: object, name: strings.Join(names, ".")}
	for _, line := range r.Directives {
		d, err, _ := readDirective(&ast.Comment{Slash: 1, Text: line})
		if err == nil {
			err = t.claim.apply(d, object, signature)
		}
		if err != nil {
			return fail(err)
		}
	}
	return t, nil
}

// readTables resolves the rows that speak of the packages that pkg imports, directly or through others, and of pkg itself. Rows of
// shipped tables that do not fit are of another version of their package and are left out.
func readTables(pkg *types.Package, opts *options) (map[types.Object]tabled, error) {
	if len(opts.contracts) == 0 && len(opts.rows) == 0 {
		return nil, nil
	}
	seen := map[string]*types.Package{}
	var visit func(p *types.Package)
	visit = func(p *types.Package) {
		if seen[p.Path()] != nil {
			return
		}
		seen[p.Path()] = p
		for _, q := range p.Imports() {
			visit(q)
		}
	}
	visit(pkg)
	tables := map[types.Object]tabled{}
	add := func(row shippedRow, shipped bool) error {
		path, names, err := cutPackage(row.Name)
		if err != nil || seen[path] == nil {
			return err
		}
		t, err := row.resolve(seen[path], names)
		switch {
		case err == nil:
			t.shipped, t.elements = shipped, row.elements
			tables[t.object] = t
		case !shipped:
			return err
		}
		return nil
	}
	for _, name := range opts.contracts {
		for _, row := range shippedContracts(name) {
			if err := add(row, true); err != nil {
				return nil, err
			}
		}
	}
	for _, row := range opts.rows {
		if err := add(shippedRow{ContractRow: row}, false); err != nil {
			return nil, err
		}
	}
	return tables, nil
}
