package analyzer

import (
	"go/ast"
	"go/token"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// aliases finds outputs that share storage with each other, with inputs or with captured tensors, at each return
// statement: HOP302, HOP301 and HOP303 in this order.
func (a *analysisOf) aliases(u *bodyUse) []*Finding {
	returns := u.fn.summary.Returns
	if len(returns) == 0 {
		returns = []ssaflow.Return{{Results: u.fn.summary.Results, Stores: u.fn.summary.Stores}} // of another package only the join is known
	}
	var list []*Finding
	for _, r := range returns {
		inside := &contents{r.Stores}
		outs := a.outputs(u, inside, r.Results)
		list = append(list, a.sharedOutputs(u, r, inside, outs)...)
		list = append(list, a.returnedInputs(u, r, outs)...)
	}
	return list
}

// sharedOutputs finds pairs of outputs that share storage. One diagnostic lists every pair of a return statement; it
// stands at the second output of the first pair.
func (a *analysisOf) sharedOutputs(u *bodyUse, r ssaflow.Return, inside *contents, outs []output) []*Finding {
	var f *Finding
	for j := range outs {
		for i := range j + 1 {
			if outs[i].mayBe || outs[j].mayBe {
				continue
			}
			shared, ok := a.shared(inside, &outs[i], &outs[j])
			if !ok || !a.shareLeaf(u, r, &outs[i], &outs[j], shared) {
				continue
			}
			pair := hopcheck.Pair{Out: outs[i].place, With: outs[j].place}
			if f != nil && f.toldAbove(pair) {
				continue
			}
			if f != nil {
				f.addPair(pair)
				f.alias.targets = append(f.alias.targets, outs[j].target())
				continue
			}
			f = a.aliasFinding(u, r, hopcheck.OutputsAlias, outs[j], pair, shared.Witness)
		}
	}
	if f == nil {
		return nil
	}
	return []*Finding{f}
}

// returnedInputs finds outputs that are inputs, captured tensors or views of them.
func (a *analysisOf) returnedInputs(u *bodyUse, r ssaflow.Return, outs []output) []*Finding {
	var inputs, captured []*Finding
	for _, out := range outs {
		if out.mayBe || out.told {
			continue
		}
		for _, origin := range out.origins {
			with, ok := u.sharedWith(r, &out, origin)
			if !ok {
				continue
			}
			code, list := hopcheck.AliasCode(with.Role), &inputs
			if with.Role == hopcheck.Captured {
				list = &captured
			}
			pair := hopcheck.Pair{Out: out.place, With: with}
			pos, _ := a.returnedAt(u, r, out.result)
			if f := find(*list, code, pos, out.place.Role); f != nil {
				f.addPair(pair)
				f.alias.targets = append(f.alias.targets, out.target())
				continue
			}
			*list = append(*list, a.aliasFinding(u, r, code, out, pair, origin.Witness))
		}
	}
	return append(inputs, captured...)
}

func (a *analysisOf) aliasFinding(u *bodyUse, r ssaflow.Return, code hopcheck.Code, out output, pair hopcheck.Pair, witness []ssaflow.Step) *Finding {
	pos, end := a.returnedAt(u, r, out.result)
	f := &Finding{Pos: pos, End: end, alias: &alias{ret: a.returnAt[r.Pos], targets: []target{out.target()}}}
	f.Related = a.way(u, witness, pair.With.String(), pos)
	f.Finding = hopcheck.Finding{Code: code, HOP: u.call.contract.Name, Body: u.arg.body.Words, Pairs: []hopcheck.Pair{pair}}
	return f
}

// returnedAt is where an alias stands: the returned expression, the return statement for named results, the argument of
// the HOP call for a body of another package.
func (a *analysisOf) returnedAt(u *bodyUse, r ssaflow.Return, result int) (pos, end token.Pos) {
	statement := a.returnAt[r.Pos]
	if statement == nil || !u.fn.contains(r.Pos) {
		if r.Pos.IsValid() && u.fn.contains(r.Pos) {
			return r.Pos, r.Pos + 1
		}
		return a.argument(u)
	}
	if e := returnedExpr(statement, result); e != nil {
		return e.Pos(), e.End()
	}
	return statement.Pos(), statement.End()
}

// returnedExpr is the expression of one result; nil for named results. A call that gives all results stands for each.
func returnedExpr(statement *ast.ReturnStmt, result int) ast.Expr {
	switch n := len(statement.Results); {
	case n == 0:
		return nil
	case result < n:
		return statement.Results[result]
	default:
		return statement.Results[n-1]
	}
}
