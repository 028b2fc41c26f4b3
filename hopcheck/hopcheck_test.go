package hopcheck

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestMessages(t *testing.T) {
	h := Place{Role: Carry, Path: ".H"}
	for _, tc := range []struct {
		name, want string
		finding    Finding
	}{
		{"mutation", "scan: combine function writes its carry.H through AddInPlace (HOP101); write a new tensor instead, e.g. carry.H.Add(…)",
			Finding{Code: MutatedCarry, HOP: "scan", Body: "combine function", Places: []Place{h}, Op: "AddInPlace"}},
		{"mutation without functional form", "scan: combine function writes its x through Zero (HOP102); write a new tensor instead, e.g. hop.ZerosLike(x)",
			Finding{Code: MutatedX, HOP: "scan", Body: "combine function", Places: []Place{{Role: X}}, Op: "Zero"}},
		{"captured", "scan: combine function writes captured w through SubInPlace (HOP104); carry it and return its next value, e.g. w.Sub(…)",
			Finding{Code: MutatedCaptured, HOP: "scan", Body: "combine function", Places: []Place{{Role: Captured, Label: "w"}}, Op: "SubInPlace"}},
		{"captured without names", "scan: combine function writes 2 captured tensors through SubInPlace (HOP104); carry it and return its next value, e.g. t.Sub(…)",
			Finding{Code: MutatedCaptured, HOP: "scan", Body: "combine function", Places: []Place{{Role: Captured}, {Role: Captured}}, Op: "SubInPlace"}},
		{"any element", "scan: combine function writes its carry[] through AddInPlace (HOP101); write a new tensor instead, e.g. carry[…].Add(…)",
			Finding{Code: MutatedCarry, HOP: "scan", Body: "combine function", Places: []Place{{Role: Carry, Path: "[]"}}, Op: "AddInPlace"}},
		{"alias with input", "scan: next carry.H of the combine function shares storage with its carry.H (HOP301); return a copy, e.g. carry.H.Clone()",
			Finding{Code: OutputAliasesInput, HOP: "scan", Body: "combine function", Pairs: []Pair{{Place{Role: NextCarry, Path: ".H"}, h}}}},
		{"two outputs", "scan: next carry and y of the combine function share storage (HOP302); return a copy, e.g. y.Clone()",
			Finding{Code: OutputsAlias, HOP: "scan", Body: "combine function", Pairs: []Pair{{Place{Role: NextCarry}, Place{Role: Y}}}}},
		{"mismatch", "scan: next carry.H is float32[8 32], carry.H is float32[8 16] (HOP201); give both one shape",
			Finding{Code: CarryMismatch, HOP: "scan", Differences: []Difference{{Place{Role: NextCarry, Path: ".H"}, h, "float32[8 32]", "float32[8 16]"}}}},
		{"element", "associative_scan: combine function writes its left element through MulInPlace (HOP103); write a new tensor instead, e.g. left.Mul(…)",
			Finding{Code: MutatedOperand, HOP: "associative_scan", Body: "combine function", Places: []Place{{Role: Element, Label: "left"}}, Op: "MulInPlace"}},
		{"alias with a container", "scan: next carry of the combine function shares storage with its carry (HOP301); return a copy, e.g. hop.Clone(carry)",
			Finding{Code: OutputAliasesInput, HOP: "scan", Body: "combine function", Pairs: []Pair{{Place{Role: NextCarry}, Place{Role: Carry, Container: true}}}}},
		{"two outputs of one role", "scan: next carry[0] and next carry[1] of the combine function share storage (HOP302); return a copy, e.g. next[1].Clone()",
			Finding{Code: OutputsAlias, HOP: "scan", Body: "combine function", Pairs: []Pair{{Place{Role: NextCarry, Path: "[0]"}, Place{Role: NextCarry, Path: "[1]"}}}}},
		{"write of a container", "scan: combine function writes its carry through AddInPlace (HOP101); build the next carry from functional ops, or update init before the loop",
			Finding{Code: MutatedCarry, HOP: "scan", Body: "combine function", Places: []Place{{Role: Carry, Container: true}}, Op: "AddInPlace"}},
		{"many places", "scan: combine function writes its x[0], x[1], x[2], x[3], x[4], x[5], and 2 more through Zero (HOP102); write a new tensor instead, e.g. hop.ZerosLike(x[0])",
			Finding{Code: MutatedX, HOP: "scan", Body: "combine function", Places: xs(8), Op: "Zero"}},
		{"grown slice", "scan: next carry is a slice of length 3, carry is a slice of length 2 (HOP201); keep the length, and return what grows from step to step as y",
			Finding{Code: CarryMismatch, HOP: "scan", Differences: []Difference{{Place{Role: NextCarry}, Place{Role: Carry}, "a slice of length 3", "a slice of length 2"}}}},
		{"branches of two lengths", "cond: output is a slice of length 3, output is a slice of length 2 (HOP201); give both the same length",
			Finding{Code: CarryMismatch, HOP: "cond", Differences: []Difference{{Place{Role: Output}, Place{Role: Output}, "a slice of length 3", "a slice of length 2"}}}},
		{"static field", `scan: next carry.N is 4, carry.N is 3 (HOP201); make it a tensor, e.g. with hop.Scalar, for a static field keeps its value`,
			Finding{Code: CarryMismatch, HOP: "scan", Differences: []Difference{{Place{Role: NextCarry, Path: ".N"}, Place{Role: Carry, Path: ".N"}, "4", "3"}}}},
		{"missing key and nil leaf", `scan: next carry["a"] is missing, carry["a"] is a tensor; next carry["b"] is nil, carry["b"] is a tensor (HOP201); give both the same keys, and put a tensor where the other has one, e.g. hop.Zeros`,
			Finding{Code: CarryMismatch, HOP: "scan", Differences: []Difference{{Place{Role: NextCarry, Path: `["a"]`}, Place{Role: Carry, Path: `["a"]`}, "missing", "a tensor"},
				{Place{Role: NextCarry, Path: `["b"]`}, Place{Role: Carry, Path: `["b"]`}, "nil", "a tensor"}}}},
		{"dtype", "scan: next carry is float64[2], carry is float32[2] (HOP201); give both one dtype, e.g. with To(hop.Float32)",
			Finding{Code: CarryMismatch, HOP: "scan", Differences: []Difference{{Place{Role: NextCarry}, Place{Role: Carry}, "float64[2]", "float32[2]"}}}},
		{"dtype and shape", "scan: next carry is float64[2], carry is float32[3] (HOP201); give both one shape, and one dtype, e.g. with To(hop.Float32)",
			Finding{Code: CarryMismatch, HOP: "scan", Differences: []Difference{{Place{Role: NextCarry}, Place{Role: Carry}, "float64[2]", "float32[3]"}}}},
		{"a shape to be viewed", "scan: next carry is float64[2 3], carry is float64[6] (HOP201); give both one shape, e.g. with View(6)", mismatch(NextCarry, "float64[2 3]", "float64[6]")},
		{"a shape to be spread", "cond: output is float64[], output is float64[4 2] (HOP201); give both one shape, e.g. with Expand(4, 2)", mismatch(Output, "float64[]", "float64[4 2]")},
		{"an init to be spread", "scan: next carry is float64[4 2], carry is float64[2] (HOP201); give both one shape, e.g. init with Expand(4, 2)", mismatch(NextCarry, "float64[4 2]", "float64[2]")},
		{"an open size", "scan: next carry is float64[s0], carry is float64[2] (HOP201); give both one shape", mismatch(NextCarry, "float64[s0]", "float64[2]")},
		{"a rank", "scan: next carry is of rank r+1, carry is of rank r (HOP201); give both one rank, e.g. with Unsqueeze or Select", mismatch(NextCarry, "of rank r+1", "of rank r")},
		{"captured, without a carry", "map: function writes captured w through SubInPlace (HOP104); return the new value instead, e.g. w.Sub(…)",
			Finding{Code: MutatedCaptured, HOP: "map", Body: "function", Places: []Place{{Role: Captured, Label: "w"}}, Op: "SubInPlace"}},
		{"captured, without a functional form", "cond: true branch writes captured w through CopyFrom (HOP104); return the new value instead of writing it",
			Finding{Code: MutatedCaptured, HOP: "cond", Body: "true branch", Places: []Place{{Role: Captured, Label: "w"}}, Op: "CopyFrom"}},
		{"captured at run time", "scan: combine function writes a captured tensor through CopyFrom (HOP104); carry the tensor through the operator and return its next value",
			Finding{Code: MutatedCaptured, HOP: "scan", Body: "combine function", Places: []Place{{Role: Captured}}, Op: "CopyFrom"}},
		{"side effect without y", "while_loop: body function writes captured n through assignment (HOP401); carry the value", effect("while_loop", "body function")},
		{"side effect without a carry", "map: function writes captured n through assignment (HOP401); return the value as y", effect("map", "function")},
		{"side effect of a branch", "cond: true branch writes captured n through assignment (HOP401); return the value as an output", effect("cond", "true branch")},
		{"element of a slice", "scan: combine function writes its carry.L[0] through assignment (HOP101); assign to a copy, e.g. slices.Clone(carry.L) or maps.Clone(carry.L)", element("assignment")},
		{"append to a slice", "scan: combine function writes its carry.L[0] through append (HOP101); append to a copy, e.g. append(slices.Clone(carry.L), …)", element("append")},
		{"deleted key", "scan: combine function writes its carry.L[0] through delete (HOP101); delete from a copy, e.g. maps.Clone(carry.L)", element("delete")},
		{"cleared slice", "scan: combine function writes its carry.L[0] through clear (HOP101); clear a new slice instead of carry.L", element("clear")},
		{"read of a differentiated function", "grad: function reads a value that depends on its operand through Item (HOP501); use Cond, WhileLoop or Where",
			Finding{Code: DataDependentControlFlow, HOP: "grad", Body: "function", Places: []Place{{Role: Operand}}, Op: "Item"}},
		{"leaf written through its data", "Data writes m.w, a leaf that requires grad (HOP602); write it outside the tape, e.g. through hop.Data of m.w.Detach()",
			Finding{Code: InPlaceOnLeaf, Op: "Data", Places: []Place{{Label: "m.w"}}}},
		{"unsupported leaf", "scan: init.N is int: a Go value is no leaf (HOP202); make it a tensor with Scalar",
			Finding{Code: UnsupportedLeaf, HOP: "scan", Detail: "init.N is int: a Go value is no leaf; make it a tensor with Scalar"}},
		{"side effect", "scan: combine function writes captured calls, a variable of main, through assignment (HOP401); return the value as y or carry it",
			Finding{Code: SideEffect, HOP: "scan", Body: "combine function", Places: []Place{{Role: Captured, Label: "calls"}}, Op: "assignment", Home: "a variable of main"}},
		{"leak", "map: function stores its x[], a tensor made by Add in captured kept, a variable of main (HOP402); return the tensor as an output of the body",
			Finding{Code: LeakedTensor, HOP: "map", Body: "function", Places: []Place{{Role: X, Path: "[]"}, {Label: "a tensor made by Add"}},
				Into: Place{Role: Captured, Label: "kept"}, Home: "a variable of main"}},
		{"read of an input", "scan: combine function reads a value that depends on its carry.H through Item (HOP501); use Cond, WhileLoop or Where, or run the operator with hop.Stepwise()",
			Finding{Code: DataDependentControlFlow, HOP: "scan", Body: "combine function", Places: []Place{h}, Op: "Item"}},
		{"read of a computed value", "scan: combine function reads a value that depends on its inputs through Item (HOP501); use Cond, WhileLoop or Where, or run the operator with hop.Stepwise()",
			Finding{Code: DataDependentControlFlow, HOP: "scan", Body: "combine function", Op: "Item"}},
		{"dropped result", "the result of Add is dropped (HOP503); assign the result", Finding{Code: DiscardedResult, Op: "Add"}},
		{"leaf", "SubInPlace writes w, a leaf that requires grad (HOP602); update it outside the tape, e.g. w.Detach().SubInPlace(…)",
			Finding{Code: InPlaceOnLeaf, Op: "SubInPlace", Places: []Place{{Label: "w"}}}},
		{"other structure", "cond: output is a tensor, output is a value of type main.S (HOP201); give both the same structure",
			Finding{Code: CarryMismatch, HOP: "cond", Differences: []Difference{{Place{Role: Output}, Place{Role: Output}, "a tensor", "a value of type main.S"}}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.finding.Message(); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// xs are the first n elements of x.
func xs(n int) (list []Place) {
	for i := range n {
		list = append(list, Place{Role: X, Path: fmt.Sprintf("[%d]", i)})
	}
	return list
}

// Every rule and every contract row must be complete: a row without a part fails here, with no allowlist.
func TestTablesAreComplete(t *testing.T) {
	codes, names := map[Code]bool{}, map[string]bool{}
	for _, r := range Rules() {
		for field, value := range map[string]string{"Code": string(r.Code), "Name": r.Name, "Since": r.Since, "Summary": r.Summary, "Why": r.Why, "Remedy": r.Remedy} {
			if value == "" {
				t.Errorf("rule %s: empty %s", r.Code, field)
			}
		}
		if !r.Static && !r.Dynamic {
			t.Errorf("rule %s: nobody finds it", r.Code)
		}
		if codes[r.Code] || names[r.Name] {
			t.Errorf("rule %s %s: code or name used twice", r.Code, r.Name)
		}
		codes[r.Code], names[r.Name] = true, true
		if strings.HasSuffix(r.Summary, ".") || strings.HasSuffix(r.Remedy, ".") || !strings.HasSuffix(r.Why, ".") {
			t.Errorf("rule %s: summary and remedy end without a dot, why with one", r.Code)
		}
	}
	funcs := map[string]bool{}
	for _, c := range Contracts() {
		if c.Name == "" || c.Func == "" || c.Source == "" || len(c.Bodies) == 0 {
			t.Errorf("contract %q: incomplete row", c.Func)
		}
		if funcs[c.Func] {
			t.Errorf("contract %s: two rows", c.Func)
		}
		funcs[c.Func] = true
		for _, b := range c.Bodies {
			if b.Param == "" || b.Words == "" || len(b.In) == 0 || len(b.Out) == 0 {
				t.Errorf("contract %s: incomplete body %q", c.Func, b.Param)
			}
			for _, s := range b.In {
				if !s.Role.IsInput() {
					t.Errorf("contract %s: %v is no input role", c.Func, s.Role)
				}
			}
			for _, s := range b.Out {
				if !s.Role.IsOutput() {
					t.Errorf("contract %s: %v is no output role", c.Func, s.Role)
				}
			}
		}
		for _, m := range c.SameMeta {
			if !codes[m.Code] {
				t.Errorf("contract %s: unknown code %s", c.Func, m.Code)
			}
		}
	}
}

func TestNothingIsPermittedByDefault(t *testing.T) {
	var c Contract
	for r := range numRoles {
		if c.MayMutate(r) || c.MayAlias(r) {
			t.Errorf("an empty row permits %v", r)
		}
	}
}

func TestCodeIsAnError(t *testing.T) {
	err := fmt.Errorf("wrapped: %w", MutatedCarry)
	if !errors.Is(err, MutatedCarry) || errors.Is(err, MutatedX) {
		t.Errorf("errors.Is does not tell codes apart in %v", err)
	}
}

func TestSchema(t *testing.T) {
	self := func(p string) string {
		if p == "self" {
			return "t"
		}
		return p
	}
	for _, tc := range []struct{ text, directives string }{
		{"add(Tensor self, Tensor other) -> Tensor", "//hop:returns fresh"},
		{"add_(Tensor(a!) self, Tensor other) -> Tensor(a!)", "//hop:mutates t\n//hop:returns t"},
		{"narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)", "//hop:returns view(t)"},
		{"reshape(Tensor(a) self, int... dims) -> Tensor(a)|Tensor", "//hop:returns view(t)|fresh"},
		{"sort(Tensor self, int dim) -> (Tensor, Tensor)", "//hop:returns fresh, fresh"},
		{"concat(int dim, Tensor... ts) -> Tensor", "//hop:returns fresh"},
	} {
		s, err := ParseSchema(tc.text)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.String() != tc.text {
			t.Errorf("parse then print: got %s, want %s", s, tc.text)
		}
		if got := strings.Join(s.Directives(self), "\n"); got != tc.directives {
			t.Errorf("%s: directives\n%s\nwant\n%s", tc.text, got, tc.directives)
		}
	}
	for _, bad := range []string{"", "add", "add()", "add(Tensor) -> Tensor", "add(Tenzor a) -> Tensor", "f(Tensor(a) x) -> Tensor(b)",
		"f(Tensor(a!) x) -> Tensor(a)", "f(Tensor(a) x, Tensor(a) y) -> Tensor", "f(Tensor x, Tensor x) -> Tensor", "f(int(a) x) -> Tensor",
		"f(Tensor x) -> ", "f(Tensor(a x) -> Tensor", "f(Tensor(a) x) -> Tensor(a)|int", "9f(Tensor x) -> Tensor"} {
		if s, err := ParseSchema(bad); err == nil {
			t.Errorf("%q parsed as %v", bad, s)
		} else if !strings.Contains(err.Error(), "schema") {
			t.Errorf("%q: unclear error %v", bad, err)
		}
	}
}

func FuzzSchema(f *testing.F) {
	f.Add("narrow(Tensor(a) self, int dim) -> Tensor(a)|Tensor")
	f.Add("sort(Tensor self, int dim) -> (Tensor, Tensor)")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSchema(text)
		if err != nil {
			return
		}
		again, err := ParseSchema(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q: printed %q, read again %q, %v", text, s, again, err)
		}
	})
}

func mismatch(r Role, got, want string) Finding {
	with, hop := Place{Role: Output}, "cond"
	if r == NextCarry {
		with, hop = Place{Role: Carry}, "scan"
	}
	return Finding{Code: CarryMismatch, HOP: hop, Differences: []Difference{{Place{Role: r}, with, got, want}}}
}

func effect(hop, body string) Finding {
	return Finding{Code: SideEffect, HOP: hop, Body: body, Places: []Place{{Role: Captured, Label: "n"}}, Op: "assignment"}
}

func element(op string) Finding {
	return Finding{Code: MutatedCarry, HOP: "scan", Body: "combine function", Places: []Place{{Role: Carry, Path: ".L[0]"}}, Op: op}
}
