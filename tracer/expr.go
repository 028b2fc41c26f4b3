package tracer

// Expr is an integer expression over symbols in canonical form.
type Expr struct {
	text string
}

// String returns the canonical text.
func (e *Expr) String() string { return e.text }
