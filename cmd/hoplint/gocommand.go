package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// goCommand runs the go command in a folder.
type goCommand struct {
	// path of the go command and of this program, which go vet calls for each package.
	path, tool string
	// dir is where it runs; empty for the working directory.
	dir  string
	tags string
}

// findGo prepares the go command.
func findGo(opts *options) (*goCommand, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, errors.New("the go command was not found in PATH; hoplint runs go vet, so it needs a Go installation")
	}
	tool, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find the executable of hoplint, which go vet must call: %v", err)
	}
	return &goCommand{path: path, tool: tool, dir: opts.dir, tags: opts.tags}, nil
}

// output is what one call of the go command printed.
type output struct {
	stdout, stderr bytes.Buffer
	failed         bool
}

func (g *goCommand) call(args ...string) (*output, error) {
	cmd := exec.Command(g.path, args...)
	out := new(output)
	cmd.Dir, cmd.Stdout, cmd.Stderr = g.dir, &out.stdout, &out.stderr
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		out.failed = true
		err = nil
	}
	return out, err
}

// withTags returns the command line of a go subcommand with the build tags in it.
func (g *goCommand) withTags(args []string, patterns []string) []string {
	if g.tags != "" {
		args = append(args, "-tags="+g.tags)
	}
	return append(append(args, "--"), patterns...)
}

// vet runs go vet with this program as the tool.
func (g *goCommand) vet(flags, patterns []string) (*output, error) {
	args := append([]string{"vet", "-vettool=" + g.tool}, flags...)
	return g.call(g.withTags(args, patterns)...)
}

// listed is a package as go list prints it. A package with tests is listed in several variants.
type listed struct {
	ImportPath string
	Dir        string
	ForTest    string
	DepOnly    bool
	Imports    []string
	Match      []string
	Error      *loadError
	DepsErrors []*loadError
}

type loadError struct {
	ImportStack []string
	Pos, Err    string
}

// list returns the packages that the patterns name, their test variants and all that these import.
func (g *goCommand) list(patterns []string) ([]*listed, error) {
	// EmbedFiles is asked for so that patterns which match no file are errors.
	args := []string{"list", "-e", "-deps", "-test", "-json=ImportPath,Dir,ForTest,DepOnly,Imports,Match,Error,DepsErrors,EmbedFiles"}
	out, err := g.call(g.withTags(args, patterns)...)
	if err != nil {
		return nil, err
	}
	if out.failed && out.stdout.Len() == 0 {
		// Nothing could be listed: go.mod or go.work is wrong, or the go command's own settings are.
		general, _ := readStderr(out.stderr.Bytes())
		return nil, errors.New(strings.Join(general, "\n"))
	}
	var packages []*listed
	for d := json.NewDecoder(&out.stdout); ; {
		p := new(listed)
		if err := d.Decode(p); err == io.EOF {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list printed something that is not JSON: %v", err)
		}
		packages = append(packages, p)
	}
}

// along returns the packages of the main modules that the patterns do not name but need. The go command keeps one result
// for a package, whether it was named or analysed for its facts alone, which prints nothing: a later run that names it
// would find nothing. So they are named as well. Packages with tests of their own are kept apart anyway. Where nothing can
// be listed, go vet will say why.
func (g *goCommand) along(patterns []string) map[string]bool {
	const format = `{{if and .DepOnly .Module (not .TestGoFiles)}}{{if .Module.Main}}{{.ImportPath}}{{end}}{{end}}`
	out, err := g.call(g.withTags([]string{"list", "-e", "-deps", "-f", format}, patterns)...)
	if err != nil || out.failed {
		return nil
	}
	list := map[string]bool{}
	for line := range strings.Lines(out.stdout.String()) {
		if path := strings.TrimSpace(line); path != "" {
			list[path] = true
		}
	}
	return list
}

// inModule reports whether the folder belongs to a module or workspace, or whether that cannot be told because the go
// command's own settings are wrong.
func (g *goCommand) inModule() bool {
	out, err := g.call("env", "GOMOD", "GOWORK")
	if err != nil || out.failed {
		return true
	}
	for line := range bytes.Lines(out.stdout.Bytes()) {
		if f := string(bytes.TrimSpace(line)); f != "" && f != os.DevNull && f != "off" {
			return true
		}
	}
	return false
}

// ownFolders are the roots of the modules that are being worked on, which -fix may change: not those that others come from.
func (g *goCommand) ownFolders() ([]string, error) {
	out, err := g.call("list", "-m", "-f", "{{if .Main}}{{.Dir}}{{end}}")
	if err != nil {
		return nil, err
	}
	if out.failed {
		return nil, fmt.Errorf("cannot tell which files may be changed: %s", strings.TrimSpace(out.stderr.String()))
	}
	return strings.Split(strings.TrimSpace(out.stdout.String()), "\n"), nil
}

// isOwn reports whether a file lies in one of the folders and is not a copy of another module's.
func isOwn(file string, folders []string) bool {
	return slices.ContainsFunc(folders, func(dir string) bool {
		rel, err := filepath.Rel(dir, file)
		return err == nil && filepath.IsLocal(rel) && !slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), "vendor")
	})
}
