package ssaflow

import (
	"encoding/binary"
	"strconv"
)

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
		o := Origin{View: b&1 != 0, Unique: b&2 != 0, Deep: b&4 != 0, moved: b&8 != 0, clipped: b&16 != 0, Twice: b&128 != 0, Ref: r.ref()}
		if b&32 != 0 {
			o.age = r.int()
		}
		if b&64 != 0 {
			if o.via = (edge{r.int(), r.int()}); o.via == (edge{index: mayTwice}) {
				o.via, o.MayTwice = edge{}, true
			}
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
