package passes

import "github.com/hoplint/hoplint/tracer"

// Pass is one rewriting of graphs.
type Pass struct {
	// Name is one or two words, What completes "the pass", Reason says why the pass has its place in the table.
	Name, What, Reason string

	run func(r *run, g *tracer.Graph, root bool)
}

// Table returns the passes in the order in which Optimise runs them.
func Table() []Pass { return append([]Pass(nil), table...) }

var table = []Pass{
	{"inline", "puts the bodies of checkpoints, subgraphs and custom derivatives in place",
		"first: what a call hides, the others do not see", inline},
	{"unroll", "writes out the steps of a short scan in a body that allows it",
		"behind inline, in whose bodies scans stand, and before all that finds steps alike", unroll},
	{"lifted", "makes one input of two that are given the same, and gives small literals to bodies as nodes of their own",
		"before constants: a body may fold what it is given", lifted},
	{"constants", "computes what depends on literals alone",
		"early: it decides predicates, and fewer nodes are left for the rest", constants},
	{"turns", "takes away loops without turns, and branches that a constant predicate decides",
		"behind constants, which make predicates constant", turns},
	{"clones", "takes away copies that nobody can tell from what they were made of",
		"before views and carries: a copy hides that a view is of a view, that a carry is forwarded", clones},
	{"views", "folds views of views",
		"before common: views that fold to the same are the same", views},
	{"identities", "takes away operations that give their argument, bit for bit",
		"behind views, whose identities it does not know", identities},
	{"common", "computes once what is computed twice",
		"behind all that makes nodes equal", common},
	{"carries", "makes lifted inputs of carries that never change",
		"behind clones and common, by which a next carry becomes the carry", carries},
	{"hoist", "computes before a loop what does not change in it",
		"behind carries: what depends on a forwarded carry does not change", hoist},
	{"choose", "computes both branches of a conditional where that is cheaper than a jump",
		"behind hoist and common: what is left in the branches is what they really do", choose},
	{"dead code", "takes away what nobody reads and cannot fail: nodes, inputs, carries and results of operators",
		"behind all that leaves something unread", deadCode},
	{"order", "puts next carries that nobody else reads behind all other nodes",
		"last: the places of nodes matter to an executor alone, which can then compute a carry where the old one lies", order},
}
