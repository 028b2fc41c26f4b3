package ssaflow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Importers see neither dynamic types nor what package variables hold. What they need of both is told by functions: the methods of
// what an interface value holds stand in the summary of the function that returns it, and the functions that an exported variable
// holds in a summary of the variable.

const (
	// maxMethods is the number of methods of an interface of which importers are told.
	maxMethods = 8
	// maxHeld is the number of functions that one variable holds of which importers are told.
	maxHeld = 16
)

// tellMethods adds, to the summary of a function that importers can call, the methods of the interface values that it returns.
func (e *engine) tellMethods(fn *ssa.Function, s *Summary) {
	told := map[int]bool{}
	tell := func(static types.Type, list []Origin) {
		if static == nil {
			return
		}
		iface, ok := static.Underlying().(*types.Interface)
		if !ok || isTypeParam(static) || iface.NumMethods() == 0 || iface.NumMethods() > maxMethods || types.Identical(static, types.Universe.Lookup("error").Type()) {
			return
		}
		for _, o := range list {
			if o.Ref.Root.Kind != Fresh || o.Ref.Path != "" || !concrete(o.dyn) || told[o.Ref.Root.Index] {
				continue
			}
			told[o.Ref.Root.Index] = true
			for m := range iface.Methods() {
				if f := e.method(o.dyn, m); f != nil {
					if sum := e.need(f); sum != nil && !sum.Top {
						s.Funcs = append(s.Funcs, FuncRow{Name: m.Name(), Object: o.Ref.Root.Index, Summary: sum, ofType: true, boxed: o.boxed})
					}
				}
			}
		}
	}
	results := fn.Signature.Results()
	for i, leaves := range s.Results {
		for _, l := range leaves {
			if i < results.Len() {
				tell(walkType(results.At(i).Type(), l.Path), l.Origins)
			}
		}
	}
	for _, row := range s.Stores {
		if o := s.freshObject(row.Dst.Root.Index); row.Dst.Root.Kind == Fresh && o.typ != nil {
			if o.boxed {
				tell(walkType(o.typ, row.Dst.Path), row.Origins)
			} else {
				tell(behind(o.typ, row.Dst.Path), row.Origins)
			}
		}
	}
}

// withoutMethods is the summary without the methods that tellMethods added, which stand behind all other functions: importers cannot
// resolve their calls then.
func (s *Summary) withoutMethods() *Summary {
	n := len(s.Funcs)
	for n > 0 && s.Funcs[n-1].ofType {
		n--
	}
	if n == len(s.Funcs) {
		return s
	}
	lean := *s
	lean.Funcs = s.Funcs[:n:n]
	return &lean
}

// methodRow returns the method of what the object holds that another package told of.
func (o *object) methodRow(name string) *FuncRow {
	for i := range o.methods {
		if o.methods[i].Name == name {
			return &o.methods[i]
		}
	}
	return nil
}

// Variables is what a [Model] may answer as well: which functions an exported variable of another package holds.
type Variables interface {
	// Variable returns what [Result.Variable] told of the variable, or nil.
	Variable(v *types.Var) *Summary
}

// Variables returns the exported package variables of which it is known which functions they hold, in the order of their names.
func (r *Result) Variables() []*types.Var {
	if r.engine == nil || r.Package == nil {
		return nil
	}
	var names []string
	for name, m := range r.Package.Members {
		if g, ok := m.(*ssa.Global); ok && g.Object() != nil && g.Object().Exported() && holdsFuncs(g.Type().Underlying().(*types.Pointer).Elem(), 0) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var list []*types.Var
	for _, name := range names {
		if v, ok := r.Package.Members[name].(*ssa.Global).Object().(*types.Var); ok && r.Variable(v) != nil {
			list = append(list, v)
		}
	}
	return list
}

// Variable tells which functions a package variable holds: its first result has a leaf for each place that leads to them.
func (r *Result) Variable(v *types.Var) *Summary {
	g := r.engine.globals
	if !g.prepare() {
		return nil
	}
	name := v.Pkg().Path() + "." + v.Name()
	if g.others[name] || !g.onlyRead(v.Name()) {
		return nil
	}
	var bases []string
	for key := range g.rows {
		if of, base, _ := strings.Cut(key, " "); of == name {
			bases = append(bases, base)
		}
	}
	slices.Sort(bases)
	s := &Summary{Name: v.Name(), fset: r.engine.cfg.Fset, pkg: r.engine.home}
	var leaves []Leaf
	for _, base := range bases {
		l := Leaf{Path: base}
		for _, row := range g.rows[name+" "+base] {
			row.Summary = row.summary(r.engine)
			if row.Summary == nil || row.Summary.Top || len(s.Funcs) == maxHeld {
				return nil
			}
			l.Origins = append(l.Origins, Origin{Ref: Ref{Root: Root{Kind: Func, Index: len(s.Funcs)}}})
			row.Object = -1
			s.Funcs = append(s.Funcs, row)
		}
		leaves = append(leaves, l)
	}
	if len(leaves) == 0 {
		return nil
	}
	s.Results = [][]Leaf{leaves}
	return s
}

// Closed is what a [Model] may answer as well: which paths lead to all the memory that is behind them, so that no more is meant where a
// path comes through a type for the second time.
type Closed interface {
	Closed(path string) bool
}

// foreign returns the functions that a variable of another package holds.
func (g *globalFuncs) foreign(v *types.Var, base string) []FuncRow {
	s, known := g.told[v]
	if !known {
		if m, ok := g.e.cfg.Model.(Variables); ok {
			s = m.Variable(v)
		}
		if g.told == nil {
			g.told = map[*types.Var]*Summary{}
		}
		g.told[v] = s
	}
	if s == nil || len(s.Results) == 0 {
		return nil
	}
	var list []FuncRow
	for _, l := range s.Results[0] {
		if l.Path != base {
			continue
		}
		for _, o := range l.Origins {
			if o.Ref.Root.Kind == Func && o.Ref.Root.Index < len(s.Funcs) {
				list = append(list, s.Funcs[o.Ref.Root.Index])
			}
		}
	}
	return list
}
