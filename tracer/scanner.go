package tracer

import (
	"fmt"
	"strconv"
	"strings"
)

// scanner reads the words of the printed form: names, numbers, quoted text and marks. Blanks, line ends and comments
// from // to the end of the line separate them.
type scanner struct {
	text string
	pos  int // behind the present word
	at   int // of the present word
	word string
	kind wordKind
}

type wordKind uint8

const (
	endOfText wordKind = iota
	nameWord
	numberWord // with its sign
	quotedWord // as written, with the quotes
	markWord   // one character, or one of -> == != <= ...
)

// syntaxError carries the place through the parser; Parse turns it into an error.
type syntaxError struct{ err error }

// fail ends the parse with the line and column of the present word.
func (s *scanner) fail(format string, args ...any) {
	line := 1 + strings.Count(s.text[:s.at], "\n")
	col := s.at - strings.LastIndexByte(s.text[:s.at], '\n')
	panic(syntaxError{fmt.Errorf("graph text %d:%d: %s", line, col, fmt.Sprintf(format, args...))})
}

// next reads the next word.
func (s *scanner) next() {
	s.skip()
	s.at = s.pos
	if s.pos == len(s.text) {
		s.kind, s.word = endOfText, "end of text"
		return
	}
	c := s.text[s.pos]
	switch {
	case isLetter(c):
		s.kind = nameWord
		s.take(func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' })
		// A splat's dots end a word such as nan... or true...
		if i := strings.Index(s.word, "..."); i > 0 {
			s.pos -= len(s.word) - i
			s.word = s.word[:i]
		}
	case isDigit(c), (c == '-' || c == '+') && s.pos+1 < len(s.text) && isDigit(s.text[s.pos+1]):
		s.kind = numberWord
		s.number()
	case c == '"':
		s.kind = quotedWord
		quoted, err := strconv.QuotedPrefix(s.text[s.pos:])
		if err != nil {
			s.fail("text without closing quote")
		}
		s.word = quoted
		s.pos += len(quoted)
	default:
		s.kind = markWord
		for _, mark := range []string{"...", "==", "!=", "<="} {
			if strings.HasPrefix(s.text[s.pos:], mark) {
				s.word = mark
				s.pos += len(mark)
				return
			}
		}
		s.word = s.text[s.pos : s.pos+1]
		s.pos++
	}
}

func (s *scanner) skip() {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.pos++
		case strings.HasPrefix(s.text[s.pos:], "//"):
			if end := strings.IndexByte(s.text[s.pos:], '\n'); end >= 0 {
				s.pos += end
			} else {
				s.pos = len(s.text)
			}
		default:
			return
		}
	}
}

func (s *scanner) take(in func(c byte) bool) {
	start := s.pos
	for s.pos < len(s.text) && in(s.text[s.pos]) {
		s.pos++
	}
	s.word = s.text[start:s.pos]
}

// number reads digits, one dot with digits behind it, and an exponent.
func (s *scanner) number() {
	start := s.pos
	s.pos++
	digits := func() {
		for s.pos < len(s.text) && isDigit(s.text[s.pos]) {
			s.pos++
		}
	}
	digits()
	if s.pos+1 < len(s.text) && s.text[s.pos] == '.' && isDigit(s.text[s.pos+1]) {
		s.pos++
		digits()
	}
	if s.pos < len(s.text) && s.text[s.pos] == 'e' {
		s.pos++
		if s.pos < len(s.text) && (s.text[s.pos] == '-' || s.text[s.pos] == '+') {
			s.pos++
		}
		digits()
	}
	s.word = s.text[start:s.pos]
}

// is reports whether the present word is the mark or name.
func (s *scanner) is(word string) bool {
	return s.word == word && (s.kind == markWord || s.kind == nameWord)
}

// accept reads the word if it is the present one.
func (s *scanner) accept(word string) bool {
	if !s.is(word) {
		return false
	}
	s.next()
	return true
}

// want reads the word or fails.
func (s *scanner) want(word string) {
	if !s.accept(word) {
		s.fail("got %s; want %s", s.word, word)
	}
}

// name reads a name.
func (s *scanner) name(what string) string {
	if s.kind != nameWord || !isName(s.word) {
		s.fail("got %s; want %s", s.word, what)
	}
	name := s.word
	s.next()
	return name
}

// int reads an integer.
func (s *scanner) int(what string) int {
	n, err := strconv.Atoi(s.word)
	if s.kind != numberWord || err != nil {
		s.fail("got %s; want %s", s.word, what)
	}
	s.next()
	return n
}

// quoted reads text in quotes.
func (s *scanner) quoted(what string) string {
	if s.kind != quotedWord {
		s.fail("got %s; want %s", s.word, what)
	}
	text, err := strconv.Unquote(s.word)
	if err != nil {
		s.fail("%s is no quoted text", s.word)
	}
	s.next()
	return text
}
