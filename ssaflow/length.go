package ssaflow

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// length is a number as far as the code tells it: so much more than a value, or than the length of a slice; a constant where there is
// no value.
type length struct {
	of    ssa.Value
	isLen bool
	more  int64
}

func (l length) plus(n int64) length {
	l.more += n
	return l
}

// numberOf reads a number as a length.
func numberOf(v ssa.Value) length { return numberWithin(v, 0) }

func numberWithin(v ssa.Value, depth int) length {
	if depth > 4 {
		return length{of: v}
	}
	if c := constantOf(v, nil, 0); c.Kind() == constant.Int {
		if n, exact := constant.Int64Val(c); exact {
			return length{more: n}
		}
	}
	switch x := v.(type) {
	case *ssa.BinOp:
		if c, ok := x.Y.(*ssa.Const); ok && c.Value != nil && isInteger(x.Type()) {
			if n, exact := constant.Int64Val(constant.ToInt(c.Value)); exact && x.Op == token.ADD {
				return numberWithin(x.X, depth+1).plus(n)
			} else if exact && x.Op == token.SUB {
				return numberWithin(x.X, depth+1).plus(-n)
			}
		}
	case *ssa.Call:
		if of, ok := lenOf(v); ok {
			if _, slice := core(of.Type()).(*types.Slice); slice {
				return lengthWithin(of, depth+1)
			}
		}
	}
	return length{of: v}
}

// lengthIn is the length of a slice.
func lengthIn(v ssa.Value) length { return lengthWithin(v, 0) }

func lengthWithin(v ssa.Value, depth int) length {
	if n := lengthOf(v, 0); n >= 0 {
		return length{more: n}
	}
	if depth > 4 {
		return length{of: v, isLen: true}
	}
	switch x := v.(type) {
	case *ssa.ChangeType:
		return lengthWithin(x.X, depth+1)
	case *ssa.MakeSlice:
		return numberWithin(x.Len, depth+1)
	case *ssa.Slice:
		low := intOf(x.Low, 0)
		if low < 0 {
			break
		}
		if x.High != nil {
			return numberWithin(x.High, depth+1).plus(-low)
		}
		return lengthWithin(x.X, depth+1).plus(-low)
	}
	return length{of: v, isLen: true}
}

// lenOf returns the operand of a call of len.
func lenOf(v ssa.Value) (ssa.Value, bool) {
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil, false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "len" {
		return nil, false
	}
	return call.Call.Args[0], true
}
