package record

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Reserved says what became of one article's legacy capture tags.
type Reserved struct {
	Changed int // tags added, or with drop taken away
	Full    int // tags for which the article has no room
}

// ReserveTags gives an article's legacy capture tags their reserved form, or with drop takes the old form away where the
// new one stands (seed, invariant 6). It is an operator's act, and doing it again changes nothing.
func (s Service) ReserveTags(ctx context.Context, actor wiki.Actor, id uuid.UUID, drop bool) (r Reserved, err error) {
	if err := actor.Require(wiki.RoleUser); err != nil {
		return r, err
	}
	name, reason := "tags.reserve", "gave capture tags their reserved form"
	if drop {
		name, reason = "tags.drop_legacy", "dropped capture tags that have a reserved form"
	}
	_, err = s.change(ctx, actor, id, edit{
		act: act{name: name, event: "article.updated", reason: reason},
		apply: func(_ context.Context, _ postgres.Tx, stored wiki.Article) (wiki.Article, error) {
			stored.Tags, r.Changed, r.Full = wiki.ReserveTags(stored.Tags, drop)
			return stored, nil
		},
	})
	return r, err
}
