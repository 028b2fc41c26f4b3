package tracer

import (
	"errors"
	"go/token"
	"path/filepath"

	"github.com/hoplint/hoplint/hopcheck"
)

// Finding is a violation that a trace found, with what only a trace knows of it.
type Finding struct {
	hopcheck.Finding
	// Pos is the first write, or the op that made the aliasing output.
	Pos token.Position
	// Views lead from the storage's base to what was written or returned.
	Views []ViewStep
	// Before and After are the storage's versions when the body met it and when it ended; mutations only.
	Before, After uint64
	// Path is the nesting of operators, e.g. scan/cond.onTrue.
	Path string
}

// Error is a finding that stops a trace.
type Error struct{ Finding }

// Error returns position and message.
func (e *Error) Error() string {
	if e.Pos.IsValid() {
		return e.Pos.String() + ": " + e.Message()
	}
	return e.Message()
}

// Unwrap returns the code, so that errors.Is(err, hopcheck.LeakedTensor) holds.
func (e *Error) Unwrap() error { return e.Code }

// at returns " at file:line:col", or nothing for an unknown position.
func at(pos token.Position) string {
	if !pos.IsValid() {
		return ""
	}
	pos.Filename = filepath.Base(pos.Filename)
	return " at " + pos.String()
}

// usedAt moves a leak found inside an op to the op's position: that is where the tensor is used.
func usedAt(err error, pos token.Position) error {
	var e *Error
	if pos.IsValid() && errors.As(err, &e) {
		moved := *e
		moved.Pos = pos
		return &moved
	}
	return err
}
