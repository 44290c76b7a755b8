package api

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// Article is an article as shown. Body is absent from lists.
type Article struct {
	ID                uuid.UUID      `json:"id"`
	TenantID          *uuid.UUID     `json:"tenant_id"`
	ProjectID         *uuid.UUID     `json:"project_id"`
	Title             string         `json:"title"`
	Body              *string        `json:"body,omitempty"`
	Category          string         `json:"category"`
	Status            string         `json:"status"`
	Scope             string         `json:"scope"`
	Slug              string         `json:"slug"`
	Tags              []string       `json:"tags"`
	SourceType        string         `json:"source_type,omitempty"`
	SourceID          *uuid.UUID     `json:"source_id,omitempty"`
	IdempotencyKey    string         `json:"idempotency_key,omitempty"`
	Metadata          map[string]any `json:"metadata"`
	Version           int            `json:"version"`
	CreatedBy         string         `json:"created_by"` // principal
	PreviousTitle     string         `json:"previous_title,omitempty"`
	ReadDayCount      *int           `json:"read_day_count"`
	CuratedAt         *time.Time     `json:"curated_at"`
	CuratedBy         string         `json:"curated_by,omitempty"`
	SuppressedAt      *time.Time     `json:"suppressed_at"`
	SuppressedBy      string         `json:"suppressed_by,omitempty"`
	SuppressionReason string         `json:"suppression_reason,omitempty"`
	ContentChangedAt  time.Time      `json:"content_changed_at"`
	InsertedAt        time.Time      `json:"inserted_at"`
	UpdatedAt         time.Time      `json:"updated_at"`
	OutgoingLinks     []Link         `json:"outgoing_links,omitempty"` // on show only
	IncomingLinks     []Link         `json:"incoming_links,omitempty"`
}

// ArticleRef names an article.
type ArticleRef struct {
	ID    uuid.UUID `json:"id"`
	Title string    `json:"title"`
}

// Link is an edge as shown.
type Link struct {
	ID           uuid.UUID      `json:"id"`
	Relationship string         `json:"relationship_type"`
	Source       ArticleRef     `json:"source_article"`
	Target       ArticleRef     `json:"target_article"`
	Metadata     map[string]any `json:"metadata,omitempty"`
	Retires      bool           `json:"retires,omitempty"` // of a supersedes link: its target is superseded by it
}

// NewLink asks for an edge; potential_conflict is refused.
type NewLink struct {
	SourceID     uuid.UUID       `json:"source_article_id"`
	TargetID     uuid.UUID       `json:"target_article_id"`
	Relationship string          `json:"relationship_type"`
	Metadata     json.RawMessage `json:"metadata,omitempty"`
}

// Proposal proposes an article (SPEC §3). Body is raw: an absent body and a present one that is not a string are two
// different things to the drift rule (seed, invariant 1).
type Proposal struct {
	Title             string          `json:"title"`
	Body              json.RawMessage `json:"body,omitempty"`
	Category          string          `json:"category"`
	Slug              string          `json:"slug,omitempty"`  // default: made from the title
	Scope             string          `json:"scope,omitempty"` // tenant (default) or, for a superadmin, system
	Tags              []string        `json:"tags,omitempty"`
	ProjectID         *uuid.UUID      `json:"project_id,omitempty"`
	SourceType        string          `json:"source_type,omitempty"`
	SourceID          *uuid.UUID      `json:"source_id,omitempty"`
	IdempotencyKey    string          `json:"idempotency_key,omitempty"`
	Metadata          json.RawMessage `json:"metadata,omitempty"`
	Draft             bool            `json:"draft,omitempty"`
	Status            string          `json:"status,omitempty"`
	Force             bool            `json:"force,omitempty"`
	OnLowNovelty      string          `json:"on_low_novelty,omitempty"`      // draft (default) or skip
	OnGateUnavailable string          `json:"on_gate_unavailable,omitempty"` // create (default) or skip
}

// Proposed is the gate's answer. Verdict is one of novel, low_novelty, unknown, duplicate, deduplicated,
// skipped_low_novelty. ContentDrift and TitleDrift are present in every answer that made no row because one stood.
type Proposed struct {
	Verdict      string      `json:"verdict"`
	Created      bool        `json:"created"`
	Deduplicated bool        `json:"deduplicated"`
	Article      *Article    `json:"article"`
	Neighbour    *Neighbour  `json:"neighbour,omitempty"`
	Novelty      *float64    `json:"novelty,omitempty"` // 1 - cosine to the nearest; absent when nothing was compared
	ContentDrift *bool       `json:"content_drift,omitempty"`
	TitleDrift   *bool       `json:"title_drift,omitempty"`
	DriftEventID *uuid.UUID  `json:"drift_event_id,omitempty"`
	FlaggedWith  []uuid.UUID `json:"flagged_with,omitempty"` // articles that the new one was flagged as conflicting with
	Note         string      `json:"note"`
}

// Neighbour is the nearest published article.
type Neighbour struct {
	Article   ArticleRef   `json:"article"`
	Cosine    float64      `json:"cosine"`
	Differing []Difference `json:"differing,omitempty"`
}

// Difference is one token that tells two near-identical texts apart.
type Difference struct {
	Kind   string `json:"kind"`
	First  string `json:"first"`
	Second string `json:"second"`
}

// ArticlePatch changes an article; an absent field stays. Metadata replaces the whole map.
type ArticlePatch struct {
	Title     *string         `json:"title,omitempty"`
	Body      *string         `json:"body,omitempty"`
	Category  *string         `json:"category,omitempty"`
	Status    *string         `json:"status,omitempty"`
	Slug      *string         `json:"slug,omitempty"`
	Tags      *[]string       `json:"tags,omitempty"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	ProjectID *uuid.UUID      `json:"project_id,omitempty"`
	Reason    string          `json:"reason,omitempty"` // kept in the history
}

// Reason is the body of acts that want one.
type Reason struct {
	Reason string `json:"reason,omitempty"`
}

// ArticleVersion is one state in an article's history; the newest has no ValidTo.
type ArticleVersion struct {
	Version   int        `json:"version"`
	Title     string     `json:"title"`
	Body      *string    `json:"body,omitempty"` // on a single version
	Category  string     `json:"category"`
	Status    string     `json:"status"`
	Tags      []string   `json:"tags"`
	Reason    string     `json:"reason,omitempty"` // of the change that ended it
	ChangedBy string     `json:"changed_by,omitempty"`
	ValidFrom time.Time  `json:"valid_from"`
	ValidTo   *time.Time `json:"valid_to"`
}

// VersionDiff is a line diff of two versions' bodies, unified format, and their changed fields.
type VersionDiff struct {
	From   int      `json:"from"`
	To     int      `json:"to"`
	Fields []string `json:"fields"`
	Diff   string   `json:"diff"`
}

// AuditEntry is one act.
type AuditEntry struct {
	ID        int64          `json:"id"`
	Principal string         `json:"principal"`
	Role      string         `json:"role"`
	Act       string         `json:"act"`
	Subject   *uuid.UUID     `json:"subject"`
	Title     string         `json:"title,omitempty"` // of the article that it was about, or of both as "A / B", as they are called now, when the caller may see them
	Detail    map[string]any `json:"detail"`
	At        time.Time      `json:"at"`
}
