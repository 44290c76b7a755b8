package queue_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/server/api"
	"wiki/tui/queue"
)

var now = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

func row(id string) api.Conflict { return api.Conflict{ID: id, State: "open"} }

func page(open int, ids ...string) queue.Page {
	p := queue.Page{Open: open}
	for _, id := range ids {
		p.Rows = append(p.Rows, row(id))
	}
	return p
}

func selected(t require.TestingT, q *queue.Queue) string {
	c, ok := q.Selected()
	if !ok {
		return ""
	}
	require.Equal(t, c.ID, q.Row(q.Position()).ID)
	return c.ID
}

// Case 92: a refreshed list moved the selection to another row, and the act hit the wrong item.
func TestCase92ARefreshNeverMovesTheSelection(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var q queue.Queue
		pool := make([]string, 12)
		for i := range pool {
			pool[i] = fmt.Sprint("p", i)
		}
		some := rapid.Permutation(pool)
		q.Replace(page(12, pool...), nil)
		for range 20 {
			before := selected(t, &q)
			switch rapid.IntRange(0, 3).Draw(t, "act") {
			case 0: // a refresh with other rows in another order
				ids := some.Draw(t, "ids")[:rapid.IntRange(0, 12).Draw(t, "n")]
				q.Replace(page(len(ids), ids...), q.Delivered())
				if slices.Contains(ids, before) && q.MarkOf(before, now) != queue.Judged {
					require.Equal(t, before, selected(t, &q))
				}
			case 1:
				q.Append(page(12, some.Draw(t, "ids")[:3]...), q.Delivered())
				if before != "" {
					require.Equal(t, before, selected(t, &q))
				}
			case 2: // another pair goes
				gone := rapid.SampledFrom(pool).Draw(t, "gone")
				q.Judge(gone)
				if gone != before && before != "" {
					require.Equal(t, before, selected(t, &q))
				}
			case 3:
				q.Return(rapid.SampledFrom(pool).Draw(t, "back"))
				if before != "" {
					require.Equal(t, before, selected(t, &q))
				}
			}
			require.Equal(t, q.Len() > 0, selected(t, &q) != "", "something is selected while there is something")
			p := q.Progress(now)
			require.Equal(t, p.Total, p.Judged+p.Left+p.Skipped+p.Deferred)
		}
	})
}

func TestAVanishedSelectionFallsToItsNeighbour(t *testing.T) {
	t.Parallel()
	var q queue.Queue
	q.Replace(page(4, "a", "b", "c", "d"), nil)
	require.True(t, q.Select("b"))
	q.Judge("b")
	require.Equal(t, "c", selected(t, &q))
	q.Replace(page(2, "a", "d"), nil)
	require.Equal(t, "d", selected(t, &q), "the next below that still stands")
	q.Judge("d")
	require.Equal(t, "a", selected(t, &q), "above when nothing is below")
	q.Judge("a")
	require.Empty(t, selected(t, &q))
	q.Return("d")
	require.Equal(t, "d", selected(t, &q))
	require.False(t, q.Select("b"))
}

func TestAWantedPairIsSelectedWhenItComesBack(t *testing.T) {
	t.Parallel()
	var q queue.Queue
	q.Replace(page(2, "b", "c"), nil)
	q.Want("a")
	require.Equal(t, "b", selected(t, &q))
	q.Replace(page(3, "a", "b", "c"), nil)
	require.Equal(t, "a", selected(t, &q))
	q.Replace(page(2, "b", "c"), nil)
	q.Want("a")
	q.Move(1)
	q.Replace(page(3, "a", "b", "c"), nil)
	require.Equal(t, "c", selected(t, &q), "the curator has moved")
}

func TestMoveStopsAtTheEnds(t *testing.T) {
	t.Parallel()
	var q queue.Queue
	q.Move(1)
	q.Replace(page(3, "a", "b", "c"), nil)
	q.Move(-5)
	require.Equal(t, "a", selected(t, &q))
	q.Move(2)
	q.Move(9)
	require.Equal(t, "c", selected(t, &q))
}

func TestAheadPassesWhatIsDoneOrHeld(t *testing.T) {
	t.Parallel()
	var q queue.Queue
	p := page(7, "a", "b", "c", "d", "e", "f", "g")
	p.Rows[2].Claim = &api.Claim{By: "ana", ExpiresAt: now.Add(time.Minute)}
	p.Rows[3].Claim = &api.Claim{By: "ana", ExpiresAt: now.Add(-time.Minute)}
	p.Rows[6].State = "judged"
	q.Replace(p, nil)
	q.Skip("e")
	q.Defer("f", now.Add(time.Hour))
	require.Equal(t, []string{"d", "a"}, q.Ahead("b", 3, now), "a lapsed claim is free, the top comes after the end")
	require.Equal(t, []string{"c", "d", "f", "a"}, q.Ahead("b", 9, now.Add(2*time.Hour)), "claim and deferral have ended")
}

func TestProgressAddsUp(t *testing.T) {
	t.Parallel()
	var q queue.Queue
	q.Replace(page(6, "a", "b", "c", "d", "e", "f"), nil)
	q.Judge("a")
	q.Judge("b")
	q.Skip("c")
	q.Defer("d", now.Add(time.Hour))
	require.Equal(t, queue.Progress{Judged: 2, Left: 2, Skipped: 1, Deferred: 1, Total: 6}, q.Progress(now))

	q.Accepted("a", true)
	asked := q.Delivered()
	q.Accepted("b", true) // arrives while the question is under way: the answer may not know it
	q.Replace(page(5, "b", "c", "d", "e", "f"), asked)
	require.Equal(t, queue.Progress{Judged: 2, Left: 2, Skipped: 1, Deferred: 1, Total: 6}, q.Progress(now))
	q.Replace(page(4, "c", "d", "e", "f"), q.Delivered())
	require.Equal(t, queue.Progress{Judged: 2, Left: 2, Skipped: 1, Deferred: 1, Total: 6}, q.Progress(now))

	q.Return("a") // taken back
	require.Equal(t, queue.Progress{Judged: 1, Left: 3, Skipped: 1, Deferred: 1, Total: 6}, q.Progress(now))
	require.Equal(t, queue.Progress{Judged: 1, Left: 4, Skipped: 1, Total: 6}, q.Progress(now.Add(2*time.Hour)), "an ended deferral is left again")
}

func TestAVerdictThatCannotBeExecutedLeavesThePairOpen(t *testing.T) {
	t.Parallel()
	var q queue.Queue
	q.Replace(page(2, "a", "b"), nil)
	q.Judge("a")
	require.Equal(t, 1, q.Len())
	q.Accepted("a", false)
	require.Equal(t, 2, q.Len())
	require.Equal(t, queue.Recorded, q.MarkOf("a", now))
	require.Empty(t, q.Ahead("b", 3, now))
	q.Replace(page(2, "a", "b"), q.Delivered())
	require.Equal(t, queue.Progress{Judged: 1, Left: 1, Total: 2}, q.Progress(now))
}

func TestParseFilter(t *testing.T) {
	t.Parallel()
	q, err := queue.ParseFilter(" kind:asserted by:ana  over:0.95 under:0.99 category:decision ", api.ConflictQuery{Sort: "newest", Kind: "system"})
	require.NoError(t, err)
	require.Equal(t, api.ConflictQuery{Sort: "newest", Kind: "asserted", By: "ana", MinSimilarity: 0.95, MaxSimilarity: 0.99, Category: "decision"}, q)
	q, err = queue.ParseFilter("", q)
	require.NoError(t, err)
	require.Equal(t, api.ConflictQuery{Sort: "newest"}, q)
	q, err = queue.ParseFilter("older:7d newer:36h", q)
	require.NoError(t, err)
	require.Equal(t, api.ConflictQuery{Sort: "newest", MinAgeHours: 168, MaxAgeHours: 36}, q)
	for _, bad := range []string{"hello", "kind:", "kind:other", "over:2", "over:x", "over:NaN", "age:3", "older:3", "older:d", "newer:0h", "older:-1d", "older:3651d", "newer:9999999999999999999d"} {
		_, err := queue.ParseFilter(bad, api.ConflictQuery{})
		require.Error(t, err, bad)
	}
}

// A filter that is written out is read as what it was.
func TestFilterTextIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z][a-z0-9:._-]{0,8}`)
		share := rapid.SampledFrom([]float64{0, 0.5, 0.95, 0.123456789, 1})
		hours := rapid.IntRange(0, 87_600)
		q := api.ConflictQuery{
			State: "open", Sort: "oldest", Kind: rapid.SampledFrom([]string{"", "system", "asserted"}).Draw(t, "kind"),
			Category: rapid.OneOf(rapid.Just(""), word).Draw(t, "category"), By: rapid.OneOf(rapid.Just(""), word).Draw(t, "by"),
			MinSimilarity: share.Draw(t, "over"), MaxSimilarity: share.Draw(t, "under"), MinAgeHours: hours.Draw(t, "older"), MaxAgeHours: hours.Draw(t, "newer"),
		}
		back, err := queue.ParseFilter(queue.FilterText(q), api.ConflictQuery{State: "open", Sort: "oldest"})
		require.NoError(t, err)
		require.Equal(t, q, back)
	})
}
