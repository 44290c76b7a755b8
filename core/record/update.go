package record

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Patch changes an article; a nil field stays.
type Patch struct {
	Title    *string
	Body     *string
	Category *wiki.Category
	Status   *wiki.Status
	Slug     *string
	Tags     *[]string
	Metadata json.RawMessage // replaces the whole map; null, like nil, leaves it alone
	Project  *uuid.UUID
	Reason   string // kept in the history
}

// Update changes an article in place, keeping its id. ifMatch is the version that the writer read, 0 for any: another one
// is CodeVersionMismatch and changes nothing. Other errors: CodeInvalid on the field at fault, CodeReservedTag,
// CodeTitleConflict, CodeTransition, CodeForbidden, CodeNotFound, CodeSystemScope.
func (s Service) Update(ctx context.Context, actor wiki.Actor, id uuid.UUID, ifMatch int, p Patch, actKey string) (wiki.Article, error) {
	reason, err := wiki.CleanReason(p.Reason, false)
	if err != nil {
		return wiki.Article{}, err
	}
	apply := func(ctx context.Context, tx postgres.Tx, stored wiki.Article) (wiki.Article, error) {
		if ifMatch != 0 && ifMatch != stored.Version {
			return stored, versionMismatch(stored.Version)
		}
		if err := articles.CheckProject(ctx, tx, actor.Tenant, p.Project); err != nil {
			return stored, err
		}
		return p.apply(actor, stored)
	}
	return s.change(ctx, actor, id, edit{
		act:   act{name: "article.update", event: "article.updated", key: actKey, reason: reason},
		apply: apply,
		doc:   s.embedAhead(ctx, actor, id, apply),
	})
}

// versionMismatch tells a writer that the article moved on.
func versionMismatch(standing int) error {
	e := wiki.Errorf(wiki.CodeVersionMismatch, "the article is at version %d now", standing)
	e.Field, e.Remedy = "If-Match", "read it again, then repeat the change on the new version"
	e.Details = map[string]any{"version": standing}
	return e
}

// apply gives the article with the patch's fields in the form in which they are stored. A field that the patch leaves alone
// is not looked at: the rules may have become stricter since it was written.
func (p Patch) apply(actor wiki.Actor, stored wiki.Article) (wiki.Article, error) {
	a := stored
	for _, err := range []error{
		assign(&a.Title, p.Title, wiki.CleanTitle),
		assign(&a.Body, p.Body, wiki.CleanBody),
		assign(&a.Category, p.Category, func(c wiki.Category) (wiki.Category, error) { return c, wiki.CheckCategory(c) }),
		assign(&a.Slug, p.Slug, func(slug string) (string, error) { return slug, wiki.CheckSlug(slug) }),
		assign(&a.Tags, p.Tags, wiki.CleanTags),
		assign(&a.Status, p.Status, func(to wiki.Status) (wiki.Status, error) { return moved(actor, stored.Status, to) }),
	} {
		if err != nil {
			return stored, err
		}
	}
	if p.Project != nil {
		a.Project = p.Project
	}
	if p.Metadata == nil || string(p.Metadata) == "null" {
		return a, nil
	}
	var err error
	if a.Metadata, err = wiki.CleanMetadata(p.Metadata); err != nil {
		return stored, err
	}
	return a, mayHide(actor, stored, a)
}

func assign[T any](field, value *T, clean func(T) (T, error)) error {
	if value == nil {
		return nil
	}
	cleaned, err := clean(*value)
	*field = cleaned
	return err
}

func moved(actor wiki.Actor, from, to wiki.Status) (wiki.Status, error) {
	to, err := wiki.ParseStatus(string(to))
	if err != nil || to == from {
		return to, err
	}
	return to, wiki.CheckTransition(actor, from, to, true)
}

// mayHide refuses to take an article away from everybody else by making it private: its creator may, and a user.
func mayHide(actor wiki.Actor, stored, a wiki.Article) error {
	_, before := wiki.VisibilityOf(stored.Metadata, stored.CreatedBy.Principal)
	_, owner := wiki.VisibilityOf(a.Metadata, a.CreatedBy.Principal)
	if before == "" && owner != "" && actor.Role < wiki.RoleUser && stored.CreatedBy.Principal != actor.Principal() {
		e := wiki.Errorf(wiki.CodeForbidden, "only its creator or a user makes a shared article private")
		e.Remedy = "suppress it, if it should not be found; that can be undone"
		return e
	}
	return wiki.CheckOwner(actor, owner)
}

// embedAhead makes the vector of the text that a change will leave, before the change's transaction. What stands in the way
// of the change is for that transaction to say: it may be a repeat of one that was done.
func (s Service) embedAhead(ctx context.Context, actor wiki.Actor, id uuid.UUID, apply func(context.Context, postgres.Tx, wiki.Article) (wiki.Article, error)) Embedded {
	var after wiki.Article
	changes := false
	err := s.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		before, err := articles.Get(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		after, err = apply(ctx, tx, before)
		changes = before.Title != after.Title || before.Body != after.Body
		return err
	})
	if err != nil || !changes {
		return Embedded{}
	}
	made, err := Embed(ctx, s.Embedder, after.Title, after.Body)
	if err != nil {
		slog.DebugContext(ctx, "saved without a vector for now", "article", id, "reason", err)
	}
	return made
}
