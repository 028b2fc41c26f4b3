package analyzer

// ContractTables returns the names of the tables of contracts that the analyzer ships, for -contracts.
func ContractTables() []string { return []string{"gonum", "std"} }

// ShippedContracts returns the rows of a shipped table; none for a name that [ContractTables] lacks.
func ShippedContracts(table string) []ContractRow {
	var rows []ContractRow
	for _, row := range shippedContracts(table) {
		rows = append(rows, row.ContractRow)
	}
	return rows
}

// shippedRow is a row of a shipped table.
type shippedRow struct {
	ContractRow
	// elements is true where only writes to elements of slices break the contract: a comparison method may count its calls.
	elements bool
}

// shippedContracts are the rows of a table. What a row does not let a function write, that function may not write: a row that says
// where a result comes from and no more forbids all writes.
func shippedContracts(table string) []shippedRow {
	switch table {
	case "gonum":
		return gonumContracts()
	case "std":
		return stdContracts()
	}
	return nil
}

func contract(name string, directives ...string) shippedRow {
	return shippedRow{ContractRow: ContractRow{name, directives}}
}

// gonumContracts are what the documentation of gonum v0.17.0 says. Package fd forbids no writes and hands out copies of x, so that a
// function which writes its argument is evaluated elsewhere than it was asked to.
func gonumContracts() []shippedRow {
	const optimize, fd = "gonum.org/v1/gonum/optimize.", "gonum.org/v1/gonum/diff/fd."
	return []shippedRow{
		// Problem: "Func must not modify x", "Grad must not modify x", "Hess must not modify x".
		contract(optimize+"Problem.Func", "//hop:returns fresh"),
		contract(optimize+"Problem.Grad", "//hop:mutates grad"),
		contract(optimize+"Problem.Hess", "//hop:mutates hess"),
		// NextDirectioner: "InitDirection must not modify Location", "NextDirection must not modify Location".
		contract(optimize+"NextDirectioner.InitDirection", "//hop:mutates receiver, dir"),
		contract(optimize+"NextDirectioner.NextDirection", "//hop:mutates receiver, dir"),
		// Converger "must not modify the value of the provided Location in any of the methods".
		contract(optimize+"Converger.Converged", "//hop:mutates receiver"),
		// "A Recorder must not modify any data."
		contract(optimize+"Recorder.Record", "//hop:mutates receiver"),
		contract(fd+"Derivative", "//hop:body f(operand)"),
		contract(fd+"Gradient", "//hop:body f(operand)"),
		contract(fd+"Hessian", "//hop:body f(operand)"),
		contract(fd+"Laplacian", "//hop:body f(operand)"),
		contract(fd+"CrossLaplacian", "//hop:body f(operand, operand)"),
		contract(fd+"Jacobian", "//hop:body f(_, operand)"),
		contract("gonum.org/v1/gonum/integrate/quad.Fixed", "//hop:body f(operand)"),
	}
}

// stdContracts are those of comparison functions and predicates. They are called for elements in an order that nobody promises,
// and package sort asks for a strict weak ordering: an element that a comparison changes may compare otherwise the next time.
func stdContracts() []shippedRow {
	rows := []shippedRow{
		contract("sort.Slice", "//hop:body less(operand, operand)"),
		contract("sort.SliceStable", "//hop:body less(operand, operand)"),
		contract("sort.SliceIsSorted", "//hop:body less(operand, operand)"),
		contract("sort.Search", "//hop:body f(operand)"),
		contract("sort.Find", "//hop:body cmp(operand)"),
		{ContractRow: ContractRow{"sort.Interface.Less", []string{"//hop:returns fresh"}}, elements: true},
		contract("slices.BinarySearchFunc", "//hop:body cmp(element, operand)"),
		contract("slices.EqualFunc", "//hop:body eq(element, element)"),
		contract("slices.CompactFunc", "//hop:body eq(element, element)"),
		contract("slices.ContainsFunc", "//hop:body f(element)"),
		contract("slices.IndexFunc", "//hop:body f(element)"),
		contract("slices.DeleteFunc", "//hop:body del(element)"),
		contract("maps.EqualFunc", "//hop:body eq(element, element)"),
		contract("maps.DeleteFunc", "//hop:body del(_, element)"),
	}
	for _, name := range []string{"SortFunc", "SortStableFunc", "IsSortedFunc", "MinFunc", "MaxFunc", "CompareFunc", "SortedFunc", "SortedStableFunc"} {
		rows = append(rows, contract("slices."+name, "//hop:body cmp(element, element)"))
	}
	return rows
}
