package analyzer

import (
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// output is one tensor, or container of tensors, that a body returns.
type output struct {
	// result is the number of the result.
	result  int
	place   hopcheck.Place
	origins []ssaflow.Origin
	mayBe   bool // the contract lets it alias
	// told are elements that a container of the caller held before: that it is returned is told of the container.
	told bool
	// within are the fresh containers that lead to it, outermost first.
	within []container
}

func (o *output) target() target { return target{o.result, o.place.Path} }

// container is a fresh container that a place can refer to.
type container struct {
	path   string // of the place
	origin ssaflow.Origin
}

// shared returns the origin that two outputs have in common, as the second one got it, if they are places that exist side
// by side. For one output it is the origin that two of its elements hold.
func (a *analysisOf) shared(inside *contents, o, p *output) (ssaflow.Origin, bool) {
	if o == p {
		if strings.Contains(o.place.Path, "[]") {
			for _, origin := range o.origins {
				if origin.Twice || a.options.strict && origin.MayTwice {
					return origin, true
				}
			}
		}
		return ssaflow.Origin{}, false
	}
	if !o.beside(p) {
		return ssaflow.Origin{}, false
	}
	if origin, ok := share(o.origins, p.origins, a.options.strict); ok {
		return origin, true
	}
	if origin, ok := inside.elementOf(o, p, a.options.strict); ok {
		return origin, true
	}
	return inside.elementOf(p, o, a.options.strict)
}

// beside reports whether two outputs are different places of one value. They are not if they lie in containers of which
// only one is there, or if the path of one, with [] for any index, can mean the other.
func (o *output) beside(p *output) bool {
	if o.result != p.result {
		return true
	}
	for i := range min(len(o.within), len(p.within)) {
		c, d := o.within[i], p.within[i]
		switch {
		case c.path != d.path:
			return !samePlace(c.path, d.path)
		case c.origin.Ref.Root.Index != d.origin.Ref.Root.Index:
			return strings.Contains(c.path, "[]") && !c.origin.Excludes(d.origin)
		}
	}
	return !samePlace(o.place.Path, p.place.Path)
}

// toldAbove reports whether a pair of containers is told already of which the given ones are parts.
func (f *Finding) toldAbove(p hopcheck.Pair) bool {
	below := func(inner, outer hopcheck.Place) bool {
		return inner.Role == outer.Role && inner.Label == outer.Label && len(inner.Path) > len(outer.Path) && strings.HasPrefix(inner.Path, outer.Path)
	}
	return slices.ContainsFunc(f.Pairs, func(q hopcheck.Pair) bool { return below(p.Out, q.Out) && below(p.With, q.With) })
}

// samePlace reports whether two paths can name one place: equal but for indices, of which [] is any. Of paths of different
// length the shorter one names a container, which shares nothing with its own elements.
func samePlace(a, b string) bool {
	for a != "" && b != "" {
		var x, y string
		x, a = cutStep(a)
		y, b = cutStep(b)
		if x != y && !(x == "[]" && y[0] == '[') && !(y == "[]" && x[0] == '[') {
			return false
		}
	}
	return a == b
}

// share returns the origin that two outputs have in common, as the second one got it. An allocation or call that runs
// several times stands for many objects; it counts only in strict mode.
func share(a, b []ssaflow.Origin, strict bool) (ssaflow.Origin, bool) {
	for _, o := range a {
		for _, p := range b {
			if o.Shares(p) || strict && o.MayShare(p) {
				return p, true
			}
		}
	}
	return ssaflow.Origin{}, false
}

// outputs lists the leaves of all results, those inside of containers included that the body made or changed.
func (a *analysisOf) outputs(u *bodyUse, inside *contents, results [][]ssaflow.Leaf) []output {
	var outs []output
	for i, leaves := range results {
		slot := u.output(i)
		if slot.Role == hopcheck.NoRole {
			continue
		}
		for _, leaf := range leaves {
			inside.visit(leaf, nil, func(l ssaflow.Leaf, within []container, told bool) {
				if !u.inTree(0, i, l.Fields()) {
					return
				}
				outs = append(outs, output{result: i, origins: l.Origins, told: told, mayBe: u.call.contract.MayAlias(slot.Role), within: within,
					place: hopcheck.Place{Role: slot.Role, Label: slot.Label, Path: l.Fields(), Container: u.fn.returnsMany(i, l.Fields())}})
			})
		}
	}
	return outs
}

// contents knows what containers hold when a function returns: all of those that it made, and what it put into others.
type contents struct{ rows []ssaflow.StoreRow }

// maxContainers bounds containers within containers: a pytree is a tree, but a fresh list may hold itself.
const maxContainers = 6

// visit calls add with the leaf and, below it, the leaves that the containers it refers to hold.
func (c *contents) visit(leaf ssaflow.Leaf, within []container, add func(leaf ssaflow.Leaf, within []container, told bool)) {
	add(leaf, within, false)
	if len(within) == maxContainers {
		return
	}
	for i, o := range leaf.Origins {
		if slices.ContainsFunc(leaf.Origins[:i], func(p ssaflow.Origin) bool { return p.Ref.Root == o.Ref.Root && p.Ref.Path == o.Ref.Path }) {
			continue
		}
		for _, row := range c.rows {
			if row.Dst.Root != o.Ref.Root {
				continue
			}
			if o.Ref.Root.Kind == ssaflow.Fresh {
				inner := append(slices.Clone(within), container{leaf.Path, o})
				c.visit(ssaflow.Leaf{Path: leaf.Path + row.Dst.Path, Origins: row.Origins}, inner, add)
			} else if rest, ok := element(row.Dst, o.Ref); ok {
				// What the caller's container held before is told of the container.
				var put, held []ssaflow.Origin
				for _, p := range row.Origins {
					switch own := p.Ref.Root == row.Dst.Root && p.Ref.Path == row.Dst.Path+"*"; {
					case !own:
						put = append(put, p)
					case p.Twice || p.MayTwice:
						held = append(held, p)
					}
				}
				add(ssaflow.Leaf{Path: leaf.Path + rest, Origins: put}, within, false)
				if len(held) > 0 {
					add(ssaflow.Leaf{Path: leaf.Path + rest, Origins: held}, within, true)
				}
			}
		}
	}
}

// element returns the path that leads from a container to an element in it or to a part of one.
func element(r, container ssaflow.Ref) (string, bool) {
	rest, ok := strings.CutPrefix(r.Path, container.Path)
	return rest, ok && r.Root == container.Root && strings.HasPrefix(rest, "[")
}

// elementOf returns the origin of p that is an element of a container which o is and whose elements are not known one by
// one: whichever element it is, both outputs hold it. One that the body may have replaced before counts only in strict
// mode.
func (c *contents) elementOf(o, p *output, strict bool) (ssaflow.Origin, bool) {
	if o.result == p.result && strings.HasPrefix(p.place.Path, o.place.Path) {
		return ssaflow.Origin{}, false // its own element
	}
	for _, held := range o.origins {
		if !held.Unique {
			continue
		}
		for _, e := range p.origins {
			if _, ok := element(e.Ref, held.Ref); ok && (strict || !c.replaced(e.Ref)) || c.element(e, held) {
				return e, true
			}
		}
	}
	return ssaflow.Origin{}, false
}

// element reports whether e is what the places of a container still hold that was made by unseen code.
func (c *contents) element(e, container ssaflow.Origin) bool {
	return container.Deep && slices.ContainsFunc(c.rows, func(row ssaflow.StoreRow) bool {
		_, ok := element(row.Dst, container.Ref)
		return ok && len(row.Origins) == 1 && row.Origins[0].Ref == e.Ref
	})
}

// replaced reports whether the function stores to the place that a pointer was read from.
func (c *contents) replaced(r ssaflow.Ref) bool {
	return slices.ContainsFunc(c.rows, func(row ssaflow.StoreRow) bool {
		return row.Dst.Root == r.Root && strings.HasPrefix(r.Path, row.Dst.Path)
	})
}
