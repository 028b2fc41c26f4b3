package main

import (
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkWarm measures what hoplint costs over go vet on the examples when both find everything in the cache, as in an
// editor. The two alternate, so that both see the same machine. It reports their medians: x-vet is hoplint over go vet,
// ms-added the difference.
func BenchmarkWarm(b *testing.B) {
	timed := func(name string, args ...string) time.Duration {
		cmd := exec.Command(name, args...)
		cmd.Dir = rootDir
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", name, err, out)
		}
		return time.Since(start)
	}
	vet := func() time.Duration { return timed("go", "vet", "./examples/...") }
	hoplint := func() time.Duration { return timed(binary, "./examples/...") }
	vet()
	hoplint()
	var vets, hoplints []time.Duration
	for b.Loop() {
		vets = append(vets, vet())
		hoplints = append(hoplints, hoplint())
	}
	without, with := median(vets), median(hoplints)
	b.ReportMetric(float64(with)/float64(without), "x-vet")
	b.ReportMetric(float64((with-without).Microseconds())/1000, "ms-added")
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
