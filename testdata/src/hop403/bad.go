// Package hop403 holds bodies that depend on more than their inputs, and the same programs put right.
package hop403

import (
	crand "crypto/rand"
	"math/rand/v2"
	"os"
	"time"

	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
	"github.com/hoplint/hoplint/runtime/hopio"
)

// Bad lists the programs that break the rule. The runtime does not see what Go code reads: it runs each, and freezes what was
// read while tracing.
var Bad = []func(){clock, dice, generator, secret, environment, file, throughHelper, otherPackage, inClosure, methodValue, throughInterface,
	elapsed, deferred, seeded, seededInStruct, generatorElsewhere, tensorFile}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func clock() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		now := time.Now() // want `scan: combine function reads the clock through time.Now \(HOP403\); read it before the call and pass the value in as an operand`
		return carry.AddScalar(float64(now.Second())), x.Clone()
	}, zeros(), series())
}

func dice() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.AddScalar(rand.Float64()), x.Clone() // want `draws random numbers through rand.Float64 \(HOP403\)`
	}, zeros(), series())
}

func generator() {
	rng := rand.New(rand.NewPCG(1, 2))
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		noise := hop.Randn(rng, hop.Float64, 2) // want `draws random numbers through hop.Randn \(HOP403\)`
		return carry.Add(noise), x.Clone()
	}, zeros(), series())
}

func secret() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		var b [1]byte
		if _, err := crand.Read(b[:]); err != nil { // want `draws random numbers through crand.Read \(HOP403\)`
			panic(err)
		}
		return x.MulScalar(float64(b[0]))
	}, series())
}

func environment() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		if os.Getenv("HOP_SCALE") != "" { // want `map: function depends on the environment through os.Getenv \(HOP403\)`
			return x.MulScalar(2)
		}
		return x.Clone()
	}, series())
}

func file() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		text, _ := os.ReadFile("scale.txt") // want `does I/O through os.ReadFile \(HOP403\)`
		return x.MulScalar(float64(len(text)))
	}, series())
}

func jitter() float64 { return rand.Float64() }

func throughHelper() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(jitter()) // want `draws random numbers through rand.Float64 \(HOP403\)`
	}, series())
}

func otherPackage() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(helper.Second()) // want `reads the clock through helper.Second \(HOP403\)`
	}, series())
}

func inClosure() {
	stamp := func() float64 { return float64(time.Now().Second()) }
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(stamp()) // want `reads the clock through time.Now \(HOP403\)`
	}, series())
}

type sensor struct{ scale float64 }

func (s sensor) read() float64 { return s.scale * rand.Float64() }

func methodValue() {
	read := sensor{2}.read
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(read()) // want `draws random numbers through rand.Float64 \(HOP403\)`
	}, series())
}

type source interface{ read() float64 }

func throughInterface() {
	var s source = sensor{2}
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(s.read()) // want `draws random numbers through rand.Float64 \(HOP403\)`
	}, series())
}

func elapsed() {
	start := time.Now()
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(time.Since(start).Seconds()) // want `reads the clock through time.Since \(HOP403\)`
	}, series())
}

func deferred() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		defer os.Remove("no such file") // want `does I/O through os.Remove \(HOP403\)`
		return x.Neg()
	}, series())
}

func seeded() {
	rng := rand.New(rand.NewPCG(1, 2))
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.AddScalar(rng.NormFloat64()), x.Clone() // want `scan: combine function draws random numbers through rng.NormFloat64 \(HOP403\); pass a key in as an operand and use hop.Uniform or hop.Normal`
	}, zeros(), series())
}

type dropout struct{ rng *rand.Rand }

func (d *dropout) keep() float64 { return d.rng.Float64() }

func seededInStruct() {
	d := &dropout{rand.New(rand.NewPCG(1, 2))}
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(d.keep()) // want `map: function draws random numbers through d.rng.Float64 \(HOP403\)`
	}, series())
}

func generatorElsewhere() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.AddScalar(helper.Noise()) // want `map: function draws random numbers through helper.Noise \(HOP403\)`
	}, series())
}

func tensorFile() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		w, err := hopio.LoadNPY("no such file.npy") // want `does I/O through hopio.LoadNPY \(HOP403\)`
		if err != nil {
			return x.Neg()
		}
		return x.Mul(w)
	}, series())
}
