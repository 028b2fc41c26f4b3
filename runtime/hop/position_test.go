package hop_test

import (
	"fmt"
	"go/token"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// positions keeps the line of each op that it sees.
type positions struct {
	mu   sync.Mutex
	seen []string
}

func (p *positions) Op(c hop.OpCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, fmt.Sprintf("%s %s", c.Name, short(c.Position)))
}

func short(p token.Position) string { return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line) }

// here returns its caller's line and those behind it.
func here() (line func(below int) string) {
	_, file, n, _ := runtime.Caller(1)
	return func(below int) string { return fmt.Sprintf("%s:%d", filepath.Base(file), n+below) }
}

var fromHere = here()

func inlined(t T) T { return t.Neg() } // 2 below

func inlinedTwice(t T) T { return inlined(t).Exp() } // 4 below

type embedded struct{ T }

// TestPositionsStayTheSame asks for the positions of ops many times: what is remembered of an address must be what the
// runtime said of it, also where functions are inlined, where the compiler made a wrapper, and from several goroutines.
func TestPositionsStayTheSame(t *testing.T) {
	base := here()
	f := func(x T) T {
		y := inlinedTwice(x)
		y = y.Tanh().
			Sin()
		func() {
			defer func() { y = y.Cos() }()
		}()
		y = interface{ Neg() T }(embedded{y}).Neg()
		method := y.Abs
		y = method()
		slices.SortFunc([]int{2, 1}, func(a, b int) int { y = y.Sqrt(); return a - b })
		return y
	}
	want := func() []string {
		return []string{"neg " + fromHere(2), "exp " + fromHere(4), "tanh " + base(3), "sin " + base(4), "cos " + base(6),
			"neg " + base(8), "abs " + base(10), "sqrt " + base(11)}
	}
	once := func() []string {
		var p positions
		hop.WithObserver(&p, f)(f64(0.5))
		return p.seen
	}
	first := once()
	if !slices.Equal(first, want()) {
		t.Fatalf("got %v\nwant %v", first, want())
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 3 {
				if again := once(); !slices.Equal(first, again) {
					t.Errorf("first %v\nagain %v", first, again)
				}
			}
		})
	}
	wg.Wait()
}
