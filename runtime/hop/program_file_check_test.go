package hop

import (
	"bytes"
	"context"
	"crypto/sha256"
	endian "encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/tracer"
)

// fileOf is a whole file around sections, with the right lengths and checksum.
func fileOf(sections ...[]byte) []byte {
	var body []byte
	for _, s := range sections {
		body = append(endian.LittleEndian.AppendUint64(body, uint64(len(s))), s...)
	}
	return sealed(endian.LittleEndian.AppendUint32([]byte(fileMagic), fileVersion), body)
}

func sealed(head, body []byte) []byte {
	b := append(endian.LittleEndian.AppendUint64(slices.Clone(head), uint64(len(body))), body...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// failer is what helpers need of a test.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// savedBytes are those of p.
func savedBytes[X, Y any](t failer, p *Program[X, Y]) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sectionsOf takes a file apart.
func sectionsOf(t failer, file []byte) [][]byte {
	t.Helper()
	body := file[fileHeader : len(file)-sha256.Size]
	var list [][]byte
	for range sectionNames {
		n := endian.LittleEndian.Uint64(body)
		list = append(list, slices.Clone(body[8:8+n]))
		body = body[8+n:]
	}
	return list
}

// TestEveryOpIsSavedAndLoaded runs each sample of the op table as a program, and as the program that is read back.
func TestEveryOpIsSavedAndLoaded(t *testing.T) {
	forSamples(t, func(t *testing.T, op *opRow, s sample) {
		p, err := Trace(func(xs []*Tensor) []*Tensor { return Clone(applyOps(op, s.attrs, xs...)) }, s.args)
		if err != nil {
			t.Fatal(err)
		}
		file := savedBytes(t, p)
		back, err := Load[[]*Tensor, []*Tensor](bytes.NewReader(file))
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Graph())
		}
		if again := savedBytes(t, back); !bytes.Equal(again, file) {
			t.Errorf("saved again %q\nwas %q", again, file)
		}
		want, err := p.Call(s.args)
		got, err2 := back.Call(s.args)
		if fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("got %v, want %v", err2, err)
		}
		for i := range want {
			if d := diffRef(refOf(got[i]), refOf(want[i]), 0); d != "" {
				t.Errorf("result %d: %s", i, d)
			}
		}
	})
}

// TestLoadRefusesGraphsThatNoTraceMakes changes the graph of a program and nothing else.
func TestLoadRefusesGraphsThatNoTraceMakes(t *testing.T) {
	w := FromSlice([]float64{1, 2, 3})
	p, err := Trace(func(x *Tensor) *Tensor {
		c, _ := Scan(func(c, x *Tensor) (*Tensor, None) { return c.Add(x.Mul(w)), None{} }, Zeros(Float64, 3), x)
		y := Concat(0, c.Sum(0).Reshape(1), c.Narrow(0, 1, 2).MulScalar(2))
		y.Narrow(0, 0, 1).Zero()
		return y.Clone()
	}, Zeros(Float64, 4, 3))
	if err != nil {
		t.Fatal(err)
	}
	file := savedBytes(t, p)
	sections := sectionsOf(t, file)
	text := string(sections[sectionGraph])
	for _, tc := range []struct{ from, to, want string }{
		{"", "", ""},
		{"= mul(", "= mull(", `unknown op "mull"`},
		{"sum(get; dims=[0]", "sum(get; dims=[-1]", "sum: attributes are"},
		{"sum(get; dims=[0]", "sum(get; dims=[3]", "sum: dim 3 is out of range"},
		{"mul_scalar(", "nonzero(", "attribute 0 is value; want no more"},
		{"mul_scalar(", "hold(", `unknown op "hold"`},
		{"value=2.0", "value=2", "attribute value is the int 2; want float"},
		{"value=2.0", "values=2.0", "attribute 0 is values; want value"},
		{"value=2.0", "value=2.0, more=1", "attribute 1 is more; want no more"},
		{"; value=2.0", "", "attribute 0 is missing; want value"},
		{"mul(x, w)", "mul(x)", "1 arguments; want 2"},
		{"start=1, length=2", "start=-1, length=2", "narrow: "},
		{"start=1, length=2", "start=2, length=2", "narrow: "},
		{`view="narrow"`, `view="neg"`, "view"},
		{`view="narrow"`, `view="select"`, "attribute"},
		{"length=4", "length=5", "want a tensor of leading size 5"},
		{"length=4", "length=<4>", "symbolic"},
		{"operand: f64[4, 3]", "operand: f64[4, s0]", ""}, // an open size, which a call must find to be 3
		{"operand: f64[4, 3]", "operand: <s0>", "graph "},
		{"operand: f64[4, 3]", "operand: f64[4, 3], more: f64[]", "the graph has 2 inputs, want 1, one for each leaf of the argument"},
		{"w: f64[3]", "w: f64[4]", "input w of body combine is f64[3]; want f64[4]"},
		{"  return clone", "  return", "the graph has 0 outputs, want 1, one for each leaf of the result"},
		{"graph ", "graph  ", "the graph is not written as Save writes it"},
		{"w: f64[3]", "w: f64[3], v: f64[3]", "offset"},
		{"w: f64[3]", "w: f64[3], v: f64[9223372036854775807, 9223372036854775807]", "larger than memory can be"},
	} {
		changed := strings.Replace(text, tc.from, tc.to, 1)
		if tc.from != "" && changed == text {
			t.Fatalf("no %q in\n%s", tc.from, text)
		}
		s := slices.Clone(sections)
		s[sectionGraph] = []byte(changed)
		_, err := Load[*Tensor, *Tensor](bytes.NewReader(fileOf(s...)))
		var e *Error
		if tc.want == "" && err != nil || tc.want != "" && (!errors.As(err, &e) || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%q to %q: got %v, want %s", tc.from, tc.to, err, tc.want)
		}
	}
}

// TestLoadRefusesOtherSections changes one of the other sections.
func TestLoadRefusesOtherSections(t *testing.T) {
	b := FromSlice([]bool{true, false})
	p, err := Trace(func(x []*Tensor) *Tensor { return x[0].And(b) }, []*Tensor{b, nil})
	if err != nil {
		t.Fatal(err)
	}
	sections := sectionsOf(t, savedBytes(t, p))
	for _, tc := range []struct {
		section int
		data    string
		want    string
	}{
		{sectionName, "scan", `got a program of "scan", want trace or compile`},
		{sectionArgument, "argument: slice of 9\n", `structure of the argument: line 2: got ""; want the path argument[0]`},
		{sectionArgument, "argument: slice of 1\nargument[0]: nil tensor\n", "the graph has 1 inputs, want 0"},
		{sectionResult, "result: struct of 0\n", "saved result is a struct, *hop.Tensor is a tensor"},
		{sectionGraph, "", "graph text 1:1: got end of text"},
		{sectionConstants, "\x01", "got 1 bytes that are left, want the elements of constant"},
		{sectionConstants, "\x01\x02", "got bytes other than 0 and 1, want the elements of constant"},
		{sectionConstants, "\x01\x00\x00", "got 1 bytes more, want the elements of 1 constants"},
	} {
		s := slices.Clone(sections)
		s[tc.section] = []byte(tc.data)
		if _, err := Load[[]*Tensor, *Tensor](bytes.NewReader(fileOf(s...))); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s", sectionNames[tc.section], err, tc.want)
		}
	}
	if _, err := Load[[]*Tensor, *Tensor](bytes.NewReader(fileOf(append(sections, nil)...))); err == nil || !strings.Contains(err.Error(), "got 8 bytes, want nothing behind section constants") {
		t.Errorf("one section more: got %v", err)
	}
	for n := range sections {
		if _, err := Load[[]*Tensor, *Tensor](bytes.NewReader(fileOf(sections[:n]...))); err == nil || !strings.Contains(err.Error(), "want the length of section "+sectionNames[n]) {
			t.Errorf("%d sections: got %v", n, err)
		}
	}
	head := endian.LittleEndian.AppendUint32([]byte(fileMagic), fileVersion)
	body := endian.LittleEndian.AppendUint64(nil, 1<<60)
	if _, err := Load[[]*Tensor, *Tensor](bytes.NewReader(sealed(head, body))); err == nil || !strings.Contains(err.Error(), "got section name of 1152921504606846976 bytes, want at most the 0 that are left") {
		t.Errorf("got %v", err)
	}
}

// A window is a place in memory: one that reaches out of it is refused whatever the numbers, also those whose sums and
// products overflow.
func TestWindowsThatReachOutOfAStorageAreRefused(t *testing.T) {
	for _, tc := range []struct {
		shape, strides []int
		offset         int
		ok             bool
	}{
		{[]int{2, 3}, []int{6, 2}, 1, true},
		{[]int{2, 3}, []int{6, 2}, 2, false},
		{[]int{3}, []int{-4}, 11, true},
		{[]int{3}, []int{-4}, 7, false},
		{[]int{5, 9}, []int{0, 0}, 11, true},
		{nil, nil, 11, true},
		{nil, nil, 12, false},
		{nil, nil, -1, false},
		{[]int{2, 3}, []int{1, 4}, math.MaxInt, false},
		{[]int{2, 3}, []int{1, math.MaxInt}, 0, false},
		{[]int{math.MaxInt, 3}, []int{2, 4}, 0, false},
		{[]int{3}, []int{math.MinInt}, 11, false},
		{[]int{0, 5}, []int{99, 99}, 12, true},
		{[]int{0}, []int{1}, 13, false},
	} {
		_, err := shapes{}.Infer("as_strided", []tracer.Meta{tracer.TensorMeta(Float64, 3, 4)}, attrs("shape", tc.shape, "strides", tc.strides, "offset", tc.offset))
		if (err == nil) != tc.ok {
			t.Errorf("shape %v, strides %v, offset %d: got %v, want ok %t", tc.shape, tc.strides, tc.offset, err, tc.ok)
		}
	}
}

// A file can put a window on an input, which may lie in memory in any way: the window is that of its elements in order.
func TestWindowOnATensorThatDoesNotLieInOrder(t *testing.T) {
	p, err := Trace(func(x *Tensor) *Tensor { return x.Reshape(6).Clone() }, Zeros(Float64, 2, 3))
	if err != nil {
		t.Fatal(err)
	}
	s := sectionsOf(t, savedBytes(t, p))
	s[sectionGraph] = []byte("graph trace(operand: f64[2, 3]) {\n  y: f64[3] = as_strided(operand; shape=[3], strides=[2], offset=1)\n  clone: f64[3] = clone(y)\n  return clone\n}\n")
	if p, err = Load[*Tensor, *Tensor](bytes.NewReader(fileOf(s...))); err != nil {
		t.Fatal(err)
	}
	x := FromSlice([]float64{1, 2, 3, 4, 5, 6}, 3, 2).T()
	for _, x := range []*Tensor{x, x.Clone(), FromSlice([]float64{7}).Expand(2, 3), x.Clone().SetRequiresGrad(true)} {
		got, err := p.Call(x)
		if err != nil {
			t.Fatal(err)
		}
		all := ToSlice[float64](x)
		if want := []float64{all[1], all[3], all[5]}; !slices.Equal(ToSlice[float64](got), want) {
			t.Errorf("of %v: got %v, want %v", x, got, want)
		}
	}
}

// fuzzed is a structure with something of everything.
type fuzzed struct {
	X    *Tensor
	Keys map[string]*Tensor
	Gone []*Tensor
	Rate float64 `hop:"static"`
}

// seedPrograms are files of real programs from fuzzed to a list.
func seedPrograms(t testing.TB) [][]byte {
	x := fuzzed{X: FromSlice([]float64{1, -2, 3}), Keys: map[string]*Tensor{"a": Scalar(2.0), "b": FromSlice([]int64{0, 1, 2})}, Gone: []*Tensor{nil}, Rate: 0.5}
	w := FromSlice([]float64{0.5, 1.5, 2.5})
	var files [][]byte
	for _, f := range []func(x fuzzed) []*Tensor{
		func(x fuzzed) []*Tensor { return []*Tensor{x.X.Mul(w).Sum(), x.X.Sin()} },
		func(x fuzzed) []*Tensor {
			c, ys := Scan(func(c, x *Tensor) (*Tensor, *Tensor) { n := c.Mul(x).Add(w.Sum()); return n, n.Exp() }, x.Keys["a"], x.X)
			return []*Tensor{c, ys}
		},
		func(x fuzzed) []*Tensor {
			pos := x.X.Sum().GtScalar(0)
			return []*Tensor{Cond(pos, func(x *Tensor) *Tensor { return x.Mul(w) }, func(x *Tensor) *Tensor { return x.Neg() }, x.X)}
		},
		func(x fuzzed) []*Tensor {
			n := WhileLoop(func(c *Tensor) *Tensor { return c.LtScalar(10) }, func(c *Tensor) *Tensor { return c.MulScalar(2) }, x.Keys["a"], MaxSteps(20))
			return []*Tensor{n, ForLoop(0, 3, func(i, c *Tensor) *Tensor { return c.Add(x.X.At(0, i)) }, n)}
		},
		func(x fuzzed) []*Tensor {
			y := Concat(0, x.X, w)
			y.Narrow(0, 1, 3).SubInPlace(w)
			return []*Tensor{y.Reshape(2, 3).T().MatMul(y.Reshape(2, 3)), x.X.Gather(0, x.Keys["b"]), x.X.Roll(0, 1).Repeat(0, 2).Unsqueeze(1).Expand(6, 2).Reshape(12).CumSum(0), Einsum("i,j->ij", x.X, w)}
		},
		func(x fuzzed) []*Tensor {
			return []*Tensor{Map(func(x *Tensor) *Tensor { return x.Mul(x).Add(x) }, x.X), AssociativeScan(func(a, b *Tensor) *Tensor { return a.Add(b) }, x.X),
				Checkpoint(func(x *Tensor) *Tensor { return x.Tanh() })(x.X), Subgraph("s", func(x *Tensor) *Tensor { return x.Cos() })(x.X)}
		},
	} {
		p, err := Trace(f, x)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, savedBytes(t, p))
	}
	return files
}

// FuzzLoad changes the sections of real programs, with checksums that are right. What is accepted is saved again to the
// same bytes, and runs without a crash.
func FuzzLoad(f *testing.F) {
	for _, file := range seedPrograms(f) {
		s := sectionsOf(f, file)
		f.Add(string(s[0]), string(s[1]), string(s[2]), string(s[3]), s[4])
	}
	f.Fuzz(func(t *testing.T, name, argument, result, graph string, constants []byte) {
		file := fileOf([]byte(name), []byte(argument), []byte(result), []byte(graph), constants)
		p, err := Load[fuzzed, []*Tensor](bytes.NewReader(file))
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got a %T: %v", err, err)
			}
			return
		}
		if again := savedBytes(t, p); !bytes.Equal(again, file) {
			t.Fatalf("saved again\n%q\nwas\n%q", again, file)
		}
		runSmall(p)
	})
}

// wordsOf are what a graph's text is made of: numbers, names, and single other characters.
var wordsOf = regexp.MustCompile(`-?[0-9][0-9.e+]*|[A-Za-z_][A-Za-z_0-9.]*|"[^"]*"|.|\n`)

// changedGraphs exchanges words of the graphs of real programs for others of their kind, which keeps many of them well
// formed: what is accepted is saved again to the same bytes, and must run.
func changedGraphs[X, Y any](t *testing.T, seeds [][]byte) {
	numbers := []string{"0", "1", "-1", "2", "3", "4", "6", "0.5", "7", "1000000", "1099511627776", "9223372036854775807", "-9223372036854775808", "nan", "inf"}
	var names []string
	for _, op := range opTable {
		names = append(names, op.Name)
	}
	names = append(names, "scan", "map", "vmap", "associative_scan", "while_loop", "for_loop", "cond", "switch", "checkpoint", "subgraph", "custom_vjp",
		"get", "literal", "put_view", "size", "int", "true", "false", "f32", "f64", "i32", "i64", "bool")
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		s := sectionsOf(noFailure{}, rapid.SampledFrom(seeds).Draw(t, "seed"))
		words := wordsOf.FindAllString(string(s[sectionGraph]), -1)
		var exchangeable []int
		for i, w := range words {
			if len(w) > 1 && w[0] != '"' || '0' <= w[0] && w[0] <= '9' {
				exchangeable = append(exchangeable, i)
			}
		}
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			i := rapid.SampledFrom(exchangeable).Draw(t, "word")
			switch c := words[i][0]; {
			case '0' <= c && c <= '9' || c == '-':
				words[i] = rapid.SampledFrom(numbers).Draw(t, "number")
			case rapid.Bool().Draw(t, "from the graph"):
				words[i] = words[rapid.SampledFrom(exchangeable).Draw(t, "other word")]
			default:
				words[i] = rapid.SampledFrom(names).Draw(t, "name")
			}
		}
		s[sectionGraph] = []byte(strings.Join(words, ""))
		file := fileOf(s...)
		p, err := Load[X, Y](bytes.NewReader(file))
		if err != nil {
			return
		}
		accepted++
		if again := savedBytes(noFailure{}, p); !bytes.Equal(again, file) {
			t.Fatalf("saved again\n%q\nwas\n%q", again, file)
		}
		runSmall(p)
	})
	if accepted == 0 {
		t.Error("no changed graph was accepted: the test says little")
	}
	t.Logf("%d changed graphs were accepted", accepted)
}

func TestLoadOfChangedProgramsNeverPanics(t *testing.T) {
	changedGraphs[fuzzed, []*Tensor](t, seedPrograms(t))
}

func TestLoadOfChangedOpsNeverPanics(t *testing.T) {
	var seeds [][]byte
	for _, op := range opTable {
		for i, s := range samplesOf(op) {
			if i%5 != 0 {
				continue
			}
			p, err := Trace(func(xs []*Tensor) []*Tensor { return Clone(applyOps(op, s.attrs, xs...)) }, s.args)
			if err != nil {
				t.Fatal(err)
			}
			seeds = append(seeds, savedBytes(t, p))
		}
	}
	changedGraphs[[]*Tensor, []*Tensor](t, seeds)
}

// noFailure is for helpers inside of a property, where a failure is a panic.
type noFailure struct{}

func (noFailure) Helper()           {}
func (noFailure) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// FuzzLoadBytes changes whole files.
func FuzzLoadBytes(f *testing.F) {
	for _, file := range seedPrograms(f) {
		f.Add(file)
		f.Add(file[:len(file)/2])
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		r := bytes.NewReader(file)
		p, err := Load[fuzzed, []*Tensor](r)
		if err != nil {
			return
		}
		if again, read := savedBytes(t, p), file[:len(file)-r.Len()]; !bytes.Equal(again, read) {
			t.Fatalf("saved again\n%q\nwas\n%q", again, read)
		}
	})
}

// runSmall calls a program, with gradients, too, when no tensor of it is large.
func runSmall[X, Y any](p *Program[X, Y]) {
	const most = 1 << 10
	if largest(p.Graph()) > most {
		return
	}
	leaves := make([]*Tensor, len(p.p.metas))
	for i, m := range p.p.metas {
		dims, _ := m.ConstShape()
		leaves[i] = Ones(m.DType, dims...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	call := func() ([]*Tensor, error) {
		var outs []*Tensor
		err := Try(func() {
			h := begin("Compile", []Option{WithContext(ctx)}, "WithContext")
			outs = p.p.call(h, group{leaves: leaves, tree: p.p.in, paths: p.p.in.Paths()}, nil)
		})
		return outs, err
	}
	if _, err := call(); err != nil {
		return
	}
	for _, l := range leaves {
		if l.DType().IsFloat() {
			l.SetRequiresGrad(true)
		}
	}
	outs, err := call()
	if err != nil {
		return
	}
	_ = Try(func() {
		for _, o := range outs {
			if o.RequiresGrad() {
				o.Sum().Backward(RetainGraph())
			}
		}
	})
}

// largest counts the elements of the largest tensor of a graph and its bodies.
func largest(g *tracer.Graph) int {
	most := 0
	for _, n := range slices.Concat(g.Inputs, g.Constants, g.Nodes) {
		for _, m := range append([]tracer.Meta{n.Meta}, n.Meta.Elems...) {
			dims, _ := m.ConstShape()
			if count, ok := numElems(m.DType, dims); m.IsTensor() && ok {
				most = max(most, count)
			} else if m.IsTensor() {
				most = math.MaxInt
			}
		}
		for _, body := range n.Graphs {
			most = max(most, largest(body))
		}
	}
	return most
}

// TestSeedsOfTheFuzzTargetsLoad keeps the seeds worth something.
func TestSeedsOfTheFuzzTargetsLoad(t *testing.T) {
	for i, file := range seedPrograms(t) {
		p, err := Load[fuzzed, []*Tensor](bytes.NewReader(file))
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		if !reflect.DeepEqual(sectionsOf(t, savedBytes(t, p)), sectionsOf(t, file)) {
			t.Errorf("%d: saved again, it differs", i)
		}
		runSmall(p)
	}
}
