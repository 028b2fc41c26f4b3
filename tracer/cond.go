package tracer

// Cond is a condition on symbolic integers.
type Cond struct {
	text string
}

// String returns the condition, e.g. s0 == s1.
func (c Cond) String() string { return c.text }
