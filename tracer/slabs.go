package tracer

// slabs hand out the nodes, values and argument lists of one trace and of those below it. An eager call traces its body
// anew, so a trace of thirty nodes must not cost a hundred allocations.
type slabs struct {
	nodes  []Node
	values []Value
	args   []*Node
	sizes  [2]int // of the last chunks of nodes and values
}

const (
	firstChunk = 16
	lastChunk  = 64
)

func grow(size *int) int {
	*size = min(max(firstChunk, 2**size), lastChunk)
	return *size
}

func (s *slabs) node() *Node {
	if len(s.nodes) == 0 {
		s.nodes = make([]Node, grow(&s.sizes[0]))
	}
	n := &s.nodes[0]
	s.nodes = s.nodes[1:]
	return n
}

func (s *slabs) value() *Value {
	if len(s.values) == 0 {
		s.values = make([]Value, grow(&s.sizes[1]))
	}
	v := &s.values[0]
	s.values = s.values[1:]
	return v
}

// list returns room for n arguments that nothing else will be appended to.
func (s *slabs) list(n int) []*Node {
	if len(s.args) < n {
		s.args = make([]*Node, max(n, lastChunk))
	}
	l := s.args[:n:n]
	s.args = s.args[n:]
	return l
}
