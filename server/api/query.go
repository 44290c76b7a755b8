package api

import "github.com/google/uuid"

// ArticleQuery filters the list of articles. Zero fields do not filter.
type ArticleQuery struct {
	Category       string
	Status         string
	Tags           []string // any of them
	MatchAll       bool     // all of Tags
	SourceType     string
	SourceID       *uuid.UUID
	IdempotencyKey string
	ProjectID      *uuid.UUID
	Title          string // exact
	Suppressed     *bool
	IncludeBody    bool
	Limit          int // default 20, at most 1,000
	Offset         int
	Cursor         string // meta.next_cursor of the page before
}

// SearchQuery is a ranked read.
type SearchQuery struct {
	Query     string // at most 500 characters; may be empty when Category or Tags are given
	Mode      string // keyword, semantic or combined (default)
	ProjectID *uuid.UUID
	Category  string
	Tags      []string
	Limit     int // default 10, at most 50
	Offset    int
	Explain   bool
}

// ConflictQuery filters the conflict queue. Zero fields do not filter. As JSON it is the filter of a saved view.
type ConflictQuery struct {
	State         string     `json:"state,omitempty"` // open (default), judged or settled
	Kind          string     `json:"kind,omitempty"`  // system or asserted
	Category      string     `json:"category,omitempty"`
	MinSimilarity float64    `json:"min_similarity,omitempty"` // 0 to 1
	MaxSimilarity float64    `json:"max_similarity,omitempty"`
	By            string     `json:"by,omitempty"`            // principal that raised the flag
	ArticleID     *uuid.UUID `json:"article_id,omitempty"`    // either article
	MinAgeHours   int        `json:"min_age_hours,omitempty"` // since the flag was raised, at most 87,600
	MaxAgeHours   int        `json:"max_age_hours,omitempty"` // likewise; 0 = no bound
	Sort          string     `json:"sort,omitempty"`          // impact (default), newest or oldest
	Limit         int        `json:"-"`
	Cursor        string     `json:"-"` // meta.next_cursor of the page before
}

// VerdictQuery filters the log of verdicts, newest first.
type VerdictQuery struct {
	Mine   bool   // the caller's own only
	State  string // undoable, or empty for all
	Limit  int
	Cursor string
}

// DriftQuery filters the drift events.
type DriftQuery struct {
	State  string // open (default), adopted or dismissed
	Limit  int
	Cursor string
}

// AuditQuery filters the audit log, newest first.
type AuditQuery struct {
	Principal string
	Act       string
	Subject   *uuid.UUID
	Limit     int
	Cursor    string
}
