// Package hopcheck is the contract between higher-order operators (HOPs) and the functions they run.
//
// A HOP such as Scan or Cond takes a user function, its body, and runs it many times. A body must not write what it
// was given and must not return memory that shares storage with it. This package says so once: the static analyzer and
// the runtime both read its tables, so a finding of one has the code and the sentence of a finding of the other.
//
// The parts, one file each:
//
//	role.go        Role, Place          who a tensor is for a body: carry, x, operand, captured, an output
//	permission.go  Permission           what a role may do; the zero value forbids
//	contract.go    Contract, Contracts  one row for each HOP
//	code.go        Code                 HOP101 … HOP903, never reused
//	rule.go        Rule, Rules          one row for each code: name, severity, why, remedy
//	finding.go     Finding              a violation as data
//	message.go     Finding.Message      the only place where a finding becomes text
//	schema.go      Schema, ParseSchema  effects of an op: what it writes, what its results share
//
// It is a leaf: it imports the standard library only.
package hopcheck
