package tracer

// Literal is a tensor with known bytes inside a graph: row-major, little endian.
type Literal struct {
	DType DType
	Shape []int
	Data  []byte
}
