package api

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// BulkRequest names a set, in exactly one way, and what is to be done to it; the op is the route's (SPEC §4, facts §3.5).
type BulkRequest struct {
	ArticleIDs    []uuid.UUID     `json:"article_ids,omitempty"`
	SourceType    string          `json:"source_type,omitempty"`
	SourceID      *uuid.UUID      `json:"source_id,omitempty"`
	Tag           string          `json:"tag,omitempty"`
	Hard          bool            `json:"hard,omitempty"`        // of a delete: for good
	AddTags       []string        `json:"add_tags,omitempty"`    // of a retag
	RemoveTags    []string        `json:"remove_tags,omitempty"` // of a retag
	DryRun        bool            `json:"dry_run,omitempty"`
	ProposalToken string          `json:"proposal_token,omitempty"` // of the dry run
	ConfirmHash   string          `json:"confirm_hash,omitempty"`   // of the dry run of a set over the frozen bound
	Reason        string          `json:"reason,omitempty"`
	Confirm       json.RawMessage `json:"confirm,omitempty"` // refused: no caller writes its own approval
}

// BulkPreview is a dry run's answer. A set that is empty gets no credential: it needs none.
type BulkPreview struct {
	Op        string      `json:"op"`
	Hard      bool        `json:"hard"`
	Selector  string      `json:"selector"`
	Count     int         `json:"count"`     // articles that are there
	Articles  []BulkItem  `json:"articles"`  // the first 100 of them
	NotFound  []uuid.UUID `json:"not_found"` // ids that name nothing
	Impact    Impact      `json:"impact"`
	Token     string      `json:"proposal_token,omitempty"`
	Hash      string      `json:"confirm_hash,omitempty"`
	ExpiresAt *time.Time  `json:"expires_at,omitempty"`
}

// BulkRun is a run as far as it went; meta has its counts and results.
type BulkRun struct {
	ID       *uuid.UUID `json:"id"` // null when nothing matched
	Op       string     `json:"op"`
	Hard     bool       `json:"hard"`
	Selector string     `json:"selector"`
	State    string     `json:"state"` // executed, or running: the same request carries it on
	Left     int        `json:"left"`
}

// NewBulkProposal puts a set before a person other than its minter.
type NewBulkProposal struct {
	Op         string          `json:"op"`
	Hard       bool            `json:"hard,omitempty"`
	ArticleIDs []uuid.UUID     `json:"article_ids,omitempty"`
	SourceType string          `json:"source_type,omitempty"`
	SourceID   *uuid.UUID      `json:"source_id,omitempty"`
	Tag        string          `json:"tag,omitempty"`
	AddTags    []string        `json:"add_tags,omitempty"`
	RemoveTags []string        `json:"remove_tags,omitempty"`
	Rationale  string          `json:"rationale"`
	Confirm    json.RawMessage `json:"confirm,omitempty"` // refused
}

// BulkProposal is a frozen set that waits, or waited, for a person.
type BulkProposal struct {
	ID           uuid.UUID      `json:"id"`
	Op           string         `json:"op"`
	Hard         bool           `json:"hard"`
	AddTags      []string       `json:"add_tags"`
	RemoveTags   []string       `json:"remove_tags"`
	Selector     string         `json:"selector"` // as people read it
	Rationale    string         `json:"rationale"`
	State        string         `json:"state"` // pending, running, executed, rejected, withdrawn, expired
	MintedBy     string         `json:"minted_by"`
	MintedRole   string         `json:"minted_role"`
	MintedAt     time.Time      `json:"minted_at"`
	ExpiresAt    time.Time      `json:"expires_at"`
	SettledBy    string         `json:"settled_by,omitempty"`
	SettledAt    *time.Time     `json:"settled_at"`
	SettleReason string         `json:"settle_reason,omitempty"`
	LoneOperator bool           `json:"lone_operator"` // approved by its minter's own line, as the tenant allows
	ExecutedAt   *time.Time     `json:"executed_at"`
	Counts       map[string]int `json:"counts"`
	Impact       Impact         `json:"impact"`
	// Of one proposal only, not in a list.
	Items      []BulkItem `json:"items,omitempty"`
	MayApprove bool       `json:"may_approve"`
	WhyNot     string     `json:"why_not,omitempty"` // why the caller may not settle it
}

// Impact is what the wiki would lose. The counts are exact, the lists bounded.
type Impact struct {
	LinkCount    int              `json:"link_count"` // links from articles that stay
	Links        []BrokenLink     `json:"links,omitempty"`
	CuratedCount int              `json:"curated_count"`
	Curated      []uuid.UUID      `json:"curated,omitempty"`
	Golden       []GoldenQuestion `json:"golden,omitempty"`
	GoldenKnown  bool             `json:"golden_known"` // false: golden questions were not asked
}

// BrokenLink would lead to what is out of use.
type BrokenLink struct {
	Relationship string     `json:"relationship_type"`
	From         ArticleRef `json:"from"`
	To           ArticleRef `json:"to"`
}

// GoldenQuestion loses its answer.
type GoldenQuestion struct {
	ID        string    `json:"id"`
	Question  string    `json:"question"`
	ArticleID uuid.UUID `json:"article_id"`
}

// BulkItem is one article of a frozen set, at its place in the request.
type BulkItem struct {
	Position int       `json:"position"`
	ID       uuid.UUID `json:"id"`
	Title    string    `json:"title"`
	Version  *int      `json:"version"` // when it was frozen
	Outcome  string    `json:"outcome,omitempty"`
	Code     string    `json:"code,omitempty"`
	Message  string    `json:"message,omitempty"`
	Status   string    `json:"status,omitempty"`          // now; empty = it is gone
	Current  int       `json:"current_version,omitempty"` // now
	Curated  bool      `json:"curated,omitempty"`
	Changed  bool      `json:"changed"` // it is another one than was frozen
}

// Approval decides that a proposal is carried out, less what is excluded.
type Approval struct {
	Exclude   []uuid.UUID     `json:"exclude,omitempty"`
	Reconfirm []Reconfirmed   `json:"reconfirm,omitempty"` // articles that changed since and are meant all the same
	Reason    string          `json:"reason,omitempty"`
	Confirm   json.RawMessage `json:"confirm,omitempty"` // refused
}

// Reconfirmed is an article at the version that the approver looked at.
type Reconfirmed struct {
	ID      uuid.UUID `json:"id"`
	Version int       `json:"version"`
}

// BulkProposalQuery filters the list of proposals, newest first.
type BulkProposalQuery struct {
	State  string // pending (default), running, executed, rejected, withdrawn or expired
	Op     string
	By     string // minting principal
	Limit  int
	Cursor string
}
