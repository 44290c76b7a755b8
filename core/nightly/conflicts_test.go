package nightly_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/conflicts"
	"wiki/core/nightly"
	"wiki/core/wiki"
)

func (w *world) open(t testing.TB) (pairs []wiki.Pair) {
	t.Helper()
	page, err := w.Queue(t.Context(), w.user, conflicts.Filter{})
	require.NoError(t, err)
	for _, c := range page.Items {
		pairs = append(pairs, c.Pair)
	}
	return pairs
}

func pairOf(t testing.TB, a, b wiki.Article) wiki.Pair {
	t.Helper()
	pair, err := wiki.NewPair(a.ID, b.ID)
	require.NoError(t, err)
	return pair
}

func (w *world) page(t testing.TB, title, body string, change ...func(*wiki.Article)) wiki.Article {
	a := wiki.Article{Title: title, Body: body, Category: "reference"}
	for _, f := range change {
		f(&a)
	}
	return w.write(t, a, true)
}

// port is a text that differs from others of its kind in one number.
func port(n string) string {
	return "The gateway listens on port " + n + ". It terminates TLS, checks the bearer token of each request, and hands it on to " +
		"the service that the first part of the path names."
}

// Pairs that no gate has seen are found, whatever order their articles came in; what was judged or isn't alike stays away.
func TestConflictsOfPublishedArticlesAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.service(t, nightly.Conflicts(w.Service))
	a := w.page(t, "The gateway", port("8080"))
	b := w.page(t, "Gateway port", port("8081"))
	w.page(t, "Lunch", "The canteen opens at noon and serves soup, salad and one warm dish, which changes daily.")
	w.page(t, "Gateway draft", port("8082"), func(a *wiki.Article) { a.Status = wiki.StatusDraft })
	w.page(t, "Gateway of one", port("8083"), func(a *wiki.Article) {
		a.Metadata = map[string]any{"visibility": "private", "agent_id": "x"}
	})
	dismissed := w.page(t, "Ports of the gateway", port("8084"))
	require.Empty(t, w.open(t))

	dry := w.run(t, s, nightly.Options{DryRun: true})
	require.Positive(t, dry.Steps[0].Applied)
	require.Empty(t, w.open(t), "a dry run changes nothing")
	r := w.run(t, s, nightly.Options{})
	require.Equal(t, wiki.GateOpen, r.Steps[0].Gate)
	queue := w.open(t)
	require.Contains(t, queue, pairOf(t, a, b))
	require.Contains(t, queue, pairOf(t, a, dismissed))
	for _, pair := range queue {
		for _, id := range pair.IDs() {
			require.Equal(t, wiki.StatusPublished, w.stands(t, id).Status)
			require.NotEqual(t, "Lunch", w.stands(t, id).Title)
		}
	}
	require.Equal(t, len(queue), r.Steps[0].Applied)

	for _, pair := range queue {
		_, err := w.Judge(t.Context(), w.user, conflicts.Judgement{A: pair.First, B: pair.Second, Disposition: wiki.Dismiss}, "")
		require.NoError(t, err)
	}
	require.Zero(t, w.run(t, s, nightly.Options{}).Steps[0].Offered, "what was judged is not put up again")
	require.Empty(t, w.open(t))
}

// A flag that was raised before the texts came apart lapses, and one that lapsed too early holds again.
func TestFlagsFollowTheTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.service(t, nightly.Conflicts(w.Service))
	a := w.page(t, "The gateway", port("8080"))
	lunch := w.page(t, "Lunch", "The canteen opens at noon and serves soup, salad and one warm dish, which changes daily.")
	w.flag(t, a, lunch)
	require.Len(t, w.open(t), 1)
	r := w.run(t, s, nightly.Options{})
	require.Equal(t, 1, r.Steps[0].Applied)
	require.Empty(t, w.open(t), "they were never alike")
	require.Equal(t, 1, w.acts(t, "conflict.lapse"))
	require.Zero(t, w.run(t, s, nightly.Options{}).Steps[0].Offered)
}

// The sweep is cut at its budget, and goes on there the next night: every pair is found, none twice.
func TestSweepGoesOnTheNextNight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := nightly.Conflicts(w.Service)
	c.Budget, c.Batch = wiki.NightBudget{Count: 2, Time: time.Hour}, 1
	s := w.service(t, c)
	for _, n := range []string{"8080", "8081", "8082", "8083"} {
		w.page(t, "Gateway at "+n, port(n))
	}
	const pairs = 4 * 3 / 2
	nights := 0
	for found := 0; found < pairs; nights++ {
		r := w.run(t, s, nightly.Options{})
		require.LessOrEqual(t, r.Steps[0].Applied, 2)
		found += r.Steps[0].Applied
		require.Less(t, nights, 10)
	}
	require.GreaterOrEqual(t, nights, 3)
	require.Len(t, w.open(t), pairs)
	require.Equal(t, pairs, w.count(t, `select count(*) from conflict_flags where tenant_id = $1`, w.user.Tenant))
}
