package hopcheck

// Permission says what a contract lets a role do. The zero value forbids, so that a new row permits nothing that it
// does not name.
type Permission uint8

const (
	Forbid Permission = iota
	Permit
)

// String returns "forbid" or "permit".
func (p Permission) String() string {
	if p == Permit {
		return "permit"
	}
	return "forbid"
}

// Permissions holds one permission for each role.
type Permissions [numRoles]Permission

// permit returns the permissions that let the given roles do it and no other.
func permit(roles ...Role) Permissions {
	var p Permissions
	for _, r := range roles {
		p[r] = Permit
	}
	return p
}

var (
	forbidAll     = Permissions{} // no body may write anything it was given
	forbidOutputs = Permissions{} // no output may share storage with an input, a captured tensor or another output
)
