package ssaflow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An unexported variable whose parts are only read, after the initialiser filled it, holds behind its interfaces the types that the
// initialiser put there.

// addType notes that an interface in a variable holds a type.
func (g *globalFuncs) addType(key string, t types.Type) {
	for _, known := range g.types[key] {
		if types.Identical(known, t) {
			return
		}
	}
	g.types[key] = append(g.types[key], t)
}

// typesAt returns the types behind an interface that a variable leads to; nil where it may be others.
func (g *globalFuncs) typesAt(root Root, base string) []types.Type {
	v, ok := root.Global.(*types.Var)
	if !ok || v.Pkg() != g.e.pkg.Pkg || v.Exported() || !g.prepare() {
		return nil
	}
	list := g.types[root.Name+" "+base]
	if len(list) == 0 || g.others[root.Name] || !g.onlyRead(v.Name()) {
		return nil
	}
	return list
}

// onlyRead reports whether functions do no more with a variable, and with what it leads to by its elements and fields, than to read.
func (g *globalFuncs) onlyRead(name string) bool {
	if g.closed == nil {
		g.closed = map[string]bool{}
		init := g.e.pkg.Func("init")
		open := map[*ssa.Global]bool{}
		seen := map[*ssa.Global]bool{}
		for _, fn := range g.e.all {
			if fn == init {
				continue
			}
			for _, b := range fn.Blocks {
				for _, instr := range b.Instrs {
					for _, op := range instr.Operands(nil) {
						if v, ok := (*op).(*ssa.Global); ok && !open[v] {
							seen[v] = true
							open[v] = !reads(instr, v, 0)
						}
					}
				}
			}
		}
		for v := range seen {
			if v.Pkg == g.e.pkg {
				g.closed[v.Name()] = !open[v]
			}
		}
	}
	read, used := g.closed[name]
	return read || !used
}

// reads reports whether an instruction only reads a value, or a part of what an address leads to, and hands no container on.
func reads(instr ssa.Instruction, v ssa.Value, depth int) bool {
	if depth > 8 {
		return false
	}
	all := func(part ssa.Value) bool {
		switch part.Type().Underlying().(type) {
		case *types.Interface, *types.Basic, *types.Signature:
			return true
		}
		for _, user := range *part.Referrers() {
			if !reads(user, part, depth+1) {
				return false
			}
		}
		return true
	}
	switch x := instr.(type) {
	case *ssa.DebugRef, *ssa.BinOp:
		return true
	case *ssa.UnOp:
		return x.Op == token.MUL && all(x)
	case *ssa.FieldAddr:
		return all(x)
	case *ssa.Field:
		return all(x)
	case *ssa.IndexAddr:
		return x.X == v && all(x)
	case *ssa.Index:
		return all(x)
	case *ssa.Lookup:
		return x.X == v && all(x)
	case *ssa.Range:
		return all(x)
	case *ssa.Next:
		return all(x)
	case *ssa.Extract:
		return all(x)
	case *ssa.Call:
		if of, ok := x.Call.Value.(*ssa.Builtin); ok {
			return of.Name() == "len" || of.Name() == "cap"
		}
		fn := x.Call.StaticCallee()
		if fn == nil || len(fn.Blocks) == 0 || x.Call.Value == v || len(fn.Params) != len(x.Call.Args) {
			return false
		}
		for i, a := range x.Call.Args {
			if a == v && !all(fn.Params[i]) {
				return false
			}
		}
		return true
	}
	return false
}
