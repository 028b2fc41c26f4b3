package analyzer

import (
	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// concurrent tells an effect that lets other goroutines in, or waits for them: HOP404. What a body sends is told as a write
// to the channel; to give a lock back is no news after it was taken.
func concurrent(flag ssaflow.Flag) (hopcheck.Code, string) {
	switch flag.Kind {
	case ssaflow.Goroutine:
		if flag.Op == "go" {
			return hopcheck.ConcurrentBody, "starts a goroutine."
		}
		return hopcheck.ConcurrentBody, "starts a goroutine"
	case ssaflow.Channel:
		switch flag.Op {
		case "receive":
			return hopcheck.ConcurrentBody, "waits on a channel."
		case "select":
			return hopcheck.ConcurrentBody, "waits on channels."
		}
	case ssaflow.Lock:
		switch flag.Op {
		case "Lock", "RLock", "TryLock", "TryRLock":
			return hopcheck.ConcurrentBody, "takes a lock"
		case "Wait":
			return hopcheck.ConcurrentBody, "waits for other goroutines"
		}
	}
	return "", ""
}
