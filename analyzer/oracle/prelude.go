package oracle

// prelude are the types and helpers that all programs of a batch share. The inputs have a storage for each leaf.
const prelude = `package main

import "github.com/hoplint/hoplint/runtime/hop"

type T = *hop.Tensor

type In struct{ C T }

type S struct {
	A, B T
	In   In
	L    []T
	M    map[string]T
}

type X struct{ P, Q T }

type Y struct {
	U T
	V []T
}

var flags [5]bool

func fresh() T { return hop.FromSlice([]float64{.1, .2, .3, .4}, 2, 2) }

func newS() S {
	return S{A: fresh(), B: fresh(), In: In{C: fresh()}, L: []T{fresh(), fresh()}, M: map[string]T{"a": fresh(), "b": fresh()}}
}

func newX(n int) X {
	return X{P: hop.Ones(hop.Float64, n, 2, 2), Q: hop.Ones(hop.Float64, n, 2, 2)}
}

func other(s S) Y { return Y{U: fresh(), V: []T{fresh(), fresh()}} }

func (s S) first() T { return s.A }

func (s *S) set(t T) { s.B = t }

func (s *S) update(t T) { s.A.AddInPlace(t.Clone()) }

// Mutator is implemented by a type that writes, one that keeps and one that copies.
type Mutator interface{ Apply(t T) T }

type adder struct{ by T }

func (a adder) Apply(t T) T { return t.AddInPlace(a.by) }

type keeper struct{ last T }

func (k *keeper) Apply(t T) T {
	last := k.last
	k.last = t
	if last == nil {
		return t.Clone()
	}
	return last
}

type copier struct{}

func (copier) Apply(t T) T { return t.Clone() }

func choose[V any](first bool, a, b V) V {
	if first {
		return a
	}
	return b
}

func last[V any](list []V) V { return list[len(list)-1] }

func collect(ts ...T) []T { return ts }

func again(n int, t T) T {
	if n == 0 {
		return t
	}
	return again(n-1, t.Neg())
}

// sequence yields its arguments.
func sequence(ts ...T) func(func(T) bool) {
	return func(yield func(T) bool) {
		for _, t := range ts {
			if !yield(t) {
				return
			}
		}
	}
}

type link struct {
	t    T
	next *link
}

func (n *link) walk(f func(T)) {
	if n != nil {
		f(n.t)
		n.next.walk(f)
	}
}

func anyOf(first bool, t T, s S) any {
	if first {
		return t
	}
	return s
}
`

// mainProgram runs each program under all combinations of its flags and prints what was refused.
const mainProgram = `package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/hoplint/hoplint/runtime/hop"
)

type refusal struct {
	Code, Role, Path, WithRole, WithPath string
}

type outcome struct {
	Name     string
	Refusals []refusal
	Other    string
}

func flatten(e *hop.Error) []refusal {
	var list []refusal
	for _, p := range e.Finding.Places {
		list = append(list, refusal{Code: string(e.Code), Role: p.Role.String(), Path: p.Path})
	}
	for _, p := range e.Finding.Pairs {
		list = append(list, refusal{string(e.Code), p.Out.Role.String(), p.Out.Path, p.With.Role.String(), p.With.Path})
	}
	return list
}

func run(name string, n int, f func()) outcome {
	o := outcome{Name: name}
	seen := map[refusal]bool{}
	for bits := range 1 << n {
		for i := range n {
			flags[i] = bits>>i&1 == 1
		}
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("panic: %v", p)
				}
			}()
			return hop.Try(f)
		}()
		var refused *hop.Error
		switch {
		case errors.As(err, &refused) && refused.Code != "":
			for _, e := range append([]*hop.Error{refused}, refused.More...) {
				for _, r := range flatten(e) {
					if !seen[r] {
						seen[r] = true
						o.Refusals = append(o.Refusals, r)
					}
				}
			}
		case err != nil:
			o.Other = err.Error()
		}
	}
	return o
}

func main() {
	var list []outcome
	for _, p := range programs {
		list = append(list, run(p.name, p.flags, p.f))
	}
	if err := json.NewEncoder(os.Stdout).Encode(list); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`
