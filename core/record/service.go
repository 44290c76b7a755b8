// Package record is the one write door: every change to an article goes through it, so that in one transaction the row,
// the version it had, the vectors, the keyword row, the audit entry and the event stand together or not at all. No other
// room changes an article.
package record

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/embedding"
	"wiki/core/events"
	"wiki/core/keyword"
	"wiki/core/postgres"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

// Service changes articles. Its exported methods that take no transaction are one transaction each; actKey is the
// caller's idempotency key for the act, empty for none: a repeated act is not done again, and is answered with the
// article as it stands.
type Service struct {
	DB       *postgres.DB
	Embedder embedding.Embedder // bounded in time by its guard
	Vectors  vectors.Store
	Keyword  keyword.Store
	// Follow, when set, is told in the change's transaction that an article has a new title or body, already indexed: what
	// other rooms derived from the old one is theirs to bring up to date. An error undoes the change.
	Follow func(ctx context.Context, tx postgres.Tx, actor wiki.Actor, before, after wiki.Article) error
}

// done is what the audit keeps of an act, to answer a repeat of it.
type done struct {
	Article uuid.UUID `json:"article_id"`
	Version int       `json:"version"`
}

// replayed answers a repeated act: found tells whether the actor did it before under this key.
func replayed(ctx context.Context, tx postgres.Tx, actor wiki.Actor, actKey, act string, id uuid.UUID) (a wiki.Article, found bool, err error) {
	raw, found, err := audit.Replay(ctx, tx, actor, actKey, act, id)
	if err != nil || !found {
		return a, false, err
	}
	var result done
	if err := json.Unmarshal(raw, &result); err != nil {
		return a, false, fmt.Errorf("record: read the result of %s: %w", act, err)
	}
	a, err = articles.Get(ctx, tx, actor, result.Article)
	return a, true, err
}

// note writes the act's audit entry and its event.
func note(ctx context.Context, tx postgres.Tx, actor wiki.Actor, a wiki.Article, act act, detail map[string]any) error {
	err := audit.Write(ctx, tx, actor, audit.Entry{
		Act: act.name, Subject: a.ID, Detail: detail, ActKey: act.key, Result: done{Article: a.ID, Version: a.Version},
	})
	if err != nil {
		return err
	}
	if a.Scope == wiki.ScopeSystem {
		return nil // a stream is a tenant's, and this is of all of them
	}
	payload := map[string]any{"version": a.Version, "status": a.Status}
	if visibility, _ := wiki.VisibilityOf(a.Metadata, a.CreatedBy.Principal); visibility == wiki.VisibilityPrivate {
		payload["private"] = true // the stream shows these to users and above only
	}
	return events.Emit(ctx, tx, events.Event{Tenant: a.Tenant, Kind: act.event, Subject: a.ID, Payload: payload})
}

// act names what is being done.
type act struct {
	name   string         // in the audit
	event  string         // in the event stream
	key    string         // the caller's idempotency key
	reason string         // kept in the history
	detail map[string]any // for the audit, beside what changed
}

// index keeps vectors and keyword row in step with an article's text. Without a document the vectors of an earlier text go,
// since they would find the article by what it no longer says; the article then waits for its vector unless its text has
// no words to make one of.
func (s Service) index(ctx context.Context, tx postgres.Tx, a wiki.Article, doc Embedded) error {
	if err := s.Keyword.Put(ctx, tx, a.ID, a.Tenant, a.Title, a.Body); err != nil {
		return err
	}
	if doc.Document != nil && doc.Hash == a.ContentHash {
		return s.Vectors.Put(ctx, tx, a.ID, a.Tenant, s.Embedder.Model().ID, a.ContentHash, *doc.Document)
	}
	if err := s.Vectors.Drop(ctx, tx, a.ID, a.Tenant); err != nil {
		return err
	}
	if doc.Wordless && doc.Hash == a.ContentHash {
		return nil
	}
	return s.Vectors.MarkPending(ctx, tx, a.ID, a.Tenant)
}
