package nightly

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

// Links that the pass makes and takes away (facts §7).
const (
	orphanLinks  = 3   // an orphan is linked with so many of its nearest
	orphanLinkAt = 0.5 // cosine from which two articles have to do with each other
	maxRelinked  = 500 // orphans a night

	keptLinks = 10      // links by similarity that each article has use for
	maxPruned = 250_000 // links a night
)

// Orphans is the consumer that links articles which nothing is linked with to those that are most like them, so that the
// graph lane and the progressive index reach them. What has no vector, or nothing like it, is withheld.
func Orphans(writer record.Service) Consumer {
	return Consumer{
		Name: "orphans", Does: "links articles that nothing is linked with",
		Budget: wiki.NightBudget{Count: maxRelinked, Time: 3 * time.Minute}, Batch: 20, Lasting: true,
		Count: func(ctx context.Context, actor wiki.Actor) (n int, err error) {
			err = writer.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
				n, err = articles.CountOrphans(ctx, tx, actor)
				return err
			})
			return n, err
		},
		RunOnce: func(ctx context.Context, b Batch) (Done, error) { return relink(ctx, writer, b) },
	}
}

func relink(ctx context.Context, writer record.Service, b Batch) (Done, error) {
	var done Done
	var after uuid.UUID
	if err := readCursor(b.Cursor, &after); err != nil {
		return done, err
	}
	var page []wiki.Article
	near := map[uuid.UUID][]vectors.Neighbour{}
	look := min(b.Look, b.Acts)
	err := writer.DB.HeavyRead(ctx, b.Actor.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		if page, err = articles.Orphans(ctx, tx, b.Actor, after, look); err != nil {
			return err
		}
		for _, a := range page {
			if near[a.ID], err = kin(ctx, tx, writer, b.Actor, a); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return done, err
	}
	for _, a := range page {
		item := Item{Subject: a.ID.String(), Outcome: Withheld, Note: "nothing is like it"}
		if n := len(near[a.ID]); n > 0 {
			item.Outcome, item.Note = Applied, fmt.Sprintf("%q is linked with %d articles", a.Title, n)
		}
		if !b.DryRun {
			if err := linkAll(ctx, writer, b.Actor, a, near[a.ID]); err != nil {
				if ctx.Err() != nil || wiki.ErrorCode(err) == wiki.CodeUnavailable {
					return done, err
				}
				item.Outcome, item.Code, item.Note = Failed, wiki.ErrorCode(err), ""
			}
		}
		done.Count(item)
		done.Looked++
		done.Cursor = cursor(a.ID)
	}
	done.More = len(page) == look
	return done, nil
}

// kin are the articles that an orphan is to be linked with.
func kin(ctx context.Context, tx postgres.Tx, writer record.Service, actor wiki.Actor, a wiki.Article) ([]vectors.Neighbour, error) {
	model := writer.Embedder.Model().ID
	own, err := writer.Vectors.Load(ctx, tx, model, []uuid.UUID{a.ID})
	if err != nil || own[a.ID] == nil {
		return nil, err
	}
	nearest, err := writer.Vectors.Nearest(ctx, tx, vectors.Query{
		Model: model, Vector: own[a.ID], Whole: true, Limit: orphanLinks, PublishedOnly: true, Viewer: actor, Exclude: []uuid.UUID{a.ID},
	})
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(nearest))
	for i, n := range nearest {
		ids[i] = n.Article
	}
	texts, err := articles.GetMany(ctx, tx, actor, ids)
	if err != nil {
		return nil, err
	}
	var related []vectors.Neighbour
	for _, n := range nearest {
		b, found := texts[n.Article]
		if found && n.Cosine >= orphanLinkAt && b.Scope != wiki.ScopeSystem && wiki.Comparable(a, b) {
			related = append(related, n)
		}
	}
	return related, nil
}

func linkAll(ctx context.Context, writer record.Service, actor wiki.Actor, a wiki.Article, near []vectors.Neighbour) error {
	for _, n := range near {
		metadata := fmt.Sprintf(`{%q: true, %q: %.4f}`, articles.LinkAuto, articles.LinkSimilarity, float64(n.Cosine))
		link := record.NewLink{Source: a.ID, Target: n.Article, Relation: wiki.RelRelatesTo, Metadata: []byte(metadata)}
		if _, _, err := writer.Link(ctx, actor, link, ""); err != nil {
			return err
		}
	}
	return nil
}

// Prune is the consumer that takes links away which the server made by similarity, and which are not among the most alike of
// either end. What a caller linked, and what may be a contradiction that nobody has flagged yet, stays.
func Prune(writer record.Service) Consumer {
	return Consumer{
		Name: "prune", Does: "takes away links by similarity that neither end has use for",
		Budget: wiki.NightBudget{Count: maxPruned, Time: 3 * time.Minute}, Batch: 500,
		RunOnce: func(ctx context.Context, b Batch) (Done, error) { return prune(ctx, writer, b) },
	}
}

func prune(ctx context.Context, writer record.Service, b Batch) (Done, error) {
	var done Done
	db, tenant, look := writer.DB, b.Actor.Tenant, min(b.Look, b.Acts)
	spare := wiki.Cosine(writer.Embedder.Model().ConflictAt)
	if b.DryRun {
		look = b.Acts // nothing is taken away, so that a second look would find the same
	}
	var surplus []wiki.Link
	err := db.HeavyRead(ctx, tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		surplus, err = articles.SurplusLinks(ctx, tx, tenant, keptLinks, spare, look)
		return err
	})
	if err != nil || len(surplus) == 0 {
		return done, err
	}
	gone := len(surplus)
	if !b.DryRun {
		if gone, err = dropLinks(ctx, db, b.Actor, surplus); err != nil {
			return done, err
		}
	}
	done.Looked, done.More = len(surplus), !b.DryRun && len(surplus) == look
	done.Tally.Offered, done.Tally.Applied = len(surplus), gone
	return done, nil
}

func dropLinks(ctx context.Context, db *postgres.DB, actor wiki.Actor, links []wiki.Link) (gone int, err error) {
	ids, said := make([]uuid.UUID, len(links)), make([][2]uuid.UUID, len(links))
	for i, l := range links {
		ids[i], said[i] = l.ID, [2]uuid.UUID{l.Source, l.Target}
	}
	err = db.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		if gone, err = articles.DeleteLinks(ctx, tx, actor.Tenant, ids); err != nil || gone == 0 {
			return err
		}
		return audit.Write(ctx, tx, actor, audit.Entry{Act: "link.prune", Detail: map[string]any{"links": said, "relation": wiki.RelRelatesTo}})
	})
	return gone, err
}
