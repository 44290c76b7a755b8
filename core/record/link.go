package record

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/events"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// NewLink asks for an edge.
type NewLink struct {
	Source   uuid.UUID
	Target   uuid.UUID
	Relation wiki.Relation
	Metadata json.RawMessage
}

var callersRelations = []wiki.Relation{wiki.RelRelatesTo, wiki.RelDerivedFrom, wiki.RelContradicts, wiki.RelSupersedes}

// Link stores an edge between two articles that the actor may see; one that stands already is answered as it is. A
// supersedes link of a user makes its target superseded in the same transaction (facts §1.4). Below that role it is an
// opinion, kept and shown, that retires nothing: authorising a retirement is not for agents, and a link must not be a way
// round the cap on their verdicts (seed, invariant 4). A user who makes a link that stands as an opinion gives it effect.
// created tells whether it is new.
// potential_conflict is CodeInvalid: flags are raised by similarity or by an assertion.
func (s Service) Link(ctx context.Context, actor wiki.Actor, l NewLink, actKey string) (edge articles.Edge, created bool, err error) {
	if !slices.Contains(callersRelations, l.Relation) {
		return edge, false, wiki.Invalid("relationship_type", "the type of a link is relates_to, derived_from, contradicts or supersedes")
	}
	if l.Source == l.Target {
		return edge, false, wiki.Invalid("target_article_id", "an article cannot link to itself")
	}
	metadata, err := wiki.CleanMetadata(l.Metadata)
	if err != nil {
		return edge, false, err
	}
	err = s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		raw, found, err := audit.Replay(ctx, tx, actor, actKey, "link.create", uuid.Nil)
		if err != nil {
			return err
		}
		if found {
			var id uuid.UUID
			if err := json.Unmarshal(raw, &id); err != nil {
				return err
			}
			edge, err = articles.Link(ctx, tx, actor, id)
			return err
		}
		edge, created, err = s.linkIn(ctx, tx, actor, l, metadata, actKey)
		return err
	})
	return edge, created, err
}

func (s Service) linkIn(ctx context.Context, tx postgres.Tx, actor wiki.Actor, l NewLink, metadata map[string]any, actKey string) (edge articles.Edge, created bool, err error) {
	if err := checkEnd(ctx, tx, actor, "source_article_id", l.Source); err != nil {
		return edge, false, err
	}
	if err := checkEnd(ctx, tx, actor, "target_article_id", l.Target); err != nil {
		return edge, false, err
	}
	link := wiki.Link{
		ID: tx.NewID(), Source: l.Source, Target: l.Target, Relation: l.Relation, Metadata: metadata,
		Retires: l.Relation == wiki.RelSupersedes && actor.Role >= wiki.RoleUser,
	}
	if created, err = articles.InsertLink(ctx, tx, actor.Tenant, link); err != nil {
		return edge, false, err
	}
	edge, err = articles.LinkBetween(ctx, tx, actor, l.Source, l.Target, l.Relation)
	if err != nil || (!created && (edge.Retires || !link.Retires)) {
		return edge, created, err
	}
	if link.Retires {
		reason := "superseded by " + edge.From.Title
		if _, err := s.SetStatus(ctx, tx, actor, l.Target, wiki.StatusSuperseded, clipReason(reason)); err != nil {
			return edge, false, err
		}
		if err := articles.SetRetires(ctx, tx, actor.Tenant, edge.ID, true); err != nil {
			return edge, false, err
		}
		edge.Retires = true
	}
	return edge, created, noteLink(ctx, tx, actor, edge, "link.create", "article_link.created", actKey)
}

// checkEnd answers CodeInvalid for an end that the actor cannot see, or that is system canon.
func checkEnd(ctx context.Context, tx postgres.Tx, actor wiki.Actor, field string, id uuid.UUID) error {
	a, err := articles.Get(ctx, tx, actor, id)
	if wiki.ErrorCode(err) == wiki.CodeNotFound || (err == nil && a.Scope == wiki.ScopeSystem) {
		return wiki.Invalid(field, "there is no such article")
	}
	return err
}

func clipReason(reason string) string {
	runes := []rune(reason)
	return string(runes[:min(len(runes), wiki.MaxReasonRunes)])
}

func noteLink(ctx context.Context, tx postgres.Tx, actor wiki.Actor, e articles.Edge, act, event, actKey string) error {
	facts := map[string]any{"source": e.Source, "target": e.Target, "relation": e.Relation}
	detail := map[string]any{"metadata": e.Metadata, "retires": e.Retires}
	for k, v := range facts {
		detail[k] = v
	}
	if err := audit.Write(ctx, tx, actor, audit.Entry{Act: act, Subject: e.ID, Detail: detail, ActKey: actKey, Result: e.ID}); err != nil {
		return err
	}
	return events.Emit(ctx, tx, events.Event{Tenant: actor.Tenant, Kind: event, Subject: e.ID, Payload: facts})
}

// Unlink removes an edge; the audit keeps what it said. Role user. It does not bring back what a supersedes link retired.
func (s Service) Unlink(ctx context.Context, actor wiki.Actor, id uuid.UUID, actKey string) error {
	if err := actor.Require(wiki.RoleUser); err != nil {
		return err
	}
	return s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		if _, found, err := audit.Replay(ctx, tx, actor, actKey, "link.delete", id); err != nil || found {
			return err
		}
		edge, err := articles.Link(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		if err := articles.DeleteLink(ctx, tx, actor.Tenant, id); err != nil {
			return err
		}
		return noteLink(ctx, tx, actor, edge, "link.delete", "article_link.deleted", actKey)
	})
}
