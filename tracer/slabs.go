package tracer

// slabs hand out the nodes, values and argument lists of one trace. An eager call traces its body anew, so a trace of
// thirty nodes must not cost a hundred allocations.
type slabs struct {
	nodes  []Node
	values []Value
	args   []*Node
	size   int // of the next chunk
}

const (
	firstChunk = 16
	lastChunk  = 64
)

func (s *slabs) grow() int {
	s.size = min(max(firstChunk, 2*s.size), lastChunk)
	return s.size
}

func (s *slabs) node() *Node {
	if len(s.nodes) == 0 {
		s.nodes = make([]Node, s.grow())
	}
	n := &s.nodes[0]
	s.nodes = s.nodes[1:]
	return n
}

func (s *slabs) value() *Value {
	if len(s.values) == 0 {
		s.values = make([]Value, min(max(firstChunk, s.size), lastChunk))
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
