package record

import (
	"context"
	"maps"
	"time"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/events"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Why says what a set-based act is part of.
type Why struct {
	Reason string         // kept in the history, cleaned already
	Detail map[string]any // for the audit: the proposal, and who minted it
}

// Bulk does one article's part of a set-based act inside the caller's transaction: the row, its history, indexes, audit and
// event together, as the act on that one article would. What the act leaves alone (wiki.BulkAct.SkipReason) is the caller's
// to skip. A coded error has changed nothing, and the transaction stays usable; any other ends it.
func (s Service) Bulk(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID, act wiki.BulkAct, why Why) error {
	if act.Hard {
		return s.purge(ctx, tx, actor, id, why)
	}
	e, ok := bulkEdits[act.Op]
	if !ok {
		return wiki.Invalid("op", "the op %q is not known", act.Op)
	}
	e.reason, e.detail = why.Reason, why.Detail
	to := bulkTargets[act.Op]
	e.apply = func(_ context.Context, _ postgres.Tx, stored wiki.Article) (wiki.Article, error) {
		var err error
		if act.Op == wiki.OpRetag {
			stored.Tags, err = wiki.CleanTags(act.Retagged(stored.Tags))
			return stored, err
		}
		err = wiki.CheckTransition(actor, stored.Status, to, false)
		stored.Status = to
		return stored, err
	}
	_, err := s.changeIn(ctx, tx, actor, id, e)
	return err
}

// bulkEdits name the acts as those on single articles are named.
var bulkEdits = map[wiki.Op]edit{
	wiki.OpArchive:   {act: act{name: "article.archive", event: "article.archived"}},
	wiki.OpDelete:    {act: act{name: "article.delete", event: "article.archived"}},
	wiki.OpPublish:   {act: act{name: "article.publish", event: "article.published"}},
	wiki.OpUnpublish: {act: act{name: "article.unpublish", event: "article.unpublished"}},
	wiki.OpRetag:     {act: act{name: "article.retag", event: "article.updated"}},
}

var bulkTargets = map[wiki.Op]wiki.Status{
	wiki.OpArchive: wiki.StatusArchived, wiki.OpDelete: wiki.StatusArchived, wiki.OpPublish: wiki.StatusPublished, wiki.OpUnpublish: wiki.StatusDraft,
}

// purge deletes an article for good: its text, versions, vectors, keyword row, links, flags and drift go in this
// transaction; a tombstone and the audit entry stay, which hold nothing of what it said (cases 41 and 44).
func (s Service) purge(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID, why Why) error {
	if err := actor.Require(wiki.RoleUser); err != nil {
		return err
	}
	a, err := articles.Lock(ctx, tx, actor, id)
	if err != nil {
		return err
	}
	if err := articles.Bury(ctx, tx, a, actor.Stamp(), why.Reason); err != nil {
		return err
	}
	detail := map[string]any{"reason": why.Reason, "versions": a.Version, "from": a.Status}
	maps.Copy(detail, why.Detail)
	if err := audit.Write(ctx, tx, actor, audit.Entry{Act: "article.purge", Subject: id, Detail: detail}); err != nil {
		return err
	}
	payload := map[string]any{"version": a.Version, "status": "deleted"}
	if visibility, _ := wiki.VisibilityOf(a.Metadata, a.CreatedBy.Principal); visibility == wiki.VisibilityPrivate {
		payload["private"] = true
	}
	return events.Emit(ctx, tx, events.Event{Tenant: a.Tenant, Kind: "article.deleted", Subject: id, Payload: payload})
}

// stayDead refuses a late copy of what was deleted for good: the deletion wins (case 43). A replay of the same capture is
// known by its idempotency key, whoever sends it and whatever it says by now; the very text under no key, or under another,
// is refused to all but a user, who may mean it. It is asked after the insert: a deletion that the insert had to wait for is
// seen.
func stayDead(ctx context.Context, tx postgres.Tx, actor wiki.Actor, a wiki.Article, owner string) error {
	t, err := articles.Buried(ctx, tx, a.Tenant, owner, a.IdempotencyKey, a.ContentHash)
	if err != nil || t == nil || (!t.ByKey && actor.Role >= wiki.RoleUser) {
		return err
	}
	e := wiki.Errorf(wiki.CodeDeleted, "what this is a copy of was deleted for good by %s on %s", t.DeletedBy, t.DeletedAt.Format(time.DateOnly))
	e.Remedy = "do not send it again; if it is meant to come back, a user can write it anew"
	if t.ByKey {
		e.Field, e.Remedy = "idempotency_key", "do not send this capture again; if it is meant to come back, a user can write it without its key"
	}
	e.Details = map[string]any{"deleted_article_id": t.Article}
	return e
}
