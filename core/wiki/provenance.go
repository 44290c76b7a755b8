package wiki

import "github.com/google/uuid"

// Provenance says whether a hybrid answer leads with a curated article or with what was merely retrieved (seed, invariant 2).
type Provenance string

// Provenances.
const (
	ProvenanceCurated   Provenance = "curated"
	ProvenanceRetrieved Provenance = "retrieved"
)

// ProvenanceRules are the bars that a curated article has to clear, on the scale it is measured on (facts §4.7).
type ProvenanceRules struct {
	CosineThreshold  Cosine  // on the semantic scale
	KeywordThreshold float64 // on the absolute keyword scale, 0..1
	Margin           float64 // over the best article that is not curated, on either scale
}

// Bars of the facts §4.7.
const (
	DefaultCosineThreshold  Cosine  = 0.75
	DefaultKeywordThreshold float64 = 0.5
	DefaultMargin           float64 = 0.1
)

// DefaultProvenanceRules gives the documented bars.
func DefaultProvenanceRules() ProvenanceRules {
	return ProvenanceRules{CosineThreshold: DefaultCosineThreshold, KeywordThreshold: DefaultKeywordThreshold, Margin: DefaultMargin}
}

// Source is a candidate as the provenance decision sees it. Scores are absolute, never relative to the pool.
type Source struct {
	ID       uuid.UUID
	Curated  bool    // a person has marked it, or it is system canon
	System   bool    // system canon: a tenant's own curated article goes before it
	Standing bool    // published, not superseded, not suppressed
	Disputed bool    // in an open conflict that the system flagged; an asserted one does not count
	Cosine   *Cosine // nil when it has no vector or the semantic lane was down
	Keyword  float64 // 0 when no word matched
}

// ProvenanceDecision is what the caller is told. Curated is nil unless a curated article won.
type ProvenanceDecision struct {
	Provenance Provenance
	Confidence float64 // absolute score of the best of the winning class; 0 when there is none
	Curated    *uuid.UUID
}

// DecideProvenance settles a hybrid answer over the whole pool, not the page. A curated article wins only if its absolute
// score clears the threshold of its scale, beats the best non-curated one by the margin, and has authority. The margin is
// asked on the cosine scale where both have a cosine, and on the keyword scale where one of them has none, so that what
// could not be compared is never beaten by default. A tenant's own article goes before system canon; when the tenant's
// own would win but for a dispute, canon is withheld too.
func DecideProvenance(rules ProvenanceRules, pool []Source) ProvenanceDecision {
	var own, canon *Source
	ownDisputed := false
	for i := range pool {
		s := &pool[i]
		if !s.Curated || !s.Standing || !rules.wins(*s, pool) {
			continue
		}
		switch {
		case s.Disputed:
			ownDisputed = ownDisputed || !s.System
		case s.System:
			canon = better(canon, s)
		default:
			own = better(own, s)
		}
	}
	winner := own
	if winner == nil && !ownDisputed {
		winner = canon
	}
	if winner != nil {
		return ProvenanceDecision{Provenance: ProvenanceCurated, Confidence: winner.absolute(), Curated: &winner.ID}
	}
	best := 0.0
	for _, s := range pool {
		if !s.Curated {
			best = max(best, s.absolute())
		}
	}
	return ProvenanceDecision{Provenance: ProvenanceRetrieved, Confidence: best}
}

// wins says whether a curated source clears its threshold and the margin over every source that is not curated.
func (r ProvenanceRules) wins(s Source, pool []Source) bool {
	if s.Cosine != nil && *s.Cosine < r.CosineThreshold || s.Cosine == nil && s.Keyword < r.KeywordThreshold {
		return false
	}
	for _, other := range pool {
		if other.Curated {
			continue
		}
		lead := s.Keyword - other.Keyword
		if s.Cosine != nil && other.Cosine != nil {
			lead = float64(*s.Cosine - *other.Cosine)
		}
		if lead < r.Margin {
			return false
		}
	}
	return true
}

// absolute is the source's score on its own scale.
func (s Source) absolute() float64 {
	if s.Cosine != nil {
		return max(float64(*s.Cosine), 0)
	}
	return s.Keyword
}

// better prefers a source that was measured by cosine, then the higher score, then the lower id.
func better(a, b *Source) *Source {
	if a == nil {
		return b
	}
	if (a.Cosine != nil) != (b.Cosine != nil) {
		if a.Cosine != nil {
			return a
		}
		return b
	}
	if a.absolute() > b.absolute() || a.absolute() == b.absolute() && a.ID.String() < b.ID.String() {
		return a
	}
	return b
}
