package hop202

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){tensorCount, static, stringKeys, none, typeArgumentOfTensors}

type countedInTensor struct{ Sum, N *hop.Tensor }

func tensorCount() {
	hop.Scan(func(carry countedInTensor, x *hop.Tensor) (countedInTensor, *hop.Tensor) {
		return countedInTensor{Sum: carry.Sum.Add(x), N: carry.N.AddScalar(1)}, x.Clone()
	}, countedInTensor{Sum: zeros(), N: hop.Scalar(0.0)}, series())
}

type configured struct {
	Sum   *hop.Tensor
	Order int `hop:"static"`
}

func static() {
	hop.Scan(func(carry configured, x *hop.Tensor) (configured, *hop.Tensor) {
		return configured{Sum: carry.Sum.Add(x), Order: carry.Order}, x.Clone()
	}, configured{Sum: zeros(), Order: 2}, series())
}

func stringKeys() {
	hop.Scan(func(carry, x map[string]*hop.Tensor) (map[string]*hop.Tensor, []*hop.Tensor) {
		return map[string]*hop.Tensor{"sum": carry["sum"].Add(x["price"])}, []*hop.Tensor{x["price"].Clone()}
	}, map[string]*hop.Tensor{"sum": zeros()}, map[string]*hop.Tensor{"price": series()})
}

func none() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, hop.None) {
		return carry.Add(x), hop.None{}
	}, zeros(), series())
}

func typeArgumentOfTensors() {
	fold(countedInTensor{Sum: zeros(), N: hop.Scalar(0.0)})
	helper.Fold(map[string]*hop.Tensor{"sum": zeros()}, series())
}
