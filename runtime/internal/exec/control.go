package exec

import (
	"context"
	"fmt"

	"github.com/hoplint/hoplint/tracer"
)

// RunOptions are what one run may be given besides its arrays. The zero value asks for nothing and costs nothing.
type RunOptions struct {
	// Context stops the run: within one step of the loop that runs, or within one strip of a loop over scalars, which
	// takes some microseconds. The error unwraps to the context's.
	Context context.Context
	// Progress is told how many steps of an outermost loop are done, of how many; -1 when that is not known. It is
	// called after each step or strip, on the goroutine of the run; the last call of a loop has step == total, or for a
	// while loop the number of its steps.
	Progress func(step, total int)
	// MaxSteps bounds while loops that have no bound of their own; 0 is no bound.
	MaxSteps int
	// First and Total are given where the outermost loop is a piece of one of Total steps, from step First on: errors and
	// progress count its steps from there.
	First, Total int
	// Executed is told of each execution of a map's or associative scan's body on a batch of elements.
	Executed func(n *tracer.Node, elements int)
}

// MaxStepsError is the failure of a while loop that would take more steps than it may.
type MaxStepsError struct {
	// Steps is the number of steps that are allowed.
	Steps int
}

func (e *MaxStepsError) Error() string {
	return fmt.Sprintf("the predicate still holds after %d steps, as many as MaxSteps allows; raise MaxSteps or correct the condition", e.Steps)
}

// control is what the loops of an instance ask while they run.
type control struct {
	RunOptions
	// watched is set when a loop must report its steps.
	watched bool
}

func (c *control) set(o RunOptions) {
	*c = control{RunOptions: o, watched: o.Context != nil || o.Progress != nil || o.Executed != nil}
}

// step reports that a loop has done step steps; outermost loops report progress.
func (c *control) step(depth, step, total int) error {
	if c.Progress != nil && depth == 1 {
		c.Progress(c.First+step, max(total, c.Total))
	}
	return c.cancelled()
}

// cancelled returns the error of a context that is done.
func (c *control) cancelled() error {
	if c.Context == nil {
		return nil
	}
	return c.Context.Err()
}

func (c *control) executed(n *tracer.Node, elements int) {
	if c.Executed != nil {
		c.Executed(n, elements)
	}
}
