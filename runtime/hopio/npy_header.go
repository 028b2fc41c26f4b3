package hopio

import (
	"fmt"
	"strconv"
	"strings"
)

// npyHeader is what the header of a .npy file says.
type npyHeader struct {
	descr   string
	descrAt int64
	fortran bool
	dims    []int
}

// npyParser reads the header: a Python literal of a dict with the keys descr, fortran_order and shape in any order.
type npyParser struct {
	s     *source
	text  string
	pos   int
	start int64 // where text begins in the file
}

// fail returns an error at the current place.
func (p *npyParser) fail(want string) *Error {
	got := "the end of the header"
	if p.pos < len(p.text) {
		got = quote(p.text[p.pos:])
	}
	return p.s.fail(p.start+int64(p.pos), got, want, "")
}

// space skips white space.
func (p *npyParser) space() {
	p.pos = len(p.text) - len(strings.TrimLeft(p.text[p.pos:], " \t\r\n"))
}

// next skips white space and takes token if it is there.
func (p *npyParser) next(token string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.pos:], token) {
		return false
	}
	p.pos += len(token)
	return true
}

func (p *npyParser) header() (*npyHeader, error) {
	h := &npyHeader{}
	if !p.next("{") {
		return nil, p.fail("a dict that begins with {")
	}
	seen := map[string]bool{}
	for !p.next("}") {
		at := p.pos
		key, err := p.str("a key or }")
		if err != nil {
			return nil, err
		}
		if seen[key] {
			p.pos = at
			return nil, p.fail("each key once")
		}
		seen[key] = true
		if !p.next(":") {
			return nil, p.fail(":")
		}
		switch key {
		case "descr":
			p.space()
			h.descrAt = p.start + int64(p.pos)
			h.descr, err = p.str("descr as one string; structured dtypes have no tensor")
		case "fortran_order":
			h.fortran, err = p.boolean()
		case "shape":
			h.dims, err = p.tuple()
		default:
			p.pos = at
			err = p.fail("one of the keys 'descr', 'fortran_order' and 'shape'")
		}
		if err != nil {
			return nil, err
		}
		if !p.next(",") {
			if !p.next("}") {
				return nil, p.fail(", or }")
			}
			break
		}
	}
	if p.space(); p.pos < len(p.text) {
		return nil, p.fail("nothing but spaces and a newline")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return nil, p.s.fail(p.start, fmt.Sprintf("a header without '%s'", key), "the keys 'descr', 'fortran_order' and 'shape'", "")
		}
	}
	return h, nil
}

// str reads a string in either quotes. None of those that are expected has an escape.
func (p *npyParser) str(want string) (string, error) {
	for _, mark := range []string{"'", `"`} {
		if p.next(mark) {
			text, _, ok := strings.Cut(p.text[p.pos:], mark)
			if !ok {
				return "", p.fail("a closing " + mark)
			}
			p.pos += len(text) + 1
			return text, nil
		}
	}
	return "", p.fail(want)
}

func (p *npyParser) boolean() (bool, error) {
	switch {
	case p.next("True"):
		return true, nil
	case p.next("False"):
		return false, nil
	}
	return false, p.fail("True or False")
}

// tuple reads sizes: (), (3,) or (2, 3). Python 2 wrote some integers with an L behind them.
func (p *npyParser) tuple() ([]int, error) {
	if !p.next("(") {
		return nil, p.fail("a tuple of sizes, as (3,)")
	}
	var dims []int
	comma := true
	for !p.next(")") {
		if !comma {
			return nil, p.fail(", or )")
		}
		rest := p.text[p.pos:]
		digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
		d, err := strconv.Atoi(digits)
		if err != nil {
			return nil, p.fail("a size from 0 to 9223372036854775807")
		}
		dims = append(dims, d)
		p.pos += len(digits)
		if p.pos < len(p.text) && p.text[p.pos] == 'L' {
			p.pos++
		}
		comma = p.next(",")
	}
	if len(dims) == 1 && !comma {
		p.pos--
		return nil, p.fail("a comma after the only size, as (3,)")
	}
	return dims, nil
}
