package tracer

import "github.com/hoplint/hoplint/hopcheck"

// mutations compares the version of every storage that the body was given or captured with the one that it had when
// the body met it: one finding for each role that the contract does not let it write, with every place, and the
// operation, position and views of the first write.
func (t *SubgraphTracer) mutations() []Finding {
	var found []Finding
	var firsts []*write // of each finding
	for _, w := range t.watches {
		s := w.store.real()
		if s.version == w.start || t.contract != nil && t.contract.MayMutate(w.place.Role) {
			continue
		}
		first := firstWrite(s, w.start)
		i := 0
		for i < len(found) && found[i].Places[0].Role != w.place.Role {
			i++
		}
		if i == len(found) {
			found = append(found, Finding{Path: t.Path(), Finding: hopcheck.Finding{
				Code: hopcheck.MutationCode(w.place.Role), HOP: t.opts.Operator, Body: t.words}})
			firsts = append(firsts, nil)
		}
		f := &found[i]
		f.Places = append(f.Places, w.place)
		if len(f.Places) == 1 || first != nil && firsts[i] != nil && first.order < firsts[i].order {
			firsts[i], f.Before, f.After = first, w.start, s.version
			f.Op, f.Pos, f.Views = "", t.opts.Pos, nil
			if first != nil {
				f.Op, f.Pos = first.op, first.pos
				if first.dst != nil {
					f.Views = first.dst.Views()
				}
			}
		}
	}
	return found
}

// firstWrite returns the log's first write on top of version start, or nil when nobody saw it.
func firstWrite(s *Store, start uint64) *write {
	writes := s.logged().writes
	for i := range writes {
		if writes[i].before >= start {
			return &writes[i]
		}
	}
	return nil
}

// aliases compares the storages of the outputs with each other, with the inputs and with captured tensors. Tensors
// with no elements alias nothing.
func (t *SubgraphTracer) aliases(outputs []Output) []Finding {
	var between, captured *Finding
	var inputs []*Finding // one for each role
	add := func(f *Finding, o Output, code hopcheck.Code, with hopcheck.Place) *Finding {
		if f == nil {
			f = &Finding{Pos: o.Value.made.Pos, Views: o.Value.Views(), Path: t.Path(), Finding: hopcheck.Finding{Code: code, HOP: t.opts.Operator, Body: t.words}}
		}
		f.Pairs = append(f.Pairs, hopcheck.Pair{Out: o.Place, With: with})
		return f
	}
	for i, o := range outputs {
		if o.Value.store == nil || isEmpty(o.Value.made.Meta) {
			continue
		}
		s := o.Value.store.real()
		for _, p := range outputs[i+1:] {
			if p.Value.store != nil && p.Value.store.real() == s && !isEmpty(p.Value.made.Meta) && !t.mayAlias(o.Place.Role) && !t.mayAlias(p.Place.Role) {
				between = add(between, o, hopcheck.OutputsAlias, p.Place)
			}
		}
		if t.mayAlias(o.Place.Role) {
			continue
		}
		for _, w := range t.watches {
			switch {
			case w.store.real() != s:
			case w.place.Role == hopcheck.Captured:
				captured = add(captured, o, hopcheck.OutputAliasesCaptured, w.place)
			default:
				k := 0
				for k < len(inputs) && inputs[k].Pairs[0].With.Role != w.place.Role {
					k++
				}
				if k == len(inputs) {
					inputs = append(inputs, nil)
				}
				inputs[k] = add(inputs[k], o, hopcheck.AliasCode(w.place.Role), w.place)
			}
		}
	}
	var found []Finding
	for _, f := range append(append([]*Finding{between}, inputs...), captured) {
		if f != nil {
			found = append(found, *f)
		}
	}
	return found
}

func (t *SubgraphTracer) mayAlias(out hopcheck.Role) bool {
	return t.contract != nil && t.contract.MayAlias(out)
}

// isEmpty reports whether a tensor certainly has no elements.
func isEmpty(m Meta) bool {
	for _, d := range m.Shape {
		if n, ok := d.Const(); ok && n == 0 {
			return true
		}
	}
	return false
}
