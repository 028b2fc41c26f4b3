package ssaflow

import (
	"go/constant"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// orderBlocks numbers the reachable blocks in reverse postorder, leaving out edges that constants make dead, and finds cycles. What
// comes behind a loop is numbered behind all of it, so that each outermost loop is a row of blocks.
func (f *frame) orderBlocks() {
	type visit struct {
		b *ssa.BasicBlock
		i int
	}
	seen := map[*ssa.BasicBlock]bool{}
	var post []*ssa.BasicBlock
	stack := []visit{{f.fn.Blocks[0], 0}}
	seen[f.fn.Blocks[0]] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		succs := LiveSuccs(top.b)
		if top.i < len(succs) {
			s := succs[top.i]
			top.i++
			if !seen[s] {
				seen[s] = true
				stack = append(stack, visit{s, 0})
			}
			continue
		}
		post = append(post, top.b)
		stack = stack[:len(stack)-1]
	}
	for i := len(post) - 1; i >= 0; i-- {
		f.order[post[i]] = len(f.blocks)
		f.blocks = append(f.blocks, post[i])
	}
	f.until = make([]int, len(f.blocks))
	for i := range f.until {
		f.until[i] = i + 1
	}
	first := f.findCycles()
	if first == nil {
		return
	}
	slices.SortStableFunc(f.blocks, func(a, b *ssa.BasicBlock) int { return first[f.order[a]] - first[f.order[b]] })
	component := make([]int, len(f.blocks))
	for i, b := range f.blocks {
		component[i] = first[f.order[b]]
	}
	for i, b := range f.blocks {
		f.order[b] = i
	}
	for i := len(f.blocks) - 2; i >= 0; i-- {
		if component[i] == component[i+1] {
			f.until[i] = f.until[i+1]
		}
	}
}

// findCycles marks the blocks of non-trivial strongly connected components: Tarjan's algorithm without recursion. It returns the
// first block of the component of each, or nil if there is no cycle.
func (f *frame) findCycles() []int {
	n := len(f.blocks)
	retreats := false
	for i, b := range f.blocks {
		for _, s := range LiveSuccs(b) {
			retreats = retreats || f.order[s] <= i
		}
	}
	if !retreats {
		return nil
	}
	least := make([]int, n)
	index, low, on := make([]int, n), make([]int, n), make([]bool, n)
	next := 1
	var stack []int
	type visit struct{ b, i int }
	for start := range n {
		if index[start] != 0 {
			continue
		}
		work := []visit{{start, 0}}
		index[start], low[start] = next, next
		next++
		stack, on[start] = append(stack, start), true
		for len(work) > 0 {
			v := &work[len(work)-1]
			succs := LiveSuccs(f.blocks[v.b])
			if v.i < len(succs) {
				s := f.order[succs[v.i]]
				v.i++
				if index[s] == 0 {
					index[s], low[s] = next, next
					next++
					stack, on[s] = append(stack, s), true
					work = append(work, visit{s, 0})
				} else if on[s] {
					low[v.b] = min(low[v.b], index[s])
				}
				continue
			}
			b := v.b
			work = work[:len(work)-1]
			if len(work) > 0 {
				p := work[len(work)-1].b
				low[p] = min(low[p], low[b])
			}
			if low[b] != index[b] {
				continue
			}
			first := len(stack) - 1
			for stack[first] != b {
				first--
			}
			members := stack[first:]
			self := false
			for _, s := range LiveSuccs(f.blocks[b]) {
				self = self || s == f.blocks[b]
			}
			front := slices.Min(members)
			for _, m := range members {
				on[m] = false
				least[m] = front
				if len(members) > 1 || self {
					f.cyclic[f.blocks[m]] = true
				}
			}
			stack = stack[:first]
		}
	}
	return least
}

// LiveSuccs returns the successors of a block that a constant condition leaves.
func LiveSuccs(b *ssa.BasicBlock) []*ssa.BasicBlock {
	if len(b.Instrs) == 0 {
		return b.Succs
	}
	if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		if c := constantOf(br.Cond, nil, 0); c.Kind() == constant.Bool {
			if constant.BoolVal(c) {
				return b.Succs[:1]
			}
			return b.Succs[1:]
		}
	}
	return b.Succs
}

// LiveInstructions are the instructions of a function that constant conditions do not cut off, block by block; those that run when it
// recovers from a panic are among them.
func LiveInstructions(fn *ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		seen := make([]bool, len(fn.Blocks))
		var work []*ssa.BasicBlock
		if len(fn.Blocks) > 0 {
			work = append(work, fn.Blocks[0])
		}
		if fn.Recover != nil {
			work = append(work, fn.Recover)
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if !seen[b.Index] {
				seen[b.Index] = true
				work = append(work, LiveSuccs(b)...)
			}
		}
		for _, b := range fn.Blocks {
			if !seen[b.Index] {
				continue
			}
			for _, instr := range b.Instrs {
				if !yield(instr) {
					return
				}
			}
		}
	}
}

func live(p, b *ssa.BasicBlock) bool {
	for _, s := range LiveSuccs(p) {
		if s == b {
			return true
		}
	}
	return false
}
