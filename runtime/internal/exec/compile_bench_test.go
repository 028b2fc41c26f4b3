package exec

import "testing"

// BenchmarkCompile is what the first call for a graph costs besides its work: checks, passes, binding to memory.
func BenchmarkCompile(b *testing.B) {
	graphs := map[string]*graph{"ema": scanOf(ema(f64), 1, 1, 100, m(f64), m(f64, 100))}
	for _, seed := range []uint64{1, 2, 3, 4, 5} {
		g, _ := randomProgram(seed)
		graphs["random"+string(rune('0'+seed))] = g
	}
	for _, name := range []string{"ema", "random1", "random2", "random3", "random4", "random5"} {
		g := graphs[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			ins, outs := zerosFor(g), outputsFor(g.Graph)
			for b.Loop() {
				p, err := Compile(g.Graph, library{})
				if err != nil {
					b.Fatal(err)
				}
				mustRun(b, p, ins, outs)
			}
			b.ReportMetric(float64(len(g.String())), "text-bytes")
		})
	}
}
