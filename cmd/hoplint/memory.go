package main

import (
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// A vettool process lives for a moment and keeps nearly all that it makes. What it costs is, for a good part, to get memory from
// the system page by page and to collect what is no garbage.

const (
	// firstCollection is the size of the heap at which the first collection comes.
	firstCollection = 190 << 20
	// largePackage is the number of bytes of source from which on large pages save more than it takes to ask for them; largeStandard is
	// that of packages of the standard library, which are typed but not analysed. Both were measured.
	largePackage, largeStandard = 20 << 10, 64 << 10
)

// tuneMemory trades memory for time in a vettool process: most packages are done before the first collection; from then on the heap
// grows as in other programs.
func tuneMemory(cfg string) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	large := int64(largePackage)
	path, size := source(cfg)
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		large = largeStandard
	}
	if size >= large {
		adviseHeap()
	}
	unlimited := debug.SetMemoryLimit(firstCollection)
	type sentinel struct{ _ *byte }
	runtime.AddCleanup(new(sentinel), func(limit int64) {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(limit)
	}, unlimited)
}

// source is the import path and the number of bytes of the Go files of the package that a configuration of go vet describes; zero
// if it cannot be read.
func source(cfg string) (path string, size int64) {
	f, err := os.Open(cfg)
	if err != nil {
		return "", 0
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	var files []string
	for files == nil { // they come early: the rest is not read
		key, err := dec.Token()
		switch key {
		case "ImportPath":
			err = dec.Decode(&path)
		case "GoFiles":
			err = dec.Decode(&files)
		}
		if err != nil {
			return "", 0
		}
	}
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	return path, size
}
