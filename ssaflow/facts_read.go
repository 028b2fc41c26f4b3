package ssaflow

import (
	"encoding/binary"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"
)

// factReader reads what factWriter wrote; damage makes it bad and everything empty from there on.
type factReader struct {
	b                   []byte
	names, steps, paths []string
	bad                 bool
	fn                  *types.Func
	fset                *token.FileSet
	decl                place
	located             bool // decl is known
}

// open reads what stands before the sections: the bits of the summary, and which words are known. It reports false for facts of
// another version.
func (r *factReader) open() bool {
	known := commonWords()
	if len(r.b) > 0 {
		if r.b[0]>>versionShift != factVersion {
			return false
		}
		head := []byte{r.b[0] & allBits}
		r.b = r.b[1:]
		if head[0]&topBit == 0 && len(r.b) >= 2 && r.b[0]&hasWords != 0 {
			known = wordsOf(r.fn)
			r.bad = r.b[1] != known.check() // the types are other ones than the writer saw
			head = append(head, r.b[0]&^hasWords)
			r.b = r.b[2:]
		}
		r.b = append(head, r.b...)
	}
	r.names, r.steps, r.paths = known.names, known.steps, commonPaths()
	return true
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

// text reads a string that no list holds.
func (r *factReader) text() string {
	n := r.count()
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

// numbered returns number n of a list, which is read where it is the next one.
func (r *factReader) numbered(list *[]string, n int, read func() string) string {
	switch {
	case n < len(*list):
		return (*list)[n]
	case n > len(*list):
		r.bad, r.b = true, nil
		return ""
	}
	// The number is taken before what it stands for is read: a path is known by steps, not by itself.
	s := read()
	*list = append((*list)[:len(*list):len(*list)], s)
	return s
}

func (r *factReader) name() string { return r.numbered(&r.names, r.int(), r.text) }

func (r *factReader) path() string {
	return r.numbered(&r.paths, r.int(), func() string {
		n := r.int()
		steps := n&manySteps + 1
		if steps > manySteps {
			steps += r.count()
		}
		if n >>= stepShift; n >= len(r.paths) || steps > len(r.b) {
			r.bad, r.b = true, nil
			return ""
		}
		var p strings.Builder
		p.WriteString(r.paths[n])
		for range steps {
			token := r.int()
			p.WriteString(r.numbered(&r.steps, token>>1, r.text))
			if token&1 != 0 {
				p.WriteByte('*')
			}
		}
		return p.String()
	})
}

func (r *factReader) ref() Ref {
	b := r.byte()
	ref := Ref{Root: Root{Kind: RootKind(b >> kindShift)}}
	index, path := int(b>>indexShift&manyIndex), int(b&otherPath)
	switch ref.Root.Kind {
	case Unknown:
		r.bad = r.bad || index != 0
	case Global:
		ref.Root.Name = r.global(index)
	case Param, FreeVar, Fresh, Func, SlotResult, TypeArg:
		ref.Root.Index = index
		if index == manyIndex {
			ref.Root.Index = r.int()
		}
		if ref.Root.Kind == SlotResult {
			ref.Root.Result = r.int()
		}
	default:
		r.bad = true
	}
	if path == otherPath {
		ref.Path = r.path()
	} else {
		ref.Path = r.paths[path]
	}
	return ref
}

// global reads the name of a package variable.
func (r *factReader) global(home int) string {
	own := ""
	if r.fn != nil && r.fn.Pkg() != nil {
		own = r.fn.Pkg().Path()
	}
	switch {
	case home == foreignPackage:
		n := r.int()
		own = joinElements(own, n, r.name())
	case home != ownPackage:
		r.bad = true
	}
	if own == "" {
		return r.name()
	}
	return own + "." + r.name()
}

// witness reads the place of a step.
func (r *factReader) witness(kind StepKind, callee string) []Step {
	s := Step{Kind: kind, Callee: callee}
	switch n := r.int(); n {
	case noPlace:
	case otherFile:
		s.Where = r.otherFile()
	default:
		if at := r.declared(); at.file != "" {
			if n -= firstLine; n%2 == 0 {
				at.line += n / 2
			} else {
				at.line -= (n + 1) / 2
			}
			s.Where = at.String()
		}
	}
	return []Step{s}
}

// otherFile reads a line of another file than the declaration's.
func (r *factReader) otherFile() string {
	at := place{pkg: r.declared().pkg, file: r.name()}
	if n, rest, ok := strings.Cut(at.file, "/"); ok {
		common, err := strconv.Atoi(n)
		r.bad = r.bad || err != nil || common < 0
		rest, at.file = path.Split(rest)
		at.pkg = joinElements(at.pkg, max(common, 0), rest)
	}
	at.file = longFile(at.file, at.pkg)
	at.line = r.int()
	return at.String()
}

// declared is the place of the declaration.
func (r *factReader) declared() place {
	if !r.located {
		r.located, r.decl = true, declared(r.fn, r.fset)
	}
	return r.decl
}

// kind reads a kind of so many bits and an operation.
func (r *factReader) kind(bits int) (kind byte, op string) {
	b := r.byte()
	if n := int(b >> bits); n != 1<<(8-bits)-1 {
		op = r.names[n]
	} else {
		op = r.name()
	}
	return b & (1<<bits - 1), op
}

func (r *factReader) origins() []Origin {
	list, all := r.stored()
	r.bad = r.bad || all
	return list
}

// stored reads the origins of a store, and whether it replaces all elements.
func (r *factReader) stored() (list []Origin, all bool) {
	for more := true; more && !r.bad; {
		b := r.byte()
		if len(list) == 0 {
			all = b&allBit != 0
			b &^= allBit
		}
		if b == noneBit && len(list) == 0 {
			return nil, all
		}
		if b >= badOrigin || b&(noneBit|allBit) != 0 {
			r.bad = true
		}
		more = b&moreBit != 0
		o := Origin{View: b&viewBit != 0, Unique: b&uniqueBit != 0, Deep: b&deepBit != 0}
		rare := byte(0)
		if b&rareBit != 0 {
			rare = r.byte()
			r.bad = r.bad || rare == 0 || rare >= badRare
		}
		o.moved, o.clipped, o.Twice = rare&movedBit != 0, rare&clippedBit != 0, rare&twiceBit != 0
		o.short, o.resliced = rare&shortBit != 0, rare&reslicedBit != 0
		o.Ref = r.ref()
		if rare&ageBit != 0 {
			o.age = r.int()
		}
		if rare&viaBit != 0 {
			merge := r.int()
			if o.via = (edge{int32(merge), int32(r.int())}); o.via == (edge{index: mayTwice}) {
				o.via, o.MayTwice = edge{}, true
			}
		}
		list = append(list, o)
	}
	return list, all
}

func (r *factReader) leaves() []Leaf {
	n := r.count()
	var list []Leaf
	for range n {
		path := r.path()
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
	s.NoReturn, s.Top, s.bound = b&noReturnBit != 0, b&topBit != 0, b&boundBit != 0
	if b > allBits || depth > maxNested+1 {
		r.bad = true
	}
	if s.Top || r.bad {
		return s
	}
	has := r.byte()
	s.Recovers = has&recoversBit != 0
	r.bad = r.bad || has&^recoversBit >= hasWords
	for range r.list(has, hasEffects) {
		s.Effects = append(s.Effects, r.effect())
	}
	for range r.list(has, hasResults) {
		s.Results = append(s.Results, r.leaves())
	}
	for range r.list(has, hasStores) {
		dst := r.ref()
		origins, all := r.stored()
		s.Stores = append(s.Stores, StoreRow{Dst: dst, Origins: origins, All: all})
	}
	for range r.list(has, hasSlots) {
		s.Slots = append(s.Slots, r.slot())
	}
	for range r.list(has, hasFlags) {
		kind, op := r.kind(flagBits)
		f := Flag{Kind: FlagKind(kind), Op: op}
		if f.Kind > Blind {
			r.bad = true
			return s
		}
		if f.Kind < Unresolved {
			f.Witness = r.witness(Did, f.Op)
		}
		s.Flags = append(s.Flags, f)
	}
	for range r.list(has, hasFuncs) {
		name := r.name()
		n := r.int()
		row := FuncRow{Name: name, Object: n>>funcBits - 1, ofType: n&ofTypeBit != 0, boxed: n&boxedBit != 0}
		if n&paramsBit != 0 {
			for range r.count() {
				row.params = append(row.params, r.int())
			}
		}
		row.Summary = r.summary(depth + 1)
		row.Summary.Name = name
		s.Funcs = append(s.Funcs, row)
	}
	return s
}

func (r *factReader) effect() Effect {
	kind, op := r.kind(effectBits)
	e := Effect{Kind: EffectKind(kind), Op: op}
	for k, many := range below {
		if byte(kind) == many {
			e.Kind, e.Below = k, true
		}
	}
	if e.Kind > Unseen {
		r.bad = true
		return e
	}
	e.Definite = e.Kind != Unseen
	e.Ref = r.ref()
	if e.Kind == Unseen {
		e.Witness = []Step{{Kind: Handed, Callee: e.Op}}
	} else {
		e.Witness = r.witness(Written, e.Op)
	}
	return e
}

func (r *factReader) slot() SlotRow {
	b := r.byte()
	sl := SlotRow{Always: b&alwaysBit != 0, Repeats: b&repeatsBit != 0}
	n := int(b >> slotBits)
	if n == manyArgs {
		n += r.int()
		if n > maxArgs {
			r.bad, n = true, 0
		}
	}
	sl.Callee = r.ref()
	if b&methodBit != 0 {
		if sl.Method = r.name(); r.fn != nil && !token.IsExported(sl.Method) {
			sl.home = r.fn.Pkg()
		}
	}
	sl.Name = sl.Method
	if b&nameBit != 0 {
		sl.Name = r.name()
	}
	if n > 0 {
		sl.Args = make([][]Leaf, n)
	}
	if b&leavesBit != 0 {
		for i := range sl.Args {
			sl.Args[i] = r.leaves()
		}
	}
	return sl
}
