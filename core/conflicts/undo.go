package conflicts

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

const (
	actWithdraw = "conflict.withdraw"
	actRevert   = "conflict.revert"

	withdrawSQL = `update conflict_verdicts set withdrawn_at = $3 where tenant_id = $1 and id = $2`
	revertSQL   = `update conflict_verdicts set reverted_at = $3, result = result || $4 where tenant_id = $1 and id = $2`
)

// Withdraw takes a verdict back that was not applied yet, or a dismissal; the pair is in the queue again. One's own, or
// anybody's for a user. A repeat by the act's key answers with the verdict as it stands. Errors: CodeNotFound;
// CodeForbidden for another principal's; CodeAlreadyExecuted; CodeTransition when it was taken back or replaced before.
func (s Service) Withdraw(ctx context.Context, actor wiki.Actor, id uuid.UUID, actKey string) (Verdict, error) {
	return s.takeBack(ctx, actor, id, actWithdraw, actKey, func(ctx context.Context, tx postgres.Tx, h held, v wiki.Verdict) error {
		if err := mayUndo(actor, v, UndoWithdraw); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, withdrawSQL, actor.Tenant, id, tx.Now); err != nil {
			return fmt.Errorf("conflicts: withdraw: %w", err)
		}
		return finish(ctx, tx, actor, h.Pair, v, actWithdraw, KindWithdrawn, actKey)
	})
}

// Revert undoes an applied supersede as one act: both statuses are what they were, the link is gone, the pair is in the
// queue again. It needs role user. What was done to the loser since stands in the way: the answer, CodeTransition, names it
// (case 22).
func (s Service) Revert(ctx context.Context, actor wiki.Actor, id uuid.UUID, actKey string) (Verdict, error) {
	if err := actor.Require(wiki.RoleUser); err != nil {
		return Verdict{}, err
	}
	return s.takeBack(ctx, actor, id, actRevert, actKey, func(ctx context.Context, tx postgres.Tx, h held, v wiki.Verdict) error {
		if err := mayUndo(actor, v, UndoRevert); err != nil {
			return err
		}
		if err := s.restore(ctx, tx, actor, v); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, revertSQL, actor.Tenant, id, tx.Now, map[string]any{"reverted_by": actor.Stamp()}); err != nil {
			return fmt.Errorf("conflicts: revert: %w", err)
		}
		return finish(ctx, tx, actor, h.Pair, v, actRevert, KindReverted, actKey)
	})
}

// takeBack finds a verdict, holds its pair, and answers a repeat of the act without doing it again.
func (s Service) takeBack(ctx context.Context, actor wiki.Actor, id uuid.UUID, act, actKey string, do func(context.Context, postgres.Tx, held, wiki.Verdict) error) (Verdict, error) {
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return Verdict{}, err
	}
	var out Verdict
	err := s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, done, err := audit.Replay(ctx, tx, actor, actKey, act, id)
		if err != nil {
			return err
		}
		found, err := byID(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		if !done {
			// A change of status waits for the articles before the pair, so that it cannot meet another act half-way.
			if err := lockArticles(ctx, tx, actor, found.Verdict); err != nil {
				return err
			}
			h, err := hold(ctx, tx, actor, wiki.Pair{First: found.First, Second: found.Second})
			if err != nil {
				return err
			}
			v, err := h.verdict(id)
			if err != nil {
				return err
			}
			if err := do(ctx, tx, h, v); err != nil {
				return err
			}
		}
		out, err = byID(ctx, tx, actor, id)
		return err
	})
	if err != nil {
		return Verdict{}, err
	}
	return out, nil
}

// lockArticles takes both articles for a change, in the order of their ids.
func lockArticles(ctx context.Context, tx postgres.Tx, actor wiki.Actor, v wiki.Verdict) error {
	for _, id := range []uuid.UUID{v.First, v.Second} {
		if _, err := articles.Lock(ctx, tx, actor, id); err != nil {
			return err
		}
	}
	return nil
}

// mayUndo answers why a verdict cannot be taken back in this way.
func mayUndo(actor wiki.Actor, v wiki.Verdict, want Undo) error {
	undo, why := undoOf(actor, v)
	switch {
	case undo == want:
		return nil
	case v.Stands() && v.By.Principal != actor.Principal() && actor.Role < wiki.RoleUser:
		return wiki.Errorf(wiki.CodeForbidden, "the verdict cannot be taken back: %s", why)
	case v.Stands() && want == UndoWithdraw && v.ExecutedAt != nil:
		e := wiki.Errorf(wiki.CodeAlreadyExecuted, "the verdict has been applied")
		e.Remedy = "a user can revert it"
		if v.Disposition == wiki.Merge {
			e.Remedy = why
		}
		return e
	case v.Stands() && want == UndoRevert && v.ExecutedAt == nil:
		why = "it has not been applied: withdraw it"
	case v.Stands() && want == UndoRevert && v.Disposition == wiki.Dismiss:
		why = "it changed no article: withdraw it"
	}
	return wiki.Errorf(wiki.CodeTransition, "the verdict cannot be taken back: %s", why)
}

// finish brings the queue up to date after a verdict changed and records the act.
func finish(ctx context.Context, tx postgres.Tx, actor wiki.Actor, pair wiki.Pair, v wiki.Verdict, act, kind, actKey string) error {
	after, err := flags.Save(ctx, tx, actor.Tenant, pair)
	if err != nil {
		return err
	}
	detail := map[string]any{"conflict": pair.String(), "disposition": v.Disposition, "judged_by": v.By.Principal}
	if err := audit.Write(ctx, tx, actor, audit.Entry{Act: act, Subject: v.ID, ActKey: actKey, Result: v.ID, Detail: detail}); err != nil {
		return err
	}
	return flags.Emit(ctx, tx, actor.Tenant, kind, pair, map[string]any{"verdict": v.ID, "disposition": v.Disposition, "state": after.State()})
}
