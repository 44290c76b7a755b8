package flags

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
)

// disputedSQL is the second of the two predicates that stay two (SPEC §5): the queue asks whether a pair still needs
// judging, this one whether an article may answer as curated. An assertion never withholds an answer, or an agent could
// retract any article by disputing it; and any verdict that stands releases the pair, even one that nothing will execute.
const disputedSQL = `select x.id from unnest($2::uuid[]) as x (id) where exists (
	select from conflict_flags f join conflict_pairs p using (tenant_id, first_id, second_id)
	where f.tenant_id = $1 and x.id in (f.first_id, f.second_id) and f.system and p.closed = ''
	and not exists (select from conflict_verdicts v where v.tenant_id = $1 and v.first_id = f.first_id and v.second_id = f.second_id
		and v.withdrawn_at is null and v.reverted_at is null))`

// SystemDisputed tells which of the articles are in an open conflict that the system flagged.
func SystemDisputed(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	disputed := map[uuid.UUID]bool{}
	if len(ids) == 0 {
		return disputed, nil
	}
	rows, err := tx.Query(ctx, disputedSQL, tenant, ids)
	if err != nil {
		return nil, fmt.Errorf("flags: look for disputes: %w", err)
	}
	var id uuid.UUID
	if _, err := pgx.ForEachRow(rows, []any{&id}, func() error { disputed[id] = true; return nil }); err != nil {
		return nil, fmt.Errorf("flags: look for disputes: %w", err)
	}
	return disputed, nil
}
