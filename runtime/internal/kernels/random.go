package kernels

import (
	"math"
	mathbits "math/bits"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// Functional randomness. Element i of a result is a function of the key and of i alone, so the bits are the same
// whichever way the work is cut or ordered. The generator is Philox4x32 with 10 rounds: J. K. Salmon, M. A. Moraes,
// R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
//
// A key is two 32-bit words. Every op draws from a stream of its own, the last word of the counter, so that one key
// used for two purposes does not give the same bits twice.
var (
	ChildKey    = Kernel{Run: childKey}    // key; "index"
	Keys        = Kernel{Run: childKeys}   // key
	FoldIn      = Kernel{Run: foldIn}      // key, integer
	Uniform     = Kernel{Run: uniform}     // key
	Normal      = Kernel{Run: normal}      // key
	Bernoulli   = Kernel{Run: bernoulli}   // key, probabilities
	RandInt     = Kernel{Run: randInt}     // key; "lo", "hi"
	Categorical = Kernel{Run: categorical} // key, logits
	Permutation = Kernel{Run: permutation} // key
)

// The streams.
const (
	splitStream = iota
	foldStream
	uniformStream
	normalStream
	bernoulliStream
	randIntStream
	categoricalStream
	permutationStream
)

// philoxKey is a key as the generator takes it, in the order of memory.
type philoxKey struct{ k0, k1 uint32 }

// philox is the 10-round bijection of the counter (c0, c1, c2, c3) under the key, with the multipliers and the key
// increments of the paper (golden ratio and sqrt(3)-1). The result is two pairs of words, the first in the low bits.
func philox(c0, c1, c2, c3 uint32, k philoxKey) (w0, w1 uint64) {
	k0, k1 := k.k0, k.k1
	for range 10 {
		left, right := 0xD2511F53*uint64(c0), 0xCD9E8D57*uint64(c2)
		c0, c1, c2, c3 = uint32(right>>32)^c1^k0, uint32(right), uint32(left>>32)^c3^k1, uint32(left)
		k0 += 0x9E3779B9
		k1 += 0xBB67AE85
	}
	return uint64(c0) | uint64(c1)<<32, uint64(c2) | uint64(c3)<<32
}

// draw returns the 128 bits number i of a stream; try counts the attempts of an element that rejects.
func (k philoxKey) draw(stream uint32, i uint64, try uint32) (w0, w1 uint64) {
	return philox(uint32(i), uint32(i>>32), try, stream, k)
}

// keyOf reads a key.
func keyOf(a *Array) philoxKey {
	return philoxKey{*at[uint32](a.Ptr, 0), *at[uint32](a.Ptr, a.Strides[0])}
}

// child is key i of those that a key splits into.
func (k philoxKey) child(stream uint32, i uint64) philoxKey {
	w, _ := k.draw(stream, i, 0)
	return philoxKey{uint32(w), uint32(w >> 32)}
}

func childKey(c *Call) error {
	*(*philoxKey)(c.Out[0].Ptr) = keyOf(&c.In[0]).child(splitStream, uint64(c.Attrs.Int("index")))
	return nil
}

func childKeys(c *Call) error {
	k := keyOf(&c.In[0])
	out := vec[philoxKey](c.Out[0].Ptr, c.Out[0].Shape[0])
	for i := range out {
		out[i] = k.child(splitStream, uint64(i))
	}
	return nil
}

func foldIn(c *Call) error {
	i := int64(0)
	if c.In[1].DType == tracer.Int32 {
		i = int64(*(*int32)(c.In[1].Ptr))
	} else {
		i = *(*int64)(c.In[1].Ptr)
	}
	*(*philoxKey)(c.Out[0].Ptr) = keyOf(&c.In[0]).child(foldStream, uint64(i))
	return nil
}

// unitOf maps 64 bits to one of the 2^53 multiples of 2^-53 in [0, 1).
func unitOf(w uint64) float64 { return float64(w>>11) * 0x1p-53 }

// openUnit maps 64 bits to the middle of one of 2^52 equal parts of (0, 1), so that the logarithm is finite.
func openUnit(w uint64) float64 { return (float64(w>>12) + 0.5) * 0x1p-52 }

func uniform(c *Call) error {
	k, out := keyOf(&c.In[0]), &c.Out[0]
	if out.DType == tracer.Float32 {
		to := Elems[float32](*out)
		for i := 0; i < len(to); i += 4 {
			w0, w1 := k.draw(uniformStream, uint64(i/4), 0)
			four := [4]uint32{uint32(w0), uint32(w0 >> 32), uint32(w1), uint32(w1 >> 32)}
			for j := range min(4, len(to)-i) {
				to[i+j] = float32(four[j]>>8) * 0x1p-24
			}
		}
		return nil
	}
	to := Elems[float64](*out)
	for i := 0; i < len(to); i += 2 {
		w0, w1 := k.draw(uniformStream, uint64(i/2), 0)
		to[i] = unitOf(w0)
		if i+1 < len(to) {
			to[i+1] = unitOf(w1)
		}
	}
	return nil
}

// quantile is the inverse of the normal distribution function: M. J. Wichura, "Algorithm AS 241: the percentage points
// of the normal distribution", 1988, which the standard library has as the inverse of the error function.
func quantile(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*u-1) }

func normal(c *Call) error {
	k, out := keyOf(&c.In[0]), &c.Out[0]
	if out.DType == tracer.Float32 {
		normals[float32](*out, k)
	} else {
		normals[float64](*out, k)
	}
	return nil
}

func normals[T float](out Array, k philoxKey) {
	to := vec[T](out.Ptr, out.NumElems())
	for i := 0; i < len(to); i += 2 {
		w0, w1 := k.draw(normalStream, uint64(i/2), 0)
		to[i] = T(quantile(openUnit(w0)))
		if i+1 < len(to) {
			to[i+1] = T(quantile(openUnit(w1)))
		}
	}
}

// number64 reads a float element.
func number64(p unsafe.Pointer, dt tracer.DType) float64 {
	if dt == tracer.Float32 {
		return float64(*(*float32)(p))
	}
	return *(*float64)(p)
}

func bernoulli(c *Call) error {
	k, p, out := keyOf(&c.In[0]), &c.In[1], vec[uint8](c.Out[0].Ptr, c.Out[0].NumElems())
	i := 0
	var w, spare uint64
	args := [3]*Array{p}
	sweep(p.Shape, &c.Out[0], &args, func(_, a, _, _ unsafe.Pointer, n, sa, _, _ int) {
		for j := range n {
			if w = spare; i%2 == 0 {
				w, spare = k.draw(bernoulliStream, uint64(i/2), 0)
			}
			out[i] = 0
			if unitOf(w) < number64(step(a, p.DType, j*sa), p.DType) {
				out[i] = 1
			}
			i++
		}
	})
	return nil
}

// below draws a number below n without bias: D. Lemire, "Fast random integer generation in an interval", 2019.
func (k philoxKey) below(stream uint32, i, n uint64) uint64 {
	for try := uint32(0); ; try++ {
		w0, w1 := k.draw(stream, i, try)
		if hi, lo := mathbits.Mul64(w0, n); lo >= n || lo >= -n%n {
			return hi
		}
		if hi, lo := mathbits.Mul64(w1, n); lo >= n || lo >= -n%n {
			return hi
		}
	}
}

func randInt(c *Call) error {
	k, lo, hi := keyOf(&c.In[0]), int64(c.Attrs.Int("lo")), int64(c.Attrs.Int("hi"))
	n := uint64(hi) - uint64(lo)
	out := Elems[int64](c.Out[0])
	for i := range out {
		out[i] = lo + int64(k.below(randIntStream, uint64(i), n))
	}
	return nil
}

// categorical takes the largest of the logits plus noise of the Gumbel distribution, the first NaN if there is one:
// E. J. Gumbel, "Statistical theory of extreme values", 1954.
func categorical(c *Call) error {
	k, logits, out := keyOf(&c.In[0]), &c.In[1], Elems[int64](c.Out[0])
	dt, dim := logits.DType, len(logits.Shape)-1
	n := logits.Shape[dim]
	l, err := linesOf(logits, dim, "categorical")
	if err != nil || len(out) == 0 {
		return err
	}
	row := 0
	l.visit(logits.Ptr, dt, 1, func(p unsafe.Pointer, _ int) {
		best, where := math.Inf(-1), 0
		for j := range n {
			x := number64(step(p, dt, j*l.stride), dt)
			if x != x {
				where = j
				break
			}
			w, _ := k.draw(categoricalStream, uint64(row)*uint64(n)+uint64(j), 0)
			if x -= math.Log(-math.Log(openUnit(w))); x > best {
				best, where = x, j
			}
		}
		out[row] = int64(where)
		row++
	})
	return nil
}

// permutation shuffles the numbers from 0 (R. Durstenfeld, Algorithm 235, 1964).
func permutation(c *Call) error {
	k, out := keyOf(&c.In[0]), Elems[int64](c.Out[0])
	for i := range out {
		j := int(k.below(permutationStream, uint64(i), uint64(i)+1))
		out[i] = out[j]
		out[j] = int64(i)
	}
	return nil
}
