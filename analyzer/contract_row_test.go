package analyzer

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestContractRows(t *testing.T) {
	for _, tc := range []struct{ text, path, names string }{
		{"slices.SortFunc: //hop:body cmp(operand, operand)", "slices", "SortFunc"},
		{"gonum.org/v1/gonum/optimize.Problem.Grad: //hop:mutates grad", "gonum.org/v1/gonum/optimize", "Problem Grad"},
		{"(*example.com/opt.Sum).Add: //hop:mutates s //hop:returns s", "example.com/opt", "Sum Add"},
		{"(example.com/opt.Adder).Add: //hop:pure", "example.com/opt", "Adder Add"},
		{"gopkg.in/yaml.v3.Marshal: //hop:pure", "gopkg.in/yaml.v3", "Marshal"},
		{"example.com/a.b/c.Run: //hop:body f(left element, right element)", "example.com/a.b/c", "Run"},
	} {
		row, err := ReadContractRow(tc.text)
		if err != nil {
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		path, names, err := cutPackage(row.Name)
		if got := strings.Join(names, " "); err != nil || path != tc.path || got != tc.names {
			t.Errorf("%s: path %s, names %s, error %v; want %s and %s", tc.text, path, got, err, tc.path, tc.names)
		}
		if row.String() != tc.text {
			t.Errorf("%s is printed as %s", tc.text, row)
		}
	}
}

func TestBadContractRowsSayWhatIsWrong(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", "want a name, a colon and directives"},
		{"slices.SortFunc", "want a name, a colon and directives"},
		{"slices.SortFunc: pure", "want a name, a colon and directives"},
		{"SortFunc: //hop:pure", "is no import path with a name below it"},
		{"a/b.C.D.E: //hop:pure", "is no import path with a name below it"},
		{"slices.SortFunc: //hop:pur", "write //hop:pure"},
		{"slices.SortFunc: //hop:allow HOP101 -- why", "is no contract"},
	} {
		if _, err := ReadContractRow(tc.text); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: error %v, want one that says %s", tc.text, err, tc.want)
		}
	}
}

func TestFlagsOfContracts(t *testing.T) {
	var rows contractRows
	if err := rows.Set("\nslices.SortFunc: //hop:body cmp(operand, operand)\n  sort.Find: //hop:body cmp(operand)\n"); err != nil || len(rows) != 2 {
		t.Errorf("two rows are read as %v, error %v", rows, err)
	}
	var again contractRows
	if err := again.Set(rows.String()); err != nil || again.String() != rows.String() {
		t.Errorf("rows printed and read again are %v, error %v", again, err)
	}
	var names contractNames
	if err := names.Set("gonum, std,gonum"); err != nil || !slices.Equal(names, []string{"gonum", "std"}) {
		t.Errorf("tables are %v, error %v", names, err)
	}
	if err := names.Set("gonun"); err == nil || !strings.Contains(err.Error(), "did you mean gonum?") {
		t.Errorf("a mistyped table gives %v", err)
	}
}

// Every row that is shipped can be read.
func TestShippedContractsCanBeRead(t *testing.T) {
	for _, table := range ContractTables() {
		rows := ShippedContracts(table)
		if len(rows) == 0 {
			t.Errorf("table %s is empty", table)
		}
		for _, row := range rows {
			if again, err := ReadContractRow(row.String()); err != nil || again.String() != row.String() {
				t.Errorf("%s is read as %v, error %v", row, again, err)
			}
		}
	}
}

// The page on contracts names every row that is shipped.
func TestContractsPageNamesEveryRow(t *testing.T) {
	page, err := os.ReadFile("../CONTRACTS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range ContractTables() {
		for _, row := range ShippedContracts(table) {
			name := row.Name[strings.LastIndexByte(row.Name, '/')+1:]
			if !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("CONTRACTS.md does not name %s", name)
			}
		}
	}
}
