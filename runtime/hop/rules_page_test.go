package hop_test

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// page is the state of the samples on the pages of the rules.
type page struct{ H T }

// samples break each rule as its page does; keep is where a body puts a tensor.
var samples = map[hopcheck.Code]func(keep *T) error{
	hopcheck.MutatedCarry: func(*T) error {
		return hop.Try(func() {
			hop.Scan(func(c page, x T) (page, hop.None) { c.H.AddInPlace(x); return page{c.H.Clone()}, hop.None{} }, page{ones(3)}, ones(2, 3))
		})
	},
	hopcheck.MutatedX: func(*T) error {
		return hop.Try(func() {
			hop.Scan(func(c page, x T) (page, hop.None) { x.AddInPlace(c.H); return page{c.H.Clone()}, hop.None{} }, page{ones(3)}, ones(2, 3))
		})
	},
	hopcheck.MutatedOperand: func(*T) error {
		return hop.Try(func() {
			hop.Cond(hop.Scalar(true), func(x T) T { x.AddInPlace(x.Sin()); return x.Clone() }, func(x T) T { return x.Clone() }, ones(3))
		})
	},
	hopcheck.MutatedCaptured: func(*T) error {
		w := ones(3)
		return hop.Try(func() {
			hop.Scan(func(c page, x T) (page, hop.None) { w.AddInPlace(x); return page{c.H.Clone()}, hop.None{} }, page{ones(3)}, ones(2, 3))
		})
	},
	hopcheck.CarryMismatch: func(*T) error {
		return hop.Try(func() {
			hop.Scan(func(c page, x T) (page, hop.None) { return page{hop.Concat(1, c.H, c.H)}, hop.None{} }, page{hop.Zeros(hop.Float32, 8, 16)}, ones(2, 3))
		})
	},
	hopcheck.UnsupportedLeaf: func(*T) error {
		type state struct {
			H    T
			Seen *page
		}
		return hop.Try(func() {
			hop.Scan(func(c state, x T) (state, hop.None) { return c, hop.None{} }, state{ones(3), &page{}}, ones(2, 3))
		})
	},
	hopcheck.OutputAliasesInput: func(*T) error {
		return hop.Try(func() {
			hop.Scan(func(c page, x T) (page, hop.None) { return page{c.H.View(3)}, hop.None{} }, page{ones(3)}, ones(2, 3))
		})
	},
	hopcheck.OutputsAlias: func(*T) error {
		return hop.Try(func() {
			hop.Scan(func(c page, x T) (page, T) { h := c.H.Add(x); return page{h}, h.View(3) }, page{ones(3)}, ones(2, 3))
		})
	},
	hopcheck.OutputAliasesCaptured: func(*T) error {
		w := ones(3)
		return hop.Try(func() {
			hop.Scan(func(c page, x T) (page, T) { return page{c.H.Add(x)}, w.View(3) }, page{ones(3)}, ones(2, 3))
		})
	},
	hopcheck.LeakedTensor: func(keep *T) error {
		return hop.Try(func() {
			hop.Scan(func(c page, x T) (page, hop.None) { *keep = c.H.Add(x); return page{(*keep).Clone()}, hop.None{} }, page{ones(3)}, ones(2, 3))
			(*keep).Sum()
		})
	},
	hopcheck.StaleCapture: func(*T) error {
		w := ones(3)
		f := hop.Compile(func(x T) T { return x.Mul(w) })
		if _, err := f(ones(3)); err != nil {
			return err
		}
		w.MulScalarInPlace(2)
		_, err := f(ones(3))
		return err
	},
	hopcheck.DataDependentControlFlow: func(*T) error {
		return hop.Try(func() {
			hop.Scan(func(c page, x T) (page, hop.None) { hop.Item[float64](c.H.Sum()); return page{c.H.Clone()}, hop.None{} }, page{ones(3)}, ones(2, 3))
		})
	},
	hopcheck.SpecialisedDimension: func(*T) error {
		p, err := hop.Trace(func(x T) T { return x.MulScalar(float64(x.SymDim(0).Value())) }, ones(8), hop.DynamicDims())
		if err != nil {
			return err
		}
		return p.Notes()[0]
	},
	hopcheck.StaleSavedTensor: func(*T) error {
		a, b := ones(3).SetRequiresGrad(true), ones(3)
		l := a.Mul(b).Sum()
		b.AddInPlace(ones(3))
		return hop.Try(func() { l.Backward() })
	},
	hopcheck.InPlaceOnLeaf: func(*T) error {
		w := ones(3).SetRequiresGrad(true)
		return hop.Try(func() { w.SubInPlace(ones(3)) })
	},
}

// The pages of the rules show what the runtime prints: each message of theirs is that of a real run, but for file and line.
func TestRulesShowWhatTheRuntimePrints(t *testing.T) {
	text, err := os.ReadFile("../../RULES.md")
	if err != nil {
		t.Fatal(err)
	}
	place, typ := regexp.MustCompile(`[\w./-]+\.go:\d+(:\d+)?`), regexp.MustCompile(`is \*\w+\.\w+`)
	plain := func(message string) string {
		return typ.ReplaceAllString(place.ReplaceAllString(message, "lstm.go:42"), "is *main.state")
	}
	shown := map[hopcheck.Code]string{}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		code, _, _ := strings.Cut(section, " ")
		if _, rest, ok := strings.Cut(section, "Message of the runtime:\n\n```\n"); ok {
			line, _, _ := strings.Cut(rest, "\n")
			shown[hopcheck.Code(code)] = line
		}
	}
	for _, r := range hopcheck.Rules() {
		if !r.Dynamic {
			continue
		}
		run, known := samples[r.Code]
		if !known {
			t.Errorf("%s has no sample", r.Code)
			continue
		}
		var keep T
		err := run(&keep)
		if !errors.Is(err, r.Code) {
			t.Errorf("%s: got %v", r.Code, err)
			continue
		}
		got, want := plain(err.Error()), plain(shown[r.Code])
		if got != want {
			t.Errorf("%s: the page shows\n%s\nand the runtime prints\n%s", r.Code, want, got)
		}
	}
}
