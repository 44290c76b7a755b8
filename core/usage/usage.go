// Package usage keeps which articles were read, by whom and how: what heat, importance and analytics are counted from.
package usage

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Kind is how an article was reached. It is derived from the read path, never from what a caller declares (seed,
// invariant 5).
type Kind string

// Kinds. Only Get counts as reading: a search lists what the ranking produced, and to count that would make rank its own cause.
const (
	Get    Kind = "get"    // by id
	Search Kind = "search" // listed by a ranked read
)

// MaxRecorded bounds how many articles of one page are recorded (facts §4.3).
const MaxRecorded = 20

const recordSQL = `insert into access_events (tenant_id, article_id, key_id, principal, kind, detail, at)
	select $1, x.id, $2, $3, $4, jsonb_set($5::jsonb, '{rank}', to_jsonb(x.rank)), $6 from unnest($7::uuid[]) with ordinality as x (id, rank)`

// Record notes that an actor reached articles, in the order of the page, at most MaxRecorded of them. detail is what the
// path adds, may be nil, and never holds a query's text. The actor must be in a tenant.
func Record(ctx context.Context, tx postgres.Tx, actor wiki.Actor, kind Kind, ids []uuid.UUID, detail map[string]any) error {
	if len(ids) == 0 || actor.Tenant == uuid.Nil {
		return nil
	}
	if detail == nil {
		detail = map[string]any{}
	}
	encoded, err := json.Marshal(detail)
	if err != nil {
		return fmt.Errorf("usage: detail: %w", err)
	}
	_, err = tx.Exec(ctx, recordSQL, actor.Tenant, actor.Key, actor.Principal(), string(kind), encoded, tx.Now, ids[:min(len(ids), MaxRecorded)])
	if err != nil {
		return fmt.Errorf("usage: record: %w", err)
	}
	return nil
}
