package gate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/events"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

const (
	// maxSecondLook bounds how many articles that came to stand meanwhile are measured.
	maxSecondLook = 200
	steppedBack   = "a near article was written at the same moment"
)

// appeared are the events after which an article may be a neighbour that it was not before.
var appeared = []string{"article.created", "article.updated", "article.published", "article.unsuppressed"}

// secondLook measures a new article against what was written while it was compared: of two near twins that are proposed at
// once, neither is there yet when the other looks. It runs when the article is committed, so that of any two the one that
// commits last sees the other, and no writer waits for another's commit. A published article that finds a published twin
// steps back to a draft, as if it had been seen in time; it stays, since nothing that was accepted is taken away. Both may
// find each other: the rows' locks then let one step back first, and the other finds a draft.
//
// The article stands whatever happens here. What a failure leaves undone, the nightly pass finds.
func (s Service) secondLook(ctx context.Context, actor wiki.Actor, p Proposal, snapshot string, t wiki.Thresholds, o *Outcome) {
	created := *o.Article
	near, err := s.sinceThen(ctx, actor, snapshot, created.ID, min(t.LowNoveltyAt, t.ConflictAt))
	if err == nil && len(near) > 0 {
		after := *o
		err = s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			after = *o // it may run twice
			return s.weighTwins(ctx, tx, actor, p, t, near, created, &after)
		})
		if err == nil {
			*o = after
		}
	}
	if err != nil {
		s.log().WarnContext(ctx, "the second look at a new article failed", "article", created.ID, "error", err)
	}
}

// sinceThen finds the articles that came to stand since the snapshot and are at least as near as least.
func (s Service) sinceThen(ctx context.Context, actor wiki.Actor, snapshot string, own uuid.UUID, least wiki.Cosine) (near map[uuid.UUID]wiki.Cosine, err error) {
	err = s.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		ids, err := events.SubjectsSince(ctx, tx, actor.Tenant, snapshot, appeared, maxSecondLook)
		ids = slices.DeleteFunc(ids, func(id uuid.UUID) bool { return id == own })
		if err != nil || len(ids) == 0 {
			return err
		}
		near, err = s.Record.Vectors.Between(ctx, tx, s.Record.Embedder.Model().ID, own, ids)
		return err
	})
	for id, cosine := range near {
		if cosine < least {
			delete(near, id)
		}
	}
	return near, err
}

// weighTwins judges the article by its twins as they stand now, flags what differs, and steps back where it has to.
func (s Service) weighTwins(ctx context.Context, tx postgres.Tx, actor wiki.Actor, p Proposal, t wiki.Thresholds, near map[uuid.UUID]wiki.Cosine, created wiki.Article, o *Outcome) error {
	own, twins, err := lockTwins(ctx, tx, actor, created.ID, near)
	if err != nil || own.Version != created.Version {
		return err // somebody has it in hand already
	}
	judged := wiki.Judge(own.Title, own.Body, twins, t)
	for _, c := range judged.Flags(own.Status) {
		raise := flags.New{A: own.ID, B: c.ID, System: true, Similarity: float64(c.Cosine), Differing: c.Differing}
		if _, _, err := flags.Raise(ctx, tx, actor, raise); err != nil {
			return err
		}
		if !slices.Contains(o.Flagged, c.ID) {
			o.Flagged = append(o.Flagged, c.ID)
		}
	}
	if p.Force || own.Status != wiki.StatusPublished || judged.Grade == wiki.GradeNovel {
		return nil
	}
	if own, err = s.Record.StepBack(ctx, tx, actor, own.ID, stamp(judged), steppedBack); err != nil {
		return err
	}
	o.Verdict, o.Article, o.Neighbour, o.Differing = LowNovelty, &own, judged.Nearest, judged.Differing
	o.Note = fmt.Sprintf(noteTwin, judged.Nearest.Cosine)
	return nil
}

// lockTwins takes the article and its twins in the order of their ids, as every act on several does, and gives those twins
// that are its neighbours now, nearest first.
func lockTwins(ctx context.Context, tx postgres.Tx, actor wiki.Actor, own uuid.UUID, near map[uuid.UUID]wiki.Cosine) (article wiki.Article, twins []wiki.Near, err error) {
	ids := []uuid.UUID{own}
	for id := range near {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	held := map[uuid.UUID]wiki.Article{}
	for _, id := range ids {
		a, err := articles.Lock(ctx, tx, actor, id)
		switch wiki.ErrorCode(err) {
		case wiki.CodeNotFound, wiki.CodeSystemScope:
			continue
		}
		if err != nil {
			return article, nil, err
		}
		held[id] = a
	}
	article = held[own]
	for id, cosine := range near {
		if b, ok := held[id]; ok && isNeighbour(actor, article, b) {
			twins = append(twins, wiki.Near{ID: id, Cosine: cosine, Title: b.Title, Body: b.Body})
		}
	}
	slices.SortFunc(twins, func(a, b wiki.Near) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), slices.Compare(a.ID[:], b.ID[:]))
	})
	return article, twins, nil
}
