package hop

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// Error is what ops and HOPs panic with on misuse, and what [Try] and compiled calls return. errors.Is finds a rule's
// code in it: errors.Is(err, hopcheck.MutatedCarry).
type Error struct {
	// Code is the broken rule; empty for plain misuse such as shapes that do not broadcast.
	Code hopcheck.Code
	// HOP is the operator whose body was refused, e.g. "scan"; empty outside of HOPs.
	HOP string
	// Op is the operation, as the user wrote it, e.g. "AddInPlace".
	Op string
	// Role and Path name the tensor: the first place of the finding.
	Role hopcheck.Role
	Path string
	// Step is the step index under Stepwise, -1 otherwise.
	Step int
	// Position is the user's line; the zero Position when it is not known. A write stands at the op that wrote, a returned
	// view (HOP301 to HOP303) at the op that made it. What was returned without an op of its own, such as the carry itself,
	// is known by the function alone and stands where that begins; of a bound method, whose source is not known, at the call
	// of the operator. The hoplint command puts all of these at the return expression.
	Position token.Position
	// Operators is the path of nested operators, outermost first, e.g. "scan[2] / cond.onTrue".
	Operators string
	// Detail is the sentence for plain misuse; empty when Finding says it.
	Detail string
	// Finding is the violation as data; its Message is the sentence that the static analyzer prints.
	Finding hopcheck.Finding
	// VersionBefore and VersionAfter are the version counters around a refused write.
	VersionBefore, VersionAfter uint64
	// More are further findings of the same refusal, in a fixed order.
	More []*Error
	// Err is the cause, e.g. a context's error; nil otherwise.
	Err error
	// insideTrace marks the error of a stepwise operator that turned out to stand in a traced body.
	insideTrace bool
	probing     bool // which is a probe
	// needsData marks the error of what cannot run on a traced tensor because it needs values.
	needsData bool
}

// Error returns the position, the sentence, the remedy and, behind them, what only the runtime knows: step, versions
// and nesting. Further findings follow, one a line.
func (e *Error) Error() string {
	var b strings.Builder
	e.write(&b)
	for _, m := range e.More {
		b.WriteByte('\n')
		m.write(&b)
	}
	return b.String()
}

func (e *Error) write(b *strings.Builder) {
	if e.Position.IsValid() {
		fmt.Fprintf(b, "%s: ", shortPosition(e.Position))
	}
	if e.Detail != "" {
		if prefix := e.operator(); prefix != "" {
			b.WriteString(prefix + ": ")
		}
		b.WriteString(e.Detail)
	} else {
		b.WriteString(e.Finding.Message())
	}
	var notes []string
	if e.Step >= 0 {
		notes = append(notes, fmt.Sprintf("step %d", e.Step))
	}
	if e.VersionAfter != e.VersionBefore {
		notes = append(notes, fmt.Sprintf("version %d before, %d after", e.VersionBefore, e.VersionAfter))
	}
	if strings.Contains(e.Operators, "/") || e.Detail != "" && strings.Contains(e.Operators, ".") {
		notes = append(notes, "in "+e.Operators)
	}
	if len(notes) > 0 {
		b.WriteString(" [" + strings.Join(notes, ", ") + "]")
	}
}

// operator is what stands before the sentence of plain misuse: operator and op.
func (e *Error) operator() string {
	if e.HOP != "" && e.Op != "" {
		return e.HOP + ": " + e.Op
	}
	return e.HOP + e.Op
}

// Is reports whether target is the code of this error or of one of its further findings.
func (e *Error) Is(target error) bool {
	code, ok := target.(hopcheck.Code)
	if !ok {
		return false
	}
	if e.Code == code {
		return true
	}
	for _, m := range e.More {
		if m.Is(target) {
			return true
		}
	}
	return false
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Try runs f and returns the *Error that it panicked with, or nil. Any other panic passes through.
func Try(f func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Error:
			err = p
		default:
			panic(p)
		}
	}()
	f()
	return nil
}

// misuse panics with a plain error about op at the user's line.
func misuse(op, format string, args ...any) {
	panic(misuseError(op, format, args...))
}

func misuseError(op, format string, args ...any) *Error {
	return &Error{Op: op, Step: -1, Position: userPosition(), Detail: fmt.Sprintf(format, args...)}
}

// refusal makes an error from a finding.
func refusal(f hopcheck.Finding, pos token.Position) *Error {
	e := &Error{Code: f.Code, HOP: f.HOP, Op: f.Op, Step: -1, Position: pos, Finding: f}
	switch {
	case len(f.Places) > 0:
		e.Role, e.Path = f.Places[0].Role, f.Places[0].Path
	case len(f.Pairs) > 0:
		e.Role, e.Path = f.Pairs[0].Out.Role, f.Pairs[0].Out.Path
	case len(f.Differences) > 0:
		e.Role, e.Path = f.Differences[0].Got.Role, f.Differences[0].Got.Path
	}
	return e
}

// inside sets the path of operators of e and its further findings where it is not known yet.
func (e *Error) inside(path string) {
	for _, f := range append([]*Error{e}, e.More...) {
		if f.Operators == "" {
			f.Operators = path
		}
	}
}

// below puts the path of a traced body in front of those of e and its further findings that do not begin with it: they
// came up in the body itself, or in an operator in it that was traced apart.
func (e *Error) below(path string) {
	if path == "" {
		return
	}
	for _, f := range append([]*Error{e}, e.More...) {
		switch {
		case f.Operators == "":
			f.Operators = path
		case f.Operators != path && !strings.HasPrefix(f.Operators, path+" / "):
			f.Operators = path + " / " + f.Operators
		}
	}
}

// joinErrors makes one error of several: the first, with the others behind it. It returns nil when there are none.
func joinErrors(errs []*Error) *Error {
	if len(errs) == 0 {
		return nil
	}
	first := errs[0]
	for _, e := range errs[1:] {
		more := e.More
		e.More = nil
		first.More = append(append(first.More, e), more...)
	}
	return first
}
