package access

import (
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"wiki/core/wiki"
)

// keepsKeys refuses all but a key of role user that stands for itself. A dispatch keeps no keys: one that it made or rotated
// would outlive the revocation of its line and, standing outside that line, could judge what the line did (SPEC §1, §4, §5).
func keepsKeys(actor wiki.Actor) error {
	if err := actor.Require(wiki.RoleUser); err != nil {
		return err
	}
	if actor.Dispatched() {
		e := wiki.Errorf(wiki.CodeForbidden, "a dispatch makes, rotates and revokes no keys")
		e.Remedy = "mint a dispatch with POST /dispatches, or use a key of role user that is no dispatch"
		return e
	}
	return nil
}

func validateNewKey(actor wiki.Actor, in NewKey) error {
	if err := keepsKeys(actor); err != nil {
		return err
	}
	if err := validateName(in.Name); err != nil {
		return err
	}
	if in.Role == wiki.RoleNone {
		return wiki.Invalid("role", "role must be agent, orchestrator or user")
	}
	if in.Role > actor.Role {
		return wiki.Errorf(wiki.CodeForbidden, "a key of role %s cannot make one of role %s", actor.Role, in.Role)
	}
	if in.Role == wiki.RoleSuperadmin && actor.Tenant != uuid.Nil {
		e := wiki.Invalid("role", "a tenant has no superadmin keys")
		e.Remedy = "an operator makes one with: wiki-server key create --system --role superadmin NAME"
		return e
	}
	if in.Role != wiki.RoleSuperadmin && actor.Tenant == uuid.Nil {
		return wiki.Invalid("tenant", "a key of role %s belongs to a tenant; a key of none is a superadmin's", in.Role)
	}
	if in.Lifetime < 0 || in.Lifetime > maxKeyLifetime {
		return wiki.Invalid("expires_in", "expires_in must be between 0 and %d seconds", int(maxKeyLifetime.Seconds()))
	}
	return validateAgentID(in.AgentID)
}

func validateName(name string) error {
	if strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > maxNameRunes || !clean(name) {
		return wiki.Invalid("name", "name must have 1 to %d characters, all printable", maxNameRunes)
	}
	return nil
}

func validateAgentID(id string) error {
	if id == "" {
		return nil
	}
	if len(id) > wiki.MaxAgentIDBytes || strings.TrimSpace(id) != id || !clean(id) {
		return wiki.Invalid("agent_id", "agent_id must have at most %d bytes, all printable, with no space at either end", wiki.MaxAgentIDBytes)
	}
	return nil
}

// clean refuses control characters and broken UTF-8 in what people will read on a screen.
func clean(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) })
}
