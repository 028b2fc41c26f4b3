package ssaflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// objectKind says what an abstract object stands for.
type objectKind uint8

const (
	anything objectKind = iota // memory nothing is known of
	entry                      // memory that was there before the call, or a result of a slot
	made                       // memory made by an instruction of the function
	code                       // a function without free variables
)

const (
	maxDepth   = 4  // pointers followed from a root before paths collapse
	maxRefs    = 24 // references of one location from which on they are told apart by object only
	maxWitness = 12 // steps of one witness
	tooMany    = 48 // references of one location from which on it may hold anything
)

// object is a block of abstract memory. Its slots live in the [state].
type object struct {
	id   int
	kind objectKind
	// root and base name entry objects: the slot at inline path p is the location root, base+p.
	root Root
	base string
	// ptr is the type of the pointers to the object; boxed objects have the type of the value instead.
	ptr   types.Type
	boxed bool
	// opaque objects have no slots: all paths are the object.
	opaque bool
	// deep objects make what their slots refer to on demand.
	deep bool
	// multi objects are made by an instruction in a control-flow cycle; once the address leaves the registers of one
	// iteration the object stands for many.
	multi, left bool
	// kept objects have their address in memory that outlives the iteration, so that two loads can give two of them.
	kept bool
	// many objects always stand for many.
	many bool
	// resliced objects have slices of several lengths, or may have.
	resliced bool
	// collapsed objects are their own children.
	collapsed, recurs bool
	parent            *object
	depth             int

	home *frame
	at   *ssa.BasicBlock // where it is made
	by   any             // the instruction that makes it
	fn   *ssa.Function
	sum  *Summary // of a function that only a fact knows
	// methods are those of what an interface holds, where another package told of them.
	methods []FuncRow
	// instance is the instance of the generic function fn.
	instance *ssa.Function
	// targs are the type arguments of the function, or of the generic function around it.
	targs []types.Type
	why   *witness
	self  refs // the reference that the place of the object holds at first
	// walked is the last walk through memory that came by.
	walked int
}

// unique reports whether the object is one object at run time.
func (o *object) unique() bool {
	return o.kind != anything && !o.many && !o.collapsed && !(o.multi && o.left)
}

// single reports whether two references of one age to the object are references to one object at run time.
func (o *object) single() bool {
	return o.kind != anything && !o.many && !o.collapsed && !(o.multi && o.kept)
}

// strong reports whether a store through a single reference may replace what is there.
func (o *object) strong(path string) bool {
	return o.unique() && !strings.Contains(path, "[]") && !strings.Contains(path, keyStep) && o.root.Kind != Global
}

// witness is a chain of steps, newest first.
type witness struct {
	step Step
	prev *witness
	n    int
}

func (w *witness) then(s Step) *witness {
	n := 1
	if w != nil {
		n = w.n + 1
		if n > maxWitness {
			return w
		}
	}
	return &witness{s, w, n}
}

// steps returns the chain oldest first, followed by more.
// handed reports whether the way leads through code that could not be seen, which is told where it is called.
func (w *witness) handed() bool {
	for ; w != nil; w = w.prev {
		if w.step.Kind == Handed {
			return true
		}
	}
	return false
}

func (w *witness) steps(more ...Step) []Step {
	if w == nil && len(more) == 0 {
		return nil
	}
	n := 0
	if w != nil {
		n = w.n
	}
	list := make([]Step, n, n+len(more))
	for ; w != nil; w = w.prev {
		n--
		list[n] = w.step
	}
	return append(list, more...)
}

// ref is a reference to an inline location of an object.
type ref struct {
	o    *object
	path string
	// dyn is the dynamic type of an interface value, when known.
	dyn types.Type
	// moved is true for slices that do not begin at index 0 of the object.
	moved bool
	// clipped is true for slices without capacity behind their length.
	clipped bool
	// short is true for slices that end before the elements do: what is appended lands in elements that others see.
	short bool
	// view is true once a call made a view on the way.
	view bool
	// twice is true at a place that stands for many elements, when two of them hold the reference.
	twice bool
	// mayTwice is true where it is not known whether two of them do.
	mayTwice bool
	// age is not 0 for references that came around a loop: it names the variable that carried them. Of two references to one
	// object with different ages one may be of an earlier iteration.
	age int32
	// via is the edge of the last merge that brought the reference: of two references through different edges of one merge only
	// one exists.
	via edge
	why *witness
}

// edge is an incoming edge of a merge of control flow, or the element that a store through an unknown index wrote; the zero edge
// is no particular one. A negative merge is a container, and the index the element that was read from it: what two elements hold is
// taken for different as long as nothing is to be proved.
type edge struct{ merge, index int32 }

// anyElement is the index of an edge as long as it is not known which element is read.
const anyElement = 1 << 20

func (e edge) excludes(o edge) bool {
	return e.merge > 0 && e.merge == o.merge && e.index != o.index && e.index != anyElement && o.index != anyElement
}

// beside reports whether two references were read from different elements of one container.
func (e edge) beside(o edge) bool { return e.merge < 0 && e.merge == o.merge && e.index != o.index }

// refs is a set of references in order of discovery. It is never changed in place.
type refs []ref

func (s refs) has(r *ref) bool {
	for i := range s {
		x := &s[i]
		if x.o != r.o || x.path != r.path || x.view != r.view || x.moved != r.moved || x.clipped != r.clipped || x.short != r.short || !sameType(x.dyn, r.dyn) {
			continue
		}
		if r.twice && !x.twice || r.mayTwice && !x.mayTwice && !x.twice {
			continue
		}
		if len(s) >= maxRefs || x.age == r.age && (x.via == r.via || x.via == edge{}) {
			return true
		}
	}
	return false
}

func sameType(a, b types.Type) bool {
	return a == b || a != nil && b != nil && types.Identical(a, b)
}

// union returns s with the references of t that it lacks.
func (s refs) union(t refs) refs {
	if len(s) == 0 {
		return t
	}
	copied := false
	for i := range t {
		if s.has(&t[i]) {
			continue
		}
		if !copied {
			s = append(make(refs, 0, len(s)+len(t)-i), s...)
			copied = true
		}
		if s = s.with(&t[i]); len(s) > tooMany {
			return s
		}
	}
	return s
}

// with returns s with one more reference; beyond tooMany it may be anything. The caller owns what is behind the end of s.
func (s refs) with(r *ref) refs {
	if s.has(r) {
		return s
	}
	if len(s) >= tooMany {
		nothing := ref{o: r.o.home.nothing, why: r.why}
		if s.has(&nothing) {
			return s
		}
		return append(s, nothing)
	}
	return append(s, *r)
}

func (s refs) equal(t refs) bool {
	if len(s) != len(t) {
		return false
	}
	for i := range s {
		if s[i].o != t[i].o || s[i].path != t[i].path || s[i].view != t[i].view || s[i].age != t[i].age || s[i].via != t[i].via || s[i].short != t[i].short || s[i].twice != t[i].twice ||
			s[i].mayTwice != t[i].mayTwice {
			if !s.has(&t[i]) || !t.has(&s[i]) {
				return false
			}
		}
	}
	return true
}

// through returns the references as brought by one edge of a merge.
func (s refs) through(e edge) refs {
	out := make(refs, len(s))
	for i, r := range s {
		r.via = e
		out[i] = r
	}
	return out
}

// aged returns the references that old lacks, as carried around a loop by the variable named age.
func (s refs) aged(old refs, age int32) refs {
	var out refs
next:
	for _, r := range s {
		for _, o := range old {
			if o.o == r.o && o.path == r.path && o.view == r.view {
				continue next
			}
		}
		r.age = age
		out = append(out, r)
	}
	return out
}

// leafRefs is what one pointer-like part of a value refers to.
type leafRefs struct {
	path string
	refs refs
}

// value is a register: its leaves, in the order of the type.
type value []leafRefs

func single(r refs) value {
	if len(r) == 0 {
		return nil
	}
	return value{{"", r}}
}

// at returns the references of a leaf, also when one side tells indices apart and the other does not.
func (v value) at(path string) refs {
	var out refs
	for i := range v {
		if v[i].path == path {
			out = out.union(v[i].refs)
		} else if overlaps(v[i].path, path) {
			out = out.union(v[i].refs)
		}
	}
	return out
}

// below returns the part of the value at an inline path.
func (v value) below(path string) value {
	if path == "" {
		return v
	}
	var out value
	for _, l := range v {
		// Step by step: indices have different widths.
		if rest, ok := cutPrefix(l.path, path); ok {
			out = out.add(rest, l.refs)
		}
	}
	return out
}

// cutPrefix removes a prefix that may spell indices differently.
func cutPrefix(path, prefix string) (string, bool) {
	for prefix != "" {
		if path == "" {
			return "", false
		}
		var a, b string
		a, path = cutStep(path)
		b, prefix = cutStep(prefix)
		if !overlaps(a, b) {
			return "", false
		}
	}
	return path, true
}

// add returns the value with more references at a leaf.
func (v value) add(path string, r refs) value {
	if len(r) == 0 {
		return v
	}
	for i := range v {
		if v[i].path == path {
			u := v[i].refs.union(r)
			if len(u) == len(v[i].refs) {
				return v
			}
			w := append(make(value, 0, len(v)), v...)
			w[i].refs = u
			return w
		}
	}
	return append(v[:len(v):len(v)], leafRefs{path, r})
}

// join returns the union of two values.
func (v value) join(w value) value {
	if len(v) == 0 {
		return w
	}
	for _, l := range w {
		v = v.add(l.path, l.refs)
	}
	return v
}

// prefixed returns the value as the part of a larger one.
func (v value) prefixed(path string) value {
	if path == "" {
		return v
	}
	out := make(value, len(v))
	for i, l := range v {
		out[i] = leafRefs{path + l.path, l.refs}
	}
	return out
}

// all returns every reference of the value.
func (v value) all() refs {
	var out refs
	for _, l := range v {
		out = out.union(l.refs)
	}
	return out
}

// bounded keeps a value whose type is not known from growing in recursions: when it has too many parts they become one.
func (v value) bounded() value {
	const maxLeaves, maxPath = 48, 80
	for _, l := range v {
		if len(v) > maxLeaves || len(l.path) > maxPath {
			return single(v.all())
		}
	}
	return v
}
