package tracer

import "slices"

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
			a[i].Value = v.replace(to)
		case []Int:
			v = slices.Clone(v)
			for k := range v {
				v[k] = v[k].replace(to)
			}
			a[i].Value = v
		}
	}
	return a
}
