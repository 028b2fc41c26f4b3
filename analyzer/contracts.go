package analyzer

// ContractTables returns the names of the tables of contracts that the analyzer ships, for -contracts.
func ContractTables() []string { return []string{"gonum", "std"} }

// ShippedContracts returns the rows of a shipped table; nil for a name that is none of [ContractTables].
func ShippedContracts(table string) []ContractRow { return shippedContracts(table) }

// shippedContracts are the rows of a table. A function that only reads what it is given says what its results are: what a contract
// does not let a function write it may not write.
func shippedContracts(table string) []ContractRow {
	switch table {
	case "gonum":
		return gonumContracts
	case "std":
		return stdContracts
	}
	return nil
}

// The rows follow the documentation of gonum v0.17.0. Package fd forbids no writes but evaluates f at points that it makes of x, so
// that a function which changes its argument is evaluated elsewhere than it was asked to.
var gonumContracts = []ContractRow{
	// "Func must not modify x", "Grad must not modify x", "Hess must not modify x"
	{"gonum.org/v1/gonum/optimize.Problem.Func", []string{"//hop:returns fresh"}},
	{"gonum.org/v1/gonum/optimize.Problem.Grad", []string{"//hop:mutates grad"}},
	{"gonum.org/v1/gonum/optimize.Problem.Hess", []string{"//hop:mutates hess"}},
}

// Comparison functions are called for elements in an order that nobody promises, and must order them the same way each time.
var stdContracts = []ContractRow{
	{"slices.SortFunc", []string{"//hop:body cmp(operand, operand)"}},
}
