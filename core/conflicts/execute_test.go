package conflicts_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/conflicts"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

func (w *world) execute(t testing.TB) conflicts.Tally {
	t.Helper()
	tally, err := w.Execute(t.Context(), w.user, 0)
	require.NoError(t, err)
	return tally
}

func (w *world) links(t testing.TB, a wiki.Article) []articles.Edge {
	t.Helper()
	var out []articles.Edge
	require.NoError(t, w.DB.TenantRead(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		out, _, err = articles.Links(ctx, tx, w.user, a.ID)
		return err
	}))
	return out
}

func TestSupersedeIsAppliedOnceAndRevertedWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	v := w.judge(t, w.user, keep(a, b))
	require.Equal(t, wiki.StatusPublished, w.stands(t, b.ID).Status, "it waits")
	_, err := w.Execute(t.Context(), w.agent, 0)
	code(t, wiki.CodeForbidden, err)

	tally := w.execute(t)
	require.Equal(t, 1, tally.Executed)
	require.Zero(t, tally.Left)
	require.Equal(t, wiki.StatusSuperseded, w.stands(t, b.ID).Status)
	require.Equal(t, wiki.StatusPublished, w.stands(t, a.ID).Status)
	require.Equal(t, b.ID, w.links(t, a)[0].Target)
	require.Zero(t, w.execute(t).Executed)
	require.Equal(t, wiki.ConflictSettled, w.state(t, a, b))

	_, err = w.Withdraw(t.Context(), w.user, v.ID, "")
	code(t, wiki.CodeAlreadyExecuted, err)
	_, err = w.Revert(t.Context(), w.agent, v.ID, "")
	code(t, wiki.CodeForbidden, err)
	reverted, err := w.Revert(t.Context(), w.user, v.ID, "undo-1")
	require.NoError(t, err)
	require.NotNil(t, reverted.RevertedAt)
	_, err = w.Revert(t.Context(), w.user, v.ID, "undo-1")
	require.NoError(t, err, "a repeat changes nothing")
	_, err = w.Revert(t.Context(), w.user, v.ID, "")
	code(t, wiki.CodeTransition, err)
	require.Equal(t, wiki.StatusPublished, w.stands(t, b.ID).Status)
	require.Empty(t, w.links(t, a))
	require.Equal(t, wiki.ConflictOpen, w.state(t, a, b))
}

func TestWinnerThatWasADraftIsPublishedAndComesBackAsADraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t, draft)
	v := w.judge(t, w.user, keep(b, a))
	require.Equal(t, 1, w.execute(t).Executed)
	require.Equal(t, wiki.StatusPublished, w.stands(t, b.ID).Status)
	require.Equal(t, wiki.StatusSuperseded, w.stands(t, a.ID).Status)
	_, err := w.Revert(t.Context(), w.user, v.ID, "")
	require.NoError(t, err)
	require.Equal(t, wiki.StatusDraft, w.stands(t, b.ID).Status)
	require.Equal(t, wiki.StatusPublished, w.stands(t, a.ID).Status)
}

func TestMergeMakesADraftOfBothAndRetiresNeither(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	w.judge(t, w.agent, merge(b, a))
	require.Equal(t, 1, w.execute(t).Executed)
	d, err := w.Pair(t.Context(), w.user, pairOf(a, b))
	require.NoError(t, err)
	v := d.Conflict.Verdict
	require.Equal(t, wiki.ConflictSettled, d.Conflict.State)
	require.Equal(t, conflicts.UndoNone, v.Undo)
	page, err := articles.Reader{DB: w.DB}.List(t.Context(), w.user, articles.Filter{Status: wiki.StatusDraft})
	require.NoError(t, err)
	require.Len(t, page.Articles, 1)
	made := w.stands(t, page.Articles[0].ID)
	require.Equal(t, made.ID.String(), v.Result["draft_id"])
	require.Equal(t, b.Title+" (merged)", made.Title)
	require.Contains(t, made.Body, strings.TrimSpace(a.Body))
	require.Contains(t, made.Body, strings.TrimSpace(b.Body))
	require.Equal(t, []any{b.ID.String(), a.ID.String()}, made.Metadata["merged_from"])
	require.Len(t, w.links(t, made), 2)
	for _, side := range []wiki.Article{a, b} {
		require.Equal(t, wiki.StatusPublished, w.stands(t, side.ID).Status)
	}
}

func TestMergeOfAPrivateTextStaysPrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t, private)
	w.judge(t, w.user, merge(a, b))
	require.Equal(t, 1, w.execute(t).Executed)
	require.NoError(t, w.DB.TenantRead(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := articles.ByTitle(ctx, tx, w.other, a.Title+" (merged)", "")
		code(t, wiki.CodeNotFound, err)
		return nil
	}))
}

func TestVerdictOnWhatHasChangedSinceIsRefusedAndThePairComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	w.judge(t, w.user, keep(a, b))
	c, d := w.flagged(t)
	w.judge(t, w.user, keep(c, d))
	e, f := w.flagged(t)
	w.judge(t, w.user, merge(e, f))
	body := "Rewritten.\n"
	_, err := w.Record.Update(t.Context(), w.agent, b.ID, 0, record.Patch{Body: &body}, "")
	require.NoError(t, err)
	require.Equal(t, wiki.ConflictOpen, w.state(t, a, b), "not hidden behind a verdict that will not be applied, even before somebody executes")
	w.flag(t, c, d, 0.99) // stands: the same flag, no text changed
	_, err = w.Record.Archive(t.Context(), w.agent, f.ID, "old", "")
	require.NoError(t, err)

	tally := w.execute(t)
	require.Equal(t, 1, tally.Executed)
	require.Equal(t, 1, tally.Refused, "the one of an archived article")
	require.Zero(t, tally.Left)
	require.Equal(t, wiki.StatusPublished, w.stands(t, b.ID).Status)
	require.Equal(t, wiki.ConflictOpen, w.state(t, a, b))
	detail, err := w.Pair(t.Context(), w.user, pairOf(a, b))
	require.NoError(t, err)
	require.Contains(t, detail.History[0].Result["refused"], "was changed since the verdict")
	w.judge(t, w.user, keep(a, b))
	require.Equal(t, 1, w.execute(t).Executed)
}

// The principals are judged as they were stamped, again when the verdict is applied.
func TestSeparationIsAskedAgainOnExecution(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.article(t, w.agent), w.article(t, w.agent)
	_, err := w.Assert(t.Context(), w.agent, conflicts.Assertion{A: a.ID, B: b.ID, Evidence: "x"}, "")
	require.NoError(t, err)
	w.judge(t, w.user, keep(a, b))
	require.NoError(t, w.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `update conflict_verdicts set judged_by = $1`, w.agent.Stamp())
		return err
	}))
	tally := w.execute(t)
	require.Equal(t, 1, tally.Refused)
	require.Equal(t, wiki.CodeSelfAsserted, tally.Outcomes[0].Code)
	require.Equal(t, wiki.StatusPublished, w.stands(t, b.ID).Status)
	require.Len(t, w.open(t), 1)
}

func TestFiftyExecutorsApplyEachVerdictOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const pairs = 6
	losers := w.judged(t, pairs)
	require.Equal(t, pairs, w.executeAtOnce(t, 50))
	for _, loser := range losers {
		require.Equal(t, 2, w.stands(t, loser.ID).Version, "one change of status")
	}
	require.Equal(t, pairs, w.number(t, executedSQL))
	w.requireWhole(t)
}

// executeAtOnce lets many execute at the same time and says how many verdicts they applied between them.
func (w *world) executeAtOnce(t *testing.T, executors int) int {
	t.Helper()
	var wg sync.WaitGroup
	var executed, other atomic.Int64
	for range executors {
		wg.Go(func() {
			tally, err := w.Execute(t.Context(), w.user, 0)
			if err != nil {
				t.Error(err)
			}
			executed.Add(int64(tally.Executed))
			other.Add(int64(tally.Failed + tally.Refused))
		})
	}
	wg.Wait()
	require.Zero(t, other.Load(), "none failed or was refused")
	return int(executed.Load())
}

func TestWithdrawnPairIsInTheQueueAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	for _, j := range []conflicts.Judgement{dismissal(a, b), keep(a, b), merge(a, b)} {
		v := w.judge(t, w.user, j)
		require.Empty(t, w.open(t))
		log, next, err := w.Log(t.Context(), w.user, conflicts.LogFilter{Mine: true, Undoable: true})
		require.NoError(t, err)
		require.Empty(t, next)
		require.Len(t, log, 1)
		require.Equal(t, conflicts.UndoWithdraw, log[0].Undo)
		require.Equal(t, a.Title, map[bool]string{true: log[0].FirstTitle, false: log[0].SecondTitle}[log[0].First == a.ID])
		_, err = w.Withdraw(t.Context(), w.user, v.ID, "")
		require.NoError(t, err)
		_, err = w.Withdraw(t.Context(), w.user, v.ID, "")
		code(t, wiki.CodeTransition, err)
		require.Len(t, w.open(t), 1)
		require.Zero(t, w.execute(t).Executed)
	}
	log, next, err := w.Log(t.Context(), w.user, conflicts.LogFilter{Mine: true, Limit: 2})
	require.NoError(t, err)
	require.Len(t, log, 2)
	require.Equal(t, wiki.Merge, log[0].Disposition)
	log, next, err = w.Log(t.Context(), w.user, conflicts.LogFilter{Mine: true, Limit: 2, Cursor: next})
	require.NoError(t, err)
	require.Empty(t, next)
	require.Equal(t, wiki.Dismiss, log[0].Disposition)
}

func TestWithdrawnReplacementDoesNotBringTheReplacedBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	w.judge(t, w.user, keep(a, b))
	v := w.judge(t, w.user, dismissal(a, b))
	_, err := w.Withdraw(t.Context(), w.user, v.ID, "")
	require.NoError(t, err)
	require.Len(t, w.open(t), 1)
	require.Zero(t, w.execute(t).Executed)
	require.Equal(t, wiki.StatusPublished, w.stands(t, b.ID).Status)
}
