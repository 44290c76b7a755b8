package api

import (
	"time"

	"github.com/google/uuid"
)

// Count is how many articles match.
type Count struct {
	Count int `json:"count"`
}

// IndexEntry is a line of the table of contents. Tags, status and the time are there when asked for.
type IndexEntry struct {
	ID        uuid.UUID  `json:"id"`
	Title     string     `json:"title"`
	Category  string     `json:"category"`
	Tags      []string   `json:"tags,omitempty"`
	Status    string     `json:"status,omitempty"`
	UpdatedAt *time.Time `json:"updated_at,omitempty"`
}

// Named is an article by name and category.
type Named struct {
	ID       uuid.UUID `json:"id"`
	Title    string    `json:"title"`
	Category string    `json:"category"`
}

// Stub is an article summed up in at most 160 bytes, for a reader to choose which to open.
type Stub struct {
	Named
	Summary string       `json:"summary"`
	Curated bool         `json:"curated"`
	Explain *Explanation `json:"explain,omitempty"`
}

// ProgressiveStub is a stub of the progressive index. Hub is the one whose link led to it, when no word did.
type ProgressiveStub struct {
	Stub
	Hub *uuid.UUID `json:"hub_article_id,omitempty"`
}

// HeatStub is a stub of the heat index.
type HeatStub struct {
	Stub
	Readers int `json:"readers"`   // distinct agents, or lines of keys
	Days    int `json:"read_days"` // distinct days, UTC
}

// NearArticle is an article that says much the same as another.
type NearArticle struct {
	Stub
	Similarity float64 `json:"similarity_score"` // cosine
}

// ContextHit is an article with its text. The three scores are between 0 and 1; combined is the order.
type ContextHit struct {
	Hit
	Body      string  `json:"body"`
	Relevance float64 `json:"relevance_score"`
	Recency   float64 `json:"recency_score"`
	Combined  float64 `json:"combined_score"`
	Linked    []Named `json:"linked_articles"` // at most 5
}

// Graph is what is linked with an article.
type Graph struct {
	Nodes []GraphNode `json:"nodes"`
	Edges []GraphEdge `json:"edges"`
}

// GraphNode is an article in a graph, Depth links away from the one that was asked about.
type GraphNode struct {
	Named
	Status string `json:"status"`
	Depth  int    `json:"depth"`
}

// GraphEdge is a link in a graph.
type GraphEdge struct {
	ID           uuid.UUID `json:"id"`
	Source       uuid.UUID `json:"source_article_id"`
	Target       uuid.UUID `json:"target_article_id"`
	Relationship string    `json:"relationship_type"`
}

// HeatWindow is the time that heat was counted over.
type HeatWindow struct {
	Since time.Time `json:"since"` // a midnight, UTC
	Until time.Time `json:"until"`
}

// FacetQuery counts tags. Zero fields do not filter; without a status the published articles are counted.
type FacetQuery struct {
	Prefix    string
	Category  string
	Status    string
	Tags      []string
	MatchAll  bool // an article must have all of Tags, not any
	ProjectID *uuid.UUID
	Limit     int // default 100, at most 1,000
}

// IndexQuery asks for the table of contents.
type IndexQuery struct {
	Category  string
	Tags      []string
	ProjectID *uuid.UUID
	Fields    []string // more of each entry: tags, status, updated_at
	Limit     int      // default and at most 1,000
	Offset    int
}

// ContextQuery asks for whole articles to work with.
type ContextQuery struct {
	Query          string
	ProjectID      *uuid.UUID
	Category       string
	Tags           []string
	Status         string // for users; default published
	MemoryTypes    []string
	Agents         []string
	ConversationID string
	Limit          int      // default 5, at most 20
	RecencyWeight  *float64 // 0 to 1, default 0.3
	Explain        bool
}

// HeatQuery asks for the most read articles.
type HeatQuery struct {
	Since     string // a day, 2006-01-02; default 90 days ago
	ProjectID *uuid.UUID
	Category  string
	Tags      []string
	Limit     int // default 20, at most 100
	Explain   bool
}
