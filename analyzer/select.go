package analyzer

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// Selection is a set of rules; nil stands for all.
type Selection map[hopcheck.Code]bool

// Has reports whether a rule is selected.
func (s Selection) Has(code hopcheck.Code) bool { return s == nil || s[code] }

// SelectRules reads a list of rules: codes, names and patterns over both, separated by commas and applied from left to
// right; a leading minus excludes. A list that begins with an exclusion begins with all rules. An empty list selects all.
// The error tells what is unknown and what is near to it.
func SelectRules(list string) (Selection, error) {
	if list == "" {
		return nil, nil
	}
	selected := Selection{}
	for i, item := range strings.Split(list, ",") {
		item = strings.TrimSpace(item)
		pattern, exclude := strings.CutPrefix(item, "-")
		if i == 0 && exclude {
			for _, code := range implemented {
				selected[code] = true
			}
		}
		rules, err := matchRules(pattern)
		if err != nil {
			return nil, err
		}
		found := false
		for _, r := range rules {
			if slices.Contains(implemented, r.Code) {
				selected[r.Code] = !exclude
				found = true
			}
		}
		if !found && !exclude {
			return nil, fmt.Errorf("the analyzer does not find %s in this version (hoplint list tells which rules it finds)", item)
		}
	}
	for code, on := range selected {
		if !on {
			delete(selected, code)
		}
	}
	if len(selected) == 0 {
		return nil, fmt.Errorf("%s leaves no rule", list)
	}
	return selected, nil
}

// matchRules returns the rules whose code or name matches the pattern.
func matchRules(pattern string) ([]hopcheck.Rule, error) {
	var matched []hopcheck.Rule
	var candidates []string
	for _, r := range hopcheck.Rules() {
		byCode, err := path.Match(pattern, string(r.Code))
		if err != nil {
			return nil, fmt.Errorf("malformed pattern %q", pattern)
		}
		byName, _ := path.Match(pattern, r.Name)
		if byCode || byName || pattern == "all" {
			matched = append(matched, r)
		}
		candidates = append(candidates, string(r.Code), r.Name)
	}
	if len(matched) == 0 {
		return nil, fmt.Errorf("unknown rule %q%s", pattern, hopcheck.DidYouMean(pattern, candidates))
	}
	return matched, nil
}
