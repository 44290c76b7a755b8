package record

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// edit is a change to an article: apply gets the locked row and gives its next state.
type edit struct {
	act
	apply func(ctx context.Context, tx postgres.Tx, stored wiki.Article) (wiki.Article, error)
	doc   Embedded // of the text after the change, when the change is to the text
	// finish, when set, has the last word on the columns that a change moves by itself.
	finish func(*wiki.Article)
}

// change runs one edit as one transaction.
func (s Service) change(ctx context.Context, actor wiki.Actor, id uuid.UUID, e edit) (a wiki.Article, err error) {
	err = s.DB.Act(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		var found bool
		if a, found, err = replayed(ctx, tx, actor, e.key, e.name, id); err != nil || found {
			return err
		}
		a, err = s.changeIn(ctx, tx, actor, id, e)
		return err
	})
	return a, err
}

// changeIn runs one edit inside a transaction. An edit that changes nothing leaves no trace.
func (s Service) changeIn(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID, e edit) (wiki.Article, error) {
	before, err := articles.Lock(ctx, tx, actor, id)
	if err != nil {
		return wiki.Article{}, err
	}
	after, err := e.apply(ctx, tx, before)
	if err != nil {
		return wiki.Article{}, err
	}
	fields := wiki.Changed(before, after)
	if len(fields) == 0 {
		return before, nil
	}
	if slices.Contains(fields, "tags") { // every writer converges here; tags that an edit leaves alone may be of older rules
		if err := wiki.CheckTags(after.Tags); err != nil {
			return wiki.Article{}, err
		}
	}
	after = wiki.Edited(before, after, tx.Now)
	if e.finish != nil {
		e.finish(&after)
	}
	after, err = store(ctx, tx, actor, after, e.reason)
	if err != nil {
		return wiki.Article{}, err
	}
	if before.Title != after.Title || before.Body != after.Body {
		if err := s.index(ctx, tx, after, e.doc); err != nil {
			return wiki.Article{}, err
		}
		if s.Follow != nil {
			if err := s.Follow(ctx, tx, actor, before, after); err != nil {
				return wiki.Article{}, err
			}
		}
	}
	detail := map[string]any{"fields": fields, "version": after.Version}
	maps.Copy(detail, e.detail)
	if before.Status != after.Status {
		detail["from"], detail["to"] = before.Status, after.Status
	}
	if e.reason != "" {
		detail["reason"] = e.reason
	}
	return after, note(ctx, tx, actor, after, e.act, detail)
}

// store writes the next state behind a savepoint, so that after a collision the transaction can still tell with what.
func store(ctx context.Context, tx postgres.Tx, actor wiki.Actor, a wiki.Article, reason string) (wiki.Article, error) {
	savepoint, err := tx.Begin(ctx)
	if err != nil {
		return a, err
	}
	stored, err := articles.Update(ctx, postgres.Tx{Tx: savepoint, Now: tx.Now, NewID: tx.NewID}, a, reason, actor.Stamp())
	if err == nil {
		return stored, savepoint.Commit(ctx)
	}
	if !postgres.IsUnique(err, "") {
		return a, err
	}
	if err := savepoint.Rollback(ctx); err != nil {
		return a, err
	}
	_, owner := wiki.VisibilityOf(a.Metadata, a.CreatedBy.Principal)
	stands, lookup := articles.ByTitle(ctx, tx, actor, a.Title, owner)
	switch {
	case lookup == nil && stands.ID != a.ID && (postgres.IsUnique(err, "articles_active_title_idx") || postgres.IsUnique(err, "articles_active_system_title_idx")):
		return a, wiki.TitleConflict(stands.ID)
	case postgres.IsUnique(err, "articles_tenant_slug_idx"), postgres.IsUnique(err, "articles_system_slug_idx"):
		return a, wiki.Invalid("slug", "the slug %s is taken", a.Slug)
	}
	return a, err
}
