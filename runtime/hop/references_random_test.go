package hop

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// The references of random ops have a generator of their own, written with 64-bit arithmetic.

// refBlock returns the four words of Philox4x32-10 for the counter (i, try, stream) under a key.
func refBlock(key ref, stream, i, try uint64) [4]uint64 {
	const mask = 1<<32 - 1
	k0, k1 := uint64(int64(key.v[0]))&mask, uint64(int64(key.v[1]))&mask
	c0, c1, c2, c3 := i&mask, i>>32, try, stream
	for round := uint64(0); round < 10; round++ {
		left, right := 0xD2511F53*c0, 0xCD9E8D57*c2
		c0, c1, c2, c3 = right>>32^c1^(k0+round*0x9E3779B9)&mask, right&mask, left>>32^c3^(k1+round*0xBB67AE85)&mask, left&mask
	}
	return [4]uint64{c0, c1, c2, c3}
}

// refWord returns 64-bit word i of a stream; a block has two.
func refWord(key ref, stream, i uint64) uint64 {
	b := refBlock(key, stream, i/2, 0)
	return b[i%2*2] | b[i%2*2+1]<<32
}

// refKey is the key that a block begins with.
func refKey(b [4]uint64) []float64 { return []float64{float64(int32(b[0])), float64(int32(b[1]))} }

// refBelow draws a number below n from the words of one element, rejecting those that would bias it.
func refBelow(key ref, stream, i, n uint64) float64 {
	for try := uint64(0); ; try++ {
		b := refBlock(key, stream, i, try)
		for j := range 2 {
			hi, lo := product128(b[2*j]|b[2*j+1]<<32, n)
			if lo >= -n%n {
				return float64(hi)
			}
		}
	}
}

// product128 multiplies by halves.
func product128(x, y uint64) (hi, lo uint64) {
	const mask = 1<<32 - 1
	a, b, c, d := x>>32, x&mask, y>>32, y&mask
	middle := a*d + b*d>>32
	other := b*c + middle&mask
	return a*c + middle>>32 + other>>32, x * y
}

func refOpen(w uint64) float64 { return (float64(w/4096) + 0.5) / (1 << 52) }

var randomReferences = map[string]reference{
	"child_key": func(c refCall) ref {
		return ref{Int32, []int{2}, refKey(refBlock(c.args[0], 0, uint64(c.attrs.Int("index")), 0))}
	},
	"keys": func(c refCall) ref {
		r := ref{dt: Int32, shape: []int{c.attrs.Int("n"), 2}}
		for i := range c.attrs.Int("n") {
			r.v = append(r.v, refKey(refBlock(c.args[0], 0, uint64(i), 0))...)
		}
		return r
	},
	"fold_in": func(c refCall) ref {
		return ref{Int32, []int{2}, refKey(refBlock(c.args[0], 1, uint64(int64(c.args[1].v[0])), 0))}
	},
	"uniform": drawRef(func(key ref, dt DType, i uint64) float64 {
		if dt == Float32 {
			return float64(refBlock(key, 2, i/4, 0)[i%4]/256) / (1 << 24)
		}
		return float64(refWord(key, 2, i)/2048) / (1 << 53)
	}),
	"normal": drawRef(func(key ref, dt DType, i uint64) float64 {
		x := distuv.UnitNormal.Quantile(refOpen(refWord(key, 3, i)))
		if dt == Float32 {
			return float64(float32(x))
		}
		return x
	}),
	"bernoulli": func(c refCall) ref {
		p := c.args[1]
		return build(Bool, p.shape, func(i []int) float64 {
			u := float64(refWord(c.args[0], 4, uint64(pos(p.shape, i)))/2048) / (1 << 53)
			return truth(u < p.at(i))
		})
	},
	"rand_int": func(c refCall) ref {
		lo, hi, dims := c.attrs.Int("lo"), c.attrs.Int("hi"), c.attrs.Ints("dims")
		return build(Int64, dims, func(i []int) float64 {
			return float64(lo) + refBelow(c.args[0], 5, uint64(pos(dims, i)), uint64(hi-lo))
		})
	},
	"categorical": func(c refCall) ref {
		logits := c.args[1]
		last := len(logits.shape) - 1
		n := logits.shape[last]
		return build(Int64, logits.shape[:last], func(i []int) float64 {
			var noisy []float64
			for j := range n {
				p := pos(logits.shape, append(append([]int{}, i...), j))
				w := refWord(c.args[0], 6, uint64(2*p))
				noisy = append(noisy, logits.v[p]-math.Log(-math.Log(refOpen(w))))
			}
			return firstExtreme(noisy, 1)
		})
	},
	"permutation": func(c refCall) ref {
		// Each number in turn is put at a drawn place, and what was there moves to the end.
		r := ref{dt: Int64, shape: []int{c.attrs.Int("n")}}
		for i := range c.attrs.Int("n") {
			j := int(refBelow(c.args[0], 7, uint64(i), uint64(i+1)))
			r.v = append(r.v, float64(i))
			r.v[i], r.v[j] = r.v[j], r.v[i]
		}
		return r
	},
}

func drawRef(f func(key ref, dt DType, i uint64) float64) reference {
	return func(c refCall) ref {
		dt, dims := c.attrs.DType("dtype"), c.attrs.Ints("dims")
		return build(dt, dims, func(i []int) float64 { return f(c.args[0], dt, uint64(pos(dims, i))) })
	}
}
