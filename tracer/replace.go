package tracer

import "slices"

// Replace puts other integers in place of symbols; those that to lacks stay.
func (a Int) Replace(to map[string]Int) Int { return a.replace(to) }

// Replace returns m with other integers in place of symbols.
func (m Meta) Replace(to map[string]Int) Meta {
	if !m.IsSymbolic() {
		return m
	}
	return m.replace(to)
}

// Replace returns the attributes with other integers in place of symbols. An attribute whose integers are then constant
// is an int or []int.
func (a Attrs) Replace(to map[string]Int) Attrs {
	if !a.Symbolic() {
		return a
	}
	return a.replace(to)
}

// Symbolic reports whether an attribute is one that may mention symbols.
func (a Attrs) Symbolic() bool {
	return slices.ContainsFunc(a, func(a Attr) bool {
		switch a.Value.(type) {
		case Int, []Int:
			return true
		}
		return false
	})
}

// replace puts other integers in place of symbols in everything that the graph says.
func (g *Graph) replace(to map[string]Int) {
	for _, list := range [][]*Node{g.Inputs, g.Constants, g.Nodes} {
		for _, n := range list {
			n.Meta = n.Meta.replace(to)
			n.Attrs = n.Attrs.replace(to)
			for _, body := range n.Graphs {
				body.replace(to)
			}
		}
	}
	for i := range g.Guards {
		c := &g.Guards[i].Cond
		c.A, c.B = c.A.replace(to), c.B.replace(to)
	}
}

func (m Meta) replace(to map[string]Int) Meta {
	if m.Int != nil {
		i := m.Int.replace(to)
		m.Int = &i
	}
	m.Shape = slices.Clone(m.Shape)
	for i, d := range m.Shape {
		m.Shape[i] = d.replace(to)
	}
	m.Elems = slices.Clone(m.Elems)
	for i, e := range m.Elems {
		m.Elems[i] = e.replace(to)
	}
	return m
}

func (a Attrs) replace(to map[string]Int) Attrs {
	a = slices.Clone(a)
	for i := range a {
		switch v := a[i].Value.(type) {
		case Int:
			a[i].Value = plainInt(v.replace(to))
		case []Int:
			v = slices.Clone(v)
			for k := range v {
				v[k] = v[k].replace(to)
			}
			a[i].Value = plainInts(v)
		}
	}
	return a
}

// plainInt is the value of an attribute: an int where i is constant.
func plainInt(i Int) any {
	if n, ok := i.Const(); ok {
		return n
	}
	return i
}

// plainInts is the value of an attribute: an []int where the list is constant.
func plainInts(list []Int) any {
	plain := make([]int, len(list))
	for k, i := range list {
		n, ok := i.Const()
		if !ok {
			return list
		}
		plain[k] = n
	}
	return plain
}

// IntAttr is an attribute that may be symbolic: an int where i is constant.
func IntAttr(key string, i Int) Attr { return Attr{key, plainInt(i)} }

// IntsAttr is a list attribute that may be symbolic: an []int where all of list are constant.
func IntsAttr(key string, list []Int) Attr { return Attr{key, plainInts(list)} }
