package backtrace_test

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hoplint/hoplint/runtime/internal/backtrace"
)

// physical asks the runtime for the addresses of frames that are no inlined ones, from its caller outwards.
//
//go:noinline
func physical() []uintptr {
	pcs := make([]uintptr, 64)
	return pcs[:runtime.Callers(2, pcs)]
}

// agree compares a walk with what the runtime says: every address stands there, in the same order, but for wrappers that
// the compiler made and the runtime leaves out.
//
//go:noinline
func agree(t *testing.T, want int) {
	t.Helper()
	var pcs [backtrace.Max]uintptr
	got := pcs[:backtrace.Callers(&pcs)]
	if len(got) < want && walks() {
		t.Errorf("%d addresses; want at least %d", len(got), want)
	}
	rest := physical()
	for i, pc := range got[min(1, len(got)):] { // the first lies in this function, at another call
		k := slices.Index(rest, pc)
		if k < 0 {
			name := runtime.FuncForPC(pc - 1).Name()
			if strings.Contains(name, ".gowrap") || strings.HasPrefix(name, "runtime.") {
				continue
			}
			t.Fatalf("address %d (%s) is not among those of the runtime", i+1, name)
		}
		rest = rest[k+1:]
	}
}

func walks() bool { return runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" }

//go:noinline
func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	var room [512]byte // makes the stack grow, and move
	room[n%len(room)] = 1
	deep(n-1, f)
	runtime.KeepAlive(&room)
}

func TestCallersAgreeWithTheRuntime(t *testing.T) {
	t.Run("plain", func(t *testing.T) { agree(t, 3) })
	t.Run("deep", func(t *testing.T) { deep(200, func() { agree(t, backtrace.Max) }) })
	t.Run("deferred", func(t *testing.T) { defer agree(t, 3) })
	t.Run("panicking", func(t *testing.T) {
		defer func() { recover() }()
		defer agree(t, 3)
		panic("on purpose")
	})
	t.Run("fault", func(t *testing.T) {
		defer func() { recover() }()
		defer func() {
			var pcs [backtrace.Max]uintptr
			backtrace.Callers(&pcs) // the address that faulted is no return address
		}()
		var p *int
		_ = *p
	})
	t.Run("recovered", func(t *testing.T) {
		deep(3, func() {
			func() {
				defer func() { recover() }()
				deep(20, func() { panic("on purpose") })
			}()
			agree(t, 5)
		})
	})
	t.Run("reflect", func(t *testing.T) {
		reflect.ValueOf(agree).Call([]reflect.Value{reflect.ValueOf(t), reflect.ValueOf(3)})
	})
	t.Run("sort callback", func(t *testing.T) {
		slices.SortFunc([]int{2, 1}, func(a, b int) int { agree(t, 4); return a - b })
	})
	t.Run("goroutine", func(t *testing.T) {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for n := range 30 {
					deep(n, func() { agree(t, min(n, backtrace.Max)) })
					runtime.Gosched()
				}
			})
		}
		wg.Wait()
	})
}

// TestCallersWhileStacksMove walks while the collector shrinks the stacks of goroutines.
func TestCallersWhileStacksMove(t *testing.T) {
	done := make(chan bool)
	go func() {
		for range 20 {
			runtime.GC()
		}
		close(done)
	}()
	for n := 0; ; n++ {
		select {
		case <-done:
			return
		default:
			deep(n%300, func() { agree(t, min(n%300, backtrace.Max)) })
		}
	}
}

func BenchmarkCallers(b *testing.B) {
	var pcs [backtrace.Max]uintptr
	deep(20, func() {
		for b.Loop() {
			backtrace.Callers(&pcs)
		}
	})
}

func BenchmarkRuntimeCallers(b *testing.B) {
	var pcs [8]uintptr
	deep(20, func() {
		for b.Loop() {
			runtime.Callers(0, pcs[:])
		}
	})
}
