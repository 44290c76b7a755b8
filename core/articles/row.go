// Package articles keeps the rows of the wiki: articles, their versions and links, the drift events. Its
// functions take the transaction they work in; what belongs together in one act is put together by core/record. Every read
// carries the viewer, and what the viewer may not see does not exist (SPEC §1).
package articles

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/wiki"
)

// head are the columns before the body, tail those after it: a listing puts another expression between them.
const (
	head = `a.id, a.tenant_id, a.project_id, a.title, `
	tail = `, a.category, a.status, a.scope, a.slug, a.tags, coalesce(a.source_type, ''),
	a.source_id, coalesce(a.idempotency_key, ''), a.metadata, a.version, a.created_by, coalesce(a.previous_title, ''), a.content_hash,
	a.content_changed_at, a.read_day_count, a.curated_at, coalesce(a.curated_by, ''), a.suppressed_at, coalesce(a.suppressed_by, ''),
	coalesce(a.suppression_reason, ''), a.staged_draft_at, a.inserted_at, a.updated_at`
	columns = head + `a.body` + tail
)

func scanArticle(row pgx.CollectableRow) (wiki.Article, error) {
	var (
		a        wiki.Article
		tenant   *uuid.UUID
		metadata []byte
	)
	err := row.Scan(&a.ID, &tenant, &a.Project, &a.Title, &a.Body, &a.Category, &a.Status, &a.Scope, &a.Slug, &a.Tags,
		&a.SourceType, &a.SourceID, &a.IdempotencyKey, &metadata, &a.Version, &a.CreatedBy, &a.PreviousTitle, &a.ContentHash,
		&a.ContentChangedAt, &a.ReadDayCount, &a.CuratedAt, &a.CuratedBy, &a.SuppressedAt, &a.SuppressedBy,
		&a.SuppressionReason, &a.StagedDraftAt, &a.InsertedAt, &a.UpdatedAt)
	if err != nil {
		return a, err
	}
	if tenant != nil {
		a.Tenant = *tenant
	}
	a.Metadata, err = decodeObject(metadata)
	return a, err
}

// decodeObject reads a JSON object with its numbers as they were written: a long id must not come back rounded.
func decodeObject(raw []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	object := map[string]any{}
	if err := decoder.Decode(&object); err != nil {
		return nil, fmt.Errorf("articles: decode metadata: %w", err)
	}
	return object, nil
}

// one gives the single row, or NotFound.
func one[T any](rows pgx.Rows, err error, what string, scan pgx.RowToFunc[T]) (T, error) {
	found, err := some(rows, err, what, scan)
	if err != nil || len(found) == 0 {
		var none T
		if err == nil {
			err = wiki.NotFound()
		}
		return none, err
	}
	return found[0], nil
}

func some[T any](rows pgx.Rows, err error, what string, scan pgx.RowToFunc[T]) ([]T, error) {
	var found []T
	if err == nil {
		found, err = pgx.CollectRows(rows, scan)
	}
	if err != nil {
		return nil, fmt.Errorf("articles: %s: %w", what, err)
	}
	return found, nil
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func idOrNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}
