package analyzer_test

import "testing"

// What a body does besides computing: L1 … L14 and R17 … R29 of the case lists, direct and on every way round.
func TestSideEffectCases(t *testing.T) { checkPrograms(t, sideEffectCases()) }

func sideEffectCases() []program {
	return []program{
		{name: "L1 append to an outer slice", text: `
func main() {
	var lengths []int
	hop.Scan(func(carry, x *T) (*T, *T) {
		lengths = append(lengths, x.Dim(0)) // want HOP401 captured lengths
		return carry.Add(x), x.Clone()
	}, zero, zero)
	_ = lengths
}`},
		{name: "L2 write to an outer map", text: `
func main() {
	seen := map[string]int{}
	hop.Scan(func(carry, x *T) (*T, *T) {
		seen["x"]++ // want HOP401 captured seen[]
		return carry.Add(x), x.Clone()
	}, zero, zero)
}`},
		{name: "L3 rebind an outer variable", text: `
func main() {
	name, w := "", zero
	other := zero.Clone()
	hop.Scan(func(carry, x *T) (*T, *T) {
		name = "scan" // want HOP401 captured name
		w = other     // want HOP401 captured w
		return carry.Add(x), x.Clone()
	}, zero, zero)
	_, _ = name, w
}`},
		{name: "L4 set a field of a captured struct", text: `
type model struct{ steps int; inner struct{ on bool }; w *T }
func main() {
	var m model
	p := &m
	hop.Scan(func(carry, x *T) (*T, *T) {
		m.steps = 3       // want HOP401 captured m.steps
		p.inner.on = true // want HOP401 captured p.inner.on
		return carry.Add(x), x.Clone()
	}, zero, zero)
}`},
		{name: "L5 delete a key", text: `
func main(m map[string]*T, n map[int]int, s []int) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		delete(m, "a")     // want HOP401 captured m[]
		clear(n)           // want HOP401 captured n[]
		copy(s, []int{1})  // want HOP401 captured s[]
		s[0] = 2           // want HOP401 captured s[]
		return carry.Add(x), x.Clone()
	}, zero, zero)
}`},
		{name: "L6 increment a captured counter", text: `
var total int
func main() {
	calls := 0
	hop.Scan(func(carry, x *T) (*T, *T) {
		calls++ // want HOP401 captured calls
		total += 2 // want HOP401 captured total
		return carry.Add(x), x.Clone()
	}, zero, zero)
	_ = calls
}`},
		{name: "L7 store a tensor to a global", text: `
var last *T
var all = map[string]*T{}
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		last = carry           // want HOP402 carry
		all["x"] = x.View(2)   // want HOP402 x
		all["y"] = carry.Add(x) // want HOP402 a tensor made by Add
		return carry.Add(x), x.Clone()
	}, zero, zero)
}`},
		{name: "L8 local slices, maps, channels and counters", text: `
type acc struct{ parts []*T; n int }
func (a *acc) add(t *T) { a.parts = append(a.parts, t); a.n++ }
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		var parts []*T
		for range 3 {
			parts = append(parts, carry)
		}
		m := map[string]*T{"x": x}
		m["y"] = carry
		delete(m, "x")
		n := 0
		count := func() { n++ }
		count()
		var a acc
		a.add(x)
		ch := make(chan *T, 1)
		ch <- x
		close(ch)
		<-ch
		return hop.Stack(0, parts...), x.Clone()
	}, zero, zero)
}`},
		{name: "L9 R22 printing and logging", packages: map[string]string{"dep9": `package dep9
import ("bytes"; "fmt"; "log"; "log/slog"; "os"; "github.com/hoplint/hoplint/runtime/hop")
var logger = log.New(os.Stderr, "", 0)
func Step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	fmt.Println(carry); fmt.Printf("%v", x)
	log.Print(x); logger.Println(carry); slog.Info("step", "x", x)
	fmt.Fprintln(os.Stderr, carry); fmt.Fprintf(os.Stdout, "%v", x)
	println("x")
	var b bytes.Buffer
	fmt.Fprintf(&b, "%v", carry)
	_ = b.String() + fmt.Sprint(x) + fmt.Sprintf("%v", carry)
	return carry.Add(x), x.Clone()
}
`}, text: `
func main() { hop.Scan(dep9.Step, zero, zero) }`},
		{name: "an effect in an inner body is told once, there", text: `
func main(rng *hop.Rng, xs *T) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		y := hop.Map(func(row *T) *T {
			return row.Add(hop.Rand(rng, hop.Float64, 2)) // want HOP403
		}, x)
		return carry.Add(y), x.Clone()
	}, zero, xs)
}`},
		{name: "L14 R18 random generators", packages: map[string]string{"dep14": `package dep14
import ("math/rand"; "github.com/hoplint/hoplint/runtime/hop")
func Noise() *hop.Tensor { return hop.Scalar(rand.Float64()) }
func New() *rand.Rand { return rand.New(rand.NewSource(1)) }
`}, text: `
func main(rng *hop.Rng) {
	r := dep14.New()
	hop.Scan(func(carry, x *T) (*T, *T) {
		a := hop.Rand(rng, hop.Float64, 2)  // want HOP403
		b := hop.Randn(rng, hop.Float64, 2) // want HOP403
		c := dep14.Noise()                  // want HOP403
		r.Float64()                         // want HOP403
		return carry.Add(a).Add(b).Add(c), x.Clone()
	}, zero, zero)
}`},
		{name: "R17 a goroutine that touches the carry", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		done := make(chan bool)
		go func() { // want HOP404
			_ = carry.Sum()
			done <- true
		}()
		<-done
		return carry.Add(x), x.Clone()
	}, zero, zero)
}`},
		{name: "R18 append to a captured slice", text: `
func main(history []*T, lens []int) {
	fixed := []int{1, 2}
	var grown []int
	hop.Scan(func(carry, x *T) (*T, *T) {
		history = append(history, x)            // want HOP402 x
		history = append(history, carry.Neg())  // want HOP402 a tensor made by Neg
		local := append(lens, 1)                // want HOP401 captured lens[]
		local = append(local[:1:1], 2)
		dims := append(fixed, 3)
		more := append([]int(nil), lens...)
		_, _, _ = local, dims, more
		grown = append(grown, len(more))        // want HOP401 captured grown
		return carry.Add(x), x.Clone()
	}, zero, zero)
	_ = history
}`},
		{name: "R28 a captured pointer to a struct", text: `
type model struct{ last *T; kept []*T; by map[string]S; any any }
func (m *model) keep(t *T) { m.last = t }
func main(m *model) {
	hop.Scan(func(carry S, x *T) (S, *T) {
		m.last = carry.H                     // want HOP402 carry.H
		m.keep(x)                            // want HOP402 x
		m.kept = append(m.kept, carry.C)     // want HOP402 carry.C
		m.by["x"] = S{H: x}                  // want HOP402 x
		m.any = carry.H                      // want HOP402 carry.H
		m.last = nil                         // want HOP401 captured m.last
		return hop.Clone(carry), x.Clone()
	}, S{zero, zero}, zero)
}`},
		{name: "R29 step by step", packages: map[string]string{"dep29": `package dep29
import "time"
func Now() int { return time.Now().Year() }
`}, text: `
func main() {
	var history []*T
	calls := 0
	step := func(carry, x *T) (*T, *T) {
		history = append(history, x)
		calls++
		dep29.Now()
		if hop.Item[float64](carry) > 0 {
			go func() {}()
		}
		return carry.Add(x), x.Clone()
	}
	hop.Scan(step, zero, zero, hop.Stepwise())
	hop.Scan(func(carry, x *T) (*T, *T) {
		calls++
		carry.AddInPlace(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero, hop.Stepwise())
	_, _ = history, calls
}`},
		{name: "R29 one of two calls is traced", text: `
func main(stepwise hop.Option) {
	calls := 0
	step := func(carry, x *T) (*T, *T) {
		calls++ // want HOP401 captured calls
		return carry.Add(x), x.Clone()
	}
	hop.Scan(step, zero, zero, hop.Stepwise())
	hop.Scan(step, zero, zero)
	hop.Scan(func(carry, x *T) (*T, *T) {
		calls-- // want HOP401 captured calls
		return carry.Add(x), x.Clone()
	}, zero, zero, stepwise)
	_ = calls
}`},
		{name: "R29 a wrapper that runs step by step", packages: map[string]string{"steps": `package steps
import "github.com/hoplint/hoplint/runtime/hop"
func Run(f func(c, x *hop.Tensor) (*hop.Tensor, *hop.Tensor), init, xs *hop.Tensor) { hop.Scan(f, init, xs, hop.Stepwise()) }
func Either(f func(c, x *hop.Tensor) (*hop.Tensor, *hop.Tensor), init, xs *hop.Tensor) { Run(f, init, xs); hop.Scan(f, init, xs) }
`}, text: `
func main() {
	calls := 0
	steps.Run(func(carry, x *T) (*T, *T) { calls++; return carry.Add(x), x.Clone() }, zero, zero)
	steps.Either(func(carry, x *T) (*T, *T) { calls++; return carry.Add(x), x.Clone() }, zero, zero) // want HOP401 captured calls
	_ = calls
}`},
		{name: "side effects in helpers, closures, method values and callbacks", packages: map[string]string{"dep": `package dep
var Calls int
type Log struct{ Lines []string }
func (l *Log) Add(s string) { l.Lines = append(l.Lines, s) }
func Bump(n *int) { *n++ }
func Count() { Calls++ }
func Each(n int, f func(int)) { for i := range n { f(i) } }
`}, text: `
func bump(n *int) { *n++ }
func main(l *dep.Log) {
	n := 0
	add := l.Add
	inc := func() { n++ }
	hop.Map(func(x *T) *T {
		bump(&n)       // want HOP401 captured n
		dep.Bump(&n)   // want HOP401 captured n
		dep.Count()    // want HOP401 captured dep.Calls
		l.Add("x")     // want HOP401 captured l.Lines
		add("y")       // want HOP401 captured l.Lines
		inc()          // want HOP401 captured n
		dep.Each(3, func(i int) {
			n += i // want HOP401 captured n
		})
		func() { defer func() { n = 0 }() }() // want HOP401 captured n
		for i := range func(yield func(int) bool) { yield(1) } {
			n = i // want HOP401 captured n
		}
		return x.Neg()
	}, zero)
}`},
		{name: "the receiver of a method value", text: `
type model struct{ w *T; n int; last *T; sub *model }
func (m *model) step(carry, x *T) (*T, *T) {
	m.n++           // want HOP401 captured m.n
	m.sub.last = x  // want HOP402 x
	return carry.Add(m.w), x.Clone()
}
func (m model) value(carry, x *T) (*T, *T) {
	m.n++
	m.last = x
	return carry.Add(m.w), x.Clone()
}
func main(m *model) {
	hop.Scan(m.step, zero, zero)
	hop.Scan(m.value, zero, zero)
}`},
		{name: "channels", text: `
func main(out chan *T, ints chan int) {
	hop.Map(func(x *T) *T {
		out <- x            // want HOP402 x
		ints <- 1           // want HOP401 captured ints
		n := <-ints         // want HOP404
		for range ints {    // want HOP404
		}
		select {            // want HOP404
		case n = <-ints:
		default:
		}
		close(ints)         // want HOP401 captured ints
		_ = n
		return x.Neg()
	}, zero)
}`},
		{name: "containers of tensors, and tensors in closures", text: `
var saved []S
var hook func() *T
func main() {
	var pair [2]*T
	var box any
	hop.Scan(func(carry S, x *T) (S, *T) {
		saved = append(saved, carry)          // want HOP402 carry.H, carry.C
		pair[1] = x                           // want HOP402 x
		box = []*T{x}                         // want HOP402 x
		hook = func() *T { return x }         // want HOP402 x
		return hop.Clone(carry), x.Clone()
	}, S{zero, zero}, zero)
	_ = box
}`},
		{name: "an inner body writes variables of the outer one", text: `
func main() {
	count := 0
	hop.Scan(func(carry, x *T) (*T, *T) {
		n := 0
		var last *T
		s, _ := hop.Scan(func(c, v *T) (*T, *T) {
			n++      // want HOP401 captured n
			count++  // want HOP401 captured count
			last = v // want HOP402 x
			return c.Add(v), v.Clone()
		}, zero, x)
		_ = last
		return s, x.Clone()
	}, zero, zero)
}`},
		{name: "generic, interface and atomic counters", packages: map[string]string{"counters": `package counters
import ("strings"; "sync"; "sync/atomic")
type Counter interface{ Inc() }
type N struct{ n int }
func (n *N) Inc() { n.n++ }
type Box[V any] struct{ Value V }
func (b *Box[V]) Set(v V) { b.Value = v }
var A atomic.Int64
var Once sync.Once
var Pool sync.Pool
var B strings.Builder
`}, text: `
func main(n *counters.N, b *counters.Box[int], tb *counters.Box[*T]) {
	var c counters.Counter = n
	hop.Map(func(x *T) *T {
		c.Inc()          // want HOP401 captured c.n
		b.Set(2)         // want HOP401 captured b.Value
		tb.Set(x)        // want HOP402 x
		counters.A.Add(1)        // want HOP401 captured A
		counters.Once.Do(func() {}) // want HOP401 captured Once
		counters.B.WriteString("x") // want HOP401 captured B
		counters.Pool.Put(counters.Pool.Get())
		return x.Neg()
	}, zero)
}`},
		{name: "what a body only reads", text: `
type config struct{ scale float64; names []string; by map[string]int }
var limits = map[string]float64{"a": 1}
func main(c *config) {
	total := 0
	hop.Map(func(x *T) *T {
		n := 0
		for _, s := range c.names { n += len(s) + c.by[s] }
		names := append([]string{"x"}, c.names...)
		local := *c
		local.scale = 2
		local.names = names
		return x.MulScalar(c.scale * limits["a"] * float64(n+total))
	}, zero)
}`},
		{name: "suppressed", text: `
func main() {
	calls := 0
	hop.Map(func(x *T) *T {
		calls++ //hop:allow side-effect -- counts traces, not steps
		return x.Neg()
	}, zero)
	_ = calls
}`},
	}
}

// What a body reads from or starts in the world outside.
func TestOutsideEffectCases(t *testing.T) { checkPrograms(t, outsideEffectCases()) }

func outsideEffectCases() []program {
	outside := map[string]string{"outside": `package outside
import ("crypto/rand"; mrand "math/rand"; "net/http"; "os"; "sync"; "time"; "github.com/hoplint/hoplint/runtime/hop")
func Clock() time.Time { return time.Now() }
func Since(t time.Time) time.Duration { return time.Since(t) }
func Dice() int { return mrand.Intn(6) }
func Own() float64 { return mrand.New(mrand.NewSource(1)).Float64() }
func Key() []byte { b := make([]byte, 8); rand.Read(b); return b }
func Home() string { return os.Getenv("HOME") }
func File(name string) ([]byte, error) { return os.ReadFile(name) }
func Fetch(url string) { http.Get(url) }
var mu sync.Mutex
func Locked(f func()) { mu.Lock(); defer mu.Unlock(); f() }
func Start(f func()) { go f() }
func Wait(ch chan int) int { return <-ch }
type Stamped struct{ At time.Time }
func (s *Stamped) Stamp() { s.At = time.Now() }
type Clocked interface{ Now() time.Time }
type Real struct{}
func (Real) Now() time.Time { return time.Now() }
func Step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) { _ = time.Now(); go x.Sum(); return carry.Add(x), x.Clone() }
`}
	return []program{
		{name: "clock, dice, environment and files through another package", packages: outside, text: `
func main() {
	hop.Map(func(x *T) *T {
		outside.Clock()      // want HOP403
		outside.Dice()       // want HOP403
		outside.Own()
		outside.Key()        // want HOP403
		outside.Home()       // want HOP403
		outside.File("name") // want HOP403
		outside.Fetch("url") // want HOP403
		return x.Neg()
	}, zero)
}`},
		{name: "locks, goroutines and channels through another package", packages: outside, text: `
func main(ch chan int) {
	hop.Map(func(x *T) *T {
		outside.Locked(func() {}) // want HOP404
		outside.Start(func() {})  // want HOP404
		outside.Wait(ch)          // want HOP404
		return x.Neg()
	}, zero)
}`},
		{name: "a body of another package", packages: outside, text: `
func main() { hop.Scan(outside.Step, zero, zero) } // want HOP403; HOP404`},
		{name: "generators of random numbers", packages: map[string]string{"noise": `package noise
import ("math/rand"; v2 "math/rand/v2")
type Source struct { Rng *rand.Rand; N int }
func (s *Source) Next() float64 { return s.Rng.Float64() }
func (s *Source) Count() { s.N++ }
func Draw(rng *rand.Rand) float64 { return rng.NormFloat64() }
func New() *v2.Rand { return v2.New(v2.NewPCG(1, 2)) }
func Two(src v2.Source) uint64 { return src.Uint64() }
func Old(seed int64) *rand.Rand { return rand.New(rand.NewSource(seed)) }
var Shared = rand.New(rand.NewSource(1))
`}, text: `
var rng = noise.Old(1)
func main(w *T) {
	local, source, pcg := noise.New(), &noise.Source{Rng: noise.Old(2)}, noise.New()
	hop.Scan(func(carry, x *T) (*T, *T) {
		a := local.Float64()      // want HOP403
		b := rng.NormFloat64()    // want HOP403
		c := source.Rng.Float64() // want HOP403
		d := source.Next()        // want HOP403
		e := noise.Draw(rng)      // want HOP403
		f := noise.Two(pcg)       // want HOP403
		g := noise.Shared.Float64() // want HOP403
		draw := func() float64 { return local.ExpFloat64() } // want HOP403
		h := draw()
		source.Count()            // want HOP401 captured source.N
		rng.Seed(3)               // want HOP401 captured rng
		rng = noise.Old(4)        // want HOP401 captured rng
		own := noise.New()
		i := own.Float64() + noise.Draw(noise.Old(7))
		return carry.MulScalar(a + b + c + d + e + float64(f) + g + h + i), x.Clone()
	}, zero, zero)
	hop.Scan(func(carry, x *T) (*T, *T) { return carry.MulScalar(local.Float64()), x.Clone() }, zero, zero, hop.Stepwise())
}`},
		{name: "method value, interface, function variable, deferred", packages: outside, text: `
var now = outside.Clock
func main() {
	hop.Map(func(x *T) *T {
		var s outside.Stamped
		stamp := s.Stamp
		stamp() // want HOP403
		var c outside.Clocked = outside.Real{}
		c.Now() // want HOP403
		now()   // want HOP403
		defer outside.Dice() // want HOP403
		return x.Neg()
	}, zero)
}`},
		{name: "two effects of one call are one finding", packages: outside, text: `
func both() { outside.Clock(); outside.Dice(); outside.Start(func() {}) }
func main() {
	hop.Map(func(x *T) *T {
		both() // want HOP403; HOP404
		return x.Neg()
	}, zero)
}`},
		{name: "an inner body is told, the outer one not again", packages: outside, text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		s, _ := hop.Scan(func(c, v *T) (*T, *T) {
			outside.Clock() // want HOP403
			return c.Add(v), v.Clone()
		}, zero, x)
		return s, x.Clone()
	}, zero, zero)
}`},
		{name: "around the operator everything is allowed", packages: outside, text: `
func main(ch chan int) {
	start := outside.Clock()
	go func() { ch <- outside.Dice() }()
	seed := <-ch
	hop.Map(func(x *T) *T { return x.MulScalar(float64(seed)) }, zero)
	_ = outside.Since(start)
}`},
		{name: "code that never runs", packages: outside, text: `
const debug = false
func main() {
	hop.Map(func(x *T) *T {
		if debug {
			outside.Clock()
		}
		return x.Neg()
	}, zero)
}`},
	}
}
