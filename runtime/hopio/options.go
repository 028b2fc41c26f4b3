package hopio

import "fmt"

// ReadOption changes how a .npy, .npz or safetensors file is read. A nil option is ignored.
type ReadOption func(*reading)

// reading is what the options say, and what was read so far.
type reading struct {
	widen    bool
	only     []string
	hasOnly  bool
	maxBytes int64 // of all tensors together; -1 for no bound
	used     int64
}

func readingOf(opts []ReadOption) *reading {
	r := &reading{maxBytes: -1}
	for _, o := range opts {
		if o != nil {
			o(r)
		}
	}
	return r
}

// claim counts bytes that a tensor will take and refuses them beyond the bound.
func (r *reading) claim(s *source, bytes int64) error {
	r.used += bytes
	if r.maxBytes >= 0 && r.used > r.maxBytes {
		return s.fail(s.offset, fmt.Sprintf("%d bytes of tensors up to this one", r.used), fmt.Sprintf("at most %d", r.maxBytes),
			"raise MaxBytes when the file is trusted")
	}
	return nil
}

// wants reports whether the tensor of that name is to be read.
func (r *reading) wants(name string) bool {
	if !r.hasOnly {
		return true
	}
	for _, o := range r.only {
		if o == name {
			return true
		}
	}
	return false
}

// found refuses names given to Only that the file does not hold.
func (r *reading) found(format string, has func(name string) bool, names []string) error {
	for _, o := range r.only {
		if !has(o) {
			return refuse(format, fmt.Sprintf("no tensor %q", o), "one of "+nameList(names), "give Only a name of the file")
		}
	}
	return nil
}

// nameList quotes at most ten names.
func nameList(names []string) string {
	const most = 10
	text := ""
	for i, n := range names {
		if i == most {
			return fmt.Sprintf("%s, … (%d names)", text, len(names))
		}
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%q", n)
	}
	if text == "" {
		return "no names at all"
	}
	return text
}

// Widen reads dtypes that have no tensor of their own into one that holds every value exactly: int8, uint8, int16 and
// uint16 into int32; uint32 and uint64 into int64, a uint64 beyond the range of int64 is an error; float16 and bfloat16
// into float32.
func Widen() ReadOption { return func(r *reading) { r.widen = true } }

// Only reads the named tensors of a file that holds many and skips the others. A name that the file does not have is an
// error. It does nothing to a .npy file, whose tensor has no name.
func Only(names ...string) ReadOption {
	return func(r *reading) { r.only, r.hasOnly = append(r.only, names...), true }
}

// MaxBytes refuses a file whose tensors take more than n bytes in memory together.
func MaxBytes(n int64) ReadOption { return func(r *reading) { r.maxBytes = n } }

// WriteOption changes how a .npz file is written. A nil option is ignored.
type WriteOption func(*writing)

type writing struct{ compressed bool }

func writingOf(opts []WriteOption) writing {
	var w writing
	for _, o := range opts {
		if o != nil {
			o(&w)
		}
	}
	return w
}

// Compressed deflates the entries of an .npz file.
func Compressed() WriteOption { return func(w *writing) { w.compressed = true } }
