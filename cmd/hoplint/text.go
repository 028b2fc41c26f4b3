package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/term"

	"github.com/hoplint/hoplint/hopcheck"
)

// style fits text to a terminal; the zero value is for files and pipes: plain, and lines as long as they come.
type style struct {
	colour bool
	// columns is the width of the terminal, 0 when there is none.
	columns int
}

func (s style) paint(sgr, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

func (s style) strong(text string) string { return s.paint("1", text) }
func (s style) gutter(text string) string { return s.paint("34", text) }
func (s style) remedy(text string) string { return s.paint("32", text) }
func (s style) way(text string) string    { return s.paint("36", text) }

func (s style) severity(level hopcheck.Severity, text string) string {
	return s.paint([...]string{hopcheck.Error: "1;31", hopcheck.Warning: "1;33", hopcheck.Info: "1;34"}[level], text)
}

// styleFor asks a stream whether it is a terminal and how wide. Terminals have colours unless the user asked for none.
// Source: no-color.org (NO_COLOR set and not empty switches colours off).
func styleFor(f *os.File) style {
	if !isTerminal(f) {
		return style{}
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		columns = 0
	}
	return style{colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", columns: columns}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// printText writes findings as a compiler would: the sentence, the source with a caret, the way, what to do.
//
//	ema.go:31:3: scan: combine function writes its carry.H through AddInPlace (HOP101); write a new tensor instead, e.g. carry.H.Add(…)
//	   |
//	31 |     s.H.AddInPlace(x)
//	   |     ^^^^^^^^^^^^^^^^^
//	   = the way:
//	28 |     return hop.Scan(func(s State, x *hop.Tensor) (State, *hop.Tensor) {
//	   |                          - carry.H enters here
//	   = fix: write to a new tensor
func printText(w io.Writer, list []finding, st style) error {
	out := bufio.NewWriter(w)
	p := textPrinter{w: out, style: st}
	for _, f := range list {
		p.finding(f)
	}
	return out.Flush()
}

type textPrinter struct {
	w     *bufio.Writer
	style style
	src   sources
	// digits is the width of the line numbers of the finding at hand.
	digits int
}

func (p *textPrinter) finding(f finding) {
	p.digits = len(strconv.Itoa(f.start.line))
	for _, s := range f.way {
		p.digits = max(p.digits, len(strconv.Itoa(s.start.line)))
	}
	rule, _ := hopcheck.RuleFor(f.code)
	fmt.Fprintf(p.w, "%s: %s\n", p.style.strong(where(f.start)), p.style.severity(rule.Severity, oneLine(f.message)))
	if _, ok := p.src.line(f.start.file, f.start.line); ok {
		p.gap("|", "")
		p.excerpt(f.span, '^', "", func(s string) string { return p.style.severity(rule.Severity, s) })
	}
	file := f.start.file
	for i, s := range f.way {
		if i == 0 {
			p.gap("=", "the way:")
		}
		if s.start.file != file {
			file = s.start.file
			p.gap("→", where(s.start))
		}
		p.excerpt(s.span, '-', oneLine(s.message), p.style.way)
	}
	if len(f.fixes) > 0 {
		p.gap("=", p.style.remedy("fix: "+oneLine(f.fixes[0].Message)+" (hoplint -fix)"))
	}
	fmt.Fprintln(p.w)
}

// excerpt prints the line of a span with a mark below it and a label behind the mark.
func (p *textPrinter) excerpt(at span, mark rune, label string, paint func(string) string) {
	text, ok := p.src.line(at.start.file, at.start.line)
	if !ok {
		p.gap("=", where(at.start)+": "+label)
		return
	}
	line, from, cells := marked(text, at, p.room())
	p.margin(strconv.Itoa(at.start.line), "|", line)
	marks := strings.Repeat(string(mark), cells)
	indent := strings.Repeat(" ", from)
	switch {
	case label == "":
		p.margin("", "|", indent+paint(marks))
	case p.style.columns == 0 || from+cells+1+displaywidth.String(label) <= p.room():
		p.margin("", "|", indent+paint(marks+" "+label))
	default: // the label has lines of its own
		p.margin("", "|", indent+paint(marks))
		for line := range strings.Lines(wrap(label, p.room())) {
			p.margin("", "|", paint(strings.TrimSuffix(line, "\n")))
		}
	}
}

// minCells is the least that a line of source needs to be of use.
const minCells = 20

// room is how many cells are left behind the margin.
func (p *textPrinter) room() int {
	if p.style.columns == 0 {
		return maxCells
	}
	return min(maxCells, max(minCells, p.style.columns-p.digits-len(" | ")))
}

// gap prints a line that belongs to no source line.
func (p *textPrinter) gap(sign, text string) { p.margin("", sign, text) }

func (p *textPrinter) margin(number, sign, text string) {
	left := fmt.Sprintf("%*s %s", p.digits, number, sign)
	if text != "" {
		text = " " + text
	}
	fmt.Fprintf(p.w, "%s%s\n", p.style.gutter(left), text)
}

// oneLine is a message as it is printed: what it quotes of the source may hold line ends, and what steers a terminal.
func oneLine(message string) string {
	return printed([]byte(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(message)))
}

// where is a position as editors read it.
func where(p position) string {
	if p.column == 0 {
		return fmt.Sprintf("%s:%d", shortPath(p.file), p.line)
	}
	return fmt.Sprintf("%s:%d:%d", shortPath(p.file), p.line, p.column)
}

// countText is the last line of the text form.
func countText(list []finding, fails *failures) string {
	var b strings.Builder
	switch len(list) {
	case 0:
		b.WriteString("no findings")
	default:
		b.WriteString(count(len(list), "finding"))
		files := map[string]bool{}
		for _, f := range list {
			files[f.start.file] = true
		}
		fmt.Fprintf(&b, " in %s", count(len(files), "file"))
		if n := fixable(list); n > 0 {
			fmt.Fprintf(&b, ", %d fixable with -fix", n)
		}
		fmt.Fprintf(&b, "; hoplint explain %s tells more", string(list[0].code))
	}
	if n := len(fails.packages); n > 0 {
		fmt.Fprintf(&b, "; %s not analysed", count(n, "package"))
	}
	return b.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
