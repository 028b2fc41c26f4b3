package hop

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// References of linear algebra by other methods than the kernels: determinants by minors, systems by Cramer's rule,
// reflections as whole matrices, sums and convolutions by their definitions.

// eachMatrixRef applies f to the matrices in the last two dims of an operand.
func eachMatrixRef(a ref, f func(m [][]float64)) {
	rank := len(a.shape)
	rows, cols := a.shape[rank-2], a.shape[rank-1]
	for range total1(a.shape[:rank-2]) {
		m := make([][]float64, rows)
		for i := range m {
			m[i], a.v = a.v[:cols], a.v[cols:]
		}
		f(m)
	}
}

// total1 is the product of sizes.
func total1(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// minorsRef is the determinant by expansion along rows, over sets of columns.
func minorsRef(m [][]float64) float64 {
	n := len(m)
	of := make([]float64, 1<<n)
	of[0] = 1
	for set := 1; set < 1<<n; set++ {
		row := m[n-bits.OnesCount(uint(set))]
		sign := 1.0
		for j := range n {
			if set&(1<<j) != 0 {
				of[set] += sign * row[j] * of[set&^(1<<j)]
				sign = -sign
			}
		}
	}
	return of[1<<n-1]
}

// cofactorRef is the signed minor of one element.
func cofactorRef(m [][]float64, i, j int) float64 {
	var rest [][]float64
	for r, row := range m {
		if r != i {
			rest = append(rest, append(slices.Clone(row[:j]), row[j+1:]...))
		}
	}
	return minorsRef(rest) * float64(1-2*((i+j)%2))
}

func detRef(f func(det float64) float64) reference {
	return func(c refCall) ref {
		a := c.args[0]
		out := ref{dt: a.dt, shape: a.shape[:len(a.shape)-2]}
		eachMatrixRef(a, func(m [][]float64) { out.v = append(out.v, f(minorsRef(m))) })
		return out
	}
}

// fromMatrices builds a result from one list of elements for each matrix.
func fromMatrices(f func(m [][]float64) []float64) reference {
	return func(c refCall) ref {
		out := ref{dt: c.args[0].dt, shape: c.args[0].shape}
		eachMatrixRef(c.args[0], func(m [][]float64) { out.v = append(out.v, f(m)...) })
		return out
	}
}

func cofactorsRef(m [][]float64) []float64 {
	var out []float64
	for i := range m {
		for j := range m {
			out = append(out, cofactorRef(m, i, j))
		}
	}
	return out
}

func inverseRef(m [][]float64) []float64 {
	det := minorsRef(m)
	var out []float64
	for i := range m {
		for j := range m {
			if det == 0 {
				out = append(out, math.NaN())
				continue
			}
			out = append(out, cofactorRef(m, j, i)/det)
		}
	}
	return out
}

// choleskyRef subtracts the outer product of each column from what is left, in the lower triangle.
func choleskyRef(m [][]float64) []float64 {
	n := len(m)
	left := make([][]float64, n)
	for i := range m {
		left[i] = slices.Clone(m[i])
	}
	out := make([]float64, n*n)
	for k := range n {
		if left[k][k] <= 0 {
			for i := range out {
				out[i] = math.NaN()
			}
			return out
		}
		for i := k; i < n; i++ {
			out[i*n+k] = left[i][k] / math.Sqrt(left[k][k])
		}
		for i := k; i < n; i++ {
			for j := k; j <= i; j++ {
				left[i][j] -= out[i*n+k] * out[j*n+k]
			}
		}
	}
	return out
}

// systemRef broadcasts a system over batches and solves column by column.
func systemRef(solve func(c refCall, m [][]float64, b []float64) []float64) reference {
	return func(c refCall) ref {
		a, b := c.args[0], c.args[1]
		isVector := len(b.shape) == 1
		if isVector {
			b.shape = []int{b.shape[0], 1}
		}
		n, k := a.shape[len(a.shape)-1], b.shape[len(b.shape)-1]
		batchA, batchB := ref{shape: a.shape[:len(a.shape)-2]}, ref{shape: b.shape[:len(b.shape)-2]}
		batch := broadcastRef([]ref{batchA, batchB})
		out := ref{dt: a.dt, shape: append(slices.Clone(batch), n, k)}
		for _, index := range indices(batch) {
			m := make([][]float64, n)
			for i := range m {
				for j := range n {
					m[i] = append(m[i], atBatch(a, index, i, j))
				}
			}
			columns := make([][]float64, k)
			for j := range columns {
				for i := range n {
					columns[j] = append(columns[j], atBatch(b, index, i, j))
				}
				columns[j] = solve(c, m, columns[j])
			}
			for i := range n {
				for j := range k {
					out.v = append(out.v, columns[j][i])
				}
			}
		}
		if isVector {
			out.shape = append(slices.Clone(batch), n)
		}
		return out
	}
}

// atBatch reads an element of a matrix of a batch that broadcasts.
func atBatch(r ref, batch []int, i, j int) float64 {
	index := append(slices.Clone(batch[len(batch)-(len(r.shape)-2):]), i, j)
	for d := range len(r.shape) - 2 {
		if r.shape[d] == 1 {
			index[d] = 0
		}
	}
	return r.v[pos(r.shape, index)]
}

// cramerRef is a quotient of determinants for each unknown.
func cramerRef(_ refCall, m [][]float64, b []float64) []float64 {
	det := minorsRef(m)
	x := make([]float64, len(b))
	for j := range x {
		changed := make([][]float64, len(m))
		for i := range m {
			changed[i] = slices.Clone(m[i])
			changed[i][j] = b[i]
		}
		x[j] = minorsRef(changed) / det
		if det == 0 {
			x[j] = math.NaN()
		}
	}
	return x
}

// triangularRef solves by recursion over the unknowns.
func triangularRef(c refCall, m [][]float64, b []float64) []float64 {
	n := len(b)
	var x func(i int) float64
	x = func(i int) float64 {
		sum := b[i]
		for j := range n {
			if c.attrs.Bool("upper") && j > i || !c.attrs.Bool("upper") && j < i {
				sum -= m[i][j] * x(j)
			}
		}
		return sum / m[i][i]
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = x(i)
	}
	return out
}

// qrRef applies reflections as whole matrices. A column without elements below the diagonal is left as it is, and a
// reflection moves it to the side away from its first element: LAPACK's signs.
func qrRef(wantQ bool) reference {
	return func(c refCall) ref {
		a := c.args[0]
		rank := len(a.shape)
		m, n := a.shape[rank-2], a.shape[rank-1]
		k := min(m, n)
		out := ref{dt: a.dt, shape: slices.Clone(a.shape)}
		if wantQ {
			out.shape[rank-1] = k
		} else {
			out.shape[rank-2] = k
		}
		eachMatrixRef(a, func(r [][]float64) {
			q := identityRef(m)
			for j := range k {
				v := make([]float64, m)
				norm := 0.0
				for i := j; i < m; i++ {
					v[i] = r[i][j]
					norm = math.Hypot(norm, v[i])
				}
				if norm == math.Abs(v[j]) {
					continue
				}
				v[j] += math.Copysign(norm, v[j])
				h := identityRef(m)
				length := 0.0
				for _, x := range v {
					length += x * x
				}
				for i := range h {
					for l := range h {
						h[i][l] -= 2 * v[i] * v[l] / length
					}
				}
				r, q = productRef(h, r), productRef(q, h)
			}
			for i := range out.shape[rank-2] {
				for j := range out.shape[rank-1] {
					switch {
					case wantQ:
						out.v = append(out.v, q[i][j])
					case j < i:
						out.v = append(out.v, 0)
					default:
						out.v = append(out.v, r[i][j])
					}
				}
			}
		})
		return out
	}
}

func identityRef(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		m[i][i] = 1
	}
	return m
}

func productRef(a, b [][]float64) [][]float64 {
	out := make([][]float64, len(a))
	for i := range a {
		out[i] = make([]float64, len(b[0]))
		for j := range out[i] {
			for k := range b {
				out[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return out
}

// einsumRef runs over all values of all letters. The ellipsis becomes digits, the last of which are aligned.
func einsumRef(c refCall) ref {
	left, out, explicit := strings.Cut(strings.ReplaceAll(c.attrs.Str("spec"), " ", ""), "->")
	words := strings.Split(left, ",")
	digits := ""
	for i, w := range words {
		if strings.Contains(w, "...") {
			dims := len(c.args[i].shape) - len(w) + 3
			own := "9876543210"[:dims]
			digits = "9876543210"[:max(dims, len(digits))]
			slice := []byte(own)
			slices.Reverse(slice)
			words[i] = strings.Replace(w, "...", string(slice), 1)
		}
	}
	order := []byte(digits)
	slices.Reverse(order)
	digits = string(order)
	if !explicit {
		all := []byte(strings.Join(words, ""))
		slices.Sort(all)
		out = digits
		for _, l := range all {
			if l > '9' && strings.Count(string(all), string(l)) == 1 {
				out += string(l)
			}
		}
	}
	out = strings.Replace(out, "...", digits, 1)
	letters, sizes := "", []int{}
	for i, w := range words {
		for d, l := range w {
			n := c.args[i].shape[d]
			if k := strings.IndexRune(letters, l); k >= 0 {
				if sizes[k] == 1 {
					sizes[k] = n
				}
				continue
			}
			letters, sizes = letters+string(l), append(sizes, n)
		}
	}
	value := func(word string, index, shape []int) []int {
		at := make([]int, len(word))
		for d, l := range word {
			at[d] = index[strings.IndexRune(letters, l)]
			if shape[d] == 1 {
				at[d] = 0
			}
		}
		return at
	}
	shape := make([]int, len(out))
	for d, l := range out {
		shape[d] = sizes[strings.IndexRune(letters, l)]
	}
	r := ref{dt: c.args[0].dt, shape: shape, v: make([]float64, total1(shape))}
	for _, index := range indices(sizes) {
		p := 1.0
		for i, w := range words {
			p *= c.args[i].v[pos(c.args[i].shape, value(w, index, c.args[i].shape))]
		}
		r.v[pos(shape, value(out, index, shape))] += p
	}
	return r
}

// convRef adds up f(x, w, y) over all elements of a convolution that meet, by its definition.
func convRef(c refCall, x, w, y []int, f func(x, w, y int)) {
	a := c.attrs
	n := len(x)
	lead := total1(x[:n-2])
	perGroup, filters := w[1], w[0]/max(a.Int("groups"), 1)
	for b := range lead {
		for o := range w[0] {
			for m := range y[n-1] {
				for ci := range perGroup {
					for k := range w[2] {
						l := m*a.Int("stride") + k*a.Int("dilation") - a.Int("padding")
						if l < 0 || l >= x[n-1] {
							continue
						}
						channel := o/filters*perGroup + ci
						f((b*x[n-2]+channel)*x[n-1]+l, (o*perGroup+ci)*w[2]+k, (b*w[0]+o)*y[n-1]+m)
					}
				}
			}
		}
	}
}

func zerosRef(dt DType, shape []int) ref {
	return ref{dt: dt, shape: shape, v: make([]float64, total1(shape))}
}

func conv1dRef(c refCall) ref {
	x, w, a := c.args[0], c.args[1], c.attrs
	n := len(x.shape)
	shape := slices.Clone(x.shape)
	shape[n-2] = w.shape[0]
	shape[n-1] = (x.shape[n-1]+2*a.Int("padding")-a.Int("dilation")*(w.shape[2]-1)-1)/a.Int("stride") + 1
	y := zerosRef(x.dt, shape)
	convRef(c, x.shape, w.shape, shape, func(i, j, k int) { y.v[k] += x.v[i] * w.v[j] })
	return y
}

func conv1dInputRef(c refCall) ref {
	w, y := c.args[0], c.args[1]
	shape := slices.Clone(y.shape)
	n := len(shape)
	shape[n-2], shape[n-1] = w.shape[1]*c.attrs.Int("groups"), c.attrs.Int("length")
	x := zerosRef(w.dt, shape)
	convRef(c, shape, w.shape, y.shape, func(i, j, k int) { x.v[i] += y.v[k] * w.v[j] })
	return x
}

func conv1dWeightRef(c refCall) ref {
	x, y := c.args[0], c.args[1]
	n := len(x.shape)
	w := zerosRef(x.dt, []int{y.shape[n-2], x.shape[n-2] / c.attrs.Int("groups"), c.attrs.Int("taps")})
	convRef(c, x.shape, w.shape, y.shape, func(i, j, k int) { w.v[j] += y.v[k] * x.v[i] })
	return w
}
