package record

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Curate marks a published article as one that answers for the wiki: hybrid search may then lead with it (facts §4.7). Role
// user. Any later change of title, body or status takes the mark away. CodeTransition for what is not published, is
// suppressed or has the mark.
func (s Service) Curate(ctx context.Context, actor wiki.Actor, id uuid.UUID, reason, actKey string) (wiki.Article, error) {
	return s.curate(ctx, actor, id, act{name: "article.curate", event: "article.curated", key: actKey, reason: reason},
		func(tx postgres.Tx, a *wiki.Article) error {
			switch {
			case a.CuratedAt != nil:
				return wiki.Errorf(wiki.CodeTransition, "the article is marked as curated already, by %s", a.CuratedBy)
			case a.Status != wiki.StatusPublished:
				return wiki.Errorf(wiki.CodeTransition, "only a published article can be marked as curated; this one is %s", a.Status)
			case a.Suppressed():
				return wiki.Errorf(wiki.CodeTransition, "the article is suppressed: lift that before it is marked as curated")
			}
			a.CuratedAt, a.CuratedBy = &tx.Now, actor.Principal()
			return nil
		})
}

// Uncurate takes the mark away. Role user; CodeTransition when there is none.
func (s Service) Uncurate(ctx context.Context, actor wiki.Actor, id uuid.UUID, reason, actKey string) (wiki.Article, error) {
	return s.curate(ctx, actor, id, act{name: "article.uncurate", event: "article.uncurated", key: actKey, reason: reason},
		func(_ postgres.Tx, a *wiki.Article) error {
			if a.CuratedAt == nil {
				return wiki.Errorf(wiki.CodeTransition, "the article is not marked as curated")
			}
			a.CuratedAt, a.CuratedBy = nil, ""
			return nil
		})
}

func (s Service) curate(ctx context.Context, actor wiki.Actor, id uuid.UUID, what act, set func(postgres.Tx, *wiki.Article) error) (wiki.Article, error) {
	if err := actor.Require(wiki.RoleUser); err != nil {
		return wiki.Article{}, err
	}
	var err error
	if what.reason, err = wiki.CleanReason(what.reason, false); err != nil {
		return wiki.Article{}, err
	}
	return s.mark(ctx, actor, id, what, set)
}
