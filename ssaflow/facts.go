package ssaflow

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A fact is the summary of one function in as few bytes as will do, for every importer reads it again:
//
//	version and bits, sections, [check of the words], then the sections that the summary has
//
// Whatever the reader can find out itself is left out. Places in the file of the declaration are distances in lines from it.
// Names of fields and methods are numbers in a list of the words that the function's own signature leads to (see wordsOf), as
// are words that every fact may use; others stand in the fact once. Paths are told by their difference to the longest one that was
// told before. Package variables of the function's own package are told without it.

const (
	// factVersion changes whenever the layout does; facts of another version are refused.
	factVersion = 5
	// maxPaths is the number of effects of one kind on one root that a fact tells apart.
	maxPaths = 12
	// maxFact is the size from which on a fact tells less; the mean is two digits.
	maxFact = 1024
	// maxMethodFact is the size from which on a fact does not tell the methods of interface values, which are the greater part then.
	maxMethodFact = 128
	// maxNested is how deep summaries of function values nest in a fact.
	maxNested = 2
)

// Encode returns the summary as a fact: deterministic bytes that hold, of each witness, the terminal step only. Positions become
// lines. Return statements, names and the dynamic types of interface values stay behind. fn is the function, whose declaration and
// types need not be told again; with nil everything is told.
func Encode(s *Summary, fn *types.Func) []byte {
	b := encode(s, fn)
	if fn != nil && len(b) > maxMethodFact {
		if lean := s.withoutMethods(); lean != s {
			s = lean
			b = encode(s, fn)
		}
	}
	if len(b) > maxFact {
		b = encode(slim(s), fn)
	}
	return b
}

func encode(s *Summary, fn *types.Func) []byte {
	w := newFactWriter(wordsOf(fn), fn, s.fset)
	w.summary(s, 0)
	if !w.derived {
		// Readers need not look at types for a fact that has no words of theirs.
		w = newFactWriter(commonWords(), fn, s.fset)
		w.summary(s, 0)
		w.b[0] |= factVersion << versionShift
		return w.b
	}
	w.b[0] |= factVersion << versionShift
	w.b[1] |= hasWords
	return slices.Insert(w.b, 2, w.words.check())
}

// Decode is the inverse of [Encode] up to what a fact does not hold. The function must be the one that the fact was made for, or
// nil where it was nil; fset tells its declaration.
func Decode(b []byte, fn *types.Func, fset *token.FileSet) (*Summary, error) {
	r := &factReader{b: b, fn: fn, fset: fset}
	if !r.open() {
		return nil, fmt.Errorf("summary of version %d, want %d: rebuild the facts", b[0]>>versionShift, factVersion)
	}
	s := r.summary(0)
	if r.bad || len(r.b) != 0 {
		return nil, fmt.Errorf("summary of %d bytes is damaged at byte %d: rebuild the facts", len(b), len(b)-len(r.b))
	}
	s.fset = fset
	return s, nil
}

// The first byte holds the version and bits of the summary.
const (
	noReturnBit = 1 << iota
	topBit
	boundBit
	allBits      = 1<<versionShift - 1
	versionShift = 3
)

// The second byte says which sections follow.
const (
	hasEffects = 1 << iota
	hasResults
	hasStores
	hasSlots
	hasFlags
	hasFuncs
	hasWords    // first the check of the words that types lead to
	recoversBit // says that the function recovers; no section
)

// place is a line of a file of the package with an import path; no file is no place.
type place struct {
	pkg, file string
	line      int
}

// placeAt is the place of a position in a package.
func placeAt(fset *token.FileSet, pos token.Pos, pkg string) place {
	if fset == nil || !pos.IsValid() {
		return place{}
	}
	p := fset.Position(pos)
	return place{pkg, filepath.Base(p.Filename), p.Line}
}

// PlaceOf is a position in a package as steps in other packages tell it, see [Step.Where]; empty where it is not known.
func PlaceOf(fset *token.FileSet, pos token.Pos, pkg *types.Package) string {
	at := placeAt(fset, pos, importPath(pkg))
	if at.file == "" {
		return ""
	}
	return at.String()
}

// placeOf reads what String writes.
func placeOf(text string) place {
	file, line := text, ""
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		file, line = text[:i], text[i+1:]
	}
	n, _ := strconv.Atoi(line)
	pkg := path.Dir(file)
	if pkg == "." {
		pkg = ""
	}
	return place{pkg, path.Base(file), n}
}

// String is the import path, the file and the line: all drivers know of another package's folder is its import path.
func (p place) String() string { return path.Join(p.pkg, p.file) + ":" + strconv.Itoa(p.line) }

// declared is the place of a function's declaration.
func declared(fn *types.Func, fset *token.FileSet) place {
	if fn == nil {
		return place{}
	}
	return placeAt(fset, fn.Pos(), importPath(fn.Pkg()))
}

// importPath is the path by which a package is imported: go vet adds to that of a variant for tests which test it is for.
func importPath(pkg *types.Package) string {
	if pkg == nil {
		return ""
	}
	path, _, _ := strings.Cut(pkg.Path(), " [")
	return path
}

// How a place begins.
const (
	noPlace   = iota
	otherFile // the file and the line follow
	firstLine // twice the number of lines from the declaration, one less for those before it
)

// A reference begins with one byte: the kind of the root, its index, and which path follows. The index of a package variable
// tells whether its package follows.
const (
	kindShift  = 5 // kinds need three bits
	indexShift = 2
	manyIndex  = 7 // the index follows
	otherPath  = 3 // the path follows; else it is a common one

	ownPackage     = 0
	foreignPackage = 1
)

// A new path is told by an earlier one and the steps that it adds; one byte holds the number of both if they are small.
const (
	stepShift = 2
	manySteps = 1<<stepShift - 1 // the number of further steps follows
)

// below are the kinds, in facts, of effects that are several: see [Effect.Below].
var below = map[EffectKind]byte{Write: byte(Unseen) + 1, Store: byte(Unseen) + 2, Append: byte(Unseen) + 3}

// An effect and a flag begin with one byte: the kind, and the number of the operation if it is small.
const (
	effectBits = 3
	flagBits   = 4
)

// The bits of an origin.
const (
	viewBit = 1 << iota
	uniqueBit
	deepBit
	rareBit // a byte with rare bits follows
	noneBit // there is no origin: nothing else follows
	moreBit // another origin follows
	allBit  // of the first origin of a store, which replaces all elements
	badOrigin
)

// The rare bits of an origin.
const (
	movedBit = 1 << iota
	clippedBit
	ageBit // the age follows
	viaBit // the merge and its edge follow
	twiceBit
	shortBit
	reslicedBit
	badRare
)

// mayTwice is the index of an edge of no merge, which says in a fact that [Origin.MayTwice] is true.
const mayTwice = 1

// The bits of a function, and above them the number of the closure's object, from 1.
const (
	paramsBit = 1 << iota // the numbers of its type arguments follow
	ofTypeBit             // it is a method of the dynamic type of the object
	boxedBit              // whose receiver is what the object holds
	funcBits  = iota
)

// The bits of a slot, and above them the number of its arguments.
const (
	alwaysBit = 1 << iota
	repeatsBit
	methodBit
	nameBit   // the source names it otherwise than by its method
	leavesBit // the leaves of the arguments follow
	slotBits  = 5
	manyArgs  = 1<<(8-slotBits) - 1 // the number follows
)
