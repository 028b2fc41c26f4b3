package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

const (
	configName = ".hoplint.yaml"
	// noConfig as the value of -config asks for none.
	noConfig = "none"
)

// configKey is one key of a configuration file. It sets what a flag sets; the flag, where it is given, wins.
type configKey struct {
	name, flag, doc string
	set             func(*options, *yaml.Node) error
}

// configKeys are the keys, in the order of the help.
func configKeys() []configKey {
	return []configKey{
		{"checks", "checks", "the rules to report, a list of codes, names and patterns; a minus excludes", setChecks},
		{"strict", "strict", "true: also report what cannot be proved", func(o *options, n *yaml.Node) error { return readBool(n, &o.strict) }},
		{"tests", "tests", "false: report no findings in test files", func(o *options, n *yaml.Node) error { return readBool(n, &o.tests) }},
		{"tags", "tags", "build tags, a list", func(o *options, n *yaml.Node) error { return readList(n, &o.tags) }},
		{"format", "f", "the output format: " + strings.Join(formatNames(), ", "), setFormat},
		{"contracts", "contracts", "tables of contracts to check callbacks against, a list of: " + strings.Join(analyzer.ContractTables(), ", "), setContracts},
		{"declare", "declare", "//hop: directives for code that cannot be edited, a list, e.g. \"example.com/kernels.Scale: //hop:mutates dst\"", setDeclare},
	}
}

// configure applies the configuration file, if there is one, to what the flags leave open.
func (opts *options) configure() error {
	path, err := opts.configFile()
	if err != nil || path == "" {
		return err
	}
	name := shortPath(path)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("-config: there is no file %s", name)
	case err != nil:
		return err
	}
	if errs := readConfig(name, text, opts); len(errs) > 0 {
		return &configError{errors.Join(errs...)}
	}
	return nil
}

// configError tells what is wrong in a configuration file, with the places.
type configError struct{ error }

// configFile finds the file: the one that -config names, else the first from the folder that is analysed up to the root
// of its module. It returns an empty path when there is none.
func (opts *options) configFile() (string, error) {
	if opts.config == noConfig {
		return "", nil
	}
	start, err := filepath.Abs(opts.dir)
	if err != nil {
		return "", err
	}
	if opts.config != "" {
		if filepath.IsAbs(opts.config) {
			return opts.config, nil
		}
		return filepath.Join(start, opts.config), nil // as the go command reads files that are named behind -C
	}
	found := ""
	for dir := start; ; dir = filepath.Dir(dir) {
		if found == "" && isFile(filepath.Join(dir, configName)) {
			found = filepath.Join(dir, configName)
		}
		if other := filepath.Join(dir, ".hoplint.yml"); found == "" && isFile(other) {
			return "", fmt.Errorf("%s is not read; call it %s", shortPath(other), configName)
		}
		if isFile(filepath.Join(dir, "go.mod")) {
			return found, nil
		}
		if filepath.Dir(dir) == dir { // outside of a module only the folder itself counts
			if filepath.Dir(found) != start {
				found = ""
			}
			return found, nil
		}
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) // what cannot be read must be told of
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

// readConfig reads the text of a configuration file into the options and returns all that is wrong with it.
func readConfig(name string, text []byte, opts *options) (errs []error) {
	fail := func(line, column int, err error) {
		at := fmt.Sprintf("%s:%d", name, line)
		if column > 0 {
			at += ":" + strconv.Itoa(column)
		}
		errs = append(errs, fmt.Errorf("%s: %w", at, err))
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	switch err := d.Decode(&document); {
	case err == io.EOF:
		return nil // an empty file asks for nothing
	case err != nil:
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			line, _ := strconv.Atoi(m[1])
			fail(line, 0, errors.New(m[2]))
		} else {
			fail(1, 0, errors.New(strings.TrimPrefix(err.Error(), "yaml: ")))
		}
		return errs
	}
	if err := d.Decode(new(yaml.Node)); err != io.EOF {
		fail(document.Line, document.Column, errors.New("want one document"))
	}
	root := actual(document.Content[0])
	if isNull(root) {
		return errs
	}
	if root.Kind != yaml.MappingNode {
		fail(root.Line, root.Column, fmt.Errorf("want keys with values, got %s", kindOf(root)))
		return errs
	}
	keys := configKeys()
	seen := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], actual(root.Content[i+1])
		at := slices.IndexFunc(keys, func(c configKey) bool { return c.name == k.Value })
		switch {
		case at < 0:
			var names []string
			for _, c := range keys {
				names = append(names, c.name)
			}
			fail(k.Line, k.Column, fmt.Errorf("unknown key %q%s", k.Value, cmp.Or(hopcheck.DidYouMean(k.Value, names), "; known are "+strings.Join(names, ", "))))
		case seen[k.Value] > 0:
			fail(k.Line, k.Column, fmt.Errorf("%s is set in line %d already", k.Value, seen[k.Value]))
		case isNull(v):
		default:
			to := opts
			if opts.given[keys[at].flag] {
				to = new(options) // what a flag overrides must be right all the same
			}
			if err := keys[at].set(to, v); err != nil {
				line, column := v.Line, v.Column
				if e, ok := errors.AsType[*nodeError](err); ok {
					line, column = e.node.Line, e.node.Column
				}
				fail(line, column, fmt.Errorf("%s: %v", k.Value, err))
			}
		}
		seen[k.Value] = k.Line
	}
	return errs
}

// nodeError is an error at a part of a value.
type nodeError struct {
	node *yaml.Node
	err  error
}

// Error says what is wrong; the place is the caller's to print.
func (e *nodeError) Error() string { return e.err.Error() }

func setChecks(o *options, n *yaml.Node) error {
	if err := readList(n, &o.checks); err != nil {
		return err
	}
	_, err := analyzer.SelectRules(o.checks)
	return err
}

func setFormat(o *options, n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("want one of %s, got %s", strings.Join(formatNames(), ", "), kindOf(n))
	}
	o.format = n.Value
	return checkFormat(o.format)
}

func setContracts(o *options, n *yaml.Node) error {
	if err := readList(n, &o.contracts); err != nil {
		return err
	}
	return checkContracts(o.contracts)
}

// setDeclare reads rows. One that is written without quotes is a key with a value to YAML.
func setDeclare(o *options, n *yaml.Node) error {
	var rows []string
	add := func(at *yaml.Node, row string) error {
		row = strings.Join(strings.Fields(row), " ")
		if _, err := analyzer.ReadContractRow(row); err != nil {
			return &nodeError{at, err}
		}
		rows = append(rows, row)
		return nil
	}
	addPairs := func(m *yaml.Node) error {
		for i := 0; i+1 < len(m.Content); i += 2 {
			k, v := m.Content[i], actual(m.Content[i+1])
			if v.Kind != yaml.ScalarNode {
				return &nodeError{v, fmt.Errorf("want directives, got %s", kindOf(v))}
			}
			if err := add(k, k.Value+": "+v.Value); err != nil {
				return err
			}
		}
		return nil
	}
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	for _, item := range items {
		item = actual(item)
		var err error
		switch item.Kind {
		case yaml.ScalarNode:
			err = add(item, item.Value)
		case yaml.MappingNode:
			err = addPairs(item)
		default:
			err = &nodeError{item, fmt.Errorf("want a name, a colon and directives, got %s", kindOf(item))}
		}
		if err != nil {
			return err
		}
	}
	o.declare = rows
	return nil
}

func readBool(n *yaml.Node, into *bool) error {
	if n.ShortTag() != "!!bool" || n.Decode(into) != nil {
		return fmt.Errorf("want true or false, got %s", kindOf(n))
	}
	return nil
}

// readList reads a list of words, or one word alone, and joins them with commas as flags have them.
func readList(n *yaml.Node, into *string) error {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	var words []string
	for _, item := range items {
		item = actual(item)
		if item.Kind != yaml.ScalarNode {
			return &nodeError{item, fmt.Errorf("want a list of words, got %s", kindOf(item))}
		}
		words = append(words, item.Value)
	}
	*into = strings.Join(words, ",")
	return nil
}

// actual is the node that an alias stands for.
func actual(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// kindOf says what a node is, for people.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "keys with values"
	default:
		return strconv.Quote(n.Value)
	}
}
