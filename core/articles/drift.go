package articles

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// States of a drift event.
const (
	DriftOpen      = "open"
	DriftAdopted   = "adopted"
	DriftDismissed = "dismissed"
)

// Drift is a submission that made no row because one stood already, and that said something else (SPEC §3).
type Drift struct {
	ID             uuid.UUID
	Article        Ref
	ArticleVersion int // that stood when the submission came
	Title          string
	Body           *string // nil when the submission had none, or one that was not text
	ContentDrift   bool
	TitleDrift     bool
	SubmittedBy    wiki.Stamp
	SubmittedAt    time.Time
	State          string
	SettledBy      *wiki.Stamp
	SettledAt      *time.Time
}

const (
	// The same submission is one event while it is open, and stays dismissed for as long as the article stays as it was
	// when a curator dismissed it: a harvest that repeats itself every night asks once.
	standingDriftSQL = `select id from drift_events where tenant_id = $1 and article_id = $2 and submission_hash = $3
  and (state = 'open' or (state = 'dismissed' and article_version = $4))
order by state = 'open' desc, submitted_at desc limit 1`

	insertDriftSQL = `insert into drift_events (id, tenant_id, article_id, article_version, title, body, submission_hash,
	content_drift, title_drift, submitted_by, submitted_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing`
)

// PutDrift records a drifted submission, or finds the event that already stands for the same one. It gives the event's id
// and whether it is new.
func PutDrift(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, d Drift) (uuid.UUID, bool, error) {
	hash := submissionHash(d.Title, d.Body)
	for range 2 { // the second time after losing to the same submission at the same moment
		var id uuid.UUID
		err := tx.QueryRow(ctx, standingDriftSQL, tenant, d.Article.ID, hash, d.ArticleVersion).Scan(&id)
		if err == nil {
			return id, false, nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return uuid.Nil, false, fmt.Errorf("articles: find drift: %w", err)
		}
		tag, err := tx.Exec(ctx, insertDriftSQL, d.ID, tenant, d.Article.ID, d.ArticleVersion, d.Title, d.Body, hash,
			d.ContentDrift, d.TitleDrift, d.SubmittedBy, tx.Now)
		if err != nil {
			return uuid.Nil, false, fmt.Errorf("articles: record drift: %w", err)
		}
		if tag.RowsAffected() == 1 {
			return d.ID, true, nil
		}
	}
	return uuid.Nil, false, fmt.Errorf("articles: the drift event of %s vanished while it was read", d.Article.ID)
}

func submissionHash(title string, body *string) string {
	h := sha256.New()
	h.Write([]byte(wiki.Canonical(title)))
	if body != nil {
		h.Write([]byte("\n\n" + wiki.Canonical(*body)))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// DriftFilter narrows a listing of drift events.
type DriftFilter struct {
	State   string // default DriftOpen
	Article uuid.UUID
	Limit   int // default DefaultLimit, at most MaxLimit
	Cursor  string
}

var (
	driftFrom = `select d.id, d.article_id, a.title, d.article_version, d.title, d.body, d.content_drift, d.title_drift, d.submitted_by,
	d.submitted_at, d.state, d.settled_by, d.settled_at
from drift_events d join articles a on a.id = d.article_id
where d.tenant_id = @viewer_tenant and ` + visible

	listDriftSQL = driftFrom + ` and d.state = @state and (@article::uuid is null or d.article_id = @article)
  and (@after_at::timestamptz is null or (d.submitted_at, d.id) < (@after_at, @after_id))
order by d.submitted_at desc, d.id desc limit @limit`

	countDriftSQL = `select d.state, count(*) from drift_events d join articles a on a.id = d.article_id
where d.tenant_id = @viewer_tenant and ` + visible + ` and (@article::uuid is null or d.article_id = @article) group by 1`

	getDriftSQL  = driftFrom + ` and d.id = @id`
	lockDriftSQL = getDriftSQL + ` for update of d`
)

// ListDrift gives a page of drift events on articles that the actor may see, newest first, and the cursor of the next.
func ListDrift(ctx context.Context, tx postgres.Tx, actor wiki.Actor, f DriftFilter) ([]Drift, string, error) {
	if f.State == "" {
		f.State = DriftOpen
	}
	if f.State != DriftOpen && f.State != DriftAdopted && f.State != DriftDismissed {
		return nil, "", wiki.Invalid("state", "the state of a drift event is open, adopted or dismissed")
	}
	limit, err := pageLimit(f.Limit)
	if err != nil {
		return nil, "", err
	}
	at, id, err := parseCursor(f.Cursor)
	if err != nil {
		return nil, "", err
	}
	rows, err := tx.Query(ctx, listDriftSQL, with(actor, pgx.NamedArgs{
		"state": f.State, "article": idOrNull(f.Article), "after_at": at, "after_id": id, "limit": limit + 1,
	}))
	found, err := some(rows, err, "list drift", scanDrift)
	if err != nil || len(found) <= limit {
		return found, "", err
	}
	found = found[:limit]
	last := found[limit-1]
	return found, encodeCursor(last.SubmittedAt, last.ID), nil
}

// CountDrift counts by state what ListDrift lists, of one article or of all.
func CountDrift(ctx context.Context, tx postgres.Tx, actor wiki.Actor, article uuid.UUID) (map[string]int, error) {
	counts := map[string]int{DriftOpen: 0, DriftAdopted: 0, DriftDismissed: 0}
	rows, err := tx.Query(ctx, countDriftSQL, with(actor, pgx.NamedArgs{"article": idOrNull(article)}))
	if err != nil {
		return nil, fmt.Errorf("articles: count drift: %w", err)
	}
	var state string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&state, &n}, func() error { counts[state] = n; return nil })
	return counts, err
}

// GetDrift gives one drift event; NotFound when there is none on an article that the actor may see.
func GetDrift(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID) (Drift, error) {
	rows, err := tx.Query(ctx, getDriftSQL, with(actor, pgx.NamedArgs{"id": id}))
	return one(rows, err, "get drift", scanDrift)
}

// LockDrift gives one drift event, and keeps it as it is until the transaction ends.
func LockDrift(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID) (Drift, error) {
	rows, err := tx.Query(ctx, lockDriftSQL, with(actor, pgx.NamedArgs{"id": id}))
	return one(rows, err, "lock drift", scanDrift)
}

func scanDrift(row pgx.CollectableRow) (Drift, error) {
	var d Drift
	err := row.Scan(&d.ID, &d.Article.ID, &d.Article.Title, &d.ArticleVersion, &d.Title, &d.Body, &d.ContentDrift, &d.TitleDrift,
		&d.SubmittedBy, &d.SubmittedAt, &d.State, &d.SettledBy, &d.SettledAt)
	return d, err
}

const settleDriftSQL = `update drift_events set state = $3, settled_by = $4, settled_at = $5 where tenant_id = $1 and id = $2`

// SettleDrift closes a drift event as adopted or dismissed.
func SettleDrift(ctx context.Context, tx postgres.Tx, tenant, id uuid.UUID, state string, by wiki.Stamp) error {
	if _, err := tx.Exec(ctx, settleDriftSQL, tenant, id, state, by, tx.Now); err != nil {
		return fmt.Errorf("articles: settle drift: %w", err)
	}
	return nil
}

const driftBacklogSQL = `select count(*), min(submitted_at) from drift_events where state = 'open'`

// DriftBacklog counts the drift events of all tenants that no curator has settled.
func DriftBacklog(ctx context.Context, tx postgres.Tx) (postgres.Backlog, error) {
	b, err := postgres.ScanBacklog(tx, tx.QueryRow(ctx, driftBacklogSQL))
	if err != nil {
		return b, fmt.Errorf("articles: count open drift: %w", err)
	}
	return b, nil
}
