package wiki

import "github.com/google/uuid"

// DiversityRules are the settings of SelectDiverse (facts §4.8). Lambda 1 and a NearDuplicate above 1 give plain order.
type DiversityRules struct {
	Lambda        float64 // how much relevance counts against novelty, 0..1
	NearDuplicate Cosine  // at or above, against what is selected already, a candidate repeats it
}

// Settings of diversity (facts §4.8).
const (
	DefaultLambda               = 0.7
	DefaultNearDuplicate Cosine = 0.95
)

// DefaultDiversity gives the documented settings.
func DefaultDiversity() DiversityRules {
	return DiversityRules{Lambda: DefaultLambda, NearDuplicate: DefaultNearDuplicate}
}

// Diverse is a candidate for a place on a page.
type Diverse struct {
	ID          uuid.UUID
	Score       float64   // falls with the candidates' own order; never another scale's
	ContentHash string    // empty = unknown
	Vector      []float32 // unit length; nil = could not be loaded
	Pinned      bool      // is shown whatever it repeats
}

// Reasons for which diversity drops a candidate.
const (
	DroppedExactDuplicate = "exact_duplicate"
	DroppedNearDuplicate  = "near_duplicate"
)

// DiversityReport says what was done, for meta and explain.
type DiversityReport struct {
	Candidates       int
	Selected         int
	VectorsAvailable int
	Dropped          map[uuid.UUID]string // why, by article; what was taken back is not in it
}

// SelectDiverse chooses which candidates fill a page of limit places, and gives them in the order they came in: selection
// never sets the order (seed, invariant 5b). Exact repeats and near-duplicates of what is selected already are dropped and
// refilled from the candidates behind; a drop that nothing can refill is not taken. What has no vector cannot be a
// near-duplicate, and a pinned candidate passes every stage.
func SelectDiverse(rules DiversityRules, candidates []Diverse, limit int) ([]Diverse, DiversityReport) {
	s := selection{rules: rules, all: candidates, state: make([]place, len(candidates)), hashes: map[string]bool{}, limit: limit}
	s.report = DiversityReport{Candidates: len(candidates), Dropped: map[uuid.UUID]string{}}
	for i, c := range candidates {
		if c.Vector != nil {
			s.report.VectorsAvailable++
		}
		s.top = max(s.top, c.Score)
		if c.Pinned {
			s.take(i)
		}
	}
	for s.taken < limit && s.next() {
	}
	s.readmit()
	var out []Diverse
	for i, c := range candidates {
		if s.state[i] == chosen {
			out = append(out, c)
		}
	}
	s.report.Selected = len(out)
	return out, s.report
}

// place is what has become of a candidate.
type place int

const (
	waiting place = iota
	chosen
	dropped
)

type selection struct {
	rules  DiversityRules
	all    []Diverse
	state  []place
	hashes map[string]bool // of what is chosen
	limit  int
	taken  int
	top    float64
	report DiversityReport
}

func (s *selection) take(i int) {
	s.state[i] = chosen
	s.taken++
	if hash := s.all[i].ContentHash; hash != "" {
		s.hashes[hash] = true
	}
}

// next drops what repeats the chosen and takes the candidate with the best trade of relevance for novelty; false when none
// waits.
func (s *selection) next() bool {
	best, bestValue := -1, 0.0
	for i, c := range s.all {
		if s.state[i] != waiting {
			continue
		}
		near := s.nearness(c)
		if c.ContentHash != "" && s.hashes[c.ContentHash] {
			s.drop(i, DroppedExactDuplicate)
			continue
		}
		if c.Vector != nil && near >= s.rules.NearDuplicate {
			s.drop(i, DroppedNearDuplicate)
			continue
		}
		relevance := c.Score
		if s.top > 0 {
			relevance /= s.top
		}
		if value := s.rules.Lambda*relevance - (1-s.rules.Lambda)*float64(near); best < 0 || value > bestValue {
			best, bestValue = i, value
		}
	}
	if best >= 0 {
		s.take(best)
	}
	return best >= 0
}

func (s *selection) drop(i int, why string) {
	s.state[i] = dropped
	s.report.Dropped[s.all[i].ID] = why
}

// nearness is the cosine to the nearest chosen candidate; 0 when nothing can be measured.
func (s *selection) nearness(c Diverse) Cosine {
	nearest := Cosine(0)
	for i, other := range s.all {
		if s.state[i] != chosen || len(other.Vector) != len(c.Vector) {
			continue
		}
		sum := 0.0
		for j, x := range c.Vector {
			sum += float64(x) * float64(other.Vector[j])
		}
		nearest = max(nearest, Cosine(sum))
	}
	return nearest
}

// readmit takes back the highest-ranked drops while places are empty.
func (s *selection) readmit() {
	for i := range s.all {
		if s.taken < s.limit && s.state[i] == dropped {
			s.take(i)
			delete(s.report.Dropped, s.all[i].ID)
		}
	}
}
