package core

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/events"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// AuditLog reads the record of acts.
type AuditLog struct{ db *postgres.DB }

// List gives a tenant's acts, newest first; below role user the caller's own only. Those on articles carry their titles.
func (l AuditLog) List(ctx context.Context, actor wiki.Actor, f audit.Filter) (records []audit.Record, err error) {
	err = l.db.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		if records, err = audit.List(ctx, tx, actor, f); err != nil {
			return err
		}
		return entitle(ctx, tx, actor, records)
	})
	return records, err
}

func entitle(ctx context.Context, tx postgres.Tx, actor wiki.Actor, records []audit.Record) error {
	var subjects []uuid.UUID
	for _, r := range records {
		if r.Subject != nil {
			subjects = append(subjects, *r.Subject)
		}
	}
	titles, err := articles.Titles(ctx, tx, actor, subjects)
	for i, r := range records {
		if r.Subject != nil {
			records[i].Title = titles[*r.Subject]
		}
	}
	return err
}

// EventLog reads what changed in a tenant.
type EventLog struct{ db *postgres.DB }

// Since gives the events after a cursor, oldest first, at most events.MaxBatch.
func (l EventLog) Since(ctx context.Context, actor wiki.Actor, after events.Cursor) (list []events.Event, err error) {
	err = l.db.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		list, err = events.Since(ctx, tx, actor.Tenant, after, events.MaxBatch)
		return err
	})
	return list, err
}

// Check refuses a cursor that no event can have had yet.
func (l EventLog) Check(ctx context.Context, actor wiki.Actor, c events.Cursor) error {
	return l.db.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error { return events.Check(ctx, tx, c) })
}

// Last is where a reader starts that wants only what happens from now on.
func (l EventLog) Last(ctx context.Context, actor wiki.Actor) (c events.Cursor, err error) {
	err = l.db.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		c, err = events.Last(ctx, tx, actor.Tenant)
		return err
	})
	return c, err
}
