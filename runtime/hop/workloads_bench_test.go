package hop_test

import (
	"testing"
	"time"
)

// BenchmarkWorkload times each workload, called eagerly (traced anew, looked up, run) and compiled, beside its plain
// loop, in turn, and prints the ratios of the best times (x-ref). The allocations are those of the workload alone.
func BenchmarkWorkload(b *testing.B) {
	for _, w := range workloads() {
		for mode, name := range []string{"eager", "compiled"} {
			b.Run(w.name+"/"+name, func(b *testing.B) {
				j := w.make()
				run, loop := j.timed[mode], j.timed[2]
				run()
				loop()
				best := [2]time.Duration{1 << 62, 1 << 62}
				b.ReportAllocs()
				for b.Loop() {
					t0 := time.Now()
					run()
					best[0] = min(best[0], time.Since(t0))
					b.StopTimer()
					t1 := time.Now()
					loop()
					best[1] = min(best[1], time.Since(t1))
					b.StartTimer()
				}
				b.ReportMetric(float64(best[0])/float64(best[1]), "x-ref")
				b.ReportMetric(best[0].Seconds()*1000, "best-ms")
				b.ReportMetric(best[1].Seconds()*1000, "ref-ms")
			})
		}
	}
}
