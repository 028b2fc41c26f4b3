package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/hoplint/hoplint/analyzer"
)

// check analyses packages and renders what was found.
func (c *command) check(opts *options) int {
	g, err := findGo(opts)
	if err != nil {
		return c.render(failed(err), opts)
	}
	if len(opts.patterns) == 0 {
		opts.patterns = []string{"."}
	}
	done := c.showProgress()
	result, err := g.run(opts)
	done()
	if err != nil {
		return c.render(failed(err), opts)
	}
	return c.render(result, opts)
}

// failed is the outcome of a run that did not get as far as to packages. Every format has a place for it.
func failed(err error) *result {
	return &result{fails: &failures{messages: []string{"hoplint: " + err.Error()}}}
}

// result is the outcome of one run.
type result struct {
	findings []finding
	fails    *failures
	// patterns name the packages that were analysed.
	patterns []string
	// along are packages that were analysed along with those; their findings are not told.
	along map[string]bool
	// repaired counts the findings that -fix made go away; diff is what -diff prints; notes tell of fixes left out.
	repaired int
	diff     string
	notes    []string
}

// run analyses the packages, with or without fixes.
func (g *goCommand) run(opts *options) (*result, error) {
	r, err := g.findings(opts)
	if err == nil && (opts.diff || opts.fix) {
		err = g.keepOwnFixes(r)
	}
	switch {
	case err != nil:
	case opts.diff:
		r.diff, err = g.diff(r)
	case opts.fix:
		r, err = g.repair(r, opts)
	}
	return r, err
}

// findings analyses the packages.
func (g *goCommand) findings(opts *options) (*result, error) {
	r, stdout, err := g.analyse(opts.patterns, append([]string{"-json"}, toolFlags(opts)...))
	if err != nil {
		return nil, err
	}
	list, err := readFindings(stdout, r.along)
	if err != nil {
		r.fails.messages = append(r.fails.messages, err.Error())
	}
	r.findings = selectFindings(list, opts)
	return r, nil
}

// toolFlags are the flags that change what the analyzer does. They are part of go vet's cache key, so there are few, and what
// a configuration file says of the analysis is among them: go vet knows nothing of that file.
func toolFlags(opts *options) (flags []string) {
	name := "-" + analyzer.Core().Name
	if opts.strict {
		flags = append(flags, name+".strict")
	}
	if opts.info {
		flags = append(flags, name+".info")
	}
	if opts.contracts != "" {
		flags = append(flags, name+".contracts="+opts.contracts)
	}
	if len(opts.declare) > 0 {
		flags = append(flags, name+".contract="+strings.Join(opts.declare, "\n"))
	}
	return flags
}

// analysedNothing reports whether no package was analysed, so that "no findings" would be wrong.
func (r *result) analysedNothing() bool {
	return len(r.findings) == 0 && len(r.fails.packages) == 0 && r.fails.any()
}

// render prints the outcome and returns the exit status.
func (c *command) render(r *result, opts *options) int {
	for _, m := range r.fails.messages {
		fmt.Fprintln(c.stderr, m)
	}
	for _, p := range r.fails.packages {
		c.errorf("%s", p.text())
	}
	for _, note := range r.notes {
		c.errorf("%s", note)
	}
	if err := c.print(r, opts); err != nil {
		c.errorf("cannot write the findings: %v", err)
		return exitError
	}
	switch {
	case r.fails.any():
		return exitError
	case len(r.findings) > 0:
		return exitFindings
	default:
		return exitClean
	}
}

// print writes the findings in the format that was asked for.
func (c *command) print(r *result, opts *options) error {
	if opts.diff {
		if _, err := fmt.Fprint(c.stdout, r.diff); err != nil {
			return err
		}
		fmt.Fprintln(c.stderr, countText(r.findings, r.fails))
		return nil
	}
	if opts.format != textFormat {
		return formatNamed(opts.format).print(c.stdout, r, opts)
	}
	if r.analysedNothing() {
		return nil
	}
	if err := printText(c.stdout, r.findings, c.outStyle); err != nil {
		return err
	}
	fixed := ""
	if opts.fix {
		fixed = fmt.Sprintf("%s fixed, ", count(r.repaired, "finding"))
	}
	_, err := fmt.Fprintln(c.stdout, fixed+countText(r.findings, r.fails))
	return err
}

const (
	progressAfter = 2 // seconds
	progressEvery = time.Second
)

// seconds counts the seconds of a run from when it is worth telling of, until stop is closed.
func seconds(stop <-chan struct{}) <-chan int {
	ticks := make(chan int)
	go func() {
		every := time.NewTicker(progressEvery)
		defer every.Stop()
		for n := 1; ; n++ {
			select {
			case <-every.C:
			case <-stop:
				return
			}
			if n < progressAfter {
				continue
			}
			select {
			case ticks <- n:
			case <-stop:
				return
			}
		}
	}()
	return ticks
}

// showProgress shows on a terminal that a long run is alive. The returned function ends it and clears the line.
func (c *command) showProgress() (done func()) {
	if !c.progress {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	ticks := c.ticks
	if ticks == nil {
		ticks = seconds(stop)
	}
	go func() {
		defer close(stopped)
		shown := false
		for {
			select {
			case n := <-ticks:
				shown = true
				fmt.Fprintf(c.stderr, "\rhoplint: analysing, %d s", n)
			case <-stop:
				if shown {
					fmt.Fprint(c.stderr, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}
