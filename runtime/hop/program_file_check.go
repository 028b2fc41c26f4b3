package hop

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// strictShapes are the shape rules for a graph from a file. A traced graph is made by the methods of this package, which
// give each op the arguments and attributes that its schema declares, dtypes that it accepts, and attributes that its
// shape rule has normalised. Kernels rely on all of that; a file can claim anything, so it is checked here.
type strictShapes struct{}

// Infer applies the rule of the op called name to arguments and attributes that it may have.
func (strictShapes) Infer(name string, args []tracer.Meta, attrs tracer.Attrs) (tracer.Meta, error) {
	inf, err := inferNamed(name, args, attrs, func(op *opRow, args []tracer.Meta) error { return declared(op, args, attrs) })
	if err != nil {
		return tracer.Meta{}, err
	}
	if !slices.EqualFunc(inf.Attrs, attrs, sameAttr) {
		return tracer.Meta{}, fmt.Errorf("%s: attributes are %v; want %v", name, attrs, inf.Attrs)
	}
	return inf.Out, nil
}

// sameAttr takes a nil list for an empty one: their text is the same.
func sameAttr(a, b tracer.Attr) bool {
	x, isList := a.Value.([]int)
	y, both := b.Value.([]int)
	if i, ok := a.Value.(tracer.Int); ok { // its text says all
		k, ok := b.Value.(tracer.Int)
		return ok && a.Key == b.Key && i.Same(k)
	}
	if list, ok := a.Value.([]tracer.Int); ok {
		others, ok := b.Value.([]tracer.Int)
		return ok && a.Key == b.Key && slices.EqualFunc(list, others, tracer.Int.Same)
	}
	if isList && both {
		return a.Key == b.Key && slices.Equal(x, y)
	}
	return reflect.DeepEqual(a, b)
}

// schemas are those of the op table, parsed once.
var schemas = sync.OnceValue(func() map[string]hopcheck.Schema {
	m := make(map[string]hopcheck.Schema, len(opTable))
	for name, op := range lib.byName() {
		if s, err := hopcheck.ParseSchema(op.Schema); err == nil { // a test parses each
			m[name] = s
		}
	}
	for name, op := range symbolRows() {
		if s, err := hopcheck.ParseSchema(op.Schema); err == nil {
			m[name] = s
		}
	}
	return m
})

// declared checks arguments and attributes against the schema of op.
func declared(op *opRow, args []tracer.Meta, attrs tracer.Attrs) error {
	tensors, variadic, k := 0, false, 0
	for _, p := range schemas()[op.Name].Params {
		if p.Type == "Tensor" {
			tensors++
			variadic = variadic || p.Variadic
			continue
		}
		if k == len(attrs) || attrs[k].Key != p.Name {
			return fmt.Errorf("attribute %d is %s; want %s", k, keyAt(attrs, k), p.Name)
		}
		if !typed(attrs[k].Value, p) {
			return fmt.Errorf("attribute %s is the %T %v; want %s", p.Name, attrs[k].Value, attrs[k].Value, p.Type)
		}
		k++
	}
	if k < len(attrs) {
		return fmt.Errorf("attribute %d is %s; want no more", k, attrs[k].Key)
	}
	if variadic && len(args) < tensors || !variadic && len(args) != tensors {
		return fmt.Errorf("%d arguments; want %d", len(args), tensors)
	}
	for i, m := range args {
		if !m.IsTensor() {
			return fmt.Errorf("argument %d is %s; want a tensor", i, m)
		}
		if !op.DTypes.has(m.DType) && !op.freeDType(i) {
			return fmt.Errorf("argument %d is %s; want %s", i, m.DType, op.DTypes)
		}
	}
	return nil
}

func keyAt(attrs tracer.Attrs, k int) string {
	if k < len(attrs) {
		return attrs[k].Key
	}
	return "missing"
}

// typed reports whether an attribute has the Go type of its parameter.
func typed(v any, p hopcheck.SchemaParam) bool {
	var ok bool
	switch p.Type {
	case "int":
		switch v.(type) { // a symbolic one is checked again when it is known
		case []int, []tracer.Int:
			ok = p.Variadic
		case int, tracer.Int:
			ok = !p.Variadic
		}
	case "float":
		_, ok = v.(float64)
	case "bool":
		_, ok = v.(bool)
	case "dtype":
		_, ok = v.(DType)
	case "string":
		_, ok = v.(string)
	}
	return ok
}

// runnable checks that each tensor of a graph and of its bodies, as far as its shape is known, could be made, and that
// captured tensors have shapes.
func runnable(g *tracer.Graph) error {
	for _, n := range g.Constants {
		if _, ok := n.Meta.ConstShape(); !ok {
			return fmt.Errorf("%s: constant %s is %s; want a tensor of constant shape", g.Name, n.Name, n.Meta)
		}
	}
	for _, n := range slices.Concat(g.Inputs, g.Constants, g.Nodes) {
		parts := n.Meta.Elems
		if parts == nil {
			parts = []tracer.Meta{n.Meta}
		}
		for _, m := range parts {
			dims, ok := m.ConstShape()
			if op := opNamed(n.Op); !ok || m.Int != nil || op != nil && op.Kernel.View != nil {
				continue // not known yet, or needs no memory
			}
			if _, ok := numElems(m.DType, dims); !ok {
				return fmt.Errorf("%s: %s is %s, larger than memory can be", g.Name, n.Name, describe(m))
			}
		}
		for _, a := range n.Attrs {
			if list := (tracer.Attrs{a}); list.Symbolic() && !list.Replace(nil).Symbolic() {
				return fmt.Errorf("%s: %s: attribute %s is symbolic in form and constant; want the number", g.Name, n.Name, a.Key)
			}
		}
		for _, body := range n.Graphs {
			if err := runnable(body); err != nil {
				return fmt.Errorf("%s/%s/%w", g.Name, n.Name, err)
			}
		}
	}
	return nil
}
