package hop

import (
	"context"
	"errors"
	"time"

	"github.com/hoplint/hoplint/runtime/internal/exec"
	"github.com/hoplint/hoplint/tracer"
)

// WithContext lets ctx stop a long run: of a HOP that is called outside of traced functions, or of a program. A run that
// is cancelled stops within one step (a loop over scalars within some hundred), leaves every input as it was and ends
// with an *[Error] that unwraps to ctx.Err(). A nil context stops nothing.
func WithContext(ctx context.Context) Option {
	return option{"WithContext", func(o *options) { o.ctx = ctx }}
}

// Progress reports how many steps of the outermost loop are done, of how many: -1 while a while loop runs, whose total
// is not known. It is called on the goroutine of the run, at most ten times a second and after the last step; a loop of no
// steps reports nothing, nor does a nil function.
func Progress(report func(step, total int)) Option {
	return option{"Progress", func(o *options) { o.progress = report }}
}

// longRun is what a run with a context or a progress report is asked for; nil is a run without.
type longRun struct {
	op     string // what the user called
	ctx    context.Context
	report func(step, total int)
	last   time.Time // of the last report
	// first and total number the steps of a loop that runs in pieces: see [exec.RunOptions].
	first, total int
}

// reportEvery is the least time between two reports.
const reportEvery = 100 * time.Millisecond

func (o *options) longRun(op string) *longRun {
	if o.ctx == nil && o.progress == nil {
		return nil
	}
	return &longRun{op: op, ctx: o.ctx, report: o.progress, last: time.Now()}
}

// options are those of the executor.
func (l *longRun) options() exec.RunOptions {
	if l == nil {
		return exec.RunOptions{}
	}
	opts := exec.RunOptions{Context: l.ctx, First: l.first, Total: l.total}
	if l.report != nil {
		opts.Progress = l.progress
	}
	return opts
}

// progress hands a report on unless the last one was just now.
func (l *longRun) progress(step, total int) {
	if l.report == nil {
		return
	}
	if now := time.Now(); step == total || now.Sub(l.last) >= reportEvery {
		l.last = now
		l.report(step, total)
	}
}

// inner is the run of an operator inside of one that runs op by op: it can be stopped, and reports nothing.
func (l *longRun) inner() *longRun {
	if l == nil || l.ctx == nil {
		return nil
	}
	return &longRun{op: l.op, ctx: l.ctx}
}

// piece is the run of some steps from first on, of total.
func (l *longRun) piece(first, total int) *longRun {
	if l == nil {
		l = &longRun{}
	}
	l.first, l.total = first, total
	return l
}

// done is called after each step of the outermost loop that runs op by op.
func (l *longRun) done(step, total int) {
	if l == nil {
		return
	}
	l.progress(step, total)
	l.checkAfter(step)
}

// check ends a run whose context is done.
func (l *longRun) check() { l.checkAfter(once) }

func (l *longRun) checkAfter(step int) {
	if l == nil || l.ctx == nil {
		return
	}
	if err := l.ctx.Err(); err != nil {
		panic(l.stopped(step, err))
	}
}

func (l *longRun) stopped(step int, err error) *Error {
	return &Error{HOP: l.op, Step: step, Position: userPosition(), Detail: "the run was stopped: " + err.Error(), Err: err}
}

// failed makes an *Error of a failure while the graph g runs.
func (l *longRun) failed(g *tracer.Graph, err error) *Error {
	if l != nil {
		for _, cause := range []error{context.Canceled, context.DeadlineExceeded} {
			if errors.Is(err, cause) {
				step := once
				var at *exec.Error
				if errors.As(err, &at) {
					step = at.Step
				}
				return l.stopped(step, cause)
			}
		}
	}
	return fromExec(g, err)
}
