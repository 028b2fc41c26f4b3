package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var costDir = flag.String("cost", "", "the directory of a module that BenchmarkCost vets, a copy of gonum for instance")

// nothingSource is a vettool that only types packages and writes empty facts: what every vettool costs.
const nothingSource = `package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

var salt string

type NothingFact struct{}

func (*NothingFact) AFact() {}

func main() {
	unitchecker.Main(&analysis.Analyzer{Name: "nothing", Doc: "nothing does nothing" + salt, FactTypes: []analysis.Fact{new(NothingFact)},
		Run: func(*analysis.Pass) (any, error) { return nil, nil }})
}
`

// BenchmarkCost vets a module with this tool and with one that does nothing, alternating, each time with a tool that the go command
// has never seen, so that it analyses everything again. It reports the medians of CPU seconds and their ratio.
//
//	go test ./cmd/hoplint -run '^$' -bench Cost -benchtime 5x -cost DIR
func BenchmarkCost(b *testing.B) {
	if *costDir == "" {
		b.Skip("needs -cost DIR")
	}
	dir := b.TempDir()
	source := filepath.Join(dir, "nothing.go")
	if err := os.WriteFile(source, []byte(nothingSource), 0o644); err != nil {
		b.Fatal(err)
	}
	build := func(n int, target string) string {
		tool := filepath.Join(dir, fmt.Sprint("tool", n))
		cmd := exec.Command("go", "build", "-o", tool, target)
		cmd.Dir = rootDir
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		// Bytes behind the end of a program change its identity only.
		f, err := os.OpenFile(tool, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = fmt.Fprint(f, dir, n)
			f.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
		return tool
	}
	vet := func(tool string) (cpu float64) {
		cmd := exec.Command("go", "vet", "-vettool="+tool, "./...")
		cmd.Dir = *costDir
		var children syscall.Rusage
		before := children
		syscall.Getrusage(syscall.RUSAGE_CHILDREN, &before)
		out, err := cmd.CombinedOutput()
		syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children)
		if err != nil && strings.Contains(string(out), "panic") {
			b.Fatalf("%v\n%s", err, out)
		}
		seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
		return seconds(children.Utime) + seconds(children.Stime) - seconds(before.Utime) - seconds(before.Stime)
	}
	vet(build(0, source)) // compiles what the packages import
	var without, with []float64
	n := 1
	for b.Loop() {
		without = append(without, vet(build(n, source)))
		tool := build(n+1, "./cmd/hoplint")
		with = append(with, vet(tool))
		n += 2
	}
	a, c := middle(without), middle(with)
	b.ReportMetric(a, "s-nothing")
	b.ReportMetric(c, "s-hoplint")
	b.ReportMetric(c/a, "x-nothing")
}

func middle(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
