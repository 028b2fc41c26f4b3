package tracer

import (
	"fmt"
	"slices"
)

// The layout of the operators in graphs. Behind the explicit arguments of each stand the lifted ones, one for each
// lifted input of its bodies.
//
//	operator          arguments             attributes                  body inputs             body outputs
//	scan              init…, xs…            n_carry n_xs length         carry…, x…              next carry…, y…
//	map, vmap         xs…                   n_xs length [batch_size]    x…                      y…
//	associative_scan  xs…                   n_xs length                 left…, right…           element…
//	while_loop        init…                 n_carry [max_steps]         carry… (both bodies)    one bool; next carry…
//	while_sweeps      init… of each way     carries [max_steps]         carry…; see below       one bool; next carry…, y…
//	for_loop          init…                 n_carry lower upper         index, carry…           next carry…
//	cond              pred, operands…       –                           operands… (both)        results…
//	switch            index, operands…      –                           operands… (each)        results…
//	checkpoint,       operands…             –                           operands…               results…
//	subgraph
//	custom_vjp        operands…             n_operands n_results        operands…; residuals…,  results…, residuals…;
//	                                        grads                       cotangents…             gradients…
//
// A backward body of custom_vjp gives the gradients of those operands whose indices are in grads; there is a cotangent
// for each result. An x is one slice of xs along axis 0, that axis dropped; the results of ys are stacked on axis 0.
//
// while_sweeps is a while loop and further ways over its steps, alternately from the last step to the first and from the
// first to the last: what a gradient of the loop needs, whose steps are counted only when it runs. It has a condition,
// the body of the loop, and a body for each further way; carries lists how many carries each way has. A body is given
// its own carry, then the ys that the ways before gave in this step, and gives its next carry and its ys, which never
// leave the operator. The results are the last carries of all ways.
type signature struct {
	n      *Node
	nCarry int
	nXs    int
	length Int
}

// inferHOP checks a node of an operator and returns the meta of its results: a tuple. ok is false when op is no
// operator that graphs hold.
func inferHOP(n *Node) (m Meta, ok bool, err error) {
	s := signature{n: n}
	var infer func() ([]Meta, error)
	switch n.Op {
	case "scan":
		infer = s.scan
	case "map", "vmap":
		infer = s.mapped
	case "associative_scan":
		infer = s.associativeScan
	case "while_loop":
		infer = s.whileLoop
	case "while_sweeps":
		infer = s.whileSweeps
	case "for_loop":
		infer = s.forLoop
	case "cond":
		infer = func() ([]Meta, error) { return s.branches(2, 2, 1) }
	case "switch":
		infer = func() ([]Meta, error) { return s.branches(1, 1<<30, 1) }
	case "checkpoint", "subgraph":
		infer = func() ([]Meta, error) { return s.branches(1, 1, 0) }
	case "custom_vjp":
		infer = s.customVJP
	default:
		return Meta{}, false, nil
	}
	elems, err := infer()
	if elems == nil {
		elems = []Meta{}
	}
	return Meta{Elems: elems}, true, err
}

// count reads an attribute that counts arguments.
func (s *signature) count(key string) (int, error) {
	k, ok := s.n.Attrs.Get(key).(int)
	if !ok || k < 0 || k > len(s.n.Args) {
		return 0, fmt.Errorf("attribute %s is %v; want the number of such arguments, at most %d", key, s.n.Attrs.Get(key), len(s.n.Args))
	}
	return k, nil
}

// sections reads n_carry, n_xs and length, those that the operator has.
func (s *signature) sections(carry, xs bool) (err error) {
	if carry {
		if s.nCarry, err = s.count("n_carry"); err != nil {
			return err
		}
	}
	if !xs {
		return nil
	}
	if s.nXs, err = s.count("n_xs"); err != nil {
		return err
	}
	if s.nCarry+s.nXs > len(s.n.Args) {
		return fmt.Errorf("n_carry is %d and n_xs is %d, but there are %d arguments", s.nCarry, s.nXs, len(s.n.Args))
	}
	switch length := s.n.Attrs.Get("length").(type) {
	case int:
		s.length = Const(length)
	case Int:
		s.length = length
	default:
		return fmt.Errorf("attribute length is %v; want the number of steps", length)
	}
	if n, ok := s.length.Const(); ok && n < 0 {
		return fmt.Errorf("attribute length is %d; want no negative number", n)
	}
	return nil
}

// optional checks an attribute that may be left out and counts at least least.
func (s *signature) optional(key string, least int) error {
	v := s.n.Attrs.Get(key)
	if k, ok := v.(int); v != nil && (!ok || k < least) {
		return fmt.Errorf("attribute %s is %v; want a number, at least %d", key, v, least)
	}
	return nil
}

// bodies checks how many there are, and that each has no constants and takes inputs of the given metas.
func (s *signature) bodies(least, most int, inputs []Meta) error {
	if k := len(s.n.Graphs); k < least || k > most {
		return fmt.Errorf("%d bodies; want %s", k, atLeast(least, most))
	}
	for _, g := range s.n.Graphs {
		if len(g.Constants) > 0 {
			return fmt.Errorf("body %s has constants; only a root graph has any", g.Name)
		}
		if len(g.Inputs) != len(inputs) {
			return fmt.Errorf("body %s has %d inputs; want %d", g.Name, len(g.Inputs), len(inputs))
		}
		for i, m := range inputs {
			if !sameType(g.Inputs[i].Meta, m) {
				return fmt.Errorf("input %s of body %s is %s; want %s", g.Inputs[i].Name, g.Name, g.Inputs[i].Meta, m)
			}
		}
	}
	return nil
}

func atLeast(least, most int) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("at least %d", least)
}

// outputs checks that the first outputs of g have the given metas and, when all is set, that there are no others.
func outputs(g *Graph, want []Meta, all bool) error {
	if len(g.Outputs) < len(want) || all && len(g.Outputs) > len(want) {
		return fmt.Errorf("body %s has %d outputs; want %d", g.Name, len(g.Outputs), len(want))
	}
	for i, m := range want {
		if !sameType(g.Outputs[i].Meta, m) {
			return fmt.Errorf("output %d of body %s, %s, is %s; want %s", i, g.Name, g.Outputs[i].Name, g.Outputs[i].Meta, m)
		}
	}
	return nil
}

// sameType reports whether a value of one meta can be handed to the other: integers differ from step to step.
// Two sizes that are not written alike may be equal by a guard; once they are constants they are compared.
func sameType(a, b Meta) bool {
	if a.Int != nil && b.Int != nil || a.Equal(b) {
		return true
	}
	return a.DType == b.DType && a.DType != 0 && slices.EqualFunc(a.Shape, b.Shape, mayEqual)
}

// mayEqual reports whether two sizes are equal or at least one is open.
func mayEqual(a, b Int) bool {
	x, okA := a.Const()
	y, okB := b.Const()
	return !okA || !okB || x == y
}

func metas(nodes []*Node) []Meta {
	list := make([]Meta, len(nodes))
	for i, n := range nodes {
		list[i] = n.Meta
	}
	return list
}

// slices returns the metas of one step of xs.
func (s *signature) slices(xs []*Node) ([]Meta, error) {
	list := make([]Meta, len(xs))
	for i, n := range xs {
		m := n.Meta
		if !m.IsTensor() || len(m.Shape) == 0 || !mayEqual(m.Shape[0], s.length) {
			return nil, fmt.Errorf("argument %s is %s; want a tensor of leading size %s", n.Name, m, s.length)
		}
		list[i] = Meta{DType: m.DType, Shape: m.Shape[1:]}
	}
	return list, nil
}

// stacked returns the metas of ys from those of one step.
func (s *signature) stacked(ys []*Node) ([]Meta, error) {
	list := make([]Meta, len(ys))
	for i, n := range ys {
		if !n.Meta.IsTensor() {
			return nil, fmt.Errorf("output %s is %s; only tensors can be stacked", n.Name, n.Meta)
		}
		list[i] = Meta{DType: n.Meta.DType, Shape: append([]Int{s.length}, n.Meta.Shape...)}
	}
	return list, nil
}

func (s *signature) scan() ([]Meta, error) {
	if err := s.sections(true, true); err != nil {
		return nil, err
	}
	args := s.n.Args
	carries := metas(args[:s.nCarry])
	xs, err := s.slices(args[s.nCarry : s.nCarry+s.nXs])
	if err != nil {
		return nil, err
	}
	inputs := append(append(append([]Meta{}, carries...), xs...), metas(args[s.nCarry+s.nXs:])...)
	if err := s.bodies(1, 1, inputs); err != nil {
		return nil, err
	}
	g := s.n.Graphs[0]
	if err := outputs(g, carries, false); err != nil {
		return nil, err
	}
	ys, err := s.stacked(g.Outputs[s.nCarry:])
	return append(carries, ys...), err
}

func (s *signature) mapped() ([]Meta, error) {
	if err := s.sections(false, true); err != nil {
		return nil, err
	}
	if err := s.optional("batch_size", 1); err != nil {
		return nil, err
	}
	xs, err := s.slices(s.n.Args[:s.nXs])
	if err != nil {
		return nil, err
	}
	if err := s.bodies(1, 1, append(xs, metas(s.n.Args[s.nXs:])...)); err != nil {
		return nil, err
	}
	return s.stacked(s.n.Graphs[0].Outputs)
}

func (s *signature) associativeScan() ([]Meta, error) {
	if err := s.sections(false, true); err != nil {
		return nil, err
	}
	element, err := s.slices(s.n.Args[:s.nXs])
	if err != nil {
		return nil, err
	}
	inputs := append(append(append([]Meta{}, element...), element...), metas(s.n.Args[s.nXs:])...)
	if err := s.bodies(1, 1, inputs); err != nil {
		return nil, err
	}
	return metas(s.n.Args[:s.nXs]), outputs(s.n.Graphs[0], element, true)
}

func (s *signature) whileLoop() ([]Meta, error) {
	if err := s.sections(true, false); err != nil {
		return nil, err
	}
	if err := s.optional("max_steps", 0); err != nil {
		return nil, err
	}
	if err := s.bodies(2, 2, metas(s.n.Args)); err != nil {
		return nil, err
	}
	carries := metas(s.n.Args[:s.nCarry])
	if err := predicate(s.n.Graphs[0]); err != nil {
		return nil, err
	}
	return carries, outputs(s.n.Graphs[1], carries, true)
}

// predicate checks what the condition of a loop returns.
func predicate(g *Graph) error {
	if len(g.Outputs) != 1 || !isOne(g.Outputs[0].Meta) || g.Outputs[0].Meta.DType != Bool {
		return fmt.Errorf("body %s returns %v; want one bool of one element", g.Name, metas(g.Outputs))
	}
	return nil
}

func (s *signature) whileSweeps() ([]Meta, error) {
	if err := s.optional("max_steps", 0); err != nil {
		return nil, err
	}
	carries, ok := s.n.Attrs.Get("carries").([]int)
	if !ok || len(carries) == 0 || len(s.n.Graphs) != 1+len(carries) {
		return nil, fmt.Errorf("attribute carries is %v and there are %d bodies; want a number for each body behind the condition", s.n.Attrs.Get("carries"), len(s.n.Graphs))
	}
	all := 0
	for _, k := range carries {
		if k < 0 || k > len(s.n.Args)-all {
			return nil, fmt.Errorf("attribute carries is %v, but there are %d arguments", carries, len(s.n.Args))
		}
		all += k
	}
	results, lifted := metas(s.n.Args[:all]), metas(s.n.Args[all:])
	var given []Meta // ys of the ways before
	first := 0
	for i, k := range carries {
		one, own := *s.n, results[first:first+k:first+k]
		first += k
		inputs := append(append(own, given...), lifted...)
		if i == 0 {
			one.Graphs = s.n.Graphs[:1]
			if err := (&signature{n: &one}).bodies(1, 1, inputs); err != nil {
				return nil, err
			}
			if err := predicate(s.n.Graphs[0]); err != nil {
				return nil, err
			}
		}
		g := s.n.Graphs[1+i]
		one.Graphs = []*Graph{g}
		if err := (&signature{n: &one}).bodies(1, 1, inputs); err != nil {
			return nil, err
		}
		if err := outputs(g, own, false); err != nil {
			return nil, err
		}
		for _, y := range g.Outputs[k:] {
			if !y.Meta.IsTensor() {
				return nil, fmt.Errorf("output %s is %s; only tensors can be kept", y.Name, y.Meta)
			}
			given = append(given, y.Meta)
		}
	}
	return results, nil
}

func (s *signature) forLoop() ([]Meta, error) {
	if err := s.sections(true, false); err != nil {
		return nil, err
	}
	if err := s.bodies(1, 1, append([]Meta{TensorMeta(Int64)}, metas(s.n.Args)...)); err != nil {
		return nil, err
	}
	carries := metas(s.n.Args[:s.nCarry])
	return carries, outputs(s.n.Graphs[0], carries, true)
}

// branches is the signature of operators whose bodies take all arguments behind the first head ones.
func (s *signature) branches(least, most, head int) ([]Meta, error) {
	if len(s.n.Args) < head {
		return nil, fmt.Errorf("%d arguments; want at least %d", len(s.n.Args), head)
	}
	if head == 1 {
		m := s.n.Args[0].Meta
		if want := m.DType == Bool; !isOne(m) || s.n.Op == "cond" && !want || s.n.Op == "switch" && !m.DType.IsInt() {
			return nil, fmt.Errorf("argument %s is %s; want one element that chooses the body", s.n.Args[0].Name, m)
		}
	}
	if err := s.bodies(least, most, metas(s.n.Args[head:])); err != nil {
		return nil, err
	}
	results := metas(s.n.Graphs[0].Outputs)
	for _, g := range s.n.Graphs[1:] {
		if err := outputs(g, results, true); err != nil {
			return nil, err
		}
	}
	return outside(s.n.Graphs[0], results), nil
}

// outside returns metas of results as they are around the body g: a size that depends on data in it has no name there.
func outside(g *Graph, results []Meta) []Meta {
	known := map[string]bool{}
	for _, n := range g.Inputs {
		if n.Meta.Int != nil {
			for _, name := range n.Meta.Int.Symbols() {
				known[name] = true
			}
		}
	}
	for k, m := range results {
		for i, d := range m.Shape {
			if slices.ContainsFunc(d.Symbols(), func(name string) bool { return !known[name] }) {
				shape := slices.Clone(results[k].Shape)
				shape[i] = AnyInt()
				results[k].Shape = shape
			}
		}
	}
	return results
}

func (s *signature) customVJP() ([]Meta, error) {
	operands, err := s.count("n_operands")
	if err != nil {
		return nil, err
	}
	if len(s.n.Graphs) != 2 {
		return nil, fmt.Errorf("%d bodies; want 2", len(s.n.Graphs))
	}
	forward, backward := *s.n, *s.n
	forward.Graphs, backward.Graphs = s.n.Graphs[:1], s.n.Graphs[1:]
	if err := (&signature{n: &forward}).bodies(1, 1, metas(s.n.Args)); err != nil {
		return nil, err
	}
	made := metas(forward.Graphs[0].Outputs)
	results, ok := s.n.Attrs.Get("n_results").(int)
	if !ok || results < 0 || results > len(made) {
		return nil, fmt.Errorf("attribute n_results is %v; want the number of results, at most %d", s.n.Attrs.Get("n_results"), len(made))
	}
	inputs := append(append(append([]Meta{}, made[results:]...), made[:results]...), metas(s.n.Args[operands:])...)
	if err := (&signature{n: &backward}).bodies(1, 1, inputs); err != nil {
		return nil, err
	}
	var gradients []Meta
	for _, i := range s.n.Attrs.Ints("grads") {
		if i < 0 || i >= operands {
			return nil, fmt.Errorf("attribute grads names operand %d of %d", i, operands)
		}
		gradients = append(gradients, s.n.Args[i].Meta)
	}
	return made[:results], outputs(backward.Graphs[0], gradients, true)
}

// isOne reports whether m is a tensor of one element.
func isOne(m Meta) bool {
	for _, d := range m.Shape {
		if n, ok := d.Const(); !ok || n != 1 {
			return false
		}
	}
	return m.IsTensor()
}
