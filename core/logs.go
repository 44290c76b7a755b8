package core

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/embedding"
	"wiki/core/events"
	"wiki/core/postgres"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

// MeaningIndex tells how far the articles are indexed by their meaning.
type MeaningIndex struct {
	db    *postgres.DB
	model embedding.Model
}

// Coverage measures what the actor may see, under the model that is configured.
func (x MeaningIndex) Coverage(ctx context.Context, actor wiki.Actor) (c vectors.Coverage, err error) {
	err = x.db.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		c, err = vectors.Store{}.Coverage(ctx, tx, actor, x.model.ID)
		return err
	})
	return c, err
}

// AuditLog reads the record of acts.
type AuditLog struct{ db *postgres.DB }

// List gives the acts of the actor's scope, newest first; below role user the caller's own only. Those on articles, conflicts and links carry the
// titles.
func (l AuditLog) List(ctx context.Context, actor wiki.Actor, f audit.Filter) (records []audit.Record, err error) {
	err = l.db.ActRead(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		if records, err = audit.List(ctx, tx, actor, f); err != nil {
			return err
		}
		return entitle(ctx, tx, actor, records)
	})
	return records, err
}

// entitle names what the acts were about: an article, or the two of a conflict or a link. What the actor may not see, or only
// one of two, stays without a name.
func entitle(ctx context.Context, tx postgres.Tx, actor wiki.Actor, records []audit.Record) error {
	var named []uuid.UUID
	for _, r := range records {
		named = append(named, about(r)...)
	}
	titles, err := articles.Titles(ctx, tx, actor, named)
	if err != nil {
		return err
	}
	for i, r := range records {
		var words []string
		ids := about(r)
		for _, id := range ids {
			if title, seen := titles[id]; seen {
				words = append(words, title)
			}
		}
		if len(words) == len(ids) {
			records[i].Title = strings.Join(words, " / ")
		}
	}
	return nil
}

// about gives the articles that an act was about: the two of a conflict or a link by what its detail says, else its subject.
func about(r audit.Record) []uuid.UUID {
	text := func(name string) string {
		s, _ := r.Detail[name].(string)
		return s
	}
	if pair, err := wiki.ParsePair(text("conflict")); err == nil {
		return pair.IDs()
	}
	source, err := uuid.Parse(text("source"))
	target, targetErr := uuid.Parse(text("target"))
	switch {
	case err == nil && targetErr == nil:
		return []uuid.UUID{source, target}
	case r.Subject != nil:
		return []uuid.UUID{*r.Subject}
	}
	return nil
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
