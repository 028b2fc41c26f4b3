package tracer

import (
	"strconv"
	"strings"
)

// names makes the names of a graph unique: x, x_1, x_2, in order of use, so that a trace run again gives the same.
type names struct {
	// next is the number that the next equal name gets. Numbered names that were made here are not in it: x_k is taken
	// for every k below next[x].
	next counts
	// made holds the numbered names: one allocation for many.
	made strings.Builder
	// numbered is set once a name such as x_1 was asked for.
	numbered bool
}

// take returns want, or want with the first free number behind it.
func (n *names) take(want string) string {
	k, taken := n.next.get(want)
	if stem, number, ok := splitNumber(want); ok && !taken {
		n.numbered = true
		if next, _ := n.next.get(stem); number < next {
			taken = true
			k = 1
		}
	}
	if !taken {
		n.next.set(want, 1)
		return want
	}
	for {
		name := n.number(want, k)
		k++
		if n.numbered {
			if _, taken := n.next.get(name); taken {
				continue
			}
		}
		n.next.set(want, k)
		return name
	}
}

// counts is a map from names to numbers. Most graphs know few names, which are found faster one by one.
type counts struct {
	few  [12]count
	used int            // of few
	many map[string]int // the others
}

type count struct {
	name string
	n    int
}

func (c *counts) get(name string) (n int, ok bool) {
	for i := range c.few[:c.used] {
		if c.few[i].name == name {
			return c.few[i].n, true
		}
	}
	n, ok = c.many[name]
	return n, ok
}

func (c *counts) set(name string, n int) {
	for i := range c.few[:c.used] {
		if c.few[i].name == name {
			c.few[i].n = n
			return
		}
	}
	if c.used < len(c.few) {
		c.few[c.used] = count{name, n}
		c.used++
		return
	}
	if c.many == nil {
		c.many = map[string]int{}
	}
	c.many[name] = n
}

// number returns want_k.
func (n *names) number(want string, k int) string {
	var digits [20]byte
	if n.made.Cap()-n.made.Len() < len(want)+1+len(digits) {
		n.made = strings.Builder{} // the names made so far keep the old text
		n.made.Grow(max(256, len(want)+1+len(digits)))
	}
	start := n.made.Len()
	n.made.WriteString(want)
	n.made.WriteByte('_')
	n.made.Write(strconv.AppendInt(digits[:0], int64(k), 10))
	return n.made.String()[start:]
}

// splitNumber splits x_12 into x and 12.
func splitNumber(name string) (stem string, number int, ok bool) {
	i := len(name)
	for i > 0 && isDigit(name[i-1]) {
		i--
	}
	if i == len(name) || i < 2 || name[i-1] != '_' || name[i] == '0' {
		return "", 0, false
	}
	number, err := strconv.Atoi(name[i:])
	return name[:i-1], number, err == nil
}

// cleanName turns text into a name that the printed form can hold: letters, digits, _ and dots between them. The path
// carry.H[2] becomes carry.H_2. Nothing usable gives "".
func cleanName(s string) string {
	if isName(s) {
		return s
	}
	b := make([]byte, 0, len(s)+1)
	for i := range len(s) {
		switch c := s[i]; {
		case isLetter(c), isDigit(c):
			if len(b) == 0 && isDigit(c) {
				b = append(b, '_')
			}
			b = append(b, c)
		case c == ']' || c == '"' || len(b) == 0:
		case c == '.' && b[len(b)-1] != '.' && b[len(b)-1] != '_':
			b = append(b, '.')
		case b[len(b)-1] == '.':
			b[len(b)-1] = '_'
		case b[len(b)-1] != '_':
			b = append(b, '_')
		}
	}
	for len(b) > 0 && (b[len(b)-1] == '.' || b[len(b)-1] == '_' && len(b) > 1) {
		b = b[:len(b)-1]
	}
	return string(b)
}

// isName reports whether s is a name of the printed form.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		ok := isLetter(c) || i > 0 && (isDigit(c) || c == '.' && s[i-1] != '.')
		if !ok {
			return false
		}
	}
	return s != "" && s[len(s)-1] != '.'
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
