package analyzer

import (
	"go/ast"
	"go/token"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// output is one tensor, or container of tensors, that a body returns.
type output struct {
	// result is the number of the result.
	result  int
	place   hopcheck.Place
	origins []ssaflow.Origin
	mayBe   bool // the contract lets it alias
}

func (o *output) target() target { return target{o.result, o.place.Path} }

// aliases finds outputs that share storage with each other, with inputs or with captured tensors, at each return
// statement: HOP302, HOP301 and HOP303 in this order.
func (a *analysisOf) aliases(u *bodyUse) []*Finding {
	returns := u.fn.summary.Returns
	if len(returns) == 0 {
		returns = []ssaflow.Return{{Results: u.fn.summary.Results}} // of another package only the join is known
	}
	var list []*Finding
	for _, r := range returns {
		outs := a.outputs(u, r.Results)
		list = append(list, a.sharedOutputs(u, r, outs)...)
		list = append(list, a.returnedInputs(u, r, outs)...)
	}
	return list
}

// sharedOutputs finds pairs of outputs that share storage. One diagnostic lists every pair of a return statement; it
// stands at the second output of the first pair.
func (a *analysisOf) sharedOutputs(u *bodyUse, r ssaflow.Return, outs []output) []*Finding {
	var f *Finding
	for j := range outs {
		for i := range j {
			if outs[i].mayBe || outs[j].mayBe {
				continue
			}
			shared, ok := share(outs[i].origins, outs[j].origins, a.options.strict)
			if !ok {
				continue
			}
			pair := hopcheck.Pair{Out: outs[i].place, With: outs[j].place}
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

// share returns the origin that two outputs have in common, as the second one got it. An allocation or call that runs
// several times stands for many objects; it counts only in strict mode.
func share(a, b []ssaflow.Origin, strict bool) (ssaflow.Origin, bool) {
	for _, o := range a {
		for _, p := range b {
			if strict {
				o.Unique, p.Unique = true, true
			}
			if o.Shares(p) {
				return p, true
			}
		}
	}
	return ssaflow.Origin{}, false
}

// returnedInputs finds outputs that are inputs, captured tensors or views of them.
func (a *analysisOf) returnedInputs(u *bodyUse, r ssaflow.Return, outs []output) []*Finding {
	var inputs, captured []*Finding
	for _, out := range outs {
		if out.mayBe {
			continue
		}
		for _, origin := range out.origins {
			with, ok := u.place(origin.Ref)
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

// outputs lists the leaves of all results, those inside of fresh containers included.
func (a *analysisOf) outputs(u *bodyUse, results [][]ssaflow.Leaf) []output {
	var outs []output
	inside := newContents(u.fn.summary.Stores)
	for i, leaves := range results {
		slot := u.output(i)
		if slot.Role == hopcheck.NoRole {
			continue
		}
		for _, leaf := range leaves {
			for _, l := range inside.expand(leaf) {
				if !u.inTree(0, i, l.Fields()) {
					continue
				}
				outs = append(outs, output{result: i, origins: l.Origins, mayBe: u.call.contract.MayAlias(slot.Role),
					place: hopcheck.Place{Role: slot.Role, Label: slot.Label, Path: l.Fields()}})
			}
		}
	}
	return outs
}

// contents knows what fresh containers hold when a function returns.
type contents struct{ rows []ssaflow.StoreRow }

func newContents(stores []ssaflow.StoreRow) contents {
	var c contents
	for _, row := range stores {
		if row.Dst.Root.Kind == ssaflow.Fresh {
			c.rows = append(c.rows, row)
		}
	}
	return c
}

// maxContainers bounds containers within containers: a pytree is a tree, but a fresh list may hold itself.
const maxContainers = 6

// expand returns the leaf and, below it, the leaves that the fresh containers it refers to hold.
func (c *contents) expand(leaf ssaflow.Leaf) []ssaflow.Leaf { return c.below(leaf, 0) }

func (c *contents) below(leaf ssaflow.Leaf, depth int) []ssaflow.Leaf {
	list := []ssaflow.Leaf{leaf}
	if depth == maxContainers {
		return list
	}
	for _, o := range leaf.Origins {
		if o.Ref.Root.Kind != ssaflow.Fresh {
			continue
		}
		for _, row := range c.rows {
			if row.Dst.Root.Index == o.Ref.Root.Index {
				inner := ssaflow.Leaf{Path: leaf.Path + row.Dst.Path, Origins: row.Origins}
				list = append(list, c.below(inner, depth+1)...)
			}
		}
	}
	return list
}
