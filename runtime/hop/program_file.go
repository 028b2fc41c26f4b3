package hop

import (
	"crypto/sha256"
	endian "encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/internal/pytree"
	"github.com/hoplint/hoplint/tracer"
)

// A program in a file, all numbers little endian:
//
//	magic      8 bytes  \x89HOP\r\n\x1a\n, which shows a transfer as text
//	version    uint32   fileVersion
//	length     uint64   bytes of the sections
//	sections            each a uint64 length and as many bytes, in this order:
//	  name                how the program was made: trace or compile
//	  argument            the structure of X, a line for each place
//	  result              the structure of Y
//	  graph               the text with positions; types of the leaves and the constants are in it
//	  constants           elements of the captured tensors in the order of the graph, row-major
//	checksum   32 bytes SHA-256 of all that stands before it
//
// Each program has one such form: what Load accepts, Save writes again byte for byte.
const (
	fileMagic   = "\x89HOP\r\n\x1a\n"
	fileVersion = 1
	fileHeader  = len(fileMagic) + 4 + 8
)

// sectionNames are the sections in order, as errors call them.
var sectionNames = [...]string{"name", "structure of the argument", "structure of the result", "graph", "constants"}

const (
	sectionName = iota
	sectionArgument
	sectionResult
	sectionGraph
	sectionConstants
)

// Save writes the program to w, for [Load]: structures of X and Y, the graph with its positions, and the elements of the
// captured tensors. The same program gives the same bytes.
//
// Errors: an *[Error] when a captured tensor was written since the trace (HOP405), for a graph that cannot be read back,
// and around an error of w, which may then have got a part.
func (p *Program[X, Y]) Save(w io.Writer) error {
	return Try(func() { p.p.save(w) })
}

// Load reads a program that [Program.Save] wrote. X and Y must have the structures of the ones that were saved: fields by
// name and in order, lengths of arrays, types of static fields; the names of the Go types do not matter. The program owns
// its captured tensors. Nothing behind the program is read from r.
//
// The checksum, the graph, every op, its attributes and the shapes are checked before anything can run, so that a file
// that was damaged or made up is refused and asks for no more memory than it is long, but for literals that repeat one
// element, of which there may be half a gigabyte.
//
// Errors: an *[Error] that says what was found and what was expected; for other structures, with every difference, it
// has the code HOP201. A file that ends too early is an error that unwraps to [io.ErrUnexpectedEOF].
// Gradient, options: as those of the program that was saved; see [Program.Call].
func Load[X, Y any](r io.Reader) (p *Program[X, Y], err error) {
	err = Try(func() { p = &Program[X, Y]{loadProgram(r, reflect.TypeFor[X](), reflect.TypeFor[Y]())} })
	return p, err
}

func (p *flatProgram) save(w io.Writer) {
	if w == nil {
		misuse("Save", "writer is nil; create a file")
	}
	caps := p.current(userPosition())
	text := p.graph.Text()
	back, err := tracer.Parse(text)
	if err == nil && back.Text() != text {
		err = fmt.Errorf("it reads back as another one")
	}
	if err != nil {
		misuse("Save", "the graph cannot be read back: %s; pass large tensors in the argument", err)
	}
	var sections [len(sectionNames)][]byte
	sections[sectionName] = []byte(p.name)
	sections[sectionArgument] = p.in.AppendText(nil, argumentLabel)
	sections[sectionResult] = p.out.AppendText(nil, resultLabel)
	sections[sectionGraph] = []byte(text)
	constants := 0
	for _, t := range caps {
		constants += t.NumElems() * t.DType().Size()
	}
	length := 8*len(sections) + constants
	for _, s := range sections {
		length += len(s)
	}
	sum := sha256.New()
	out := fileWriter{w: io.MultiWriter(w, sum)}
	header := endian.LittleEndian.AppendUint32([]byte(fileMagic), fileVersion)
	out.write(endian.LittleEndian.AppendUint64(header, uint64(length)))
	for i, s := range sections {
		size := len(s)
		if i == sectionConstants {
			size = constants
		}
		out.write(endian.LittleEndian.AppendUint64(nil, uint64(size)))
		out.write(s)
	}
	for _, t := range caps {
		out.write(rowMajor(t))
	}
	out.w = w
	out.write(sum.Sum(nil))
	if out.err != nil {
		e := misuseError("Save", "the writer failed: %s", out.err)
		e.Err = out.err
		panic(e)
	}
}

// How errors and files call the root of the two structures.
const (
	argumentLabel = "argument"
	resultLabel   = "result"
)

// fileWriter writes until the first error.
type fileWriter struct {
	w   io.Writer
	err error
}

func (f *fileWriter) write(b []byte) {
	if f.err == nil {
		_, f.err = f.w.Write(b)
	}
}

// rowMajor returns the bytes of the elements of a concrete tensor, little endian; they are t's own where they lie so.
func rowMajor(t *Tensor) []byte {
	if t.NumElems() == 0 {
		return nil
	}
	whole := t
	if !t.IsContiguous() {
		whole = tagged(t, nil).at(detached).Clone()
	}
	size := whole.storage.dtype.Size()
	data := whole.storage.bytes()[whole.offset*size:][:whole.NumElems()*size]
	if bigEndian() {
		data = append([]byte(nil), data...)
		swapBytes(data, size)
	}
	return data
}

// bigEndian reports whether this machine keeps the high byte first.
func bigEndian() bool { return endian.NativeEndian.Uint16([]byte{0, 1}) == 1 }

// swapBytes turns the bytes of each element around.
func swapBytes(data []byte, size int) {
	for ; len(data) >= size; data = data[size:] {
		for i, j := 0, size-1; i < j; i, j = i+1, j-1 {
			data[i], data[j] = data[j], data[i]
		}
	}
}

// fileReader reads a program and fails by panics with an *Error.
type fileReader struct {
	r      io.Reader
	sum    io.Writer
	offset int64
}

// refuse fails with what was found and what was expected at an offset.
func (f *fileReader) refuse(offset int64, got, want string) {
	panic(misuseError("Load", "offset %d: got %s, want %s", offset, got, want))
}

// take reads n bytes. Memory grows with what arrives, not with what is claimed.
func (f *fileReader) take(n uint64, what string) []byte {
	const step = 1 << 16
	data := make([]byte, 0, min(n, step))
	for uint64(len(data)) < n {
		if len(data) == cap(data) {
			data = append(make([]byte, 0, min(n, 2*uint64(cap(data)))), data...)
		}
		k, err := io.ReadFull(f.r, data[len(data):cap(data)])
		data = data[:len(data)+k]
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			e := misuseError("Load", "offset %d: got %d bytes and then the end, want %d bytes of %s", f.offset, len(data), n, what)
			e.Err = io.ErrUnexpectedEOF
			panic(e)
		default:
			e := misuseError("Load", "offset %d: reading %s: %s", f.offset+int64(len(data)), what, err)
			e.Err = err
			panic(e)
		}
	}
	f.sum.Write(data)
	f.offset += int64(n)
	return data
}

func loadProgram(r io.Reader, x, y reflect.Type) *flatProgram {
	if r == nil {
		misuse("Load", "reader is nil; open the file that Save wrote")
	}
	sum := sha256.New()
	f := &fileReader{r: r, sum: sum}
	magic := f.take(uint64(len(fileMagic)), "magic number")
	if string(magic) != fileMagic {
		f.refuse(0, fmt.Sprintf("%q", magic), fmt.Sprintf("%q, with which a saved program begins", fileMagic))
	}
	if v := endian.LittleEndian.Uint32(f.take(4, "version")); v != fileVersion {
		f.refuse(8, fmt.Sprintf("version %d", v), fmt.Sprintf("version %d, the one that this library reads", fileVersion))
	}
	length := endian.LittleEndian.Uint64(f.take(8, "length"))
	if length > math.MaxInt64/2 {
		f.refuse(12, fmt.Sprintf("a length of %d bytes", length), "no more than memory can be")
	}
	body := f.take(length, "the program")
	want := sum.Sum(nil)
	f.sum = io.Discard
	if got := f.take(sha256.Size, "checksum"); string(got) != string(want) {
		f.refuse(f.offset-sha256.Size, fmt.Sprintf("checksum %x", got), fmt.Sprintf("%x, that of what stands before it: the file was damaged", want))
	}
	return f.program(f.sections(body), x, y)
}

// section is one part of the file and where it begins.
type section struct {
	data   []byte
	offset int64
}

func (f *fileReader) sections(body []byte) (list [len(sectionNames)]section) {
	at := int64(fileHeader)
	for i, name := range sectionNames {
		if len(body) < 8 {
			f.refuse(at, fmt.Sprintf("%d bytes", len(body)), "the length of section "+name)
		}
		n := endian.LittleEndian.Uint64(body)
		body = body[8:]
		if n > uint64(len(body)) {
			f.refuse(at, fmt.Sprintf("section %s of %d bytes", name, n), fmt.Sprintf("at most the %d that are left", len(body)))
		}
		list[i] = section{body[:n], at + 8}
		body = body[n:]
		at += 8 + int64(n)
	}
	if len(body) > 0 {
		f.refuse(at, fmt.Sprintf("%d bytes", len(body)), "nothing behind section "+sectionNames[sectionConstants])
	}
	return list
}

// program puts a program together and checks it.
func (f *fileReader) program(s [len(sectionNames)]section, x, y reflect.Type) *flatProgram {
	p := &flatProgram{name: string(s[sectionName].data)}
	c, known := hopcheck.ContractNamed(p.name)
	if !known || c.Func != "Trace" && c.Func != "Compile" {
		f.refuse(s[sectionName].offset, fmt.Sprintf("a program of %q", clip(p.name)), "trace or compile")
	}
	var diffs []hopcheck.Difference
	p.in, diffs = f.structure(s[sectionArgument], argumentLabel, x, diffs)
	p.out, diffs = f.structure(s[sectionResult], resultLabel, y, diffs)
	if diffs != nil {
		panic(refusal(hopcheck.Finding{Code: hopcheck.CarryMismatch, HOP: p.name, Differences: diffs,
			Remedy: "load the program as Program[X, Y] with the structures that were saved"}, userPosition()))
	}
	f.graph(p, s[sectionGraph])
	f.constants(p, s[sectionConstants])
	if err := Try(func() { p.plan = planOf(p.graph) }); err != nil {
		panic(misuseError("Load", "offset %d: the graph cannot be run: %s", s[sectionGraph].offset, err))
	}
	return p
}

// structure reads one of the two structures and adds the differences from the Go type.
func (f *fileReader) structure(s section, label string, typ reflect.Type, diffs []hopcheck.Difference) (*pytree.Tree, []hopcheck.Difference) {
	tree, found, err := pytree.ParseText(typ, intLeaves, label, string(s.data))
	if le, ok := err.(*pytree.LeafError); ok {
		e := refusal(hopcheck.Finding{Code: hopcheck.UnsupportedLeaf, Op: "Load", Detail: "Load: " + label + ": " + le.Error()}, userPosition())
		e.Path = le.Path
		panic(e)
	}
	if err != nil {
		panic(misuseError("Load", "offset %d: structure of the %s: %s", s.offset, label, err))
	}
	for _, d := range found {
		diffs = append(diffs, difference("saved "+label, d.Path, d.A, typ.String(), d.B))
	}
	return tree, diffs
}

// graph reads and verifies the graph.
func (f *fileReader) graph(p *flatProgram, s section) {
	fail := func(format string, args ...any) {
		panic(misuseError("Load", "offset %d: %s", s.offset, fmt.Sprintf(format, args...)))
	}
	g, err := tracer.Parse(string(s.data))
	if err != nil {
		fail("%s", err)
	}
	if g.Text() != string(s.data) {
		fail("the graph is not written as Save writes it")
	}
	g.SetOps(strictShapes{})
	if err := g.Verify(); err != nil {
		fail("%s", err)
	}
	g.SetOps(shapes{})
	if err := runnable(g); err != nil {
		fail("graph %s", err)
	}
	p.graph = g
	if err := p.open(); err != nil {
		fail("%s", err)
	}
	for i, s := range p.sources {
		if s.leaf >= 0 {
			p.metas = append(p.metas, g.Inputs[i].Meta)
		}
	}
	if got, want := len(g.Outputs), p.out.NumLeaves(); got != want {
		fail("the graph has %d outputs, want %d, one for each leaf of the result", got, want)
	}
	for i, isInt := range p.out.Others() {
		if o := g.Outputs[i]; isInt != (o.Meta.Int != nil) {
			fail("output %d of the graph is %s, and is %s in the structure of the result", i, o.Meta, map[bool]string{true: "an int", false: "a tensor"}[isInt])
		}
	}
	shareBodies(g, map[string]*tracer.Graph{})
}

// shareBodies makes bodies of subgraphs one again, as they were when they were traced: those that print the same, names and
// positions included, so that the program is saved again as it was.
func shareBodies(g *tracer.Graph, shared map[string]*tracer.Graph) {
	for _, n := range g.Nodes {
		for i, body := range n.Graphs {
			shareBodies(body, shared)
			if n.Op == "subgraph" {
				text := body.Text()
				if known := shared[text]; known != nil {
					n.Graphs[i] = known
				} else {
					shared[text] = body
				}
			}
		}
	}
}

// constants makes the captured tensors.
func (f *fileReader) constants(p *flatProgram, s section) {
	rest, at := s.data, s.offset
	for _, n := range p.graph.Constants {
		dims, _ := n.Meta.ConstShape() // constant: runnable has checked it
		count, ok := numElems(n.Meta.DType, dims)
		size := count * n.Meta.DType.Size()
		if !ok || size > len(rest) {
			f.refuse(at, fmt.Sprintf("%d bytes that are left", len(rest)), fmt.Sprintf("the elements of constant %s, %s", clip(n.Name), describe(n.Meta)))
		}
		l := tracer.Literal{DType: n.Meta.DType, Shape: dims, Data: rest[:size]}
		if !l.Valid() {
			f.refuse(at, "bytes other than 0 and 1", fmt.Sprintf("the elements of constant %s, %s", clip(n.Name), describe(n.Meta)))
		}
		t := fromLiteral(&l)
		if bigEndian() {
			swapBytes(t.storage.bytes(), n.Meta.DType.Size())
		}
		p.captures = append(p.captures, captured{t, t.Version()})
		rest, at = rest[size:], at+int64(size)
	}
	if len(rest) > 0 {
		f.refuse(at, fmt.Sprintf("%d bytes more", len(rest)), fmt.Sprintf("the elements of %d constants", len(p.graph.Constants)))
	}
}

// clip shortens text from a file for a message.
func clip(text string) string {
	const most = 60
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
