//go:build !linux

package main

import "errors"

// adviseLargePages has nothing to ask here.
func adviseLargePages([]byte) error { return errors.ErrUnsupported }
