package nightly

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// keepClaims is how long a night's claims are kept; agreeing needs those of the last one only.
const keepClaims = 7 * 24 * time.Hour

// The last night is the newest earlier one whose pass looked for copies, if that isn't too long ago: a night that was left
// out confirms nothing, and neither does one that found none.
const lastNightSQL = `select max(p.night) from nightly_passes p join nightly_steps s on s.pass_id = p.id
where p.tenant_id = $1 and p.night < $2 and p.night >= $3 and s.consumer = 'duplicates' and s.started_at is not null and s.gate not in ('broken', 'paused')`

// maxApart is how far apart two nights that agree may be.
const maxApart = 3 * 24 * time.Hour

const (
	forgetClaimsSQL = `delete from nightly_copies where tenant_id = $1 and (night = $2 or night < $3)`
	insertClaimsSQL = `insert into nightly_copies (tenant_id, night, signal, member_id, winner_id, digest)
select $1, $2, * from unnest($3::text[], $4::uuid[], $5::uuid[], $6::text[])`
	claimsSQL = `select n.signal, n.member_id, n.winner_id, n.digest from nightly_copies n where n.tenant_id = $1 and n.night = $2
  and (n.signal, n.member_id) > ($3, $4) order by n.signal, n.member_id limit $5`
)

// confirmed is a claim of tonight, and whether the last night said the same.
type confirmed struct {
	wiki.Claim
	agreed bool
}

// report writes down what tonight takes for copies. A dry run leaves no report.
func (c copies) report(ctx context.Context, b Batch) error {
	if b.DryRun {
		return nil
	}
	found, err := c.find(ctx, b.Actor)
	if err != nil {
		return err
	}
	n := len(found)
	signals, members, winners, digests := make([]string, n), make([]uuid.UUID, n), make([]uuid.UUID, n), make([]string, n)
	for i, f := range found {
		signals[i], members[i], winners[i], digests[i] = string(f.Signal), f.Member, f.Winner, f.Digest
	}
	tenant := b.Actor.Tenant
	return c.DB.Tenant(ctx, tenant, func(ctx context.Context, tx postgres.Tx) error {
		if _, err := tx.Exec(ctx, forgetClaimsSQL, tenant, b.Night, b.Night.Add(-keepClaims)); err != nil {
			return fmt.Errorf("nightly: forget old claims: %w", err)
		}
		if _, err := tx.Exec(ctx, insertClaimsSQL, tenant, b.Night, signals, members, winners, digests); err != nil {
			return fmt.Errorf("nightly: write down the claims: %w", err)
		}
		return nil
	})
}

// claims gives the next of tonight's claims, one more than are to be looked at, so that the caller sees whether there is
// more.
func (c copies) claims(ctx context.Context, b Batch, after wiki.CopyOf) ([]confirmed, error) {
	var tonight []wiki.Claim
	if b.DryRun {
		found, err := c.find(ctx, b.Actor)
		if err != nil {
			return nil, err
		}
		tonight = next(found, after, b.Look+1)
	}
	var list []confirmed
	err := c.DB.TenantRead(ctx, b.Actor.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		if !b.DryRun {
			if tonight, err = readClaims(ctx, tx, b.Actor.Tenant, b.Night, after, b.Look+1); err != nil {
				return err
			}
		}
		last, err := lastClaims(ctx, tx, b.Actor.Tenant, b.Night)
		for _, claim := range tonight {
			list = append(list, confirmed{claim, last[claim]})
		}
		return err
	})
	return list, err
}

// next are the claims after one, in the order in which readClaims gives them.
func next(found []wiki.Claim, after wiki.CopyOf, limit int) []wiki.Claim {
	slices.SortFunc(found, func(a, b wiki.Claim) int { return compareClaims(a.CopyOf, b.CopyOf) })
	found = slices.DeleteFunc(found, func(c wiki.Claim) bool { return compareClaims(c.CopyOf, after) <= 0 })
	return found[:min(len(found), limit)]
}

func compareClaims(a, b wiki.CopyOf) int {
	if a.Signal != b.Signal {
		if a.Signal < b.Signal {
			return -1
		}
		return 1
	}
	return slices.Compare(a.Member[:], b.Member[:])
}

func readClaims(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, night time.Time, after wiki.CopyOf, limit int) ([]wiki.Claim, error) {
	rows, err := tx.Query(ctx, claimsSQL, tenant, night, string(after.Signal), after.Member, limit)
	if err != nil {
		return nil, fmt.Errorf("nightly: read the claims: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c wiki.Claim, err error) {
		return c, row.Scan(&c.Signal, &c.Member, &c.Winner, &c.Digest)
	})
}

// lastClaims are those of the last night.
func lastClaims(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, night time.Time) (map[wiki.Claim]bool, error) {
	var last *time.Time
	err := tx.QueryRow(ctx, lastNightSQL, tenant, night, night.Add(-maxApart)).Scan(&last)
	if errors.Is(err, pgx.ErrNoRows) || (err == nil && last == nil) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("nightly: look for the last night: %w", err)
	}
	const all = 1 << 30
	list, err := readClaims(ctx, tx, tenant, *last, wiki.CopyOf{}, all)
	said := make(map[wiki.Claim]bool, len(list))
	for _, c := range list {
		said[c] = true
	}
	return said, err
}
