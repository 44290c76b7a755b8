// Package events is the outbox: what changed, written in the transaction of the change and read by the event stream and
// the webhooks. A reader that resumes at a cursor misses nothing and sees nothing twice.
package events

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// MaxBatch bounds one Since.
const MaxBatch = 1000

// Event is one change.
type Event struct {
	Cursor  Cursor // set by Since
	Tenant  uuid.UUID
	Kind    string // dotted, "conflict.judged"
	Subject uuid.UUID
	Payload map[string]any // ids and states, never a body: every key of the tenant may read the stream
	At      time.Time      // set by Emit
}

// Cursor is a place in the stream. Ids alone would not do: two transactions commit in another order than they drew their
// ids, and a reader that has passed the later id would never see the earlier one. So the stream is ordered by transaction
// number first, and shows a transaction only when every earlier one has ended.
type Cursor struct {
	Transaction uint64
	ID          int64
}

// String is the cursor's form on the wire, as in Last-Event-ID.
func (c Cursor) String() string { return fmt.Sprintf("%d-%d", c.Transaction, c.ID) }

// ParseCursor reads a cursor; an empty one is the beginning. The error is CodeInvalid on "last_event_id".
func ParseCursor(s string) (Cursor, error) {
	if s == "" {
		return Cursor{}, nil
	}
	left, right, ok := strings.Cut(s, "-")
	transaction, err1 := strconv.ParseUint(left, 10, 63)
	id, err2 := strconv.ParseInt(right, 10, 64)
	if !ok || err1 != nil || err2 != nil || id < 0 {
		return Cursor{}, wiki.Invalid("last_event_id", "last_event_id must be the id of an event of this stream")
	}
	return Cursor{Transaction: transaction, ID: id}, nil
}

const emitSQL = `insert into events (tenant_id, kind, subject, payload, at) values ($1, $2, $3, $4, $5)`

// Emit records a change in the change's own transaction.
func Emit(ctx context.Context, tx postgres.Tx, e Event) error {
	payload := e.Payload
	if payload == nil {
		payload = map[string]any{}
	}
	var subject *uuid.UUID
	if e.Subject != uuid.Nil {
		subject = &e.Subject
	}
	if _, err := tx.Exec(ctx, emitSQL, e.Tenant, e.Kind, subject, payload, tx.Now); err != nil {
		return fmt.Errorf("events: emit %s: %w", e.Kind, err)
	}
	return nil
}

const sinceSQL = `select xact::text, id, kind, coalesce(subject, '00000000-0000-0000-0000-000000000000'), payload, at from events
where tenant_id = $1 and (xact, id) > ($2::text::xid8, $3) and xact < pg_snapshot_xmin(pg_current_snapshot())
order by xact, id limit $4`

// Since gives a tenant's events after the cursor, oldest first, at most limit (0 or too many = MaxBatch). An event shows up
// once no older transaction is running any more, in practice within milliseconds of its commit.
func Since(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, after Cursor, limit int) ([]Event, error) {
	if limit <= 0 || limit > MaxBatch {
		limit = MaxBatch
	}
	rows, err := tx.Query(ctx, sinceSQL, tenant, strconv.FormatUint(after.Transaction, 10), after.ID, limit)
	if err != nil {
		return nil, fmt.Errorf("events: read: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Event, error) {
		e := Event{Tenant: tenant}
		var transaction string
		var payload json.RawMessage
		if err := row.Scan(&transaction, &e.Cursor.ID, &e.Kind, &e.Subject, &payload, &e.At); err != nil {
			return e, err
		}
		var err error
		if e.Cursor.Transaction, err = strconv.ParseUint(transaction, 10, 64); err != nil {
			return e, err
		}
		return e, json.Unmarshal(payload, &e.Payload)
	})
	if err != nil {
		return nil, fmt.Errorf("events: read: %w", err)
	}
	return list, nil
}

const begunSQL = `select $1::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())`

// Check refuses a cursor that no event can have had yet: one of another database, or of this one before it was restored
// from a backup. A reader that went on from there would hear nothing until the numbers catch up. The error is CodeInvalid
// on "last_event_id".
func Check(ctx context.Context, tx postgres.Tx, c Cursor) error {
	var begun bool
	if err := tx.QueryRow(ctx, begunSQL, strconv.FormatUint(c.Transaction, 10)).Scan(&begun); err != nil {
		return fmt.Errorf("events: check a cursor: %w", err)
	}
	if begun {
		return nil
	}
	e := wiki.Invalid("last_event_id", "last_event_id lies in the future: it is of another database, or this one was restored from a backup")
	e.Remedy = "read again what is on the screen, and open the stream without last_event_id"
	return e
}

const lastSQL = `select xact::text, id from events where tenant_id = $1 and xact < pg_snapshot_xmin(pg_current_snapshot())
order by xact desc, id desc limit 1`

// Last is the stream's end: a reader that starts there gets what happens from now on.
func Last(ctx context.Context, tx postgres.Tx, tenant uuid.UUID) (Cursor, error) {
	rows, err := tx.Query(ctx, lastSQL, tenant)
	if err != nil {
		return Cursor{}, fmt.Errorf("events: find the end: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Cursor, error) {
		var c Cursor
		var transaction string
		if err := row.Scan(&transaction, &c.ID); err != nil {
			return c, err
		}
		var err error
		c.Transaction, err = strconv.ParseUint(transaction, 10, 64)
		return c, err
	})
	if err != nil || len(found) == 0 {
		return Cursor{}, err
	}
	return found[0], nil
}
