package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Limits of a page of entries.
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// Record is an entry as stored.
type Record struct {
	ID        int64
	Principal string
	Role      string
	Act       string
	Subject   *uuid.UUID
	Detail    map[string]any
	At        time.Time
	Title     string `db:"-"` // of what it was about, as that is called now, when the reader may see it; List leaves it empty
}

// Filter narrows a listing; zero fields do not.
type Filter struct {
	Principal string
	Act       string
	Subject   uuid.UUID
	Before    int64 // entries older than this id: the last one of the page before
	Limit     int   // default DefaultLimit, at most MaxLimit
}

const listSQL = `select id, principal, role, act, subject, detail, at from audit_log
where tenant_id is not distinct from $1 and ($2 = '' or principal = $2) and ($3 = '' or act = $3)
  and ($4::uuid is null or subject = $4) and ($5::bigint = 0 or id < $5)
order by id desc limit $6`

// List gives a tenant's entries, newest first. Below role user a caller sees the acts of its own principal only: the log
// names articles that it may not see.
func List(ctx context.Context, tx postgres.Tx, actor wiki.Actor, f Filter) ([]Record, error) {
	if f.Limit == 0 {
		f.Limit = DefaultLimit
	}
	if f.Limit < 0 || f.Limit > MaxLimit {
		return nil, wiki.Invalid("limit", "limit must be between 1 and %d", MaxLimit)
	}
	if actor.Role < wiki.RoleUser {
		if f.Principal != "" && f.Principal != actor.Principal() {
			return nil, nil
		}
		f.Principal = actor.Principal()
	}
	rows, err := tx.Query(ctx, listSQL, idOrNull(actor.Tenant), f.Principal, f.Act, idOrNull(f.Subject), f.Before, f.Limit)
	if err != nil {
		return nil, fmt.Errorf("audit: list: %w", err)
	}
	records, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Record])
	if err != nil {
		return nil, fmt.Errorf("audit: list: %w", err)
	}
	return records, nil
}
