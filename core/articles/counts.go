package articles

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// WriteCount is what became of the writes of one kind of source, or what became of one.
type WriteCount struct {
	SourceType    string // empty = none was given
	Outcome       string // a verdict of the gate, or the code of a refusal
	Writes        int
	ContentDrifts int // of the writes: how many said something else than what stands
	TitleDrifts   int
}

const (
	// stripes is how many writers of one outcome can count at once without waiting for each other.
	stripes = 8
	// MaxCountDays is how far back writes are shown (facts §7: statistics are kept 90 days).
	MaxCountDays = 90

	// The last counts before a crash are no loss, and waiting for the disk would cost as much as the write.
	lazySQL       = `set local synchronous_commit = off`
	countWriteSQL = `insert into write_counts as w (tenant_id, day, source_type, outcome, stripe, writes, content_drifts, title_drifts)
values ($1, ($2::timestamptz at time zone 'UTC')::date, $3, $4, $5, $6, $7, $8)
on conflict (tenant_id, day, source_type, outcome, stripe) do update set writes = w.writes + excluded.writes,
	content_drifts = w.content_drifts + excluded.content_drifts, title_drifts = w.title_drifts + excluded.title_drifts`
	writeCountsSQL = `select source_type, outcome, sum(writes)::int, sum(content_drifts)::int, sum(title_drifts)::int from write_counts
where tenant_id = $1 and day > ($2::timestamptz at time zone 'UTC')::date - $3::int group by source_type, outcome order by source_type, outcome`
)

// CountWrite adds to the statistics of today, in a transaction that waits for no disk.
func CountWrite(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, c WriteCount) error {
	if _, err := tx.Exec(ctx, lazySQL); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, countWriteSQL, tenant, tx.Now, c.SourceType, c.Outcome, rand.IntN(stripes), c.Writes, c.ContentDrifts, c.TitleDrifts)
	if err != nil {
		return fmt.Errorf("articles: count the write: %w", err)
	}
	return nil
}

// WriteCounts gives what became of the writes of the last days (UTC), today the last of them. Role orchestrator.
func (r Reader) WriteCounts(ctx context.Context, actor wiki.Actor, days int) (counts []WriteCount, err error) {
	if err := actor.Require(wiki.RoleOrchestrator); err != nil {
		return nil, err
	}
	if days < 1 || days > MaxCountDays {
		return nil, wiki.Invalid("days", "days must be between 1 and %d", MaxCountDays)
	}
	err = r.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, writeCountsSQL, actor.Tenant, tx.Now, days)
		counts, err = some(rows, err, "write counts", pgx.RowToStructByPos[WriteCount])
		return err
	})
	return counts, err
}
