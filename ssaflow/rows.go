package ssaflow

import (
	"go/types"
	"strings"
)

// Place names memory of a parameter for a row: "" is what the parameter leads to, ".W" what its field W leads to.
func Place(param int, path string) Ref { return Ref{Root: Root{Kind: Param, Index: param}, Path: path} }

// Mutate adds: the function writes what ref leads to, through the operation op.
func (s *Summary) Mutate(ref Ref, op string) *Summary {
	s.Effects = append(s.Effects, Effect{Ref: ref, Kind: Write, Op: op, Definite: true})
	return s
}

// Hand adds: the function may hand what ref leads to to code that cannot be seen.
func (s *Summary) Hand(ref Ref, op string) *Summary {
	s.Effects = append(s.Effects, Effect{Ref: ref, Kind: Unseen, Op: op})
	return s
}

// Return adds origins of result i as a whole.
func (s *Summary) Return(i int, origins ...Origin) *Summary {
	for len(s.Results) <= i {
		s.Results = append(s.Results, nil)
	}
	if len(s.Results[i]) == 0 {
		s.Results[i] = []Leaf{{}}
	}
	s.Results[i][0].Origins = append(s.Results[i][0].Origins, origins...)
	return s
}

// NewMemory is the origin of memory made by the function of which all is fresh; equal n in one summary are one object.
func NewMemory(n int) Origin {
	return Origin{Ref: Ref{Root: Root{Kind: Fresh, Index: n}}, Unique: true, Deep: true}
}

// ViewOf is the origin of a view of what ref leads to.
func ViewOf(ref Ref) Origin { return Origin{Ref: ref, View: true, Unique: true} }

// Same is the origin of what ref leads to itself.
func Same(ref Ref) Origin { return Origin{Ref: ref, Unique: true} }

// Call adds: the function calls what its function parameter holds, with the given arguments, any number of times when repeats
// is set and at least once when always is set.
func (s *Summary) Call(fn Ref, always, repeats bool, args ...[]Origin) *Summary {
	row := SlotRow{Callee: fn, Always: always, Repeats: repeats, Name: "function value"}
	for _, a := range args {
		row.Args = append(row.Args, []Leaf{{Origins: a}})
	}
	s.Slots = append(s.Slots, row)
	return s
}

// Does adds an effect on the outside world.
func (s *Summary) Does(kind FlagKind, op string) *Summary {
	s.Flags = append(s.Flags, Flag{Kind: kind, Op: op})
	return s
}

// completed returns a copy of a summary whose parameter paths follow the pointers that the types have: users write t.W, the
// engine needs to know that t is a pointer and W is one. Paths that have stars already are kept.
func (e *engine) completed(s *Summary, sig *types.Signature) *Summary {
	params := make([]types.Type, 0, sig.Params().Len()+1)
	if sig.Recv() != nil {
		params = append(params, sig.Recv().Type())
	}
	for i := range sig.Params().Len() {
		params = append(params, sig.Params().At(i).Type())
	}
	fix := func(r Ref) Ref {
		if r.Root.Kind != Param || r.Root.Index >= len(params) || strings.Contains(r.Path, "*") {
			return r
		}
		r.Path = explicit(params[r.Root.Index], r.Path)
		return r
	}
	out := *s
	out.objects, out.once = nil, nil
	out.Effects = append([]Effect(nil), s.Effects...)
	for i := range out.Effects {
		out.Effects[i].Ref = fix(out.Effects[i].Ref)
	}
	origins := func(list []Origin) []Origin {
		list = append([]Origin(nil), list...)
		for i := range list {
			list[i].Ref = fix(list[i].Ref)
		}
		return list
	}
	leaves := func(list []Leaf) []Leaf {
		list = append([]Leaf(nil), list...)
		for i := range list {
			list[i].Origins = origins(list[i].Origins)
		}
		return list
	}
	out.Results = append([][]Leaf(nil), s.Results...)
	for i := range out.Results {
		out.Results[i] = leaves(out.Results[i])
	}
	out.Stores = append([]StoreRow(nil), s.Stores...)
	for i := range out.Stores {
		out.Stores[i].Origins = origins(out.Stores[i].Origins)
	}
	out.Slots = append([]SlotRow(nil), s.Slots...)
	for i := range out.Slots {
		out.Slots[i].Callee = fix(out.Slots[i].Callee)
		out.Slots[i].Args = append([][]Leaf(nil), out.Slots[i].Args...)
		for j := range out.Slots[i].Args {
			out.Slots[i].Args[j] = leaves(out.Slots[i].Args[j])
		}
	}
	return &out
}

// explicit spells out the pointers on a path that starts at a variable of type t.
func explicit(t types.Type, path string) string {
	var b strings.Builder
	for {
		if t != nil && IsReference(t) {
			step, _ := cutStep(path)
			next := behind(t, "")
			if step != "" && step[0] == '[' {
				next = behind(t, step)
				b.WriteString("*" + step)
				_, path = cutStep(path)
				t = next
				continue
			}
			b.WriteByte('*')
			if path == "" {
				return b.String()
			}
			t = next
			if t != nil && IsReference(t) {
				continue
			}
		}
		if path == "" {
			return b.String()
		}
		step, rest := cutStep(path)
		b.WriteString(step)
		if t != nil {
			t = walkType(t, step)
		}
		path = rest
	}
}
