package ssaflow

import "golang.org/x/tools/go/ssa"

// Summaries stay small whatever a function does: the sizes below are far beyond what people write by hand, and are reached by
// generated code and by run-time systems whose functions all change the same package variables.
const (
	// maxEffects is the number of effects from which on those of one kind on one root are told as one.
	maxEffects = 64
	// maxGlobalStores is the number of stores to package variables that a summary tells.
	maxGlobalStores = 24
	// maxStores is the number of stores beyond which a function is treated as unseen.
	maxStores = 400
	// maxTag is the length of the text that tells apart the calls made at one instruction: about three levels of slots.
	maxTag = 16
	// maxCalls is the number of calls that lead from a call to one that a callee of a callee left to its caller.
	maxCalls = 12
	// Work is counted in rows of applied summaries. A function may use so much, and so much for each of its instructions.
	workFloor, workPerInstr = 20000, 50
	// A recursive component shares one budget, since its functions are analysed in rounds.
	unitFloor, unitPerInstr = 14000, 12
)

// tooMuch is the panic that ends the analysis of a function which exceeds its budget. It is no Problem: the function is unseen.
type tooMuch struct{}

// spend counts work and gives up when the budget is used.
func (f *frame) spend(n int) {
	f.work -= n
	if u := f.unit; u != nil && u.recursive {
		u.work -= n
		if u.work < 0 {
			panic(tooMuch{})
		}
	}
	if f.work < 0 {
		panic(tooMuch{})
	}
}

func budget(fn *ssa.Function) int { return workFloor + workPerInstr*size(fn) }

func size(fn *ssa.Function) int {
	n := 0
	for _, b := range fn.Blocks {
		n += len(b.Instrs)
	}
	return n
}

// limit makes a summary small. The initialiser is exempt: nobody calls it, and what it stores tells what package variables hold.
func (s *Summary) limit(fn *ssa.Function, asOne map[effectGroup]string) *Summary {
	if fn.Synthetic == "package initializer" {
		return s
	}
	if len(s.Effects) > maxEffects || len(asOne) > 0 {
		s.Effects = fewerEffects(s.Effects, asOne)
	}
	global := 0
	for i := range s.Stores {
		if s.Stores[i].Dst.Root.Kind == Global {
			global++
		}
	}
	if global > maxGlobalStores {
		kept := s.Stores[:0]
		for _, r := range s.Stores {
			if r.Dst.Root.Kind != Global || leaks(r.Origins) {
				kept = append(kept, r)
			}
		}
		s.Stores = kept
	}
	if len(s.Stores) > maxStores {
		return &Summary{Name: s.Name, Where: s.Where, Top: true}
	}
	return s
}

// leaks reports whether origins are memory that the caller handed in.
func leaks(list []Origin) bool {
	for _, o := range list {
		if k := o.Ref.Root.Kind; k == Param || k == FreeVar {
			return true
		}
	}
	return false
}

// effectGroup are the effects of one kind on one root.
type effectGroup struct {
	root string
	kind EffectKind
}

// fewerEffects tells effects of one group as one where there are many. In a recursion asOne is what earlier rounds told as one, by
// the memory that they told: what is told as one comes back as fewer effects, so that without it the summary would swing.
func fewerEffects(list []Effect, asOne map[effectGroup]string) []Effect {
	const many = 8
	count := map[effectGroup]int{}
	prefix := map[effectGroup]string{}
	if asOne == nil {
		asOne = map[effectGroup]string{}
	}
	for _, e := range list {
		g := effectGroup{e.Ref.Root.text(), e.Kind}
		if count[g]++; count[g] == 1 {
			prefix[g] = e.Ref.Path
			if p, ok := asOne[g]; ok {
				prefix[g] = commonObject(p, e.Ref.Path)
			}
			continue
		}
		prefix[g] = commonObject(prefix[g], e.Ref.Path)
	}
	for g, n := range count {
		if _, ok := asOne[g]; ok || n > many {
			asOne[g] = prefix[g]
		}
	}
	done := map[effectGroup]bool{}
	var out []Effect
	for _, e := range list {
		g := effectGroup{e.Ref.Root.text(), e.Kind}
		if p, ok := asOne[g]; ok {
			if done[g] {
				continue
			}
			done[g] = true
			e.Ref.Path, e.Told, e.Below = p, false, true
		}
		out = append(out, e)
	}
	return out
}
