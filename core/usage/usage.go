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

// Kinds. Which of them count as reading is said in counted, and nowhere else.
const (
	Get        Kind = kindGet      // by its id, which the caller had from elsewhere
	Search     Kind = "search"     // listed by a ranked read
	Context    Kind = "context"    // delivered with its body by a ranked read
	Drill      Kind = "drill"      // opened from the progressive index or the heat index
	Referenced Kind = "referenced" // a client says that it used what it was shown
)

const kindGet = "get"

// MaxRecorded bounds how many articles of one page are recorded (facts §4.3).
const MaxRecorded = 20

const recordSQL = `insert into access_events (tenant_id, article_id, key_id, principal, reader, kind, detail, at)
	select $1, x.id, $2, $3, $4, $5, jsonb_set($6::jsonb, '{rank}', to_jsonb(x.rank)), $7 from unnest($8::uuid[]) with ordinality as x (id, rank)`

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
	_, err = tx.Exec(ctx, recordSQL, actor.Tenant, actor.Key, actor.Principal(), actor.Reader(), string(kind), encoded, tx.Now,
		ids[:min(len(ids), MaxRecorded)])
	if err != nil {
		return fmt.Errorf("usage: record: %w", err)
	}
	return nil
}
