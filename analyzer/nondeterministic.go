package analyzer

import (
	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// nondeterministic tells an effect whose outcome a trace would freeze: HOP403. Printing is allowed. A phrase that ends with
// a dot names no function.
func nondeterministic(flag ssaflow.Flag) (hopcheck.Code, string) {
	switch flag.Kind {
	case ssaflow.Clock:
		if flag.Op == "Sleep" {
			return hopcheck.NondeterministicBody, "waits for the clock"
		}
		return hopcheck.NondeterministicBody, "reads the clock"
	case ssaflow.Rand:
		return hopcheck.NondeterministicBody, "draws random numbers"
	case ssaflow.Env:
		return hopcheck.NondeterministicBody, "depends on the environment"
	case ssaflow.IO:
		return hopcheck.NondeterministicBody, "does I/O"
	}
	return "", ""
}
