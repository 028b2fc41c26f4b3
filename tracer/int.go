package tracer

import "strconv"

// Int is a size or an integer of a trace: a constant, or an expression over symbols.
type Int struct {
	n    int
	expr *Expr
}

// Const returns the constant n.
func Const(n int) Int { return Int{n: n} }

// Const returns the value of a constant, and whether a is one.
func (a Int) Const() (n int, ok bool) { return a.n, a.expr == nil }

// Same reports whether a and b are the same expression; it decides nothing and adds no guard.
func (a Int) Same(b Int) bool {
	if a.expr == nil || b.expr == nil {
		return a.expr == nil && b.expr == nil && a.n == b.n
	}
	return a.expr.String() == b.expr.String()
}

// String returns the constant or the expression, e.g. s0*2 - 1.
func (a Int) String() string {
	if a.expr == nil {
		return strconv.Itoa(a.n)
	}
	return a.expr.String()
}

func (a Int) append(b []byte) []byte {
	if a.expr == nil {
		return strconv.AppendInt(b, int64(a.n), 10)
	}
	return append(b, a.expr.String()...)
}
