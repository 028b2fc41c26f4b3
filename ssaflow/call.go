package ssaflow

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// site of a call, as the callee's fresh objects and the engine's messages need it.
type callSite struct {
	instr ssa.CallInstruction
	tag   string // which of the calls made there: alternatives and slots of callees
	pos   token.Pos
	depth int
	// outer and inner tell the way to a call that a callee left to its caller: into the callee, and the call there.
	outer []Step
	inner token.Pos
	// chain are the calls whose slots lead here.
	chain []target
	// many is true where one call of the function around makes the call several times.
	many bool
}

// recurs reports whether a function calls itself through a slot: a closure through the variable that holds it. What it does in the
// second round with the memory it is given it does in all further ones. With other memory, as when each of several closures of one
// function calls the next, it is no such round.
func (s callSite) recurs(t *target) bool {
	if t.fn == nil {
		return false
	}
	n := 0
	for i := range s.chain {
		if c := &s.chain[i]; c.fn == t.fn && coverAll(c.args, t.args) && coverAll(c.binds, t.binds) {
			n++
		}
	}
	return n >= 2
}

// coverAll reports whether values lead to all the objects that other values lead to.
func coverAll(a, b []value) bool {
	for i, v := range b {
		if i >= len(a) {
			return len(v) == 0
		}
		for _, l := range v {
			have := a[i].at(l.path)
			for _, r := range l.refs {
				if !slices.ContainsFunc(have, func(x ref) bool { return x.o == r.o && x.path == r.path }) {
					return false
				}
			}
		}
	}
	return true
}

// at is the position of the call itself, for the steps of a witness.
func (f *frame) atCall(s callSite) token.Pos {
	if s.inner.IsValid() {
		return s.inner
	}
	return f.at(s.pos)
}

func (s callSite) sub(tag string) callSite {
	s.tag += tag
	s.depth++
	return s
}

// target is one function that a call can reach.
type target struct {
	name  string
	sum   *Summary // nil: not known yet, inside a recursion
	fn    *ssa.Function
	args  []value
	types []types.Type // of the arguments, where known
	binds []value
	targs []types.Type // of the callee, or of the generic function around it
}

// call interprets a call statement or expression and reports whether it returns.
func (f *frame) call(st *state, v *ssa.Call) bool {
	results, returns := f.invoke(st, v, &v.Call, "")
	if !returns {
		return false
	}
	if t, ok := v.Type().(*types.Tuple); ok {
		for len(results) < t.Len() {
			results = append(results, nil)
		}
		f.setTuple(v, results)
		return true
	}
	if len(results) > 0 {
		f.setReg(v, results[0])
	} else {
		f.setReg(v, nil)
	}
	return true
}

// resultTypes are the types of a call's results, as the caller sees them.
func resultTypes(c *ssa.CallCommon, instr ssa.CallInstruction) []types.Type {
	if v := instr.Value(); v != nil {
		if t, ok := v.Type().(*types.Tuple); ok {
			return tupleTypes(t)
		}
		return []types.Type{v.Type()}
	}
	return tupleTypes(c.Signature().Results())
}

func tupleTypes(t *types.Tuple) []types.Type {
	list := make([]types.Type, t.Len())
	for i := range list {
		list[i] = t.At(i).Type()
	}
	return list
}

// invoke applies a call to the state.
func (f *frame) invoke(st *state, instr ssa.CallInstruction, c *ssa.CallCommon, tag string) ([]value, bool) {
	pos := position(instr)
	if c.Pos().IsValid() {
		pos = c.Pos()
	}
	site := callSite{instr: instr, tag: tag, pos: pos}
	args := make([]value, len(c.Args))
	argTypes := make([]types.Type, len(c.Args))
	for i, a := range c.Args {
		args[i] = f.getIn(a, instr.Block())
		argTypes[i] = a.Type()
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return f.builtin(st, instr, b, c, args), true
	}
	f.noteFuncs(st, instr, c, args)
	res := resultTypes(c, instr)
	if c.IsInvoke() {
		recv := f.getIn(c.Value, instr.Block())
		f.noteMethods(instr, recv.at(""), c.Method)
		return f.invokeMethod(st, site, recv, c.Value.Type(), c.Method, args, argTypes, res)
	}
	if fn := c.StaticCallee(); fn != nil {
		if _, closure := c.Value.(*ssa.MakeClosure); !closure {
			t := f.target(fn, args, argTypes)
			if f.e.calls != nil && len(fn.Blocks) == 0 {
				if obj, ok := t.fn.Object().(*types.Func); ok {
					t.sum = f.e.calls.Call(instr, obj, t.sum)
				}
			}
			return f.apply(st, site, t, res)
		}
	}
	fns := f.getIn(c.Value, instr.Block()).at("")
	f.noteCallees(instr, fns)
	return f.callValue(st, site, fns, args, argTypes, res, dynamicName(c.Value))
}

// dynamicName is how the source speaks of a function value.
func dynamicName(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return v.Name()
	case *ssa.UnOp:
		return dynamicName(v.X)
	case *ssa.Global:
		return v.Name()
	case *ssa.FieldAddr:
		if p, ok := v.X.Type().Underlying().(*types.Pointer); ok {
			if s, ok := p.Elem().Underlying().(*types.Struct); ok {
				return s.Field(v.Field).Name()
			}
		}
	case *ssa.Lookup:
		return elementName(v.X)
	case *ssa.IndexAddr:
		return elementName(v.X)
	case *ssa.Extract:
		return dynamicName(v.Tuple)
	case *ssa.Alloc:
		if v.Comment != "" {
			return v.Comment
		}
	}
	return unnamed
}

func elementName(v ssa.Value) string {
	if name := dynamicName(v); name != unnamed {
		return "an element of " + name
	}
	return unnamed
}

// unnamed is a function that the source gives no name.
const unnamed = "function value"

// target describes a static call.
func (f *frame) target(fn *ssa.Function, args []value, argTypes []types.Type) target {
	t := target{sum: f.e.instance(fn), fn: fn, args: args, types: argTypes}
	if fn.Origin() != nil {
		t.fn, t.targs = fn.Origin(), f.argsOf(fn)
	}
	t.name = funcName(t.fn)
	return t
}

// funcName is the function as a user writes it in a call: method and function names without package, literals by place.
func funcName(fn *ssa.Function) string {
	if o := fn.Object(); o != nil {
		return o.Name()
	}
	if fn.Parent() != nil {
		return "function literal"
	}
	return fn.Name()
}

// callValue calls whatever function a value can be.
func (f *frame) callValue(st *state, site callSite, fns refs, args []value, argTypes, res []types.Type, name string) ([]value, bool) {
	var alts []func(*state, callSite) ([]value, bool)
	unknown := len(fns) == 0
	for _, r := range fns {
		o := r.o
		switch {
		case o.fn != nil || o.sum != nil:
			alts = append(alts, func(st *state, s callSite) ([]value, bool) {
				return f.apply(st, s, f.closureTarget(st, o, args, argTypes), res)
			})
		case o.kind == entry && o.root.Kind == Global:
			list, complete := f.e.globals.at(o.root, o.base)
			for _, g := range list {
				alts = append(alts, func(st *state, s callSite) ([]value, bool) {
					return f.apply(st, s, target{name: name, sum: g.summary(f.e), fn: g.fn, args: args, types: argTypes, targs: g.targs}, res)
				})
			}
			unknown = unknown || !complete
		case o.kind == entry && site.depth < 4:
			alts = append(alts, func(st *state, s callSite) ([]value, bool) {
				return f.leaveToCaller(st, s, r, "", nil, args, res, name)
			})
		default:
			unknown = true
		}
	}
	if unknown {
		alts = append(alts, func(st *state, s callSite) ([]value, bool) {
			f.flag(Unresolved, name, s.pos)
			return f.applyTop(st, s, name, args, res), true
		})
	}
	return f.alternatives(st, site, alts)
}

// closureTarget binds the free variables of a function object.
func (f *frame) closureTarget(st *state, o *object, args []value, argTypes []types.Type) target {
	f.given(o, args)
	t := target{args: args, types: argTypes}
	if o.fn != nil {
		t = f.target(o.fn, args, argTypes)
	} else {
		t.sum, t.name = o.sum, o.sum.Name
	}
	t.targs = o.targs
	held, _ := st.get(o)
	for _, s := range held {
		if !strings.HasPrefix(s.path, "#") {
			continue
		}
		step, rest := cutStep(s.path)
		i, err := strconv.Atoi(step[1:])
		if err != nil {
			continue
		}
		for len(t.binds) <= i {
			t.binds = append(t.binds, nil)
		}
		t.binds[i] = t.binds[i].add(rest, s.refs)
	}
	return t
}

// alternatives joins the outcomes of calls of which one happens.
func (f *frame) alternatives(st *state, site callSite, alts []func(*state, callSite) ([]value, bool)) ([]value, bool) {
	if len(alts) == 1 {
		return alts[0](st, site)
	}
	const maxAlternatives = 16
	var out []value
	var after *state
	for i, alt := range alts {
		if i >= maxAlternatives {
			f.flag(Unresolved, "function value", site.pos)
			break
		}
		s := st.fork()
		res, returns := alt(s, site.sub("a"+strconv.Itoa(i)))
		if !returns {
			continue
		}
		if after == nil {
			after = s
		} else {
			f.joinInto(after, s)
		}
		for len(out) < len(res) {
			out = append(out, nil)
		}
		for j := range res {
			out[j] = out[j].join(res[j])
		}
	}
	if after == nil {
		return nil, false
	}
	*st = *after.fork()
	return out, true
}

// invokeMethod calls a method of an interface value, or of a value of a type parameter.
func (f *frame) invokeMethod(st *state, site callSite, recv value, recvType types.Type, m *types.Func, args []value, argTypes, res []types.Type) ([]value, bool) {
	var alts []func(*state, callSite) ([]value, bool)
	static := func(t types.Type, recv value) bool {
		fn := f.e.method(t, m)
		if fn == nil {
			return false
		}
		all := append([]value{recv}, args...)
		ts := withType(t, argTypes, len(args))
		alts = append(alts, func(st *state, s callSite) ([]value, bool) {
			callee := f.target(fn, all, ts)
			if callee.targs == nil {
				callee.targs = argsOfType(t)
			}
			return f.apply(st, s, callee, res)
		})
		return true
	}
	if p, ok := types.Unalias(recvType).(*types.TypeParam); ok && f.targs[p] != nil {
		recvType = f.targs[p]
		recv = f.fit(st, recv, recvType)
	}
	// A value whose type is known by now, although the callee that asks did not know it: a type argument.
	if concrete(recvType) {
		if static(recvType, recv) {
			return f.alternatives(st, site, alts)
		}
	}
	if p, ok := types.Unalias(recvType).(*types.TypeParam); ok && site.depth < 4 && f.e.external(m) == nil {
		if i := f.typeArg(p); i >= 0 {
			return f.leaveTyped(st, site, i, recv, m, args, res)
		}
	}
	seen := map[string]bool{}
	unknown := false
	rs := recv.at("")
	for _, r := range rs {
		t := f.dynamicType(r, m)
		if concrete(t) {
			one := refs{r}
			if seen[t.String()] {
				continue
			}
			seen[t.String()] = true
			for _, x := range rs {
				if x.o != r.o && sameType(x.dyn, t) {
					one = one.union(refs{x})
				}
			}
			v := single(one)
			if !IsReference(t) {
				v = f.loadValue(st, one, t)
			}
			if static(t, v) {
				continue
			}
		}
		known := false
		if row := r.o.methodRow(m.Name()); row != nil && t == nil {
			v := single(refs{r})
			if row.boxed {
				v, _ = f.deref(st, refs{r})
			}
			alts = append(alts, func(st *state, s callSite) ([]value, bool) {
				return f.apply(st, s, target{name: m.Name(), sum: row.Summary, args: append([]value{v}, args...), types: withType(nil, argTypes, len(args))}, res)
			})
			continue
		}
		if t == nil && r.o.kind == entry && r.o.root.Kind == Global {
			types := f.e.globals.typesAt(r.o.root, r.o.base)
			resolved := len(types) > 0
			for _, t := range types {
				v := single(refs{r})
				if !IsReference(t) {
					v = f.loadValue(st, refs{r}, t)
				}
				resolved = static(t, v) && resolved
			}
			if resolved {
				continue
			}
		}
		// given is true where the caller may know the type.
		given := r.o.kind == entry && r.o.root.Kind != Global && site.depth < 4
		if sum := f.e.external(m); sum != nil && !sum.Top {
			ask, leave := !f.e.cfg.Terse && custom(m), given
			alts = append(alts, func(st *state, s callSite) ([]value, bool) {
				all := append([]value{single(refs{r})}, args...)
				out, returns := f.apply(st, s, target{name: m.Name(), sum: sum, args: all, types: withType(recvType, argTypes, len(args))}, res)
				switch {
				case !ask:
				case leave:
					more, _ := f.leaveToCaller(st, s, r, m.Name(), m, args, res, m.Name())
					for i := range out {
						out[i] = out[i].join(more[i])
					}
				case r.o.kind != made && !ofStd(r.o.root):
					f.flag(Unresolved, m.Name(), s.pos)
				}
				return out, returns
			})
			known, given = true, false
		} else if list := f.e.implementers(recvType); len(list) > 0 {
			for _, t := range list {
				v := single(refs{r})
				if !IsReference(t) {
					v = f.loadValue(st, refs{r}, t)
				}
				if !seen["cha "+t.String()] && static(t, v) {
					seen["cha "+t.String()] = true
				}
			}
			known = f.e.closed(types.Unalias(recvType).(*types.Named))
		}
		if !known && given {
			alts = append(alts, func(st *state, s callSite) ([]value, bool) {
				return f.leaveToCaller(st, s, r, m.Name(), m, args, res, m.Name())
			})
			known = true
		}
		unknown = unknown || !known
	}
	if unknown || len(alts) == 0 {
		all := append([]value{recv}, args...)
		sum := f.e.external(m)
		alts = append(alts, func(st *state, s callSite) ([]value, bool) {
			if sum != nil && !sum.Top {
				return f.apply(st, s, target{name: m.Name(), sum: sum, args: all, types: withType(recvType, argTypes, len(args))}, res)
			}
			f.flag(Unresolved, m.Name(), s.pos)
			return f.applyTop(st, s, m.Name(), all, res), true
		})
	}
	return f.alternatives(st, site, alts)
}

// applyTop calls a function nothing is known of.
func (f *frame) applyTop(st *state, site callSite, name string, args []value, res []types.Type) []value {
	f.unseen(st, args, name, site.pos, nil, true)
	for _, e := range f.mayRun(st, site, args, func(int, int, leafType) refs { return f.unknown(nil) }) {
		e.Kind, e.Op, e.Definite = Unseen, name, false
		f.effects.add(e, site.pos)
	}
	return f.unknownResults(res, site, name)
}

func (f *frame) unknownResults(res []types.Type, site callSite, name string) []value {
	why := f.then(nil, Step{Kind: Handed, Pos: f.at(site.pos), Callee: name})
	out := make([]value, len(res))
	for i, t := range res {
		for _, leaf := range f.e.types.leavesOf(t) {
			out[i] = append(out[i], leafRefs{leaf.path, f.unknown(why)})
		}
	}
	return out
}

// withType prepends the receiver's type; types of arguments may be missing altogether.
func withType(recv types.Type, args []types.Type, n int) []types.Type {
	list := make([]types.Type, 1, n+1)
	list[0] = recv
	for i := range n {
		if i < len(args) {
			list = append(list, args[i])
		} else {
			list = append(list, nil)
		}
	}
	return list
}
