package analyzer

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// globals are the package variables that hold what their declarations say for as long as the program runs: nothing in the package
// assigns them, or a part of them, and nobody else can. Variables of other packages may be assigned by anybody.
type globals struct {
	// stores are what the initialisation of the package puts into a variable, by path; open are the variables of which more is done
	// than to read them.
	stores map[*ssa.Global]map[string]ssa.Value
	open   map[*ssa.Global]bool
}

// globals looks at every use of the package's variables once.
func (a *analysisOf) globals() *globals {
	if a.globalUses != nil {
		return a.globalUses
	}
	g := &globals{stores: map[*ssa.Global]map[string]ssa.Value{}, open: map[*ssa.Global]bool{}}
	a.globalUses = g
	if a.flow.Package == nil {
		return g
	}
	init := a.flow.Package.Func("init")
	for _, fn := range append(a.flow.Functions(), init) {
		if fn == nil {
			continue
		}
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				for _, op := range instr.Operands(nil) {
					if v, ok := (*op).(*ssa.Global); ok {
						g.used(v, instr, fn == init)
					}
				}
			}
		}
	}
	return g
}

// used notes one use of a variable.
func (g *globals) used(v *ssa.Global, instr ssa.Instruction, initialising bool) {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		return
	case *ssa.Store:
		if instr.Addr == ssa.Value(v) && initialising {
			g.put(v, "", instr.Val)
			return
		}
	case *ssa.FieldAddr, *ssa.IndexAddr:
		if g.part(v, instr.(ssa.Value), initialising) {
			return
		}
	}
	g.open[v] = true
}

// part follows the address of a part of a variable; false means that more is done with it than to read or initialise it.
func (g *globals) part(v *ssa.Global, address ssa.Value, initialising bool) bool {
	_, path, known := globalOf(address)
	for _, user := range *address.Referrers() {
		switch user := user.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr, *ssa.IndexAddr:
			if !g.part(v, user.(ssa.Value), initialising) {
				return false
			}
		case *ssa.Store:
			if user.Addr != address || !initialising || !known {
				return false
			}
			g.put(v, path, user.Val)
		default:
			return false
		}
	}
	return true
}

func (g *globals) put(v *ssa.Global, path string, value ssa.Value) {
	if g.stores[v] == nil {
		g.stores[v] = map[string]ssa.Value{}
	}
	for other := range g.stores[v] {
		if strings.HasPrefix(path, other) || strings.HasPrefix(other, path) {
			g.open[v] = true // twice, or as a whole and in part
		}
	}
	g.stores[v][path] = value
}

// globalOf is the package variable that an address lies in, and the path to it.
func globalOf(address ssa.Value) (v *ssa.Global, path string, ok bool) {
	switch a := address.(type) {
	case *ssa.Global:
		return a, "", true
	case *ssa.FieldAddr:
		v, path, ok = globalOf(a.X)
		return v, path + fieldName(a.X.Type(), a.Field), ok
	case *ssa.IndexAddr:
		v, path, ok = globalOf(a.X)
		step := indexStep(a.Index)
		return v, path + step, ok && step != "[]"
	}
	return nil, "", false
}

// global is what a part of a package variable holds.
func (e *evaluator) global(v *ssa.Global, path string, t types.Type) tree {
	if v.Pkg != e.flow.Package || v.Object() == nil || v.Object().Exported() && e.pass.Pkg.Name() != "main" {
		return tree{}
	}
	g := e.globals()
	if g.open[v] {
		return tree{}
	}
	for at, value := range g.stores[v] { // at most one of them leads to the part
		if rest, ok := strings.CutPrefix(path, at); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return below(e.of(value), rest)
		}
	}
	if isTensorPointer(t) {
		return tree{kind: nilTree}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return structOf(u, func(f *types.Var) tree { return e.global(v, path+"."+f.Name(), f.Type()) })
	case *types.Array:
		if u.Len() > maxListed {
			return tree{}
		}
		out := tree{kind: listTree}
		for i := range u.Len() {
			out.kids = append(out.kids, e.global(v, path+"["+strconv.FormatInt(i, 10)+"]", u.Elem()))
		}
		return out
	}
	return zeroTree(t)
}
