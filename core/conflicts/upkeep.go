package conflicts

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/embedding"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// maxFollowed bounds the pairs that one edit measures anew, the most recently flagged first: each takes a comparison of two
// texts, in the edit's own transaction.
const maxFollowed = 100

// TextChanged brings an article's pairs up to date with its new text, in the transaction that changes it (case 86): a
// verdict that waits was given on another text and will not be applied, so that its pair is in the queue again; what a rule
// flagged is measured anew, and a pair that is no longer alike closes with the reason, or comes back when it is again. What
// has no vector yet cannot be measured and stays.
func (s Service) TextChanged(ctx context.Context, tx postgres.Tx, actor wiki.Actor, before, after wiki.Article) error {
	pairs, err := flags.PairsOf(ctx, tx, after.Tenant, after.ID, maxFollowed)
	if err != nil || len(pairs) == 0 {
		return err
	}
	others := make([]uuid.UUID, len(pairs))
	for i, pair := range pairs {
		others[i] = other(pair, after.ID)
	}
	cosines, err := s.Record.Vectors.Between(ctx, tx, s.Record.Embedder.Model().ID, after.ID, others)
	if err != nil {
		return err
	}
	for i, pair := range pairs {
		c, err := flags.Lock(ctx, tx, after.Tenant, pair)
		if err != nil {
			return err
		}
		if before.Body != after.Body {
			if err := s.outdate(ctx, tx, actor, c, after.Title); err != nil {
				return err
			}
		}
		cosine, measured := cosines[others[i]]
		if flag := systemFlag(c); measured && flag != nil && !outOfUse(c) {
			if err := s.measure(ctx, tx, actor, c, *flag, after, others[i], cosine); err != nil {
				return err
			}
		}
	}
	return nil
}

func other(pair wiki.Pair, id uuid.UUID) uuid.UUID {
	if pair.First == id {
		return pair.Second
	}
	return pair.First
}

func systemFlag(c wiki.Conflict) *wiki.Flag {
	i := slices.IndexFunc(c.Flags, func(f wiki.Flag) bool { return f.System })
	if i < 0 {
		return nil
	}
	return &c.Flags[i]
}

// outOfUse says whether a pair is closed for another reason than its flags: an article of it is archived or superseded.
func outOfUse(c wiki.Conflict) bool {
	return c.Closed != "" && !slices.ContainsFunc(c.Flags, func(f wiki.Flag) bool { return f.Lapsed == c.Closed })
}

const actLapse = "conflict.lapse"

// outdate refuses the verdict that waits on a pair, since it will not be applied to a text that it was not given on. To keep
// it would hide the pair behind it until somebody executes.
func (s Service) outdate(ctx context.Context, tx postgres.Tx, actor wiki.Actor, c wiki.Conflict, title string) error {
	d := c.Decision()
	if d == nil || c.State() != wiki.ConflictJudged {
		return nil
	}
	return refuseIn(ctx, tx, actor, c.Pair, d.ID, stale(changedSince, title))
}

// measure compares a flagged pair as its texts are now.
func (s Service) measure(ctx context.Context, tx postgres.Tx, actor wiki.Actor, c wiki.Conflict, flag wiki.Flag, a wiki.Article, otherID uuid.UUID, cosine wiki.Cosine) error {
	both, err := articles.GetMany(ctx, tx, owner(actor), []uuid.UUID{otherID})
	if err != nil {
		return err
	}
	b, found := both[otherID]
	if !found {
		return nil
	}
	differing := wiki.Differences(embedding.ArticleText(a.Title, a.Body), embedding.ArticleText(b.Title, b.Body))
	model := s.Record.Embedder.Model()
	alike := wiki.Thresholds{LowNoveltyAt: wiki.Cosine(model.LowNoveltyAt), ConflictAt: wiki.Cosine(model.ConflictAt)}
	if !alike.StillAlike(cosine, differing) {
		return lapse(ctx, tx, actor, c, flag, a, cosine)
	}
	if c.State() == wiki.ConflictSettled && flag.Lapsed == "" && sameDifferences(flag, a.ID, differing) {
		return nil // nothing that its judge did not see
	}
	_, _, err = flags.Raise(ctx, tx, actor, flags.New{A: a.ID, B: otherID, System: true, Similarity: float64(cosine), Differing: differing})
	return err
}

// owner sees all of the tenant: whoever edits one article of a pair need not see the other for it to be measured.
func owner(actor wiki.Actor) wiki.Actor {
	actor.Role = wiki.RoleUser
	return actor
}

func sameDifferences(flag wiki.Flag, first uuid.UUID, now []wiki.Difference) bool {
	return slices.EqualFunc(flag.Differing, now, func(was, is wiki.Difference) bool {
		if flag.First != first {
			is.First, is.Second = is.Second, is.First
		}
		return was == is
	})
}

func lapse(ctx context.Context, tx postgres.Tx, actor wiki.Actor, c wiki.Conflict, flag wiki.Flag, a wiki.Article, cosine wiki.Cosine) error {
	if flag.Lapsed != "" {
		return nil
	}
	reason := fmt.Sprintf("an edit of %q took the texts apart: similarity %.2f, was %.2f", a.Title, float64(cosine), flag.Similarity)
	if err := flags.Lapse(ctx, tx, a.Tenant, flag, cosine, reason); err != nil {
		return err
	}
	after, err := flags.Save(ctx, tx, a.Tenant, c.Pair)
	if err != nil {
		return err
	}
	detail := map[string]any{"conflict": c.Pair.String(), "flag": flag.ID, "similarity": float64(cosine), "was": flag.Similarity}
	if err := audit.Write(ctx, tx, actor, audit.Entry{Act: actLapse, Subject: flag.ID, Detail: detail}); err != nil {
		return err
	}
	return flags.Emit(ctx, tx, a.Tenant, flags.KindLapsed, c.Pair, map[string]any{"state": after.State()})
}
