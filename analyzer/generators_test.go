package analyzer_test

import "testing"

// A generator that another package keeps in an unexported variable is drawn from, and no plain state.
func TestGeneratorsOfOtherPackages(t *testing.T) {
	checkPrograms(t, []program{
		{name: "unexported variable", packages: map[string]string{"noise": `package noise
import "math/rand"
import randv2 "math/rand/v2"
var rng = rand.New(rand.NewSource(1))
var two = randv2.New(randv2.NewPCG(1, 2))
type Source struct{ r *rand.Rand }
var own = &Source{rand.New(rand.NewSource(1))}
var table [4]float64
var count int
func Draw() float64 { return rng.Float64() }
func Two() float64 { return two.Float64() }
func (s *Source) Draw() float64 { return s.r.Float64() }
func Own() float64 { return own.Draw() }
func Deep() float64 { return Draw() + 1 }
func Count() int { count++; return count }
func Seed() { rng.Seed(3) }
func Set() { rng = rand.New(rand.NewSource(1)) }
func Local() float64 { return rand.New(rand.NewSource(1)).Float64() }
func New() *Source { return &Source{rand.New(rand.NewSource(1))} }
`}, text: `
var src = noise.New()
func main() {
	hop.Map(func(x *T) *T { return x.MulScalar(noise.Draw()) }, zero) // want HOP403
	hop.Map(func(x *T) *T { return x.MulScalar(noise.Two()) }, zero) // want HOP403
	hop.Map(func(x *T) *T { return x.MulScalar(noise.Own()) }, zero) // want HOP403
	hop.Map(func(x *T) *T { return x.MulScalar(noise.Deep()) }, zero) // want HOP403
	hop.Map(func(x *T) *T { return x.MulScalar(float64(noise.Count())) }, zero) // want HOP401 captured noise.count
	hop.Map(func(x *T) *T { noise.Seed(); return x.Neg() }, zero) // want HOP401 captured noise.rng
	hop.Map(func(x *T) *T { noise.Set(); return x.Neg() }, zero) // want HOP401 captured noise.rng
	hop.Map(func(x *T) *T { return x.MulScalar(noise.Local()) }, zero)
	hop.Map(func(x *T) *T { return x.MulScalar(src.Draw()) }, zero) // want HOP403
}`},
	})
}

// Rand and Randn of the runtime change the generator that they are given as its methods do.
func TestGeneratorsThatTheRuntimeDrawsFrom(t *testing.T) {
	checkPrograms(t, []program{
		{name: "own, given, kept", packages: map[string]string{"noise": `package noise
import "github.com/hoplint/hoplint/runtime/hop"
func Of(rng *hop.Rng) *hop.Tensor { return hop.Randn(rng, hop.Float64, 2) }
func Own() *hop.Tensor { return Of(&hop.Rng{}) }
`}, text: `
var global = &hop.Rng{}
type model struct{ rng *hop.Rng }
func (m *model) noise() *T { return hop.Randn(m.rng, hop.Float64, 2) }
func main(given *hop.Rng) {
	m := &model{&hop.Rng{}}
	hop.Map(func(x *T) *T { return x.Add(hop.Rand(&hop.Rng{}, hop.Float64, 2)) }, zero)
	hop.Map(func(x *T) *T { own := &model{&hop.Rng{}}; return x.Add(own.noise()) }, zero)
	hop.Map(func(x *T) *T { return x.Add(noise.Own()) }, zero)
	hop.Map(func(x *T) *T { return x.Add(noise.Of(given)) }, zero) // want HOP403
	hop.Map(func(x *T) *T { return x.Add(m.noise()) }, zero) // want HOP403
	hop.Map(func(x *T) *T { return x.Add(hop.Rand(global, hop.Float64, 2)) }, zero) // want HOP403
}`},
		{name: "step by step, in lists of options", text: `
func run(opts ...hop.Option) {
	read := func(x *T) *T { return x.MulScalar(hop.Item[float64](x.Sum())) }
	hop.Map(read, zero, append(opts, hop.Stepwise())...)
	hop.Map(read, zero, []hop.Option{hop.Stepwise()}...)
	hop.Map(func(x *T) *T { return x.MulScalar(hop.Item[float64](x.Sum())) }, zero, append(opts, hop.Reverse())...) // want HOP501 x
}`},
	})
}
