package wiki

import "github.com/google/uuid"

// Thresholds are where the gate draws its lines, in cosines of one model (SPEC §3). Each model has its own.
type Thresholds struct {
	DuplicateAt  Cosine `json:"duplicate_at"`   // at or above: the same, unless the evidence differs
	LowNoveltyAt Cosine `json:"low_novelty_at"` // at or above: near, kept as a draft
	ConflictAt   Cosine `json:"conflict_at"`    // at or above, two published articles are a potential conflict
}

// Near is an article near a proposal, with its text.
type Near struct {
	ID     uuid.UUID
	Cosine Cosine
	Title  string
	Body   string
	Canon  bool // of the system, not the tenant's: it is never flagged
}

// Comparable says whether b counts as a neighbour of a. A private article is none of a shared one, nor of another's: what
// only some can read does not make a page redundant to the others.
func Comparable(a, b Article) bool {
	_, own := VisibilityOf(a.Metadata, a.CreatedBy.Principal)
	_, other := VisibilityOf(b.Metadata, b.CreatedBy.Principal)
	return other == "" || other == own
}

// NearConflict is a neighbour that a curator should see beside the proposal, and what tells the two apart.
type NearConflict struct {
	Near
	Differing []Difference // First is as it stands in the proposal
}

// Novelty is what comparing a proposal with its neighbours says.
type Novelty struct {
	Grade     Grade
	Nearest   *Near          // the duplicate, else the nearest of all; nil when there is no neighbour
	Differing []Difference   // between the proposal and Nearest, when that is near
	Conflicts []NearConflict // pairs to flag if the proposal becomes a draft; see Flags for a published one
	close     []NearConflict // neighbours at ConflictAt and above
}

// Grade is how new a proposal is.
type Grade string

// Grades.
const (
	GradeNovel      Grade = "novel"
	GradeLowNovelty Grade = "low_novelty"
	GradeDuplicate  Grade = "duplicate"
)

// Judge grades a proposal by its neighbours, nearest first. A neighbour at DuplicateAt that states other numbers, versions,
// identifiers, dates, units or negations is never a duplicate: "port 8080" and "port 8081" are two statements, and the pair
// is a potential conflict (SPEC §3, evidence beyond cosine; cases 13, 14, 33). The next neighbour may still be the one that
// the proposal repeats.
func Judge(title, body string, near []Near, t Thresholds) Novelty {
	n := Novelty{Grade: GradeNovel}
	if len(near) == 0 {
		return n
	}
	n.Nearest = &near[0]
	text := title + "\n\n" + body
	for i := range near {
		if near[i].Cosine < min(t.LowNoveltyAt, t.ConflictAt) {
			break
		}
		differing := Differences(text, near[i].Title+"\n\n"+near[i].Body)
		n.weigh(&near[i], differing, t, i == 0)
		if near[i].Canon {
			continue
		}
		pair := NearConflict{Near: near[i], Differing: differing}
		if near[i].Cosine >= t.ConflictAt {
			n.close = append(n.close, pair)
		}
		if near[i].Cosine >= t.LowNoveltyAt && len(differing) > 0 {
			n.Conflicts = append(n.Conflicts, pair)
		}
	}
	return n
}

// weigh takes one neighbour into the grade. The first that says the same is the duplicate, whatever stands nearer.
func (n *Novelty) weigh(near *Near, differing []Difference, t Thresholds, nearest bool) {
	switch {
	case n.Grade == GradeDuplicate:
		return
	case near.Cosine >= t.DuplicateAt && len(differing) == 0:
		n.Grade, n.Nearest, n.Differing = GradeDuplicate, near, nil
		return
	case near.Cosine >= t.LowNoveltyAt:
		n.Grade = GradeLowNovelty
	}
	if nearest {
		n.Differing = differing
	}
}

// StillAlike says whether a pair that the rule flagged would be flagged as its texts are now: at ConflictAt, or nearer than
// LowNoveltyAt with other evidence.
func (t Thresholds) StillAlike(cosine Cosine, differing []Difference) bool {
	return cosine >= t.ConflictAt || (cosine >= t.LowNoveltyAt && len(differing) > 0)
}

// Flags are the pairs to flag once the proposal stands under a status: those whose evidence differs, and for a published
// article also every neighbour at ConflictAt and above (SPEC §5, the mechanical flag).
func (n Novelty) Flags(status Status) []NearConflict {
	flags := n.Conflicts
	if status != StatusPublished {
		return flags
	}
	for _, c := range n.close {
		if len(c.Differing) == 0 || !holds(flags, c.ID) {
			flags = append(flags, c)
		}
	}
	return flags
}

func holds(flags []NearConflict, id uuid.UUID) bool {
	for _, f := range flags {
		if f.ID == id {
			return true
		}
	}
	return false
}
