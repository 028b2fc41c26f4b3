package tracer

// Cond is a condition on symbolic integers: a comparison of two. Greater-than is written as less-than with the sides
// exchanged.
type Cond struct {
	// Op is ==, !=, < or <=.
	Op   string
	A, B Int
}

// String returns the condition, e.g. s0 == s1.
func (c Cond) String() string { return c.A.String() + " " + c.Op + " " + c.B.String() }

// compare returns the condition for any of the six comparisons; ok is false for another op.
func compare(op string, a, b Int) (c Cond, ok bool) {
	switch op {
	case "==", "!=", "<", "<=":
		return Cond{op, a, b}, true
	case ">":
		return Cond{"<", b, a}, true
	case ">=":
		return Cond{"<=", b, a}, true
	}
	return Cond{}, false
}

// settled is c with the constants of both sides on the one that has no symbols: on the right of an equality. So one
// condition is written in one way: n == 6, and 1 <= n for 0 <= n - 1.
func (c Cond) settled() Cond {
	_, constA := c.A.Const()
	_, constB := c.B.Const()
	if constA == constB {
		return c
	}
	if constA && (c.Op == "==" || c.Op == "!=") {
		c.A, c.B, constA = c.B, c.A, false
	}
	open := c.A
	if constA {
		open = c.B
	}
	for _, t := range open.list() {
		if len(t.atoms) == 0 && t.coef > -maxMoved && t.coef < maxMoved {
			by := Const(t.coef)
			c.A, c.B = c.A.Sub(by), c.B.Sub(by)
		}
	}
	return c
}

// maxMoved bounds the constants that are moved to the other side, so that nothing overflows.
const maxMoved = 1 << 40

// not returns the opposite condition.
func (c Cond) not() Cond {
	switch c.Op {
	case "==":
		return Cond{"!=", c.A, c.B}
	case "!=":
		return Cond{"==", c.A, c.B}
	case "<":
		return Cond{"<=", c.B, c.A}
	default:
		return Cond{"<", c.B, c.A}
	}
}

// Holds reports whether the condition is true where value gives the symbols' values; see [Int.Eval].
func (c Cond) Holds(value func(text string) (int, bool)) (bool, error) {
	a, err := c.A.Eval(value)
	if err != nil {
		return false, err
	}
	b, err := c.B.Eval(value)
	if err != nil {
		return false, err
	}
	return holds(c.Op, a, b), nil
}

func holds(op string, a, b int) bool {
	switch op {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	default:
		return a <= b
	}
}
