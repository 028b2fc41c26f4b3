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
	w := newFactWriter()
	w.byte(factVersion)
	w.summary(s, 0)
	if len(w.b) > maxFact {
		w = newFactWriter()
		w.byte(factVersion)
		w.summary(slim(s), 0)
	}
	return w.b
}

// Decode is the inverse of [Encode] up to what a fact does not hold.
func Decode(b []byte) (*Summary, error) {
	r := &factReader{b: b, strings: commonStrings()}
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

func newFactWriter() *factWriter {
	w := &factWriter{strings: map[string]int{}}
	for i, s := range commonStrings() {
		w.strings[s] = i
	}
	return w
}

// commonStrings are known to both sides, so that facts hold their numbers only.
func commonStrings() []string {
	return []string{"", "*", "*[]", "*[]*", "store", "append", "copy", "delete", "function value", "f", "fn", "go", "error", "#0", "[]", "*.Data", "Error", "String", "Len"}
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

// mayTwice is the index of an edge of no merge, which says in a fact that [Origin.MayTwice] is true.
const mayTwice = 1

func (w *factWriter) origins(list []Origin) {
	w.int(len(list))
	for _, o := range list {
		if o.MayTwice {
			o.via = edge{index: mayTwice}
		}
		w.byte(bits(o.View, o.Unique, o.Deep, o.moved, o.clipped, o.age != 0, o.via != edge{}, o.Twice))
		w.ref(o.Ref)
		if o.age != 0 {
			w.int(o.age)
		}
		if o.via != (edge{}) {
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
