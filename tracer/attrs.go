package tracer

// Attrs are the parameters of an op that are no tensors, in the order of its schema. The values are int, float64,
// bool, string, DType, []int, Int, []Int or *Literal. Attrs are not changed after they were handed to a node.
type Attrs []Attr

// Attr is one named parameter.
type Attr struct {
	Key   string
	Value any
}

// Get returns the value for key, or nil.
func (a Attrs) Get(key string) any {
	for i := range a {
		if a[i].Key == key {
			return a[i].Value
		}
	}
	return nil
}

// Int returns the integer attribute, 0 when there is none.
func (a Attrs) Int(key string) int { v, _ := a.Get(key).(int); return v }

// Ints returns the integer list, nil when there is none.
func (a Attrs) Ints(key string) []int { v, _ := a.Get(key).([]int); return v }

// Float returns the float attribute, 0 when there is none.
func (a Attrs) Float(key string) float64 { v, _ := a.Get(key).(float64); return v }

// Bool returns the bool attribute, false when there is none.
func (a Attrs) Bool(key string) bool { v, _ := a.Get(key).(bool); return v }

// DType returns the element type attribute, 0 when there is none.
func (a Attrs) DType(key string) DType { v, _ := a.Get(key).(DType); return v }

// Str returns the string attribute, "" when there is none.
func (a Attrs) Str(key string) string { v, _ := a.Get(key).(string); return v }

// Size returns the integer attribute, symbolic or not; ok is false when there is none.
func (a Attrs) Size(key string) (i Int, ok bool) {
	switch v := a.Get(key).(type) {
	case int:
		return Const(v), true
	case Int:
		return v, true
	}
	return Int{}, false
}

// Sizes returns the integer list, symbolic or not; ok is false when there is none.
func (a Attrs) Sizes(key string) (list []Int, ok bool) {
	switch v := a.Get(key).(type) {
	case []int:
		list = make([]Int, len(v))
		for i, n := range v {
			list[i] = Const(n)
		}
		return list, true
	case []Int:
		return v, true
	}
	return nil, false
}
