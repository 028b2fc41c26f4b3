package ssaflow

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// slot calls what the callee left to its caller.
func (in *instance) slot(st *state, i int) {
	f := in.f
	row := &in.t.sum.Slots[i]
	callee, typ := in.resolve(st, row.Callee)
	given := make([]value, len(row.Args))
	sig := slotSignature(row, callee, typ)
	typed := row.Callee.Root.Kind == TypeArg
	if typed {
		typ = in.typeArg(row.Callee.Root.Index)
		if m := in.methodOf(row, nil, typ); m != nil {
			sig = withReceiver(m.Signature(), typ)
		}
	}
	own := row.Repeats && in.givesItself(row, i)
	if own {
		in.slotRes[i] = []value{} // the first call is given no result of an earlier one
	}
	read := func(st *state) {
		for j, leaves := range row.Args {
			var arg gathered
			for _, l := range leaves {
				arg.part(l.Path, nil)
				for _, o := range l.Origins {
					in.origin(st, o, nil, &arg)
				}
			}
			val := arg.val
			t := slotParam(sig, callee, j)
			if t == nil && j < len(row.Types) {
				t = row.Types[j]
			}
			if concrete(t) {
				val = f.fit(st, val, t)
			} else {
				val = val.bounded()
			}
			given[j] = given[j].join(val)
		}
	}
	read(st)
	var res []types.Type
	if sig != nil {
		res = tupleTypes(sig.Results())
	}
	site := in.site.sub("s" + strconv.Itoa(i) + ".")
	site.many = site.many || row.Repeats
	site.chain = append(site.chain[:len(site.chain):len(site.chain)], in.t)
	if !isWrapper(in.t.fn) {
		site.outer = in.site.way(Step{Kind: Pass, Pos: f.atCall(in.site), Callee: in.t.name})
		site.inner = token.NoPos
		if in.inner {
			site.inner = row.Pos
			site.outer = append(site.outer, row.way...)
		}
	}
	args := given
	receive := func() {
		if typed && len(given) > 0 {
			callee, args = given[0], given[1:]
		}
	}
	receive()
	once := func(st *state) []value {
		var out []value
		if m := in.methodOf(row, callee, typ); m != nil {
			out, _ = f.invokeMethod(st, site, callee, typ, m, args, nil, tupleTypes(m.Type().(*types.Signature).Results()))
		} else if row.Method != "" {
			f.flag(Unresolved, row.Method, site.pos)
			out = f.applyTop(st, site, row.Method, append([]value{callee}, args...), res)
		} else {
			out, _ = f.callValue(st, site, callee.all(), args, nil, res, row.Name)
		}
		return out
	}
	if in.t.sum.prints {
		f.printing++
		defer func() { f.printing-- }()
	}
	var without *state
	if !row.Always {
		without = st.fork()
	}
	permuted, slots := len(f.permuted), len(f.slots)
	resume := func() {}
	if in.t.sum.Recovers {
		resume = f.recoveringFrom(st)
	}
	out := once(st)
	rounds := 0
	if row.Repeats {
		rounds = 1
	}
	for round := 0; round < rounds; round++ {
		again := st.fork()
		if !typed {
			// What was called may have put another function where the next one is taken from.
			if next, _ := in.resolve(again, row.Callee); !coverAll([]value{callee}, []value{next}) {
				callee = callee.join(next)
				if rounds++; rounds > maxRepeats {
					f.flag(Unresolved, row.Name, site.pos)
					break
				}
			}
		}
		if own {
			in.slotRes[i], in.slotTyp[i] = out, res
			before := slices.Clone(given)
			switch read(again); {
			case sameTuple(before, given):
			case rounds < maxRepeats:
				rounds++
			default:
				delete(in.slotRes, i)
				read(again) // of what later calls are given nothing is known
			}
			receive()
		}
		more := once(again)
		f.joinInto(st, again)
		for j := range more {
			if j < len(out) {
				out[j] = out[j].join(more[j])
			}
		}
	}
	resume()
	f.recoversFor = f.recoversFor || in.t.sum.Recovers && len(f.slots) > slots
	if without != nil {
		// Where the call is not made elements stand in some order as well: both ways then tell of one order.
		for _, order := range f.permuted[permuted:] {
			order(without)
		}
		f.joinInto(st, without)
	}
	if len(in.site.chain) == 0 {
		f.permuted = f.permuted[:0]
	}
	for j, a := range given {
		in.keepGiven(i, j, a)
	}
	in.slotRes[i] = out
	in.slotTyp[i] = res
	// Effects on the results of this slot can be told now.
	for j := range in.t.sum.Effects {
		e := &in.t.sum.Effects[j]
		if e.Ref.Root.Kind == SlotResult && e.Ref.Root.Index == i {
			in.effect(st, e)
		}
	}
}

// maxRepeats is how often a slot is called with what its earlier calls returned.
const maxRepeats = 4

// givesItself reports whether a slot is called with what its earlier calls returned.
func (in *instance) givesItself(row *SlotRow, i int) bool {
	for _, leaves := range row.Args {
		for _, l := range leaves {
			for _, o := range l.Origins {
				if r := o.Ref.Root; r.Kind == SlotResult && r.Index == i && r.Result < firstGiven {
					return true
				}
			}
		}
	}
	return false
}

// withReceiver is the signature of a method as a function of its receiver, which has type t.
func withReceiver(sig *types.Signature, t types.Type) *types.Signature {
	if t == nil {
		return nil
	}
	params := []*types.Var{types.NewParam(token.NoPos, nil, "", t)}
	for i := range sig.Params().Len() {
		params = append(params, sig.Params().At(i))
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), false)
}

// keepGiven notes what argument j of a slot, if it is a literal, was called with.
func (in *instance) keepGiven(slot, j int, arg value) {
	for _, r := range arg.at("") {
		for p, v := range in.f.calledWith[r.o] {
			if in.givenTo == nil {
				in.givenTo = map[Root]value{}
			}
			root := givenRoot(slot, j, p)
			in.givenTo[root] = in.givenTo[root].join(v)
		}
	}
}

// methodOf returns the method that a slot calls. Facts know its name only: the value's type knows the rest.
func (in *instance) methodOf(row *SlotRow, callee value, typ types.Type) *types.Func {
	if row.Method == "" || row.Func != nil {
		return row.Func
	}
	home := in.f.e.pkg.Pkg
	if row.home != nil {
		home = row.home
	}
	look := func(t types.Type) *types.Func {
		if t == nil {
			return nil
		}
		obj, _, _ := types.LookupFieldOrMethod(t, false, home, row.Method)
		m, _ := obj.(*types.Func)
		return m
	}
	if m := look(typ); m != nil {
		return m
	}
	for _, r := range callee.all() {
		for _, t := range []types.Type{r.dyn, r.o.ptr} {
			if m := look(t); m != nil {
				return m
			}
		}
	}
	return nil
}

// slotParam is the type of parameter j of what a slot calls, of an instance as far as its type arguments are known; nil if it is not.
func slotParam(sig *types.Signature, callee value, j int) types.Type {
	if sig == nil || j >= sig.Params().Len() {
		return nil
	}
	t := sig.Params().At(j).Type()
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		for _, r := range callee.all() {
			if i := p.Index(); i < len(r.o.targs) && r.o.targs[i] != nil {
				return r.o.targs[i]
			}
		}
	}
	return t
}

// slotSignature is the signature of what a slot calls: of the function that is called, or else of the slot; nil if neither is
// known.
func slotSignature(row *SlotRow, callee value, typ types.Type) *types.Signature {
	if row.Method != "" {
		if row.Func != nil {
			return row.Func.Type().(*types.Signature)
		}
		return nil
	}
	for _, r := range callee.all() {
		if r.o.fn != nil {
			return r.o.fn.Signature
		}
		if r.o.ptr != nil {
			if sig, ok := r.o.ptr.Underlying().(*types.Signature); ok {
				return sig
			}
		}
	}
	if typ != nil {
		if sig, ok := typ.Underlying().(*types.Signature); ok {
			return sig
		}
	}
	return nil
}
