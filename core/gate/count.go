package gate

import (
	"context"
	"time"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// countTimeout bounds what a writer waits for the statistics.
const countTimeout = 5 * time.Second

// count adds the answer to the statistics of writes: by its verdict, or by the code of its refusal, with its drift. A
// failure is logged and changes no answer.
func (s Service) count(ctx context.Context, actor wiki.Actor, p Proposal, o Outcome, err error) {
	c := articles.WriteCount{Outcome: string(o.Verdict), Writes: 1}
	switch {
	case ctx.Err() != nil || actor.Tenant == uuid.Nil:
		return // nobody heard the answer, or it is nobody's statistics
	case err != nil:
		c.Outcome = string(wiki.ErrorCode(err))
	case o.Verdict == Deduplicated: // a neighbour by likeness is no drift
		c.ContentDrifts, c.TitleDrifts = raised(o.ContentDrift), raised(o.TitleDrift)
	}
	if wiki.CheckSourceType(p.SourceType) == nil {
		c.SourceType = p.SourceType
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTimeout)
	defer cancel()
	err = s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		return articles.CountWrite(ctx, tx, actor.Tenant, c)
	})
	if err != nil {
		s.log().WarnContext(ctx, "a write could not be counted", "outcome", c.Outcome, "error", err)
	}
}

func raised(flag *bool) int {
	if flag != nil && *flag {
		return 1
	}
	return 0
}
