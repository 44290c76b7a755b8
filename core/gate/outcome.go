package gate

import (
	"fmt"

	"github.com/google/uuid"

	"wiki/core/wiki"
)

// Outcome is the gate's answer.
type Outcome struct {
	Verdict   Verdict
	Created   bool
	Article   *wiki.Article     // what was created, or what stands in its place; nil when a proposal was skipped
	Neighbour *wiki.Near        // the nearest published article, when one was measured
	Differing []wiki.Difference // between the proposal (First) and the neighbour, when that is near

	// ContentDrift and TitleDrift are set in every answer that made no row because one stood already: whether the
	// submission says something else than what stands.
	ContentDrift *bool
	TitleDrift   *bool
	DriftEvent   *uuid.UUID // of a drifted discard; a neighbour by similarity is none

	Flagged     []uuid.UUID // articles that the new one was flagged with as potential conflicts
	Unavailable string      // why nothing was compared, for the verdict unknown
	Note        string      // what happened and what to do, for whoever reads the answer
}

// Novelty is 1 - cosine to the nearest article; nil when none was measured.
func (o Outcome) Novelty() *float64 {
	if o.Neighbour == nil {
		return nil
	}
	novelty := 1 - float64(o.Neighbour.Cosine)
	return &novelty
}

// The notes. A drift note says read before it says update, because drift has two sides and only one is the caller's. A
// neighbour note is another one: its article was found by similarity and may be a stranger's (seed, invariant 1).
const (
	noteInSync = "Nothing was created: this capture stands already, and says the same."
	noteDrift  = "Nothing was created: this capture stands already, but the stored article differs from what you sent. " +
		"Read the stored article first: either side may be the newer one. Update it only if yours is; " +
		"what you sent is kept as a drift event, and a curator can adopt or dismiss it."
	noteCanonDrift = "Nothing was created: this article of system canon stands already, but differs from what you sent. " +
		"Read the stored article first: either side may be the newer one. Update it if yours is."
	noteNeighbour = "Nothing was created: a published article that is nearly the same stands already. It was found by similarity, " +
		"so it may be somebody else's. Read it, then decide: update it only if it is your own earlier capture; otherwise add what " +
		"is new to it, or send yours again under a different title with force: true (the same title answers 409 title_conflict)."
	noteSkipped = "Nothing was created, as asked: it is near to a published article. Read that one; send without on_low_novelty " +
		"to keep yours as a draft."
	noteCreated   = "Created and published."
	noteDraft     = "Created as a draft."
	noteForced    = "Created without asking whether it is new, as forced."
	noteLow       = "Created as a draft, because it is near to a published article (cosine %.3f). A curator decides about it."
	noteTwin      = "Created as a draft, because an article near to it was written at the same moment (cosine %.3f). A curator decides about it."
	noteUnknown   = "Created without having been compared: %s."
	noteConflicts = " It was put before the curators together with %d that differ in what they state."
)

func (o *Outcome) noteOfCreation(forced bool) {
	switch {
	case forced:
		o.Note = noteForced
	case o.Verdict == Unknown:
		o.Note = fmt.Sprintf(noteUnknown, o.Unavailable)
	case o.Verdict == LowNovelty:
		o.Note = fmt.Sprintf(noteLow, o.Neighbour.Cosine)
	case o.Article.Status == wiki.StatusDraft:
		o.Note = noteDraft
	default:
		o.Note = noteCreated
	}
	if len(o.Flagged) > 0 {
		o.Note += fmt.Sprintf(noteConflicts, len(o.Flagged))
	}
}
