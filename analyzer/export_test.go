package analyzer

import "golang.org/x/tools/go/analysis"

// Probed is [New] with a function that sees where work on one function or call begins, and may panic.
func Probed(probe func(work, name string)) *analysis.Analyzer { return newSolo(probe) }
