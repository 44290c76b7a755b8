package api

import (
	"time"

	"github.com/google/uuid"
)

// Conflict is one pair in the queue. ID is the pair's own: "<first>.<second>", ids sorted.
type Conflict struct {
	ID         string       `json:"id"`
	State      string       `json:"state"`            // open, judged (verdict waits for execution), settled
	Closed     string       `json:"closed,omitempty"` // why the pair needs no judging any more, such as an archived article
	Kind       string       `json:"kind"`             // system or asserted
	Similarity float64      `json:"similarity"`
	Differing  []Difference `json:"differing"`
	Evidence   string       `json:"evidence,omitempty"`
	FlaggedBy  string       `json:"flagged_by"`
	FlaggedAt  time.Time    `json:"flagged_at"`
	Again      *Again       `json:"flagged_again,omitempty"` // it came again after a verdict, since a text changed
	First      ConflictSide `json:"first"`
	Second     ConflictSide `json:"second"`
	Claim      *Claim       `json:"claim,omitempty"`
	Verdict    *Verdict     `json:"verdict,omitempty"`          // the newest that stands
	Withheld   bool         `json:"verdict_withheld,omitempty"` // there is one, not shown before the caller's own (blind review)
}

// Again is why a pair is in the queue again although it had been judged: a verdict stands until a body changes.
type Again struct {
	VerdictID   uuid.UUID   `json:"verdict_id"`
	Disposition string      `json:"disposition"`
	By          string      `json:"judged_by"`
	JudgedAt    time.Time   `json:"judged_at"`
	Changed     []uuid.UUID `json:"changed"` // the articles whose bodies changed since
}

// ConflictSide is an article of a pair, without its body.
type ConflictSide struct {
	ID         uuid.UUID `json:"id"`
	Title      string    `json:"title"`
	Category   string    `json:"category"`
	Status     string    `json:"status"`
	Version    int       `json:"version"`
	CreatedBy  string    `json:"created_by"`
	InsertedAt time.Time `json:"inserted_at"`
	ChangedAt  time.Time `json:"content_changed_at"`
	BodyBytes  int       `json:"body_bytes"`
	Reads      int       `json:"reads"` // distinct readers in the last 90 days
}

// Pair is one conflict with all that a judge needs.
type Pair struct {
	Conflict Conflict  `json:"conflict"`
	First    Article   `json:"first"` // with body and links
	Second   Article   `json:"second"`
	History  []Verdict `json:"history"`                     // newest first, withdrawn and reverted ones too
	Withheld int       `json:"withheld_verdicts,omitempty"` // not shown before the caller's own (blind review)
}

// Claim is a curator's lease on a pair.
type Claim struct {
	By        string    `json:"by"`
	Mine      bool      `json:"mine"`
	ExpiresAt time.Time `json:"expires_at"`
}

// ConflictGroup is an article that stands in several pairs of the queue; its pairs are the queue's under article_id.
type ConflictGroup struct {
	Article    ArticleRef `json:"article"`
	Category   string     `json:"category"`
	Status     string     `json:"status"`
	Pairs      int        `json:"pairs"`
	Similarity float64    `json:"similarity"` // of the nearest pair
	Oldest     time.Time  `json:"oldest_flagged_at"`
}

// NewConflictView keeps a filter of the queue under a name.
type NewConflictView struct {
	Name   string        `json:"name"`
	Filter ConflictQuery `json:"filter"`
}

// ConflictView is a saved filter of the queue: each principal has its own. Its Filter can be asked as it is.
type ConflictView struct {
	Name      string        `json:"name"`
	Filter    ConflictQuery `json:"filter"` // with its defaults filled in
	UpdatedAt time.Time     `json:"updated_at"`
}

// NewVerdict judges a pair. Authoritative is the article kept by a supersede, or the one a merge leads with.
// SeenFirst and SeenSecond are the versions that were on the judge's screen: another version answers 409 stale.
type NewVerdict struct {
	FirstID        uuid.UUID  `json:"source_article_id"`
	SecondID       uuid.UUID  `json:"target_article_id"`
	Disposition    string     `json:"disposition"`
	Classification string     `json:"classification,omitempty"` // default: redundant for dismiss and merge, contradictory for supersede
	Confidence     string     `json:"confidence,omitempty"`     // default medium
	Authoritative  *uuid.UUID `json:"authoritative_article_id,omitempty"`
	Evidence       string     `json:"evidence,omitempty"`
	SeenFirst      int        `json:"seen_source_version,omitempty"`
	SeenSecond     int        `json:"seen_target_version,omitempty"`
}

// Verdict is a judgement as recorded.
type Verdict struct {
	ID             uuid.UUID  `json:"id"`
	ConflictID     string     `json:"conflict_id"`
	First          ArticleRef `json:"first"` // the pair's articles, so that a log can be read by people
	Second         ArticleRef `json:"second"`
	Disposition    string     `json:"disposition"`
	Classification string     `json:"classification"`
	Confidence     string     `json:"confidence"`
	Requested      string     `json:"requested_confidence"`
	Authoritative  *uuid.UUID `json:"authoritative_article_id"`
	Evidence       string     `json:"evidence,omitempty"`
	By             string     `json:"judged_by"`
	JudgedAt       time.Time  `json:"judged_at"`
	Executable     bool       `json:"executable"` // will be applied; false = the pair stays in the queue
	ExecutedAt     *time.Time `json:"executed_at"`
	WithdrawnAt    *time.Time `json:"withdrawn_at"`
	RevertedAt     *time.Time `json:"reverted_at"`
	DraftID        *uuid.UUID `json:"draft_id,omitempty"` // of an executed merge
	Undo           string     `json:"undo"`               // withdraw, revert or none: what taking it back would be
	UndoWhy        string     `json:"undo_why,omitempty"` // why it cannot be taken back
}

// NewAssertion disputes a pair; evidence is required.
type NewAssertion struct {
	FirstID  uuid.UUID `json:"source_article_id"`
	SecondID uuid.UUID `json:"target_article_id"`
	Evidence string    `json:"evidence"`
}

// Execute asks for waiting verdicts to be applied.
type Execute struct {
	Limit int `json:"limit,omitempty"` // at most so many; default 100
}

// Executed says what the execution of waiting verdicts did.
type Executed struct {
	Executed int       `json:"executed"`
	Refused  int       `json:"refused"` // could not be applied: those pairs are in the queue again
	Failed   int       `json:"failed"`  // something went wrong: those still wait
	Left     int       `json:"left"`    // still waiting: run again
	Results  []Outcome `json:"results"`
}

// Outcome is one item's result in a set act.
type Outcome struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}
