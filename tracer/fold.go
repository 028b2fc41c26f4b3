package tracer

// Fold computes a the way that it is written: from the values of constants and symbols, with add, mul, floordiv, mod,
// max and min of two.
func Fold[T any](a Int, constant func(n int) T, symbol func(name string) T, apply func(op string, x, y T) T) T {
	if a.expr == nil {
		return constant(a.n)
	}
	var sum T
	for i, t := range a.expr.terms {
		var product T
		some := false
		factor := func(x T) {
			if some {
				x = apply("mul", product, x)
			}
			product, some = x, true
		}
		for _, f := range t.atoms {
			if f.args == nil {
				factor(symbol(f.name))
				continue
			}
			x := Fold(f.args[0], constant, symbol, apply)
			factor(apply(f.name, x, Fold(f.args[1], constant, symbol, apply)))
		}
		if t.coef != 1 || !some {
			factor(constant(t.coef))
		}
		if i > 0 {
			product = apply("add", sum, product)
		}
		sum = product
	}
	return sum
}
