package conflicts_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/conflicts"
	"wiki/core/record"
	"wiki/core/wiki"
)

const (
	portText  = "The booking service listens on port 8080 behind the load balancer of the data centre in Berlin, and restarts every night."
	otherText = "Sourdough needs a ripe starter, a warm kitchen and much patience; knead the dough twice and let it rest over night."
)

func text(title, body string) func(*wiki.Article) {
	return func(a *wiki.Article) { a.Title, a.Body = title, body }
}

func (w *world) edit(t testing.TB, a wiki.Article, body string) {
	t.Helper()
	_, err := w.Record.Update(t.Context(), w.agent, a.ID, 0, record.Patch{Body: &body}, "")
	require.NoError(t, err)
}

func (w *world) conflictOf(t testing.TB, a, b wiki.Article) conflicts.Conflict {
	t.Helper()
	d, err := w.Pair(t.Context(), w.user, pairOf(a, b))
	require.NoError(t, err)
	return d.Conflict
}

// alike makes a flagged pair of two texts that the model finds alike, and that have vectors.
func (w *world) alike(t testing.TB) (a, b wiki.Article) {
	t.Helper()
	a, b = w.article(t, w.agent, text("Port of bookings", "x")), w.article(t, w.agent, text("Port of the bookings", "x"))
	w.edit(t, a, portText)
	w.edit(t, b, portText+" That is all.")
	w.flag(t, a, b, 0.97)
	return a, b
}

// Case 86: a pair that an edit took apart closes itself with the reason, is no more for judging, and comes back when the
// texts are alike again.
func TestCase86PairThatAnEditTookApartClosesItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.alike(t)
	require.Len(t, w.open(t), 1)
	w.edit(t, b, otherText)
	require.Empty(t, w.open(t))
	c := w.conflictOf(t, a, b)
	require.Contains(t, c.Closed, `an edit of "Port of the bookings" took the texts apart`)
	require.Less(t, c.Flag.Similarity, 0.8, "measured anew")
	w.refuses(t, w.user, dismissal(a, b), wiki.CodeStale)
	page, err := w.Queue(t.Context(), w.user, conflicts.Filter{State: wiki.ConflictSettled})
	require.NoError(t, err)
	require.Equal(t, c.Closed, page.Items[0].Closed)

	w.edit(t, b, portText+" Port 8081 is for the probe.")
	c = w.conflictOf(t, a, b)
	require.Empty(t, c.Closed)
	require.Equal(t, wiki.ConflictOpen, c.State)
	require.NotEmpty(t, c.Flag.Differing, "what tells them apart now")
	require.Greater(t, c.Flag.Similarity, 0.88)
}

// What somebody disputes is not measured away.
func TestCase86AnAssertionIsNotMeasuredAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.alike(t)
	_, err := w.Assert(t.Context(), w.other, conflicts.Assertion{A: a.ID, B: b.ID, Evidence: "they contradict"}, "")
	require.NoError(t, err)
	w.edit(t, b, otherText)
	c := w.conflictOf(t, a, b)
	require.Empty(t, c.Closed)
	require.False(t, c.Flag.System, "it is in the queue for the assertion alone")
	w.refuses(t, w.other, dismissal(a, b), wiki.CodeSelfAsserted)
	w.judge(t, w.user, dismissal(a, b))
}

// A human's dismissal stands until a body changes; then the flag may come again, and says which verdict, when, and what changed.
func TestDismissalStandsUntilABodyChangesAndTheFlagSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.alike(t)
	v := w.judge(t, w.user, dismissal(a, b))
	w.flag(t, a, b, 0.99)
	_, err := w.Assert(t.Context(), w.other, conflicts.Assertion{A: a.ID, B: b.ID, Evidence: "I insist"}, "")
	code(t, wiki.CodeTransition, err)
	_, err = w.Record.Update(t.Context(), w.agent, a.ID, 0, record.Patch{Tags: &[]string{"ports"}}, "")
	require.NoError(t, err)
	w.flag(t, a, b, 0.99)
	require.Empty(t, w.open(t), "tags are no text")
	w.edit(t, a, portText+" Indeed.")
	require.Empty(t, w.open(t), "nothing that the judge did not see")

	w.edit(t, a, portText+" It used to be 9090.")
	items := w.open(t)
	require.Len(t, items, 1)
	require.Equal(t, &wiki.Again{
		Verdict: v.ID, Disposition: wiki.Dismiss, By: w.user.Principal(), JudgedAt: v.JudgedAt.UTC(), Changed: items[0].Flag.Again.Changed,
	}, utc(items[0].Flag.Again))
	require.Equal(t, a.ID, items[0].Flag.Again.Changed[0])
	require.Len(t, items[0].Flag.Again.Changed, 1)
	require.Regexp(t, `^flagged again: the (first|second) text changed after .*'s verdict \(dismiss\) of `, items[0].Flag.Evidence)
	w.flag(t, a, b, 0.98)
	require.NotNil(t, w.open(t)[0].Flag.Again, "a later measurement does not make it forget")

	// An assertion may come again too, and says so beside its own evidence.
	w.judge(t, w.user, dismissal(a, b))
	w.edit(t, b, otherText)
	_, err = w.Assert(t.Context(), w.other, conflicts.Assertion{A: a.ID, B: b.ID, Evidence: "now they differ"}, "")
	require.NoError(t, err)
	flag := w.open(t)[0].Flag
	require.Equal(t, "now they differ", flag.Evidence)
	require.Equal(t, b.ID, flag.Again.Changed[0])
}

func utc(a *wiki.Again) *wiki.Again {
	c := *a
	c.JudgedAt = c.JudgedAt.UTC().Truncate(time.Microsecond)
	return &c
}
