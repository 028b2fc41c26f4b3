package ssaflow

import (
	"golang.org/x/tools/go/ssa"
)

// engine holds the state of one Analyze call.
type engine struct {
	cfg      Config
	pkg      *ssa.Package
	source   []*ssa.Function
	done     map[*ssa.Function]*Summary
	problems []Problem
}

func newEngine(cfg Config, pkg *ssa.Package) *engine {
	return &engine{cfg: cfg, pkg: pkg, done: map[*ssa.Function]*Summary{}}
}

func (e *engine) run() {}

func (e *engine) funcsAt(call ssa.CallInstruction, arg int) FuncSet { return FuncSet{} }
