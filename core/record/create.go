package record

import (
	"context"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// CreateOptions say how an article comes to be.
type CreateOptions struct {
	Detail map[string]any // for the audit: what decided about it, such as the gate's verdict
}

// slugTries bounds how often a derived slug that is taken is derived anew: its 24 random bits collide once in millions.
const slugTries = 4

// Create stores a new article inside the caller's transaction. The caller sets what a writer may set, Status and
// StagedDraftAt; the rest is filled in here. Errors: CodeInvalid on the field at fault; CodeTitleConflict and
// CodeKeyReused when another article stands under the title or the idempotency key: it is committed, and the caller can
// read it in this transaction; CodeDeleted for a late copy of what was deleted for good.
func (s Service) Create(ctx context.Context, tx postgres.Tx, actor wiki.Actor, a wiki.Article, doc Embedded, opts CreateOptions) (wiki.Article, error) {
	a, err := wiki.CleanArticle(a)
	if err != nil {
		return a, err
	}
	if err := articles.CheckProject(ctx, tx, actor.Tenant, a.Project); err != nil {
		return a, err
	}
	if a.Metadata == nil {
		a.Metadata = map[string]any{}
	}
	a.ID, a.Tenant, a.Scope, a.Version, a.CreatedBy = tx.NewID(), actor.Tenant, actor.Scope(), 1, actor.Stamp()
	a.ContentHash = wiki.ContentHash(a.Title, a.Body)
	a.InsertedAt, a.UpdatedAt, a.ContentChangedAt = tx.Now, tx.Now, tx.Now
	_, owner := wiki.VisibilityOf(a.Metadata, a.CreatedBy.Principal)
	if err := wiki.CheckOwner(actor, owner); err != nil {
		return a, err
	}
	if a, err = insert(ctx, tx, actor, a, owner); err != nil {
		return a, err
	}
	if err := stayDead(ctx, tx, actor, a, owner); err != nil {
		return a, err
	}
	if err := s.index(ctx, tx, a, doc); err != nil {
		return a, err
	}
	return a, note(ctx, tx, actor, a, act{name: "article.create", event: "article.created"}, opts.Detail)
}

func insert(ctx context.Context, tx postgres.Tx, actor wiki.Actor, a wiki.Article, owner string) (wiki.Article, error) {
	derive := a.Slug == ""
	for range slugTries {
		if derive {
			a.Slug = wiki.MakeSlug(a.Title, tx.NewID())
		}
		if inserted, err := articles.Insert(ctx, tx, a); err != nil || inserted {
			return a, err
		}
		if err := whatStands(ctx, tx, actor, a, owner); err != nil {
			return a, err
		}
		if !derive {
			break
		}
	}
	return a, wiki.Invalid("slug", "the slug %s is taken", a.Slug)
}

// whatStands says which article was in the way of an insert; nil when it can only have been the slug.
func whatStands(ctx context.Context, tx postgres.Tx, actor wiki.Actor, a wiki.Article, owner string) error {
	stands, err := articles.ByTitle(ctx, tx, actor, a.Title, owner)
	if err == nil {
		return wiki.TitleConflict(stands.ID)
	}
	if wiki.ErrorCode(err) != wiki.CodeNotFound || a.IdempotencyKey == "" {
		return ignoreNotFound(err)
	}
	if stands, err = articles.ByIdempotencyKey(ctx, tx, actor, a.IdempotencyKey, owner); err != nil {
		return ignoreNotFound(err)
	}
	e := wiki.Errorf(wiki.CodeKeyReused, "another article was made under this idempotency key")
	e.Details = map[string]any{"existing_article_id": stands.ID}
	return e
}

func ignoreNotFound(err error) error {
	if wiki.ErrorCode(err) == wiki.CodeNotFound {
		return nil
	}
	return err
}
