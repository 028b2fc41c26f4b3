package hop_test

import (
	"bytes"
	endian "encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// saved is the file of p.
func saved[X, Y any](t testing.TB, p *hop.Program[X, Y]) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// reloaded traces f, saves it and loads it again.
func reloaded[X, Y any](t testing.TB, f func(X) Y, example X) (file []byte, p, back *hop.Program[X, Y]) {
	t.Helper()
	p, err := hop.Trace(f, example)
	if err != nil {
		t.Fatal(err)
	}
	file = saved(t, p)
	if back, err = hop.Load[X, Y](bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	return file, p, back
}

// rnn has weights in the argument, a captured tensor, a scan with a cond in it, and a static field.
type rnn struct {
	W, U  T
	Xs    T
	Heads map[string]T
	Skip  *hop.Tensor
	Steps int     `hop:"static"`
	Rate  float64 `hop:"static"`
}

func rnnExample() rnn {
	return rnn{W: random(1, 3, 3), U: random(2, 3, 2), Xs: random(3, 5, 2), Heads: map[string]T{"mean": random(4, 3), "var": random(5, 3)}, Steps: 5, Rate: 0.5}
}

// rnnLoss is a function of everything that a program can hold.
func rnnLoss(bias T) func(m rnn) []T {
	return func(m rnn) []T {
		h, ys := hop.Scan(func(h, x T) (T, T) {
			n := m.W.MatMul(h).Add(m.U.MatMul(x)).Add(bias).Tanh()
			n = hop.Cond(n.Sum().GtScalar(0), func(n T) T { return n.MulScalar(m.Rate) }, func(n T) T { return n.Neg() }, n)
			return n, n.Clone()
		}, hop.Zeros(hop.Float64, 3), m.Xs)
		return []T{h.Dot(m.Heads["mean"]), ys.MatMul(m.Heads["var"])}
	}
}

func TestLoadedProgramRunsAsTheSavedOne(t *testing.T) {
	bias := f64(0.25, 0, 0.1, 7, 0.5).Narrow(0, 0, 5).Slice(0, 0, 5, 2) // strided
	in := rnnExample()
	file, p, back := reloaded(t, rnnLoss(bias), in)
	want, err := p.Call(in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := back.Call(in)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		check(t, "result", got[i], want[i].Shape(), numbers(want[i])...)
	}
	if p.Graph().Text() != back.Graph().Text() {
		t.Errorf("the graph is\n%s\nwas\n%s", back.Graph().Text(), p.Graph().Text())
	}
	if again := saved(t, back); !bytes.Equal(again, file) {
		t.Error("saved again, the bytes differ")
	}
	if again := saved(t, p); !bytes.Equal(again, file) {
		t.Error("the same program saved twice gives other bytes")
	}
	t.Run("gradients", func(t *testing.T) {
		grads := func(p *hop.Program[rnn, []T]) rnn {
			return hop.Grad(func(m rnn) T {
				ys := hop.Must(func(m rnn) ([]T, error) { return p.Call(m) })(m)
				return ys[0].Add(ys[1].Sum())
			})(in)
		}
		want, got := grads(p), grads(back)
		for path, w := range hop.Leaves(want) {
			for other, g := range hop.Leaves(got) {
				if path == other {
					check(t, "gradient of "+path, g, w.Shape(), numbers(w)...)
				}
			}
		}
	})
	t.Run("another signature is refused as by the saved one", func(t *testing.T) {
		other := rnnExample()
		other.Steps, other.Xs = 6, random(1, 4, 2)
		var texts []string
		for _, p := range []*hop.Program[rnn, []T]{p, back} {
			_, err := p.Call(other)
			if !errors.Is(err, hopcheck.CarryMismatch) {
				t.Fatalf("got %v, want HOP201", err)
			}
			texts = append(texts, err.Error())
		}
		if texts[0] != texts[1] {
			t.Errorf("got %s, want %s", texts[1], texts[0])
		}
	})
	t.Run("with traced operands", func(t *testing.T) {
		f := func(m rnn) []T {
			ys := hop.Must(func(m rnn) ([]T, error) { return back.Call(m) })(m)
			return []T{ys[0].Add(ys[1].Sum())}
		}
		_, outer, outerBack := reloaded(t, f, in)
		want := ys(t, outer, in)
		check(t, "result", want[0], []int{}, numbers(f(in)[0])...)
		check(t, "loaded result", ys(t, outerBack, in)[0], []int{}, numbers(want[0])...)
	})
	t.Run("concurrent calls", func(t *testing.T) {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 20 {
					if got, err := back.Call(in); err != nil || !slices.Equal(numbers(got[1]), numbers(want[1])) {
						t.Errorf("got %v, %v", got, err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

func ys[X, Y any](t *testing.T, p *hop.Program[X, Y], x X) Y {
	t.Helper()
	y, err := p.Call(x)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

func TestLoadedProgramOwnsItsCapturedTensors(t *testing.T) {
	w := f64(2, 3)
	_, p, back := reloaded(t, func(x T) T { return x.Mul(w).Add(w.View(1, 2).Sum(0)) }, f64(1, 1))
	w.Fill(100)
	check(t, "y", ys(t, back, f64(1, 1)), []int{2}, 4, 6)
	if _, err := p.Call(f64(1, 1)); !errors.Is(err, hopcheck.StaleCapture) {
		t.Errorf("call of the traced program: got %v, want HOP405", err)
	}
	if err := p.Save(io.Discard); !errors.Is(err, hopcheck.StaleCapture) {
		t.Errorf("Save: got %v, want HOP405", err)
	}
	check(t, "y of a second load", ys(t, mustLoad[T, T](t, saved(t, back)), f64(1, 1)), []int{2}, 4, 6)
}

func mustLoad[X, Y any](t *testing.T, file []byte) *hop.Program[X, Y] {
	t.Helper()
	p, err := hop.Load[X, Y](bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProgramOfEveryDTypeIsSaved(t *testing.T) {
	caps := []T{hop.FromSlice([]bool{true, false}), hop.FromSlice([]int32{-1, math.MaxInt32}), hop.FromSlice([]int64{math.MinInt64, 1}),
		hop.FromSlice([]float32{float32(math.NaN()), -0.0}), hop.FromSlice([]float64{math.Inf(-1), 5e-324}), hop.Zeros(hop.Float32, 0, 3), s64(1)}
	file, _, back := reloaded(t, func(x T) []T {
		var ys []T
		for _, c := range caps {
			ys = append(ys, hop.Where(x.GtScalar(0), c, c).Clone())
		}
		return ys
	}, s64(1))
	for i, y := range ys(t, back, s64(1)) {
		if got, want := y.String(), caps[i].String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if again := saved(t, back); !bytes.Equal(again, file) {
		t.Error("saved again, the bytes differ")
	}
}

func TestLoadedCallsOfASubgraphShareOneBody(t *testing.T) {
	f := hop.Subgraph("triple", func(x T) T { return x.MulScalar(3) })
	_, _, back := reloaded(t, func(x T) T {
		for range 3 {
			x = f(x)
		}
		return x
	}, f64(1, 2))
	bodies := map[any]bool{}
	for _, n := range back.Graph().Nodes {
		if n.Op == "subgraph" {
			bodies[n.Graphs[0]] = true
		}
	}
	if len(bodies) != 1 {
		t.Errorf("%d bodies, want 1:\n%s", len(bodies), back.Graph())
	}
	check(t, "y", ys(t, back, f64(1, 2)), []int{2}, 27, 54)
}

func TestLoadForOtherTypes(t *testing.T) {
	type sameFields struct {
		W, U, Xs T
		Heads    map[string]T
		Skip     T
		Steps    int     `hop:"static"`
		Rate     float64 `hop:"static"`
		Note     string  `hop:"-"`
	}
	type otherFields struct {
		W, U, Xs T
		Heads    [2]T
		Steps    int64   `hop:"static"`
		Rate     float64 `hop:"static"`
		More     []T
	}
	file, p, _ := reloaded(t, rnnLoss(f64(1, 2, 3)), rnnExample())
	same, err := hop.Load[sameFields, []T](bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	in := rnnExample()
	got := ys(t, same, sameFields{W: in.W, U: in.U, Xs: in.Xs, Heads: in.Heads, Steps: 5, Rate: 0.5})
	check(t, "y", got[0], []int{}, numbers(ys(t, p, in)[0])...)

	_, err = hop.Load[otherFields, T](bytes.NewReader(file))
	if !errors.Is(err, hopcheck.CarryMismatch) {
		t.Fatalf("got %v, want HOP201", err)
	}
	for _, w := range []string{
		"saved argument.Heads is a map, hop_test.otherFields.Heads is an array of length 2", "saved argument.Skip is a tensor, hop_test.otherFields.Skip is missing",
		"saved argument.Steps is a static int, hop_test.otherFields.Steps is a static int64", "saved argument.More is missing, hop_test.otherFields.More is a slice",
		"saved result is a slice, *hop.Tensor is a tensor",
	} {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
	if _, err := hop.Load[any, []T](bytes.NewReader(file)); !errors.Is(err, hopcheck.UnsupportedLeaf) || !strings.Contains(err.Error(), "concrete type") {
		t.Errorf("an interface: got %v", err)
	}
}

func TestLoadOfDamagedFiles(t *testing.T) {
	file, _, _ := reloaded(t, rnnLoss(f64(1, 2, 3)), rnnExample())
	load := func(b []byte) error {
		p, err := hop.Load[rnn, []T](bytes.NewReader(b))
		if err != nil && p != nil {
			t.Error("a program beside an error")
		}
		return err
	}
	t.Run("cut anywhere", func(t *testing.T) {
		for n := range file {
			err := load(file[:n])
			var e *hop.Error
			if !errors.As(err, &e) || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "and then the end") {
				t.Fatalf("%d of %d bytes: got %v", n, len(file), err)
			}
		}
	})
	t.Run("any byte changed", func(t *testing.T) {
		for i := range file {
			b := bytes.Clone(file)
			b[i] ^= 0x10
			var e *hop.Error
			if err := load(b); !errors.As(err, &e) {
				t.Fatalf("byte %d of %d: got %v", i, len(file), err)
			}
		}
	})
	claim := func(at int, v uint64, size int) []byte {
		b := bytes.Clone(file)
		copy(b[at:], endian.LittleEndian.AppendUint64(nil, v)[:size])
		return b
	}
	for _, tc := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "Load: offset 0: got 0 bytes and then the end, want 8 bytes of magic number"},
		{"another format", []byte("\x93NUMPY\x01\x00v\x00{'descr'"), `Load: offset 0: got "\x93NUMPY\x01\x00", want "\x89HOP\r\n\x1a\n", with which a saved program begins`},
		{"newer version", claim(8, 2, 4), "Load: offset 8: got version 2, want version 1, the one that this library reads"},
		{"length beyond memory", claim(12, math.MaxUint64, 8), "Load: offset 12: got a length of 18446744073709551615 bytes, want no more than memory can be"},
		{"length beyond the file", claim(12, 1<<60, 8), "and then the end, want 1152921504606846976 bytes of the program"},
		{"checksum", claim(len(file)-8, 0, 8), "the file was damaged"},
	} {
		if err := load(tc.file); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
	t.Run("no more memory than bytes", func(t *testing.T) {
		huge := claim(12, 1<<60, 8)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		load(huge)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
			t.Errorf("%d bytes were allocated for a file of %d", got, len(huge))
		}
	})
}

func TestProgramsFollowEachOtherInAStream(t *testing.T) {
	w := f64(10)
	a, _, _ := reloaded(t, func(x T) T { return x.Add(w) }, f64(1))
	b, _, _ := reloaded(t, func(x T) T { return x.Mul(w) }, f64(1))
	r := iotest.OneByteReader(bytes.NewReader(slices.Concat(a, b, []byte("rest"))))
	for _, want := range []float64{12, 20} {
		p, err := hop.Load[T, T](r)
		if err != nil {
			t.Fatal(err)
		}
		check(t, "y", ys(t, p, f64(2)), []int{1}, want)
	}
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "rest" {
		t.Errorf("left in the stream: %q, %v", rest, err)
	}
}

func TestErrorsOfReadersAndWritersAreCauses(t *testing.T) {
	mine := errors.New("mine")
	file, p, _ := reloaded(t, func(x T) T { return x.Neg() }, f64(1))
	for n := range len(file) {
		_, err := hop.Load[T, T](io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(mine)))
		if !errors.Is(err, mine) {
			t.Fatalf("reader that fails behind %d bytes: got %v", n, err)
		}
		if err := p.Save(&failingWriter{left: n, err: mine}); !errors.Is(err, mine) {
			t.Fatalf("writer that fails behind %d bytes: got %v", n, err)
		}
	}
}

type failingWriter struct {
	left int
	err  error
}

func (w *failingWriter) Write(b []byte) (int, error) {
	n := min(w.left, len(b))
	if w.left -= n; n < len(b) {
		return n, w.err
	}
	return n, nil
}
