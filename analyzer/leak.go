package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// keptTensor is a tensor that a body stores in memory that outlives it.
type keptTensor struct {
	place   hopcheck.Place
	witness []ssaflow.Step
}

func placesOf(list []keptTensor) []hopcheck.Place {
	var places []hopcheck.Place
	for _, k := range list {
		if !slices.Contains(places, k.place) {
			places = append(places, k.place)
		}
	}
	return places
}

// keptTensors are the tensors made in the body, or handed to it, that an effect puts into memory. Where only a fact tells of the
// effect it is what the memory holds when the body returns. Tensors that the body captured lived outside before.
func (a *analysisOf) keptTensors(u *bodyUse, effect ssaflow.Effect) []keptTensor {
	if effect.Op == "delete" || effect.Op == "clear" || effect.Op == "close" {
		return nil
	}
	var list []keptTensor
	inside := &contents{u.fn.summary.Stores}
	add := func(leaf ssaflow.Leaf) {
		inside.visit(leaf, nil, func(l ssaflow.Leaf, _ []container, _ bool) {
			for _, o := range l.Origins {
				if k, ok := u.kept(effect.Ref.Root, l.Path, o); ok {
					list = append(list, k)
				}
			}
		})
	}
	if effect.Told {
		for _, l := range effect.Stored {
			add(ssaflow.Leaf{Path: effect.Ref.Path + l.Path, Origins: l.Origins})
		}
		return list
	}
	at := hopcheck.AnyIndex(effect.Ref.Path)
	for _, row := range u.fn.summary.Stores {
		if row.Dst.Root.Kind != effect.Ref.Root.Kind || row.Dst.Root.Index != effect.Ref.Root.Index || row.Dst.Root.Name != effect.Ref.Root.Name {
			continue
		}
		if rest, below := strings.CutPrefix(hopcheck.AnyIndex(row.Dst.Path), at); below && (rest == "" || strings.IndexByte(".[*", rest[0]) >= 0) {
			add(ssaflow.Leaf{Path: row.Dst.Path, Origins: row.Origins})
		}
	}
	return list
}

// kept tells the tensor that an origin stands for, if the body got or made it.
func (u *bodyUse) kept(root ssaflow.Root, path string, o ssaflow.Origin) (keptTensor, bool) {
	if !u.holdsTensor(root, path, o) {
		return keptTensor{}, false
	}
	switch o.Ref.Root.Kind {
	case ssaflow.Param:
		place, ok := u.place(o.Ref)
		return keptTensor{place, o.Witness}, ok && place.Role != hopcheck.Captured
	case ssaflow.Fresh, ssaflow.SlotResult:
		label := "a tensor made in the body"
		for _, step := range o.Witness {
			if step.Kind == ssaflow.Made && step.Callee != "" {
				label = "a tensor made by " + step.Callee
			}
		}
		return keptTensor{hopcheck.Place{Label: label}, o.Witness}, true
	}
	return keptTensor{}, false
}

// holdsTensor reports whether the value at a path below a variable is certainly a tensor: the variable's type says so, or else
// what is known of the value.
func (u *bodyUse) holdsTensor(root ssaflow.Root, path string, o ssaflow.Origin) bool {
	if t := u.rootType(root); t != nil && !strings.Contains(path, "#") {
		if at, ok := typeAt(t, ssaflow.Ref{Path: path}.Fields()); ok && at != nil && !types.IsInterface(at) {
			if c, isChan := at.Underlying().(*types.Chan); isChan {
				at = c.Elem()
			}
			return isTensorPointer(at)
		}
	}
	if o.Ref.Root.Kind == ssaflow.Param {
		if t := u.rootType(o.Ref.Root); t != nil {
			if at, ok := typeAt(t, o.Ref.Fields()); ok && at != nil {
				return isTensorPointer(at)
			}
		}
	}
	t := o.Type()
	return t != nil && isTensorPointer(t)
}

// changedAt is where a change of captured memory stands. An append that is assigned stands, with the assignment, at the
// statement.
func (a *analysisOf) changedAt(u *bodyUse, effect ssaflow.Effect) (pos, end token.Pos) {
	pos, end = a.standsAt(u, effect.Witness)
	for _, n := range a.path(pos) {
		if assign, ok := n.(*ast.AssignStmt); ok && u.fn.contains(assign.Pos()) && a.appends(assign) {
			return assign.Pos(), assign.End()
		}
		if _, ok := n.(ast.Stmt); ok {
			break
		}
	}
	return pos, end
}

// appends reports whether a statement assigns the result of one append.
func (a *analysisOf) appends(assign *ast.AssignStmt) bool {
	if len(assign.Rhs) != 1 {
		return false
	}
	call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	builtin, isBuiltin := a.pass.TypesInfo.Uses[id].(*types.Builtin)
	return ok && isBuiltin && builtin.Name() == "append"
}

// appendsAt reports whether the statement at a position assigns the result of append.
func (a *analysisOf) appendsAt(pos token.Pos) bool {
	for _, n := range a.path(pos) {
		if assign, ok := n.(*ast.AssignStmt); ok {
			return a.appends(assign)
		}
		if _, ok := n.(ast.Stmt); ok {
			return false
		}
	}
	return false
}

// withoutSpareCapacity drops, of an assigned append, the write to spare capacity where the assignment is told: both are one
// statement to a reader.
func withoutSpareCapacity(list []*Finding) []*Finding {
	for _, f := range list {
		if f.Code == hopcheck.SideEffect && len(f.Places) > 1 {
			all := slices.Clone(f.Places)
			f.Places = slices.DeleteFunc(f.Places, func(p hopcheck.Place) bool {
				return slices.ContainsFunc(all, func(q hopcheck.Place) bool { return p.Label == q.Label && p.Path == q.Path+"[]" })
			})
		}
	}
	return list
}
