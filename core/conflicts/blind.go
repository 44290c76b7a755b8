package conflicts

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Blind review (case 89): where a tenant has asked for it, nobody is shown what another has said of a pair before having
// judged it, so that a second reading is worth something. A verdict since the newest flag is one's own word. What was applied
// to the articles themselves is plain to see, and shown. The state of a pair is no secret, nor is the audit: that is the
// record of who did what, and no place to judge in.
const shownToSQL = `(not (select t.blind_review from tenants t where t.id = @viewer_tenant) or v.judged_by ->> 'principal' = @me
  or (v.executed_at is not null and v.disposition <> 'dismiss')
  or exists (select from conflict_verdicts o where o.tenant_id = v.tenant_id and o.first_id = v.first_id and o.second_id = v.second_id
    and o.judged_by ->> 'principal' = @me and o.withdrawn_at is null and o.judged_at > (select max(f.flagged_at) from conflict_flags f
      where f.tenant_id = v.tenant_id and f.first_id = v.first_id and f.second_id = v.second_id)))`

const (
	shownOfPairSQL = `select v.id from conflict_verdicts v where v.tenant_id = @viewer_tenant and v.first_id = @first_id and v.second_id = @second_id
  and ` + shownToSQL
	blindSQL = `select blind_review from tenants where id = $1`
)

// shownOf gives the ids of the pair's verdicts that the actor may be shown.
func shownOf(ctx context.Context, tx postgres.Tx, actor wiki.Actor, pair wiki.Pair) (map[uuid.UUID]bool, error) {
	rows, err := tx.Query(ctx, shownOfPairSQL, args(actor, pgx.NamedArgs{"me": actor.Principal(), "first_id": pair.First, "second_id": pair.Second}))
	if err != nil {
		return nil, fmt.Errorf("conflicts: read what may be shown: %w", err)
	}
	shown := map[uuid.UUID]bool{}
	var id uuid.UUID
	if _, err := pgx.ForEachRow(rows, []any{&id}, func() error { shown[id] = true; return nil }); err != nil {
		return nil, fmt.Errorf("conflicts: read what may be shown: %w", err)
	}
	return shown, nil
}

// told is what the event of a verdict says of it: in a blind review not what was decided.
func told(ctx context.Context, tx postgres.Tx, v wiki.Verdict, tenant uuid.UUID, after wiki.ConflictState) (map[string]any, error) {
	var blind bool
	if err := tx.QueryRow(ctx, blindSQL, tenant).Scan(&blind); err != nil {
		return nil, fmt.Errorf("conflicts: ask for blind review: %w", err)
	}
	payload := map[string]any{"verdict": v.ID, "state": after}
	if !blind {
		payload["disposition"] = v.Disposition
	}
	return payload, nil
}
