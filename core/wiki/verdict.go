package wiki

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

// Disposition is what a verdict does with a pair (SPEC §5).
type Disposition string

// Dispositions.
const (
	Dismiss   Disposition = "dismiss"   // both articles stand
	Supersede Disposition = "supersede" // the authoritative one replaces the other
	Merge     Disposition = "merge"     // a draft is made of both; neither is retired
)

// Classification is what the judge found the pair to be.
type Classification string

// Classifications.
const (
	Redundant     Classification = "redundant"
	Complementary Classification = "complementary"
	Contradictory Classification = "contradictory"
)

// Confidence of a verdict. What is recorded is what the role grants, not what was asked (GrantConfidence).
type Confidence string

// Confidences.
const (
	ConfidenceLow    Confidence = "low"
	ConfidenceMedium Confidence = "medium"
	ConfidenceHigh   Confidence = "high"
)

// Flag is why a pair is in the queue. The pair's ids are sorted: First < Second.
type Flag struct {
	ID         uuid.UUID
	First      uuid.UUID
	Second     uuid.UUID
	System     bool    // raised by the similarity rule; false = asserted by a principal
	Similarity float64 // cosine, 0 when an assertion gave none
	Differing  []Difference
	Evidence   string // required of an assertion
	By         Stamp
	FlaggedAt  time.Time
	Again      *Again     // it came again after a verdict, since a text changed
	Lapsed     string     // why it holds no longer, such as an edit that took the texts apart; empty = it holds
	LapsedAt   *time.Time // when it ceased to
}

// Again is why a flag came again although a verdict stood: a verdict holds until a body changes.
type Again struct {
	Verdict     uuid.UUID   `json:"verdict_id"`
	Disposition Disposition `json:"disposition"`
	By          string      `json:"judged_by"` // principal
	JudgedAt    time.Time   `json:"judged_at"`
	Changed     []uuid.UUID `json:"changed"` // the articles whose bodies changed since
}

// Difference is one token that tells two near-identical texts apart (SPEC §3, evidence beyond cosine).
type Difference struct {
	Kind   string `json:"kind"`   // number, version, identifier, date, unit or negation
	First  string `json:"first"`  // as it stands in the first text; empty when absent there
	Second string `json:"second"` // as it stands in the second text; empty when absent there
}

// Verdict is a judgement of a pair.
type Verdict struct {
	ID             uuid.UUID
	First          uuid.UUID
	Second         uuid.UUID
	Authoritative  *uuid.UUID // the article kept by a supersede
	Classification Classification
	Disposition    Disposition
	Confidence     Confidence // granted
	Requested      Confidence // as asked
	Evidence       string
	By             Stamp
	JudgedAt       time.Time
	ExecutedAt     *time.Time
	ExecutedBy     *Stamp
	WithdrawnAt    *time.Time
	RevertedAt     *time.Time
	RefusedAt      *time.Time // execution found that it can't be applied; Result["refused"] says why
	ReplacedBy     *uuid.UUID // a later verdict on the same pair
	Result         map[string]any
}

// Executable says whether the verdict will be applied: the one predicate behind "a verdict nothing will act on does not
// settle the pair" (seed, invariant 4). A dismiss acts at once, a merge is never capped, a supersede needs high.
func (v Verdict) Executable() bool {
	return v.Stands() && v.granted()
}

// Stands says whether nobody has taken the verdict back or put another in its place.
func (v Verdict) Stands() bool { return !v.takenBack() && v.ReplacedBy == nil }

func (v Verdict) takenBack() bool {
	return v.WithdrawnAt != nil || v.RevertedAt != nil || v.RefusedAt != nil
}

func (v Verdict) granted() bool { return v.Disposition != Supersede || v.Confidence == ConfidenceHigh }

// GrantConfidence turns the confidence asked for into the one recorded (SPEC §5): a supersede asked at high by a role
// below user is recorded medium; a high supersede needs evidence (CodeInvalid on "evidence"); a merge is never capped.
func GrantConfidence(role Role, d Disposition, asked Confidence, evidence string) (Confidence, error) {
	if d != Supersede || asked != ConfidenceHigh {
		return asked, nil
	}
	if role < RoleUser {
		return ConfidenceMedium, nil
	}
	if strings.TrimSpace(evidence) == "" {
		return "", Invalid("evidence", "a supersede at high confidence needs evidence")
	}
	return ConfidenceHigh, nil
}
