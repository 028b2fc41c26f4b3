package tracer

import (
	"sync"
	"testing"
)

// One trace per goroutine: run under -race. K14: they print the same.
func TestTracesShareNothing(t *testing.T) {
	want := traceThirty().String()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			g := traceThirty()
			if got := g.String(); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if err := g.Verify(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
