package analyzer

import (
	"go/token"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// reads finds where a body reads values that depend on its inputs: HOP501. The summary is one of [analysisOf.reading]: its writes
// are reads, and its views are what was computed.
func (a *analysisOf) reads(u *bodyUse) []*Finding {
	if u.call.contract.Name == "with_observer" {
		return nil // the one operator that runs its body on the values themselves
	}
	var list []*Finding
	for _, effect := range u.fn.summary.Effects {
		if !isReader(effect.Op) && !isText(effect.Op) || effect.Kind != ssaflow.Write || !effect.Definite || strings.Contains(effect.Ref.Path, content) {
			continue // of what went into a tensor before the body began nothing else is said than of the tensor
		}
		place, ok := u.place(effect.Ref)
		if !ok || place.Role == hopcheck.Captured {
			continue // the value of a captured tensor is there while the body is traced
		}
		pos, end := a.standsAt(u, effect.Witness)
		if f := findAt(list, hopcheck.DataDependentControlFlow, pos); f != nil {
			f.addPlace(place)
			continue
		}
		f := &Finding{Pos: pos, End: end, Related: a.way(u, effect.Witness, place.String(), pos)}
		for i, r := range f.Related {
			f.Related[i].Message = readWords.Replace(r.Message)
		}
		f.Finding = hopcheck.Finding{Code: hopcheck.DataDependentControlFlow, HOP: u.call.contract.Name, Body: u.arg.body.Words,
			Places: []hopcheck.Place{place}, Op: effect.Op}
		list = append(list, f)
	}
	return list
}

// fixedDimensions finds where a body asks for the value of a symbolic integer, which fixes it in the graph: HOP502. It breaks no
// contract, so it is told on demand only.
func (a *analysisOf) fixedDimensions(u *bodyUse) []*Finding {
	if !a.options.info || u.call.contract.Name == "with_observer" {
		return nil
	}
	var list []*Finding
	for _, flag := range u.fn.summary.Flags {
		pos, end := a.standsAt(u, flag.Witness)
		if flag.Op != fixesDimension || findAt(list, hopcheck.SpecialisedDimension, pos) != nil {
			continue
		}
		f := &Finding{Pos: pos, End: end, Related: a.way(u, flag.Witness, "", pos)}
		f.Finding = hopcheck.Finding{Code: hopcheck.SpecialisedDimension, HOP: u.call.contract.Name, Body: u.arg.body.Words,
			Detail: u.arg.body.Words + " fixes a dynamic dimension in the graph through Int.Value"}
		list = append(list, f)
	}
	return list
}

// fixesDimension is the operation of the flag that Int.Value has in an analysis of values; no other effect on the outside world is
// asked for there.
const fixesDimension = "Int.Value"

var readWords = strings.NewReplacer("viewed by", "computed by", "written by", "read by")

// isReader reports whether an operation of the runtime takes values out of a tensor. Printing does so too and is allowed.
func isReader(op string) bool {
	return slices.Contains([]string{"Item", "ItemAt", "ToSlice", "Values", "Data", "Dense",
		"SaveNPY", "SaveNPZ", "SaveSafetensors", "SaveCSV", "SaveTree", "WriteNPY", "WriteNPZ", "WriteSafetensors", "WriteCSV"}, op)
}

// readsSomething reports whether a function reads values of what it was given.
func readsSomething(s *ssaflow.Summary) bool {
	return slices.ContainsFunc(s.Effects, func(e ssaflow.Effect) bool { return isReader(e.Op) || isText(e.Op) })
}

// findAt returns the finding with the given code and position.
func findAt(list []*Finding, code hopcheck.Code, pos token.Pos) *Finding {
	for _, f := range list {
		if f.Code == code && f.Pos == pos {
			return f
		}
	}
	return nil
}
