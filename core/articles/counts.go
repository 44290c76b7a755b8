package articles

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

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

// WriteDay is what became of the writes of one day. A day without any has one, of no outcome.
type WriteDay struct {
	Day           time.Time // UTC
	Outcome       string
	Writes        int
	ContentDrifts int
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
	writeDaysSQL = `select d.day, coalesce(w.outcome, ''), coalesce(sum(w.writes), 0)::int, coalesce(sum(w.content_drifts), 0)::int, coalesce(sum(w.title_drifts), 0)::int
from (select ($2::timestamptz at time zone 'UTC')::date - n as day from generate_series(0, $3::int - 1) n) d
left join write_counts w on w.tenant_id = $1 and w.day = d.day group by 1, 2 order by 1, 2`
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

// WriteCounts gives what became of the writes of the last days (UTC), today the last of them: by source, and by day. Role
// orchestrator.
func (r Reader) WriteCounts(ctx context.Context, actor wiki.Actor, days int) (counts []WriteCount, byDay []WriteDay, err error) {
	if err := actor.Require(wiki.RoleOrchestrator); err != nil {
		return nil, nil, err
	}
	if days < 1 || days > MaxCountDays {
		return nil, nil, wiki.Invalid("days", "days must be between 1 and %d", MaxCountDays)
	}
	err = r.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, writeCountsSQL, actor.Tenant, tx.Now, days)
		if counts, err = some(rows, err, "write counts", pgx.RowToStructByPos[WriteCount]); err != nil {
			return err
		}
		rows, err = tx.Query(ctx, writeDaysSQL, actor.Tenant, tx.Now, days)
		byDay, err = some(rows, err, "writes by day", pgx.RowToStructByPos[WriteDay])
		return err
	})
	return counts, byDay, err
}
