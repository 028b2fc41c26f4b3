package analyzer_test

import (
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// strictly runs a test with the strict flag of the all-in-one analyzer set.
func strictly(t *testing.T) {
	t.Helper()
	switchOn(t, "strict")
}

// switchOn runs a test with a flag of the all-in-one analyzer set.
func switchOn(t *testing.T, name string) {
	t.Helper()
	if err := analyzer.Analyzer.Flags.Set(name, "true"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := analyzer.Analyzer.Flags.Set(name, "false"); err != nil {
			t.Fatal(err)
		}
	})
}

var unprovedPrograms = []program{
	{name: "body from outside", text: `
var Step func(c, x *T) (*T, *T)
func main() { hop.Scan(Step, zero, zero) } // want HOP903`},
	{name: "parameter is looked at where it is given", text: `
func fold(f func(c, x *T) (*T, *T)) { hop.Scan(f, zero, zero) }
func main() { fold(func(c, x *T) (*T, *T) { return c.Clone(), x.Clone() }) }`},
	{name: "unseen callee", text: `
type Unseen interface{ Do(*T) *T }
func main(u Unseen) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		u.Do(carry) // want HOP903
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
	{name: "everything is seen", text: `
func scale(t *T) *T { return t.MulScalar(2) }
func main() {
	hop.Scan(func(carry S, x *T) (S, *T) {
		h := scale(carry.H).Add(x)
		return S{h, carry.C.Clone()}, hop.Clone(h)
	}, S{zero, zero}, zero)
}`},
	{name: "functions of other packages that only read", packages: map[string]string{"numbers": `package numbers
import "github.com/hoplint/hoplint/runtime/hop"
func Of(t *hop.Tensor) float64 { return hop.Item[float64](t) }
`}, text: `
func main() {
	hop.Map(func(x *T) *T { return x.MulScalar(numbers.Of(x)) }, zero, hop.Stepwise())
}`},
	{name: "values are iterated over", text: `
func main() {
	hop.Map(func(x *T) *T {
		sum := 0.0
		for v := range hop.Values[float64](x) {
			sum += v
		}
		return x.AddScalar(sum)
	}, zero, hop.Stepwise())
}`},
	{name: "a declared wrapper calls its body within a literal", text: `
//hop:body f(carry, x)
func wrapped(f func(c, x *T) (*T, *T), init, xs *T) {
	hop.Scan(func(c, x *T) (*T, *T) {
		n, y := f(c, x)
		return n, y
	}, init, xs)
}
type model struct { Step func(x *T) *T; Other func(x *T) *T }
//hop:body m.Step(x)
func (m *model) run(xs *T) {
	hop.Map(func(x *T) *T { return m.Step(x) }, xs)
}
//hop:body f(x)
func mixed(f, g func(x *T) *T, pick bool, xs *T) {
	hop.Map(func(x *T) *T { return f(x) }, xs)
	var other func(x *T) *T = unknown
	hop.Map(func(x *T) *T { return other(x) }, xs) // want HOP903
}
var unknown func(x *T) *T`},
	{name: "one call site, many objects", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		var kept []*T
		for range 2 {
			kept = append(kept, carry.Add(x))
		}
		return kept[0], kept[1] // want HOP302 next carry=y
	}, zero, zero)
}`},
	{name: "one object put into some elements", packages: map[string]string{"some/dep": `package dep
import "github.com/hoplint/hoplint/runtime/hop"
func Same(n int, x *hop.Tensor) []*hop.Tensor {
	t, out := x.Neg(), make([]*hop.Tensor, n)
	for i := range n {
		if i > 2 { out[i] = t } else { out[i] = x.Clone() }
	}
	return out
}
func Own(n int, x *hop.Tensor) []*hop.Tensor {
	out := make([]*hop.Tensor, n)
	for i := range n {
		if i > 2 { t := x.Neg(); out[i] = t } else { out[i] = x.Clone() }
	}
	return out
}
`}, text: `
func main(n int, init []*T, table map[string]*T) {
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) {
		t, out := x.Neg(), []*T{x.Clone(), x.Exp()}
		for i := range n {
			if i != 1 { out[i] = t }
		}
		return out, x.Clone() // want HOP302 next carry[]=next carry[]
	}, init, zero)
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) {
		t := x.Neg()
		var out []*T
		for i := range n {
			if i != 1 { out = append(out, t) } else { out = append(out, x.Clone()) }
		}
		return out, x.Clone() // want HOP302 next carry[]=next carry[]
	}, init, zero)
	hop.Scan(func(carry map[string]*T, x *T) (map[string]*T, *T) {
		t, out := x.Neg(), map[string]*T{}
		for k, v := range carry {
			out[k] = v.Clone()
			if len(k) > 1 { out[k] = t }
		}
		return out, x.Clone() // want HOP302 next carry[]=next carry[]
	}, table, zero)
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) {
		return dep.Same(n, x), x.Clone() // want HOP302 next carry[]=next carry[]
	}, init, zero)
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) {
		var out []*T
		for i := range n {
			t := x.Neg()
			if i != 1 { out = append(out, t) }
		}
		return append(out, dep.Own(n, x)...), x.Clone()
	}, init, zero)
	hop.Scan(func(carry map[string]*T, x *T) (map[string]*T, *T) {
		t, out := x.Neg(), map[string]*T{}
		if n > 3 { out["a"] = t }
		for k, v := range carry {
			if len(k) > 1 { out[k] = v.Neg() }
		}
		return out, x.Clone()
	}, table, zero)
}`},
}

func TestStrictReportsWhatIsNotProved(t *testing.T) {
	strictly(t)
	checkPrograms(t, unprovedPrograms)
}

func TestWithoutStrictWhatIsNotProvedIsSilent(t *testing.T) {
	for _, found := range inspectPrograms(t, analyzer.Analyzer, unprovedPrograms) {
		t.Errorf("got %s, want nothing", strings.Join(found, "; "))
	}
}
