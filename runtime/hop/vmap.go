package hop

import (
	"math"
	"slices"

	"github.com/hoplint/hoplint/runtime/internal/pytree"
	"github.com/hoplint/hoplint/tracer"
)

// NoAxis marks a leaf that is not batched: in [InAxes] every lane gets all of it, in [OutAxes] a result is given once.
const NoAxis = math.MinInt

// InAxes says along which axis of each leaf of the argument a [VMap] takes its lanes, in flattening order; one axis
// stands for all leaves. The default is 0. A negative axis counts from the end; see [NoAxis].
func InAxes(axes ...int) Option { return option{"InAxes", func(o *options) { o.inAxes = axes }} }

// OutAxes says at which axis of each leaf of the result a [VMap] puts the lanes, in flattening order; one axis stands
// for all leaves. The default is 0. A leaf with [NoAxis] must not depend on the lane.
func OutAxes(axes ...int) Option { return option{"OutAxes", func(o *options) { o.outAxes = axes }} }

// VMap returns f for many arguments at once: a function that takes x with one axis more, applies f to every lane along
// it, and returns the results with that axis more.
//
// Shapes: see [InAxes] and [OutAxes]; f sees one lane, without the axis. All batched leaves are equally long. No lanes
// give results without elements.
// Aliasing: results share no storage with x or captured tensors; f must not write or return them (HOP102–HOP303).
// Options: [InAxes], [OutAxes], [Stepwise], [Observe], [WithContext], [Progress].
// Errors: panics with *[Error]; see [Try].
// Gradient: lane by lane; leaves that are not batched and captured tensors get the sum over the lanes. A branch that a
// lane does not take contributes nothing to it.
// Source: jax.vmap.
//
//hop:body f(x)
func VMap[X, Y any](f func(X) Y, opts ...Option) func(X) Y {
	return func(x X) Y {
		h := begin("VMap", opts, "InAxes", "OutAxes", "Stepwise", "Observe", "WithContext", "Progress")
		if f == nil {
			h.misuse("function is nil; pass a func(x) y")
		}
		spec := &h.contract.Bodies[0]
		v := &vmapping{hopCall: h, x: h.flatten(x, spec.In[0], "x")}
		v.split()
		v.body = &body{spec: spec, pos: h.sourceOf(f)}
		v.body.run = func(ins [][]*Tensor) (outs, touched []group) {
			lane := pytree.Unflatten[X](v.x.tree, v.merge(ins[0], ins[1]))
			y := f(lane)
			after := h.flatten(lane, spec.In[0], "x")
			touched = []group{after, after}
			if len(v.x.tree.Diff(after.tree)) == 0 {
				touched[0].leaves, touched[1].leaves = v.parts(after.leaves)
			} else {
				touched[1] = v.whole // the difference is told once
				touched[1].leaves = ins[1]
			}
			return []group{h.flatten(y, spec.Out[0], "y")}, touched
		}
		results := h.execute(v.x.leaves, v.stepwise, v.traced)
		return pytree.Unflatten[Y](v.y.tree, results)
	}
}

// vmapping is a call of a function that VMap returned, on flat leaves.
type vmapping struct {
	*hopCall
	body  *body
	x     group
	lanes slicedGroup // the batched leaves
	whole group       // the others
	index []int       // of each leaf of x: its position among the batched leaves, or ^position among the others
	y     group       // of one lane; found by running the body
}

// axesFor returns the axis of each of n leaves.
func (h *hopCall) axesFor(name string, axes []int, n int) []int {
	switch {
	case len(axes) == 0:
		return make([]int, n)
	case len(axes) == 1:
		return slices.Repeat(axes, n)
	case len(axes) != n:
		h.misuse("%s gives %d axes to %d leaves; give one to each, or one for all", name, len(axes), n)
	}
	return axes
}

// split sorts the leaves of x into batched ones and others.
func (v *vmapping) split() {
	axes := v.axesFor("InAxes", v.opts.inAxes, len(v.x.leaves))
	v.lanes.group = group{slot: v.x.slot, tree: v.x.tree}
	v.whole = group{slot: v.x.slot, tree: v.x.tree}
	first := ""
	for i, t := range v.x.leaves {
		if axes[i] == NoAxis {
			v.index = append(v.index, ^len(v.whole.leaves))
			v.whole.leaves, v.whole.paths = append(v.whole.leaves, t), append(v.whole.paths, v.x.paths[i])
			continue
		}
		leaf := "x" + v.x.paths[i]
		d, ok := normalDim(axes[i], t.Rank())
		if !ok {
			v.misuse("%s is %s, which has no axis %d to take lanes along; pass another axis, or NoAxis", leaf, describe(t.meta()), axes[i])
		}
		if n := t.meta().Shape[d]; first == "" {
			first, v.lanes.size, v.lanes.length = leaf, n, t.shape[d]
		} else if c := (&inference{sizes: traceOf(v.x.leaves)}); !c.sameSize(n, v.lanes.size) {
			v.misuse("%s has %v lanes (%s, axis %d), %s has %v; make all batched leaves equally long", leaf, n, describe(t.meta()), d, first, v.lanes.size)
		}
		v.index = append(v.index, len(v.lanes.leaves))
		v.lanes.leaves, v.lanes.paths = append(v.lanes.leaves, t), append(v.lanes.paths, v.x.paths[i])
		v.lanes.axes = append(v.lanes.axes, d)
	}
	if first == "" {
		v.misuse("no leaf of x is batched, so there are no lanes; give InAxes an axis for at least one leaf")
	}
}

// merge puts leaves of both kinds into the order of x.
func (v *vmapping) merge(lanes, whole []*Tensor) []*Tensor {
	all := make([]*Tensor, len(v.index))
	for i, k := range v.index {
		if k >= 0 {
			all[i] = lanes[k]
		} else {
			all[i] = whole[^k]
		}
	}
	return all
}

// parts is the inverse of merge.
func (v *vmapping) parts(all []*Tensor) (lanes, whole []*Tensor) {
	for i, k := range v.index {
		if k >= 0 {
			lanes = append(lanes, all[i])
		} else {
			whole = append(whole, all[i])
		}
	}
	return lanes, whole
}

func (v *vmapping) stepwise(g *tag) []*Tensor {
	if v.lanes.length == 0 {
		return v.withoutSteps(v.traced, g)
	}
	stack := newStack(v.hopCall, v.body, v.lanes.length)
	var needed []*Tensor
	for i := range v.lanes.length {
		r := v.newStep(v.body, i, g)
		lane := v.lanes.group
		lane.leaves = v.lanes.at(i)
		outs := r.call([]group{lane, v.whole}, [][]*Tensor{r.give(lane), r.give(v.whole)})
		needed = append(needed, r.needed...)
		stack.put(r, i, &outs[0])
		v.long.done(i+1, v.lanes.length)
	}
	v.y = stack.first
	results := stack.results()
	out := v.axesFor("OutAxes", v.opts.outAxes, len(results))
	for j, t := range results {
		if out[j] != NoAxis {
			continue
		}
		for i := 1; i < v.lanes.length; i++ {
			if !sameElements(t.Select(0, 0), t.Select(0, i)) {
				v.dependsOnLane(j)
			}
		}
	}
	results = v.placed(results, out)
	gate(results, slices.Concat(v.x.leaves, needed))
	return results
}

// dependsOnLane refuses a result that is to be given once.
func (v *vmapping) dependsOnLane(j int) {
	v.misuse("y%s depends on the lane and cannot be given once; give it an axis in OutAxes", v.y.paths[j])
}

// sameElements compares two concrete tensors of one type bit by bit.
func sameElements(t, u *Tensor) bool {
	return slices.Equal(contiguousCopy(t).storage.bytes(), contiguousCopy(u).storage.bytes())
}

// placed moves the lanes of each stacked result to its axis.
func (v *vmapping) placed(results []*Tensor, out []int) []*Tensor {
	for j, t := range results {
		if out[j] == NoAxis {
			if v.lanes.length == 0 {
				v.misuse("y%s is to be given once and there are no lanes", v.y.paths[j])
			}
			results[j] = t.Select(0, 0).Clone()
			continue
		}
		d, ok := normalDim(out[j], t.Rank())
		if !ok {
			v.misuse("y%s has %d dims with its lanes, so it has no axis %d", v.y.paths[j], t.Rank(), out[j])
		}
		if d != 0 {
			results[j] = moveAxis(t, 0, d).Clone()
		}
	}
	return results
}

func (v *vmapping) traced(m *hopTrace) []*Tensor {
	b, outs := v.trace(m, v.body, []group{v.lanes.group, v.whole}, [][]tracer.Meta{v.lanes.metas(), leafMetas(v.whole.leaves)})
	v.y = outs[0]
	m.stackable(v.hopCall, &v.y, "y")
	out := v.axesFor("OutAxes", v.opts.outAxes, len(v.y.leaves))
	varies := dependents(b.Graph, b.Graph.Inputs[:len(v.lanes.leaves)])
	for j, o := range b.Graph.Outputs {
		if out[j] == NoAxis && varies[o] {
			v.dependsOnLane(j)
		}
	}
	attrs := tracer.Attrs{{Key: "n_xs", Value: len(v.lanes.leaves)}, tracer.IntAttr("length", v.lanes.size)}
	meta := tuple(stackedMetas(leafMetas(v.y.leaves), v.lanes.size))
	ins := append(v.lanes.inputs(m, "x", false), m.inputs(v.whole.leaves, "x")...)
	return v.placed(m.hop("vmap", []*tracer.Body{b}, ins, attrs, meta, v.pos), out)
}

// dependents are the nodes of g that are computed from one of the given inputs, these included.
func dependents(g *tracer.Graph, inputs []*tracer.Node) map[*tracer.Node]bool {
	set := map[*tracer.Node]bool{}
	for _, n := range inputs {
		set[n] = true
	}
	for _, n := range g.Nodes {
		set[n] = slices.ContainsFunc(n.Args, func(a *tracer.Node) bool { return set[a] })
	}
	return set
}
