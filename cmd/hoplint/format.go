package main

import "io"

// outputFormat is a way to write the outcome of a run.
type outputFormat struct {
	// name follows -f; doc says in the help what it is for.
	name, doc string
	print     func(io.Writer, *result, *options) error
}

const textFormat = "text"

// formats lists them in the order of the help. Text depends on the terminal, so the command prints it itself.
func formats() []outputFormat {
	return []outputFormat{
		{name: textFormat, doc: "for people: each finding with its source, a caret and the way"},
		{"json", "one object, for programs", printJSON},
		{"sarif", "SARIF 2.1.0, for code-scanning pages", printSARIF},
		{"github", "workflow commands, which GitHub Actions shows beside the lines", printGitHub},
	}
}

func formatNamed(name string) outputFormat {
	for _, f := range formats() {
		if f.name == name {
			return f
		}
	}
	return outputFormat{}
}

func formatNames() (names []string) {
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}
