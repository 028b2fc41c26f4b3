package pytree

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The text of a structure has a line for each place, with its path, parts behind what holds them:
//
//	argument: struct of 3
//	argument.H: tensor
//	argument.Steps: slice of 2
//	argument.Steps[0]: tensor
//	argument.Steps[1]: nil tensor
//	argument.N: static int 3
//
// The other places are int, array of 2, map of 2 (paths ["key"], sorted), nil slice, nil map and empty, for struct{}.

// AppendText appends the text of t to b, with label for the root.
func (t *Tree) AppendText(b []byte, label string) []byte { return t.root.appendText(b, []byte(label)) }

func (n *node) appendText(b, path []byte) []byte {
	b = append(append(b, path...), ": "...)
	if n.isNil {
		b = append(b, "nil "...)
	}
	switch n.plan.kind {
	case leafKind, emptyKind, otherKind:
		b = append(b, n.plan.kind.word()...)
	case staticKind:
		b = append(append(b, "static "...), n.plan.typ.Kind().String()...)
		b = append(append(b, ' '), exactText(reflect.ValueOf(n.static))...)
	default:
		b = append(b, n.plan.kind.word()...)
		if !n.isNil {
			b = strconv.AppendInt(append(b, " of "...), int64(len(n.kids)), 10)
		}
	}
	b = append(b, '\n')
	for i := range n.kids {
		b = n.kids[i].appendText(b, append(path, n.index(i)...))
	}
	return b
}

func (k kind) word() string {
	return [...]string{leafKind: "tensor", otherKind: "int", structKind: "struct", sliceKind: "slice", arrayKind: "array", mapKind: "map", staticKind: "static", emptyKind: "empty"}[k]
}

// exactText is a static value as text that reads back to the same bits.
func exactText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Float32, reflect.Float64:
		f := v.Float()
		if f != f { // a NaN's bits matter, too
			return "nan:" + strconv.FormatUint(math.Float64bits(f), 16)
		}
		return strconv.FormatFloat(f, 'g', -1, v.Type().Bits())
	default:
		if v.CanInt() {
			return strconv.FormatInt(v.Int(), 10)
		}
		return strconv.FormatUint(v.Uint(), 10)
	}
}

// setExact is the inverse of exactText.
func setExact(v reflect.Value, text string) error {
	var err error
	switch v.Kind() {
	case reflect.Bool:
		var is bool
		is, err = strconv.ParseBool(text)
		v.SetBool(is)
	case reflect.String:
		var s string
		s, err = strconv.Unquote(text)
		v.SetString(s)
	case reflect.Float32, reflect.Float64:
		if bits, ok := strings.CutPrefix(text, "nan:"); ok {
			var word uint64
			word, err = strconv.ParseUint(bits, 16, 64)
			v.SetFloat(math.Float64frombits(word))
			break
		}
		var f float64
		f, err = strconv.ParseFloat(text, v.Type().Bits())
		v.SetFloat(f)
	default:
		if v.CanInt() {
			var n int64
			n, err = strconv.ParseInt(text, 10, v.Type().Bits())
			v.SetInt(n)
			break
		}
		var n uint64
		n, err = strconv.ParseUint(text, 10, v.Type().Bits())
		v.SetUint(n)
	}
	if err == nil && exactText(v) != text {
		err = fmt.Errorf("%s is written %s", text, exactText(v))
	}
	return err
}

// place is one line of the text and what lies below it, before it is known whether a type has such a place.
type place struct {
	name   string // the field, key or index behind the parent's path
	kind   kind
	isNil  bool
	goKind string // of a static value
	static string
	kids   []place
}

// ParseText reads the structure of a value of type typ, with leaves *L, from the text that AppendText gives for label.
// Every place in which the text and the type differ is a Diff: A is what the text has, B what the type has. The tree is
// nil then. A text that AppendText does not give is an error.
func ParseText[L any](typ reflect.Type, other *Other[L], label, text string) (*Tree, []Diff, error) {
	p := planFor(typ, reflect.TypeFor[*L](), other.second())
	if p.err != nil {
		return nil, nil, p.err
	}
	r := textReader{rest: text}
	root, err := r.place(label, "", 0)
	if err == nil && r.rest != "" {
		err = r.fail("%q behind the last place", r.peek())
	}
	if err != nil {
		return nil, nil, err
	}
	var f fitting
	t := &Tree{}
	t.root = f.node(p, &root, "")
	switch {
	case f.err != nil:
		return nil, nil, f.err
	case f.diffs != nil:
		return nil, f.diffs, nil
	}
	t.leaves = f.leaves
	if string(t.AppendText(nil, label)) != text {
		return nil, nil, fmt.Errorf("the places are not written as they should be, or not in order")
	}
	return t, nil, nil
}

type textReader struct {
	rest string
	line int
}

func (r *textReader) fail(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", r.line+1, fmt.Sprintf(format, args...))
}

// peek returns the next line, shortened for a message.
func (r *textReader) peek() string {
	line, _, _ := strings.Cut(r.rest, "\n")
	if len(line) > 60 {
		return line[:60] + "…"
	}
	return line
}

// place reads the line of a path and the lines of its parts.
func (r *textReader) place(path, name string, depth int) (place, error) {
	p := place{name: name}
	if depth > maxDepth {
		return p, r.fail("nested deeper than %d levels", maxDepth)
	}
	line, rest, ended := strings.Cut(r.rest, "\n")
	text, ok := strings.CutPrefix(line, path+": ")
	if !ok || !ended {
		return p, r.fail("got %q; want the path %s, a colon and what is there", r.peek(), path)
	}
	word, isNil := strings.CutPrefix(text, "nil ")
	word, number, counted := strings.Cut(word, " of ")
	p.isNil = isNil
	count := 0
	switch {
	case word == "tensor" && !counted:
		p.kind = leafKind
	case word == "int" && !counted && !isNil:
		p.kind = otherKind
	case word == "empty" && !counted && !isNil:
		p.kind = emptyKind
	case strings.HasPrefix(text, "static "):
		p.kind = staticKind
		p.goKind, p.static, _ = strings.Cut(text[len("static "):], " ")
	default:
		for _, k := range []kind{structKind, sliceKind, arrayKind, mapKind} {
			if word == k.word() && counted != isNil && (!isNil || k == sliceKind || k == mapKind) {
				p.kind = k
			}
		}
		if n, err := strconv.Atoi(number); counted && err == nil && n >= 0 {
			count = n
		} else if counted {
			p.kind = 0
		}
	}
	if p.kind == 0 {
		return p, r.fail("%s is %q; want tensor, int, struct of, slice of, array of, map of, static or empty", path, text)
	}
	r.rest = rest
	r.line++
	for i := range count {
		part, err := r.index(p.kind, path, i)
		if err != nil {
			return p, err
		}
		kid, err := r.place(path+part, part, depth+1)
		if err != nil {
			return p, err
		}
		p.kids = append(p.kids, kid)
	}
	return p, nil
}

// index reads ahead how the next part of a place is called.
func (r *textReader) index(k kind, path string, i int) (string, error) {
	if k == sliceKind || k == arrayKind {
		return "[" + strconv.Itoa(i) + "]", nil
	}
	text, ok := strings.CutPrefix(r.rest, path)
	if k == mapKind {
		if key, err := strconv.QuotedPrefix(strings.TrimPrefix(text, "[")); ok && err == nil && key[0] == '"' {
			return "[" + key + "]", nil
		}
		return "", r.fail("got %q; want a key of %s", r.peek(), path)
	}
	end := 1
	for j, c := range text {
		if j > 0 && !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' {
			break
		}
		end = j + len(string(c))
	}
	if !ok || end < 2 || text[0] != '.' {
		return "", r.fail("got %q; want a field of %s", r.peek(), path)
	}
	return text[:end], nil
}

// describe says in words what the text has at a place.
func (p *place) describe() string {
	switch p.kind {
	case leafKind:
		return "a tensor"
	case otherKind:
		return "an int"
	case structKind:
		return "a struct"
	case sliceKind:
		return "a slice"
	case arrayKind:
		return fmt.Sprintf("an array of length %d", len(p.kids))
	case mapKind:
		return "a map"
	case staticKind:
		return "a static " + p.goKind
	default:
		return "empty"
	}
}

// describe says in words what the values of a type have at a place.
func (p *plan) describe() string {
	q := place{kind: p.kind}
	switch p.kind {
	case arrayKind:
		q.kids = make([]place, p.typ.Len())
	case staticKind:
		q.goKind = p.typ.Kind().String()
	}
	return q.describe()
}

// fitting compares places with a plan and makes the nodes of a tree.
type fitting struct {
	diffs  []Diff
	leaves int
	err    error
}

func (f *fitting) add(path, a, b string) { f.diffs = append(f.diffs, Diff{path, a, b}) }

func (f *fitting) node(p *plan, q *place, path string) node {
	n := node{plan: p, isNil: q.isNil}
	if p.kind != q.kind || p.kind == arrayKind && p.typ.Len() != len(q.kids) || p.kind == staticKind && p.typ.Kind().String() != q.goKind {
		f.add(path, q.describe(), p.describe())
		return n
	}
	switch p.kind {
	case leafKind:
		if !q.isNil {
			f.leaves++
		}
	case otherKind:
		f.leaves++
	case staticKind:
		v := reflect.New(p.typ).Elem()
		if err := setExact(v, q.static); err != nil && f.err == nil {
			f.err = fmt.Errorf("%s is %q, which is no %s: %w", path, q.static, q.goKind, err)
		}
		n.static = v.Interface()
	case structKind:
		n.kids = f.fields(p, q, path)
	default:
		n.kids = make([]node, len(q.kids))
		for i := range q.kids {
			kid := &q.kids[i]
			if p.kind == mapKind {
				key, err := strconv.Unquote(kid.name[1 : len(kid.name)-1])
				if err == nil && i > 0 && key <= n.keys[i-1] {
					err = fmt.Errorf("the keys of %s are not sorted: %q behind %q", path, key, n.keys[i-1])
				}
				if err != nil && f.err == nil {
					f.err = err
				}
				n.keys = append(n.keys, key)
			}
			n.kids[i] = f.node(p.elem, kid, path+kid.name)
		}
	}
	return n
}

// fields matches the fields of a struct by name; they must stand in the same order, which is that of the leaves.
func (f *fitting) fields(p *plan, q *place, path string) []node {
	var ours, theirs []string
	kids := make([]node, len(p.fields))
	for i, field := range p.fields {
		name := "." + field.name
		ours = append(ours, field.name)
		k := slices.IndexFunc(q.kids, func(kid place) bool { return kid.name == name })
		if k < 0 {
			f.add(path+name, "missing", field.plan.describe())
			continue
		}
		kids[i] = f.node(field.plan, &q.kids[k], path+name)
	}
	same := len(q.kids) == len(p.fields)
	for i := range q.kids {
		kid := &q.kids[i]
		theirs = append(theirs, kid.name[1:])
		if !slices.Contains(ours, kid.name[1:]) {
			f.add(path+kid.name, kid.describe(), "missing")
			same = false
		}
	}
	if same && !slices.Equal(ours, theirs) {
		f.add(path, "a struct of "+strings.Join(theirs, ", "), "a struct of "+strings.Join(ours, ", "))
	}
	return kids
}
