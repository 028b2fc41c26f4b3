package ssaflow

import (
	"go/types"
	"strconv"
	"strings"
)

// A row tells of a function, in words, what it does with its parameters:
//
//	writes:N     what parameter N points to is changed; the receiver is parameter 0
//	hands:N      parameter N may be changed or kept in ways the row does not tell; hands is all of them
//	returns:N    the first result is parameter N or a part of it; views:N the same as a view
//	resizes:N    the first result is parameter N with another length, behind which its elements may go on
//	keeps:N      parameter N is kept in what the receiver or parameter 0 points to; kept: the first result is something kept there
//	elems:N      the first result is fresh memory that holds the elements of N, or of the slices in N, as in elems:0[]
//	again:N      of which one may be there several times
//	puts:N       the elements of N come to be among those of parameter 0, and of the fresh memory if there is any
//	elem:N       the first result is an element of N
//	iterates:N   the first result is an iterator over N: of its elements (v), its keys (k) or both (kv), as in iterates:0:kv
//	calls:N(…)   parameter N is called any number of times, with elements (0[]) or values (0) of parameters, what is kept (+), or scalars (_)
//	invokes:N.M  method M of parameter N is called without pointers
//	prints:N     method Write of parameter N is called with memory of its own; what it does outside counts as printing
//	exits        does not return
//
// Results that no word speaks of are fresh; unknown makes them unknown, and before another word says that the result may be something else too.

// rowSummary reads the words of a row.
func rowSummary(fn *types.Func, row string) *Summary {
	b := rowBuilder{s: &Summary{Name: fn.Name()}, sig: fn.Type().(*types.Signature)}
	if r := b.sig.Recv(); r != nil {
		b.params = append(b.params, r.Type())
	}
	for i := range b.sig.Params().Len() {
		b.params = append(b.params, b.sig.Params().At(i).Type())
	}
	for i := range b.sig.Results().Len() {
		b.s.Results = append(b.s.Results, nil)
		_ = i
	}
	for _, w := range strings.Fields(row) {
		b.word(w)
	}
	for i := range b.s.Results {
		switch {
		case i == 0 && b.told && !b.fresh:
		case b.unknown:
			b.s.Return(i, Origin{})
		default:
			b.s.Return(i, NewMemory(100+i))
		}
	}
	return b.s
}

type rowBuilder struct {
	s                    *Summary
	sig                  *types.Signature
	params               []types.Type
	told, fresh, unknown bool
}

func (b *rowBuilder) word(w string) {
	verb, arg, _ := strings.Cut(w, ":")
	n, _ := strconv.Atoi(arg)
	switch verb {
	case "fresh":
		b.fresh = true
	case "unknown":
		b.unknown = true
	case "exits":
		b.s.NoReturn = true
	case "writes":
		b.s.Effects = append(b.s.Effects, Effect{Ref: b.elements(n), Kind: Store, Op: b.s.Name, Definite: true})
	case "hands":
		for i := range b.params {
			if arg == "" || i == n {
				for _, r := range b.whole(i) {
					b.s.Hand(r, b.s.Name)
				}
			}
		}
	case "returns":
		b.parts(n, Same)
	case "resizes":
		b.result(Origin{Ref: Place(n, ""), Unique: true, short: true, resliced: true})
	case "views":
		b.parts(n, ViewOf)
	case "elem":
		b.result(Same(Ref{Root{Kind: Param, Index: n}, b.elements(n).Path + "*"}))
	case "keeps":
		for _, r := range b.whole(n) {
			b.s.Stores = append(b.s.Stores, StoreRow{Dst: b.store(), Origins: []Origin{Same(r)}})
		}
	case "kept":
		b.result(Same(b.kept()))
	case "elems":
		b.result(Origin{Ref: Ref{Root: Root{Kind: Fresh, Index: 90}}, Unique: true})
		at, inner, _ := strings.Cut(arg, "[")
		n, _ = strconv.Atoi(at)
		path := "*[]*"
		if inner != "" {
			path = "*[]*[]*"
		}
		b.s.Stores = append(b.s.Stores, StoreRow{Dst: Ref{Root{Kind: Fresh, Index: 90}, "[]"}, Origins: []Origin{{Ref: Place(n, path)}}})
	case "again":
		b.s.Stores = append(b.s.Stores, StoreRow{Dst: Ref{Root{Kind: Fresh, Index: 90}, "[]"}, Origins: []Origin{{Ref: Place(n, "*[]*"), MayTwice: true}}})
	case "puts":
		held := Origin{Ref: Ref{Root{Kind: Param}, "*[]*"}}
		put := Origin{Ref: Place(n, "*[]*")}
		b.s.Stores = append(b.s.Stores, StoreRow{Dst: Ref{Root{Kind: Param}, "*[]"}, Origins: []Origin{held, put}})
		if len(b.s.Results) == 0 { // maps
			keys := []Origin{{Ref: Ref{Root{Kind: Param}, "*" + keyStep + "*"}}, {Ref: Place(n, "*"+keyStep+"*")}}
			b.s.Stores = append(b.s.Stores, StoreRow{Dst: Ref{Root{Kind: Param}, "*" + keyStep}, Origins: keys})
		} else {
			b.s.Stores = append(b.s.Stores, StoreRow{Dst: Ref{Root{Kind: Fresh, Index: 90}, "[]"}, Origins: []Origin{put}})
		}
	case "iterates":
		at, what, _ := strings.Cut(arg, ":")
		n, _ = strconv.Atoi(at)
		b.iterator(n, what)
	case "calls":
		b.calls(arg)
	case "prints":
		b.s.prints = true
		b.word("invokes:" + arg + ".Write")
	case "invokes":
		at, method, _ := strings.Cut(arg, ".")
		n, _ = strconv.Atoi(at)
		b.s.Slots = append(b.s.Slots, SlotRow{Callee: Ref{Root{Kind: Param, Index: n}, "*"}, Method: method, Name: method, Repeats: true,
			Args: make([][]Leaf, map[string]int{"Less": 2, "Swap": 2, "Read": 1, "Write": 1}[method])})
	}
}

// store is the place where things are kept: a pointer of its own for functions, somewhere in the receiver for methods.
func (b *rowBuilder) store() Ref {
	if b.sig.Recv() == nil {
		return Place(0, "*")
	}
	return Place(0, "*[]")
}

// kept is what the things point to that are kept.
func (b *rowBuilder) kept() Ref { return Place(0, b.store().Path+"*") }

// whole is all of parameter n that points to something: the parameter itself, or the fields of a struct.
func (b *rowBuilder) whole(n int) (list []Ref) {
	if n >= len(b.params) {
		return nil
	}
	var leaves []leafType
	collectLeaves(b.params[n], "", &leaves)
	for _, l := range leaves {
		list = append(list, Place(n, l.path))
	}
	return list
}

// parts makes the first result, or each pointer in it, one of those of parameter n.
func (b *rowBuilder) parts(n int, of func(Ref) Origin) {
	if len(b.s.Results) == 0 {
		return
	}
	b.told = true
	var leaves []leafType
	collectLeaves(b.sig.Results().At(0).Type(), "", &leaves)
	for _, l := range leaves {
		leaf := Leaf{Path: l.path}
		for _, r := range b.whole(n) {
			leaf.Origins = append(leaf.Origins, of(r))
		}
		if b.unknown {
			leaf.Origins = append(leaf.Origins, Origin{})
		}
		b.s.Results[0] = append(b.s.Results[0], leaf)
	}
}

func (b *rowBuilder) result(o Origin) {
	if len(b.s.Results) > 0 {
		b.told = true
		b.s.Return(0, o)
		if b.unknown {
			b.s.Return(0, Origin{})
		}
	}
}

// elements is the memory that a parameter points to: the elements of a slice or map, or the whole of what a pointer points to.
func (b *rowBuilder) elements(n int) Ref {
	path := "*"
	if n < len(b.params) {
		switch b.params[n].Underlying().(type) {
		case *types.Slice, *types.Map, *types.Interface:
			path = "*[]"
			if _, iface := b.params[n].Underlying().(*types.Interface); iface && b.s.Name != "Slice" && b.s.Name != "SliceStable" {
				if p, ok := types.Unalias(b.params[n]).(*types.TypeParam); !ok || p == nil {
					path = "*"
				}
			}
		}
	}
	return Ref{Root{Kind: Param, Index: n}, path}
}

// iterator makes the first result a function that calls its argument with the parts of parameter n.
func (b *rowBuilder) iterator(n int, what string) {
	part := func(path string) []Leaf {
		return []Leaf{{Origins: []Origin{{Ref: Ref{Root{Kind: FreeVar}, path}}}}}
	}
	slot := SlotRow{Callee: Ref{Root{Kind: Param}, "*"}, Name: "yield", Repeats: true}
	switch what {
	case "v":
		slot.Args = [][]Leaf{part("*[]*")}
	case "k":
		slot.Args = [][]Leaf{part("*" + keyStep + "*")}
	default:
		slot.Args = [][]Leaf{part("*" + keyStep + "*"), part("*[]*")}
		if strings.HasPrefix(b.s.Name, "All") || b.s.Name == "Backward" {
			if p, ok := types.Unalias(b.params[n]).(*types.TypeParam); ok {
				if isSliceParam(p) {
					slot.Args[0] = nil // an index
				}
			}
		}
	}
	run := &Summary{Name: "range", Slots: []SlotRow{slot}, bound: true}
	it := Ref{Root: Root{Kind: Fresh, Index: 91}}
	b.result(Origin{Ref: it, Unique: true})
	b.s.Funcs = append(b.s.Funcs, FuncRow{Name: "range", Object: 91, Summary: run})
	b.s.Stores = append(b.s.Stores, StoreRow{Dst: Ref{it.Root, "#0"}, Origins: []Origin{{Ref: Ref{Root{Kind: Param, Index: n}, "*"}}}})
}

// isSliceParam reports whether a type parameter stands for slices.
func isSliceParam(p *types.TypeParam) bool {
	iface, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok || iface.NumEmbeddeds() != 1 {
		return false
	}
	u, ok := types.Unalias(iface.EmbeddedType(0)).(*types.Union)
	if !ok || u.Len() != 1 {
		return false
	}
	_, ok = u.Term(0).Type().Underlying().(*types.Slice)
	return ok
}

// calls reads "1(0[],_)".
func (b *rowBuilder) calls(arg string) {
	at, list, _ := strings.Cut(strings.TrimSuffix(arg, ")"), "(")
	n, _ := strconv.Atoi(at)
	row := SlotRow{Callee: Ref{Root{Kind: Param, Index: n}, "*"}, Name: "function value", Repeats: true}
	if list != "" {
		for _, a := range strings.Split(list, ",") {
			i := strings.IndexByte(a, '[')
			switch {
			case a == "_":
				row.Args = append(row.Args, nil)
			case a == "+":
				row.Args = append(row.Args, []Leaf{{Origins: []Origin{{Ref: b.kept()}}}})
			case i >= 0:
				p, _ := strconv.Atoi(a[:i])
				row.Args = append(row.Args, []Leaf{{Origins: []Origin{{Ref: Ref{Root{Kind: Param, Index: p}, "*" + a[i:] + "*"}}}}})
			default:
				p, _ := strconv.Atoi(a)
				row.Args = append(row.Args, []Leaf{{Origins: []Origin{{Ref: Ref{Root{Kind: Param, Index: p}, "*"}}}}})
			}
		}
	}
	b.s.Slots = append(b.s.Slots, row)
}
