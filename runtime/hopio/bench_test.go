package hopio

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/hoplint/hoplint/runtime/hop"
)

// fixedWriter writes into memory that is there already, as a file in the page cache is.
type fixedWriter struct{ b, rest []byte }

func (w *fixedWriter) Write(b []byte) (int, error) {
	n := copy(w.rest, b)
	w.rest = w.rest[n:]
	return n, nil
}

// benchRatio runs f and reports how many times as long it takes as a copy of n bytes into fresh memory, which is the least
// that a reader can do. Call and copy take turns, so that the garbage collector treats both alike; ns/op and MB/s are of f
// alone, allocations are of both.
func benchRatio(b *testing.B, n int, f func()) {
	b.ReportAllocs()
	src := make([]byte, n)
	var calls, copies time.Duration
	for b.Loop() {
		start := time.Now()
		f()
		middle := time.Now()
		kept := bytes.Clone(src)
		copies += time.Since(middle)
		calls += middle.Sub(start)
		runtime.KeepAlive(kept)
	}
	perCall := float64(calls) / float64(b.N)
	b.ReportMetric(perCall, "ns/op")
	b.ReportMetric(float64(n)/perCall*1000, "MB/s")
	b.ReportMetric(float64(calls)/float64(max(copies, 1)), "x-copy")
}

func BenchmarkFormats(b *testing.B) {
	for _, n := range []int{16, 10_000, 1_000_000} {
		side := n / 4
		for _, x := range []struct {
			name string
			t    *hop.Tensor
		}{
			{"rows", hop.Ones(hop.Float32, 4, side)},
			{"transposed", hop.Ones(hop.Float32, side, 4).T()},
		} {
			size := 4 * n
			one := map[string]*hop.Tensor{"x": x.t}
			sink := &fixedWriter{b: make([]byte, size+4096)}
			write := func(name string, f func(w io.Writer) error) {
				b.Run(fmt.Sprintf("write %s/%s/%d", name, x.name, n), func(b *testing.B) {
					benchRatio(b, size, func() {
						sink.rest = sink.b
						if err := f(sink); err != nil {
							b.Fatal(err)
						}
					})
				})
			}
			write("npy", func(w io.Writer) error { return WriteNPY(w, x.t) })
			write("npz", func(w io.Writer) error { return WriteNPZ(w, one) })
			write("safetensors", func(w io.Writer) error { return WriteSafetensors(w, one, nil) })
		}
		x := hop.Ones(hop.Float32, 4, side)
		read := func(name string, write func(w *bytes.Buffer) error, f func(file []byte) error) {
			file := written(b, write)
			b.Run(fmt.Sprintf("read %s/rows/%d", name, n), func(b *testing.B) {
				benchRatio(b, 4*n, func() {
					if err := f(file); err != nil {
						b.Fatal(err)
					}
				})
			})
		}
		one := map[string]*hop.Tensor{"x": x}
		npy := func(w *bytes.Buffer) error { return WriteNPY(w, x) }
		read("npy", npy, func(file []byte) error { _, err := ReadNPY(bytes.NewReader(file)); return err })
		read("npy stream", npy, func(file []byte) error { _, err := ReadNPY(struct{ io.Reader }{bytes.NewReader(file)}); return err })
		read("npz", func(w *bytes.Buffer) error { return WriteNPZ(w, one) }, func(file []byte) error { _, err := readNPZBytes(file); return err })
		read("safetensors", func(w *bytes.Buffer) error { return WriteSafetensors(w, one, nil) }, func(file []byte) error {
			_, _, err := ReadSafetensors(bytes.NewReader(file), int64(len(file)))
			return err
		})
	}
}

// The ratio of CSV is to a copy of the text.
func BenchmarkCSV(b *testing.B) {
	for _, rows := range []int{10, 10_000} {
		x := hop.Linspace(hop.Float64, 0, 1, rows*8).View(rows, 8)
		file := written(b, func(w *bytes.Buffer) error { return WriteCSV(w, x) })
		b.Run(fmt.Sprintf("write/%d", rows), func(b *testing.B) {
			benchRatio(b, len(file), func() { WriteCSV(io.Discard, x) })
		})
		b.Run(fmt.Sprintf("read/%d", rows), func(b *testing.B) {
			benchRatio(b, len(file), func() { ReadCSV(bytes.NewReader(file)) })
		})
	}
}
