package nightly

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// week is how often hubs are written.
const week = 7 * 24 * time.Hour

// Hubs is the consumer that writes the index hubs, once a week: an article for each tag that many articles carry, and links
// to what it lists, by which the progressive index goes on from it. A hub that somebody curated, suppressed or took away
// stays as that person left it.
func Hubs(writer record.Service) Consumer {
	return Consumer{
		Name: "hubs", Does: "writes the index of each tag that many articles carry",
		Budget: wiki.NightBudget{Count: wiki.HubMost, Time: 5 * time.Minute}, Batch: 5, Every: week,
		RunOnce: func(ctx context.Context, b Batch) (Done, error) { return hubs{writer}.runOnce(ctx, b) },
	}
}

type hubs struct{ record.Service }

func (h hubs) runOnce(ctx context.Context, b Batch) (Done, error) {
	var done Done
	tags, err := h.tags(ctx, b.Actor)
	if err != nil {
		return done, err
	}
	tags = slices.DeleteFunc(tags, func(tag string) bool { return tag <= b.Cursor })
	for i, tag := range tags {
		if i == b.Look || done.Tally.Acted() >= b.Acts {
			done.More = true
			break
		}
		item, err := h.write(ctx, b, tag)
		switch {
		case err == nil:
		case ctx.Err() != nil, wiki.ErrorCode(err) == wiki.CodeUnavailable:
			return done, err
		default:
			item = &Item{Subject: wiki.HubKeyPrefix + tag, Outcome: Failed, Code: wiki.ErrorCode(err)}
		}
		if item != nil {
			done.Count(*item)
		}
		done.Cursor, done.Looked = tag, done.Looked+1
	}
	return done, nil
}

// tags are those that get a hub, in the order of their names.
func (h hubs) tags(ctx context.Context, actor wiki.Actor) (tags []string, err error) {
	err = h.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		tags, err = articles.HubTags(ctx, tx, actor, wiki.HubLeast)
		return err
	})
	tags = slices.DeleteFunc(tags, func(tag string) bool { return !wiki.MakesHub(tag) })
	tags = tags[:min(len(tags), wiki.HubMost)]
	slices.Sort(tags)
	return tags, err
}

// write brings one hub up to date; nil when it was.
func (h hubs) write(ctx context.Context, b Batch, tag string) (*Item, error) {
	var members []wiki.HubMember
	var stands *wiki.Article
	err := h.DB.HeavyRead(ctx, b.Actor.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		if members, err = articles.HubMembersOf(ctx, tx, b.Actor, tag); err != nil {
			return err
		}
		a, err := articles.ByIdempotencyKey(ctx, tx, b.Actor, wiki.HubKeyPrefix+tag, "")
		if wiki.ErrorCode(err) == wiki.CodeNotFound {
			return nil
		}
		stands = &a
		return err
	})
	if err != nil {
		return nil, err
	}
	want, listed := wiki.Hub(tag, members)
	item := Item{Subject: want.IdempotencyKey, Outcome: Applied, Note: want.Title}
	switch {
	case stands == nil:
	case stands.Status != wiki.StatusPublished || stands.Suppressed() || stands.CuratedAt != nil:
		item.Outcome = Withheld
		return &item, nil
	case stands.Body == want.Body:
		return nil, nil
	}
	if b.DryRun {
		return &item, nil
	}
	hub, err := h.store(ctx, b.Actor, stands, want)
	if err != nil {
		return nil, err
	}
	return &item, h.relate(ctx, b.Actor, hub, listed)
}

func (h hubs) store(ctx context.Context, actor wiki.Actor, stands *wiki.Article, want wiki.Article) (wiki.Article, error) {
	if stands != nil {
		return h.Update(ctx, actor, stands.ID, stands.Version, record.Patch{Body: &want.Body, Reason: "the index of its tag"}, "")
	}
	vector, err := record.Embed(ctx, h.Embedder, want.Title, want.Body)
	if ctx.Err() != nil {
		return want, err // the hub can wait; without a vector for another reason it is stored all the same
	}
	err = h.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		made, err := h.Create(ctx, tx, actor, want, vector, record.CreateOptions{Detail: map[string]any{"hub": true}})
		if err == nil {
			want = made
		}
		return err
	})
	return want, err
}

// relate makes the hub's links those to what it lists.
func (h hubs) relate(ctx context.Context, actor wiki.Actor, hub wiki.Article, listed []wiki.HubMember) error {
	var out []articles.Edge
	err := h.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		out, _, err = articles.Links(ctx, tx, actor, hub.ID)
		return err
	})
	if err != nil {
		return err
	}
	stale := map[uuid.UUID]uuid.UUID{} // link by target
	for _, e := range out {
		if e.Relation == wiki.RelRelatesTo {
			stale[e.Target] = e.ID
		}
	}
	for _, m := range listed {
		if _, linked := stale[m.ID]; linked {
			delete(stale, m.ID)
			continue
		}
		link := record.NewLink{Source: hub.ID, Target: m.ID, Relation: wiki.RelRelatesTo, Metadata: []byte(`{"hub": true}`)}
		if _, _, err := h.Link(ctx, actor, link, ""); err != nil && wiki.ErrorCode(err) != wiki.CodeInvalid { // invalid: it was deleted meanwhile
			return err
		}
	}
	for _, link := range stale {
		if err := h.Unlink(ctx, actor, link, ""); err != nil && wiki.ErrorCode(err) != wiki.CodeNotFound {
			return err
		}
	}
	return nil
}
