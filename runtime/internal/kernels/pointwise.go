package kernels

// Pointwise describes an elementwise op to the executor.
type Pointwise struct {
	// Arity is the number of tensor arguments.
	Arity int
}
