package tracer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Expr is an integer expression over symbols in canonical form: a sum of products, sorted, so that two expressions
// that are equal as polynomials have the same text. Quotients, remainders, maxima and minima are atoms of the products.
// Coefficients wrap around like Go's int.
type Expr struct {
	terms []term
	text  string
}

// term is coef times the product of its atoms, which are sorted by text; no atoms make the constant.
type term struct {
	coef  int
	atoms []atom
}

// atom is a symbol, or a function of two expressions.
type atom struct {
	name string // the symbol, or floordiv, mod, max, min
	args []Int  // nil for a symbol
	text string
}

// String returns the canonical text, e.g. s0*s1*2 - 1.
func (e *Expr) String() string { return e.text }

// symbol returns the expression that is the symbol alone.
func symbol(name string) Int {
	return fromTerms([]term{{1, []atom{{name: name, text: name}}}})
}

// fromTerms sorts, adds up equal products and drops zeros. It may change the list, not the atoms.
func fromTerms(terms []term) Int {
	slices.SortStableFunc(terms, compareTerms)
	sum := terms[:0]
	for _, t := range terms {
		if k := len(sum); k > 0 && compareTerms(sum[k-1], t) == 0 {
			sum[k-1].coef += t.coef
		} else {
			sum = append(sum, t)
		}
	}
	sum = slices.DeleteFunc(sum, func(t term) bool { return t.coef == 0 })
	switch {
	case len(sum) == 0:
		return Const(0)
	case len(sum) == 1 && len(sum[0].atoms) == 0:
		return Const(sum[0].coef)
	}
	return Int{expr: &Expr{terms: sum, text: termsText(sum)}}
}

// compareTerms orders products: more factors first, the constant last, then by text.
func compareTerms(a, b term) int {
	if len(a.atoms) != len(b.atoms) {
		return len(b.atoms) - len(a.atoms)
	}
	return slices.CompareFunc(a.atoms, b.atoms, compareAtoms)
}

// compareAtoms orders s2 before s10.
func compareAtoms(a, b atom) int {
	if len(a.args) == 0 && len(b.args) == 0 && len(a.text) != len(b.text) {
		return len(a.text) - len(b.text)
	}
	return strings.Compare(a.text, b.text)
}

func termsText(terms []term) string {
	var b []byte
	for i, t := range terms {
		coef := t.coef
		switch {
		case i > 0 && coef < 0:
			b, coef = append(b, " - "...), -coef
		case i > 0:
			b = append(b, " + "...)
		case coef == -1 && len(t.atoms) > 0:
			b, coef = append(b, '-'), 1
		}
		for k, a := range t.atoms {
			if k > 0 {
				b = append(b, '*')
			}
			b = append(b, a.text...)
		}
		switch {
		case len(t.atoms) == 0 && i > 0:
			b = strconv.AppendUint(b, uint64(coef), 10) // the smallest int has no positive twin
		case len(t.atoms) == 0:
			b = strconv.AppendInt(b, int64(coef), 10)
		case coef != 1 && i > 0:
			b = strconv.AppendUint(append(b, '*'), uint64(coef), 10)
		case coef != 1:
			b = strconv.AppendInt(append(b, '*'), int64(coef), 10)
		}
	}
	return string(b)
}

// call returns the expression that is one function of two expressions.
func call(name string, a, b Int) Int {
	text := name + "(" + a.String() + ", " + b.String() + ")"
	return fromTerms([]term{{1, []atom{{name: name, args: []Int{a, b}, text: text}}}})
}

// list returns the terms of a constant or an expression; the caller may change the slice.
func (a Int) list() []term {
	if a.expr == nil {
		return []term{{coef: a.n}}
	}
	return slices.Clone(a.expr.terms)
}

func (a Int) numTerms() int {
	if a.expr == nil {
		return 1
	}
	return len(a.expr.terms)
}

// Symbols returns the symbols of a, each once, in the order in which the text first mentions them.
func (a Int) Symbols() []string { return a.symbols(nil) }

func (a Int) symbols(names []string) []string {
	if a.expr == nil {
		return names
	}
	for _, t := range a.expr.terms {
		for _, f := range t.atoms {
			for _, arg := range f.args {
				names = arg.symbols(names)
			}
			if f.args == nil && !slices.Contains(names, f.name) {
				names = append(names, f.name)
			}
		}
	}
	return names
}

// Symbol returns the name of the symbol that a is, and whether it is one alone.
func (a Int) Symbol() (name string, ok bool) {
	if a.expr == nil || len(a.expr.terms) != 1 {
		return "", false
	}
	t := a.expr.terms[0]
	if t.coef != 1 || len(t.atoms) != 1 || t.atoms[0].args != nil {
		return "", false
	}
	return t.atoms[0].name, true
}

// Eval returns the value of a where value gives those of its parts. It is asked for the whole expression first, then
// for the symbols. Overflow, division by zero and a symbol without value are errors.
func (a Int) Eval(value func(text string) (int, bool)) (int, error) {
	if a.expr == nil {
		return a.n, nil
	}
	if v, ok := value(a.expr.text); ok {
		return v, nil
	}
	sum := 0
	for _, t := range a.expr.terms {
		product := t.coef
		for _, f := range t.atoms {
			v, err := f.eval(value)
			if err != nil {
				return 0, err
			}
			p := product * v
			if product != 0 && (p/product != v || product == -1 && v == -v && v != 0) {
				return 0, fmt.Errorf("%s overflows an int", a)
			}
			product = p
		}
		s := sum + product
		if (s > sum) != (product > 0) {
			if product != 0 {
				return 0, fmt.Errorf("%s overflows an int", a)
			}
		}
		sum = s
	}
	return sum, nil
}

func (f atom) eval(value func(text string) (int, bool)) (int, error) {
	if f.args == nil {
		v, ok := value(f.name)
		if !ok {
			return 0, fmt.Errorf("the symbol %s has no value", f.name)
		}
		return v, nil
	}
	x, err := f.args[0].Eval(value)
	if err != nil {
		return 0, err
	}
	y, err := f.args[1].Eval(value)
	if err != nil {
		return 0, err
	}
	switch {
	case f.name == "max":
		return max(x, y), nil
	case f.name == "min":
		return min(x, y), nil
	case y == 0:
		return 0, &DivisionError{Op: f.name, Text: f.text, Dividend: x}
	case f.name == "mod":
		return floorMod(x, y), nil
	default:
		return floorDiv(x, y), nil
	}
}

// DivisionError is the error of an expression that divides by zero: Text of it, floordiv or mod of Dividend and zero.
type DivisionError struct {
	Op, Text string
	Dividend int
}

func (e *DivisionError) Error() string {
	return fmt.Sprintf("%s divides %d by zero", e.Text, e.Dividend)
}

// replace puts other integers in place of symbols; those that to lacks stay.
func (a Int) replace(to map[string]Int) Int {
	if a.expr == nil {
		return a
	}
	result := Const(0)
	for _, t := range a.expr.terms {
		product := Const(t.coef)
		for _, f := range t.atoms {
			factor, ok := to[f.name]
			switch {
			case f.args != nil:
				factor = apply(f.name, f.args[0].replace(to), f.args[1].replace(to))
			case !ok:
				factor = symbol(f.name)
			}
			product = product.Mul(factor)
		}
		result = result.Add(product)
	}
	return result
}

// apply is the function of the given name; every atom of an expression was made by one of these.
func apply(name string, a, b Int) Int {
	switch name {
	case "floordiv":
		return a.FloorDiv(b)
	case "mod":
		return a.Mod(b)
	case "max":
		return a.Max(b)
	default:
		return a.Min(b)
	}
}

func floorDiv(x, y int) int {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

// floorMod has the sign of the divisor.
func floorMod(x, y int) int {
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// isFunction reports whether the printed form reads the name as one of the four functions.
func isFunction(name string) bool {
	return name == "floordiv" || name == "mod" || name == "max" || name == "min"
}
