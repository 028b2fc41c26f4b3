package hop_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/hoplint/hoplint/runtime/hop"
)

// The graph of a program is text: what a traced function does, with shapes, operators and their bodies.
func ExampleProgram_Graph() {
	smooth := func(x *hop.Tensor) *hop.Tensor {
		_, ys := hop.Scan(func(mean, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
			next := mean.MulScalar(0.5).Add(x.MulScalar(0.5))
			return next, next.Clone()
		}, hop.Scalar(0.0), x)
		return ys
	}
	p, err := hop.Trace(smooth, hop.Zeros(hop.Float64, 4), hop.Names("x"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(p.Graph())
	// Output:
	// graph trace(x: f64[4]) {
	//   literal: f64[] = literal(; value=f64[]{0.0})
	//   scan: (f64[], f64[4]) = scan(literal, x; n_carry=1, n_xs=1, length=4) {
	//     graph combine(carry: f64[], x: f64[]) {
	//       mul_scalar: f64[] = mul_scalar(carry; value=0.5)
	//       mul_scalar_1: f64[] = mul_scalar(x; value=0.5)
	//       add: f64[] = add(mul_scalar, mul_scalar_1)
	//       clone: f64[] = clone(add)
	//       return add, clone
	//     }
	//   }
	//   get: f64[] = get(scan; index=0)
	//   get_1: f64[4] = get(scan; index=1)
	//   return get_1
	// }
}

// A program is saved with the tensors that it captured. The program that is loaded owns them.
func ExampleLoad() {
	weights := hop.FromSlice([]float64{1, 10, 100})
	p, err := hop.Trace(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weights).Sum() }, hop.Zeros(hop.Float64, 3))
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := p.Save(&file); err != nil {
		log.Fatal(err)
	}
	weights.Zero()

	loaded, err := hop.Load[*hop.Tensor, *hop.Tensor](&file)
	if err != nil {
		log.Fatal(err)
	}
	y, err := loaded.Call(hop.FromSlice([]float64{3, 2, 1}))
	fmt.Println(y, err)
	// Output:
	// 123 <nil>
}
