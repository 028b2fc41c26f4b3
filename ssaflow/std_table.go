package ssaflow

import (
	"bytes"
	"compress/flate"
	_ "embed" // for the table
	"encoding/binary"
	"errors"
	"go/ast"
	"go/types"
	"io"
	"slices"
	"strings"
	"sync"
)

// The table of the standard library holds the facts of its exported functions and methods, computed from source by
// TestStandardTable and compressed package by package. A process reads the packages that it asks for.
//
// A table begins with the number of packages; for each its path and the length of its part, all packages first and then all
// parts. A part is, deflated, a list of names and facts in the order of the names; a function that does nothing has an empty fact.

// tableVersion is the minor version of Go whose library the table describes.
const tableVersion = "go1.26"

//go:embed stdtable/go1.26.bin
var tableData string

// stdTable is the table as read so far.
type stdTable struct {
	once sync.Once
	// parts are the compressed parts by package; packages the parts that were read.
	parts    map[string]string
	mu       sync.Mutex
	packages map[string]map[string][]byte
}

// standard caches the parts of the table that were read.
var standard stdTable

// tabled is the summary that the table has of a function, or nil.
func tabled(fn *types.Func) *Summary {
	if fn.Pkg() == nil {
		return nil
	}
	fact, ok := standard.of(fn.Pkg().Path())[tableName(fn)]
	if !ok {
		return nil
	}
	if len(fact) == 0 {
		return &Summary{Name: fn.Name()}
	}
	s, err := Decode(fact, nil, nil)
	if err != nil {
		return nil
	}
	s.Name = fn.Name()
	for i := range s.Effects {
		s.Effects[i].Op = s.Name // the table does not tell what the function does within
	}
	return s
}

// tableName is how a part calls a function: Name or Type.Method.
func tableName(fn *types.Func) string {
	if recv := receiverName(fn); recv != "" {
		return recv + "." + fn.Name()
	}
	return fn.Name()
}

// of returns the facts of a package by name, nil for packages that are not in the table.
func (t *stdTable) of(path string) map[string][]byte {
	t.once.Do(func() {
		t.packages = map[string]map[string][]byte{}
		t.parts = splitTable(tableData)
	})
	part, ok := t.parts[path]
	if !ok {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	facts, ok := t.packages[path]
	if !ok {
		facts, _ = readPart(part) // a damaged part is as none
		t.packages[path] = facts
	}
	return facts
}

// splitTable finds the parts of a table.
func splitTable(data string) map[string]string {
	r := &factReader{b: []byte(data[:min(len(data), 1<<14)])} // the paths come first
	type entry struct {
		path string
		size int
	}
	list := make([]entry, r.count())
	for i := range list {
		list[i].path = r.text()
		list[i].size = r.int()
	}
	data = data[min(len(data), 1<<14)-len(r.b):]
	parts := make(map[string]string, len(list))
	for _, e := range list {
		if r.bad || e.size > len(data) {
			return nil
		}
		parts[e.path] = data[:e.size]
		data = data[e.size:]
	}
	return parts
}

// readPart reads the facts of one package.
func readPart(part string) (map[string][]byte, error) {
	data, err := io.ReadAll(flate.NewReader(strings.NewReader(part)))
	if err != nil {
		return nil, err
	}
	r := &factReader{b: data}
	facts := map[string][]byte{}
	for len(r.b) > 0 {
		name := r.text()
		n := r.count()
		facts[name] = r.b[:n:n]
		r.b = r.b[n:]
	}
	if r.bad {
		return nil, errors.New("the table of the standard library is damaged")
	}
	return facts, nil
}

// writePart is the inverse of readPart.
func writePart(facts map[string][]byte) ([]byte, error) {
	names := make([]string, 0, len(facts))
	for name := range facts {
		names = append(names, name)
	}
	slices.Sort(names)
	var data []byte
	for _, name := range names {
		data = appendText(data, name)
		data = appendText(data, string(facts[name]))
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// writeTable is the inverse of splitTable.
func writeTable(parts map[string][]byte) []byte {
	paths := make([]string, 0, len(parts))
	for path := range parts {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, strings.Compare)
	data := binary.AppendUvarint(nil, uint64(len(paths)))
	for _, path := range paths {
		data = appendText(data, path)
		data = binary.AppendUvarint(data, uint64(len(parts[path])))
	}
	for _, path := range paths {
		data = append(data, parts[path]...)
	}
	return data
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// forTable is what the table says of a function: what it does with its parameters. Effects on the outside world are told by
// name, state of the library itself is nobody's concern, and what it keeps there counts as handed to unseen code.
func forTable(s *Summary, depth int) *Summary {
	out := *s
	out.Flags, out.Effects, out.Stores, out.fset = nil, nil, nil, nil
	told := map[effectKey]bool{}
	for _, e := range s.Effects {
		if e.Ref.Root.Kind == Global {
			continue
		}
		if e.Kind != Unseen {
			e.Ref.Path = public(e.Ref.Path)
		}
		e.Witness, e.Op = nil, "store"
		if k := (effectKey{ref: e.Ref, kind: e.Kind}); !told[k] {
			told[k] = true
			out.Effects = append(out.Effects, e)
		}
	}
	out.Funcs = slices.Clone(s.Funcs)
	for i := range out.Funcs {
		if inner := out.Funcs[i].Summary; inner != nil && depth < maxNested {
			out.Funcs[i].Summary = forTable(inner, depth+1)
		}
	}
	handed := map[Ref]bool{}
	for _, r := range s.Stores {
		if r.Dst.Root.Kind != Global {
			out.Stores = append(out.Stores, r)
			continue
		}
		for _, o := range r.Origins {
			if k := o.Ref.Root.Kind; (k == Param || k == FreeVar) && !handed[o.Ref] {
				handed[o.Ref] = true
				out.Hand(o.Ref, s.Name)
			}
		}
	}
	return &out
}

// public names a field that programs cannot name by the object it is in.
func public(path string) string {
	object := strings.LastIndexByte(path, '*') + 1
	for i := object; i < len(path); i++ {
		if path[i] == '.' && i+1 < len(path) && !ast.IsExported(path[i+1:]) {
			return path[:i]
		}
	}
	return path
}
