package exec

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
	"github.com/hoplint/hoplint/tracer/passes"
)

// instr is one thing to do, in order: run cannot fail, else try is set.
type instr struct {
	run  func()
	try  func() error
	node *tracer.Node
	// row is set when run is an elementwise op.
	row *rowOp
	// via are the operators between the sequence and the node, outermost first: of a node that was hoisted out of their
	// steps, or whose graph was put in the place of an operator without steps.
	via []passes.Around
}

// runAll executes a sequence; a failure names its node.
func runAll(seq []instr) error {
	for i := range seq {
		if in := &seq[i]; in.run != nil {
			in.run()
		} else if err := in.try(); err != nil {
			return in.failed(err)
		}
	}
	return nil
}

func (in *instr) failed(err error) error {
	e, ok := err.(*Error)
	if !ok {
		e = failed(in.node, err)
	}
	for _, a := range slices.Backward(in.via) {
		step := -1
		if hasSteps(a.Node.Op) {
			step = a.Step
		}
		err = inside(a.Node, a.Body, step, e) // a loop's body whose nodes leave it is the only one, or a condition
	}
	return e
}

// block is a sequence that is complete. One without an instruction that can fail is a bare list of functions.
type block struct {
	plain   []func()
	checked []instr
}

func sealed(seq []instr) block {
	plain := make([]func(), 0, len(seq))
	for _, in := range seq {
		if in.run == nil {
			return block{checked: seq}
		}
		plain = append(plain, in.run)
	}
	return block{plain: plain}
}

func (b *block) run() error {
	for _, f := range b.plain {
		f()
	}
	if b.checked == nil {
		return nil
	}
	return runAll(b.checked)
}

// scope is one nesting level while a graph is bound: the steps of a loop, or a body that may not run at all. A node
// whose arguments do not change in a loop is computed before it: in pre of the outermost loop that leaves its
// arguments alone.
type scope struct {
	parent *scope
	// depth is how many loops are around; values of this level and above are made anew whenever body runs.
	depth int
	// path are the operators between the parent's graph and this scope's, outermost first.
	path []passes.Around
	// pre runs once before the first step, and only when there is one; body runs per step.
	pre, body []instr
	// gated marks a body that may not run: a branch, the body of a while loop. What does not change in the loops around
	// is computed in late when the body runs for the first time, so that nothing fails for a body that is not run.
	gated bool
	late  []*late
}

// late is what a gated body computes once in a run of the loop of depth level+1 around it.
type late struct {
	level int
	seq   []instr
	done  bool
}

// owner returns the scope that has the sequence in which a value of the given level is made.
func (s *scope) owner(level int) *scope {
	for level < s.depth && !s.gated && s.depth > level+1 {
		s = s.parent
	}
	return s
}

// at returns the sequence in which a value of the given level is made.
func (s *scope) at(level int) *[]instr {
	s = s.owner(level)
	switch {
	case level >= s.depth:
		return &s.body
	case s.gated:
		return &s.lateAt(level).seq
	default:
		return &s.pre
	}
}

// around returns the scope around an operator of the given level.
func (s *scope) around(level int) *scope {
	for s.depth > level && !s.gated {
		s = s.parent
	}
	return s
}

// lateAt returns the late sequence of a level. It is to be run anew when the loop in which its values change starts.
func (s *scope) lateAt(level int) *late {
	i, ok := slices.BinarySearchFunc(s.late, level, func(l *late, level int) int { return l.level - level })
	if !ok {
		l := &late{level: level}
		s.late = slices.Insert(s.late, i, l)
		seq := s.parent.at(level)
		*seq = append(*seq, instr{run: func() { l.done = false }})
	}
	return s.late[i]
}

// gate is a gated body that is complete.
type gate struct {
	late []*late
	body block
}

func (s *scope) gate() gate { return gate{late: s.late, body: sealed(s.body)} }

// simple reports whether the gate can be run by its plain functions alone.
func (g *gate) simple() bool { return len(g.late) == 0 && g.body.checked == nil }

// prepare computes what has not been computed in this run of the loops around.
func (g *gate) prepare() error {
	for _, l := range g.late {
		if l.done {
			continue
		}
		if err := runAll(l.seq); err != nil {
			return err
		}
		l.done = true
	}
	return nil
}

func (g *gate) run() error {
	if err := g.prepare(); err != nil {
		return err
	}
	return g.body.run()
}
