package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

// Exit statuses, the same for every output format.
const (
	exitClean    = 0
	exitFindings = 1
	exitError    = 2 // usage, or packages that could not be analysed
)

// command is one run of the program.
type command struct {
	stdout, stderr io.Writer
	// styles of the two streams; plain unless they are terminals.
	outStyle, errStyle style
	// progress says whether long runs show that they are alive; ticks replaces the clock in tests.
	progress bool
	ticks    <-chan int
}

func newCommand(stdout, stderr *os.File) *command {
	return &command{stdout: stdout, stderr: stderr, outStyle: styleFor(stdout), errStyle: styleFor(stderr),
		progress: isTerminal(stderr)}
}

// subcommand is one of the commands beside the default one.
type subcommand struct {
	name, args, summary string
	run                 func(c *command, args []string) int
}

// subcommands is a function because help prints the table that it stands in.
func subcommands() []subcommand {
	return []subcommand{
		{"explain", "CODE|name", "everything about a rule: what, why, remedy, fix, messages, a bad and a good program", (*command).explain},
		{"list", "", "all rules", (*command).list},
		{"version", "", "version of hoplint and of what it was built from", (*command).version},
		{"help", "[directives|config|json]", "this text, what //hop: comments say, what a configuration file or -f json holds", (*command).help},
	}
}

// run executes the command line and returns the exit status.
func (c *command) run(args []string) int {
	if len(args) > 0 {
		var names []string
		for _, s := range subcommands() {
			if args[0] == s.name {
				return s.run(c, args[1:])
			}
			names = append(names, s.name)
		}
		// A lone lower-case word is more likely a mistyped command than a package of the standard library.
		if near := hopcheck.Nearest(args[0], names); near != "" && !strings.ContainsAny(args[0], "./-") {
			return c.usageError("unknown command %q; did you mean hoplint %s?", args[0], near)
		}
	}
	opts, err := parseFlags(args)
	switch {
	case err == errHelp:
		return c.help(nil)
	case err != nil:
		if wrong, ok := errors.AsType[*configError](err); ok {
			fmt.Fprintln(c.stderr, wrong)
			c.errorf("run hoplint help config for the keys of %s", configName)
			return exitError
		}
		return c.usageError("%v", err)
	}
	return c.check(opts)
}

// usageError prints what is wrong with the command line.
func (c *command) usageError(format string, args ...any) int {
	c.errorf(format, args...)
	fmt.Fprintln(c.stderr, "hoplint: run hoplint help for the commands and flags")
	return exitError
}

func (c *command) errorf(format string, args ...any) {
	fmt.Fprintf(c.stderr, "hoplint: %s\n", fmt.Sprintf(format, args...))
}

// surplus complains about arguments that a command does not take.
func (c *command) surplus(name string, args []string) bool {
	if len(args) == 0 {
		return false
	}
	c.usageError("%s takes no argument, got %q", name, args[0])
	return true
}

func (c *command) help(args []string) int {
	switch {
	case len(args) == 1 && args[0] == "directives":
		return c.helpDirectives()
	case len(args) == 1 && args[0] == "config":
		return c.helpConfig()
	case len(args) == 1 && args[0] == "json":
		return c.helpJSON()
	case len(args) == 1:
		if _, ok := findRule(args[0]); ok {
			return c.explain(args)
		}
	}
	if len(args) > 0 {
		return c.usageError("no help on %s; there is help on directives, config, json and, by code or name, on each rule", strings.Join(args, " "))
	}
	fmt.Fprint(c.stdout, `hoplint finds functions that break the contract of a higher-order operator: combine functions, branches and loop
bodies that write or hand on the memory they were given.

Usage:

    hoplint [flags] [packages]                     analyse packages (default: the one in this folder)
    go vet -vettool=$(which hoplint) [packages]    the same, driven by go vet
`)
	w := tabwriter.NewWriter(c.stdout, 0, 0, 4, ' ', 0)
	for _, s := range subcommands() {
		fmt.Fprintf(w, "    %s\t%s\n", strings.TrimSpace("hoplint "+s.name+" "+s.args), s.summary)
	}
	fmt.Fprint(w, "\nFlags:\n\n")
	flags, _ := flagSet()
	for _, f := range sortedFlags(flags) {
		value, usage := flagUsage(f)
		fmt.Fprintf(w, "    -%s\t%s\n", strings.TrimSpace(f.Name+" "+value), usage)
	}
	w.Flush()
	fmt.Fprintf(c.stdout, `
Flags behind go vet -vettool are go vet's own (go help vet) and these of hoplint:

    -HOP101 …          run only these rules
    -HOP302=false …    run all but these rules; hoplint list has the codes
    -%[1]s.strict    also report what cannot be proved
    -%[1]s.info      also report what breaks no contract but costs speed or generality
    -json, -fix        as go vet has them; go vet -fix formats the files that it changes, hoplint -fix changes lines only

Generated files, those with a line "// Code generated … DO NOT EDIT.", have no findings.

Exit status: 0 no findings, 1 findings, 2 a wrong command line or packages that could not be analysed.
`, analyzer.Core().Name)
	return exitClean
}

func (c *command) helpDirectives() int {
	fmt.Fprintf(c.stdout, "%s\n\n%s\n", directiveForms(), wrap(analyzer.DirectiveRules(), textWidth))
	return exitClean
}

func (c *command) helpConfig() int {
	fmt.Fprintf(c.stdout, "hoplint reads the first %s from the folder that it analyses up to the root of its module.\n"+
		"Flags win over it; -config reads another file, -config none reads none. Its keys:\n\n", configName)
	w := tabwriter.NewWriter(c.stdout, 0, 0, 4, ' ', 0)
	for _, k := range configKeys() {
		fmt.Fprintf(w, "    %s\t-%s\t%s\n", k.name, k.flag, k.doc)
	}
	w.Flush()
	return exitClean
}

func (c *command) helpJSON() int {
	fmt.Fprint(c.stdout, "With -f json hoplint writes one object. [] stands for the elements of a list, which is empty rather than missing:\n\n")
	w := tabwriter.NewWriter(c.stdout, 0, 0, 4, ' ', 0)
	for _, f := range jsonFields(reflect.TypeFor[report](), "") {
		fmt.Fprintf(w, "    %s\t%s\n", f[0], f[1])
	}
	w.Flush()
	return exitClean
}

func (c *command) version(args []string) int {
	if c.surplus("version", args) {
		return exitError
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		fmt.Fprintln(c.stdout, "hoplint, built without module information")
		return exitClean
	}
	fmt.Fprintln(c.stdout, "hoplint", ownVersion())
	fmt.Fprintln(c.stdout, "built with", info.GoVersion)
	for _, m := range info.Deps {
		fmt.Fprintln(c.stdout, m.Path, m.Version)
	}
	return exitClean
}

func (c *command) list(args []string) int {
	if c.surplus("list", args) {
		return exitError
	}
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CODE\tNAME\tSEVERITY\tANALYZER\tRUNTIME\tFIX\tSUMMARY")
	for _, r := range hopcheck.Rules() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", string(r.Code), r.Name, r.Severity,
			staticState(r), dynamicState(r, enforced()), yesNo(r.Fix != ""), r.Summary)
	}
	w.Flush()
	return exitClean
}

// States of a rule in one half of the project.
const (
	yes    = "yes"
	no     = "no"
	notYet = "not yet"
)

// staticState says whether the analyzer finds the rule: yes, no, not yet in this version, or the flag that switches it on.
func staticState(r hopcheck.Rule) string {
	switch {
	case !r.Static:
		return no
	case !slices.Contains(analyzer.Codes(), r.Code):
		return notYet
	case r.OptIn != "":
		return "-" + r.OptIn
	default:
		return yes
	}
}

// dynamicState says whether the runtime enforces the rule: yes, no, or not yet in this version.
func dynamicState(r hopcheck.Rule, enforced []hopcheck.Code) string {
	switch {
	case !r.Dynamic:
		return no
	case !slices.Contains(enforced, r.Code):
		return notYet
	default:
		return yes
	}
}

func yesNo(b bool) string {
	if b {
		return yes
	}
	return no
}
