package gate

import (
	"context"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/events"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// standing answers a proposal whose place is taken by its own earlier capture. It is a no-op rather than an error on a
// changed text, because harvesters run again with stable keys by design; the drift is signalled, logged and kept instead.
func (s Service) standing(ctx context.Context, actor wiki.Actor, p Proposal, found stands) (Outcome, error) {
	stored := *found.article
	o := Outcome{Verdict: Deduplicated, Article: &stored, Note: noteInSync}
	if !o.compareWith(p, stored) {
		return o, nil
	}
	o.Note = noteDrift
	if stored.Scope == wiki.ScopeSystem {
		o.Note = noteCanonDrift
		return o, nil // drift waits for a tenant's curators
	}
	s.log().WarnContext(ctx, "a submission was discarded that differs from what stands", "article", stored.ID,
		"principal", actor.Principal(), "content_drift", *o.ContentDrift, "title_drift", *o.TitleDrift)
	err := s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		return s.keepDrift(ctx, tx, actor, p, stored, &o)
	})
	return o, err
}

// compareWith sets the drift flags and says whether one of them is raised.
func (o *Outcome) compareWith(p Proposal, stored wiki.Article) bool {
	content, title := wiki.Drift(p.Title, p.Body, stored)
	title = title || p.TitleUnreadable
	o.ContentDrift, o.TitleDrift = &content, &title
	return content || title
}

// keepDrift makes the drift durable.
func (s Service) keepDrift(ctx context.Context, tx postgres.Tx, actor wiki.Actor, p Proposal, stored wiki.Article, o *Outcome) error {
	event := articles.Drift{
		ID: tx.NewID(), Article: articles.Ref{ID: stored.ID}, ArticleVersion: stored.Version, Title: storableText(p.Title),
		ContentDrift: *o.ContentDrift, TitleDrift: *o.TitleDrift, SubmittedBy: actor.Stamp(),
	}
	if p.Body.Present && p.Body.IsText && len(p.Body.Text) <= wiki.MaxBodyBytes {
		body := storableText(p.Body.Text)
		event.Body = &body
	}
	id, isNew, err := articles.PutDrift(ctx, tx, actor.Tenant, event)
	if err != nil {
		return err
	}
	o.DriftEvent = &id
	if !isNew {
		return nil
	}
	detail := map[string]any{"drift": id, "content_drift": event.ContentDrift, "title_drift": event.TitleDrift}
	if err := audit.Write(ctx, tx, actor, audit.Entry{Act: "drift.record", Subject: stored.ID, Detail: detail}); err != nil {
		return err
	}
	return events.Emit(ctx, tx, events.Event{Tenant: actor.Tenant, Kind: "drift.recorded", Subject: stored.ID, Payload: map[string]any{"drift": id}})
}
