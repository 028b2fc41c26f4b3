// Package hop declares the runtime's functions with their directives and nothing else, so that the analyzer's unit
// tests speak of effects without running any. The rule folders at the repository's root use the real runtime.
package hop

// Rng stands for the generator of math/rand: loading that package would take longer than the tests.
type Rng struct{ state uint64 }

// Float64 draws a number.
func (r *Rng) Float64() float64 { r.state++; return 0 }

// Int stands for the runtime's symbolic integer.
type Int struct{ n int }

//hop:pure
func (n Int) Value() int { panic("declaration") }

//hop:pure
func (n Int) Mul(m Int) Int { panic("declaration") }

//hop:pure
func (t *Tensor) SymDim(i int) Int { panic("declaration") }

// Tensor stands for the runtime's tensor.
type Tensor struct{ storage []float64 }

// None is the empty pytree.
type None = struct{}

// DType is an element type.
type DType uint8

// The element types of the tests.
const (
	Float32 DType = 3
	Float64 DType = 4
)

// Option configures a HOP.
type Option func()

// Elem are the element types.
type Elem interface{ ~float64 | ~int64 }

// Stepwise runs a body op by op.
func Stepwise() Option { panic("declaration") }

func Axis(d int) Option { panic("declaration") }

func Reverse() Option { panic("declaration") }

//hop:returns fresh
func (t *Tensor) Add(u *Tensor) *Tensor { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) AddInPlace(u *Tensor) *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) Sub(u *Tensor) *Tensor { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) SubInPlace(u *Tensor) *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) Mul(u *Tensor) *Tensor { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) MulInPlace(u *Tensor) *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) Div(u *Tensor) *Tensor { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) DivInPlace(u *Tensor) *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) MulScalar(v float64) *Tensor { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) MulScalarInPlace(v float64) *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) AddScalar(v float64) *Tensor { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) AddScalarInPlace(v float64) *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) Neg() *Tensor { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) NegInPlace() *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) Tanh() *Tensor { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) TanhInPlace() *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) Clone() *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) Sum(dims ...int) *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) Lt(u *Tensor) *Tensor { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) CopyFrom(u *Tensor) *Tensor { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) Fill(v float64) *Tensor { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) Zero() *Tensor { panic("declaration") }

//hop:returns view(t)
func (t *Tensor) Narrow(dim, start, length int) *Tensor { panic("declaration") }

//hop:returns view(t)
func (t *Tensor) Select(dim, i int) *Tensor { panic("declaration") }

//hop:returns view(t)
func (t *Tensor) View(dims ...int) *Tensor { panic("declaration") }

//hop:returns view(t)
func (t *Tensor) T() *Tensor { panic("declaration") }

//hop:returns view(t)
func (t *Tensor) Detach() *Tensor { panic("declaration") }

//hop:returns view(t)|fresh
func (t *Tensor) Reshape(dims ...int) *Tensor { panic("declaration") }

//hop:returns view(t)
func (t *Tensor) Split(dim, size int) []*Tensor { panic("declaration") }

//hop:pure
func (t *Tensor) Shape() []int { panic("declaration") }

//hop:pure
func (t *Tensor) Dim(i int) int { panic("declaration") }

//hop:returns t
func (t *Tensor) SetRequiresGrad(on bool) *Tensor { panic("declaration") }

//hop:returns fresh
func Zeros(dt DType, dims ...int) *Tensor { panic("declaration") }

//hop:returns fresh
func Scalar[E Elem](v E) *Tensor { panic("declaration") }

//hop:returns fresh
func Rand(rng *Rng, dt DType, dims ...int) *Tensor { panic("declaration") }

//hop:returns fresh
func Randn(rng *Rng, dt DType, dims ...int) *Tensor { panic("declaration") }

//hop:returns fresh
func Ones(dt DType, dims ...int) *Tensor { panic("declaration") }

//hop:returns fresh
func FromSlice[E Elem](data []E, dims ...int) *Tensor { panic("declaration") }

//hop:returns fresh
func ZerosLike[P any](p P) P { panic("declaration") }

//hop:returns fresh
func Where(cond, a, b *Tensor) *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) Square() *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) Exp() *Tensor { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) ExpInPlace() *Tensor { panic("declaration") }

//hop:returns fresh
func (t *Tensor) MatMul(u *Tensor) *Tensor { panic("declaration") }

//hop:returns fresh, fresh
func (t *Tensor) TopK(dim, k int) (values, indices *Tensor) { panic("declaration") }

//hop:mutates t
//hop:returns t
func (t *Tensor) Set(v float64, index ...int) *Tensor { panic("declaration") }

//hop:pure
func (t *Tensor) String() string { panic("declaration") }

func (t *Tensor) Backward(opts ...Option) { panic("declaration") }

func (t *Tensor) Grad() *Tensor { panic("declaration") }

func (t *Tensor) ZeroGrad() { panic("declaration") }

//hop:pure
func ItemAt[E Elem](t *Tensor, index ...int) E { panic("declaration") }

//hop:returns fresh
func ToSlice[E Elem](t *Tensor) []E { panic("declaration") }

//hop:pure
func Values[E Elem](t *Tensor) func(yield func(E) bool) { panic("declaration") }

//hop:pure
func Item[E Elem](t *Tensor) E { panic("declaration") }

//hop:mutates t
//hop:returns view(t)
func Data[E Elem](t *Tensor) []E { panic("declaration") }

//hop:returns fresh
func Clone[P any](p P) P { panic("declaration") }

//hop:returns fresh
func Concat(dim int, ts ...*Tensor) *Tensor { panic("declaration") }

// Eye is a declaration for tests.
//
//hop:returns fresh
func Eye(dt DType, n int) *Tensor { panic("declaration") }

// Unsqueeze is a declaration for tests.
//
//hop:returns view(t)
func (t *Tensor) Unsqueeze(dim int) *Tensor { panic("declaration") }

// To is a declaration for tests.
//
//hop:returns view(t)|fresh
func (t *Tensor) To(dt DType) *Tensor { panic("declaration") }

// Stack is a declaration for tests.
//
//hop:returns fresh
func Stack(dim int, ts ...*Tensor) *Tensor { panic("declaration") }

func Scan[C, X, Y any](combine func(carry C, x X) (C, Y), init C, xs X, opts ...Option) (C, Y) {
	panic("declaration")
}

func AssociativeScan[E any](combine func(a, b E) E, xs E, opts ...Option) E { panic("declaration") }

func Cond[O, R any](pred *Tensor, onTrue, onFalse func(O) R, operands O, opts ...Option) R {
	panic("declaration")
}

func Switch[O, R any](index *Tensor, branches []func(O) R, operands O, opts ...Option) R {
	panic("declaration")
}

func WhileLoop[C any](cond func(C) *Tensor, body func(C) C, init C, opts ...Option) C {
	panic("declaration")
}

func ForLoop[C any](lower, upper int, body func(i *Tensor, carry C) C, init C, opts ...Option) C {
	panic("declaration")
}

func Map[X, Y any](f func(X) Y, xs X, opts ...Option) Y { panic("declaration") }

func VMap[X, Y any](f func(X) Y, opts ...Option) func(X) Y { panic("declaration") }

func Checkpoint[X, Y any](f func(X) Y) func(X) Y { panic("declaration") }

func CustomVJP[X, Y, R any](fwd func(X) (Y, R), bwd func(R, Y) X) func(X) Y { panic("declaration") }

func Grad[X any](f func(X) *Tensor) func(X) X { panic("declaration") }

func Compile[X, Y any](f func(X) Y) func(X) (Y, error) { panic("declaration") }

// Compiled stands for the runtime's compiled function.
type Compiled[X, Y any] struct{ f func(X) Y }

func NewCompiled[X, Y any](f func(X) Y) *Compiled[X, Y] { panic("declaration") }

func (c *Compiled[X, Y]) Call(x X) (Y, error) { panic("declaration") }

// Program stands for the runtime's traced program.
type Program[X, Y any] struct{ f func(X) Y }

func Trace[X, Y any](f func(X) Y, example X) (*Program[X, Y], error) { panic("declaration") }

func (p *Program[X, Y]) Call(x X) (Y, error) { panic("declaration") }

func MapLeaves[P any](f func(leaves ...*Tensor) *Tensor, p P, more ...P) P { panic("declaration") }

//hop:pure
func Leaves[P any](p P) func(func(string, *Tensor) bool) { panic("declaration") }

func Progress(report func(step, total int)) Option { panic("declaration") }

// OpCall stands for the runtime's description of an op that ran.
type OpCall struct{ Name string }

// Observer stands for the runtime's observers.
type Observer interface{ Op(c OpCall) }

func Observe(o Observer) Option { panic("declaration") }

// Matrix stands for the interface of gonum's package mat, Context, Reader and Writer for those of the standard library.
type Matrix interface {
	Dims() (r, c int)
	At(i, j int) float64
}

type Context interface {
	Done() <-chan struct{}
	Err() error
}

type Reader interface{ Read(p []byte) (int, error) }

type Writer interface{ Write(p []byte) (int, error) }

//hop:returns fresh
func FromMatrix(m Matrix) *Tensor { panic("declaration") }

func WithContext(ctx Context) Option { panic("declaration") }

func Load[X, Y any](r Reader) (*Program[X, Y], error) { panic("declaration") }

func (p *Program[X, Y]) Save(w Writer) error { panic("declaration") }

func (p *Program[X, Y]) CallInto(x X, dst Y) error { panic("declaration") }

func (c *Compiled[X, Y]) CallInto(x X, dst Y) error { panic("declaration") }

func WithObserver[X, Y any](o Observer, f func(X) Y) func(X) Y { panic("declaration") }

func Try(f func()) error { panic("declaration") }

func Must[X, Y any](f func(X) (Y, error)) func(X) Y { panic("declaration") }

//hop:returns view(data)
func Wrap[E Elem](data []E, dims ...int) *Tensor { panic("declaration") }
