package conflicts_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/conflicts"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

// star flags one article with each of some others, and gives it and their pairs.
func (w *world) star(t *testing.T, points int, change ...func(*wiki.Article)) (wiki.Article, []wiki.Pair) {
	t.Helper()
	hub := w.article(t, w.agent)
	var pairs []wiki.Pair
	for range points {
		other := w.article(t, w.agent, change...)
		w.flag(t, hub, other, 0.94)
		pairs = append(pairs, pairOf(hub, other))
	}
	return hub, pairs
}

func (w *world) groups(t *testing.T, who wiki.Actor, f conflicts.Filter) (ids []uuid.UUID, pairs []int) {
	t.Helper()
	for {
		page, err := w.Groups(t.Context(), who, f)
		require.NoError(t, err)
		for _, g := range page.Items {
			ids, pairs = append(ids, g.Article), append(pairs, g.Pairs)
		}
		if f.Cursor = page.Next; page.Next == "" {
			return ids, pairs
		}
		require.Len(t, page.Items, f.Limit)
	}
}

// Case 85: 437,965 items one by one. An article that many others contradict is one thing to look at, with its pairs.
func TestCase85TheQueueIsGroupedByArticle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	three, its := w.star(t, 3)
	two, _ := w.star(t, 2)
	alsoTwo, _ := w.star(t, 2)
	w.star(t, 1)
	ids, pairs := w.groups(t, w.user, conflicts.Filter{Limit: 1})
	require.Equal(t, []int{3, 2, 2}, pairs, "the most first, and none that is in one pair")
	require.Equal(t, three.ID, ids[0])
	require.ElementsMatch(t, []uuid.UUID{two.ID, alsoTwo.ID}, ids[1:])
	page, err := w.Groups(t.Context(), w.user, conflicts.Filter{})
	require.NoError(t, err)
	require.Equal(t, three.Title, page.Items[0].Title)
	require.InDelta(t, 0.94, page.Items[0].Similarity, 1e-9)
	require.Equal(t, wiki.StatusPublished, page.Items[0].Status)

	require.ElementsMatch(t, its, walk(t, w, w.user, conflicts.Filter{Article: three.ID, Limit: 2}))
	queue, err := w.Queue(t.Context(), w.user, conflicts.Filter{Article: three.ID})
	require.NoError(t, err)
	require.Equal(t, 3, queue.Counts["open"])
	for _, item := range queue.Items[:2] {
		w.judge(t, w.user, conflicts.Judgement{A: item.Pair.First, B: item.Pair.Second, Disposition: wiki.Dismiss})
	}
	ids, _ = w.groups(t, w.user, conflicts.Filter{Limit: 5})
	require.NotContains(t, ids, three.ID, "one pair of its is left")
	ids, _ = w.groups(t, w.user, conflicts.Filter{State: wiki.ConflictSettled, Limit: 5})
	require.Equal(t, []uuid.UUID{three.ID}, ids)
	ids, _ = w.groups(t, w.user, conflicts.Filter{Kind: "asserted", Limit: 5})
	require.Empty(t, ids)
}

func TestGroupsCountOnlyPairsThatTheActorSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hub, _ := w.star(t, 2, private)
	shared := w.article(t, w.agent)
	w.flag(t, hub, shared, 0.95)
	_, pairs := w.groups(t, w.user, conflicts.Filter{Limit: 5})
	require.Equal(t, []int{3}, pairs)
	for _, who := range []wiki.Actor{w.other, pgtest.Tenant(t, w.DB)} {
		_, pairs = w.groups(t, who, conflicts.Filter{Limit: 5})
		require.Empty(t, pairs)
		require.LessOrEqual(t, len(walk(t, w, who, conflicts.Filter{Article: hub.ID, Limit: 5})), 1)
	}
}

func TestGroupsRefuseWhatTheQueueRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, bad := range []conflicts.Filter{{State: "x"}, {Kind: "x"}, {Limit: 201}, {MinAgeHours: -1}, {Cursor: "junk"}, {Cursor: "e30"}} {
		_, err := w.Groups(t.Context(), w.user, bad)
		code(t, wiki.CodeInvalidParameter, err)
	}
	_, err := w.Groups(t.Context(), wiki.Actor{Tenant: w.user.Tenant}, conflicts.Filter{})
	code(t, wiki.CodeForbidden, err)
}
