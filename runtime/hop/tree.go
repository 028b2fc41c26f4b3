package hop

import (
	"fmt"
	"iter"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/internal/pytree"
)

// None is the pytree without leaves: a scan without xs or ys. A carry has at least one leaf, which may be an [Int].
type None = struct{}

// flattenFor takes p apart for the exported function fn.
func flattenFor(fn string, p any) ([]*Tensor, *pytree.Tree) {
	leaves, tree, err := pytree.Flatten(p, intLeaves)
	if err != nil {
		e := refusal(hopcheck.Finding{Code: hopcheck.UnsupportedLeaf, Op: fn, Detail: fn + ": " + err.Error()}, userPosition())
		if le, ok := err.(*pytree.LeafError); ok {
			e.Path = le.Path
		}
		panic(e)
	}
	return leaves, tree
}

// Clone returns p with every leaf cloned, in containers of its own. Nil leaves stay nil; an [Int] is a value.
//
// Aliasing: the leaves are fresh.
// Errors: panics with *[Error] when p is no pytree (HOP202).
// Gradient: the identity, leaf by leaf.
//
//hop:returns fresh
func Clone[P any](p P) P {
	return mapTensors("Clone", func(leaves ...*Tensor) *Tensor { return leaves[0].Clone() }, p)
}

// ZerosLike returns p with every leaf replaced by zeros of its shape and dtype. Nil leaves stay nil.
//
// Aliasing: the leaves are fresh.
// Errors: panics with *[Error] when p is no pytree (HOP202).
//
//hop:returns fresh
func ZerosLike[P any](p P) P {
	return mapLeaves("ZerosLike", func(leaves ...*Tensor) *Tensor {
		if leaves[0].isInt() {
			return Int{}.leaf()
		}
		return zerosFor(leaves[0])
	}, p)
}

// MapLeaves returns p with every leaf replaced by f of it and of the leaves at its path in more, which have the same
// structure. f is not called where the leaves are nil, and stay so, nor for an [Int], which stays that of p.
//
// Errors: panics with *[Error] when p is no pytree (HOP202), and when the structures differ, naming every difference.
func MapLeaves[P any](f func(leaves ...*Tensor) *Tensor, p P, more ...P) P {
	return mapTensors("MapLeaves", f, p, more...)
}

// mapTensors is MapLeaves for the exported function fn.
func mapTensors[P any](fn string, f func(leaves ...*Tensor) *Tensor, p P, more ...P) P {
	return mapLeaves(fn, func(leaves ...*Tensor) *Tensor {
		if leaves[0].isInt() {
			return leaves[0]
		}
		return f(leaves...)
	}, p, more...)
}

// mapLeaves is mapTensors for an f that sees integers, too.
func mapLeaves[P any](fn string, f func(leaves ...*Tensor) *Tensor, p P, more ...P) P {
	leaves, tree := flattenFor(fn, p)
	columns := [][]*Tensor{leaves}
	for i, q := range more {
		others, u := flattenFor(fn, q)
		if diffs := u.Diff(tree); len(diffs) > 0 {
			text := ""
			for _, d := range diffs {
				text += fmt.Sprintf("; argument %d%s is %s, the first %s", i+1, d.Path, d.A, d.B)
			}
			misuse(fn, "structures differ%s; make them equal", text)
		}
		columns = append(columns, others)
	}
	out := make([]*Tensor, len(leaves))
	for i := range out {
		row := make([]*Tensor, len(columns))
		for j, column := range columns {
			row[j] = column[i]
		}
		if out[i] = f(row...); out[i] == nil {
			misuse(fn, "function gives nil for leaf %s; return a tensor", tree.Paths()[i])
		}
	}
	return pytree.Unflatten[P](tree, out)
}

// Leaves iterates over the leaves of p that are not nil, each with its path, in the order of flattening: fields as
// declared, elements by index, map keys sorted. An [Int] is an int64 scalar.
//
// Errors: panics with *[Error] when p is no pytree (HOP202).
//
//hop:pure
func Leaves[P any](p P) iter.Seq2[string, *Tensor] {
	leaves, tree := flattenFor("Leaves", p)
	return func(yield func(string, *Tensor) bool) {
		for i, path := range tree.Paths() {
			leaf := leaves[i]
			if leaf.isInt() {
				leaf = intOfLeaf(leaf).Tensor(Int64)
			}
			if !yield(path, leaf) {
				return
			}
		}
	}
}
