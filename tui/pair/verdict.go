package pair

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/conflicts"
	"wiki/tui/text"
)

// Verdict makes the verdict that an action records for a pair, as the server knows it from the queue; ok is false for an
// action that is none. The versions on screen go along, so that a text that changed meanwhile is not judged unseen.
func (s *Screen) Verdict(id action.ID, c api.Conflict) (v api.NewVerdict, ok bool) {
	v = api.NewVerdict{FirstID: c.First.ID, SecondID: c.Second.ID, SeenFirst: c.First.Version, SeenSecond: c.Second.Version}
	if e := s.cache.get(c.ID); e != nil && s.id == c.ID {
		v.SeenFirst, v.SeenSecond = e.pair.First.Version, e.pair.Second.Version
	}
	v.Evidence = strings.TrimSpace(s.notes[c.ID])
	switch id {
	case action.Dismiss:
		v.Disposition = string(wiki.Dismiss)
		return v, true
	case action.KeepLeft:
		v.Disposition, v.Authoritative = string(wiki.Supersede), ref(c.First.ID)
	case action.KeepRight:
		v.Disposition, v.Authoritative = string(wiki.Supersede), ref(c.Second.ID)
	case action.MergeBoth:
		v.Disposition, v.Authoritative = string(wiki.Merge), ref(c.First.ID)
		return v, true
	default:
		return v, false
	}
	v.Confidence = string(wiki.ConfidenceHigh)
	if v.Evidence == "" {
		v.Evidence = compared(c, v)
	}
	return v, true
}

func ref(id uuid.UUID) *uuid.UUID { return &id }

// compared is the evidence of a supersede without a note: what the curator had on screen.
func compared(c api.Conflict, v api.NewVerdict) string {
	return fmt.Sprintf("A curator compared version %d of %q with version %d of %q side by side. Differing: %s.",
		v.SeenFirst, text.InertLine(c.First.Title), v.SeenSecond, text.InertLine(c.Second.Title), conflicts.Differing(c.Differing))
}

// Judged forgets the note of a pair whose verdict has been taken.
func (s *Screen) Judged(id string) { delete(s.notes, id) }

// Keep puts a note back whose verdict was refused.
func (s *Screen) Keep(id, note string) {
	if s.notes[id] == "" && note != "" {
		s.notes[id] = note
	}
}
