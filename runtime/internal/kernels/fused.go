package kernels

// Ops that the executor makes of two or three: they read each operand once and round like the ops that they replace.
var (
	MulAdd = Pointwise{Op: "mul_add", Arity: 3, Codes: vectorised("mul_add", codesMulAdd())} // x*y + z
	AddMul = Pointwise{Op: "add_mul", Arity: 3, Codes: codesAddMul()}                        // x + y*z
	MulSub = Pointwise{Op: "mul_sub", Arity: 3, Codes: codesMulSub()}                        // x*y - z
	SubMul = Pointwise{Op: "sub_mul", Arity: 3, Codes: codesSubMul()}                        // x - y*z
	// Blend is x*k + y*l with constants k and l, which lie one behind the other.
	Blend = Pointwise{Op: "blend", Arity: 2, Pair: true, Codes: vectorised("blend", codesBlend())}
)
