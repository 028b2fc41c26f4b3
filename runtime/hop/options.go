package hop

import (
	"context"
	"fmt"
)

// Option changes how a HOP runs. A nil Option is ignored, so that a variable can hold "debugging, if asked for". An
// option that a HOP does not know is an error.
type Option interface{ set(*options) }

type options struct {
	given     []string // names, in the order they were given
	axis      int
	reverse   bool
	length    int
	maxSteps  int
	unroll    int
	ctx       context.Context
	progress  func(step, total int)
	batch     int
	inAxes    []int
	outAxes   []int
	stepwise  bool
	observers []Observer
	retain    bool
}

// option is an Option with the name that error messages use.
type option struct {
	name  string
	apply func(*options)
}

func (o option) set(opts *options) {
	opts.given = append(opts.given, o.name)
	o.apply(opts)
}

// Axis scans xs along dim d, 0 by default; a negative d counts from the end. Stacked results always have the scanned
// axis first.
func Axis(d int) Option { return option{"Axis", func(o *options) { o.axis = d }} }

// Reverse runs from the last slice of xs to the first. ys[i] still belongs to xs[i].
func Reverse() Option { return option{"Reverse", func(o *options) { o.reverse = true }} }

// Length sets the number of steps of a scan without xs. With xs it must equal their length.
func Length(n int) Option { return option{"Length", func(o *options) { o.length = n }} }

// Unroll lets a scan inside of another body be written out as up to k steps, one after the other, where the graph runs:
// short inner loops then cost no more than their work. Results are the same; a longer scan, and one that is not inside of
// a body, runs as without.
func Unroll(k int) Option { return option{"Unroll", func(o *options) { o.unroll = k }} }

// Stepwise runs bodies op by op on real tensors, with every step checked and Go control flow on values allowed: for
// debugging. What is computed from the inputs of a step belongs to the step, and HOPs on it run stepwise too, Checkpoint,
// Subgraph, CustomVJP and the Grad family included. A HOP in the body all of whose operands come from elsewhere (numbers,
// captured tensors) is traced as it would be outside, unless it is given Stepwise itself: it may capture tensors of the
// step, and its results, errors and what observers see of it are part of the step, but its body cannot read values
// (HOP501). Inside a traced body Stepwise is refused.
//
// Without steps, as over empty xs, there are no real tensors to call the body on. It is called once on tensors without
// data, to find the shapes of the results, with HOPs in it traced; where they are known without it (ForLoop, WhileLoop,
// AssociativeScan, a Scan whose Y is None) it may read values all the same.
func Stepwise() Option { return option{"Stepwise", func(o *options) { o.stepwise = true }} }

// collect reads opts and refuses those that the HOP does not know.
func collect(hop, op string, opts []Option, known ...string) options {
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt.set(&o)
		}
	}
	for _, name := range o.given {
		ok := false
		for _, k := range known {
			ok = ok || k == name
		}
		if !ok {
			who := hop
			if op != "" {
				who = op
			}
			takes := join(known)
			if len(known) == 0 {
				takes = "no options"
			}
			panic(&Error{HOP: hop, Op: op, Step: -1, Position: userPosition(),
				Detail: fmt.Sprintf("option %s does not apply here; %s takes %s", name, who, takes)})
		}
	}
	return o
}

func (o *options) has(name string) bool {
	for _, g := range o.given {
		if g == name {
			return true
		}
	}
	return false
}

// join lists words as prose: a, b and c.
func join(words []string) string {
	s := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			s += " and "
		default:
			s += ", "
		}
		s += w
	}
	return s
}
