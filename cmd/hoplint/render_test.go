package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/tools/txtar"
)

// TestRender renders recorded output of go vet. Each archive of testdata/render holds source files, what go vet printed
// (vet.json, where $WORK is the folder of the files) and what hoplint makes of it in each form.
func TestRender(t *testing.T) {
	files, err := filepath.Glob("testdata/render/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			golden, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := extract(t, archive)
			t.Chdir(dir)
			data, err := os.ReadFile("vet.json")
			if err != nil {
				t.Fatal(err)
			}
			list, err := readFindings(bytes.NewReader(bytes.ReplaceAll(data, []byte("$WORK"), []byte(dir))), nil)
			outcome := &result{findings: list, fails: new(failures)}
			if err != nil {
				outcome.fails.messages, err = []string{err.Error()}, nil
			}
			got := &txtar.Archive{Comment: archive.Comment}
			for _, f := range archive.Files {
				form, wanted := strings.CutPrefix(f.Name, "want/")
				if !wanted {
					got.Files = append(got.Files, f)
					continue
				}
				var b bytes.Buffer
				switch {
				case form == "text" || form == "colour" || form == "narrow":
					st := style{colour: form == "colour"}
					if form == "narrow" {
						st.columns = 40
					}
					err = printText(&b, list, st)
					b.WriteString(countText(list, outcome.fails) + "\n")
				default:
					err = formatNamed(form).print(&b, outcome, new(options))
				}
				if err != nil {
					t.Fatal(err)
				}
				// Escapes are spelled out so that the archives stay text.
				text := strings.ReplaceAll(b.String(), "\x1b", "ESC")
				got.Files = append(got.Files, txtar.File{Name: f.Name, Data: []byte(neutral(text, dir))})
			}
			checkGolden(t, golden, txtar.Format(archive), txtar.Format(got))
		})
	}
}

func TestReadPosition(t *testing.T) {
	for _, tc := range []struct {
		text string
		want position
	}{
		{"a/b.go:3:14", position{"a/b.go", 3, 14}},
		{"C:/a:b/c.go:3:14", position{"C:/a:b/c.go", 3, 14}},
		{"-", position{file: "-"}},
		{"", position{}},
		{"a.go:3", position{"a.go", 3, 0}},
		{"a:b", position{file: "a:b"}},
	} {
		if got := readPosition(tc.text); got != tc.want {
			t.Errorf("readPosition(%q) = %+v, want %+v", tc.text, got, tc.want)
		}
	}
}

func TestReadFindingsRefusesOtherText(t *testing.T) {
	if list, err := readFindings(strings.NewReader("# ex/a\n{}"), nil); err == nil {
		t.Errorf("read %v, want an error", list)
	}
}

func TestLongLinesAreCutAroundTheSpan(t *testing.T) {
	long := strings.Repeat("a", 300) + "carry" + strings.Repeat("z", 300)
	for _, tc := range []struct {
		name, line          string
		from, cells         int
		begin, end          string
		wantFrom, wantCells int
	}{
		{"short", "carry.Zero()", 0, 5, "carry", "Zero()", 0, 5},
		{"middle", long, 300, 5, "…aaa", "zzz…", 40, 5},
		{"begin", long, 3, 5, "aaaa", "aaa…", 3, 5},
		{"end", long, 600, 5, "…", "zzzz", 155, 5},
		{"all of it", long, 0, 605, "aaaa", "…", 0, 160},
		{"letters of several bytes", strings.Repeat("é", 200), 100, 1, "…é", "éé", 60, 1},
		{"wide letters", strings.Repeat("界", 200), 200, 2, "… 界", "界 …", 40, 2},
		{"joined accents", strings.Repeat("e\u0301", 200), 100, 1, "…e\u0301", "e\u0301", 60, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			line, from, cells := cropped(tc.line, tc.from, tc.cells, maxCells)
			if !strings.HasPrefix(line, tc.begin) || !strings.HasSuffix(line, tc.end) || from != tc.wantFrom || cells != tc.wantCells {
				t.Errorf("got %q, span %d+%d; want %s … %s, span %d+%d", line, from, cells, tc.begin, tc.end, tc.wantFrom, tc.wantCells)
			}
			if n := displaywidth.String(line); n > maxCells {
				t.Errorf("%d cells, want at most %d", n, maxCells)
			}
		})
	}
}
