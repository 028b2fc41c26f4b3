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
		said, _ := f.cutAdvice()
		return said
	case len(f.Differences) > 0:
		return f.differences()
	case len(f.Pairs) > 0:
		return f.aliases()
	case f.Code == LeakedTensor && len(f.Places) > 0:
		return f.stores()
	case f.Code == DataDependentControlFlow && f.Op != "":
		return f.reads()
	case f.Code == DiscardedResult && f.Op != "":
		return fmt.Sprintf("the result of %s is dropped", f.Op)
	case f.Code == InPlaceOnLeaf && len(f.Places) > 0:
		return fmt.Sprintf("%s writes %s, a leaf that requires grad", f.Op, list(f.Places))
	case len(f.Places) > 0:
		return f.writes()
	}
	if r, ok := RuleFor(f.Code); ok {
		return r.Summary
	}
	return "contract violated"
}

func (f *Finding) writes() string {
	s := f.body() + " writes " + possessive(f.Places[0]) + list(f.Places) + f.home()
	if f.Op != "" {
		s += " through " + f.Op
	}
	return s
}

func (f *Finding) stores() string {
	return f.body() + " stores " + possessive(f.Places[0]) + list(f.Places) + " in " + f.Into.String() + strings.TrimSuffix(f.home(), ",")
}

// reads speaks of the inputs as a whole where it is not known on which of them the value depends: at run time.
func (f *Finding) reads() string {
	on := "its inputs"
	if len(f.Places) > 0 {
		on = possessive(f.Places[0]) + list(f.Places)
	}
	return fmt.Sprintf("%s reads a value that depends on %s through %s", f.body(), on, f.Op)
}

// possessive is the word before a place: what a body was given is its own, what it captured or made is not.
func possessive(p Place) string {
	if p.Role == Captured || p.Role == NoRole {
		return ""
	}
	return "its "
}

// home is where the written memory lives, as an apposition.
func (f *Finding) home() string {
	if f.Home == "" {
		return ""
	}
	return ", " + f.Home + ","
}

// aliases renders the pairs in the order in which they were found.
func (f *Finding) aliases() string {
	return enumerate(f.Pairs, ", ", func(p Pair) string {
		if p.With.Role.IsOutput() {
			return fmt.Sprintf("%s and %s of the %s share storage", p.Out, p.With, f.body())
		}
		with := p.With.String()
		if p.With.Role != Captured {
			with = "its " + with
		}
		return fmt.Sprintf("%s of the %s shares storage with %s", p.Out, f.body(), with)
	})
}

func (f *Finding) differences() string {
	return enumerate(f.Differences, "; ", func(d Difference) string {
		return fmt.Sprintf("%s is %s, %s is %s", d.Got, d.GotValue, d.Want, d.WantValue)
	})
}

// maxListed bounds what one sentence lists; the fields of the finding hold all.
const maxListed = 6

// enumerate joins the items, and says how many more there are than one sentence lists.
func enumerate[E any](list []E, separator string, text func(E) string) string {
	var words []string
	for i, e := range list {
		if i == maxListed {
			words = append(words, fmt.Sprintf("and %d more", len(list)-maxListed))
			break
		}
		words = append(words, text(e))
	}
	return strings.Join(words, separator)
}

func (f *Finding) body() string {
	if f.Body == "" {
		return "function"
	}
	return f.Body
}

// list names places. Those that have one name, as captured tensors have at run time, are counted.
func list(places []Place) string {
	count := map[string]int{}
	var names []string
	for _, p := range places {
		name := p.String()
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	return enumerate(names, ", ", func(name string) string {
		if n := count[name]; n > 1 && name == anyCaptured {
			return fmt.Sprintf("%d captured tensors", n)
		}
		return name
	})
}
