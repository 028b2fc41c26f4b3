package hop

import (
	"slices"
	"strings"
	"sync"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// opRow is one row of the op table: all that the library knows of an operation. Methods, in-place forms, directives and
// the tests over the table are derived from it.
type opRow struct {
	// Name is the operation in graphs, e.g. "add".
	Name string
	// Method is the exported method of Tensor; Func the exported free function. One of them is set.
	Method, Func string
	// Doc completes the sentence "Method returns …", over t and the names of the schema.
	Doc string
	// Schema declares parameters and effects; see hopcheck.Schema.
	Schema string
	// InPlace declares the in-place form; empty where there is none.
	InPlace string
	// Results names the results where there are several, e.g. "values, indices".
	Results string
	// Writer is the exported name of the in-place form where it is not Method + "InPlace", e.g. "CopyFrom".
	Writer string
	// ByHand says that the exported function over this row is written by hand beside it; Internal that there is none.
	ByHand, Internal bool
	// DTypes are the element types that the op accepts.
	DTypes dtypeSet
	// OwnDTypes are the operands that DTypes does not speak of; the shape rule checks them.
	OwnDTypes []int
	// Infer is the shape rule. It also normalises the attributes (negative dims) and checks them.
	Infer inferRule
	// DataDependent is the reason why the shape of the result is not known before the op has run; empty for most ops.
	// In a trace the number of rows is then a symbol.
	DataDependent string
	// Rows counts the rows of the result of such an op; the shape rule gives the most that there may be.
	Rows func(in *kernels.Array) int
	// Kernel computes it.
	Kernel kernels.Kernel
	// VJP is the derivative: from the gradient of the first result, those of the tensor arguments, nil for none. Those of
	// further results are asked for through c.
	VJP func(c *vjp, dy *Tensor) []*Tensor
	// Reads are the tensors that VJP reads through its context: the tape saves these and no others.
	Reads reads
	// NoGrad is the reason why an op has no derivative; set where VJP is not.
	NoGrad string
	// Samples are arguments for the tests over the table.
	Samples func(s *sampler)
	// Source says where the definition comes from.
	Source string

	plainOnce                                sync.Once
	plainDTypes, scalarDTypes, reducedDTypes [Float64 + 1]DType // see plainResult
}

// mayCopy reports whether the result of a view op is fresh where no view exists.
func (op *opRow) mayCopy() bool { return strings.HasSuffix(op.Schema, "|Tensor") }

// opID is the index of an op in the table; the constants are generated.
type opID int

// library finds ops. It is an interface so that the derivatives of the table may call methods, which look up the
// table, without an initialisation cycle.
type library interface {
	op(id opID) *opRow
	byName() map[string]*opRow
}

// table is the library of this package: the rows of opTable.
type table struct{}

func (table) op(id opID) *opRow { return opTable[id] }

func (table) byName() map[string]*opRow { return opsByName() }

var lib library = table{}

// opNamed finds an op by the name that graphs use.
func opNamed(name string) *opRow {
	if op := lib.byName()[name]; op != nil {
		return op
	}
	return symbolRows()[name]
}

// freeDType reports whether operand i may have a dtype outside of DTypes.
func (op *opRow) freeDType(i int) bool { return slices.Contains(op.OwnDTypes, i) }

// keyed reports whether the first operand is a key of the random ops.
func (op *opRow) keyed() bool { return strings.Contains(op.Schema, "(Tensor key") }

// inference is one application of a shape rule.
type inference struct {
	op    *opRow
	In    []tracer.Meta
	Attrs tracer.Attrs // the rule may replace it by a normalised copy
	Out   tracer.Meta
	// sizes decides about symbolic sizes; it is nil outside of a trace. trusting says that they were decided.
	sizes    *tracer.SubgraphTracer
	trusting bool
}

// inferRule fills Out from In and Attrs, or says what is wrong. The error text completes "op: ".
type inferRule func(c *inference) error
