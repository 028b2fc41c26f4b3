package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Refusal is one place or pair of what the runtime refused.
type Refusal struct {
	Code, Role, Path, WithRole, WithPath string
}

func (r Refusal) String() string {
	text := r.Code + " " + r.Role + r.Path
	if r.WithRole != "" {
		text += "=" + r.WithRole + r.WithPath
	}
	return text
}

// Outcome is what the runtime made of one program.
type Outcome struct {
	Name     string
	Refusals []Refusal
	// Other is an error that is no refusal; such a program says nothing.
	Other string
}

// Write puts a batch of programs as one command into dir, beside a go.mod that takes the library from root.
func Write(dir, root string, programs []Program) error {
	var text, list strings.Builder
	text.WriteString("package main\n\nimport \"github.com/hoplint/hoplint/runtime/hop\"\n")
	imported := map[string]bool{}
	for _, p := range programs {
		for _, path := range p.Imports {
			if !imported[path] {
				imported[path] = true
				fmt.Fprintf(&text, "import %q\n", path)
			}
		}
	}
	text.WriteString("\nvar _ = hop.Ones\n\n")
	list.WriteString("package main\n\nvar programs = []struct {\n\tname  string\n\tflags int\n\tf     func()\n}{\n")
	for _, p := range programs {
		text.WriteString(p.Text + "\n")
		fmt.Fprintf(&list, "\t{%q, %d, %s},\n", p.Name, p.Flags, p.Name)
	}
	list.WriteString("}\n")
	mod, err := os.ReadFile(filepath.Join(root, "testdata", "src", "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "testdata", "src", "go.sum"))
	if err != nil {
		return err
	}
	for _, p := range programs {
		for folder, text := range p.Packages {
			at := filepath.Join(dir, folder)
			if err := os.MkdirAll(at, 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(at, "package.go"), []byte(text), 0o666); err != nil {
				return err
			}
		}
	}
	for name, content := range map[string]string{
		"go.mod": strings.Replace(string(mod), "=> ../..", "=> "+root, 1), "go.sum": string(sum),
		"prelude.go": prelude, "main.go": mainProgram, "programs.go": text.String(), "list.go": list.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Run builds the command in dir and returns what became of each program.
func Run(dir string) ([]Outcome, error) {
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil, fmt.Errorf("go run in %s: %w\n%s", dir, err, exit.Stderr)
		}
		return nil, err
	}
	var list []Outcome
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, err
	}
	return list, nil
}
