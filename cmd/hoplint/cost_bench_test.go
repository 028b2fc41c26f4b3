package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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
// has never seen, so that it analyses everything again. It reports the medians of CPU seconds and their ratio, and the least of each,
// which other programs disturb least.
//
//	go test ./cmd/hoplint -run '^$' -bench Cost -benchtime 5x -cost DIR
func BenchmarkCost(b *testing.B) {
	c := newCostRun(b)
	source := filepath.Join(c.dir, "nothing.go")
	if err := os.WriteFile(source, []byte(nothingSource), 0o644); err != nil {
		b.Fatal(err)
	}
	c.vet(c.build(source)) // compiles what the packages import
	var without, with []float64
	for b.Loop() {
		without = append(without, c.vet(c.build(source)).cpu)
		with = append(with, c.vet(c.build("./cmd/hoplint")).cpu)
	}
	x, y := middle(without), middle(with)
	b.ReportMetric(x, "s-nothing")
	b.ReportMetric(y, "s-hoplint")
	b.ReportMetric(y/x, "x-nothing")
	b.ReportMetric(with[0]/without[0], "x-least")
}

// BenchmarkWall compares the time that a user waits, cold: hoplint by itself, of which the go command has seen nothing, and
// staticcheck with an empty cache, of the version in go.mod. It reports the medians in seconds and their ratio.
//
//	go test ./cmd/hoplint -run '^$' -bench Wall -benchtime 5x -cost DIR
func BenchmarkWall(b *testing.B) {
	c := newCostRun(b)
	staticcheck := c.staticcheck()
	c.run(c.build("./cmd/hoplint"), "./...") // compiles what the packages import
	var theirs, ours []float64
	for b.Loop() {
		c.cache = filepath.Join(c.dir, fmt.Sprint("cache", len(theirs)))
		theirs = append(theirs, c.run(staticcheck, "./...").wall)
		ours = append(ours, c.run(c.build("./cmd/hoplint"), "./...").wall)
	}
	x, y := middle(theirs), middle(ours)
	b.ReportMetric(x, "s-staticcheck")
	b.ReportMetric(y, "s-hoplint")
	b.ReportMetric(y/x, "x-staticcheck")
}

// costRun runs tools over the module that -cost names.
type costRun struct {
	b     *testing.B
	dir   string
	built int
	cache string // of staticcheck
}

// used is what a run of a tool took, in seconds.
type used struct{ cpu, wall float64 }

func newCostRun(b *testing.B) *costRun {
	if *costDir == "" {
		b.Skip("needs -cost DIR")
	}
	return &costRun{b: b, dir: b.TempDir()}
}

// build builds a program that differs from all built before.
func (c *costRun) build(target string) string {
	c.built++
	tool := filepath.Join(c.dir, fmt.Sprint("tool", c.built))
	cmd := exec.Command("go", "build", "-o", tool, target)
	cmd.Dir = rootDir
	if out, err := cmd.CombinedOutput(); err != nil {
		c.b.Fatalf("%v\n%s", err, out)
	}
	// Bytes behind the end of a program change its identity only.
	f, err := os.OpenFile(tool, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprint(f, c.dir, c.built)
		f.Close()
	}
	if err != nil {
		c.b.Fatal(err)
	}
	return tool
}

// staticcheck installs the program of the version that this module requires.
func (c *costRun) staticcheck() string {
	const module = "honnef.co/go/tools"
	version := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module)
	version.Dir = rootDir
	out, err := version.Output()
	if err != nil {
		c.b.Fatal(err)
	}
	install := exec.Command("go", "install", module+"/cmd/staticcheck@"+strings.TrimSpace(string(out)))
	install.Env = append(os.Environ(), "GOBIN="+c.dir)
	if out, err := install.CombinedOutput(); err != nil {
		c.b.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(c.dir, "staticcheck")
}

func (c *costRun) vet(tool string) used { return c.run("go", "vet", "-vettool="+tool, "./...") }

// run runs a program; findings are no failure.
func (c *costRun) run(name string, args ...string) used {
	cmd := exec.Command(name, args...)
	cmd.Dir = *costDir
	if c.cache != "" {
		cmd.Env = append(os.Environ(), "STATICCHECK_CACHE="+c.cache)
	}
	start := time.Now()
	out, err := cmd.CombinedOutput()
	wall := time.Since(start)
	if err != nil && (cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 || strings.Contains(string(out), "panic: ")) {
		c.b.Fatalf("%s: %v\n%s", name, err, out)
	}
	return used{(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), wall.Seconds()}
}

func middle(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
