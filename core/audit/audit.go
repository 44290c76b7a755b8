// Package audit keeps the append-only record of every act, written in the act's own transaction: an act without its entry
// cannot be committed, nor an entry without its act. It also remembers acts by the caller's idempotency key, so that a
// repeated request is answered with the first one's result.
package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// MaxActKeyBytes bounds an idempotency key.
const MaxActKeyBytes = 255

// Entry is one act to record. Who acted and when come from the actor and the transaction.
type Entry struct {
	Act     string         // dotted, "article.update"
	Subject uuid.UUID      // what was acted on; zero when the act has no single subject
	Detail  map[string]any // small facts: never a body, never a key
	ActKey  string         // the caller's idempotency key; empty = the act is not replayable
	Result  any            // what Replay answers for ActKey, as JSON; ignored without one
}

const insertSQL = `insert into audit_log (tenant_id, principal, key_id, role, lineage, act, subject, detail, act_key, request_digest, result, at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

// Write records an act. An act with an ActKey has to have called Replay first in the same transaction: that is what makes
// two requests with one key take turns.
func Write(ctx context.Context, tx postgres.Tx, actor wiki.Actor, e Entry) error {
	detail := e.Detail
	if detail == nil {
		detail = map[string]any{}
	}
	lineage := actor.Lineage
	if lineage == nil {
		lineage = []uuid.UUID{}
	}
	var asked, result []byte
	if e.ActKey != "" {
		var err error
		asked = digestOf(ctx)
		if result, err = json.Marshal(e.Result); err != nil {
			return fmt.Errorf("audit: encode the result of %s: %w", e.Act, err)
		}
	}
	_, err := tx.Exec(ctx, insertSQL, idOrNull(actor.Tenant), actor.Principal(), actor.Key, actor.Role.String(), lineage,
		e.Act, idOrNull(e.Subject), detail, textOrNull(e.ActKey), asked, result, tx.Now)
	if err != nil {
		return fmt.Errorf("audit: record %s: %w", e.Act, err)
	}
	return nil
}

// Two requests with one key take turns: the second waits for the first one's commit and then finds its entry.
const replayLockSQL = `select pg_advisory_xact_lock(hashtextextended('act:' || coalesce($1::uuid::text, '') || ':' || $2 || ':' || $3, 0))`

const replaySQL = `select act, subject, request_digest, result from audit_log where tenant_id is not distinct from $1 and principal = $2 and act_key = $3`

// Replay looks for the act that the actor's principal did under this idempotency key, and gives its result. Not found, it
// holds the key until the transaction ends. A key used for another act, on another subject, or by another request (see
// WithRequest) is CodeKeyReused; pass a zero subject for an act that makes its own. An empty key is never found.
func Replay(ctx context.Context, tx postgres.Tx, actor wiki.Actor, actKey, act string, subject uuid.UUID) (json.RawMessage, bool, error) {
	if actKey == "" {
		return nil, false, nil
	}
	if len(actKey) > MaxActKeyBytes {
		return nil, false, wiki.Invalid("idempotency_key", "an idempotency key has at most %d bytes", MaxActKeyBytes)
	}
	who := actor.Principal()
	if _, err := tx.Exec(ctx, replayLockSQL, idOrNull(actor.Tenant), who, actKey); err != nil {
		return nil, false, fmt.Errorf("audit: hold the act's key: %w", err)
	}
	var (
		stored string
		on     *uuid.UUID
		asked  []byte
		result json.RawMessage
	)
	err := tx.QueryRow(ctx, replaySQL, idOrNull(actor.Tenant), who, actKey).Scan(&stored, &on, &asked, &result)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("audit: look for the act's key: %w", err)
	}
	if stored != act || (subject != uuid.Nil && (on == nil || *on != subject)) || another(asked, digestOf(ctx)) {
		return nil, false, Reused(stored)
	}
	return result, true, nil
}

// Reused is the answer to an idempotency key that was spent on another act, on another subject or by another request.
func Reused(act string) error {
	e := wiki.Errorf(wiki.CodeKeyReused, "this idempotency key was used for another request (%s)", act)
	e.Remedy = "send a new key with a new request"
	return e
}

func idOrNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
