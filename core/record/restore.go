package record

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Restore makes the text of an earlier version the newest one: title, body, category and tags. History is added to, never
// rewritten, and the status stays as it is: that has its own verbs. CodeNotFound for a version that does not exist.
func (s Service) Restore(ctx context.Context, actor wiki.Actor, id uuid.UUID, number int, reason, actKey string) (wiki.Article, error) {
	reason, err := wiki.CleanReason(reason, false)
	if err != nil {
		return wiki.Article{}, err
	}
	if reason == "" {
		reason = fmt.Sprintf("restored version %d", number)
	}
	apply := func(ctx context.Context, tx postgres.Tx, stored wiki.Article) (wiki.Article, error) {
		v, err := articles.VersionOf(ctx, tx, actor, id, number)
		if err != nil {
			return stored, err
		}
		stored.Title, stored.Body, stored.Category, stored.Tags = v.Title, v.Body, v.Category, v.Tags
		return stored, nil
	}
	return s.change(ctx, actor, id, edit{
		act:   act{name: "article.restore", event: "article.updated", key: actKey, reason: reason},
		apply: apply,
		doc:   s.embedAhead(ctx, actor, id, apply),
	})
}

// AdoptDrift makes the text of a drifted submission the article's next version, and closes the event. CodeTransition when
// it is closed already; CodeInvalid when the submission had no text to adopt.
func (s Service) AdoptDrift(ctx context.Context, actor wiki.Actor, drift uuid.UUID, actKey string) (wiki.Article, error) {
	d, err := s.readDrift(ctx, actor, drift)
	if err != nil {
		return wiki.Article{}, err
	}
	patch := Patch{}
	if d.ContentDrift {
		if d.Body == nil {
			return wiki.Article{}, wiki.Invalid("body", "the submission had no text to adopt")
		}
		patch.Body = d.Body
	}
	if d.TitleDrift && d.Title != "" { // a title that was no text is none to adopt
		patch.Title = &d.Title
	}
	if patch.Body == nil && patch.Title == nil {
		return wiki.Article{}, wiki.Invalid("title", "the submission had no title to adopt")
	}
	apply := func(ctx context.Context, tx postgres.Tx, stored wiki.Article) (wiki.Article, error) {
		if err := s.settle(ctx, tx, actor, drift, articles.DriftAdopted); err != nil {
			return stored, err
		}
		return patch.apply(actor, stored)
	}
	return s.change(ctx, actor, d.Article.ID, edit{
		act:   act{name: "drift.adopt", event: "article.updated", key: actKey, reason: "adopted what " + d.SubmittedBy.Principal + " submitted"},
		apply: apply,
		doc: s.embedAhead(ctx, actor, d.Article.ID, func(_ context.Context, _ postgres.Tx, stored wiki.Article) (wiki.Article, error) {
			return patch.apply(actor, stored)
		}),
	})
}

// DismissDrift closes a drift event and leaves the article as it is. CodeTransition when it is closed already.
func (s Service) DismissDrift(ctx context.Context, actor wiki.Actor, drift uuid.UUID, actKey string) (a wiki.Article, err error) {
	d, err := s.readDrift(ctx, actor, drift)
	if err != nil {
		return wiki.Article{}, err
	}
	what := act{name: "drift.dismiss", event: "drift.dismissed", key: actKey}
	err = s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		var found bool
		if a, found, err = replayed(ctx, tx, actor, actKey, what.name, d.Article.ID); err != nil || found {
			return err
		}
		if a, err = articles.Lock(ctx, tx, actor, d.Article.ID); err != nil {
			return err
		}
		if err = s.settle(ctx, tx, actor, drift, articles.DriftDismissed); err != nil {
			return err
		}
		return note(ctx, tx, actor, a, what, map[string]any{"drift": drift})
	})
	return a, err
}

func (s Service) readDrift(ctx context.Context, actor wiki.Actor, id uuid.UUID) (d articles.Drift, err error) {
	err = s.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		d, err = articles.GetDrift(ctx, tx, actor, id)
		return err
	})
	return d, err
}

func (s Service) settle(ctx context.Context, tx postgres.Tx, actor wiki.Actor, drift uuid.UUID, state string) error {
	d, err := articles.LockDrift(ctx, tx, actor, drift)
	if err != nil {
		return err
	}
	if d.State != articles.DriftOpen {
		return wiki.Errorf(wiki.CodeTransition, "the drift event is %s already", d.State)
	}
	return articles.SettleDrift(ctx, tx, actor.Tenant, drift, state, actor.Stamp())
}
