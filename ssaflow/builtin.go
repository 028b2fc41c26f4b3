package ssaflow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// builtin applies a call of a predeclared function.
func (f *frame) builtin(st *state, instr ssa.CallInstruction, b *ssa.Builtin, c *ssa.CallCommon, args []value) []value {
	pos := c.Pos()
	switch b.Name() {
	case "append":
		return []value{f.appendTo(st, instr, c, args)}
	case "copy":
		elem := sliceElem(c.Args[0].Type())
		to := args[0].at("")
		from := f.loadValue(st, extend(args[1].at(""), "[]"), elem)
		f.changedTo(to, "[]", Store, "copy", pos, nil, stored{val: from, told: true})
		if call, ok := instr.(*ssa.Call); !ok || !f.refilled(call) {
			from = f.heldAlready(st, to, "[]", from, false)
		}
		f.storeAt(st, to, "[]", elem, from)
	case "clear":
		f.noteUpdate(instr, args[0].at(""))
		f.changedTo(args[0].at(""), "[]", Store, "clear", pos, nil, stored{told: true})
	case "delete":
		f.noteUpdate(instr, args[0].at(""))
		f.changedTo(args[0].at(""), "[]", Store, "delete", pos, nil, stored{told: true})
	case "close":
		f.flag(Channel, "close", pos)
		f.changedTo(args[0].at(""), "[]", Store, "close", pos, nil, stored{told: true})
	case "print", "println":
		f.flag(Print, b.Name(), pos)
	case "ssa:wrapnilchk":
		return []value{args[0]}
	case "recover":
		return []value{single(f.unknown(nil))}
	case "Add":
		f.flag(Unsafe, "unsafe.Add", pos)
		f.flag(Unresolved, "unsafe.Add", pos)
		return []value{args[0]}
	case "Slice":
		f.flag(Unsafe, "unsafe.Slice", pos)
		list, ok := listsOf(args[0].at(""))
		if !ok {
			f.flag(Unresolved, "unsafe.Slice", pos)
		}
		return []value{single(list)}
	case "SliceData":
		f.flag(Unsafe, "unsafe.SliceData", pos)
		return []value{single(extend(args[0].at(""), "[]"))}
	case "String", "StringData":
		f.flag(Unsafe, "unsafe."+b.Name(), pos)
	}
	return nil
}

func sliceElem(t types.Type) types.Type {
	if s, ok := core(t).(*types.Slice); ok {
		return s.Elem()
	}
	return nil
}

// appendTo models append: the result is the old array with the new elements in its capacity, or a new array with both.
func (f *frame) appendTo(st *state, instr ssa.CallInstruction, c *ssa.CallCommon, args []value) value {
	v, ok := instr.(ssa.Value)
	if !ok {
		return nil // go and defer of append are not allowed
	}
	elem := sliceElem(c.Args[0].Type())
	old := args[0].at("")
	var spare refs
	for _, r := range old {
		if !r.clipped {
			spare = append(spare, r)
		}
	}
	var added value
	var kept value
	b := instr.Block()
	for _, leaf := range f.e.types.leavesOf(elem) {
		k := f.elementsOf(st, b, old, leaf)
		kept = kept.add(leaf.path, k)
		if len(args) > 1 {
			a := f.elementsOf(st, b, args[1].at(""), leaf)
			added = added.add(leaf.path, f.repeated(b, a, k))
		}
	}
	f.reslice(spare)
	if len(args) > 1 && lengthOf(c.Args[1], 0) != 0 {
		f.appended(spare, "[]", "append", c.Pos(), nil, stored{val: added, told: true})
	}
	// The new array takes over everything, the old one only what is added.
	o := f.alloc(st, v, "", v.Type(), "append")
	fresh := f.regs[v].val.at("")
	if elem != nil {
		for _, leaf := range f.e.types.leavesOf(elem) {
			p := "[]" + leaf.path
			all := kept.at(leaf.path).union(added.at(leaf.path))
			if len(all) > 0 {
				st.set(o, p, f.load(st, fresh[0], p, leaf.typ).union(all))
			}
		}
		for _, r := range spare {
			if r.o != o {
				f.storeAt(st, refs{r}, "[]", elem, added)
			}
		}
		f.keep(st, added.all())
	}
	return single(fresh.union(spare))
}

// appended records that elements are written behind the end of slices: into capacity that nobody sees, or, behind a slice that ends
// before the elements do, into elements that others see.
func (f *frame) appended(to refs, path, op string, pos token.Pos, tail []Step, put stored) {
	for _, r := range to {
		kind := Append
		switch {
		case r.clipped:
			continue
		case r.short:
			kind = Store
		}
		f.changedTo(refs{r}, path, kind, op, pos, tail, put)
	}
}
