package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// brokenClaims compares the directives of functions in sight with their bodies: HOP902, and HOP903 for those that cannot be proved.
// A function without a body is trusted.
func (a *analysisOf) brokenClaims() []*Finding {
	var list []*Finding
	for _, d := range a.claims.list {
		object, ok := d.object.(*types.Func)
		if !ok || ofInterface(object) {
			continue
		}
		fn := a.flow.FuncOf(object)
		if fn == nil || len(fn.Blocks) == 0 {
			continue
		}
		signature := object.Signature()
		check := claimCheck{claim: d.claim, sum: a.flow.Summary(fn), signature: signature}
		v := check.run()
		name := object.Name()
		pos, end := d.pos, d.pos+token.Pos(len(name))
		said := name + " is declared " + d.claim.declares(signature)
		for _, b := range v.broken {
			f := &Finding{Pos: pos, End: end, Call: pos, Related: a.breachWay(b, check.text, pos)}
			but := b.text
			if b.subject != "" {
				but = "its " + b.subject + " " + but
			}
			f.Finding = hopcheck.Finding{Code: hopcheck.BrokenClaim, Detail: said + ", but " + but, Remedy: check.mend(b)}
			list = append(list, f)
		}
		if a.options.strict && len(v.broken) == 0 && !d.claim.bodiesOnly() {
			for _, doubt := range v.unproved {
				f := &Finding{Pos: pos, End: end, Call: pos}
				f.Finding = hopcheck.Finding{Code: hopcheck.UnprovedBody, Detail: said + ", which is not proved: it " + doubt}
				list = append(list, f)
			}
		}
	}
	return list
}

// bodiesOnly reports whether a claim says no more than which parameters are bodies.
func (c *Claim) bodiesOnly() bool { return !c.Pure && len(c.Mutates)+len(c.Returns) == 0 }

// breachWay is the related positions of a breach.
func (a *analysisOf) breachWay(b breach, text func(ClaimPlace) string, stands token.Pos) []analysis.RelatedInformation {
	if len(b.witness) == 0 {
		return nil
	}
	a.indexed()
	place := ""
	switch {
	case b.op != "":
		place = text(b.place)
	case b.witness[0].Kind == ssaflow.Enter:
		place = b.witness[0].Callee
	}
	return a.steps(b.witness, place, stands)
}

// contractOfObject is what directives, in the source or in a table, declare of an interface method or a function-typed field.
type contractOfObject struct {
	object types.Object
	claim  Claim
	name   string // as messages say it: Optimizer.Step
	// tabled is true for rows of tables; elements limits what a row forbids to elements of slices.
	tabled, elements bool
}

// contractOn returns the contract of an interface method or field; owner names the type that it was reached through.
func (a *analysisOf) contractOn(object types.Object, owner types.Type) (contractOfObject, bool) {
	if v, ok := object.(*types.Var); ok {
		object = v.Origin()
	}
	c := contractOfObject{object: object, name: object.Name()}
	if named, ok := types.Unalias(owner).(*types.Named); ok {
		c.name = named.Obj().Name() + "." + c.name
	}
	if t, ok := a.model.tables[object]; ok {
		c.claim, c.tabled, c.elements = t.claim, true, t.elements
		if object.Pkg() != nil {
			c.name = object.Pkg().Name() + "." + t.name
		}
		return c, !c.claim.bodiesOnly()
	}
	claim, ok := a.model.claim(object)
	c.claim = claim
	return c, ok && !claim.bodiesOnly()
}

// keptContracts compares the concrete types and functions that are converted to interfaces, or stored in fields, with the contracts
// of these: HOP902 for directives in source, HOP701 for tables.
func (a *analysisOf) keptContracts() []*Finding {
	if a.flow.Package == nil {
		return nil
	}
	k := &keeper{analysisOf: a, done: map[string]bool{}, methods: map[*types.Interface][]contractOfObject{}}
	functions := append(a.flow.Functions()[:len(a.flow.Functions()):len(a.flow.Functions())], a.flow.Package.Func("init"))
	for _, fn := range functions {
		for instr := range ssaflow.LiveInstructions(fn) {
			switch instr := instr.(type) {
			case *ssa.MakeInterface:
				k.methodsOf(instr.Type(), instr.X.Type(), func() token.Pos { return k.conversion(instr) })
			case *ssa.Store:
				k.stored(instr)
			}
		}
	}
	k.asserted()
	return k.list
}

// keeper collects the findings of keptContracts.
type keeper struct {
	*analysisOf
	list []*Finding
	// done are the pairs of contract and function that were compared.
	done map[string]bool
	// methods are the methods with contracts by interface.
	methods map[*types.Interface][]contractOfObject
}

// asserted compares the types of declarations var _ Optimizer = …, which make no code.
func (k *keeper) asserted() {
	for _, file := range k.pass.Files {
		for _, decl := range file.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok || v.Type == nil || len(v.Values) != len(v.Names) {
					continue
				}
				for i, name := range v.Names {
					if name.Name == "_" {
						k.methodsOf(k.pass.TypesInfo.TypeOf(v.Type), k.pass.TypesInfo.TypeOf(v.Values[i]), v.Values[i].Pos)
					}
				}
			}
		}
	}
}

// methodsOf compares the methods of a type with those of the interface that it is converted to at a position.
func (k *keeper) methodsOf(to, t types.Type, pos func() token.Pos) {
	iface, ok := to.Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 || types.IsInterface(t) {
		return
	}
	contracts, known := k.methods[iface]
	if !known {
		for i := range iface.NumMethods() {
			m := iface.Method(i)
			owner := m.Signature().Recv().Type()
			if types.Identical(owner.Underlying(), owner) {
				owner = to
			}
			if c, ok := k.contractOn(m.Origin(), owner); ok {
				contracts = append(contracts, c)
			}
		}
		k.methods[iface] = contracts
	}
	if len(contracts) == 0 {
		return
	}
	for _, c := range contracts {
		object, _, _ := types.LookupFieldOrMethod(t, true, c.object.Pkg(), c.object.Name())
		method, ok := object.(*types.Func)
		if !ok || ofInterface(method) {
			continue // an embedded interface was compared where its value was made
		}
		name := types.TypeString(t, k.qualifier)
		if _, pointer := t.(*types.Pointer); pointer {
			name = "(" + name + ")"
		}
		name += "." + method.Name()
		k.compare(c, name, k.flow.FuncOf(method), claimCheck{sum: k.summaryOf(method), recv: t}, pos())
	}
}

// qualifier names other packages than the one at work.
func (a *analysisOf) qualifier(p *types.Package) string {
	if p == a.pass.Pkg {
		return ""
	}
	return p.Name()
}

// conversion is where a value is converted to an interface: the conversion itself, the argument that it is, or where the interface
// is used first.
func (k *keeper) conversion(instr *ssa.MakeInterface) token.Pos {
	if instr.Pos().IsValid() {
		return instr.Pos()
	}
	k.indexed()
	for _, user := range *instr.Referrers() {
		if call, ok := user.(ssa.CallInstruction); ok {
			if e := k.argumentOf(call, instr); e != nil {
				return e.Pos()
			}
		}
		if user.Pos().IsValid() {
			return user.Pos()
		}
	}
	return instr.X.Pos()
}

// argumentOf is the argument of a call that gives a value; nil in code without source.
func (a *analysisOf) argumentOf(call ssa.CallInstruction, v ssa.Value) ast.Expr {
	syntax := a.callAt[call.Common().Pos()]
	i := slices.Index(call.Common().Args, v)
	if syntax == nil || i < 0 {
		return nil
	}
	if !call.Common().IsInvoke() && call.Common().Signature().Recv() != nil {
		i--
	}
	if i < 0 || i >= len(syntax.Args) {
		return nil
	}
	return syntax.Args[i]
}

// summaryOf is what is known of a function of any package.
func (a *analysisOf) summaryOf(object *types.Func) *ssaflow.Summary {
	if fn := a.flow.FuncOf(object); fn != nil && len(fn.Blocks) > 0 {
		return a.flow.Summary(fn)
	}
	return a.flow.External(object)
}

// stored compares the functions that a field can hold with its contract.
func (k *keeper) stored(instr *ssa.Store) {
	field, ok := instr.Addr.(*ssa.FieldAddr)
	if !ok {
		return
	}
	if _, isFunc := instr.Val.Type().Underlying().(*types.Signature); !isFunc {
		return
	}
	owner := field.X.Type().Underlying().(*types.Pointer).Elem()
	c, ok := k.contractOn(owner.Underlying().(*types.Struct).Field(field.Field), owner)
	if !ok {
		return
	}
	set := k.flow.FuncsStored(instr)
	for _, v := range set.Funcs {
		sum := v.Summary
		if in := k.flow.InContext(v, v.Fn); in != nil {
			sum = in
		}
		name := "the function"
		if v.Fn != nil && v.Fn.Object() != nil {
			name = v.Fn.Object().Name()
		}
		if sum == nil && v.Fn != nil {
			if object, ok := v.Fn.Object().(*types.Func); ok {
				sum = k.summaryOf(object)
			}
		}
		b, captured := k.unwrap(v), ""
		if b.bound {
			captured = b.paramName(0)
		}
		k.compare(c, name, b.fn, claimCheck{sum: sum, captured: captured}, instr.Pos())
	}
	if !set.Complete && k.options.strict && !c.tabled && !isNil(instr.Val) {
		k.add(c, instr.Pos(), hopcheck.UnprovedBody, "what is stored in "+c.name+" cannot be resolved, and it is declared "+c.claim.declares(c.signature()), nil)
	}
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

func (c *contractOfObject) signature() *types.Signature {
	return c.object.Type().Underlying().(*types.Signature)
}

// compare reports how a function breaks a contract; check holds what is known of it. A finding stands at the operation
// within the function if that is in sight, else where the function was handed over.
func (k *keeper) compare(c contractOfObject, name string, fn *ssa.Function, check claimCheck, pos token.Pos) {
	key := c.name + " " + name
	if fn != nil {
		key = c.name + " " + fn.String()
	}
	if k.done[key] {
		return
	}
	k.done[key] = true
	check.claim, check.signature, check.contract, check.tabled = c.claim, c.signature(), true, c.tabled
	v := check.run()
	for _, b := range v.broken {
		if c.tabled {
			k.callback(c, check, b, fn, pos)
			continue
		}
		who := name
		if b.subject != "" {
			who = "the " + b.subject + " of " + name
		}
		text := fmt.Sprintf("%s is declared %s, but %s %s", c.name, c.claim.declares(c.signature()), who, b.text)
		k.add(c, pos, hopcheck.BrokenClaim, text, k.breachWay(b, check.text, pos))
		k.list[len(k.list)-1].Remedy = "let " + name + " keep to it, or change what " + c.name + " declares"
	}
	if k.options.strict && len(v.broken) == 0 && !c.tabled {
		for _, doubt := range v.unproved {
			k.add(c, pos, hopcheck.UnprovedBody, c.name+" is declared "+c.claim.declares(c.signature())+", which is not proved of "+name+": it "+doubt, nil)
		}
	}
}

func (k *keeper) add(c contractOfObject, pos token.Pos, code hopcheck.Code, detail string, related []analysis.RelatedInformation) {
	k.indexed()
	pos, end := k.operation(pos)
	f := &Finding{Pos: pos, End: end, Call: pos, Related: related}
	f.Finding = hopcheck.Finding{Code: code, Detail: detail}
	if at := c.object.Pos(); c.object.Pkg() == k.pass.Pkg && at.IsValid() {
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: at, End: at + token.Pos(len(c.object.Name())), Message: "declared here"})
	}
	k.list = append(k.list, f)
}
