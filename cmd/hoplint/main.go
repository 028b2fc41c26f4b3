// Hoplint finds functions that break the contract of a higher-order operator: combine functions, branches and loop
// bodies that write or hand on the memory they were given.
//
// It is run in two ways, which report the same findings:
//
//	hoplint [flags] [packages]                     on its own
//	go vet -vettool=$(which hoplint) [packages]    driven by go vet
//
// On its own it runs go vet with itself as the tool, so results, caching and memory are those of go vet, and renders what
// comes back. See hoplint help for the flags and the other commands.
//
// The parts, one file each:
//
//	main.go       routes to the tool protocol of go vet or to a command
//	memory.go     the heap of a process that go vet starts
//	command.go    the commands, their help, exit statuses
//	flags.go      the command line of hoplint [flags] [packages]
//	config.go     .hoplint.yaml
//	check.go      one run: analyse, select, render
//	gocommand.go  the go command: vet, list
//	failure.go    what could not be analysed, and who imports it
//	finding.go    findings as go vet returns them; order, duplicates, selection
//	fix.go        -fix and -diff, in rounds
//	edits.go      edits of a file
//	diff.go       unified diffs
//	format.go     the formats
//	text.go       findings as text with source, caret and way
//	source.go     lines of source files, columns on a terminal and in UTF-16
//	json.go       findings as JSON
//	sarif.go      findings as SARIF
//	github.go     findings as workflow commands
//	explain.go    the page of a rule
//	page.go       the same in Markdown
//	sample.go     a finding of each rule, for the page
package main

import (
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/hoplint/hoplint/analyzer"
)

func main() {
	args := os.Args[1:]
	if isVettool(args) {
		tuneMemory(args[len(args)-1])
		unitchecker.Main(analyzer.Analyzers()...) // exits
	}
	c := newCommand(os.Stdout, os.Stderr)
	os.Exit(c.run(args))
}

// isVettool reports whether the go command calls. It does so in three ways: -V=full for the identity of the tool, -flags
// for its flags, and [flags] x.cfg for each package. No flag of hoplint's own may be parsed before this is known.
func isVettool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg")
}
