package hopio

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/hoplint/hoplint/runtime/hop"
)

const (
	// metadataKey is the name in the header that is no tensor.
	metadataKey = "__metadata__"
	// maxSafetensorsHeader is the bound of the reference implementation.
	maxSafetensorsHeader = 100_000_000
	safetensorsAlign     = 8
)

// ReadSafetensors reads the tensors of a safetensors file, by name, and its metadata, nil when it has none.
//
// Aliasing: the results are fresh and contiguous.
// Errors: an *[Error] for a malformed file, as for elements that overlap or leave a gap, and for a dtype that no tensor
// has; see [Widen]. Tensors that [Only] leaves out may have any dtype.
func ReadSafetensors(r io.ReaderAt, size int64, opts ...ReadOption) (map[string]*hop.Tensor, map[string]string, error) {
	h, err := readSafetensorsHeader(&source{format: formatSafetensors, r: io.NewSectionReader(r, 0, size), left: size})
	if err != nil {
		return nil, nil, err
	}
	if err := h.layout(size); err != nil {
		return nil, nil, err
	}
	cfg := readingOf(opts)
	out := make(map[string]*hop.Tensor)
	for i := range h.entries {
		e := &h.entries[i]
		if !cfg.wants(e.name) {
			continue
		}
		s := &source{format: formatSafetensors, entry: e.name, offset: h.start + e.begin, left: e.end - e.begin}
		s.r = io.NewSectionReader(r, s.offset, s.left)
		enc, err := e.encoding(s)
		if err != nil {
			return nil, nil, err
		}
		if out[e.name], err = enc.tensor(s, cfg, e.dtype, e.dims, binary.LittleEndian); err != nil {
			return nil, nil, err
		}
	}
	names := make([]string, len(h.entries))
	for i, e := range h.entries {
		names[i] = e.name
	}
	slices.Sort(names)
	has := func(name string) bool { _, ok := slices.BinarySearch(names, name); return ok }
	if err := cfg.found(formatSafetensors, has, names); err != nil {
		return nil, nil, err
	}
	return out, h.metadata, nil
}

// encoding finds the dtype and compares the size of the elements with the shape.
func (e *safetensorsEntry) encoding(s *source) (*encoding, error) {
	i := slices.IndexFunc(encodings, func(c encoding) bool { return c.safetensors == e.dtype })
	if i < 0 {
		return nil, s.fail(e.at, "dtype "+quote(e.dtype), "one of BOOL, I32, I64, F32 and F64, or with Widen of the smaller ones",
			"convert it before it is saved, or leave it out with Only")
	}
	enc := &encodings[i]
	n, err := count(e.dims, enc.size)
	if err != nil {
		return nil, s.fail(e.at, fmt.Sprintf("%s%v", e.dtype, e.dims), "a tensor that fits into memory", "")
	}
	if want := int64(n) * int64(enc.size); want != e.end-e.begin {
		return nil, s.fail(e.at, fmt.Sprintf("data_offsets [%d, %d] of %d bytes", e.begin, e.end, e.end-e.begin),
			fmt.Sprintf("%d bytes for %s%v", want, e.dtype, e.dims), "")
	}
	return enc, nil
}

// layout checks that the elements follow one another without gap and overlap up to the end of the file.
func (h *safetensorsHeader) layout(size int64) error {
	order := slices.Clone(h.entries)
	slices.SortStableFunc(order, func(a, b safetensorsEntry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	at, last := int64(0), &source{format: formatSafetensors}
	for _, e := range order {
		last.entry = e.name
		if e.begin != at || e.end < e.begin {
			return last.fail(e.at, fmt.Sprintf("data_offsets [%d, %d]", e.begin, e.end),
				fmt.Sprintf("offsets that begin at %d, where the tensor before ends", at), "")
		}
		at = e.end
	}
	if have := size - h.start; at != have {
		last.entry = ""
		err := last.fail(h.start, fmt.Sprintf("%d bytes behind the header", have), fmt.Sprintf("%d as the header says", at), "")
		if at > have {
			err.Err = io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}

// WriteSafetensors writes tensors and metadata, which may be nil, in the safetensors format: tensors sorted by alignment
// and name as the reference implementation does, metadata by key.
//
// Errors: an error of w; an *[Error] around the *[hop.Error] for a nil tensor and, in a body, for a tensor that depends
// on its inputs (HOP501); an *[Error] for a name that is __metadata__ or not UTF-8.
func WriteSafetensors(w io.Writer, tensors map[string]*hop.Tensor, metadata map[string]string) error {
	names, err := namesOf(formatSafetensors, tensors)
	if err != nil {
		return err
	}
	if _, ok := tensors[metadataKey]; ok {
		return refuse(formatSafetensors, "a tensor of the name "+metadataKey, "another name", "that one is for metadata")
	}
	slices.SortStableFunc(names, func(a, b string) int {
		_, i := encodingOf(tensors[a].DType())
		_, j := encodingOf(tensors[b].DType())
		return cmp.Compare(i, j)
	})
	header, err := safetensorsHeaderOf(names, tensors, metadata)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return failure(formatSafetensors, "", err)
	}
	for _, name := range names {
		if _, err := w.Write(elementBytes(tensors[name])); err != nil {
			return failure(formatSafetensors, name, err)
		}
	}
	return nil
}

// safetensorsHeaderOf returns the length and the JSON behind it, with spaces up to the alignment.
func safetensorsHeaderOf(names []string, tensors map[string]*hop.Tensor, metadata map[string]string) ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, 8)) // the length, known later
	b.WriteByte('{')
	if metadata != nil {
		fmt.Fprintf(&b, "%s:{", jsonText(metadataKey))
		for i, key := range slices.Sorted(maps.Keys(metadata)) {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%s:%s", jsonText(key), jsonText(metadata[key]))
		}
		b.WriteByte('}')
	}
	at := int64(0)
	for i, name := range names {
		if i > 0 || metadata != nil {
			b.WriteByte(',')
		}
		t := tensors[name]
		enc, _ := encodingOf(t.DType())
		shape, err := json.Marshal(t.Shape())
		if err != nil {
			return nil, failure(formatSafetensors, name, err)
		}
		if t.Rank() == 0 {
			shape = []byte("[]")
		}
		fmt.Fprintf(&b, `%s:{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`, jsonText(name), enc.safetensors, shape, at, at+byteSize(t))
		at += byteSize(t)
	}
	b.WriteByte('}')
	for b.Len()%safetensorsAlign != 0 {
		b.WriteByte(' ')
	}
	n := b.Len() - 8
	if n > maxSafetensorsHeader {
		return nil, refuse(formatSafetensors, fmt.Sprintf("a header of %d bytes", n), fmt.Sprintf("at most %d", maxSafetensorsHeader),
			"write fewer tensors or less metadata into one file")
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(n))
	return b.Bytes(), nil
}

// jsonText returns a JSON string without the escapes that are only for HTML.
func jsonText(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil { // a string always has a form in JSON
		panic(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
