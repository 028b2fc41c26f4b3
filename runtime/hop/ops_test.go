package hop

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// forSamples runs f for every sample of every op. Samples are made anew for each op, so f may write them.
func forSamples(t *testing.T, f func(t *testing.T, op *opRow, s sample)) {
	t.Helper()
	for _, op := range opTable {
		t.Run(op.Name, func(t *testing.T) {
			for _, s := range samplesOf(op) {
				f(t, op, s)
				if t.Failed() {
					t.Fatalf("at sample %q", s.name)
				}
			}
		})
	}
}

func TestEveryRowHasAllItsParts(t *testing.T) {
	names := map[string]bool{}
	for i, op := range opTable {
		t.Run(op.Name, func(t *testing.T) {
			if names[op.Name] {
				t.Error("two rows have this name")
			}
			names[op.Name] = true
			if opNamed(op.Name) != opTable[i] {
				t.Error("opNamed does not find it")
			}
			exported := 0
			for _, s := range []string{op.Method, op.Func} {
				if s != "" {
					exported++
				}
			}
			if s, err := hopcheck.ParseSchema(op.Schema); err == nil && len(s.Results) > 1 {
				if got := len(strings.Split(op.Results, ", ")); got != len(s.Results) {
					t.Errorf("Results names %d of %d results", got, len(s.Results))
				}
				if got := len(moreReferences[op.Name]) + 1; got != len(s.Results) {
					t.Errorf("references for %d of %d results", got, len(s.Results))
				}
			}
			if op.Writer != "" && op.InPlace == "" || op.InPlace != "" && op.Writer == "" && op.Method == "" {
				t.Error("Writer and InPlace do not agree")
			}
			if exported == 0 && op.Writer == "" && !op.Internal || exported > 1 {
				t.Error("want one of Method and Func, or Writer, or Internal")
			}
			for name, missing := range map[string]bool{
				"Doc": op.Doc == "", "Schema": op.Schema == "", "DTypes": op.DTypes == 0, "Infer": op.Infer == nil,
				"Samples": op.Samples == nil, "Source": op.Source == "",
				"a reference in this test": references[op.Name] == nil,
			} {
				if missing {
					t.Errorf("%s is missing", name)
				}
			}
			if (op.Kernel.Run == nil) == (op.Kernel.View == nil) {
				t.Error("want exactly one of Kernel.Run and Kernel.View")
			}
			if (op.VJP == nil) == (op.NoGrad == "") {
				t.Error("want exactly one of VJP and NoGrad")
			}
			for _, text := range []string{op.Schema, op.InPlace} {
				if text == "" {
					continue
				}
				s, err := hopcheck.ParseSchema(text)
				if err != nil {
					t.Error(err)
				} else if s.String() != text || strings.TrimSuffix(s.Name, "_") != op.Name {
					t.Errorf("schema %q prints as %q", text, s)
				}
			}
			seen := map[DType]bool{}
			for _, s := range samplesOf(op) {
				for i, a := range s.args {
					if !op.freeDType(i) {
						seen[a.DType()] = true
					}
				}
			}
			for _, dt := range op.DTypes.list() {
				if !seen[dt] {
					t.Errorf("no sample of %s", dt)
				}
			}
		})
	}
}

func TestShapeRuleAgreesWithTheResult(t *testing.T) {
	forSamples(t, func(t *testing.T, op *opRow, s sample) {
		inf := inference{op: op, Attrs: s.attrs}
		for _, a := range s.args {
			inf.In = append(inf.In, a.meta())
		}
		if err := op.Infer(&inf); err != nil {
			t.Fatal(err)
		}
		metas := inf.Out.Elems
		if inf.Out.IsTensor() {
			metas = []tracer.Meta{inf.Out}
		}
		for i, out := range applyOps(op, s.attrs, s.args...) {
			if got, want := describe(out.meta()), describe(metas[i]); got != want && op.DataDependent == "" {
				t.Errorf("result %d is %s, the rule says %s", i, got, want)
			}
			if out.offset < 0 || out.NumElems() > 0 && out.last() >= out.storage.n {
				t.Errorf("result %d with shape %v, strides %v, offset %d leaves its storage of %d", i, out.shape, out.strides, out.offset, out.storage.n)
			}
		}
		// The rule applied to what it has normalised changes nothing.
		again := inference{op: op, In: inf.In, Attrs: inf.Attrs}
		if err := op.Infer(&again); err != nil {
			t.Fatal("on normalised attributes:", err)
		}
		if fmt.Sprint(again.Attrs) != fmt.Sprint(inf.Attrs) || !again.Out.Equal(inf.Out) {
			t.Errorf("normalised attributes %v become %v, result %v becomes %v", inf.Attrs, again.Attrs, inf.Out, again.Out)
		}
	})
}

// applyOps is applyOp with all results.
func applyOps(op *opRow, attrs tracer.Attrs, args ...*Tensor) []*Tensor {
	return prepare(op, op.userName(), attrs, args).functional()
}

// last is the offset of the last element.
func (t *Tensor) last() int {
	at := t.offset
	for d, n := range t.shape {
		at += (n - 1) * t.strides[d]
	}
	return at
}

func TestResultEqualsAnIndependentReference(t *testing.T) {
	forSamples(t, func(t *testing.T, op *opRow, s sample) {
		list := append([]reference{references[op.Name]}, moreReferences[op.Name]...)
		for i, out := range applyOps(op, s.attrs, s.args...) {
			if d := diffRef(refOf(out), list[i](refArgs(s)), tolerance(s.args)); d != "" {
				t.Errorf("result %d: %s", i, d)
			}
		}
	})
}

// tolerance is the largest relative error of a result.
func tolerance(args []*Tensor) float64 {
	switch {
	case hasDType(args, Float32):
		return 2e-6
	case hasDType(args, Float64):
		return 2e-14
	default:
		return 1e-15
	}
}

func hasDType(ts []*Tensor, dt DType) bool {
	return slices.ContainsFunc(ts, func(t *Tensor) bool { return t.DType() == dt })
}

func TestInPlaceFormEqualsTheFunctionalOne(t *testing.T) {
	forSamples(t, func(t *testing.T, op *opRow, s sample) {
		if op.InPlace == "" {
			return
		}
		out := applyOp(op, s.attrs, s.args...)
		dst := s.args[0]
		before, version := snapshot(dst.storage), dst.Version()
		var result *Tensor
		err := Try(func() { result = write(idOf(op), s.attrs, s.args...) })
		switch {
		case describe(out.meta()) != describe(dst.meta()):
			wantMisuse(t, err, "does not fit receiver")
		case dst.overlapsItself():
			wantMisuse(t, err, "expanded view")
		default:
			if err != nil {
				t.Fatal(err)
			}
			if result != dst {
				t.Error("the result is not the receiver")
			}
			if dst.Version() != version+1 {
				t.Errorf("version went from %d to %d, want one more", version, dst.Version())
			}
			if d := diffRef(refOf(dst), refOf(out), 0); d != "" {
				t.Error(d)
			}
			return
		}
		if !bytes.Equal(before, snapshot(dst.storage)) || dst.Version() != version {
			t.Error("a refused write changed the receiver")
		}
	})
}

func wantMisuse(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("got error %v, want one with %q", err, part)
	}
}

func idOf(op *opRow) opID { return opID(slices.Index(opTable[:], op)) }

func snapshot(s *storage) []byte { return bytes.Clone(s.bytes()) }

// TestObservedEffectsAreDeclared compares versions, storages and bytes of all operands around each call with the schema.
func TestObservedEffectsAreDeclared(t *testing.T) {
	check := func(t *testing.T, text string, args []*Tensor, call func() []*Tensor) {
		t.Helper()
		schema, err := hopcheck.ParseSchema(text)
		if err != nil {
			t.Fatal(err)
		}
		var params []hopcheck.SchemaParam
		for _, p := range schema.Params {
			if p.Type == "Tensor" {
				params = append(params, p)
			}
		}
		type state struct {
			version uint64
			bytes   []byte
		}
		before := map[*storage]state{}
		mayWrite := map[*storage]bool{}
		for i, a := range args {
			before[a.storage] = state{a.Version(), snapshot(a.storage)}
			mayWrite[a.storage] = mayWrite[a.storage] || params[min(i, len(params)-1)].Writes
		}
		outs := call()
		for i, a := range args {
			wrote := a.Version() != before[a.storage].version
			changed := !bytes.Equal(before[a.storage].bytes, a.storage.bytes())
			if wrote != mayWrite[a.storage] {
				t.Errorf("operand %d: written %t, declared %t", i, wrote, mayWrite[a.storage])
			}
			if changed && !wrote {
				t.Errorf("operand %d changed without a new version", i)
			}
		}
		for k, out := range outs {
			shares := out.storage == args[0].storage
			switch r := schema.Results[k]; {
			case r.Storage == "" && shares:
				t.Error("a fresh result shares storage")
			case r.Storage != "" && !r.OrFresh && !shares:
				t.Error("a view does not share storage")
			case r.Storage != "" && shares && out.Version() != args[0].Version():
				t.Error("a view has a version of its own")
			}
			for _, a := range args[1:] {
				if a.storage != args[0].storage && a.storage == out.storage {
					t.Error("the result shares storage with another operand")
				}
			}
			for _, other := range outs[:k] {
				if other.storage == out.storage {
					t.Error("two results share storage")
				}
			}
		}
	}
	forSamples(t, func(t *testing.T, op *opRow, s sample) {
		check(t, op.Schema, s.args, func() []*Tensor { return applyOps(op, s.attrs, s.args...) })
		if op.InPlace == "" || s.args[0].overlapsItself() {
			return
		}
		if out := applyOp(op, s.attrs, s.args...); describe(out.meta()) == describe(s.args[0].meta()) {
			check(t, op.InPlace, s.args, func() []*Tensor { return one(write(idOf(op), s.attrs, s.args...)) })
		}
	})
}

// TestViewsLookAtTheirBase writes through each view and finds the new element in the base.
func TestViewsLookAtTheirBase(t *testing.T) {
	forSamples(t, func(t *testing.T, op *opRow, s sample) {
		if op.Kernel.View == nil {
			return
		}
		base := s.args[0]
		v := applyOp(op, s.attrs, base)
		if v.storage != base.storage {
			return // Reshape's copy; whether it may is checked elsewhere
		}
		if v.NumElems() == 0 {
			if v.SharesStorage(base) {
				t.Error("a view without elements shares storage")
			}
			return
		}
		if !v.SharesStorage(base) {
			t.Error("view and base share no storage")
		}
		before := refOf(v)
		seen := 0
		base.offsets(func(at int) bool {
			v.offsets(func(i int) bool {
				if i == at {
					seen++
				}
				return true
			})
			return true
		})
		if op.Name != "as_strided" && !base.overlapsItself() && seen < len(before.v) {
			t.Errorf("%d of %d elements of the view lie in the base's window", seen, len(before.v))
		}
	})
}

func TestAViewOnlyOpRefusesToCopy(t *testing.T) {
	x := Arange(Float64, 6).View(2, 3).T()
	for _, f := range []func(){func() { x.View(6) }, func() { x.Flatten() }} {
		wantMisuse(t, Try(f), "Reshape")
	}
	if got := x.Reshape(6); got.SharesStorage(x) || got.String() != "[0 3 1 4 2 5]" {
		t.Errorf("Reshape: got %v, shares %t", got, got.SharesStorage(x))
	}
}

func TestOtherDTypesAreRefused(t *testing.T) {
	for _, op := range opTable {
		for _, dt := range tracer.DTypes() {
			if op.DTypes.has(dt) {
				continue
			}
			s := samplesOf(op)[0]
			args := slices.Clone(s.args)
			for i := range args {
				if !op.freeDType(i) {
					args[i] = newTensor(dt, args[i].shape)
				}
			}
			err := Try(func() { applyOp(op, s.attrs, args...) })
			if err == nil || !strings.Contains(err.Error(), dt.String()) {
				t.Errorf("%s of %s: got error %v", op.Name, dt, err)
			}
		}
	}
}

func TestMisuseNamesBothValuesAndTheRemedy(t *testing.T) {
	f32, f64 := Zeros(Float32, 2, 3), Zeros(Float64, 2, 3)
	i64 := Zeros(Int64, 2, 3)
	for _, test := range []struct {
		name string
		f    func()
		want []string
	}{
		{"dtypes", func() { f32.Add(f64) }, []string{"Add: ", "float32[2 3]", "float64[2 3]", "To(Float32)"}},
		{"shapes", func() { f64.Mul(Zeros(Float64, 4)) }, []string{"Mul: ", "[2 3]", "[4]", "dim -1"}},
		{"nil operand", func() { f64.Add(nil) }, []string{"Add: ", "operand 1 is nil"}},
		{"nil receiver", func() { (*Tensor)(nil).Exp() }, []string{"Exp: ", "operand 0 is nil"}},
		{"scalar of an integer", func() { i64.AddScalar(0.5) }, []string{"AddScalar: ", "0.5", "int64", "To(Float64)"}},
		{"scalar in place", func() { i64.MulScalarInPlace(math.NaN()) }, []string{"NaN", "int64"}},
		{"unsupported dtype", func() { i64.Exp() }, []string{"Exp: ", "int64", "float32 or float64", "To"}},
		{"dim", func() { f64.Sum(2) }, []string{"Sum: ", "dim 2", "-2 to 1"}},
		{"dim twice", func() { f64.Sum(0, -2) }, []string{"Sum: ", "dim 0", "twice"}},
		{"empty maximum", func() { Zeros(Float64, 0).Max() }, []string{"Max: ", "no elements"}},
		{"narrow", func() { f64.Narrow(1, 2, 2) }, []string{"Narrow: ", "2 to 4", "float64[2 3]"}},
		{"narrow overflow", func() { f64.Narrow(1, 2, math.MaxInt) }, []string{"Narrow: "}},
		{"select", func() { f64.Select(0, -3) }, []string{"Select: ", "index -3", "-2 to 1"}},
		{"view", func() { f64.View(4, 2) }, []string{"View: ", "6 elements", "[4 2]"}},
		{"view overflow", func() { f64.View(math.MaxInt, math.MaxInt) }, []string{"View: "}},
		{"two unknown sizes", func() { f64.View(-1, -1) }, []string{"View: ", "-1"}},
		{"unknown beside zero", func() { Zeros(Float64, 0).View(0, -1) }, []string{"View: ", "no one answer"}},
		{"expand", func() { f64.Expand(2, 4) }, []string{"Expand: ", "[2 4]", "size 3"}},
		{"permute", func() { f64.Permute(0) }, []string{"Permute: ", "[0]", "2 dims"}},
		{"squeeze", func() { f64.Squeeze(0) }, []string{"Squeeze: ", "size 2", "Select"}},
		{"slice step", func() { f64.Slice(0, 0, 2, -1) }, []string{"Slice: ", "step is -1", "Flip"}},
		{"matmul", func() { f64.MatMul(f64) }, []string{"MatMul: ", "inner sizes 3 and 2"}},
		{"matmul of scalars", func() { f64.MatMul(Scalar(1.0)) }, []string{"MatMul: ", "Mul"}},
		{"dot", func() { f64.Dot(f64) }, []string{"Dot: ", "1-d"}},
		{"concat", func() { Concat(0, f64, Zeros(Float64, 2, 4)) }, []string{"Concat: ", "float64[2 3]", "float64[2 4]"}},
		{"concat of nothing", func() { Concat(0) }, []string{"Concat: ", "no tensors"}},
		{"stack", func() { Stack(0, f64, Zeros(Float64, 2)) }, []string{"Stack: ", "float64[2 3]", "float64[2]"}},
		{"where", func() { Where(f64, f64, f64) }, []string{"Where: ", "condition", "float64[2 3]", "bool"}},
		{"invalid dtype", func() { f64.To(DType(77)) }, []string{"To: ", "77"}},
		{"result does not fit", func() { Zeros(Float64, 3).AddInPlace(f64) }, []string{"AddInPlace: ", "float64[2 3]", "float64[3]"}},
		{"source too large", func() { Zeros(Float64, 3).CopyFrom(f64) }, []string{"CopyFrom: ", "float64[2 3]", "float64[3]"}},
		{"Q5: in place on expanded", func() { Zeros(Float64, 1, 3).Expand(2, 3).AddScalarInPlace(1) }, []string{"AddScalarInPlace: ", "expanded", "Clone"}},
		{"Q5: Set on expanded", func() { Zeros(Float64, 1).Expand(3).Set(1, 0) }, []string{"Set: ", "expanded"}},
		{"Set index", func() { f64.Set(1, 2, 0) }, []string{"Set: ", "index 2", "-2 to 1"}},
		{"Set count", func() { f64.Set(1, 0) }, []string{"Set: ", "1 indices"}},
		{"integer division by zero", func() { i64.Div(i64) }, []string{"Div: ", "division by zero"}},
		{"negative size", func() { Zeros(Float64, 2, -1) }, []string{"Zeros: ", "-1"}},
		{"overflowing shape", func() { Zeros(Float64, 1<<40, 1<<40) }, []string{"Zeros: ", "memory"}},
		{"overflow beside zero is fine", func() { Zeros(Float64, 1<<40, 1<<40, 0); misuse("ok", "ok") }, []string{"ok"}},
		{"overflowing clone", func() { Zeros(Float64, 1).Expand(1<<40, 1<<40).Clone() }, []string{"Clone: ", "large"}},
		{"data and dims", func() { FromSlice([]float64{1, 2}, 3) }, []string{"FromSlice: ", "2 elements", "[3]"}},
		{"read as another type", func() { ToSlice[float32](f64) }, []string{"ToSlice: ", "float64[2 3]", "float32"}},
		{"Item of many", func() { Item[float64](f64) }, []string{"Item: ", "6 elements"}},
		{"ItemAt", func() { ItemAt[float64](f64, 0, 3) }, []string{"ItemAt: ", "index 3"}},
		{"Data of a transposed", func() { Data[float64](f64.T()) }, []string{"Data: ", "ToSlice"}},
		{"Dense of a vector", func() { Zeros(Float64, 3).Dense() }, []string{"Dense: ", "matrix"}},
		{"Split", func() { f64.Split(0, 0) }, []string{"Split: ", "size is 0"}},
		{"Chunk", func() { f64.Chunk(0, 0) }, []string{"Chunk: ", "0 parts"}},
		{"Linspace of integers", func() { Linspace(Int64, 0, 1, 2) }, []string{"Linspace: ", "int64", "float32 or float64"}},
		{"integers with floats", func() { Zeros(Int32, 2).Add(Zeros(Float64, 2)) }, []string{"Add: ", "int32[2] and float64[2]", "To(Float64)"}},
		{"floats with integers", func() { Zeros(Float32, 2).Add(Zeros(Int64, 2)) }, []string{"Add: ", "float32[2] and int64[2]", "To(Float32)"}},
		{"data as a key", func() { Normal(f64, Float64, 2) }, []string{"Normal: ", "key is float64[2 3]", "NewKey"}},
		{"keys as a key", func() { Normal(Keys(NewKey(1), 3), Float64, 2) }, []string{"Normal: ", "key is int32[3 2]", "use Map or VMap"}},
		{"clone of what is no pytree", func() { Clone(struct{ A int }{1}) }, []string{"Clone: ", ".A is int", "static"}},
		{"element of nothing", func() { Zeros(Float64, 0, 2).Take(Scalar(int64(1))) }, []string{"Take: ", "index 1", "float64[0 2]", "nothing to index"}},
		{"no file", func() { panicOn(second(Load[*Tensor, *Tensor](nil))) }, []string{"Load: ", "reader is nil"}},
		{"programs of Trace", func() { panicOn(second(Trace(func(x *Tensor) *Tensor { return x.Sum() }, f64, LimitPrograms(3)))) }, []string{"trace: ", "LimitPrograms", "Compile"}},
		{"no programs", func() { panicOn(second(Compile(func(x *Tensor) *Tensor { return x.Sum() }, LimitPrograms(0))(f64))) }, []string{"LimitPrograms: ", "limit is 0"}},
		{"Rand without source", func() { Rand(nil, Float64, 1) }, []string{"Rand: ", "nil"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Try(test.f)
			if err == nil {
				t.Fatal("got no error")
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("got %q, want a part %q", err, part)
				}
			}
		})
	}
}

func second[A, B any](_ A, b B) B { return b }

// panicOn turns an error back into the panic that [Try] makes an error of.
func panicOn(err error) {
	if err != nil {
		panic(err.(*Error))
	}
}
