package ssaflow

import "golang.org/x/tools/go/ssa"

// pageSize is the number of objects whose slots are copied together on a write.
const pageSize = 16

// slot is one written location of an object.
type slot struct {
	path string
	refs refs
}

// slots are the written locations of one object, in order of first write; they are never changed in place.
type slots []slot

func (s slots) find(path string) int {
	for i := range s {
		if s[i].path == path {
			return i
		}
	}
	return -1
}

type page struct {
	owner *state
	slots [pageSize]slots
	here  [pageSize]bool
}

// state is the abstract store at one point of the control flow. Pages are shared between states and copied on write, so that a
// block costs what it writes and joining equal parts costs nothing.
type state struct {
	pages []*page
}

// fork returns a copy that shares all pages.
func (s *state) fork() *state {
	t := &state{pages: append([]*page(nil), s.pages...)}
	// Neither side owns the shared pages any longer: owners are compared by identity, so s must give its own up as well.
	for _, p := range s.pages {
		if p != nil && p.owner == s {
			p.owner = nil
		}
	}
	return t
}

// get returns the slots of an object and whether the object is in the store at all.
func (s *state) get(o *object) (slots, bool) {
	i := o.id / pageSize
	if i >= len(s.pages) || s.pages[i] == nil {
		return nil, false
	}
	return s.pages[i].slots[o.id%pageSize], s.pages[i].here[o.id%pageSize]
}

func (s *state) put(o *object, v slots) {
	i := o.id / pageSize
	for i >= len(s.pages) {
		s.pages = append(s.pages, nil)
	}
	p := s.pages[i]
	switch {
	case p == nil:
		p = &page{owner: s}
		s.pages[i] = p
	case p.owner != s:
		q := *p
		q.owner = s
		p = &q
		s.pages[i] = p
	}
	p.slots[o.id%pageSize] = v
	p.here[o.id%pageSize] = true
}

// set replaces one slot.
func (s *state) set(o *object, path string, r refs) {
	old, _ := s.get(o)
	v := append(make(slots, 0, len(old)+1), old...)
	if i := v.find(path); i >= 0 {
		v[i].refs = r
	} else {
		v = append(v, slot{path, r})
	}
	s.put(o, v)
}

// update replaces what the slots of an object refer to; with refs that are as long as they were nothing is written.
func (s *state) update(o *object, change func(slot) refs) {
	old, _ := s.get(o)
	v := old
	for i := range old {
		if r := change(old[i]); len(r) != len(old[i].refs) {
			if &v[0] == &old[0] {
				v = append(make(slots, 0, len(old)+1), old...)
			}
			v[i].refs = r
		}
	}
	if len(v) > 0 && &v[0] != &old[0] {
		s.put(o, v)
	}
}

// joinInto adds everything t holds to s, and reports whether s changed. A slot that one side never wrote holds, on that side,
// what was there on entry.
func (f *frame) joinInto(s, t *state) bool { return f.joinAround(s, t, nil) }

// joinAround is joinInto for a state that comes around the loop which begins at head; nil for other joins.
func (f *frame) joinAround(s, t *state, head *ssa.BasicBlock) bool {
	changed := false
	for i, q := range t.pages {
		if q == nil {
			continue
		}
		for i >= len(s.pages) {
			s.pages = append(s.pages, nil)
		}
		if s.pages[i] == q {
			continue
		}
		for j := range pageSize {
			if !q.here[j] {
				continue
			}
			o := f.objects[i*pageSize+j]
			here, ok := s.get(o)
			there := q.slots[j]
			if !ok {
				if o.kind == entry || o.deep {
					there = f.filled(o, there, nil)
				}
				s.put(o, there)
				changed = true
				continue
			}
			if sameSlots(here, there) {
				continue
			}
			joined := f.joinSlots(o, here, there, head)
			if !equalSlots(here, joined) {
				s.put(o, joined)
				changed = true
			}
		}
	}
	// Slots that only s has: t holds the entry content there.
	for i, p := range s.pages {
		if p == nil || i < len(t.pages) && t.pages[i] == p {
			continue
		}
		for j := range pageSize {
			if !p.here[j] || i < len(t.pages) && t.pages[i] != nil && t.pages[i].here[j] {
				continue
			}
			o := f.objects[i*pageSize+j]
			if o.kind != entry && !o.deep {
				continue
			}
			here, _ := s.get(o)
			joined := f.filled(o, here, nil)
			if !equalSlots(here, joined) {
				s.put(o, joined)
				changed = true
				p = s.pages[i]
			}
		}
	}
	return changed
}

func sameSlots(a, b slots) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func equalSlots(a, b slots) bool {
	if len(a) != len(b) {
		return false
	}
	if sameSlots(a, b) {
		return true
	}
	for i := range a {
		j := i
		if b[j].path != a[i].path {
			if j = b.find(a[i].path); j < 0 {
				return false
			}
		}
		if !a[i].refs.equal(b[j].refs) {
			return false
		}
	}
	return true
}

func (f *frame) joinSlots(o *object, a, b slots, head *ssa.BasicBlock) slots {
	out := f.filled(o, a, b)
	for _, s := range b {
		r := s.refs
		if a.find(s.path) < 0 {
			r = r.union(f.initial(o, s.path, nil))
		}
		if i := out.find(s.path); i >= 0 {
			if head != nil {
				r = r.aged(out[i].refs, f.age(ageKey{head, o, s.path}))
			}
			out[i].refs = out[i].refs.union(r)
		} else {
			out = append(out, slot{s.path, r})
		}
	}
	return out
}

// filled returns a copy of a in which slots that b lacks also hold the entry content.
func (f *frame) filled(o *object, a, b slots) slots {
	out := append(make(slots, 0, len(a)+len(b)), a...)
	for i := range out {
		if b.find(out[i].path) < 0 {
			out[i].refs = out[i].refs.union(f.initial(o, out[i].path, nil))
		}
	}
	return out
}
