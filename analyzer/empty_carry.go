package analyzer

import (
	"slices"

	"github.com/hoplint/hoplint/hopcheck"
)

// withoutEmpty drops aliases of carries that certainly hold no tensors, as that of a loop that begins with map[string]*hop.Tensor{}:
// what has no elements shares no storage.
func (a *analysisOf) withoutEmpty(u *bodyUse, list []*Finding) []*Finding {
	return slices.DeleteFunc(list, func(f *Finding) bool {
		if f.Code != hopcheck.OutputAliasesInput {
			return false
		}
		return !slices.ContainsFunc(f.Pairs, func(p hopcheck.Pair) bool { return p.With.Role != hopcheck.Carry || p.With.Path != "" }) && a.beginsEmpty(u.call)
	})
}

// beginsEmpty reports whether the first carry of a HOP call is an empty list or map.
func (a *analysisOf) beginsEmpty(call *hopCall) bool {
	if call.operator == nil {
		return false
	}
	m := &mismatch{evaluator: a.newEvaluator(), call: call, object: call.operator}
	v := m.value("init")
	if v == nil {
		return false
	}
	t := m.of(v)
	return (t.kind == mapTree || t.kind == listTree) && len(t.kids) == 0
}
