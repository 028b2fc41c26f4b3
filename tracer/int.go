package tracer

import (
	"strconv"
)

// Int is a size or an integer of a trace: a constant, or an expression over symbols. The zero Int is the constant 0.
// Arithmetic is exact as long as it fits an int, and gives canonical expressions: s0+s1-s0 is s1.
type Int struct {
	n    int
	expr *Expr
}

// Const returns the constant n.
func Const(n int) Int { return Int{n: n} }

// Const returns the value of a constant, and whether a is one.
func (a Int) Const() (n int, ok bool) { return a.n, a.expr == nil }

// AnyInt is what shape rules return for a size or integer that depends on data. Whoever records the op puts the symbol
// there that [SubgraphTracer.NewUnbacked] gives.
func AnyInt() Int { return symbol("?") }

// Same reports whether a and b are the same expression; it decides nothing and adds no guard.
func (a Int) Same(b Int) bool {
	if a.expr == nil || b.expr == nil {
		return a.expr == nil && b.expr == nil && a.n == b.n
	}
	return a.expr == b.expr || a.expr.text == b.expr.text
}

// Add returns a + b.
func (a Int) Add(b Int) Int {
	if a.expr == nil && b.expr == nil {
		return Const(a.n + b.n)
	}
	return fromTerms(append(a.list(), b.list()...))
}

// Neg returns -a.
func (a Int) Neg() Int {
	if a.expr == nil {
		return Const(-a.n)
	}
	terms := a.list()
	for i := range terms {
		terms[i].coef = -terms[i].coef
	}
	return fromTerms(terms)
}

// Sub returns a - b.
func (a Int) Sub(b Int) Int {
	if a.expr == nil && b.expr == nil {
		return Const(a.n - b.n)
	}
	return a.Add(b.Neg())
}

// Mul returns a * b.
func (a Int) Mul(b Int) Int {
	if a.expr == nil && b.expr == nil {
		return Const(a.n * b.n)
	}
	var terms []term
	for _, x := range a.list() {
		for _, y := range b.list() {
			atoms := make([]atom, 0, len(x.atoms)+len(y.atoms))
			i, k := 0, 0
			for i < len(x.atoms) && k < len(y.atoms) {
				if compareAtoms(x.atoms[i], y.atoms[k]) <= 0 {
					atoms = append(atoms, x.atoms[i])
					i++
				} else {
					atoms = append(atoms, y.atoms[k])
					k++
				}
			}
			atoms = append(append(atoms, x.atoms[i:]...), y.atoms[k:]...)
			terms = append(terms, term{x.coef * y.coef, atoms})
		}
	}
	return fromTerms(terms)
}

// FloorDiv returns a / b rounded down. A division by the constant zero is an error when it is evaluated.
func (a Int) FloorDiv(b Int) Int {
	if d, ok := b.Const(); ok && d != 0 {
		if n, ok := a.Const(); ok {
			return Const(floorDiv(n, d))
		}
		if a.divisible(d) {
			terms := a.list()
			for i := range terms {
				terms[i].coef /= d
			}
			return fromTerms(terms)
		}
	}
	return call("floordiv", a, b)
}

// Mod returns the remainder of FloorDiv, which has the sign of b.
func (a Int) Mod(b Int) Int {
	if d, ok := b.Const(); ok && d != 0 {
		if n, ok := a.Const(); ok {
			return Const(floorMod(n, d))
		}
		terms := a.list()
		for i := range terms {
			terms[i].coef = floorMod(terms[i].coef, d)
		}
		if a = fromTerms(terms); a.expr == nil {
			return Const(floorMod(a.n, d))
		}
	}
	return call("mod", a, b)
}

// divisible reports whether every coefficient is a multiple of d.
func (a Int) divisible(d int) bool {
	for _, t := range a.list() {
		if t.coef%d != 0 {
			return false
		}
	}
	return true
}

// Max returns the greater of a and b.
func (a Int) Max(b Int) Int { return a.extremum("max", b) }

// Min returns the smaller of a and b.
func (a Int) Min(b Int) Int { return a.extremum("min", b) }

func (a Int) extremum(name string, b Int) Int {
	if d, ok := a.Sub(b).Const(); ok {
		if (d > 0) == (name == "max") {
			return a
		}
		return b
	}
	if b.String() < a.String() {
		a, b = b, a
	}
	return call(name, a, b)
}

// String returns the constant or the expression, e.g. s0*2 - 1.
func (a Int) String() string {
	if a.expr == nil {
		return strconv.Itoa(a.n)
	}
	return a.expr.text
}

func (a Int) append(b []byte) []byte {
	if a.expr == nil {
		return strconv.AppendInt(b, int64(a.n), 10)
	}
	return append(b, a.expr.text...)
}
