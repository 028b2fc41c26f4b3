package main

import (
	"os"
	"syscall"
	"unsafe"
)

// adviseLargePages asks the system to put large pages under a block that was not touched yet.
func adviseLargePages(block []byte) error {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(block)))
	page := uintptr(os.Getpagesize())
	return syscall.Madvise(block[(page-begin%page)%page:], syscall.MADV_HUGEPAGE)
}
