package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

// options are the command line of hoplint [flags] [packages].
type options struct {
	dir, config, format, checks, tags, contracts string
	fix, diff, tests, strict, info               bool
	// declare are rows of directives for code that cannot be edited.
	declare  []string
	patterns []string
	// given names the flags of the command line; a configuration file sets the others.
	given map[string]bool
	// selected holds the rules that -checks names.
	selected analyzer.Selection
}

var errHelp = errors.New("help requested")

// flagSet declares the flags. The words in back quotes name their values in the help.
func flagSet() (*flag.FlagSet, *options) {
	opts := new(options)
	set := flag.NewFlagSet("hoplint", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	set.StringVar(&opts.dir, "C", "", "change to `dir` before analysing")
	set.StringVar(&opts.config, "config", "", "read this configuration `file`, or none; the default is the first "+configName+" from dir up to the root of its module")
	set.StringVar(&opts.contracts, "contracts", "", "check callbacks against these `tables` of contracts: "+strings.Join(analyzer.ContractTables(), ", "))
	set.Func("declare", "a `row` of directives for code that cannot be edited, e.g. 'example.com/kernels.Scale: //hop:mutates dst'; may be repeated", func(row string) error {
		_, err := analyzer.ReadContractRow(row)
		opts.declare = append(opts.declare, row)
		return err
	})
	set.StringVar(&opts.format, "f", textFormat, "output `format`: "+strings.Join(formatNames(), ", "))
	set.StringVar(&opts.checks, "checks", "", "report only these `rules`: codes, names and patterns, a minus excludes, e.g. 'HOP1*,-HOP104'")
	set.StringVar(&opts.tags, "tags", "", "build `tags`, separated by commas")
	set.BoolVar(&opts.fix, "fix", false, "apply the fixes and report what is left")
	set.BoolVar(&opts.diff, "diff", false, "print the fixes as a unified diff instead of applying them, with -fix too")
	set.BoolVar(&opts.tests, "tests", true, "report findings in test files")
	set.BoolVar(&opts.strict, "strict", false, "also report what cannot be proved")
	set.BoolVar(&opts.info, "info", false, "also report what breaks no contract but costs speed or generality")
	return set, opts
}

// parseFlags reads the command line. Flags may stand behind packages too.
func parseFlags(args []string) (*options, error) {
	set, opts := flagSet()
	for {
		if err := set.Parse(args); err != nil {
			return nil, flagError(set, err)
		}
		if set.NArg() == 0 {
			break
		}
		if set.Arg(0) == "" {
			return nil, errors.New("an empty argument names no package; leave it out for the package in this folder")
		}
		opts.patterns = append(opts.patterns, set.Arg(0))
		args = set.Args()[1:]
	}
	opts.given = map[string]bool{}
	set.Visit(func(f *flag.Flag) { opts.given[f.Name] = true })
	if err := checkFormat(opts.format); err != nil {
		return nil, fmt.Errorf("-f: %v", err)
	}
	if err := checkContracts(opts.contracts); err != nil {
		return nil, fmt.Errorf("-contracts: %v", err)
	}
	if _, err := analyzer.SelectRules(opts.checks); err != nil {
		return nil, fmt.Errorf("-checks: %v", err)
	}
	if err := opts.checkDir(); err != nil {
		return nil, err
	}
	if err := opts.configure(); err != nil {
		return nil, err
	}
	return opts, opts.complete()
}

// complete draws the conclusions from flags and configuration together.
func (opts *options) complete() (err error) {
	if opts.fix && opts.diff {
		opts.fix = false // as with go vet -fix -diff: the diff is printed, nothing is written
	}
	if opts.diff && opts.format != textFormat {
		if !opts.given["f"] {
			opts.format = textFormat
		} else {
			return fmt.Errorf("-diff prints a diff and cannot be used with -f %s", opts.format)
		}
	}
	if opts.selected, err = analyzer.SelectRules(opts.checks); err != nil {
		return err
	}
	// A selection of nothing but what is switched off would look like a clean run.
	for code, on := range map[hopcheck.Code]bool{hopcheck.UnprovedBody: opts.strict, hopcheck.SpecialisedDimension: opts.info} {
		if rule, _ := hopcheck.RuleFor(code); opts.selected[code] && len(opts.selected) == 1 && !on {
			return fmt.Errorf("-checks: %s is found with -%s only", string(code), rule.OptIn)
		}
	}
	return nil
}

func checkFormat(name string) error {
	if slices.Contains(formatNames(), name) {
		return nil
	}
	return fmt.Errorf("unknown format %q%s", name, cmp.Or(hopcheck.DidYouMean(name, formatNames()), "; want "+strings.Join(formatNames(), ", ")))
}

// checkContracts asks the analyzer what it would say of a list of tables.
func checkContracts(list string) error { return analyzer.New().Flags.Set("contracts", list) }

// checkDir looks for the folder of -C.
func (opts *options) checkDir() error {
	if opts.dir == "" {
		return nil
	}
	switch info, err := os.Stat(opts.dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("-C %s: no such folder", opts.dir)
	case err != nil:
		return fmt.Errorf("-C: %v", err)
	case !info.IsDir():
		return fmt.Errorf("-C %s: not a folder", opts.dir)
	}
	return nil
}

// flagError turns the errors of package flag into sentences with a suggestion.
func flagError(set *flag.FlagSet, err error) error {
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
	for _, f := range sortedFlags(set) {
		names = append(names, "-"+f.Name)
	}
	return fmt.Errorf("unknown flag -%s%s", name, hopcheck.DidYouMean("-"+name, names))
}

// sortedFlags lists the flags by name, capitals behind.
func sortedFlags(set *flag.FlagSet) []*flag.Flag {
	var list []*flag.Flag
	set.VisitAll(func(f *flag.Flag) { list = append(list, f) })
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
