package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

// options are the command line of hoplint [flags] [packages].
type options struct {
	dir, format, checks, tags string
	fix, diff, tests, strict  bool
	patterns                  []string
	// selected holds the rules that -checks names.
	selected analyzer.Selection
}

var errHelp = errors.New("help requested")

// flagSet declares the flags. The words in back quotes name their values in the help.
func flagSet() (*flag.FlagSet, *options) {
	opts := new(options)
	fs := flag.NewFlagSet("hoplint", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.StringVar(&opts.dir, "C", "", "change to `dir` before analysing")
	fs.StringVar(&opts.format, "f", textFormat, "output `format`: "+strings.Join(formatNames(), ", "))
	fs.StringVar(&opts.checks, "checks", "", "report only these `rules`: codes, names and patterns, a minus excludes, e.g. 'HOP1*,-HOP104'")
	fs.StringVar(&opts.tags, "tags", "", "build `tags`, separated by commas")
	fs.BoolVar(&opts.fix, "fix", false, "apply the fixes and report what is left")
	fs.BoolVar(&opts.diff, "diff", false, "print the fixes as a unified diff instead of applying them")
	fs.BoolVar(&opts.tests, "tests", true, "report findings in test files")
	fs.BoolVar(&opts.strict, "strict", false, "also report what cannot be proved")
	return fs, opts
}

// parseFlags reads the command line. Flags may stand behind packages too.
func parseFlags(args []string) (*options, error) {
	fs, opts := flagSet()
	for {
		if err := fs.Parse(args); err != nil {
			return nil, flagError(fs, err)
		}
		if fs.NArg() == 0 {
			break
		}
		if fs.Arg(0) == "" {
			return nil, errors.New("an empty argument names no package; leave it out for the package in this folder")
		}
		opts.patterns = append(opts.patterns, fs.Arg(0))
		args = fs.Args()[1:]
	}
	if !slices.Contains(formatNames(), opts.format) {
		suggestion := hopcheck.DidYouMean(opts.format, formatNames())
		if suggestion == "" {
			suggestion = "; want " + strings.Join(formatNames(), ", ")
		}
		return nil, fmt.Errorf("unknown format %q for -f%s", opts.format, suggestion)
	}
	if opts.fix && opts.diff {
		opts.fix = false // as with go vet -fix -diff: the diff is printed, nothing is written
	}
	if opts.diff && opts.format != textFormat {
		return nil, fmt.Errorf("-diff prints a diff and cannot be used with -f %s", opts.format)
	}
	var err error
	if opts.selected, err = analyzer.SelectRules(opts.checks); err != nil {
		return nil, fmt.Errorf("-checks: %v", err)
	}
	// A selection of nothing but what is switched off would look like a clean run.
	unproved := opts.selected[hopcheck.UnprovedBody]
	if unproved && len(opts.selected) == 1 && !opts.strict {
		return nil, fmt.Errorf("-checks: %s is found with -strict only", string(hopcheck.UnprovedBody))
	}
	return opts, nil
}

// flagError turns the errors of package flag into sentences with a suggestion.
func flagError(fs *flag.FlagSet, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return errHelp
	}
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		return err
	}
	if r, ok := hopcheck.FindRule(name); ok {
		return fmt.Errorf("unknown flag -%s; did you mean -checks %s?", name, string(r.Code))
	}
	if slices.Contains(formatNames(), name) {
		return fmt.Errorf("unknown flag -%s; did you mean -f %s?", name, name)
	}
	var names []string
	for _, f := range sortedFlags(fs) {
		names = append(names, "-"+f.Name)
	}
	return fmt.Errorf("unknown flag -%s%s", name, hopcheck.DidYouMean("-"+name, names))
}

// sortedFlags lists the flags by name, capitals behind.
func sortedFlags(fs *flag.FlagSet) []*flag.Flag {
	var list []*flag.Flag
	fs.VisitAll(func(f *flag.Flag) { list = append(list, f) })
	slices.SortStableFunc(list, func(a, b *flag.Flag) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return list
}

// flagUsage returns the name of a flag's value and the explanation with the default.
func flagUsage(f *flag.Flag) (value, usage string) {
	value, usage = flag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "false" {
		usage += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	return value, usage
}
