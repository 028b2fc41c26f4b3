package hopcheck

import (
	"slices"
	"strconv"
	"strings"
)

// agreement is the remedy for differences: one piece of advice for each kind among them, in the order of first appearance.
func agreement(list []Difference) string {
	var advice []string
	for _, d := range list {
		if a := d.advice(); !slices.Contains(advice, a) {
			advice = append(advice, a)
		}
	}
	return strings.Join(advice, ", and ")
}

// advice says how the two places come to agree.
func (d *Difference) advice() string {
	gotDType, gotShape, gotIsType := cutType(d.GotValue)
	wantDType, wantShape, wantIsType := cutType(d.WantValue)
	switch got, want := d.GotValue, d.WantValue; {
	case gotIsType && wantIsType && gotShape == wantShape:
		return "give both one dtype, e.g. with " + conversion(wantDType)
	case gotIsType && wantIsType && gotDType == wantDType:
		return d.oneShape(gotShape, wantShape)
	case gotIsType && wantIsType:
		return d.oneShape(gotShape, wantShape) + ", and one dtype, e.g. with " + conversion(wantDType)
	case strings.HasPrefix(d.GotValue, ofRank) && strings.HasPrefix(d.WantValue, ofRank):
		return "give both one rank, e.g. with Unsqueeze or Select"
	case got == "missing" || want == "missing":
		return "give both the same keys"
	case got == "nil" || want == "nil":
		return "put a tensor where the other has one, e.g. hop.Zeros"
	case strings.HasPrefix(got, sliceOfLength) && strings.HasPrefix(want, sliceOfLength):
		if d.Got.Role == NextCarry {
			return "keep the length, and return what grows from step to step as y"
		}
		return "give both the same length"
	case isStatic(got) && isStatic(want):
		return "make it a tensor, e.g. with hop.Scalar, for a static field keeps its value"
	default:
		return "give both the same structure"
	}
}

// conversion is Go code that converts to a dtype.
func conversion(dtype string) string { return "To(hop." + strings.ToUpper(dtype[:1]) + dtype[1:] + ")" }

// oneShape is the advice for two shapes: the op that makes the one of the other, where there is one.
func (d *Difference) oneShape(got, want string) string {
	from, ok := dims(got)
	to, ok2 := dims(want)
	switch {
	case !ok || !ok2:
	case elements(from) == elements(to):
		return "give both one shape, e.g. with View(" + strings.Join(to, ", ") + ")"
	case spreads(from, to):
		return "give both one shape, e.g. with Expand(" + strings.Join(to, ", ") + ")"
	case spreads(to, from) && d.Got.Role == NextCarry:
		return "give both one shape, e.g. init with Expand(" + strings.Join(from, ", ") + ")"
	}
	return "give both one shape"
}

// dims reads [8 16]; ok is false where a size is no number.
func dims(shape string) (list []string, ok bool) {
	list = strings.Fields(strings.Trim(shape, "[]"))
	return list, !slices.ContainsFunc(list, func(s string) bool { _, err := strconv.Atoi(s); return err != nil })
}

func elements(dims []string) int {
	n := 1
	for _, d := range dims {
		size, _ := strconv.Atoi(d)
		n *= size
	}
	return n
}

// spreads reports whether a shape is broadcast to another.
func spreads(from, to []string) bool {
	if len(from) > len(to) {
		return false
	}
	for i, d := range from {
		if d != "1" && d != to[len(to)-len(from)+i] {
			return false
		}
	}
	return true
}

const sliceOfLength = "a slice of length "

// ofRank begins the description of a tensor of which the analyzer knows no more than how many dims it has beside another.
const ofRank = "of rank "

// cutType splits float32[8 16] into dtype and shape; ok is false for what is no type of a tensor.
func cutType(s string) (dtype, shape string, ok bool) {
	n := strings.IndexByte(s, '[')
	if n <= 0 || !strings.HasSuffix(s, "]") || strings.ContainsAny(s[:n], " \"") {
		return "", "", false
	}
	return s[:n], s[n:], true
}

// isStatic reports whether a value is one of a static field: quoted text, true, false or a number.
func isStatic(s string) bool {
	return s == "true" || s == "false" || s == "NaN" || s == "+Inf" || s != "" && strings.ContainsRune("\"+-0123456789", rune(s[0]))
}

// ChooserRemedy says how to make what chooses a branch, or whether a loop goes on: one element, of the type wanted, which is "a bool"
// for predicates. The value at hand is a bool or not, and has one element or not, or nobody knows how many.
func ChooserRemedy(want string, isBool, one bool) string {
	switch {
	case want != "a bool" && one:
		return "convert it with To(Int64)"
	case want != "a bool":
		return "take one element of it, e.g. with ArgMax, Select or Sum, and To(Int64) where it is no integer"
	case isBool:
		return "reduce it to one element with Any() or All()"
	case one:
		return "compare it, e.g. with NeScalar(0) or GtScalar(0)"
	}
	return "compare it, e.g. with NeScalar(0), and reduce that to one element with Any() or All()"
}
