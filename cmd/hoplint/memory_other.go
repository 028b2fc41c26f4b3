//go:build !linux

package main

// adviseHeap has nothing to ask here, so it makes no block either.
func adviseHeap() {}
