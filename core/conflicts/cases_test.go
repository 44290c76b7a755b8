package conflicts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

// Case 19: two entities were merged that had nothing in common. Here what was never put before the curators as a conflict can't
// be merged by anybody, and both stand.
func TestCase19OnlyAPairThatWasFlaggedCanBeMerged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.article(t, w.user), w.article(t, w.agent)
	for _, who := range []wiki.Actor{w.agent, w.user} {
		w.refuses(t, who, merge(a, b), wiki.CodeNotFound)
		w.refuses(t, who, keep(a, b), wiki.CodeNotFound)
	}
	require.Zero(t, w.execute(t).Executed)
	require.Equal(t, a, w.stands(t, a.ID))
	require.Equal(t, b, w.stands(t, b.ID))
}

// Case 20: what an automatic merge found the lesser one was destroyed. Here the loser keeps its text and its versions, is read
// by its id, and stands again when the verdict is reverted; however alike the two are, nothing happens without a verdict.
func TestCase20TheLoserIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.article(t, w.user), w.article(t, w.agent)
	w.flag(t, a, b, 0.999)
	require.Zero(t, w.execute(t).Executed, "likeness is no verdict")
	require.Equal(t, wiki.StatusPublished, w.stands(t, b.ID).Status)

	v := w.judge(t, w.user, keep(a, b))
	require.Equal(t, 1, w.execute(t).Executed)
	loser := w.stands(t, b.ID)
	require.Equal(t, wiki.StatusSuperseded, loser.Status)
	require.Equal(t, b.Body, loser.Body)
	_, err := w.Revert(t.Context(), w.user, v.ID, "")
	require.NoError(t, err)
	again := w.stands(t, b.ID)
	require.Equal(t, wiki.StatusPublished, again.Status)
	require.Equal(t, b.Body, again.Body)
}
