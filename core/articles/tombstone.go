package articles

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Tombstone is what stands in the place of an article that was deleted for good: enough to know a late copy of it, nothing
// of what it said.
type Tombstone struct {
	Article   uuid.UUID
	DeletedBy string // principal
	DeletedAt time.Time
	ByKey     bool // the copy carries the deleted article's idempotency key; false = its very text
}

const (
	burySQL = `insert into article_tombstones (article_id, tenant_id, owner_agent, key_hash, content_hash, versions, deleted_by, deleted_at, reason)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	// Versions, links, vectors, keyword row, flags, verdicts and drift go with the row.
	deleteSQL = `delete from articles where id = $1 and tenant_id = $2`
	buriedSQL = `select article_id, deleted_by, deleted_at, key_hash is not distinct from $3 and $3::bytea is not null from article_tombstones
where tenant_id = $1 and owner_agent = $2 and (key_hash = $3 or content_hash = $4) order by 4 desc, deleted_at desc limit 1`
)

// Bury deletes a locked article and all that was derived from it, and leaves a tombstone.
func Bury(ctx context.Context, tx postgres.Tx, a wiki.Article, by wiki.Stamp, reason string) error {
	_, owner := wiki.VisibilityOf(a.Metadata, a.CreatedBy.Principal)
	_, err := tx.Exec(ctx, burySQL, a.ID, a.Tenant, owner, keyHash(a.IdempotencyKey), a.ContentHash, a.Version, by, tx.Now, reason)
	if err != nil {
		return fmt.Errorf("articles: leave a tombstone: %w", err)
	}
	if _, err := tx.Exec(ctx, deleteSQL, a.ID, a.Tenant); err != nil {
		return fmt.Errorf("articles: delete: %w", err)
	}
	return nil
}

// Buried finds the tombstone of what an article would be a copy of, among the shared ones or an owner's private ones; nil
// when there is none.
func Buried(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, owner, key, contentHash string) (*Tombstone, error) {
	var t Tombstone
	var by wiki.Stamp
	err := tx.QueryRow(ctx, buriedSQL, tenant, owner, keyHash(key), contentHash).Scan(&t.Article, &by, &t.DeletedAt, &t.ByKey)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("articles: look for a tombstone: %w", err)
	}
	t.DeletedBy = by.Principal
	return &t, nil
}

func keyHash(key string) []byte {
	if key == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}
