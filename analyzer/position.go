package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/hoplint/hoplint/ssaflow"
)

// standsAt is where a finding with the given way stands: the last position of the way that lies in the body, else the
// argument of the HOP call.
func (a *analysisOf) standsAt(u *bodyUse, witness []ssaflow.Step) (pos, end token.Pos) {
	for i := len(witness) - 1; i >= 0; i-- {
		step := witness[i]
		if step.Kind != ssaflow.Enter && u.fn.contains(step.Pos) {
			return a.operation(step.Pos)
		}
	}
	return a.argument(u)
}

// operation is the extent of the operation at a position: the call whose parenthesis is there, else the statement.
func (a *analysisOf) operation(pos token.Pos) (token.Pos, token.Pos) {
	if call := a.callAt[pos]; call != nil {
		start := call.Pos()
		if method, ok := call.Fun.(*ast.SelectorExpr); ok && a.line(start) != a.line(call.Lparen) {
			start = method.Sel.Pos() // the line of the method in a chain over several lines
		}
		return start, call.End()
	}
	for _, n := range a.path(pos) {
		switch n.(type) {
		case *ast.CallExpr, *ast.AssignStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.RangeStmt, *ast.ExprStmt:
			return n.Pos(), n.End()
		case ast.Stmt, ast.Decl:
			return pos, pos + 1
		}
	}
	return pos, pos + 1
}

func (a *analysisOf) line(pos token.Pos) int { return a.pass.Fset.Position(pos).Line }

// argument is the extent of the body in the HOP call.
func (a *analysisOf) argument(u *bodyUse) (pos, end token.Pos) {
	if e := u.expr(); e != nil {
		return e.Pos(), e.End()
	}
	return u.call.pos, u.call.pos + 1
}

// expr is the argument that gives the body; nil in code without source.
func (u *bodyUse) expr() ast.Expr {
	call := u.call.syntax
	if call == nil {
		return nil
	}
	arg := u.arg.arg
	if common := u.call.instr.Common(); !common.IsInvoke() && common.Signature().Recv() != nil {
		arg--
	}
	if arg < 0 || arg >= len(call.Args) {
		return nil
	}
	return call.Args[arg]
}

// maxRelated keeps the way short: some drivers show every related position as a finding of its own.
const maxRelated = 5

// way is the related positions that lead from where memory enters the body to the operation, and the HOP call where it stands apart.
func (a *analysisOf) way(u *bodyUse, witness []ssaflow.Step, place string, stands token.Pos) []analysis.RelatedInformation {
	if u.fn.syntax == nil {
		return a.wayElsewhere(u, witness, place)
	}
	list := a.steps(witness, place, stands)
	if u.fn.syntax == nil || u.fn.syntax.End() <= u.call.pos || u.call.pos < u.fn.syntax.Pos() {
		if e := u.expr(); e != nil && e.Pos() != stands {
			if _, literal := e.(*ast.FuncLit); !literal {
				list = append(list, analysis.RelatedInformation{Pos: e.Pos(), End: e.End(), Message: "given to " + u.call.contract.Name + " here"})
			}
		}
	}
	return list
}

// wayElsewhere is the way through a body of another package, of which only the end is known.
func (a *analysisOf) wayElsewhere(u *bodyUse, witness []ssaflow.Step, place string) []analysis.RelatedInformation {
	pos, end := a.argument(u)
	text := a.bodyText(u) + " is given to " + u.call.contract.Name + " here"
	if place != "" {
		text = place + " enters " + a.bodyText(u) + " here"
	}
	if n := len(witness); n > 0 {
		if last := stepText(witness[n-1], place); last != "" && witness[n-1].Where != "" {
			text += fmt.Sprintf(", %s (%s)", last, witness[n-1].Where)
		}
	}
	return []analysis.RelatedInformation{{Pos: pos, End: end, Message: text}}
}

// steps is the related positions of a witness; place names what enters at the first.
func (a *analysisOf) steps(witness []ssaflow.Step, place string, stands token.Pos) []analysis.RelatedInformation {
	var list []analysis.RelatedInformation
	for i, step := range witness {
		text := stepText(step, place)
		switch {
		case text == "" || i > 0 && step.Kind == ssaflow.Pass && step.Pos == witness[i-1].Pos && witness[i-1].Kind == ssaflow.Pass:
			// nothing to tell, or the body of a HOP that was told already
		case step.Pos.IsValid():
			pos, end := step.Pos, step.Pos
			if step.Kind != ssaflow.Enter {
				pos, end = a.operation(step.Pos)
			}
			next := analysis.RelatedInformation{Pos: pos, End: end, Message: text + " here"}
			if n := len(list); n == 0 || list[n-1] != next {
				list = append(list, next)
			}
		case step.Where != "" && len(list) > 0:
			list[len(list)-1].Message += fmt.Sprintf(", %s (%s)", text, step.Where)
		case step.Where != "":
			list = append(list, analysis.RelatedInformation{Pos: stands, Message: fmt.Sprintf("%s (%s)", text, step.Where)})
		}
	}
	if n := len(list); n > maxRelated {
		list = append(list[:maxRelated-2:maxRelated-2], list[n-2:]...) // where it comes from and where it ends matter most
	}
	return list
}

func related(pos, end token.Pos, message string) analysis.RelatedInformation {
	return analysis.RelatedInformation{Pos: pos, End: end, Message: message}
}

// stepText says what happens at a step; empty for steps that tell a reader nothing.
func stepText(step ssaflow.Step, place string) string {
	switch step.Kind {
	case ssaflow.Enter:
		return place + " enters"
	case ssaflow.View:
		return "viewed by " + step.Callee
	case ssaflow.Pass:
		if place == "" {
			return "calls " + step.Callee
		}
		return "passed to " + step.Callee
	case ssaflow.Stored:
		return "stored"
	case ssaflow.Written:
		if step.Callee == "store" {
			return "written by assignment"
		}
		return "written by " + step.Callee
	case ssaflow.Handed:
		return "handed to " + step.Callee
	case ssaflow.Made:
		return "made by " + step.Callee
	case ssaflow.Did:
		switch {
		case step.Where == "":
		case token.IsExported(step.Callee):
			return "which calls " + step.Callee
		default:
			return "which does it"
		}
	}
	return ""
}
