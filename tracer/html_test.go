package tracer

import (
	"bytes"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func sprint(format string, args ...any) string { return fmt.Sprintf(format, args...) }

func htmlText(t *testing.T, g *Graph) string {
	t.Helper()
	var b bytes.Buffer
	if err := g.WriteHTML(&b, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTMLShowsNestedBodiesTypesAndLines(t *testing.T) {
	var b bytes.Buffer
	source := func(pos token.Position) string { return fmt.Sprintf("\tline %d of <%s>", pos.Line, pos.Filename) }
	if err := parsed(t, loopText).WriteHTML(&b, source); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		"<title>graph f</title>", `class="graph depth2"`, `<span class="role">if false</span> graph onFalse`, `<span class="role">condition</span> graph cond`,
		`<span class="type">(f64[], f64[100])</span>`, `title="main.go:12:5">main.go:12<code>line 12 of &lt;main.go&gt;</code>`,
		`<span class="attr">length=<code>100</code></span>`, "28 values, 5 bodies",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in the page", want)
		}
	}
	for _, tag := range []string{"section", "details", "div", "span", "a", "main", "script"} {
		if open, shut := len(regexp.MustCompile("<"+tag+"[ >]").FindAllString(page, -1)), strings.Count(page, "</"+tag+">"); open != shut {
			t.Errorf("%d <%s>, %d </%s>", open, tag, shut, tag)
		}
	}
}

func TestHTMLNeedsNothingElse(t *testing.T) {
	page := htmlText(t, parsed(t, loopText))
	if found := regexp.MustCompile(`(?i)https?:|src=|<link|@import|url\(`).FindString(page); found != "" {
		t.Errorf("the page refers to something outside: %s", found)
	}
}

func TestHTMLEscapesWhatTheGraphSays(t *testing.T) {
	page := htmlText(t, parsed(t, `graph (x: f32[] @ "<img>":1) { y: f32[] = op(x; s="</script><script>alert(1)</script>") return y }`))
	if strings.Contains(page, "<img") || strings.Count(page, "<script") != 1 {
		t.Errorf("text of the graph became HTML:\n%s", page)
	}
}

// TestHTMLFollowsAValueThroughTheBodies is what a click shows.
func TestHTMLFollowsAValueThroughTheBodies(t *testing.T) {
	g := parsed(t, loopText)
	b := htmlBuilder{source: func(token.Position) string { return "" }}
	root := b.graph(g, "", 0)
	names := map[int]string{}
	var name func(h *htmlGraph, path string)
	name = func(h *htmlGraph, path string) {
		for _, r := range h.Rows {
			names[r.ID] = path + r.Name
			for _, body := range r.Bodies {
				name(body, path+body.Name+".")
			}
		}
	}
	name(root, "")
	reach := func(from string) []string {
		seen := map[string]bool{from: true}
		for more := true; more; {
			more = false
			for _, e := range b.way {
				if a, z := names[e[0]], names[e[1]]; seen[a] && !seen[z] {
					seen[z], more = true, true
				}
			}
		}
		var list []string
		for id := range len(names) {
			if seen[names[id]] {
				list = append(list, names[id])
			}
		}
		return list
	}
	for _, tc := range []struct{ from, want string }{
		{"x", "x combine.c combine.x combine.add combine.gt combine.onTrue.add combine.onTrue.tanh combine.onFalse.add combine.onFalse.div combine.get combine.clone get get_1 cond.c cond.lt body.c body.mul get_2"},
		{"combine.gt", "combine.c combine.add combine.gt combine.onTrue.add combine.onTrue.tanh combine.onFalse.add combine.onFalse.div combine.get combine.clone get get_1 cond.c cond.lt body.c body.mul get_2"},
		{"get_1", "get_1"},
		{"body.w", "body.w"},
		{"cond.w", "cond.w cond.lt get_2"},
	} {
		if got := reach(tc.from); !slices.Equal(got, strings.Fields(tc.want)) {
			t.Errorf("from %s:\ngot  %s\nwant %s", tc.from, strings.Join(got, " "), tc.want)
		}
	}
}

func TestSourceLinesReadsFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(file, []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	line := SourceLines()
	for _, tc := range []struct {
		file string
		line int
		want string
	}{{file, 2, "two"}, {file, 9, ""}, {file, 0, ""}, {file + ".not", 1, ""}} {
		if got := line(token.Position{Filename: tc.file, Line: tc.line}); got != tc.want {
			t.Errorf("%s:%d: got %q, want %q", tc.file, tc.line, got, tc.want)
		}
	}
}
