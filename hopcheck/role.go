package hopcheck

// Role says what a tensor is for the body that a HOP runs. Input roles come first, output roles behind.
type Role uint8

const (
	NoRole   Role = iota
	Carry         // loop state handed to the body; init is the first carry
	X             // one slice of the scanned or mapped inputs
	Element       // one side of an associative combine
	Operand       // explicit input of a HOP that is neither carry nor x
	Captured      // outer value that the body uses without receiving it: a lifted free variable

	NextCarry // carry returned by the body
	Y         // per-step output, stacked by the HOP
	Output    // result of a body that has no carry
	Predicate // result of a while condition: read, never returned
	Residual  // what a custom forward function keeps for its backward function
	Scalar    // result of a function that is differentiated: read, and returned as a copy

	numRoles
)

var roleWords = [numRoles]string{
	NoRole: "value", Carry: "carry", X: "x", Element: "element", Operand: "operand", Captured: "captured",
	NextCarry: "next carry", Y: "y", Output: "output", Predicate: "predicate", Residual: "residual",
	Scalar: "scalar result",
}

// String returns the word that messages use for the role.
func (r Role) String() string {
	if r >= numRoles {
		return "invalid role"
	}
	return roleWords[r]
}

// IsInput reports whether a body receives tensors of this role, captured ones included.
func (r Role) IsInput() bool { return Carry <= r && r <= Captured }

// IsOutput reports whether a body returns tensors of this role.
func (r Role) IsOutput() bool { return NextCarry <= r && r < numRoles }

// ParseRole returns the role whose word is s.
func ParseRole(s string) (Role, bool) {
	for r := Carry; r < numRoles; r++ {
		if roleWords[r] == s {
			return r, true
		}
	}
	return NoRole, false
}

// Place is one leaf of a body's inputs or outputs: a role and the path below it.
type Place struct {
	Role Role
	// Label tells places of one role apart, e.g. "left" and "right" for the elements of an associative scan, or the
	// name of a captured variable. It may be empty.
	Label string
	// Path leads from the role's root to the leaf, e.g. ".H[2]"; empty for the root itself.
	Path string
	// Container marks a place that is no leaf but a struct, slice, array or map of tensors.
	Container bool
}

// anyCaptured is a captured tensor whose name is not known.
const anyCaptured = "a captured tensor"

// String returns the place as messages print it: carry.H, next carry[0], left element.a, captured w.
func (p Place) String() string {
	switch {
	case p.Label == "":
		if p.Role == Captured {
			if p.Path == "" {
				return anyCaptured
			}
			return "captured tensor" + p.Path
		}
		return p.Role.String() + p.Path
	case p.Role == NoRole:
		return p.Label + p.Path
	case p.Role == Captured:
		return "captured " + p.Label + p.Path
	default:
		return p.Label + " " + p.Role.String() + p.Path
	}
}
