package analyzer_test

import "testing"

// A text of a tensor that is compared is a value that is read.
func TestTextsThatAreCompared(t *testing.T) {
	in := func(name, text string) program {
		return program{name: name, full: `package p
import ("fmt"; "log"; "strings"; "strconv"; "github.com/hoplint/hoplint/runtime/hop")
type T = hop.Tensor
var zero = hop.Zeros(hop.Float64, 2)
var _, _, _, _ = fmt.Sprint, log.Print, strings.TrimSpace, strconv.Atoi
` + text}
	}
	checkPrograms(t, []program{
		in("compared", `
func main(w *T) {
	hop.Map(func(x *T) *T {
		if fmt.Sprint(x) == "0" { // want HOP501 x
			return x.Neg()
		}
		s := fmt.Sprintf("%v of %d", x.Neg(), 3) // want HOP501 x
		switch s {
		case "a":
			return x.Neg()
		}
		if strings.Contains(x.String(), "-") { // want HOP501 x
			return x.Neg()
		}
		if fmt.Sprint(w) == "0" {
			return x.Neg()
		}
		return x.Clone()
	}, zero)
}`),
		in("printed", `
func main() {
	hop.Map(func(x *T) *T {
		fmt.Println(fmt.Sprint(x))
		s := "x is " + x.String()
		log.Print(s)
		if x.Dim(0) == 2 {
			log.Println(strings.TrimSpace(s))
		}
		return x.Clone()
	}, zero)
}`),
		in("taken apart", `
func main(table map[string]float64) {
	hop.Map(func(x *T) *T {
		v, _ := strconv.ParseFloat(strings.TrimSpace(fmt.Sprintln(x)), 64) // want HOP501 x
		if v > 1 {
			return x.Neg()
		}
		return x.MulScalar(table[fmt.Sprint(x)]) // want HOP501 x
	}, zero)
}`),
		in("helpers", `
func isZero(x *T) bool { return fmt.Sprint(x) == "0" }
func label(x *T) string { return fmt.Sprint(x) }
func name(x *T) string { return fmt.Sprint(x) }
func small(s string) bool { return len(s) < 3 }
func main() {
	hop.Map(func(x *T) *T {
		if isZero(x) { // want HOP501 x
			return x.Neg()
		}
		if label(x.Neg()) == "1" { // want HOP501 x
			return x.Neg()
		}
		if small(fmt.Sprint(x)) { // want HOP501 x
			return x.Neg()
		}
		log.Print(name(x))
		return x.Clone()
	}, zero)
	if name(zero) == "0" {
		return
	}
}`),
		{name: "helper of another package", packages: map[string]string{"words": `package words
import ("fmt"; "github.com/hoplint/hoplint/runtime/hop")
func IsZero(x *hop.Tensor) bool { return fmt.Sprint(x) == "0" }
func Of(x *hop.Tensor) string { return fmt.Sprint(x) }
`}, text: `
func main() {
	hop.Map(func(x *T) *T {
		println(words.Of(x))
		if words.IsZero(x) { // want HOP501 x
			return x.Neg()
		}
		return x.Clone()
	}, zero)
	hop.Map(func(x *T) *T {
		if words.IsZero(x) {
			return x.Neg()
		}
		return x.Clone()
	}, zero, hop.Stepwise())
}`},
	})
}
