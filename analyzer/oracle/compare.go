package oracle

import (
	"fmt"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// Report is the comparison of the two halves on some programs.
type Report struct {
	Programs int
	// Clean programs were not refused; Failed ones ended for another reason and say nothing.
	Clean, Failed int
	// Refused counts what the runtime refused, Found what the analyzer reported.
	Refused, Found int
	// Missed are refusals that no finding covers; Strict are those that a finding of strict mode alone covers, Unproved
	// those in a body that strict mode calls unproved.
	Missed, Strict, Unproved []Disagreement
	// Moved are refusals of two elements of one container that was handed to the body or copied by Clone: the analyzer
	// does not tell its elements apart.
	Moved []Disagreement
	// Unwitnessed are findings that cover no refusal.
	Unwitnessed []Disagreement
}

// Disagreement is what one half says of a program and the other does not.
type Disagreement struct {
	Program Program
	What    Refusal
	// Found is all that the analyzer says of the program, Refused all that the runtime says.
	Found, Refused []Refusal
	Reason         Reason
}

// Recall is the share of refusals that are covered or in an unproved body.
func (r *Report) Recall() float64 { return share(r.Refused-len(r.Missed), r.Refused) }

// Precision is the share of findings that have a witness or a known reason for having none.
func (r *Report) Precision() float64 {
	unknown := 0
	for _, d := range r.Unwitnessed {
		if d.Reason == Unknown {
			unknown++
		}
	}
	return share(r.Found-unknown, r.Found)
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// Static is what the analyzer says of one program.
type Static struct {
	Findings []Refusal
	// Strict are the findings of strict mode, which takes what a loop or a container may hold for shared.
	Strict []Refusal
	// Unproved says that strict mode reports that the body could not be proved.
	Unproved bool
}

// Add compares what both halves say of a program.
func (r *Report) Add(p Program, dynamic Outcome, static Static) {
	r.Programs++
	if dynamic.Other != "" {
		r.Failed++
		return
	}
	if len(dynamic.Refusals) == 0 {
		r.Clean++
	}
	r.Refused += len(dynamic.Refusals)
	r.Found += len(static.Findings)
	for _, d := range dynamic.Refusals {
		if covered(d, static.Findings) {
			continue
		}
		miss := Disagreement{Program: p, What: d, Found: static.Findings}
		switch {
		case covered(d, static.Strict):
			r.Strict = append(r.Strict, miss)
		case d.Code == string(hopcheck.OutputsAlias) && d.Role == d.WithRole && hopcheck.AnyIndex(d.Path) == hopcheck.AnyIndex(d.WithPath):
			r.Moved = append(r.Moved, miss)
		case static.Unproved:
			r.Unproved = append(r.Unproved, miss)
		default:
			r.Missed = append(r.Missed, miss)
		}
	}
	for _, s := range static.Findings {
		if !s.witnessed(dynamic.Refusals) {
			r.Unwitnessed = append(r.Unwitnessed, Disagreement{Program: p, What: s, Refused: dynamic.Refusals, Reason: reasonOf(p, s)})
		}
	}
}

func covered(dynamic Refusal, static []Refusal) bool {
	for _, s := range static {
		if s.covers(dynamic) {
			return true
		}
	}
	return false
}

func (r Refusal) witnessed(dynamic []Refusal) bool {
	for _, d := range dynamic {
		if r.covers(d) {
			return true
		}
	}
	return false
}

// covers reports whether a finding speaks of what was refused: of aliases, the output decides. Both outputs count where
// two share.
func (r Refusal) covers(d Refusal) bool {
	same := func(role, path, dRole, dPath string) bool {
		return role == dRole && (role == "captured" || leadsTo(path, dPath))
	}
	switch {
	case r.Code != d.Code:
		return false
	case d.Code != string(hopcheck.OutputsAlias):
		return same(r.Role, r.Path, d.Role, d.Path)
	}
	return same(r.Role, r.Path, d.Role, d.Path) && same(r.WithRole, r.WithPath, d.WithRole, d.WithPath) ||
		same(r.Role, r.Path, d.WithRole, d.WithPath) && same(r.WithRole, r.WithPath, d.Role, d.Path)
}

// leadsTo reports whether a static path is the dynamic one, or that of a container of it; an index is any index.
func leadsTo(static, dynamic string) bool {
	rest, ok := strings.CutPrefix(hopcheck.AnyIndex(dynamic), hopcheck.AnyIndex(static))
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Reason is why a finding may have no witness.
type Reason string

const (
	// Unknown: a false alarm, as far as is known.
	Unknown Reason = "unknown"
	// MayView: Reshape copies where no view exists; the analyzer takes both to happen.
	MayView Reason = "reshape that may copy"
	// CapturedAlone: an op on captured tensors alone runs at once, and the runtime does not see it.
	CapturedAlone Reason = "op on captured tensors alone"
	// Correlated: a flag is asked twice, and the finding's way takes both answers.
	Correlated Reason = "one flag asked several times"
	// Elements: the analyzer takes all elements of a slice, array or map for one.
	Elements Reason = "elements of a container"
)

// reasonOf guesses from the text; a finding that has a reason is not looked at any further.
func reasonOf(p Program, s Refusal) Reason {
	switch {
	case s.Code == "HOP104":
		return CapturedAlone
	case strings.Contains(p.Text, "Reshape("):
		return MayView
	}
	for i := range maxFlags {
		if strings.Count(p.Text, fmt.Sprintf("flags[%d]", i)) > 1 {
			return Correlated
		}
	}
	if strings.Contains(strings.ReplaceAll(p.Text, "flags[", ""), "[") {
		return Elements
	}
	return Unknown
}

// String is the report in one line.
func (r *Report) String() string {
	reasons := map[Reason]int{}
	for _, d := range r.Unwitnessed {
		reasons[d.Reason]++
	}
	text := fmt.Sprintf("%d programs, %d clean, %d failed otherwise; %d refusals, recall %.4f (%d in strict mode alone, %d in unproved bodies, %d of elements of one container); %d findings, precision %.4f; without witness",
		r.Programs, r.Clean, r.Failed, r.Refused, r.Recall(), len(r.Strict), len(r.Unproved), len(r.Moved), r.Found, r.Precision())
	for i, reason := range []Reason{Unknown, MayView, CapturedAlone, Correlated, Elements} {
		sep := ","
		if i == 0 {
			sep = ":"
		}
		text += fmt.Sprintf("%s %s %d", sep, reason, reasons[reason])
	}
	return text
}
