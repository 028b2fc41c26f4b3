package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// failures is why a run is incomplete: what the go command said, and each named package that was not analysed. go vet
// itself is silent about packages that import one that does not compile.
type failures struct {
	messages []string
	packages []failure
}

// failure is one named package that was not analysed.
type failure struct {
	Package string `json:"package" doc:"its import path"`
	Reason  string `json:"reason" doc:"why"`
}

// lines tells all of it.
func (f *failures) lines() []string {
	list := slices.Clone(f.messages)
	for _, p := range f.packages {
		list = append(list, p.text())
	}
	return list
}

func (f failure) text() string { return fmt.Sprintf("%s was not analysed: %s", f.Package, f.Reason) }

func (f *failures) any() bool { return len(f.messages)+len(f.packages) > 0 }

// packageGraph is what the patterns name and all that it imports.
type packageGraph struct {
	nodes map[string]*listed
	// roots are the named packages, in the order of go list.
	roots []*listed
	// tests are the test variants of each root.
	tests map[string][]*listed
	// broken says why a node cannot be analysed, by itself and not by what it imports.
	broken map[string]string
	// unknown are patterns that name no package.
	unknown []*listed
}

func newPackageGraph(packages []*listed) *packageGraph {
	g := &packageGraph{nodes: map[string]*listed{}, tests: map[string][]*listed{}, broken: map[string]string{}}
	for _, p := range packages {
		g.nodes[p.ImportPath] = p
	}
	for _, p := range packages {
		switch main, isTest := strings.CutSuffix(p.ImportPath, ".test"); {
		case p.ForTest != "":
			g.tests[p.ForTest] = append(g.tests[p.ForTest], p)
		case isTest && g.nodes[main] != nil || p.DepOnly:
		case p.Dir == "" && p.Error != nil:
			g.unknown = append(g.unknown, p)
		default:
			g.roots = append(g.roots, p)
		}
		if p.Error != nil && p.Dir != "" {
			g.broken[p.ImportPath] = "cannot be loaded"
		}
		// An import that does not exist is an error of the package that asks for it.
		for _, path := range p.Imports {
			if q := g.nodes[path]; q != nil && q.Error != nil && q.Dir == "" {
				g.broken[p.ImportPath] = "cannot be loaded"
			}
		}
	}
	return g
}

// loadMessages lists the errors of go list, each once.
func (g *packageGraph) loadMessages(packages []*listed, place func(line string) string) []string {
	var list []string
	for _, p := range packages {
		if p.Error == nil || slices.Contains(g.unknown, p) {
			continue
		}
		text := p.Error.Err
		if strings.HasPrefix(text, "import cycle") {
			text += ": " + strings.Join(p.Error.ImportStack, " imports ")
		}
		if p.Error.Pos != "" {
			text = place(p.Error.Pos + ": " + text)
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// culprit returns the nearest broken package that p needs, with its test files or without, or nil.
func (g *packageGraph) culprit(p *listed) *listed {
	queue := append([]*listed{p}, g.tests[p.ImportPath]...)
	seen := map[string]bool{}
	for len(queue) > 0 {
		q := queue[0]
		queue = queue[1:]
		if g.broken[q.ImportPath] != "" {
			return q
		}
		for _, path := range q.Imports {
			if next := g.nodes[path]; next != nil && !seen[path] {
				seen[path] = true
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// whole returns the import paths of the named packages that need nothing broken.
func (g *packageGraph) whole() []string {
	var paths []string
	for _, p := range g.roots {
		if g.culprit(p) == nil {
			paths = append(paths, p.ImportPath)
		}
	}
	return paths
}

// failures returns the named packages that were not analysed.
func (g *packageGraph) failures() []failure {
	var list []failure
	for _, p := range g.roots {
		q := g.culprit(p)
		if q == nil {
			continue
		}
		reason := g.broken[q.ImportPath]
		switch base := basePath(q.ImportPath); {
		case q == p:
			reason = "it " + reason
		case base == p.ImportPath || base == p.ImportPath+"_test":
			reason = "its tests " + strings.Replace(reason, "does", "do", 1)
		default:
			reason = fmt.Sprintf("it needs %s, which %s", base, reason)
		}
		list = append(list, failure{p.ImportPath, reason})
	}
	return list
}

// markUncompiled enters what the compiler and the tool complained about.
func (g *packageGraph) markUncompiled(blocks []block) {
	for _, b := range blocks {
		reason := "does not compile"
		if b.crashed {
			reason = "could not be analysed"
		}
		for id := range g.nodes {
			variant := id != b.path
			// A fault in a test file breaks the variants that have test files, not what imports the package.
			if basePath(id) == b.path || basePath(id) == b.path+"_test" {
				if (variant || !b.testsOnly) && g.broken[id] == "" {
					g.broken[id] = reason
				}
			}
		}
	}
}

// basePath is the import path without the mark of a test variant: ex/a of "ex/a [ex/a.test]".
func basePath(id string) string {
	base, _, _ := strings.Cut(id, " [")
	return base
}

// block is what the go command said about one package.
type block struct {
	path string
	// testsOnly says that every position lies in a test file.
	testsOnly bool
	// crashed says that no position was given: the tool failed, not the compiler.
	crashed bool
	lines   []string
}

var sourcePosition = regexp.MustCompile(`^(?:vet: )?(\S.*?\.go):\d+(?::\d+)?: `)

// readStderr splits what go vet printed on standard error: lines about no package, and a block for each package that
// begins with "# path", "# path [variant]" or "# [path]".
func readStderr(stderr []byte) (general []string, blocks []block) {
	for raw := range bytes.Lines(stderr) {
		line := strings.TrimRight(string(raw), "\r\n")
		if header, ok := strings.CutPrefix(line, "# "); ok {
			path := strings.TrimSuffix(strings.TrimPrefix(basePath(header), "["), "]")
			path = strings.TrimSuffix(path, "_test")
			if len(blocks) == 0 || blocks[len(blocks)-1].path != path {
				blocks = append(blocks, block{path: path, testsOnly: true, crashed: true})
			}
			continue
		}
		if line == "" || strings.HasPrefix(line, "go: downloading ") {
			continue
		}
		if len(blocks) == 0 {
			general = append(general, line)
			continue
		}
		b := &blocks[len(blocks)-1]
		b.lines = append(b.lines, line)
		if m := sourcePosition.FindStringSubmatch(line); m != nil {
			b.crashed = false
			b.testsOnly = b.testsOnly && strings.HasSuffix(m[1], "_test.go")
		}
	}
	for i := range blocks {
		blocks[i].testsOnly = blocks[i].testsOnly && !blocks[i].crashed
	}
	// The go command prints them as the packages get ready.
	slices.SortStableFunc(blocks, func(a, b block) int { return strings.Compare(a.path, b.path) })
	return general, blocks
}

const noModule = "no go.mod was found here or in a folder above; run hoplint in a module, or name its folder with -C"

// analyse runs go vet and returns what it printed on standard output, and in the result why that may be incomplete.
func (g *goCommand) analyse(patterns, flags []string) (r *result, stdout io.Reader, err error) {
	along := g.along(patterns)
	out, err := g.vet(flags, slices.Concat(patterns, slices.Sorted(maps.Keys(along))))
	if err != nil || !out.failed {
		return &result{fails: new(failures), patterns: patterns, along: along}, &out.stdout, err
	}
	if len(along) > 0 {
		if out, err = g.vet(flags, patterns); err != nil || !out.failed {
			return &result{fails: new(failures), patterns: patterns, along: along}, &out.stdout, err
		}
	}
	packages, err := g.list(patterns)
	switch {
	case err != nil && !g.inModule():
		return nil, nil, errors.New(noModule)
	case err != nil:
		return nil, nil, err
	}
	graph := newPackageGraph(packages)
	fails := &failures{messages: graph.loadMessages(packages, g.fromHere)}
	switch {
	case len(packages) == 0 && !g.inModule():
		fails.messages = append(fails.messages, "hoplint: "+noModule)
	case len(packages) == 0:
		fails.messages = append(fails.messages, "hoplint: no package matches "+strings.Join(patterns, " "))
	case len(graph.unknown) > 0 && !g.inModule():
		fails.messages = append(fails.messages, "hoplint: "+noModule)
	default:
		for _, p := range graph.unknown {
			what := ""
			if p.ImportPath != "" { // else the error speaks of all arguments
				what = "no package " + p.ImportPath + ": "
			}
			fails.messages = append(fails.messages, "hoplint: "+what+p.Error.Err)
		}
		// An error while loading stops go vet before it analyses anything: analyse what does load.
		if whole := graph.whole(); fails.any() && out.stdout.Len() == 0 && len(whole) > 0 {
			if out, err = g.vet(flags, whole); err != nil {
				return nil, nil, err
			}
		}
		general, blocks := readStderr(out.stderr.Bytes())
		graph.markUncompiled(blocks)
		fails.packages = graph.failures()
		for _, b := range blocks {
			for _, line := range b.lines {
				fails.messages = append(fails.messages, g.fromHere(line))
			}
		}
		if !fails.any() && out.failed {
			fails.messages = append(general, "hoplint: go vet failed")
		}
	}
	return &result{fails: fails, patterns: graph.whole(), along: along}, &out.stdout, nil
}

// fromHere rewrites the position that a line begins with, which the go command gives relative to its own folder.
func (g *goCommand) fromHere(line string) string {
	m := sourcePosition.FindStringSubmatchIndex(line)
	if g.dir == "" || m == nil {
		return line
	}
	file := line[m[2]:m[3]]
	if filepath.IsAbs(file) {
		return line
	}
	return line[:m[2]] + filepath.Join(g.dir, file) + line[m[3]:]
}
