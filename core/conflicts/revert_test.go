package conflicts_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

func (w *world) curate(t testing.TB, a wiki.Article) {
	t.Helper()
	w.sql(t, `update articles set curated_at = now(), curated_by = 'someone' where id = $1`, a.ID)
}

// sql changes rows behind the services' back.
func (w *world) sql(t testing.TB, sql string, args ...any) {
	t.Helper()
	require.NoError(t, w.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	}))
}

// state is what a supersede may change of an article.
type state struct {
	Status    wiki.Status
	CuratedBy string
	CuratedAt *time.Time
	Staged    *time.Time
	Body      string
	Links     int
}

func (w *world) stateOf(t testing.TB, a wiki.Article) state {
	now := w.stands(t, a.ID)
	return state{now.Status, now.CuratedBy, now.CuratedAt, now.StagedDraftAt, now.Body, len(w.links(t, a))}
}

func TestCase22RevertIsTheCompleteInverse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t, func(x *wiki.Article) {
		staged := time.Now().UTC().Truncate(time.Microsecond)
		x.Status, x.StagedDraftAt = wiki.StatusDraft, &staged
	})
	w.curate(t, a)
	_, _, err := w.Record.Link(t.Context(), w.agent, record.NewLink{Source: b.ID, Target: a.ID, Relation: wiki.RelSupersedes}, "")
	require.NoError(t, err, "an agent's opinion, which the verdict gives effect to")
	loser, winner := w.stateOf(t, a), w.stateOf(t, b)
	v := w.judge(t, w.user, keep(b, a))
	require.Equal(t, 1, w.execute(t).Executed)
	require.Empty(t, w.stateOf(t, a).CuratedBy)
	require.True(t, w.links(t, b)[0].Retires)

	_, err = w.Revert(t.Context(), w.user, v.ID, "")
	require.NoError(t, err)
	require.Equal(t, loser, w.stateOf(t, a))
	require.Equal(t, winner, w.stateOf(t, b))
	require.False(t, w.links(t, b)[0].Retires)
}

func TestCase22RevertGivesNoCurationBackToAnotherText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	w.curate(t, b)
	v := w.judge(t, w.user, keep(a, b))
	w.execute(t)
	body := "Rewritten while it was retired.\n"
	_, err := w.Record.Update(t.Context(), w.agent, b.ID, 0, record.Patch{Body: &body}, "")
	require.NoError(t, err)
	_, err = w.Revert(t.Context(), w.user, v.ID, "")
	require.NoError(t, err)
	got := w.stateOf(t, b)
	require.Equal(t, wiki.StatusPublished, got.Status)
	require.Equal(t, body, got.Body)
	require.Nil(t, got.CuratedAt)
}

// Chains block an undo, and the later act that has to be undone first is named.
func TestCase22RevertNamesTheLaterActInItsWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t, draft)
	c := w.article(t, w.agent)
	w.flag(t, b, c, 0.96)
	first := w.judge(t, w.user, keep(b, a)) // publishes b
	second := w.judge(t, w.user, keep(b, c))
	require.Equal(t, 2, w.execute(t).Executed)
	_, err := w.Revert(t.Context(), w.user, first.ID, "")
	code(t, wiki.CodeTransition, err)
	require.ErrorContains(t, err, c.Title)
	require.Equal(t, second.ID, detailsOf(t, err)["verdict_id"])
	require.Equal(t, wiki.StatusSuperseded, w.stands(t, a.ID).Status)
	_, err = w.Revert(t.Context(), w.user, second.ID, "")
	require.NoError(t, err)
	_, err = w.Revert(t.Context(), w.user, first.ID, "")
	require.NoError(t, err)
	require.Equal(t, wiki.StatusDraft, w.stands(t, b.ID).Status)
}

func TestCase22RevertNamesAnotherSupersedeOfTheLoser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	v := w.judge(t, w.user, keep(a, b))
	w.execute(t)
	_, err := w.Record.Unpublish(t.Context(), w.user, b.ID, "", "")
	require.NoError(t, err)
	_, err = w.Revert(t.Context(), w.user, v.ID, "")
	code(t, wiki.CodeTransition, err)
	require.ErrorContains(t, err, "is draft by now")
	c := w.article(t, w.user)
	link, _, err := w.Record.Link(t.Context(), w.user, record.NewLink{Source: c.ID, Target: b.ID, Relation: wiki.RelSupersedes}, "")
	require.NoError(t, err)
	_, err = w.Revert(t.Context(), w.user, v.ID, "")
	code(t, wiki.CodeTransition, err)
	require.ErrorContains(t, err, c.Title)
	require.Equal(t, link.ID, detailsOf(t, err)["link_id"])
	require.Equal(t, wiki.StatusSuperseded, w.stands(t, b.ID).Status)

	// What an agent thinks stands in nobody's way.
	d, e := w.flagged(t)
	_, _, err = w.Record.Link(t.Context(), w.agent, record.NewLink{Source: c.ID, Target: e.ID, Relation: wiki.RelSupersedes}, "")
	require.NoError(t, err)
	v = w.judge(t, w.user, keep(d, e))
	w.execute(t)
	_, err = w.Revert(t.Context(), w.user, v.ID, "")
	require.NoError(t, err)
}

// An article that took the loser's title since is in the way too.
func TestCase22RevertNamesTheArticleThatTookTheTitle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	v := w.judge(t, w.user, keep(a, b))
	w.execute(t)
	heir := w.article(t, w.agent, func(x *wiki.Article) { x.Title = b.Title })
	_, err := w.Revert(t.Context(), w.user, v.ID, "")
	code(t, wiki.CodeTitleConflict, err)
	require.Equal(t, heir.ID, detailsOf(t, err)["existing_article_id"])
	require.Equal(t, wiki.StatusSuperseded, w.stands(t, b.ID).Status)
	require.Equal(t, wiki.ConflictSettled, w.state(t, a, b))
}
