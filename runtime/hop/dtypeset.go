package hop

import (
	"strings"

	"github.com/hoplint/hoplint/tracer"
)

// dtypeSet is a set of element types.
type dtypeSet uint8

const (
	bools    dtypeSet = 1 << Bool
	words    dtypeSet = 1 << Int32 // of keys
	ints     dtypeSet = 1<<Int32 | 1<<Int64
	floats   dtypeSet = 1<<Float32 | 1<<Float64
	numbers           = ints | floats
	logical           = bools | ints
	anyDType          = bools | numbers
)

// has reports whether d is in the set.
func (s dtypeSet) has(d DType) bool { return s&(1<<d) != 0 }

// list returns the element types in their fixed order.
func (s dtypeSet) list() []DType {
	var list []DType
	for _, d := range tracer.DTypes() {
		if s.has(d) {
			list = append(list, d)
		}
	}
	return list
}

// String lists the element types as prose: int32, int64 or bool.
func (s dtypeSet) String() string {
	var words []string
	for _, d := range s.list() {
		words = append(words, d.String())
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}
