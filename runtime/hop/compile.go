package hop

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/hoplint/hoplint/runtime/internal/pytree"
)

// Compile returns f as a compiled function: it is traced at the first call for each signature (structure, dtypes and
// shapes of x, and which leaves require grad) and runs as a graph from then on. See [Trace] for the contract of f and
// [NewCompiled] for more control. The function is safe for concurrent calls.
//
//hop:body f(operand)
func Compile[X, Y any](f func(X) Y, opts ...TraceOption) func(X) (Y, error) {
	c := NewCompiled(f, opts...)
	return func(x X) (Y, error) { return c.callAs("", x, nil) }
}

// Must returns f without its error: it panics with it. Use it where a compiled function is part of a formula, a body or
// a function to differentiate.
func Must[X, Y any](f func(X) (Y, error)) func(X) Y {
	return func(x X) Y {
		y, err := f(x)
		if err != nil {
			panic(err)
		}
		return y
	}
}

// Compiled is a function that is traced once for each signature. It is safe for concurrent calls; concurrent first
// calls of one signature wait for one trace.
type Compiled[X, Y any] struct {
	f    func(X) Y
	opts []TraceOption

	mu       sync.Mutex
	programs latest[*compiling[X, Y]] // by signature
}

// compiling is a program that is being traced, or was.
type compiling[X, Y any] struct {
	done chan struct{}
	p    *Program[X, Y]
	err  error
}

// maxPrograms is the default of LimitPrograms.
const maxPrograms = 64

// NewCompiled returns f as a compiled function; see [Compile].
//
//hop:body f(operand)
func NewCompiled[X, Y any](f func(X) Y, opts ...TraceOption) *Compiled[X, Y] {
	return &Compiled[X, Y]{f: f, opts: opts}
}

// Call runs f on x, tracing it first when the signature is new. A trace that fails is tried again at the next call.
//
// Aliasing, options, errors, gradient: see [Program.Call].
func (c *Compiled[X, Y]) Call(x X, opts ...Option) (y Y, err error) { return c.callAs("Call", x, opts) }

func (c *Compiled[X, Y]) callAs(op string, x X, opts []Option) (y Y, err error) {
	p, err := c.program(op, x)
	if err != nil {
		return y, err
	}
	return p.callAs(op, x, opts)
}

// CallInto is [Compiled.Call] with the result put into dst; see [Program.CallInto].
func (c *Compiled[X, Y]) CallInto(x X, dst Y, opts ...Option) error {
	p, err := c.program("CallInto", x)
	if err != nil {
		return err
	}
	return p.CallInto(x, dst, opts...)
}

// Programs returns the programs for the signatures seen so far, oldest first.
func (c *Compiled[X, Y]) Programs() []*Program[X, Y] {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []*Program[X, Y]
	for _, key := range c.programs.order {
		if w := c.programs.byKey[key]; w.p != nil {
			list = append(list, w.p)
		}
	}
	return list
}

// program returns the program for an argument, traced when there is none. Where sizes are open, several programs may have
// one signature: they differ in the guards that their traces relied on, and the first whose guards hold is taken.
func (c *Compiled[X, Y]) program(op string, x X) (*Program[X, Y], error) {
	var sig signature
	if err := Try(func() { sig = signatureOf(op, x, c.options()) }); err != nil {
		return nil, err
	}
	for turn := 0; ; turn++ {
		key := sig.text
		if turn > 0 {
			key += "/" + strconv.Itoa(turn)
		}
		c.mu.Lock()
		w, known := c.programs.byKey[key]
		if !known {
			w = &compiling[X, Y]{done: make(chan struct{})}
			c.remember(key, w)
		}
		c.mu.Unlock()
		if !known {
			return c.compile(key, w, x)
		}
		<-w.done
		if w.p == nil && w.err == nil { // the function panicked, or its goroutine ended
			return c.program(op, x)
		}
		if w.err != nil || !sig.open || w.p.p.accepts(&sig.in) {
			return w.p, w.err
		}
	}
}

// compile traces f for x.
func (c *Compiled[X, Y]) compile(key string, w *compiling[X, Y], x X) (*Program[X, Y], error) {
	traced := false
	defer func() {
		if !traced || w.err != nil {
			c.forget(key, w)
		}
		close(w.done)
	}()
	w.err = Try(func() { w.p = &Program[X, Y]{traceProgram("Compile", c.f, x, c.opts)} })
	traced = true
	return w.p, w.err
}

// options are those that the function was compiled with.
func (c *Compiled[X, Y]) options() (o traceOptions) {
	for _, opt := range c.opts {
		if opt != nil {
			opt.trace(&o)
		}
	}
	return o
}

func (c *Compiled[X, Y]) remember(key string, w *compiling[X, Y]) {
	limit := maxPrograms
	if o := c.options(); o.limit > 0 {
		limit = o.limit
	}
	c.programs.put(key, w, limit)
}

// forget drops a trace that failed, so that the next call tries again.
func (c *Compiled[X, Y]) forget(key string, w *compiling[X, Y]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.programs.byKey[key] == w {
		c.programs.drop(key)
	}
}

// signature is what a compiled function tells arguments apart by.
type signature struct {
	text string
	open bool // sizes or integers are left open, so that guards decide, too
	in   group
}

func signatureOf(op string, x any, o traceOptions) signature {
	leaves, tree, err := pytree.Flatten(x, intLeaves)
	if err != nil {
		h := beginMethod("Compile", op, nil)
		h.flatten(x, h.contract.Bodies[0].In[0], "argument")
	}
	s := signature{open: o.isDynamic(), in: group{leaves: leaves, tree: tree}}
	var b strings.Builder
	b.WriteString(tree.String())
	for _, t := range leaves {
		switch {
		case t.isInt():
			s.open = true
		case o.isDynamic():
			fmt.Fprintf(&b, " %s of %d", t.DType(), t.Rank())
		default:
			b.WriteString(" " + describe(t.meta()))
		}
		if t.RequiresGrad() {
			b.WriteByte('\'')
		}
	}
	s.text = b.String()
	return s
}

// accepts reports whether the program was traced for an argument of these types and its guards hold.
func (p *flatProgram) accepts(in *group) bool {
	in.paths = in.tree.Paths()
	known, diffs := p.bind(in)
	return diffs == nil && p.holds(&hopCall{pos: userPosition()}, known, traceOf(in.leaves)) == nil
}
