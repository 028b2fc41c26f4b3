package hop503

import "github.com/hoplint/hoplint/runtime/hop"

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){assigned, inPlace, ignored, operators, forItsError}

func assigned() {
	sum := zeros()
	sum = sum.Add(hop.Ones(hop.Float64, 2))
	_ = sum.Neg().Sum()
}

func inPlace() {
	sum := zeros()
	sum.AddInPlace(hop.Ones(hop.Float64, 2))
	sum.Fill(2).MulScalarInPlace(3)
}

func ignored() { _ = zeros().Add(zeros()) }

func operators() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor { return x.Neg() }, series())
	hop.Grad(func(x *hop.Tensor) *hop.Tensor { return x.Sum() })(zeros())
	double := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Add(x) }))
	double(zeros())
}

func forItsError() {
	if err := hop.Try(func() { zeros().Add(hop.Zeros(hop.Float64, 3)) }); err == nil {
		panic("shapes that do not fit")
	}
}
