package ssaflow

import (
	"go/types"
	"strconv"
	"strings"
)

// Rows are written for functions whose source does not tell what they do: print-like calls read their arguments although they
// keep them in a pool, decoders write through reflection, and assembly has no source at all. See std_words.go for the words.

// stdRow returns the row of a function.
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
	return stdPackage(fn.Pkg().Path(), fn, fn.Signature())
}

// stdPackage is the row of functions that follow the custom of their package.
func stdPackage(path string, fn *types.Func, sig *types.Signature) (string, bool) {
	name := fn.Name()
	pointer, recv := false, sig.Recv() != nil
	if recv {
		_, pointer = types.Unalias(sig.Recv().Type()).(*types.Pointer)
	}
	last := strconv.Itoa(max(sig.Params().Len()-1, 0))
	if recv {
		last = strconv.Itoa(sig.Params().Len())
	}
	switch path {
	case "runtime":
		return "", true
	case "regexp":
		switch {
		case name == "Longest" || name == "UnmarshalText":
			return "writes:0", true
		case name == "Expand" || name == "ExpandString" || name == "AppendText":
			return "returns:1 fresh", true
		case strings.HasPrefix(name, "ReplaceAll") && strings.HasSuffix(name, "Func"):
			return "calls:2(_)", true
		case strings.HasSuffix(name, "Reader") || strings.Contains(name, "Reader"):
			return "invokes:" + strconv.Itoa(sig.Params().Len()) + ".ReadRune", recv
		case strings.HasPrefix(name, "Find") && isByteSlice(sig.Params().At(0).Type()):
			return "views:1 fresh", true
		}
		return "", true // matching is safe for concurrent use: what it changes is a cache
	case "math", "math/bits", "math/cmplx", "internal/bytealg", "hash/maphash":
		if pointer && path == "hash/maphash" {
			return "writes:0", true
		}
		return "", true
	case "hash/crc32":
		return "", fn.Name() != "Sum" && !recv // tables and assembly read
	case "math/big":
		// z.Add(x, y) sets z and returns it.
		if pointer && sig.Results().Len() > 0 && types.Identical(sig.Results().At(0).Type(), sig.Recv().Type()) {
			return "writes:0 returns:0", true
		}
		return "", true
	case "fmt":
		switch {
		case strings.HasPrefix(name, "Fprint"):
			return "prints:0", true
		case strings.HasPrefix(name, "Sscan"), strings.HasPrefix(name, "Scan"):
			return "writes:" + last + " hands:" + last, true
		case strings.HasPrefix(name, "Fscan"):
			return "invokes:0.Read writes:" + last + " hands:" + last, true
		}
		return "", true
	case "log", "log/slog", "testing":
		switch {
		case strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Panic") || name == "FailNow" || strings.HasPrefix(name, "Skip") && name != "Skipped":
			return "exits", true
		case path == "testing" && (name == "Run" || name == "Cleanup" || name == "RunParallel" || name == "Fuzz"):
			return "hands", true
		case path == "testing" && name == "AllocsPerRun":
			return "calls:1()", true
		case strings.HasPrefix(name, "Set"):
			return "hands", true
		case name == "New" || name == "NewLogLogger" || name == "NewTextHandler" || name == "NewJSONHandler" || name == "NewMultiHandler":
			return "hands", true // what a logger writes to is called later
		case path == "log/slog" && (name == "Any" && recv || name == "Group" && recv || name == "Resolve"):
			return "unknown", true
		case path == "log/slog" && name == "Attrs":
			return "hands", true
		case path == "log/slog" && (name == "With" || name == "WithGroup" || name == "WithAttrs" || name == "Handler"):
			return "returns:0 fresh", true
		}
		return "", true
	case "errors":
		return "", true
	case "flag":
		switch {
		case !recv:
			return "", false
		case name == "Var" || strings.HasSuffix(name, "Func") || name == "TextVar" || strings.HasPrefix(name, "Visit") || name == "SetOutput":
			return "writes:0 hands", true
		}
		return "writes:0", true
	case "time":
		if name == "AfterFunc" {
			return "", false
		}
		if pointer && !strings.HasPrefix(name, "Marshal") && (strings.HasPrefix(name, "Unmarshal") || name == "GobDecode" || name == "Reset" || name == "Stop") {
			return "writes:0", true
		}
		return "", true
	case "os", "os/exec", "os/user", "os/signal", "syscall", "net", "plugin":
		return boundaryRow(fn, sig), true
	case "math/rand", "math/rand/v2":
		switch {
		case recv && name == "Shuffle":
			return "writes:0 calls:2(_,_)", true
		case recv && !strings.HasPrefix(name, "Marshal") && name != "AppendBinary":
			return "writes:0", true
		case recv:
			return "", true
		case name == "New" || name == "NewZipf":
			return "hands fresh", true // the source that it draws from is asked later
		case strings.HasPrefix(name, "New"):
			return "returns:0 fresh", true
		case name == "Shuffle":
			return "calls:1(_,_)", true
		case name == "Read":
			return "writes:0", true
		}
		return "", true
	case "crypto/rand":
		switch name {
		case "Read":
			return "writes:0", true
		case "Text":
			return "", true
		}
		return "", false
	case "sync/atomic", "internal/runtime/atomic":
		switch {
		case strings.HasPrefix(name, "Load"):
			return "kept", true
		case strings.HasPrefix(name, "CompareAndSwap"), strings.HasPrefix(name, "Cas"):
			return "writes:0 keeps:" + last, true
		case strings.HasPrefix(name, "Swap"), strings.HasPrefix(name, "Xchg"):
			return "writes:0 keeps:" + last + " kept", true
		case strings.HasPrefix(name, "Store"):
			return "writes:0 keeps:" + last, true
		}
		return "writes:0", true
	case "sync":
		return "", true
	case "context":
		if name == "Cause" {
			return "unknown", true
		}
		return "returns:0 fresh", true
	case "unique":
		if recv {
			return "unknown", true
		}
		return "hands unknown", true
	case "reflect":
		switch {
		case name == "DeepEqual" || name == "TypeOf" || name == "TypeFor":
			return "", true
		case name == "NewAt":
			return "views:1", true
		case reflectOpens(name, recv):
			return "hands unknown views:0", true
		case recv || name == "ValueOf" || name == "Indirect":
			return "views:0", true
		}
		return "", true
	case "encoding/json", "encoding/xml", "encoding/gob", "encoding/asn1", "encoding/binary":
		switch {
		case strings.HasPrefix(name, "Marshal") && !recv, name == "Valid", name == "Size" && !recv:
			return "", true
		case name == "NewEncoder" || name == "NewDecoder":
			return "hands:0", true // what it writes to or reads from is called later
		case name == "Unmarshal" || name == "UnmarshalWithParams":
			return "hands:1", true
		case name == "Decode" && recv, name == "DecodeElement", name == "DecodeValue":
			return "writes:0 hands:1", true
		case name == "Encode" && recv, name == "EncodeElement", name == "EncodeValue":
			return "writes:0", true
		case path == "encoding/binary" && name == "Read":
			return "invokes:0.Read hands:2", true
		case path == "encoding/binary" && name == "Write":
			return "invokes:0.Write", true
		}
	}
	return "", false
}

// boundaryRow is the row of a function that ends in the operating system: what is read into is written. What a file or
// connection changes of itself is I/O, not a write.
func boundaryRow(fn *types.Func, sig *types.Signature) string {
	row := ""
	reads := strings.HasPrefix(fn.Name(), "Read") || strings.HasPrefix(fn.Name(), "Recv") || strings.HasPrefix(fn.Name(), "Pread") || strings.HasPrefix(fn.Name(), "Get")
	first := 0
	if sig.Recv() != nil {
		first = 1
	}
	for i := range sig.Params().Len() {
		switch t := sig.Params().At(i).Type(); {
		case isByteSlice(t):
			if reads {
				row += " writes:" + strconv.Itoa(i+first)
			}
		case isScalar(t):
		default:
			row += " hands:" + strconv.Itoa(i+first)
		}
	}
	if sig.Recv() != nil {
		row += " unknown"
	}
	return row
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
	case "time.AfterFunc":
		return "calls:1()", true
	case "os.Exit", "runtime.Goexit":
		return "exits", true
	case "(error).Error", "(fmt.Stringer).String", "(context.Context).Done", "(context.Context).Err", "(context.Context).Deadline":
		return "", true
	case "(context.Context).Value":
		return "unknown", true
	case "(io.Writer).Write", "(io.StringWriter).WriteString", "(io.ByteWriter).WriteByte":
		return "writes:0", true
	case "(io.Reader).Read":
		return "writes:0 writes:1", true
	case "(io.Closer).Close", "(hash.Hash).Reset", "(net/http.ResponseWriter).WriteHeader", "(math/rand.Source).Int63", "(math/rand.Source).Seed",
		"(math/rand/v2.Source).Uint64":
		return "writes:0", true
	case "(hash.Hash).Sum":
		return "views:1 fresh", true
	case "(hash.Hash).Size", "(hash.Hash).BlockSize", "(hash.Hash32).Sum32", "(hash.Hash64).Sum64", "(image.Image).At", "(image.Image).Bounds",
		"(image.Image).ColorModel", "(color.Color).RGBA", "(io/fs.FileInfo).Name", "(io/fs.FileInfo).Size", "(io/fs.FileInfo).Mode", "(io/fs.FileInfo).ModTime",
		"(io/fs.FileInfo).IsDir", "(net.Error).Timeout", "(net.Addr).String", "(net.Addr).Network", "(runtime.Error).RuntimeError":
		return "", true
	case "(sort.Interface).Len", "(sort.Interface).Less":
		return "", true
	case "(sort.Interface).Swap":
		return "writes:0", true
	case "(*strings.Builder).Write", "(*strings.Builder).WriteString", "(*strings.Builder).WriteByte", "(*strings.Builder).WriteRune",
		"(*strings.Builder).Grow", "(*strings.Builder).Reset":
		return "writes:0", true
	case "io.WriteString":
		return "invokes:0.Write", true
	case "(*strings.Replacer).Replace":
		return "", true
	case "(*strings.Replacer).WriteString":
		return "invokes:1.Write", true
	case "errors.As":
		return "writes:1 hands:1", true
	case "errors.AsType", "errors.Unwrap", "errors.Join":
		return "unknown", true
	case "fmt.Errorf", "fmt.Append", "fmt.Appendf", "fmt.Appendln":
		return "fresh", true
	case "runtime.SetFinalizer", "runtime.AddCleanup":
		return "hands", true
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
	case "slices.Clone", "maps.Clone":
		return "elems:0", true
	case "slices.Repeat":
		return "elems:0 again:0", true
	case "slices.Concat":
		return "elems:0[]", true
	case "slices.Clip":
		return "returns:0", true
	case "slices.Grow":
		return "returns:0 elems:0", true
	case "slices.Insert":
		return "writes:0 resizes:0 elems:0 puts:2", true
	case "slices.Replace":
		return "writes:0 resizes:0 elems:0 puts:3", true
	case "slices.Delete", "slices.Compact":
		return "writes:0 resizes:0", true
	case "slices.DeleteFunc":
		return "writes:0 resizes:0 calls:1(0[])", true
	case "slices.CompactFunc":
		return "writes:0 resizes:0 calls:1(0[],0[])", true
	case "slices.Values":
		return "iterates:0:v", true
	case "slices.All", "slices.Backward", "maps.All":
		return "iterates:0:kv", true
	case "maps.Keys":
		return "iterates:0:k", true
	case "maps.Values":
		return "iterates:0:v", true
	case "maps.Copy":
		return "writes:0 puts:1", true
	case "maps.DeleteFunc":
		return "writes:0 calls:1(0[key],0[])", true
	case "maps.Equal":
		return "", true
	case "maps.EqualFunc":
		return "calls:2(0[],1[])", true
	case "strings.Map", "bytes.Map":
		return "calls:0(_)", true
	case "strings.IndexFunc", "strings.LastIndexFunc", "strings.TrimFunc", "strings.TrimLeftFunc", "strings.TrimRightFunc", "strings.FieldsFunc",
		"strings.ContainsFunc":
		return "calls:1(_)", true
	case "(*sync.Once).Do":
		return "writes:0 calls:1()", true
	case "sync.OnceFunc":
		return "returns:0", true
	case "sync.OnceValue", "sync.OnceValues":
		return "unknown returns:0", true // all calls give what the first one gave
	case "sync.NewCond":
		return "hands fresh", true // its lock is locked later
	case "(*sync.WaitGroup).Go":
		return "calls:1()", true
	case "(*sync.Pool).Get":
		return "writes:0 unknown kept", true
	case "(*sync.Pool).Put":
		return "writes:0 keeps:1", true
	case "(*sync.Map).Store":
		return "writes:0 keeps:1 keeps:2", true
	case "(*sync.Map).Swap", "(*sync.Map).LoadOrStore":
		return "writes:0 keeps:1 keeps:2 kept", true
	case "(*sync.Map).CompareAndSwap":
		return "writes:0 keeps:3", true
	case "(*sync.Map).Load":
		return "kept", true
	case "(*sync.Map).LoadAndDelete":
		return "writes:0 kept", true
	case "(*sync.Map).Delete", "(*sync.Map).CompareAndDelete", "(*sync.Map).Clear":
		return "writes:0", true
	case "(*sync.Map).Range":
		return "calls:1(+,+)", true
	}
	return "", false
}

// reflectOpens reports whether a function of reflect changes, calls or hands out what a reflect.Value holds. The others look at it
// or lead to a part of it, as a Value again.
func reflectOpens(name string, method bool) bool {
	switch name {
	case "Call", "CallSlice", "Send", "TrySend", "Recv", "TryRecv", "Clear", "Grow", "Close", "Seq", "Seq2":
		return method
	case "Interface", "Pointer", "UnsafePointer", "UnsafeAddr", "Addr", "Bytes":
		return method
	case "Copy", "Append", "AppendSlice", "Swapper", "MakeFunc", "Select", "TypeAssert":
		return true
	}
	return method && strings.HasPrefix(name, "Set")
}

// variableRow is what is known of a package-level variable of the standard library.
type variableRow uint8

const (
	ordinary variableRow = iota
	terminal             // writing to it is printing
	nowhere              // so it is, and nobody can tell what was written
)

// stdVariable returns the row of a variable.
func stdVariable(name string) variableRow {
	switch name {
	case "os.Stdout", "os.Stderr":
		return terminal
	case "io.Discard":
		return nowhere
	}
	return ordinary
}
