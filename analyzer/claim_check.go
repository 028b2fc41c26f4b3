package analyzer

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/ssaflow"
)

// claimCheck compares what a function was found to do with what directives declare.
type claimCheck struct {
	claim Claim
	sum   *ssaflow.Summary
	// signature names the places: that of the function itself, or that of the contract.
	signature *types.Signature
	// recv is the type that implements a method of an interface.
	recv types.Type
	// captured is the name of the receiver of a bound method.
	captured string
	// tabled is true for a row of a table, which says of the receiver what may be written.
	tabled bool
	// contract is true where callers know the claim only: what it does not name the function may not do. A claim about a function
	// in sight speaks of what it names.
	contract bool
}

// breach is one way in which a claim is refuted.
type breach struct {
	// subject is what the text speaks of, a result; empty for the function. place and op are set for writes.
	subject, text string
	place         ClaimPlace
	op            string
	witness       []ssaflow.Step
	// captured is the effect on memory that the function captures or that is global.
	captured bool
	// never is true where a place is not written that the claim names.
	never bool
	// result is what to declare of the results, instead what to return.
	result, instead string
}

// verdict is the outcome of a comparison: the claim is proved when both lists are empty.
type verdict struct {
	broken   []breach
	unproved []string
}

func (v *verdict) doubt(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(v.unproved, text) {
		v.unproved = append(v.unproved, text)
	}
}

// run compares.
func (c *claimCheck) run() verdict {
	var v verdict
	if c.sum == nil || c.sum.Top {
		v.doubt("cannot be seen")
		return v
	}
	for i := range c.sum.Slots {
		v.doubt("calls %s, which its caller decides", c.sum.Slots[i].Name)
	}
	for _, f := range c.sum.Flags {
		switch f.Kind {
		case ssaflow.Unresolved:
			v.doubt("calls %s, which cannot be resolved", f.Op)
		case ssaflow.Blind:
			v.doubt("changes memory of which is not known where it comes from")
		}
	}
	c.writes(&v)
	if c.claim.Pure {
		c.sideEffects(&v)
	}
	c.results(&v)
	return v
}

// speaksOfWrites reports whether the claim says which parameters are written.
func (c *claimCheck) speaksOfWrites() bool {
	return c.contract || c.claim.Pure || len(c.claim.Mutates) > 0
}

// writes compares the effects on parameters, and on captured and global memory for a pure function.
func (c *claimCheck) writes(v *verdict) {
	if !c.speaksOfWrites() {
		return
	}
	done := make([]bool, len(c.claim.Mutates))
	unsure := len(v.unproved) > 0
	var told []ClaimPlace
	for _, e := range c.sum.Effects {
		at, isParam := c.parameter(e.Ref)
		if !isParam {
			if c.claim.Pure && (e.Ref.Root.Kind == ssaflow.FreeVar || e.Ref.Root.Kind == ssaflow.Global) {
				switch {
				case !e.Definite:
					v.doubt("hands %s to %s, which cannot be seen", c.outside(e.Ref), e.Op)
				case e.Kind != ssaflow.Append:
					v.broken = append(v.broken, breach{text: fmt.Sprintf("writes %s%s", c.outside(e.Ref), through(operationName(e))), witness: e.Witness, captured: true})
				}
			}
			continue
		}
		if !e.Definite || e.Kind == ssaflow.Append {
			unsure = true
			if !c.covered(at) {
				v.doubt("hands its %s to %s, which cannot be seen", c.text(at), e.Op)
			}
			continue
		}
		named := false
		for i, p := range c.claim.Mutates {
			if p.Param == at.Param && (within(at.Path, p.Path) || within(p.Path, at.Path)) {
				done[i], named = true, true
			}
		}
		if named && c.covered(at) || slices.Contains(told, at) || c.ownState(at, e.Kind) {
			continue
		}
		told = append(told, at)
		op := operationName(e)
		v.broken = append(v.broken, breach{text: fmt.Sprintf("writes its %s%s", c.text(at), through(op)), place: at, op: op, witness: e.Witness})
	}
	if c.contract || unsure {
		return
	}
	for i, p := range c.claim.Mutates {
		if !done[i] {
			v.broken = append(v.broken, breach{text: fmt.Sprintf("never writes its %s", c.text(p)), place: p, never: true})
		}
	}
}

// ownState reports whether a place is state of the type that implements a method, and no memory that a contract speaks of: a
// contract that is silent about the receiver says what happens to tensors.
func (c *claimCheck) ownState(at ClaimPlace, kind ssaflow.EffectKind) bool {
	if c.recv == nil || c.tabled || at.Param != 0 || c.claim.Pure || kind == ssaflow.Write {
		return false
	}
	t, ok := typeAt(c.recv, at.Path)
	return ok && t != nil && !mayHoldTensors(t, nil)
}

// covered reports whether the claim lets a place be written.
func (c *claimCheck) covered(at ClaimPlace) bool {
	return slices.ContainsFunc(c.claim.Mutates, func(p ClaimPlace) bool { return p.Param == at.Param && within(at.Path, p.Path) })
}

// within reports whether a path is another one or lies below it, with [] for any index.
func within(path, above string) bool {
	for above != "" {
		if path == "" {
			return false
		}
		var x, y string
		x, path = cutStep(path)
		y, above = cutStep(above)
		if x != y && !(x[0] == '[' && y[0] == '[' && (x == "[]" || y == "[]")) {
			return false
		}
	}
	return true
}

// sideEffects finds what a pure function may not do beside writing.
func (c *claimCheck) sideEffects(v *verdict) {
	for _, f := range c.sum.Flags {
		text := ""
		switch f.Kind {
		case ssaflow.Clock:
			text = "reads the clock"
		case ssaflow.Rand:
			text = "reads random numbers"
		case ssaflow.Env:
			text = "reads the environment"
		case ssaflow.IO:
			text = "does input or output"
		case ssaflow.Goroutine:
			text = "starts a goroutine"
		case ssaflow.Channel:
			text = "uses a channel"
		case ssaflow.GlobalWrite:
			text = "writes package-level state"
		case ssaflow.Lock, ssaflow.Unsafe, ssaflow.Reflect:
			v.doubt("calls %s", f.Op)
			continue
		default: // printing is no side effect here, as in bodies
			continue
		}
		v.broken = append(v.broken, breach{text: text + through(f.Op), witness: f.Witness, captured: true})
	}
}

func through(op string) string {
	if op == "" {
		return ""
	}
	return " through " + op
}

// results compares where the results come from.
func (c *claimCheck) results(v *verdict) {
	claimed := c.claim.Returns
	if len(claimed) == 0 {
		if !c.contract {
			return
		}
		claimed = make([]ClaimResult, c.signature.Results().Len()) // what a contract does not speak of is fresh
		for i := range claimed {
			claimed[i].Fresh = true
		}
	}
	var inside contents // of what the function made
	for _, row := range c.sum.Stores {
		if row.Dst.Root.Kind == ssaflow.Fresh {
			inside.rows = append(inside.rows, row)
		}
	}
	for i, leaves := range c.sum.Results {
		if i >= len(claimed) || i >= c.signature.Results().Len() || sharesNothing(c.signature.Results().At(i).Type()) {
			continue
		}
		want, told := claimed[i], false
		made := false
		for _, leaf := range leaves {
			inside.visit(leaf, nil, func(l ssaflow.Leaf, within []container, _ bool) {
				for _, o := range l.Origins {
					switch at, isParam := c.parameter(o.Ref); {
					case isParam:
						if !told && !c.mayShare(want, at) {
							told = true
							v.broken = append(v.broken, breach{subject: c.result(i), text: "shares storage with its " + c.text(at), witness: o.Witness, result: c.also(claimed, i, "view("+c.text(at)+")"), instead: "a copy"})
						}
					case o.Ref.Root.Kind == ssaflow.Unknown || o.Ref.Root.Kind == ssaflow.SlotResult:
						v.doubt("returns a %s of which is not known where it comes from", c.result(i))
					case o.Ref.Root.Kind == ssaflow.Global || o.Ref.Root.Kind == ssaflow.FreeVar:
						if !told {
							told = true
							v.broken = append(v.broken, breach{subject: c.result(i), text: "shares storage with " + c.outside(o.Ref), witness: o.Witness})
						}
					case o.Ref.Root.Kind == ssaflow.Fresh && len(within) == 0 && l.Path == "":
						made = true
					}
				}
			})
		}
		if made && !want.Fresh && !told && !holdsMore(c.signature.Results().At(i).Type()) {
			v.broken = append(v.broken, breach{subject: c.result(i), text: "can be fresh memory", result: c.also(claimed, i, "fresh"), instead: "a view"})
		}
	}
}

// mayShare reports whether the claim lets a result share storage with a place.
func (c *claimCheck) mayShare(r ClaimResult, at ClaimPlace) bool {
	return slices.ContainsFunc(r.Views, func(p ClaimPlace) bool {
		return p.Param == at.Param && (within(at.Path, p.Path) || within(p.Path, at.Path))
	})
}

// sharesNothing reports whether values of a type share no storage that a claim speaks of: numbers, text, functions, errors.
func sharesNothing(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Signature, *types.Chan:
		return true
	case *types.Interface:
		return types.Identical(t, types.Universe.Lookup("error").Type())
	}
	return false
}

// holdsMore reports whether a fresh value of the type can hold views: a slice of tensors is made by the function, its elements
// need not be.
func holdsMore(t types.Type) bool {
	if isTensorPointer(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		_, basic := u.Elem().Underlying().(*types.Basic)
		return !basic
	case *types.Pointer:
		_, basic := u.Elem().Underlying().(*types.Basic)
		return !basic
	}
	return true
}

// parameter is the place of the claim that a reference names.
func (c *claimCheck) parameter(ref ssaflow.Ref) (ClaimPlace, bool) {
	if i := ref.Root.Index; ref.Root.Kind == ssaflow.Param && i < numParams(c.signature) {
		return ClaimPlace{Param: i, Path: ref.Fields()}, true
	}
	return ClaimPlace{}, false
}

// outside names memory that the function captures, or a package-level variable.
func (c *claimCheck) outside(ref ssaflow.Ref) string {
	if ref.Root.Kind == ssaflow.FreeVar && c.captured != "" {
		return c.captured + ref.Fields()
	}
	return c.sum.Text(ref)
}

// text names a place by the parameter of the claim.
func (c *claimCheck) text(p ClaimPlace) string { return c.name(p.Param) + p.Path }

// name is what a parameter is called.
func (c *claimCheck) name(param int) string {
	name := paramVar(c.signature, param).Name()
	switch {
	case name != "" && name != "_":
	case c.signature.Recv() != nil && param == 0:
		name = receiverWord
	case c.signature.Recv() != nil:
		name = fmt.Sprintf("parameter %d", param)
	default:
		name = fmt.Sprintf("parameter %d", param+1)
	}
	return name
}

// result names a result.
func (c *claimCheck) result(i int) string {
	if c.signature.Results().Len() < 2 {
		return "result"
	}
	if name := c.signature.Results().At(i).Name(); name != "" && name != "_" {
		return "result " + name
	}
	return fmt.Sprintf("result %d", i)
}

// declares says what is declared: pure, to write t.W, to return view(t).
func (c Claim) declares(signature *types.Signature) string {
	check := claimCheck{signature: signature}
	var said []string
	if c.Pure {
		said = append(said, "pure")
	}
	if len(c.Mutates) > 0 {
		var places []string
		for _, p := range c.Mutates {
			places = append(places, check.text(p))
		}
		said = append(said, "to write "+strings.Join(places, ", "))
	}
	if len(c.Returns) > 0 {
		var results []string
		for _, r := range c.Returns {
			results = append(results, check.said(r))
		}
		said = append(said, "to return "+strings.Join(results, ", "))
	}
	return strings.Join(said, " and ")
}

// mend is the remedy for a breach of a claim about a function in sight: what its author may have meant to declare, or to do.
func (c *claimCheck) mend(b breach) string {
	switch {
	case b.never:
		return "take " + c.text(b.place) + " out of //hop:mutates, or write it"
	case b.op != "" && c.claim.Pure:
		return "declare //hop:mutates " + c.text(b.place) + " instead, or write a new tensor"
	case b.op != "":
		return "add " + c.text(b.place) + " to //hop:mutates, or write a new tensor"
	case b.result != "":
		return "declare //hop:returns " + b.result + ", or return " + b.instead
	case c.claim.Pure && b.captured:
		return "take back //hop:pure, or leave that to the caller"
	}
	return ""
}

// also is what is claimed of all results, with one more origin for result i.
func (c *claimCheck) also(claimed []ClaimResult, i int, more string) string {
	list := make([]string, len(claimed))
	for k, r := range claimed {
		if list[k] = c.said(r); k == i {
			list[k] = strings.TrimPrefix(list[k]+"|"+more, "|")
		}
	}
	return strings.Join(list, ", ")
}

// said is what is claimed of a result, in the words of the directive.
func (c *claimCheck) said(r ClaimResult) string {
	var words []string
	for _, p := range r.Views {
		words = append(words, "view("+c.text(p)+")")
	}
	if r.Fresh {
		words = append(words, "fresh")
	}
	return strings.Join(words, "|")
}
