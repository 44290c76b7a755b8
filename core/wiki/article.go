package wiki

import (
	"time"

	"github.com/google/uuid"
)

// Limits of an article (facts §1.1, SPEC §2).
const (
	MaxTitleRunes          = 500
	MaxBodyBytes           = 500_000
	MaxTags                = 50 // on a request
	MaxMachineTags         = 20 // on machine paths: ingestion, import, graduation
	MaxTagBytes            = 100
	MaxIdempotencyKeyBytes = 255
	MaxAgentIDBytes        = 200
	MaxReasonRunes         = 500
	MaxMetadataBytes       = 100_000
)

// Category classifies an article editorially (facts §1.2).
type Category string

// Categories lists the active categories in the order shown to people; CategoryConvention can be read but not written.
var Categories = []Category{"pattern", "decision", "finding", "reference", "playbook", "insight", "entity", "idea", "quote", "question"}

// CategoryConvention is retired: old rows keep it, new ones may not take it.
const CategoryConvention Category = "convention"

// Status is where an article is in its life (facts §1.4).
type Status string

// Statuses.
const (
	StatusDraft      Status = "draft"
	StatusPublished  Status = "published"
	StatusArchived   Status = "archived"
	StatusSuperseded Status = "superseded"
)

// Scope tells a tenant's article from system canon, which has no tenant.
type Scope string

// Scopes.
const (
	ScopeTenant Scope = "tenant"
	ScopeSystem Scope = "system"
)

// Visibility says which agents may see an article; users and above see all of their tenant's.
type Visibility string

// Visibilities. "owner" in metadata means private.
const (
	VisibilityShared  Visibility = "shared"
	VisibilityPrivate Visibility = "private"
)

// SourceTypes is the allow-list for Article.SourceType (facts §1.1). It is a label: no ranking may read it (seed,
// "Ranking must never key on how a document got in").
var SourceTypes = []string{"review_finding", "manual", "agent", "session_log", "newsletter", "skill", "web_article", "ingestion", "channel_graduation"}

// Article is one page of the wiki as stored.
type Article struct {
	ID             uuid.UUID
	Tenant         uuid.UUID // zero for system canon
	Project        *uuid.UUID
	Title          string
	Body           string
	Category       Category
	Status         Status
	Scope          Scope
	Slug           string
	Tags           []string
	SourceType     string
	SourceID       *uuid.UUID
	IdempotencyKey string
	Metadata       map[string]any
	Version        int // 1 on creation; each change to title, body, tags, category or status adds one; the ETag

	// Columns that no request can write (SPEC §2).
	CreatedBy         Stamp
	PreviousTitle     string
	ContentHash       string // SHA-256, hex, of CanonicalText(title, body): identical text needs no vector
	ContentChangedAt  time.Time
	ReadDayCount      *int // nil = not measured
	CuratedAt         *time.Time
	CuratedBy         string
	SuppressedAt      *time.Time
	SuppressedBy      string
	SuppressionReason string
	StagedDraftAt     *time.Time
	InsertedAt        time.Time
	UpdatedAt         time.Time
}

// Suppressed says whether the article is hidden from every ranked read.
func (a Article) Suppressed() bool { return a.SuppressedAt != nil }

// Relation is the type of a link between two articles (facts §1.6).
type Relation string

// Relations. A caller may create all but RelPotentialConflict, which only flagging and asserting make.
const (
	RelRelatesTo         Relation = "relates_to"
	RelDerivedFrom       Relation = "derived_from"
	RelContradicts       Relation = "contradicts"
	RelSupersedes        Relation = "supersedes"
	RelPotentialConflict Relation = "potential_conflict"
)

// Link is a directed, immutable edge from one article to another.
type Link struct {
	ID         uuid.UUID
	Source     uuid.UUID
	Target     uuid.UUID
	Relation   Relation
	Metadata   map[string]any
	Retires    bool // of a supersedes link: its target is superseded by it. An agent's link is an opinion and retires nothing
	InsertedAt time.Time
}
