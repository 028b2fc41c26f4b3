package tracer

// DType is the element type of a tensor.
type DType uint8

// The element types. The zero DType is invalid.
const (
	Bool DType = iota + 1
	Int32
	Int64
	Float32
	Float64
)

// DTypes lists the element types in their fixed order.
func DTypes() []DType { return []DType{Bool, Int32, Int64, Float32, Float64} }

var dtypes = [...]struct {
	name, short string
	size        int
}{{"invalid", "?", 0}, {"bool", "bool", 1}, {"int32", "i32", 4}, {"int64", "i64", 8}, {"float32", "f32", 4}, {"float64", "f64", 8}}

// Valid reports whether d is one of the five element types.
func (d DType) Valid() bool { return Bool <= d && d <= Float64 }

// String returns the Go name of the element type, e.g. "float32".
func (d DType) String() string {
	if !d.Valid() {
		return dtypes[0].name
	}
	return dtypes[d].name
}

// Short returns the name that graphs use, e.g. "f32".
func (d DType) Short() string {
	if !d.Valid() {
		return dtypes[0].short
	}
	return dtypes[d].short
}

// Size returns the bytes of one element.
func (d DType) Size() int {
	if !d.Valid() {
		return 0
	}
	return dtypes[d].size
}

// IsFloat reports whether d is float32 or float64.
func (d DType) IsFloat() bool { return d == Float32 || d == Float64 }

// IsInt reports whether d is int32 or int64.
func (d DType) IsInt() bool { return d == Int32 || d == Int64 }

// ParseDType returns the element type whose name or short name is s.
func ParseDType(s string) (DType, bool) {
	for _, d := range DTypes() {
		if s == dtypes[d].name || s == dtypes[d].short {
			return d, true
		}
	}
	return 0, false
}
