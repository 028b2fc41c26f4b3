package ssaflow

import (
	"go/types"
	"hash/fnv"
	"slices"
)

// words are what a fact can name by number: first what every fact may use, then the fields and methods that the types of the
// function's parameters and results lead to. The writer and the reader list them on their own, from the same types.
type words struct {
	names, steps []string
	// The words before these are common to all facts.
	firstName, firstStep int
}

// Lists are short, so that most numbers take one byte.
const (
	maxNames, maxSteps, maxTypes = 80, 56, 64
	// maxArgs is the number of arguments of a call beyond which a fact is taken to be damaged.
	maxArgs = 1 << 12
)

// commonPaths are the paths that all facts know; a reference holds the first three in its first byte.
func commonPaths() []string { return []string{"", "*", "*[]", "*[]*"} }

// commonWords are the names and steps that all facts know. The first operations fit into the byte of an effect or flag.
func commonWords() *words {
	w := &words{
		names: []string{"", "store", "append", "copy", "delete", "go", "send", "unsafe.Pointer", "function value", "clear", "close",
			"function literal", "Error", "String", "Write", "Read", "Len", "Less", "Swap", "Close", "Next", "Get", "Set", "At", "Name", "Type",
			"Pos", "Add", "f", "fn", "error", "yield"},
		steps: []string{"*", "[]", "#0", "[key]", "[0]", "[1]", "#1", ".Data"},
	}
	w.firstName, w.firstStep = len(w.names), len(w.steps)
	return w
}

func (w *words) derivedName(n int) bool { return n >= w.firstName && n < len(w.names) }
func (w *words) derivedStep(n int) bool { return n >= w.firstStep && n < len(w.steps) }

// check tells lists of derived words apart.
func (w *words) check() byte {
	h := fnv.New32a()
	for _, list := range [][]string{w.names[w.firstName:], w.steps[w.firstStep:]} {
		for _, s := range list {
			h.Write([]byte(s))
			h.Write([]byte{0})
		}
	}
	n := h.Sum32()
	return byte(n ^ n>>8 ^ n>>16 ^ n>>24)
}

// wordsOf lists the words of a function: those of its receiver and parameters first, from the outside in.
func wordsOf(fn *types.Func) *words {
	w := commonWords()
	if fn == nil {
		return w
	}
	sig := fn.Signature()
	var queue []types.Type
	seen := map[*types.Named]bool{}
	name := func(s string) {
		if len(w.names) < maxNames && !slices.Contains(w.names, s) {
			w.names = append(w.names, s)
		}
	}
	tuple := func(t *types.Tuple) {
		for i := range t.Len() {
			queue = append(queue, t.At(i).Type())
		}
	}
	if recv := sig.Recv(); recv != nil {
		queue = append(queue, recv.Type())
	}
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		if _, ok := p.Type().Underlying().(*types.Signature); ok {
			name(p.Name())
		}
	}
	tuple(sig.Params())
	tuple(sig.Results())
	for n := 0; n < len(queue) && n < maxTypes; n++ {
		t := types.Unalias(queue[n])
		if named, ok := t.(*types.Named); ok {
			if seen[named.Origin()] {
				continue
			}
			seen[named.Origin()] = true
		}
		switch t := t.Underlying().(type) {
		case *types.Pointer:
			queue = append(queue, t.Elem())
		case *types.Slice:
			queue = append(queue, t.Elem())
		case *types.Array:
			queue = append(queue, t.Elem())
		case *types.Map:
			queue = append(queue, t.Elem(), t.Key())
		case *types.Chan:
			queue = append(queue, t.Elem())
		case *types.Signature:
			tuple(t.Params())
			tuple(t.Results())
		case *types.Interface:
			for i := range t.NumMethods() {
				name(t.Method(i).Name())
				tuple(t.Method(i).Signature().Results())
			}
		case *types.Struct:
			for i := range t.NumFields() {
				if s := "." + t.Field(i).Name(); len(w.steps) < maxSteps && !slices.Contains(w.steps, s) {
					w.steps = append(w.steps, s)
				}
				if leads(t.Field(i).Type()) {
					queue = append(queue, t.Field(i).Type())
				}
			}
		}
	}
	w.names, w.steps = slices.Clip(w.names), slices.Clip(w.steps)
	return w
}

// leads reports whether a field can lead to further words.
func leads(t types.Type) bool {
	_, basic := t.Underlying().(*types.Basic)
	return !basic
}
