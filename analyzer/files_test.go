package analyzer_test

import "testing"

// Files of tensors are I/O, and to write the values of a tensor is to read them.
func TestFilesOfTensors(t *testing.T) {
	const files = `package hopio
import (
	"io"
	"github.com/hoplint/hoplint/runtime/hop"
)
type T = hop.Tensor
type Option func(*int)
func SaveTree[P any](path string, tree P, opts ...Option) error { return nil }
func LoadTree[P any](path string, like P, opts ...Option) (P, error) { return like, nil }
func LoadNPY(path string) (*T, error)
func SaveNPZ(path string, tensors map[string]*T) error
func WriteNPY(w io.Writer, t *T) error
func ReadNPY(r io.Reader) (*T, error)
func ReadNPZ(r io.ReaderAt, size int64) (map[string]*T, error)
func Compressed() Option
func Flatten[P any](tree P) (map[string]*T, error) { return nil, nil }
func Unflatten[P any](like P, tensors map[string]*T) (P, error) { return like, nil }
`
	const head = `package p
import (
	"bytes"
	"github.com/hoplint/hoplint/runtime/hop"
	"github.com/hoplint/hoplint/runtime/hopio"
)
type T = hop.Tensor
type S struct{ H, C *T }
var zero = hop.Zeros(hop.Float64, 2)
`
	in := func(name, text string) program {
		return program{name: name, full: head + text + "\nvar _ bytes.Buffer\n", packages: map[string]string{filesPath: files}}
	}
	checkPrograms(t, []program{
		in("saved and loaded", `
func main() {
	hop.Map(func(x *T) *T {
		hopio.SaveTree("x.npz", x, hopio.Compressed()) // want HOP403 ; HOP501 x
		return x.Neg()
	}, zero)
	hop.Map(func(x *T) *T {
		hopio.SaveNPZ("x.npz", map[string]*T{"x": x.Neg()}) // want HOP403 ; HOP501 x
		return x.Neg()
	}, zero)
	hop.Map(func(x *T) *T {
		w, _ := hopio.LoadNPY("w.npy") // want HOP403
		return x.Mul(w)
	}, zero)
	hop.Map(func(s S) *T {
		t, _ := hopio.LoadTree("s.npz", s) // want HOP403
		t.H.AddInPlace(s.C)
		return t.H
	}, S{zero, zero})
	hopio.SaveTree("x.npz", zero)
}`),
		in("streams", `
func main(given *bytes.Buffer, bs []byte) {
	hop.Map(func(x *T) *T {
		hopio.WriteNPY(given, x) // want HOP401 captured given ; HOP501 x
		return x.Neg()
	}, zero)
	hop.Map(func(x *T) *T {
		var own bytes.Buffer
		hopio.WriteNPY(&own, zero)
		return x.Neg()
	}, zero)
	hop.Map(func(x *T) *T {
		w, _ := hopio.ReadNPY(bytes.NewReader(bs))
		m, _ := hopio.ReadNPZ(bytes.NewReader(bs), 3)
		m["w"].AddInPlace(x)
		return m["w"].MulInPlace(w)
	}, zero)
}`),
		in("trees and maps", `
func main() {
	hop.Map(func(s []*T) *T {
		m, _ := hopio.Flatten(s)
		m["[0]"].NegInPlace() // want HOP102 x
		return s[1].Neg()
	}, []*T{zero, zero})
	hop.Map(func(s S) S {
		m, _ := hopio.Flatten(s)
		n := map[string]*T{}
		for k, t := range m { n[k] = t.Neg() }
		out, _ := hopio.Unflatten(s, n)
		return hop.Clone(out)
	}, S{zero, zero})
	hop.Map(func(s S) S {
		out, _ := hopio.Unflatten(s, map[string]*T{"H": s.H.Neg(), "C": s.C.Neg()})
		return out
	}, S{zero, zero})
}`),
	})
}

const filesPath = "github.com/hoplint/hoplint/runtime/hopio"
