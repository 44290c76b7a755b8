package wiki

// step is a change of status and the least role that may make it.
type step struct {
	from, to Status
	least    Role
	explicit bool // only by a request that names the status: no workflow verb leaves archived (facts §1.4)
}

// Archived is terminal for agents: nothing automated restores it, which is why an unattended writer reaches for unpublish
// or suppress instead (seed, invariant 4). Superseded is entered by a supersede alone, so it is nowhere a target here.
var steps = []step{
	{StatusDraft, StatusPublished, RoleOrchestrator, false},
	{StatusPublished, StatusDraft, RoleUser, false},
	{StatusSuperseded, StatusDraft, RoleUser, false},
	{StatusDraft, StatusArchived, RoleAgent, false},
	{StatusPublished, StatusArchived, RoleAgent, false},
	{StatusArchived, StatusDraft, RoleUser, true},
	{StatusArchived, StatusPublished, RoleUser, true},
}

// CheckTransition says whether the actor may move an article from one status to another, by a workflow verb or by a request
// that names the status (explicit). Errors: CodeTransition, CodeForbidden.
func CheckTransition(actor Actor, from, to Status, explicit bool) error {
	for _, s := range steps {
		if s.from == from && s.to == to && (explicit || !s.explicit) {
			return actor.Require(s.least)
		}
	}
	return cannotMove(from, to)
}

// CheckDecided says whether a verdict, a supersedes link or the reversal of one may move an article. Who may decide is the
// caller's to check: what is active may become superseded, and that may come back; a draft that wins is published, and is a
// draft again when that is reverted.
func CheckDecided(from, to Status) error {
	switch {
	case to == StatusSuperseded && (from == StatusDraft || from == StatusPublished):
	case from == StatusSuperseded && (to == StatusDraft || to == StatusPublished):
	case from == StatusDraft && to == StatusPublished, from == StatusPublished && to == StatusDraft:
	default:
		return cannotMove(from, to)
	}
	return nil
}

func cannotMove(from, to Status) error {
	e := Errorf(CodeTransition, "cannot transition from %s to %s", from, to)
	e.Field = "status"
	switch {
	case from == StatusArchived:
		e.Remedy = "a user can bring an archived article back with an update that names the status"
	case to == StatusSuperseded:
		e.Remedy = "supersede it: a link of type supersedes, or a verdict"
	}
	return e
}

// ParseStatus reads a status's name. The error is CodeInvalid on "status".
func ParseStatus(s string) (Status, error) {
	switch status := Status(s); status {
	case StatusDraft, StatusPublished, StatusArchived, StatusSuperseded:
		return status, nil
	}
	return "", Invalid("status", "the status %q is not known; use draft, published or archived", clip(s))
}
