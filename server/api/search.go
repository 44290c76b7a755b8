package api

import (
	"time"

	"github.com/google/uuid"
)

// Hit is one result of a ranked read. Snippet marks matches with ** and never exceeds 300 characters.
type Hit struct {
	ID       uuid.UUID    `json:"id"`
	Title    string       `json:"title"`
	Category string       `json:"category"`
	Tags     []string     `json:"tags"`
	Score    float64      `json:"score"`
	Snippet  string       `json:"snippet"`
	Curated  bool         `json:"curated"`
	Explain  *Explanation `json:"explain,omitempty"`
}

// Explanation says how a hit got its place (explain=true).
type Explanation struct {
	Lanes  map[string]LaneScore `json:"lanes"`
	Fused  float64              `json:"fused"`
	Priors map[string]float64   `json:"priors"` // factor by prior
}

// LaneScore is a lane's view of a hit.
type LaneScore struct {
	Rank  int     `json:"rank"`      // 1 = first; 0 = another lane found it, and this one measured it
	Score float64 `json:"score"`     // absolute, 0 to 1; 0 of the graph lane, which has none
	Raw   float64 `json:"raw_score"` // as the lane itself measures: BM25, a cosine, a sum over links
}

// HybridRequest asks for hybrid search.
type HybridRequest struct {
	Query     string     `json:"query"`
	ProjectID *uuid.UUID `json:"project_id,omitempty"`
	Category  string     `json:"category,omitempty"`
	Tags      []string   `json:"tags,omitempty"`
	Limit     int        `json:"limit,omitempty"` // default 10, at most 50
	Explain   bool       `json:"explain,omitempty"`
}

// HybridResult is the answer: the same keys whatever the provenance, which meta carries too.
type HybridResult struct {
	Results []Hit `json:"results"`
}

// Diversity says how a page was kept from repeating itself.
type Diversity struct {
	Candidates       int                  `json:"candidates"`
	Selected         int                  `json:"selected"`
	DroppedExact     int                  `json:"dropped_exact_duplicates"`
	DroppedNear      int                  `json:"dropped_near_duplicates"`
	VectorsAvailable int                  `json:"vectors_available"`
	Dropped          map[uuid.UUID]string `json:"dropped,omitempty"` // why, by article; with explain=true
}

// Stats counts a tenant's articles.
type Stats struct {
	Total      int            `json:"total"`
	ByCategory map[string]int `json:"by_category"`
	ByStatus   map[string]int `json:"by_status"`
	Suppressed int            `json:"suppressed"` // in none of the other counts

	// Of the tenant as a whole: absent when a project's articles are counted.
	Conflicts *QueueAge     `json:"conflicts,omitempty"`
	Meaning   *MeaningIndex `json:"embeddings,omitempty"`
}

// MeaningIndex says how far articles can be found by their meaning, and whether the gate can compare what is written.
type MeaningIndex struct {
	Model   string     `json:"model"`
	Dims    int        `json:"dims"`
	Indexed int        `json:"indexed"` // articles, of whatever status, with a vector of the model
	Pending int        `json:"pending"` // articles that wait for one: they are found by their words only
	Since   *time.Time `json:"pending_since"`
}

// QueueAge says whether the queue of conflicts is kept up with.
type QueueAge struct {
	Open             int        `json:"open"`           // pairs that wait for a verdict
	Intake           int        `json:"intake_24h"`     // pairs flagged in the last 24 hours, judged since or not
	Oldest           *time.Time `json:"oldest_open_at"` // when the pair that waits longest was flagged; null when none waits
	OldestAgeSeconds int64      `json:"oldest_open_age_s"`
}
