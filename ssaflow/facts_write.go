package ssaflow

import (
	"encoding/binary"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"
)

// factWriter writes one fact.
type factWriter struct {
	b []byte
	// names are operations, functions, files and packages, steps the steps of paths; numbers stand for both once they are known.
	names, steps, paths map[string]int
	words               *words
	// derived is set once a word of the list that the function's signature leads to was used.
	derived bool
	fn      *types.Func
	decl    place
}

func newFactWriter(known *words, fn *types.Func, fset *token.FileSet) *factWriter {
	w := &factWriter{names: map[string]int{}, steps: map[string]int{}, paths: map[string]int{}, words: known, fn: fn, decl: declared(fn, fset)}
	number(w.names, w.words.names)
	number(w.steps, w.words.steps)
	number(w.paths, commonPaths())
	return w
}

func number(to map[string]int, list []string) {
	for i, s := range list {
		to[s] = i
	}
}

func (w *factWriter) byte(b byte) { w.b = append(w.b, b) }
func (w *factWriter) int(n int)   { w.b = binary.AppendUvarint(w.b, uint64(n)) }

func (w *factWriter) text(s string) {
	w.int(len(s))
	w.b = append(w.b, s...)
}

// name writes a name once and its number from then on.
func (w *factWriter) name(s string) {
	n, ok := w.names[s]
	if !ok {
		n = len(w.names)
		w.names[s] = n
		w.int(n)
		w.text(s)
		return
	}
	w.derived = w.derived || w.words.derivedName(n)
	w.int(n)
}

// step writes a step of a path, with a bit for the pointer behind it.
func (w *factWriter) step(s string, star int) {
	n, ok := w.steps[s]
	if !ok {
		n = len(w.steps)
		w.steps[s] = n
		w.int(n<<1 | star)
		w.text(s)
		return
	}
	w.derived = w.derived || w.words.derivedStep(n)
	w.int(n<<1 | star)
}

// path writes a path once and its number from then on: by the longest path that it begins with, and further steps.
func (w *factWriter) path(p string) {
	if n, ok := w.paths[p]; ok {
		w.int(n)
		return
	}
	type token struct {
		step string
		star int
	}
	parent, known := 0, 0
	var tokens []token
	for at := 0; at < len(p); {
		step, rest := cutStep(p[at:])
		at = len(p) - len(rest)
		star := 0
		if step != "*" && strings.HasPrefix(rest, "*") {
			star = 1
			at++
		}
		tokens = append(tokens, token{step, star})
		if n, ok := w.paths[p[:at]]; ok {
			parent, known = n, len(tokens)
		} else if n, ok := w.paths[p[:at-star]]; ok && star == 1 {
			parent, known = n, len(tokens)
			tokens = append(tokens, token{"*", 0})
		}
	}
	tokens = tokens[known:]
	n := len(w.paths)
	w.paths[p] = n
	w.int(n)
	few := min(len(tokens)-1, manySteps)
	w.int(parent<<stepShift | few)
	if few == manySteps {
		w.int(len(tokens) - 1 - manySteps)
	}
	for _, t := range tokens {
		w.step(t.step, t.star)
	}
}

func (w *factWriter) ref(r Ref) {
	index, path := 0, otherPath
	indexed := r.Root.Kind != Unknown && r.Root.Kind != Global
	if indexed {
		index = min(r.Root.Index, manyIndex)
	}
	pkg, name := cutGlobal(r.Root.Name)
	if r.Root.Kind == Global && (w.fn == nil || w.fn.Pkg() == nil || w.fn.Pkg().Path() != pkg) {
		index = foreignPackage
	}
	if n, ok := w.paths[r.Path]; ok && n < otherPath {
		path = n
	}
	w.byte(byte(r.Root.Kind)<<kindShift | byte(index)<<indexShift | byte(path))
	if indexed && index == manyIndex {
		w.int(r.Root.Index)
	}
	switch r.Root.Kind {
	case SlotResult:
		w.int(r.Root.Result)
	case Global:
		if index == foreignPackage {
			w.pkg(pkg)
		}
		w.name(name)
	}
	if path == otherPath {
		w.path(r.Path)
	}
}

// pkg writes the path of another package: by the elements that it has in common with the function's own, and the rest.
func (w *factWriter) pkg(other string) {
	rest, common := other, 0
	if w.fn != nil && w.fn.Pkg() != nil {
		common, rest = commonElements(w.fn.Pkg().Path(), other)
	}
	w.int(common)
	w.name(rest)
}

// commonElements is the number of elements that two import paths begin with, and the rest of the second.
func commonElements(own, other string) (n int, rest string) {
	for {
		a, more, ok := strings.Cut(own, "/")
		b, tail, ok2 := strings.Cut(other, "/")
		if !ok || !ok2 || a != b {
			return n, other
		}
		own, other = more, tail
		n++
	}
}

// joinElements is the inverse of commonElements.
func joinElements(own string, n int, rest string) string {
	list := strings.Split(own, "/")
	return path.Join(path.Join(list[:min(n, len(list))]...), rest)
}

// cutGlobal splits the name of a variable: package path and name.
func cutGlobal(name string) (pkg, rest string) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name
	}
	return name[:i], name[i+1:]
}

// where writes the place of the last step of a witness: nothing, a file and line, or the distance to the declaration. Before a file of
// another package stands how many elements of their paths the packages have in common, and the rest.
func (w *factWriter) where(s *Summary, steps []Step) {
	var at place
	if len(steps) > 0 {
		if last := steps[len(steps)-1]; last.Where != "" {
			at = placeOf(last.Where)
		} else {
			at = placeAt(s.fset, last.Pos, s.pkg)
		}
	}
	switch {
	case at.file == "":
		w.int(noPlace)
	case at.pkg != w.decl.pkg:
		n, rest := commonElements(w.decl.pkg, at.pkg)
		w.int(otherFile)
		w.name(strconv.Itoa(n) + "/" + rest + "/" + shortFile(at.file, at.pkg))
		w.int(at.line)
	case at.file != w.decl.file:
		w.int(otherFile)
		w.name(shortFile(at.file, at.pkg))
		w.int(at.line)
	case at.line >= w.decl.line:
		w.int(firstLine + 2*(at.line-w.decl.line))
	default:
		w.int(firstLine + 2*(w.decl.line-at.line) - 1)
	}
}

// shortFile is a file's name without .go; nothing where it is called like its package.
func shortFile(file, pkg string) string {
	name, ok := strings.CutSuffix(file, ".go")
	switch {
	case !ok || strings.Contains(name, "."):
		return file
	case name == path.Base(pkg):
		return ""
	}
	return name
}

// longFile is the inverse of shortFile.
func longFile(short, pkg string) string {
	switch {
	case short == "":
		return path.Base(pkg) + ".go"
	case strings.Contains(short, "."):
		return short
	}
	return short + ".go"
}

// origins writes a list of origins, each with a bit that says whether it is the last.
func (w *factWriter) origins(list []Origin) {
	if len(list) == 0 {
		w.byte(noneBit)
	}
	for i, o := range list {
		if o.via.merge < 0 {
			o.via = edge{} // importers do without
		}
		if o.MayTwice {
			o.via = edge{index: mayTwice}
		}
		rare := bits(o.moved, o.clipped, o.age != 0, o.via != edge{}, o.Twice, o.short, o.resliced)
		w.byte(bits(o.View, o.Unique, o.Deep, rare != 0, false, i+1 < len(list)))
		if rare != 0 {
			w.byte(rare)
		}
		w.ref(o.Ref)
		if o.age != 0 {
			w.int(o.age)
		}
		if o.via != (edge{}) {
			w.int(int(o.via.merge))
			w.int(int(o.via.index))
		}
	}
}

func (w *factWriter) leaves(list []Leaf) {
	w.int(len(list))
	for _, l := range list {
		w.path(l.Path)
		w.origins(l.Origins)
	}
}

func bits(flags ...bool) byte {
	var b byte
	for i, f := range flags {
		if f {
			b |= 1 << i
		}
	}
	return b
}

func (w *factWriter) summary(s *Summary, depth int) {
	w.byte(bits(s.NoReturn, s.Top, s.bound))
	if s.Top {
		return
	}
	flags := factFlags(s.Flags)
	effects := factEffects(s.Effects, flags)
	results := s.Results
	for len(results) > 0 && len(results[len(results)-1]) == 0 {
		results = results[:len(results)-1] // results without pointers
	}
	w.byte(bits(len(effects) > 0, len(results) > 0, len(s.Stores) > 0, len(s.Slots) > 0, len(flags) > 0, len(s.Funcs) > 0, false, s.Recovers && len(s.Slots) > 0))
	w.list(len(effects), func(i int) { w.effect(s, &effects[i]) })
	w.list(len(results), func(i int) { w.leaves(results[i]) })
	w.list(len(s.Stores), func(i int) {
		w.ref(s.Stores[i].Dst)
		at := len(w.b)
		w.origins(s.Stores[i].Origins)
		if s.Stores[i].All {
			w.b[at] |= allBit
		}
	})
	w.list(len(s.Slots), func(i int) { w.slot(&s.Slots[i]) })
	w.list(len(flags), func(i int) {
		if k := flags[i].Kind; k >= Unresolved {
			w.byte(byte(k))
			return
		}
		w.kind(byte(flags[i].Kind), flagBits, flags[i].Op)
		w.where(s, flags[i].Witness)
	})
	w.list(len(s.Funcs), func(i int) {
		f := &s.Funcs[i]
		w.name(f.Name)
		flags := bits(len(f.params) > 0, f.ofType, f.boxed)
		w.int((f.Object+1)<<funcBits | int(flags))
		if len(f.params) > 0 {
			w.int(len(f.params))
			for _, p := range f.params {
				w.int(p)
			}
		}
		if depth >= maxNested || f.Summary == nil {
			w.summary(&Summary{Top: true}, depth+1)
		} else {
			w.summary(f.Summary, depth+1)
		}
	})
}

// list writes a list that is not empty; an empty one is a missing bit.
func (w *factWriter) list(n int, item func(int)) {
	if n == 0 {
		return
	}
	w.int(n)
	for i := range n {
		item(i)
	}
}

// kind writes a kind of so many bits with an operation.
func (w *factWriter) kind(kind byte, bits int, op string) {
	other := 1<<(8-bits) - 1
	if n, ok := w.names[op]; ok && n < other {
		w.byte(byte(n)<<bits | kind)
		return
	}
	w.byte(byte(other)<<bits | kind)
	w.name(op)
}

func (w *factWriter) effect(s *Summary, e *Effect) {
	kind := byte(e.Kind)
	if many, ok := below[e.Kind]; ok && e.Below {
		kind = many
	}
	w.kind(kind, effectBits, e.Op)
	w.ref(e.Ref)
	if e.Kind != Unseen {
		w.where(s, e.Witness)
	}
}

func (w *factWriter) slot(sl *SlotRow) {
	told := false
	for _, a := range sl.Args {
		told = told || len(a) > 0
	}
	few := min(len(sl.Args), manyArgs)
	w.byte(bits(sl.Always, sl.Repeats, sl.Method != "", sl.Name != sl.Method, told) | byte(few)<<slotBits)
	if few == manyArgs {
		w.int(len(sl.Args) - few)
	}
	w.ref(sl.Callee)
	if sl.Method != "" {
		w.name(sl.Method)
	}
	if sl.Name != sl.Method {
		w.name(sl.Name)
	}
	if told {
		for _, a := range sl.Args {
			w.leaves(a)
		}
	}
}
