package hopcheck

import (
	"fmt"
	"strings"
)

// Message returns the one sentence for the finding, without position: operator first, role with path, the operation,
// the code, then the remedy; no final dot.
//
//	scan: combine function writes its carry.H through AddInPlace (HOP101); write a new tensor instead, e.g. carry.H.Add(…)
func (f *Finding) Message() string {
	var b strings.Builder
	if f.HOP != "" {
		b.WriteString(f.HOP + ": ")
	}
	b.WriteString(f.sentence())
	fmt.Fprintf(&b, " (%s)", string(f.Code))
	if r := f.remedy(); r != "" {
		b.WriteString("; " + r)
	}
	return b.String()
}

// sentence is what happened, without operator, code and remedy.
func (f *Finding) sentence() string {
	switch {
	case f.Detail != "":
		return f.Detail
	case len(f.Differences) > 0:
		return f.differences()
	case len(f.Pairs) > 0:
		return f.aliases()
	case len(f.Places) > 0:
		return f.writes()
	}
	if r, ok := RuleFor(f.Code); ok {
		return r.Summary
	}
	return "contract violated"
}

func (f *Finding) writes() string {
	s := f.body() + " writes "
	if f.Places[0].Role != Captured {
		s += "its "
	}
	s += list(f.Places)
	if f.Op != "" {
		s += " through " + f.Op
	}
	return s
}

// aliases renders pairs grouped by output, in the order of first appearance.
func (f *Finding) aliases() string {
	var parts []string
	for _, p := range f.Pairs {
		if p.With.Role.IsOutput() {
			parts = append(parts, fmt.Sprintf("%s and %s of the %s share storage", p.Out, p.With, f.body()))
			continue
		}
		with := p.With.String()
		if p.With.Role != Captured {
			with = "its " + with
		}
		parts = append(parts, fmt.Sprintf("%s of the %s shares storage with %s", p.Out, f.body(), with))
	}
	return strings.Join(parts, ", ")
}

func (f *Finding) differences() string {
	parts := make([]string, len(f.Differences))
	for i, d := range f.Differences {
		parts[i] = fmt.Sprintf("%s is %s, %s is %s", d.Got, d.GotValue, d.Want, d.WantValue)
	}
	return strings.Join(parts, "; ")
}

func (f *Finding) body() string {
	if f.Body == "" {
		return "function"
	}
	return f.Body
}

func (f *Finding) remedy() string {
	switch {
	case f.Remedy != "":
		return f.Remedy
	case len(f.Pairs) > 0:
		return fmt.Sprintf("return a copy, e.g. %s.Clone()", f.Pairs[0].copied())
	case len(f.Places) > 0 && functionalForm(f.Op) != "":
		return fmt.Sprintf("write a new tensor instead, e.g. %s.%s(…)", expression(f.Places[0]), functionalForm(f.Op))
	}
	if r, ok := RuleFor(f.Code); ok {
		return r.Remedy
	}
	return ""
}

// copied is the value whose copy ends the alias, as a user would write it.
func (p Pair) copied() string {
	if p.With.Role.IsOutput() {
		return "y"
	}
	return expression(p.With)
}

// expression is the place as Go code: carry.H, x[0], w. An index that is any becomes a variable.
func expression(p Place) string {
	p.Path = strings.ReplaceAll(p.Path, "[]", "[i]")
	switch {
	case p.Role == Captured && p.Label != "":
		return p.Label + p.Path
	case p.Role == Captured:
		return "t"
	case p.Role == Element:
		return p.Label + p.Path
	default:
		return p.Role.String() + p.Path
	}
}

// functionalForm is the functional op that an in-place op abbreviates: Add for AddInPlace; empty where there is none.
func functionalForm(op string) string {
	name, ok := strings.CutSuffix(op, "InPlace")
	if !ok {
		return ""
	}
	return name
}

func list(places []Place) string {
	words := make([]string, len(places))
	for i, p := range places {
		words[i] = p.String()
	}
	return strings.Join(words, ", ")
}
