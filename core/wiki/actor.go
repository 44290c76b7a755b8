package wiki

import (
	"slices"

	"github.com/google/uuid"
)

// Role is what a key may do; a higher role may do all that a lower one may (SPEC §1).
type Role int

// Roles, low to high.
const (
	RoleNone Role = iota
	RoleAgent
	RoleOrchestrator
	RoleUser
	RoleSuperadmin
)

var roleNames = map[Role]string{RoleAgent: "agent", RoleOrchestrator: "orchestrator", RoleUser: "user", RoleSuperadmin: "superadmin"}

func (r Role) String() string { return roleNames[r] }

// ParseRole reads a role's name. The error is CodeInvalid on field "role".
func ParseRole(s string) (Role, error) {
	for r, name := range roleNames {
		if name == s {
			return r, nil
		}
	}
	return RoleNone, Invalid("role", "role must be agent, orchestrator, user or superadmin, not %q", s)
}

// Actor is who acts. It is resolved once from the key and passed as a value; no part of it ever comes from a request.
type Actor struct {
	Tenant  uuid.UUID // zero only for a superadmin outside any tenant
	Key     uuid.UUID
	Agent   string // the key's agent id, may be empty
	Role    Role
	Lineage []uuid.UUID // the root key's first id (rotation keeps it), then the dispatches from it down to this key's own
	Line    []string    // the agents of the keys above this one, root first: an agent may have several keys, and is above by each
}

// Principal is who an act is recorded under: the key's agent id, else the key's id (SPEC §1).
func (a Actor) Principal() string {
	if a.Agent != "" {
		return a.Agent
	}
	return a.Key.String()
}

// Dispatched says whether the actor's key is a short-lived child of another key (SPEC §1).
func (a Actor) Dispatched() bool { return len(a.Lineage) > 1 }

// Reader is whom a reading counts for: the agent, else the line that the key belongs to, so that all the keys that one root
// key was rotated into or has dispatched without a name are one reader (seed, invariant 5, #567).
func (a Actor) Reader() string {
	if a.Agent == "" && len(a.Lineage) > 0 {
		return a.Lineage[0].String()
	}
	return a.Principal()
}

// KeepsCanon says whether the actor's scope is system canon: a superadmin's key belongs to no tenant (SPEC §1).
func (a Actor) KeepsCanon() bool { return a.Role >= RoleSuperadmin && a.Tenant == uuid.Nil }

// Scope is that of what the actor writes.
func (a Actor) Scope() Scope {
	if a.KeepsCanon() {
		return ScopeSystem
	}
	return ScopeTenant
}

// Require answers CodeForbidden when the actor's role is below least.
func (a Actor) Require(least Role) error {
	if a.Role >= least {
		return nil
	}
	e := Errorf(CodeForbidden, "this act needs the role %s; the key has %s", least, a.Role)
	e.Remedy = "use a key whose role is " + least.String() + " or higher"
	return e
}

// Stamp is the record of who acted, as stored beside an act: enough to judge separation of duties later.
type Stamp struct {
	Principal string      `json:"principal"`
	Key       uuid.UUID   `json:"key_id"`
	Role      string      `json:"role"`
	Lineage   []uuid.UUID `json:"lineage,omitempty"`
	Line      []string    `json:"line,omitempty"`
}

// Stamp makes the actor's record.
func (a Actor) Stamp() Stamp {
	return Stamp{Principal: a.Principal(), Key: a.Key, Role: a.Role.String(), Lineage: a.Lineage, Line: a.Line}
}

// SameLine says whether one of two principals is the other, or its ancestor or descendant by dispatch lineage: by the keys
// themselves, and by their agents, since an agent with two keys could else assert under one and have a child of the other
// judge. Siblings are separate (seed, invariant 4). An unknown principal counts as the same line: separation has to be shown.
func SameLine(a, b Stamp) bool {
	if a.Principal == "" || b.Principal == "" || a.Principal == b.Principal || a.Key == b.Key {
		return true
	}
	if slices.Contains(b.Line, a.Principal) || slices.Contains(a.Line, b.Principal) {
		return true
	}
	return slices.Contains(b.Lineage, a.place()) || slices.Contains(a.Lineage, b.place())
}

// place is where a stamp stands in the lineages: its own dispatch, or its root key.
func (s Stamp) place() uuid.UUID {
	if n := len(s.Lineage); n > 0 {
		return s.Lineage[n-1]
	}
	return s.Key
}
