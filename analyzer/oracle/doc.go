// Package oracle proves the analyzer against the runtime on random programs.
//
//	Generate ──▶ Go sources ──▶ go run, under Stepwise, every branch ──▶ refusals ┐
//	                       └──▶ analyzer, default and strict      ──▶ findings  ┴▶ Compare ──▶ recall, precision
//
// A program is one operator with a random body: tensors through views, structs, slices, maps, closures, interfaces,
// generics, helpers, loops, defers and early returns, some of which write or return what the body was handed. The
// branches depend on flags that the runner sets to each combination, so that all of them are reached; every leaf of the
// inputs has a storage of its own.
//
// A finding covers a refusal of the same code and role when its path, with [] for any index or key, is the refusal's or
// leads to it; of captured tensors code and role suffice. Recall is the share of refusals that are covered. A refusal in
// a body that the analyzer calls unproved in strict mode counts as found, apart. A finding that covers no refusal has no
// witness; see [Reason] for why that may be.
//
// The tests run a fixed slice. More of them:
//
//	go test ./analyzer/oracle -run TestOracle -programs 10000 -seed 7 -v
package oracle
