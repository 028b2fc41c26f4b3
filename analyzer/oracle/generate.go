package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Program is one random program: the text of its functions.
type Program struct {
	Name string
	// Flags is the number of flags that its branches depend on.
	Flags int
	// Text is the Go source of its declarations; the function called Name runs the operator.
	Text string
	// Imports are the packages that Text uses besides the library.
	Imports []string
	// Packages are the sources of packages of the program, by their folder.
	Packages map[string]string
}

// Generate returns the program of a number; the same numbers give the same program.
func Generate(seed uint64, number int) Program {
	g := &generator{r: rand.New(rand.NewPCG(seed, uint64(number))), number: number}
	g.careful = !g.one(3)
	for range g.r.IntN(4) {
		g.helper()
	}
	g.operator()
	return Program{Name: g.global("program"), Flags: g.flags, Text: g.out.String()}
}

// kind is the type of a variable of a program.
type kind int

const (
	tensor  kind = iota // T
	state               // S
	pointer             // *S
	list                // []T
	table               // map[string]T
	pair                // [2]T
	closure             // func(T) T
	mutator             // Mutator
	row                 // X
)

var typeNames = [...]string{"T", "S", "*S", "[]T", "map[string]T", "[2]T", "func(T) T", "Mutator", "X"}

type variable struct {
	name string
	kind kind
	// fixed variables are not assigned to: parameters of closures that other code relies on, loop variables.
	fixed bool
}

// helper is a generated function.
type helper struct {
	name   string
	params []kind
	result bool // a tensor
}

type generator struct {
	r       *rand.Rand
	out     strings.Builder
	number  int
	indent  int
	names   int
	flags   int
	vars    []variable
	helpers []helper
	// result makes a return statement of the function that is generated; nil where none may stand.
	result func() string
	// depth counts the blocks and closures around a statement.
	depth int
	// careful programs copy most of what they are handed and return few things that they did not make.
	careful bool
}

func (g *generator) one(n int) bool { return g.r.IntN(n) == 0 }

func (g *generator) global(name string) string { return fmt.Sprintf("%s%d", name, g.number) }

func (g *generator) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat("\t", g.indent))
	fmt.Fprintf(&g.out, format, args...)
	g.out.WriteByte('\n')
}

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// declare defines a variable and uses it.
func (g *generator) declare(k kind, value string) string {
	name := g.name("v")
	g.line("var %s %s = %s", name, typeNames[k], value)
	g.line("_ = %s", name)
	g.vars = append(g.vars, variable{name: name, kind: k})
	return name
}

// pick returns a variable of a kind, or "".
func (g *generator) pick(k kind) string {
	var names []string
	for _, v := range g.vars {
		if v.kind == k {
			names = append(names, v.name)
		}
	}
	if names == nil {
		return ""
	}
	return names[g.r.IntN(len(names))]
}

// maxFlags bounds the runs of a program: one for each combination.
const maxFlags = 5

// flag is a condition. As long as there are flags left each is asked in one place only, so that no answer follows from
// another.
func (g *generator) flag() string {
	i := g.flags
	if g.flags < maxFlags {
		g.flags++
	} else {
		i = g.r.IntN(maxFlags)
	}
	text := fmt.Sprintf("flags[%d]", i)
	if g.one(2) {
		return "!" + text
	}
	return text
}

// some generates from least to most statements.
func (g *generator) some(least, most int) func() {
	return func() { g.statements(least + g.r.IntN(most-least+1)) }
}

// scoped generates a block; what it declares is gone behind it.
func (g *generator) scoped(block func()) {
	vars := len(g.vars)
	g.indent++
	g.depth++
	block()
	g.depth--
	g.indent--
	g.vars = g.vars[:vars]
}

// body generates what stands between the braces of the operator's body.
func (g *generator) body(vars []variable, result func() string) {
	g.function(vars, func() {
		for _, v := range vars {
			if g.careful && !v.fixed && !g.one(4) {
				g.line("%s = hop.Clone(%s)", v.name, v.name)
			}
		}
		g.statements(2 + g.r.IntN(6))
	}, result)
}

// function generates what stands between the braces of a function whose result is made by result.
func (g *generator) function(vars []variable, statements func(), result func() string) {
	outer, saved := g.vars, g.result
	g.vars, g.result = append(append([]variable(nil), outer...), vars...), result
	g.indent++
	statements()
	if text := result(); text != "" {
		g.line("return %s", text)
	}
	g.indent--
	g.vars, g.result = outer, saved
}

// helper generates a function of the package.
func (g *generator) helper() {
	h := helper{name: fmt.Sprintf("helper%d_%d", g.number, len(g.helpers)), result: !g.one(3)}
	var params []string
	var vars []variable
	for i := range 1 + g.r.IntN(3) {
		k := []kind{tensor, tensor, tensor, pointer, state, list, table, closure}[g.r.IntN(8)]
		h.params = append(h.params, k)
		name := fmt.Sprintf("p%d", i)
		params = append(params, name+" "+typeNames[k])
		vars = append(vars, variable{name: name, kind: k})
	}
	if g.none(vars, tensor, pointer, state, list, table) {
		h.params, params = append(h.params, tensor), append(params, "t T")
		vars = append(vars, variable{name: "t", kind: tensor})
	}
	head := fmt.Sprintf("func %s(%s)", h.name, strings.Join(params, ", "))
	if h.result {
		g.line("%s T {", head)
		g.function(vars, g.some(1, 3), func() string { return g.tensor(2) })
	} else {
		g.line("%s {", head)
		g.function(vars, g.some(1, 3), func() string { return "" })
	}
	g.line("}\n")
	g.helpers = append(g.helpers, h)
}

func (g *generator) none(vars []variable, kinds ...kind) bool {
	for _, v := range vars {
		for _, k := range kinds {
			if v.kind == k {
				return false
			}
		}
	}
	return true
}
