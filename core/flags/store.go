// Package flags keeps what is said about pairs of articles in conflict: flags, verdicts, and the row that the queue reads.
// It holds the rows only; who may judge and what a verdict does is core/conflicts'.
package flags

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/events"
	"wiki/core/postgres"
	"wiki/core/usage"
	"wiki/core/wiki"
)

// VerdictColumns are what ScanVerdict reads, of conflict_verdicts as v.
const VerdictColumns = `v.id, v.first_id, v.second_id, v.authoritative_id, v.classification, v.disposition, v.confidence, v.requested_confidence,
       v.evidence, v.judged_by, v.judged_at, v.executed_at, v.executed_by, v.withdrawn_at, v.reverted_at, v.refused_at, v.replaced_by, v.result`

const (
	lockSQL  = `select closed from conflict_pairs where tenant_id = $1 and first_id = $2 and second_id = $3 for update`
	readSQL  = `select closed from conflict_pairs where tenant_id = $1 and first_id = $2 and second_id = $3`
	flagsSQL = `select id, first_id, second_id, system, similarity, differing, evidence, flagged_by, flagged_at, again, lapsed, lapsed_at from conflict_flags
where tenant_id = $1 and first_id = $2 and second_id = $3 order by flagged_at, id`
	verdictsSQL = `select ` + VerdictColumns + ` from conflict_verdicts v
where v.tenant_id = $1 and v.first_id = $2 and v.second_id = $3 order by v.judged_at desc, v.id desc`
)

var saveSQL = `insert into conflict_pairs (tenant_id, first_id, second_id, state, closed, flag_id, system, similarity, flagged_by, flagged_at, verdict_id, impact)
values ($1, $2, $3, $4, conflict_closed($2, $3), $5, $6, $7, $8, $9, $10, conflict_impact($1, $2, $3, $7, $9, $11))
on conflict (tenant_id, first_id, second_id) do update set state = excluded.state, closed = excluded.closed, flag_id = excluded.flag_id,
  system = excluded.system, similarity = excluded.similarity, flagged_by = excluded.flagged_by, flagged_at = excluded.flagged_at,
  verdict_id = excluded.verdict_id, impact = excluded.impact`

// Lock reads all that was said about a pair and holds it until the transaction ends. A pair that was never flagged is
// CodeNotFound.
func Lock(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, pair wiki.Pair) (wiki.Conflict, error) {
	return load(ctx, tx, tenant, pair, lockSQL)
}

// Read is Lock without holding the pair: for a transaction that only reads.
func Read(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, pair wiki.Pair) (wiki.Conflict, error) {
	return load(ctx, tx, tenant, pair, readSQL)
}

func load(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, pair wiki.Pair, rowSQL string) (wiki.Conflict, error) {
	c := wiki.Conflict{Pair: pair}
	err := tx.QueryRow(ctx, rowSQL, tenant, pair.First, pair.Second).Scan(&c.Closed)
	if errors.Is(err, pgx.ErrNoRows) {
		return c, wiki.NotFound()
	}
	if err != nil {
		return c, fmt.Errorf("flags: read the pair: %w", err)
	}
	return c, fill(ctx, tx, tenant, &c)
}

func fill(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, c *wiki.Conflict) error {
	rows, err := tx.Query(ctx, flagsSQL, tenant, c.Pair.First, c.Pair.Second)
	if err != nil {
		return fmt.Errorf("flags: read: %w", err)
	}
	if c.Flags, err = pgx.CollectRows(rows, pgx.RowToStructByPos[wiki.Flag]); err != nil {
		return fmt.Errorf("flags: read: %w", err)
	}
	if rows, err = tx.Query(ctx, verdictsSQL, tenant, c.Pair.First, c.Pair.Second); err != nil {
		return fmt.Errorf("flags: read verdicts: %w", err)
	}
	if c.Verdicts, err = pgx.CollectRows(rows, ScanVerdict); err != nil {
		return fmt.Errorf("flags: read verdicts: %w", err)
	}
	return nil
}

// ScanVerdict reads a row of VerdictColumns.
func ScanVerdict(row pgx.CollectableRow) (wiki.Verdict, error) {
	return pgx.RowToStructByPos[wiki.Verdict](row)
}

// HeatWindow is how far back a pair's readers count. The queue's order by impact, heat x similarity x age (SPEC §5), is the
// database's conflict_impact, which counts readers by the list of core/usage and by this window; a test holds them together.
const HeatWindow = usage.WindowDays * 24 * time.Hour

// Save brings the queue's row of the pair up to date; call it after every change of the pair's flags or verdicts.
func Save(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, pair wiki.Pair) (wiki.Conflict, error) {
	c := wiki.Conflict{Pair: pair}
	if err := fill(ctx, tx, tenant, &c); err != nil {
		return c, err
	}
	flag := c.Flag()
	var verdict *uuid.UUID
	if v := c.Shown(); v != nil {
		verdict = &v.ID
	}
	_, err := tx.Exec(ctx, saveSQL, tenant, pair.First, pair.Second, string(c.State()), flag.ID, flag.System, flag.Similarity,
		flag.By.Principal, flag.FlaggedAt, verdict, tx.Now)
	if err != nil {
		return c, fmt.Errorf("flags: save the pair: %w", err)
	}
	return c, nil
}

const privateSQL = `select exists (select from articles where tenant_id = $1 and id in ($2, $3) and visibility = 'private')`

// Emit tells the event stream what became of a pair. The payload gets the pair's id, and says so when an article of it is
// private: the stream then shows the event to users and above only.
func Emit(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, kind string, pair wiki.Pair, payload map[string]any) error {
	all := map[string]any{"conflict": pair.String()}
	maps.Copy(all, payload)
	var private bool
	if err := tx.QueryRow(ctx, privateSQL, tenant, pair.First, pair.Second).Scan(&private); err != nil {
		return fmt.Errorf("flags: read the visibility: %w", err)
	}
	if private {
		all["private"] = true
	}
	return events.Emit(ctx, tx, events.Event{Tenant: tenant, Kind: kind, Subject: pair.First, Payload: all})
}
