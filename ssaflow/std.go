package ssaflow

import (
	"go/types"
	"strconv"
	"strings"
)

// Std returns what is known by hand of a function or interface method of the standard library, or of an assembly kernel of gonum;
// nil when nothing is. Models ask it before facts: computed from source, fmt.Println changes its arguments. Calls that print read their arguments; String and Error methods are taken to write nothing.
func Std(fn *types.Func) *Summary {
	fn = fn.Origin()
	row, ok := stdRow(fn)
	if !ok {
		return nil
	}
	return rowSummary(fn, row)
}

// stdRow returns the row of a function. A row is a list of words:
//
//	clock rand io env goroutine channel lock reflect unsafe print   effects on the outside world
//	writes:N     what parameter N points to is changed; the receiver is parameter 0
//	hands:N      parameter N may be changed or kept in ways the table does not tell; hands is all of them
//	returns:N    the first result is parameter N or a part of it; views:N the same as a view
//	elems:N      the first result is fresh memory that holds the elements of N
//	elem:N       the first result is an element of N
//	iterates:N   the first result is an iterator over N: of its elements (v), its keys (k) or both (kv), as in iterates:0:kv
//	calls:N(…)   parameter N is called any number of times, with elements (0[]) or values (0) of parameters, or scalars (_)
//	invokes:N.M  method M of parameter N is called without pointers
//	exits        does not return
//
// Results that no word speaks of are fresh; unknown makes them unknown.
func stdRow(fn *types.Func) (string, bool) {
	if row, ok := stdName(fn.FullName()); ok {
		return row, true
	}
	if fn.Pkg() == nil {
		return "", fn.Name() == "Error" // error.Error
	}
	if row, ok := kernelRow(fn.Pkg().Path(), fn); ok {
		return row, true
	}
	sig := fn.Type().(*types.Signature)
	return stdPackage(fn.Pkg().Path(), fn, sig)
}

// stdPackage is the row of functions that follow the custom of their package.
func stdPackage(path string, fn *types.Func, sig *types.Signature) (string, bool) {
	name := fn.Name()
	pointer, recv := false, sig.Recv() != nil
	if recv {
		_, pointer = types.Unalias(sig.Recv().Type()).(*types.Pointer)
	}
	switch path {
	case "math", "math/bits", "math/cmplx", "unicode", "unicode/utf8", "unicode/utf16", "strconv", "path", "cmp", "go/token", "hash/maphash",
		"html", "net/url", "mime", "encoding", "runtime", "runtime/debug", "unique", "embed", "testing/quick", "regexp", "regexp/syntax":
		return "", true
	case "strings", "bytes", "text/tabwriter", "strings/builder":
		switch {
		case pointer && (name == "Bytes" || name == "AvailableBuffer" || name == "Next"):
			return "views:0", true
		case pointer && (name == "Len" || name == "Cap" || name == "String" || name == "Size" || name == "Available"):
			return "", true
		case pointer:
			return "writes:0", true
		case path == "bytes" && sig.Results().Len() > 0 && isByteSlice(sig.Results().At(0).Type()) && sig.Params().Len() > 0:
			return "views:0 fresh", true
		}
		return "", true
	case "math/big":
		// z.Add(x, y) sets z and returns it.
		if pointer && sig.Results().Len() > 0 && types.Identical(sig.Results().At(0).Type(), sig.Recv().Type()) {
			return "writes:0 returns:0", true
		}
		return "", true
	case "fmt":
		switch {
		case strings.HasPrefix(name, "Fprint"):
			return "writes:0 print", true
		case strings.HasPrefix(name, "Print"):
			return "print", true
		case strings.HasPrefix(name, "Sscan"):
			return "writes:" + strconv.Itoa(sig.Params().Len()-1), true
		case strings.HasPrefix(name, "Scan"):
			return "io writes:" + strconv.Itoa(sig.Params().Len()-1), true
		case strings.HasPrefix(name, "Fscan"):
			return "io writes:0 writes:" + strconv.Itoa(sig.Params().Len()-1), true
		}
		return "", true
	case "log", "log/slog", "testing":
		switch {
		case strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Panic") || name == "FailNow" || strings.HasPrefix(name, "Skip") && name != "Skipped":
			return "print exits", true
		case path == "testing" && (name == "Run" || name == "Cleanup" || name == "RunParallel"):
			return "hands", true
		case strings.HasPrefix(name, "Set"):
			return "io hands", true
		}
		return "print", true
	case "errors":
		return "", true
	case "time":
		return "", true // the clock is told by name
	case "os", "os/exec", "os/user", "os/signal", "io/ioutil", "syscall", "net", "net/http", "database/sql", "path/filepath":
		if path == "path/filepath" && (name == "Join" || name == "Base" || name == "Dir" || name == "Ext" || name == "Clean" || name == "Rel" ||
			name == "Split" || name == "IsAbs" || name == "ToSlash" || name == "FromSlash" || name == "Match" || name == "VolumeName") {
			return "", true
		}
		return "io hands unknown", true
	case "io", "bufio", "encoding/csv", "encoding/gob", "encoding/binary", "compress/gzip", "archive/zip":
		return "io hands unknown", true
	case "math/rand", "math/rand/v2":
		switch {
		case pointer:
			return "writes:0", true
		case recv:
			return "writes:0", true // methods of sources
		case strings.HasPrefix(name, "New"):
			return "returns:0 fresh", true
		case name == "Shuffle":
			return "rand calls:1(_,_)", true
		}
		return "rand", true
	case "crypto/rand":
		return "rand hands", true
	case "sync/atomic":
		switch {
		case strings.HasPrefix(name, "Load"):
			return "elem:0", true
		case name == "CompareAndSwap" || strings.HasPrefix(name, "CompareAndSwap"):
			return "writes:0", true
		}
		return "writes:0 unknown", true
	case "sync":
		return "lock", true
	case "context":
		return "returns:0 fresh", true
	case "reflect":
		switch {
		case strings.HasPrefix(name, "Set") || name == "Call" || name == "CallSlice" || name == "Send" || name == "Clear" || name == "Grow":
			return "reflect hands unknown", true
		case name == "Copy" || name == "Append" || name == "AppendSlice" || name == "Swapper" || name == "MakeFunc":
			return "reflect hands unknown", true
		case name == "DeepEqual" || name == "TypeOf" || name == "TypeFor":
			return "", true
		case recv || name == "ValueOf" || name == "Indirect":
			return "views:0", true
		}
		return "reflect", true
	case "encoding/json":
		switch name {
		case "Marshal", "MarshalIndent", "Valid":
			return "", true
		case "Unmarshal":
			return "hands:1", true
		}
		return "io hands unknown", true
	case "iter", "container/heap", "container/list", "container/ring":
		return "hands unknown", true
	}
	return "", false
}

func isByteSlice(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// stdName is the row of functions that need one of their own.
func stdName(name string) (string, bool) {
	switch name {
	case "time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.Tick", "time.NewTimer", "time.NewTicker":
		return "clock", true
	case "time.AfterFunc":
		return "clock goroutine calls:1()", true
	case "(*time.Timer).Reset", "(*time.Timer).Stop", "(*time.Ticker).Reset", "(*time.Ticker).Stop":
		return "clock writes:0", true
	case "os.Getenv", "os.LookupEnv", "os.Environ", "os.Setenv", "os.Unsetenv", "os.Clearenv", "os.ExpandEnv", "os.Hostname", "os.Getwd", "os.Getpid":
		return "env", true
	case "os.Exit", "runtime.Goexit":
		return "exits", true
	case "(error).Error", "(fmt.Stringer).String", "(context.Context).Done", "(context.Context).Err", "(context.Context).Value", "(context.Context).Deadline":
		return "", true
	case "(io.Writer).Write", "(io.StringWriter).WriteString", "(io.ByteWriter).WriteByte":
		return "io writes:0", true
	case "(io.Reader).Read":
		return "io writes:0 writes:1", true
	case "(io.Closer).Close":
		return "io writes:0", true
	case "(sort.Interface).Len", "(sort.Interface).Less":
		return "", true
	case "(sort.Interface).Swap":
		return "writes:0", true
	case "errors.As":
		return "writes:1", true
	case "errors.Unwrap", "errors.Join":
		return "returns:0 fresh", true
	case "fmt.Errorf", "fmt.Append", "fmt.Appendf", "fmt.Appendln":
		return "fresh", true
	case "runtime.SetFinalizer", "runtime.AddCleanup":
		return "hands", true
	case "runtime.Gosched":
		return "goroutine", true
	case "sort.Slice", "sort.SliceStable":
		return "writes:0 calls:1(_,_)", true
	case "sort.SliceIsSorted":
		return "calls:1(_,_)", true
	case "sort.Sort", "sort.Stable":
		return "invokes:0.Len invokes:0.Less invokes:0.Swap", true
	case "sort.IsSorted":
		return "invokes:0.Len invokes:0.Less", true
	case "sort.Reverse":
		return "returns:0", true
	case "sort.Ints", "sort.Float64s", "sort.Strings":
		return "writes:0", true
	case "sort.Search":
		return "calls:1(_)", true
	case "sort.SearchInts", "sort.SearchFloat64s", "sort.SearchStrings", "sort.IntsAreSorted", "sort.Float64sAreSorted", "sort.StringsAreSorted":
		return "", true
	case "slices.Sort", "slices.Reverse":
		return "writes:0", true
	case "slices.SortFunc", "slices.SortStableFunc":
		return "writes:0 calls:1(0[],0[])", true
	case "slices.Contains", "slices.Index", "slices.Equal", "slices.Compare", "slices.IsSorted", "slices.BinarySearch":
		return "", true
	case "slices.ContainsFunc", "slices.IndexFunc":
		return "calls:1(0[])", true
	case "slices.EqualFunc", "slices.CompareFunc":
		return "calls:2(0[],1[])", true
	case "slices.IsSortedFunc":
		return "calls:1(0[],0[])", true
	case "slices.BinarySearchFunc":
		return "calls:2(0[],1)", true
	case "slices.Max", "slices.Min":
		return "elem:0", true
	case "slices.MaxFunc", "slices.MinFunc":
		return "elem:0 calls:1(0[],0[])", true
	case "slices.Clone", "slices.Repeat", "maps.Clone":
		return "elems:0", true
	case "slices.Concat":
		return "unknown", true
	case "slices.Clip":
		return "returns:0", true
	case "slices.Grow":
		return "returns:0 elems:0", true
	case "slices.Insert", "slices.Replace":
		return "writes:0 returns:0 elems:0 hands", true
	case "slices.Delete", "slices.Compact":
		return "writes:0 returns:0", true
	case "slices.DeleteFunc":
		return "writes:0 returns:0 calls:1(0[])", true
	case "slices.CompactFunc":
		return "writes:0 returns:0 calls:1(0[],0[])", true
	case "slices.Values":
		return "iterates:0:v", true
	case "slices.All", "slices.Backward", "maps.All":
		return "iterates:0:kv", true
	case "maps.Keys":
		return "iterates:0:k", true
	case "maps.Values":
		return "iterates:0:v", true
	case "maps.Copy":
		return "writes:0 hands", true
	case "maps.DeleteFunc":
		return "writes:0 calls:1(0[key],0[])", true
	case "maps.Equal":
		return "", true
	case "strings.Map", "bytes.Map":
		return "calls:0(_)", true
	case "strings.IndexFunc", "strings.LastIndexFunc", "strings.TrimFunc", "strings.TrimLeftFunc", "strings.TrimRightFunc", "strings.FieldsFunc",
		"strings.ContainsFunc":
		return "calls:1(_)", true
	case "(*sync.Once).Do":
		return "lock writes:0 calls:1()", true
	case "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues":
		return "lock returns:0", true
	case "(*sync.WaitGroup).Go":
		return "lock goroutine calls:1()", true
	case "(*sync.Pool).Get":
		return "lock writes:0 unknown", true
	case "(*sync.Pool).Put":
		return "lock writes:0 hands:1", true
	case "(*sync.Map).Store", "(*sync.Map).Swap", "(*sync.Map).LoadOrStore":
		return "lock writes:0 hands unknown", true
	case "(*sync.Map).Load", "(*sync.Map).LoadAndDelete":
		return "lock unknown", true
	case "(*sync.Map).Range":
		return "lock hands", true
	}
	return "", false
}

// rowSummary reads the words of a row.
func rowSummary(fn *types.Func, row string) *Summary {
	b := rowBuilder{s: &Summary{Name: fn.Name()}, sig: fn.Type().(*types.Signature)}
	if r := b.sig.Recv(); r != nil {
		b.params = append(b.params, r.Type())
	}
	for i := range b.sig.Params().Len() {
		b.params = append(b.params, b.sig.Params().At(i).Type())
	}
	for i := range b.sig.Results().Len() {
		b.s.Results = append(b.s.Results, nil)
		_ = i
	}
	for _, w := range strings.Fields(row) {
		b.word(w)
	}
	for i := range b.s.Results {
		switch {
		case i == 0 && b.told && !b.fresh:
		case b.unknown:
			b.s.Return(i, Origin{})
		default:
			b.s.Return(i, NewMemory(100+i))
		}
	}
	return b.s
}

type rowBuilder struct {
	s                    *Summary
	sig                  *types.Signature
	params               []types.Type
	told, fresh, unknown bool
}

func (b *rowBuilder) word(w string) {
	verb, arg, _ := strings.Cut(w, ":")
	n, _ := strconv.Atoi(arg)
	for k := Clock; k <= Unresolved; k++ {
		if verb == k.String() {
			b.s.Does(k, b.s.Name)
			return
		}
	}
	switch verb {
	case "fresh":
		b.fresh = true
	case "unknown":
		b.unknown = true
	case "exits":
		b.s.NoReturn = true
	case "writes":
		b.s.Effects = append(b.s.Effects, Effect{Ref: b.elements(n), Kind: Store, Op: b.s.Name, Definite: true})
	case "hands":
		for i, t := range b.params {
			if (arg == "" || i == n) && !isScalar(t) {
				b.s.Hand(Place(i, ""), b.s.Name)
			}
		}
	case "returns":
		b.result(Same(Place(n, "")))
	case "views":
		b.result(ViewOf(Place(n, "")))
	case "elem":
		b.result(Same(Ref{Root{Kind: Param, Index: n}, b.elements(n).Path + "*"}))
	case "elems":
		b.result(Origin{Ref: Ref{Root: Root{Kind: Fresh, Index: 90}}, Unique: true})
		b.s.Stores = append(b.s.Stores, StoreRow{Dst: Ref{Root{Kind: Fresh, Index: 90}, "[]"}, Origins: []Origin{{Ref: Ref{Root{Kind: Param, Index: n}, "*[]*"}}}})
	case "iterates":
		at, what, _ := strings.Cut(arg, ":")
		n, _ = strconv.Atoi(at)
		b.iterator(n, what)
	case "calls":
		b.calls(arg)
	case "invokes":
		at, method, _ := strings.Cut(arg, ".")
		n, _ = strconv.Atoi(at)
		b.s.Slots = append(b.s.Slots, SlotRow{Callee: Ref{Root{Kind: Param, Index: n}, "*"}, Method: method, Name: method, Repeats: true,
			Args: make([][]Leaf, map[string]int{"Less": 2, "Swap": 2}[method])})
	}
}

func (b *rowBuilder) result(o Origin) {
	if len(b.s.Results) > 0 {
		b.told = true
		b.s.Return(0, o)
	}
}

// elements is the memory that a parameter points to: the elements of a slice or map, or the whole of what a pointer points to.
func (b *rowBuilder) elements(n int) Ref {
	path := "*"
	if n < len(b.params) {
		switch b.params[n].Underlying().(type) {
		case *types.Slice, *types.Map, *types.Interface:
			path = "*[]"
			if _, iface := b.params[n].Underlying().(*types.Interface); iface && b.s.Name != "Slice" && b.s.Name != "SliceStable" {
				if p, ok := types.Unalias(b.params[n]).(*types.TypeParam); !ok || p == nil {
					path = "*"
				}
			}
		}
	}
	return Ref{Root{Kind: Param, Index: n}, path}
}

// iterator makes the first result a function that calls its argument with the parts of parameter n.
func (b *rowBuilder) iterator(n int, what string) {
	part := func(path string) []Leaf {
		return []Leaf{{Origins: []Origin{{Ref: Ref{Root{Kind: FreeVar}, path}}}}}
	}
	slot := SlotRow{Callee: Ref{Root{Kind: Param}, "*"}, Name: "yield", Repeats: true}
	switch what {
	case "v":
		slot.Args = [][]Leaf{part("*[]*")}
	case "k":
		slot.Args = [][]Leaf{part("*" + keyStep + "*")}
	default:
		slot.Args = [][]Leaf{part("*" + keyStep + "*"), part("*[]*")}
		if strings.HasPrefix(b.s.Name, "All") || b.s.Name == "Backward" {
			if p, ok := types.Unalias(b.params[n]).(*types.TypeParam); ok {
				if isSliceParam(p) {
					slot.Args[0] = nil // an index
				}
			}
		}
	}
	run := &Summary{Name: "range", Slots: []SlotRow{slot}, bound: true}
	it := Ref{Root: Root{Kind: Fresh, Index: 91}}
	b.result(Origin{Ref: it, Unique: true})
	b.s.Funcs = append(b.s.Funcs, FuncRow{Name: "range", Object: 91, Summary: run})
	b.s.Stores = append(b.s.Stores, StoreRow{Dst: Ref{it.Root, "#0"}, Origins: []Origin{{Ref: Ref{Root{Kind: Param, Index: n}, "*"}}}})
}

// isSliceParam reports whether a type parameter stands for slices.
func isSliceParam(p *types.TypeParam) bool {
	iface, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok || iface.NumEmbeddeds() != 1 {
		return false
	}
	u, ok := types.Unalias(iface.EmbeddedType(0)).(*types.Union)
	if !ok || u.Len() != 1 {
		return false
	}
	_, ok = u.Term(0).Type().Underlying().(*types.Slice)
	return ok
}

// calls reads "1(0[],_)".
func (b *rowBuilder) calls(arg string) {
	at, list, _ := strings.Cut(strings.TrimSuffix(arg, ")"), "(")
	n, _ := strconv.Atoi(at)
	row := SlotRow{Callee: Ref{Root{Kind: Param, Index: n}, "*"}, Name: "function value", Repeats: true}
	if list != "" {
		for _, a := range strings.Split(list, ",") {
			i := strings.IndexByte(a, '[')
			switch {
			case a == "_":
				row.Args = append(row.Args, nil)
			case i >= 0:
				p, _ := strconv.Atoi(a[:i])
				row.Args = append(row.Args, []Leaf{{Origins: []Origin{{Ref: Ref{Root{Kind: Param, Index: p}, "*" + a[i:] + "*"}}}}})
			default:
				p, _ := strconv.Atoi(a)
				row.Args = append(row.Args, []Leaf{{Origins: []Origin{{Ref: Ref{Root{Kind: Param, Index: p}, "*"}}}}})
			}
		}
	}
	b.s.Slots = append(b.s.Slots, row)
}
