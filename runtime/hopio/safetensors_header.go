package hopio

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// safetensorsHeader is the JSON at the start of a safetensors file.
type safetensorsHeader struct {
	metadata map[string]string
	entries  []safetensorsEntry
	start    int64 // of the elements
}

type safetensorsEntry struct {
	name       string
	at         int64 // offset of the entry in the file
	dtype      string
	dims       []int
	begin, end int64 // of the elements, from the header's end
}

// readSafetensorsHeader reads length and JSON.
func readSafetensorsHeader(s *source) (*safetensorsHeader, error) {
	var length [8]byte
	if err := s.read(length[:], "header length"); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxSafetensorsHeader {
		return nil, s.fail(0, fmt.Sprintf("a header of %d bytes", n), fmt.Sprintf("at most %d", maxSafetensorsHeader),
			"check that it is a safetensors file")
	}
	if int64(n) > s.left {
		return nil, s.fail(0, fmt.Sprintf("a header of %d bytes", n), fmt.Sprintf("at most the %d that are left", s.left), "")
	}
	text := make([]byte, n)
	if err := s.read(text, "header"); err != nil {
		return nil, err
	}
	if !utf8.Valid(text) {
		return nil, s.fail(8, "a header that is not UTF-8", "JSON", "")
	}
	if n == 0 || text[0] != '{' {
		return nil, s.fail(8, "a header "+quote(string(text)), "JSON that begins with {", "")
	}
	p := &safetensorsParser{s: s, d: json.NewDecoder(bytes.NewReader(text)), h: &safetensorsHeader{start: s.offset}}
	p.d.UseNumber()
	if err := p.header(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(text[p.d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, p.fail(quote(string(rest)), "nothing but spaces behind the JSON")
	}
	return p.h, nil
}

// safetensorsParser takes the header token by token: encoding/json would let keys repeat and differ in case.
type safetensorsParser struct {
	s *source
	d *json.Decoder
	h *safetensorsHeader
}

// fail returns an error behind the last token.
func (p *safetensorsParser) fail(got, want string) error {
	return p.s.fail(8+p.d.InputOffset(), got, want, "")
}

// token returns the next token. want says in errors what should come.
func (p *safetensorsParser) token(want string) (json.Token, error) {
	t, err := p.d.Token()
	if err != nil {
		return nil, p.fail(err.Error(), want)
	}
	return t, nil
}

// delim takes an opening or closing bracket.
func (p *safetensorsParser) delim(d json.Delim, of string) error {
	want := d.String() + " of " + of
	t, err := p.token(want)
	if err == nil && t != d {
		err = p.fail(tokenText(t), want)
	}
	return err
}

// text takes a string.
func (p *safetensorsParser) text(want string) (string, error) {
	t, err := p.token(want)
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", p.fail(tokenText(t), want)
	}
	return s, nil
}

// size takes a whole number from 0 on.
func (p *safetensorsParser) size(want string) (int64, error) {
	t, err := p.token(want)
	if err != nil {
		return 0, err
	}
	number, ok := t.(json.Number)
	if !ok {
		return 0, p.fail(tokenText(t), want)
	}
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil || n < 0 || number.String() == "-0" {
		return 0, p.fail(number.String(), want)
	}
	return n, nil
}

// object calls f for each key of an object, whose opening bracket comes next. Keys may not repeat.
func (p *safetensorsParser) object(of string, f func(key string) error) error {
	if err := p.delim('{', of); err != nil {
		return err
	}
	seen := map[string]bool{}
	for p.d.More() {
		key, err := p.text("a key of " + of)
		if err != nil {
			return err
		}
		if seen[key] {
			return p.fail("the key "+quote(key)+" again", "each key once")
		}
		seen[key] = true
		if err := f(key); err != nil {
			return err
		}
	}
	return p.delim('}', of)
}

// sizes takes a list of sizes.
func (p *safetensorsParser) sizes(of string) ([]int64, error) {
	if err := p.delim('[', of); err != nil {
		return nil, err
	}
	var list []int64
	for p.d.More() {
		n, err := p.size("a whole number in " + of)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, p.delim(']', of)
}

func (p *safetensorsParser) header() error {
	return p.object("the header", func(key string) error {
		if key == metadataKey {
			return p.metadata()
		}
		return p.entry(key)
	})
}

// metadata takes an object of strings.
func (p *safetensorsParser) metadata() error {
	p.h.metadata = map[string]string{}
	return p.object(metadataKey, func(key string) error {
		value, err := p.text("a string as metadata " + quote(key))
		p.h.metadata[key] = value
		return err
	})
}

// entry takes what the header says of one tensor. Keys that are not known are passed over, as the reference
// implementation does.
func (p *safetensorsParser) entry(name string) error {
	e := safetensorsEntry{name: name, at: 8 + p.d.InputOffset()}
	p.s.entry = name
	defer func() { p.s.entry = "" }()
	var shape, offsets []int64
	var hasDType, hasShape, hasOffsets bool
	err := p.object("a tensor", func(key string) (err error) {
		switch key {
		case "dtype":
			hasDType = true
			e.dtype, err = p.text("a dtype")
		case "shape":
			hasShape = true
			shape, err = p.sizes("shape")
		case "data_offsets":
			hasOffsets = true
			if offsets, err = p.sizes("data_offsets"); err == nil && len(offsets) != 2 {
				err = p.fail(fmt.Sprintf("%d data_offsets", len(offsets)), "2, begin and end")
			}
		default:
			var skipped json.RawMessage
			if bad := p.d.Decode(&skipped); bad != nil {
				err = p.fail(bad.Error(), "JSON")
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if !hasDType || !hasShape || !hasOffsets {
		return p.s.fail(e.at, fmt.Sprintf("dtype: %t, shape: %t, data_offsets: %t", hasDType, hasShape, hasOffsets), "all three", "")
	}
	for _, d := range shape {
		e.dims = append(e.dims, int(d))
	}
	e.begin, e.end = offsets[0], offsets[1]
	p.h.entries = append(p.h.entries, e)
	return nil
}

// tokenText says in a message what was found.
func tokenText(t json.Token) string {
	switch t := t.(type) {
	case nil:
		return "null"
	case string:
		return quote(t)
	default:
		return fmt.Sprint(t)
	}
}
