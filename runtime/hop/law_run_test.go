package hop_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hoplint/hoplint/runtime/hop"
)

// The programs of the law on tensors: the same registers, with operators of the library.

// lawRun runs a program's bodies on tensors.
type lawRun struct {
	outer []hop.Option // of the operators outside of bodies
	// guarded has every outermost operator that is refused checked for what it left behind; broken is what it changed.
	guarded bool
	broken  error
}

// function is the program as a Go function of its inputs; captured are its captured tensors.
func (p *lawProgram) function(r *lawRun, captured []T) func(x lawTree) lawTree {
	return func(x lawTree) lawTree {
		return pack(p.forms[1], r.block(p.body, slices.Concat(captured, unpack(x, len(p.inputs))), true))
	}
}

func (r *lawRun) block(b *lawBlock, env []T, outer bool) []T {
	env = slices.Clip(env)
	for _, s := range b.stmts {
		if s.hop != nil {
			results := r.watched(s.hop, env, outer)
			for i, t := range results {
				for k, u := range slices.Concat(env, results[:i]) {
					if t.SharesStorage(u) {
						panic(fmt.Sprintf("result %d of %s shares storage with r%d", i, s.hop.kind, k))
					}
				}
			}
			env = append(env, results...)
			continue
		}
		args := make([]T, len(s.args))
		for i, reg := range s.args {
			args[i] = env[reg]
		}
		if s.write {
			lawOps[s.op].inPlace(args, s.at)
			continue
		}
		at := s.at
		if at.sizes != nil {
			at = at.on(env)
		}
		env = append(env, lawOps[s.op].hop(args, at))
	}
	outs := make([]T, len(b.outs))
	for i, o := range b.outs {
		if outs[i] = env[o.reg]; o.clone {
			outs[i] = outs[i].Clone()
		}
	}
	return outs
}

// watched is operator; when that is refused it looks whether the registers are as before.
func (r *lawRun) watched(h *lawHOP, env []T, outer bool) []T {
	if outer && r.guarded {
		kept, done := guard(env), false
		defer func() {
			if !done {
				r.broken = errors.Join(r.broken, kept.changed())
			}
		}()
		results := r.operator(h, env, outer)
		done = true
		return results
	}
	return r.operator(h, env, outer)
}

func (r *lawRun) operator(h *lawHOP, env []T, outer bool) []T {
	pick := func(form int, regs []int) lawTree {
		list := make([]T, len(regs))
		for i, reg := range regs {
			list[i] = env[reg]
		}
		return pack(form, list)
	}
	var opts []hop.Option
	if outer {
		opts = slices.Clone(r.outer)
	}
	option := func(given bool, o hop.Option) {
		if given {
			opts = append(opts, o)
		}
	}
	carry, xs := pick(h.forms[0], h.carry), pick(h.forms[1], h.xs)
	// body k takes its leaves and returns its results.
	body := func(k int, leaves ...T) []T { return r.block(h.bodies[k], slices.Concat(env, leaves), false) }
	// of is body k as a function of a structure of n leaves.
	of := func(k, n int) func(lawTree) lawTree {
		return func(x lawTree) lawTree { return pack(h.forms[2], body(k, unpack(x, n)...)) }
	}
	last := len(h.bodies) - 1
	results := func(y lawTree) []T { return unpack(y, len(h.bodies[last].outs)) }
	switch h.kind {
	case "scan":
		option(h.axis != 0, hop.Axis(h.axis))
		option(h.reverse, hop.Reverse())
		option(h.length >= 0, hop.Length(h.length))
		n := len(h.carry)
		c, ys := hop.Scan(func(c, x lawTree) (lawTree, lawTree) {
			outs := body(0, append(unpack(c, n), unpack(x, len(h.xs))...)...)
			return pack(h.forms[0], outs[:n]), pack(h.forms[2], outs[n:])
		}, carry, xs, opts...)
		return append(slices.Clip(unpack(c, n)), unpack(ys, len(h.bodies[0].outs)-n)...)
	case "map":
		option(h.axis != 0, hop.Axis(h.axis))
		option(h.batch > 0, hop.BatchSize(h.batch))
		return results(hop.Map(of(0, len(h.xs)), xs, opts...))
	case "vmap":
		opts = append(opts, hop.InAxes(h.axes...), hop.OutAxes(h.out...))
		return results(hop.VMap(of(0, len(h.xs)), opts...)(xs))
	case "associative_scan":
		option(h.axis != 0, hop.Axis(h.axis))
		option(h.reverse, hop.Reverse())
		n := len(h.xs)
		y := hop.AssociativeScan(func(a, b lawTree) lawTree {
			return pack(h.forms[1], body(0, append(unpack(a, n), unpack(b, n)...)...))
		}, xs, opts...)
		return unpack(y, n)
	case "cond":
		return results(hop.Cond(env[h.head], of(0, len(h.xs)), of(1, len(h.xs)), xs, opts...))
	case "switch":
		branches := make([]func(lawTree) lawTree, len(h.bodies))
		for k := range branches {
			branches[k] = of(k, len(h.xs))
		}
		return results(hop.Switch(env[h.head], branches, xs, opts...))
	case "while_loop":
		option(h.limit >= 0, hop.MaxSteps(h.limit))
		n := len(h.carry)
		c := hop.WhileLoop(func(c lawTree) T { return body(0, unpack(c, n)...)[0] },
			func(c lawTree) lawTree { return pack(h.forms[0], body(1, unpack(c, n)...)) }, carry, opts...)
		return unpack(c, n)
	case "for_loop":
		n := len(h.carry)
		c := hop.ForLoop(h.lower, h.upper, func(i T, c lawTree) lawTree {
			return pack(h.forms[0], body(0, append([]T{i}, unpack(c, n)...)...))
		}, carry, opts...)
		return unpack(c, n)
	case "checkpoint":
		return results(hop.Checkpoint(of(0, len(h.xs)))(xs))
	case "subgraph":
		f := hop.Subgraph("shared", of(0, len(h.xs)))
		outs := results(f(xs))
		if h.again != nil {
			outs = append(slices.Clip(outs), results(f(pick(h.forms[1], h.again)))...)
		}
		return outs
	}
	panic("no operator " + h.kind)
}

// lawLayouts is the number of ways in which inputs lie in memory.
const lawLayouts = 4

// tensor is the input as a tensor that lies in memory as its layout says.
func (in lawInput) tensor() T {
	n := in.typ
	whole := fromCells(n, in.values)
	switch rank := len(n.shape); {
	case in.layout == 1 && rank >= 2: // transposed
		return whole.Transpose(0, rank-1).Clone().Transpose(0, rank-1)
	case in.layout == 2 && rank >= 1: // a window inside a larger tensor
		return hop.Concat(0, whole, whole, whole).Narrow(0, n.shape[0], n.shape[0])
	case in.layout == 3 && rank >= 1: // every second element
		return hop.Stack(rank, whole, whole.Clone()).Select(rank, 0)
	}
	return whole
}

func (in lawInput) array() *lawArray {
	a := newLawArray(in.typ.dt, in.typ.shape)
	for k, v := range in.values {
		(*a.cells)[k] = constant(in.typ.dt, v)
	}
	return a
}

func fromCells(t lawType, values []float64) T {
	if elementsOf(t.shape) == 0 {
		return hop.Zeros(t.dt, t.shape...)
	}
	return hop.FromSlice(values).Reshape(t.shape...).To(t.dt)
}

func tensorsOf(list []lawInput) []T {
	out := make([]T, len(list))
	for i, in := range list {
		out[i] = in.tensor()
	}
	return out
}

func arraysOf(lists ...[]lawInput) []*lawArray {
	var out []*lawArray
	for _, list := range lists {
		for _, in := range list {
			out = append(out, in.array())
		}
	}
	return out
}
