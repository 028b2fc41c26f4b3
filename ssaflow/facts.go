package ssaflow

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	// factVersion changes whenever the layout does; facts of another version are refused.
	factVersion = 1
	// maxPaths is the number of effects of one kind on one root that a fact tells apart.
	maxPaths = 12
	// maxFact is the size from which on a fact tells less; the mean is two digits.
	maxFact = 1024
	// maxNested is how deep summaries of function values nest in a fact.
	maxNested = 2
)

// Encode returns the summary as a fact: deterministic bytes that hold, of each witness, the terminal step only. Positions become
// file:line. Return statements, names and the dynamic types of interface values stay behind.
func Encode(s *Summary) []byte {
	w := &factWriter{strings: map[string]int{}}
	w.byte(factVersion)
	w.summary(s, 0)
	if len(w.b) > maxFact {
		w = &factWriter{strings: map[string]int{}}
		w.byte(factVersion)
		w.summary(slim(s), 0)
	}
	return w.b
}

// slim tells less of a function whose summary is too large for a fact: what it would store where, and what it calls for its
// caller, becomes memory that is handed to unseen code.
func slim(s *Summary) *Summary {
	out := &Summary{NoReturn: s.NoReturn, fset: s.fset, bound: s.bound}
	handed := map[string]bool{}
	hand := func(r Ref) {
		if k := r.Root.Kind; k != Param && k != FreeVar {
			return
		}
		if i := strings.IndexByte(r.Path, '*'); i >= 0 {
			r.Path = r.Path[:i+1]
		}
		if key := r.Root.text() + r.Path; !handed[key] {
			handed[key] = true
			out.Effects = append(out.Effects, Effect{Ref: r, Kind: Unseen, Op: s.Name})
		}
	}
	for _, e := range fewerEffects(s.Effects) {
		if k := e.Ref.Root.Kind; k == Param || k == FreeVar || k == Global && e.Kind != Unseen {
			out.Effects = append(out.Effects, e)
		}
	}
	kept := map[int]bool{}
	for _, r := range s.Stores {
		hand(r.Dst)
		if r.Dst.Root.Kind == Fresh {
			kept[r.Dst.Root.Index] = true
		}
		for _, o := range r.Origins {
			hand(o.Ref)
		}
	}
	for _, sl := range s.Slots {
		hand(sl.Callee)
		for _, a := range sl.Args {
			for _, l := range a {
				for _, o := range l.Origins {
					hand(o.Ref)
				}
			}
		}
	}
	for _, leaves := range s.Results {
		var list []Leaf
		for _, l := range leaves {
			short := Leaf{Path: l.Path}
			for _, o := range l.Origins {
				if k := o.Ref.Root.Kind; k == Fresh && kept[o.Ref.Root.Index] || k == SlotResult || k == Func {
					o = Origin{}
				}
				short.Origins = append(short.Origins, o)
			}
			list = append(list, short)
		}
		out.Results = append(out.Results, list)
	}
	out.Flags = s.Flags
	if len(s.Slots) > 0 {
		out.Flags = append(out.Flags[:len(out.Flags):len(out.Flags)], Flag{Kind: Unresolved, Op: s.Name})
	}
	return out
}

// Decode is the inverse of [Encode] up to what a fact does not hold.
func Decode(b []byte) (*Summary, error) {
	r := &factReader{b: b}
	if v := r.byte(); v != factVersion {
		return nil, fmt.Errorf("summary of version %d, want %d: rebuild the facts", v, factVersion)
	}
	s := r.summary(0)
	if r.bad || len(r.b) != 0 {
		return nil, fmt.Errorf("summary of %d bytes is damaged at byte %d: rebuild the facts", len(b), len(b)-len(r.b))
	}
	return s, nil
}

type factWriter struct {
	b       []byte
	strings map[string]int
}

func (w *factWriter) byte(b byte) { w.b = append(w.b, b) }
func (w *factWriter) int(n int)   { w.b = binary.AppendUvarint(w.b, uint64(n)) }

// string writes a string once and its number from then on.
func (w *factWriter) string(s string) {
	if n, ok := w.strings[s]; ok {
		w.int(n)
		return
	}
	n := len(w.strings)
	w.strings[s] = n
	w.int(n)
	w.int(len(s))
	w.b = append(w.b, s...)
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

func (w *factWriter) root(r Root) {
	w.byte(byte(r.Kind))
	switch r.Kind {
	case Param, FreeVar, Fresh, Func:
		w.int(r.Index)
	case SlotResult:
		w.int(r.Index)
		w.int(r.Result)
	case Global:
		w.string(r.Name)
	}
}

func (w *factWriter) ref(r Ref) {
	w.root(r.Root)
	w.string(r.Path)
}

// where writes the place of the last step of a witness.
func (w *factWriter) where(s *Summary, steps []Step) {
	text := ""
	if len(steps) > 0 {
		last := steps[len(steps)-1]
		text = last.Where
		if text == "" && last.Pos.IsValid() && s.fset != nil {
			p := s.fset.Position(last.Pos)
			text = filepath.Base(p.Filename) + ":" + strconv.Itoa(p.Line)
		}
	}
	file, line, _ := strings.Cut(text, ":")
	w.string(file)
	n, _ := strconv.Atoi(line)
	w.int(n)
}

func (w *factWriter) origins(list []Origin) {
	w.int(len(list))
	for _, o := range list {
		w.byte(bits(o.View, o.Unique, o.Deep, o.moved, o.clipped, o.age != 0, o.via.merge != 0))
		w.ref(o.Ref)
		if o.age != 0 {
			w.int(o.age)
		}
		if o.via.merge != 0 {
			w.int(o.via.merge)
			w.int(o.via.index)
		}
	}
}

func (w *factWriter) leaves(list []Leaf) {
	w.int(len(list))
	for _, l := range list {
		w.string(l.Path)
		w.origins(l.Origins)
	}
}

// The sections that a summary has, as bits of its second byte.
const (
	hasEffects = 1 << iota
	hasResults
	hasStores
	hasSlots
	hasFlags
	hasFuncs
)

func (w *factWriter) summary(s *Summary, depth int) {
	w.byte(bits(s.NoReturn, s.Top, s.bound))
	if s.Top {
		return
	}
	effects, flags := factEffects(s.Effects), factFlags(s.Flags)
	results := s.Results
	for len(results) > 0 && len(results[len(results)-1]) == 0 {
		results = results[:len(results)-1] // results without pointers
	}
	w.byte(bits(len(effects) > 0, len(results) > 0, len(s.Stores) > 0, len(s.Slots) > 0, len(flags) > 0, len(s.Funcs) > 0))
	w.list(len(effects), func(i int) { w.effect(s, &effects[i]) })
	w.list(len(results), func(i int) { w.leaves(results[i]) })
	w.list(len(s.Stores), func(i int) {
		w.ref(s.Stores[i].Dst)
		w.origins(s.Stores[i].Origins)
	})
	w.list(len(s.Slots), func(i int) { w.slot(&s.Slots[i]) })
	w.list(len(flags), func(i int) {
		w.byte(byte(flags[i].Kind))
		if flags[i].Kind != Unresolved {
			w.string(flags[i].Op)
			w.where(s, flags[i].Witness)
		}
	})
	w.list(len(s.Funcs), func(i int) {
		f := &s.Funcs[i]
		w.string(f.Name)
		w.int(f.Object + 1)
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

func (w *factWriter) effect(s *Summary, e *Effect) {
	w.byte(byte(e.Kind))
	w.ref(e.Ref)
	w.string(e.Op)
	if e.Kind != Unseen {
		w.where(s, e.Witness)
	}
}

func (w *factWriter) slot(sl *SlotRow) {
	w.byte(bits(sl.Always, sl.Repeats, sl.Method != "", sl.Name != sl.Method))
	w.ref(sl.Callee)
	if sl.Method != "" {
		w.string(sl.Method)
	}
	if sl.Name != sl.Method {
		w.string(sl.Name)
	}
	w.int(len(sl.Args))
	for _, a := range sl.Args {
		w.leaves(a)
	}
}

// factEffects keeps one effect for each kind and place, and one for all places of a root that has too many.
func factEffects(list []Effect) []Effect {
	type group struct {
		root string
		kind EffectKind
	}
	type place struct {
		group
		path string
	}
	seen := map[place]bool{}
	count := map[group]int{}
	var out []Effect
	for _, e := range list {
		g := group{e.Ref.Root.text(), e.Kind}
		if e.Kind == Unseen && handedAbove(list, e.Ref) {
			continue // handing an object hands all that it leads to
		}
		if p := (place{g, e.Ref.Path}); !seen[p] {
			seen[p] = true
			count[g]++
			out = append(out, e)
		}
	}
	prefix := map[group]string{}
	for _, e := range out {
		g := group{e.Ref.Root.text(), e.Kind}
		if count[g] <= maxPaths {
			continue
		}
		if p, ok := prefix[g]; ok {
			prefix[g] = commonObject(p, e.Ref.Path)
		} else {
			prefix[g] = e.Ref.Path
		}
	}
	if len(prefix) == 0 {
		return out
	}
	done := map[group]bool{}
	kept := out[:0]
	for _, e := range out {
		g := group{e.Ref.Root.text(), e.Kind}
		if p, ok := prefix[g]; ok {
			if done[g] {
				continue
			}
			done[g] = true
			e.Ref.Path = p
		}
		kept = append(kept, e)
	}
	return kept
}

func handedAbove(list []Effect, r Ref) bool {
	for i := range list {
		o := list[i].Ref
		if list[i].Kind == Unseen && len(o.Path) < len(r.Path) && o.Root.same(r.Root) && strings.HasPrefix(r.Path, o.Path) {
			return true
		}
	}
	return false
}

// commonObject is the longest path of an object on the way to both paths.
func commonObject(a, b string) string {
	n, last := 0, 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
		if a[n-1] == '*' {
			last = n
		}
	}
	if n == len(a) && n == len(b) {
		return a
	}
	return a[:last]
}

// factFlags keeps one flag of each kind and operation.
func factFlags(list []Flag) []Flag {
	type key struct {
		kind FlagKind
		op   string
	}
	seen := map[key]bool{}
	var out []Flag
	for _, f := range list {
		k := key{f.Kind, f.Op}
		if f.Kind == Unresolved {
			k.op = ""
		}
		if !seen[k] {
			seen[k] = true
			out = append(out, f)
		}
	}
	return out
}

// factReader reads what factWriter wrote; damage makes it bad and everything empty from there on.
type factReader struct {
	b       []byte
	strings []string
	bad     bool
}

func (r *factReader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	b := r.b[0]
	r.b = r.b[1:]
	return b
}

func (r *factReader) int() int {
	n, k := binary.Uvarint(r.b)
	if k <= 0 || n > 1<<30 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[k:]
	return int(n)
}

// count reads the length of a list, each element of which takes at least one byte.
func (r *factReader) count() int {
	n := r.int()
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return 0
	}
	return n
}

func (r *factReader) string() string {
	n := r.int()
	switch {
	case n < len(r.strings):
		return r.strings[n]
	case n > len(r.strings):
		r.bad, r.b = true, nil
		return ""
	}
	l := r.count()
	s := string(r.b[:l])
	r.b = r.b[l:]
	r.strings = append(r.strings, s)
	return s
}

func (r *factReader) root() Root {
	root := Root{Kind: RootKind(r.byte())}
	switch root.Kind {
	case Unknown:
	case Param, FreeVar, Fresh, Func:
		root.Index = r.int()
	case SlotResult:
		root.Index = r.int()
		root.Result = r.int()
	case Global:
		root.Name = r.string()
	default:
		r.bad = true
	}
	return root
}

func (r *factReader) ref() Ref {
	root := r.root()
	return Ref{Root: root, Path: r.string()}
}

func (r *factReader) witness(kind StepKind, callee string) []Step {
	file, line := r.string(), r.int()
	s := Step{Kind: kind, Callee: callee}
	if file != "" {
		s.Where = file + ":" + strconv.Itoa(line)
	}
	return []Step{s}
}

func (r *factReader) origins() []Origin {
	n := r.count()
	var list []Origin
	for range n {
		b := r.byte()
		o := Origin{View: b&1 != 0, Unique: b&2 != 0, Deep: b&4 != 0, moved: b&8 != 0, clipped: b&16 != 0, Ref: r.ref()}
		if b&32 != 0 {
			o.age = r.int()
		}
		if b&64 != 0 {
			o.via = edge{r.int(), r.int()}
		}
		list = append(list, o)
	}
	return list
}

func (r *factReader) leaves() []Leaf {
	n := r.count()
	var list []Leaf
	for range n {
		path := r.string()
		list = append(list, Leaf{Path: path, Origins: r.origins()})
	}
	return list
}

// list reads the length of a list whose bit is set; such lists have elements.
func (r *factReader) list(sections, bit byte) int {
	if sections&bit == 0 {
		return 0
	}
	n := r.count()
	if n == 0 {
		r.bad = true
	}
	return n
}

func (r *factReader) summary(depth int) *Summary {
	s := &Summary{}
	b := r.byte()
	s.NoReturn, s.Top, s.bound = b&1 != 0, b&2 != 0, b&4 != 0
	if b > 7 || depth > maxNested+1 {
		r.bad = true
	}
	if s.Top || r.bad {
		return s
	}
	has := r.byte()
	for range r.list(has, hasEffects) {
		s.Effects = append(s.Effects, r.effect())
	}
	for range r.list(has, hasResults) {
		s.Results = append(s.Results, r.leaves())
	}
	for range r.list(has, hasStores) {
		dst := r.ref()
		s.Stores = append(s.Stores, StoreRow{Dst: dst, Origins: r.origins()})
	}
	for range r.list(has, hasSlots) {
		s.Slots = append(s.Slots, r.slot())
	}
	for range r.list(has, hasFlags) {
		f := Flag{Kind: FlagKind(r.byte())}
		if f.Kind > Unresolved {
			r.bad = true
			return s
		}
		if f.Kind != Unresolved {
			f.Op = r.string()
			f.Witness = r.witness(Did, f.Op)
		}
		s.Flags = append(s.Flags, f)
	}
	for range r.list(has, hasFuncs) {
		name := r.string()
		object := r.int() - 1
		inner := r.summary(depth + 1)
		inner.Name = name
		s.Funcs = append(s.Funcs, FuncRow{Name: name, Object: object, Summary: inner})
	}
	return s
}

func (r *factReader) effect() Effect {
	e := Effect{Kind: EffectKind(r.byte())}
	if e.Kind > Unseen {
		r.bad = true
		return e
	}
	e.Definite = e.Kind != Unseen
	e.Ref = r.ref()
	e.Op = r.string()
	if e.Kind == Unseen {
		e.Witness = []Step{{Kind: Handed, Callee: e.Op}}
	} else {
		e.Witness = r.witness(Written, e.Op)
	}
	return e
}

func (r *factReader) slot() SlotRow {
	b := r.byte()
	sl := SlotRow{Always: b&1 != 0, Repeats: b&2 != 0, Callee: r.ref()}
	if b&4 != 0 {
		sl.Method = r.string()
	}
	sl.Name = sl.Method
	if b&8 != 0 {
		sl.Name = r.string()
	}
	for range r.count() {
		sl.Args = append(sl.Args, r.leaves())
	}
	return sl
}
