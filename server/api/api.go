// Package api holds the wire types of the HTTP API, shared by the handlers and the Go client. It has no logic.
package api

import (
	"time"

	"github.com/google/uuid"
)

// Version is the API's own version; the client and server compare it and say so when they differ.
const Version = "1"

// HeaderVersion carries Version on every answer.
const HeaderVersion = "X-Wiki-Api"

// HeaderIdempotencyKey names an act, so that a repeat of it is answered with the first one's result.
const HeaderIdempotencyKey = "Idempotency-Key"

// Envelope wraps every success.
type Envelope[T any] struct {
	Data T     `json:"data"`
	Meta *Meta `json:"meta,omitempty"`
}

// Failure wraps every error.
type Failure struct {
	Error Error `json:"error"`
}

// Error is the body of a failure. Code is stable; Message and Remediation are for people; ErrorID finds the log entry.
type Error struct {
	Status      int            `json:"status"`
	Code        string         `json:"code"`
	Message     string         `json:"message"`
	Field       string         `json:"field,omitempty"`
	Details     map[string]any `json:"details,omitempty"`
	Remediation string         `json:"remediation,omitempty"`
	ErrorID     string         `json:"error_id,omitempty"`
}

// Meta is what an answer says about itself.
type Meta struct {
	TotalCount      *int               `json:"total_count,omitempty"`
	TotalCountScope string             `json:"total_count_scope,omitempty"`
	Limit           int                `json:"limit,omitempty"`
	Offset          *int               `json:"offset,omitempty"`
	NextCursor      string             `json:"next_cursor,omitempty"`
	HasMore         *bool              `json:"has_more,omitempty"`
	SearchMode      string             `json:"search_mode,omitempty"` // keyword, semantic, combined, keyword_only
	Degraded        *bool              `json:"degraded,omitempty"`
	DegradedReason  string             `json:"degraded_reason,omitempty"`
	Note            string             `json:"note,omitempty"`
	Counts          map[string]int     `json:"counts,omitempty"`
	Categories      map[string]int     `json:"categories,omitempty"` // index: entries in all, by category
	Truncated       *bool              `json:"truncated,omitempty"`  // a bound was reached: there is more
	HeatWindow      *HeatWindow        `json:"heat_window,omitempty"`
	Drill           string             `json:"drill,omitempty"` // how to open an entry of an index
	RecencyWeight   *float64           `json:"recency_weight,omitempty"`
	Timing          map[string]float64 `json:"timing,omitempty"`     // milliseconds by part, when asked for with timing=true
	StillLive       []NearArticle      `json:"still_live,omitempty"` // published articles that say almost what a superseded one says
	// Set-based acts only.
	Count   *int      `json:"count,omitempty"`   // articles that were changed
	Results []Outcome `json:"results,omitempty"` // in the order of the request
	// Hybrid search only; all are present in both provenances.
	Provenance       string         `json:"provenance,omitempty"` // curated or retrieved
	Confidence       *float64       `json:"confidence,omitempty"`
	CuratedArticleID *uuid.NullUUID `json:"curated_article_id,omitempty"` // there, and null, when no curated article won
	Diversity        *Diversity     `json:"diversity,omitempty"`
}

// Whoami tells a client what its key is.
type Whoami struct {
	Tenant     string     `json:"tenant"`
	TenantID   uuid.UUID  `json:"tenant_id"`
	Principal  string     `json:"principal"`
	Role       string     `json:"role"`
	KeyPrefix  string     `json:"key_prefix"`
	ExpiresAt  *time.Time `json:"expires_at,omitempty"`
	ServerTime time.Time  `json:"server_time"`
	APIVersion string     `json:"api_version"`
}

// Key is a key as listed; Secret is set once, in the answer that made it.
type Key struct {
	ID        uuid.UUID  `json:"id"`
	Name      string     `json:"name"`
	Prefix    string     `json:"key_prefix"`
	Role      string     `json:"role"`
	AgentID   string     `json:"agent_id,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	RevokedAt *time.Time `json:"revoked_at,omitempty"`
	LastUsed  *time.Time `json:"last_used_at,omitempty"`
	CreatedAt time.Time  `json:"inserted_at"`
	Secret    string     `json:"key,omitempty"`
}

// NewKey asks for a key.
type NewKey struct {
	Name      string `json:"name"`
	Role      string `json:"role"`
	AgentID   string `json:"agent_id,omitempty"`
	ExpiresIn int    `json:"expires_in,omitempty"` // seconds; 0 = never
}

// RotateKey asks for a successor; the old key lives on for GraceHours (default 24).
type RotateKey struct {
	GraceHours *int `json:"grace_hours,omitempty"`
}

// NewDispatch asks for a child key (SPEC §1).
type NewDispatch struct {
	AgentID string `json:"agent_id,omitempty"`
	Role    string `json:"role"`
	TTL     int    `json:"lifetime_seconds,omitempty"` // 60 to 14,400, default 3,600
}

// Dispatch is a child key's record; Secret is set once.
type Dispatch struct {
	ID        uuid.UUID   `json:"id"`
	ParentID  *uuid.UUID  `json:"parent_dispatch_id"`
	AgentID   string      `json:"agent_id,omitempty"`
	Role      string      `json:"role"`
	Lineage   []uuid.UUID `json:"lineage_path"`
	ExpiresAt time.Time   `json:"expires_at"`
	RevokedAt *time.Time  `json:"revoked_at,omitempty"`
	CreatedAt time.Time   `json:"inserted_at"`
	Secret    string      `json:"key,omitempty"`
}
