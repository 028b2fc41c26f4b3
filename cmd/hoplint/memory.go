package main

import (
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
)

// A vettool process lives for a moment and keeps nearly all that it makes. What it costs is, for a good part, to get memory from
// the system page by page and to collect what is no garbage.

const (
	// firstCollection is the size of the heap at which the first collection comes.
	firstCollection = 160 << 20
	// largePages is the part of the heap that large packages get in large pages; the system hands them out when they are touched.
	largePages = 128 << 20
	// largePackage is the number of bytes of source from which on large pages save more than it takes to ask for them.
	largePackage = 40 << 10
)

// tuneMemory trades memory for time in a vettool process: most packages are done before the first collection; from then on the heap
// grows as in other programs.
func tuneMemory(cfg string) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	if sourceSize(cfg) >= largePackage {
		adviseHeap()
	}
	unlimited := debug.SetMemoryLimit(firstCollection)
	type sentinel struct{ _ *byte }
	runtime.AddCleanup(new(sentinel), func(limit int64) {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(limit)
	}, unlimited)
}

// adviseHeap asks for large pages where the heap grows to: a block that is freed at once leaves its place to what is made later.
// Nothing is lost where the system has no such pages.
func adviseHeap() {
	if block := make([]byte, largePages); adviseLargePages(block) == nil {
		runtime.KeepAlive(block)
	}
	runtime.GC() // of a heap with nothing in it
}

// sourceSize is the number of bytes of the Go files of the package that a configuration of go vet describes; 0 if it cannot be read.
func sourceSize(cfg string) (size int64) {
	f, err := os.Open(cfg)
	if err != nil {
		return 0
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	for {
		key, err := dec.Token()
		if err != nil {
			return 0
		}
		if key == "GoFiles" {
			break // it comes early: the rest is not read
		}
	}
	var files []string
	if dec.Decode(&files) != nil {
		return 0
	}
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	return size
}
