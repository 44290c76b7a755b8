package core

import (
	"context"
	"time"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// legacyPage is how many articles are looked up at a time.
const legacyPage = 500

// TagReport says what became of a tenant's legacy capture tags, or with DryRun what would.
type TagReport struct {
	DryRun   bool          `json:"dry_run"`
	Drop     bool          `json:"drop_legacy"`
	Articles int           `json:"articles"`         // changed
	Tags     int           `json:"tags"`             // reserved, or with Drop taken away
	Full     []uuid.UUID   `json:"full,omitempty"`   // articles without room for another tag
	Failed   []TagFailure  `json:"failed,omitempty"` // they stay as they were; the same command tries them again
	Elapsed  time.Duration `json:"elapsed_ns"`
}

// TagFailure is an article whose tags could not be changed.
type TagFailure struct {
	Article uuid.UUID `json:"article_id"`
	Why     string    `json:"why"`
}

// TagOptions choose what ReserveTags does. The zero value looks and changes nothing.
type TagOptions struct {
	Apply bool
	Drop  bool // the second pass, for when every reader knows the reserved form
}

// ReserveTags promotes the capture tags that were written before the idem- namespace was reserved (seed, invariant 6). Each
// article is one audited transaction and a version of its own, so that a run that was stopped goes on when it is started
// again. The caller needs the role user.
func (c *Core) ReserveTags(ctx context.Context, actor wiki.Actor, o TagOptions, progress func(done, total int)) (r TagReport, err error) {
	r.DryRun, r.Drop = !o.Apply, o.Drop
	if err := actor.Require(wiki.RoleUser); err != nil {
		return r, err
	}
	begun := time.Now()
	defer func() { r.Elapsed = time.Since(begun) }()
	total := 0
	err = c.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		total, err = articles.CountLegacyTagged(ctx, tx, actor)
		return err
	})
	if err != nil {
		return r, err
	}
	after := uuid.Nil
	for done := 0; ; {
		var page []articles.Tagged
		err := c.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			var err error
			page, err = articles.LegacyTagged(ctx, tx, actor, after, legacyPage)
			return err
		})
		if err != nil || len(page) == 0 {
			return r, err
		}
		for _, a := range page {
			if err := c.reserveTags(ctx, actor, a, o, &r); err != nil {
				return r, err
			}
			after, done = a.ID, done+1
			progress(done, max(done, total))
		}
	}
}

// reserveTags does one article, or says what would become of it. The error is of the run: the article's own is reported.
func (c *Core) reserveTags(ctx context.Context, actor wiki.Actor, a articles.Tagged, o TagOptions, r *TagReport) error {
	one, err := c.reservedTags(ctx, actor, a, o)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.Failed = append(r.Failed, TagFailure{a.ID, err.Error()})
	default:
		r.count(a.ID, one)
	}
	return nil
}

// reservedTags takes the tags out, or says what taking them out would change.
func (c *Core) reservedTags(ctx context.Context, actor wiki.Actor, a articles.Tagged, o TagOptions) (record.Reserved, error) {
	if o.Apply {
		return c.Record.ReserveTags(ctx, actor, a.ID, o.Drop)
	}
	var one record.Reserved
	_, one.Changed, one.Full = wiki.ReserveTags(a.Tags, o.Drop)
	return one, nil
}

func (r *TagReport) count(article uuid.UUID, one record.Reserved) {
	r.Tags += one.Changed
	if one.Changed > 0 {
		r.Articles++
	}
	if one.Full > 0 {
		r.Full = append(r.Full, article)
	}
}
