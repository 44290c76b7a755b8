package articles

import (
	"context"
	"fmt"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// A unique index that the row breaks makes no row and no error: the transaction stays usable, and a rival that has not
// committed yet is waited for, so that the winner can be read next.
const insertSQL = `insert into articles (id, tenant_id, project_id, title, body, category, status, scope, slug, tags, source_type,
	source_id, idempotency_key, metadata, visibility, owner_agent, version, created_by, content_hash, content_changed_at,
	staged_draft_at, inserted_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $20, $20)
on conflict do nothing`

// Insert stores a new article, whose times are the transaction's. It answers false when another one stands under its
// title, idempotency key or slug. Visibility and owner are read from the metadata.
func Insert(ctx context.Context, tx postgres.Tx, a wiki.Article) (bool, error) {
	visibility, owner := wiki.VisibilityOf(a.Metadata, a.CreatedBy.Principal)
	tag, err := tx.Exec(ctx, insertSQL, a.ID, idOrNull(a.Tenant), a.Project, a.Title, a.Body, a.Category, a.Status, a.Scope,
		a.Slug, a.Tags, textOrNull(a.SourceType), a.SourceID, textOrNull(a.IdempotencyKey), a.Metadata, visibility,
		textOrNull(owner), a.Version, a.CreatedBy, a.ContentHash, tx.Now, a.StagedDraftAt)
	if err != nil {
		return false, fmt.Errorf("articles: insert: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

const (
	// A version lived from the end of the one before, or from the article's birth.
	keepSQL = `insert into article_versions (article_id, tenant_id, version, title, body, category, status, tags, metadata, reason,
	changed_by, valid_from, valid_to)
select id, tenant_id, version, title, body, category, status, tags, metadata, $3, $4,
	coalesce((select max(v.valid_to) from article_versions v where v.article_id = a.id), a.inserted_at), $5
from articles a where id = $1 and tenant_id is not distinct from $2`

	updateSQL = `update articles set project_id = $3, title = $4, body = $5, category = $6, status = $7, slug = $8, tags = $9,
	metadata = $10, visibility = $11, owner_agent = $12, version = version + 1, previous_title = $13, content_hash = $14,
	content_changed_at = $15, curated_at = $16, curated_by = $17, staged_draft_at = $18, updated_at = $19
where id = $1 and tenant_id is not distinct from $2 and version = $20`
)

// Update keeps the stored state as a version, with the reason and author of the change that ends it, and stores a as the
// next one. a is the locked row with its new values; its Version, still the old one, and UpdatedAt move on. A title or
// slug that another active article holds is an error that postgres.IsUnique tells.
func Update(ctx context.Context, tx postgres.Tx, a wiki.Article, reason string, by wiki.Stamp) (wiki.Article, error) {
	if _, err := tx.Exec(ctx, keepSQL, a.ID, idOrNull(a.Tenant), reason, by, tx.Now); err != nil {
		return a, fmt.Errorf("articles: keep the version: %w", err)
	}
	visibility, owner := wiki.VisibilityOf(a.Metadata, a.CreatedBy.Principal)
	tag, err := tx.Exec(ctx, updateSQL, a.ID, idOrNull(a.Tenant), a.Project, a.Title, a.Body, a.Category, a.Status, a.Slug, a.Tags,
		a.Metadata, visibility, textOrNull(owner), textOrNull(a.PreviousTitle), a.ContentHash, a.ContentChangedAt, a.CuratedAt,
		textOrNull(a.CuratedBy), a.StagedDraftAt, tx.Now, a.Version)
	if err != nil {
		return a, fmt.Errorf("articles: update: %w", err)
	}
	if tag.RowsAffected() != 1 {
		return a, fmt.Errorf("articles: update: version %d of %s is not the stored one; lock the row first", a.Version, a.ID)
	}
	a.Version++
	a.UpdatedAt = tx.Now
	return a, nil
}

const markSQL = `update articles set suppressed_at = $3, suppressed_by = $4, suppression_reason = $5, curated_at = $6, curated_by = $7, updated_at = $8
where id = $1 and tenant_id is not distinct from $2`

// SetMarks stores what people have said about an article beside its text: the three columns of its suppression together, and
// whether it is curated. It is no new version, since it says nothing about the text or the status (seed, invariant 4).
func SetMarks(ctx context.Context, tx postgres.Tx, a wiki.Article) (wiki.Article, error) {
	_, err := tx.Exec(ctx, markSQL, a.ID, idOrNull(a.Tenant), a.SuppressedAt, textOrNull(a.SuppressedBy), textOrNull(a.SuppressionReason),
		a.CuratedAt, textOrNull(a.CuratedBy), tx.Now)
	if err != nil {
		return a, fmt.Errorf("articles: mark: %w", err)
	}
	a.UpdatedAt = tx.Now
	return a, nil
}
