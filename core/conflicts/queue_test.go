package conflicts_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/conflicts"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/usage"
	"wiki/core/wiki"
)

func walk(t *testing.T, w *world, who wiki.Actor, f conflicts.Filter) []wiki.Pair {
	t.Helper()
	var all []wiki.Pair
	for {
		page, err := w.Queue(t.Context(), who, f)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Items), f.Limit)
		for _, item := range page.Items {
			all = append(all, item.Pair)
		}
		if f.Cursor = page.Next; page.Next == "" {
			return all
		}
	}
}

func TestQueuePagesByEachOrderWithoutGapOrDouble(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var pairs []wiki.Pair
	for i := range 7 {
		a, b := w.article(t, w.agent), w.article(t, w.agent)
		w.flag(t, a, b, 0.93+float64(i)/100)
		pairs = append(pairs, pairOf(a, b))
	}
	newest := walk(t, w, w.user, conflicts.Filter{Sort: conflicts.SortNewest, Limit: 3})
	oldest := walk(t, w, w.user, conflicts.Filter{Sort: conflicts.SortOldest, Limit: 2})
	require.Equal(t, pairs, oldest)
	for i := range pairs {
		require.Equal(t, pairs[i], newest[len(pairs)-1-i])
	}
	impact := walk(t, w, w.user, conflicts.Filter{Limit: 2})
	require.Equal(t, newest, impact, "of one age, the surest first")

	page, err := w.Queue(t.Context(), w.user, conflicts.Filter{Limit: 2})
	require.NoError(t, err)
	_, err = w.Queue(t.Context(), w.user, conflicts.Filter{Limit: 2, Sort: conflicts.SortNewest, Cursor: page.Next})
	code(t, wiki.CodeInvalidParameter, err)
}

func TestImpactGrowsWithReadersAndAge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.article(t, w.agent), w.article(t, w.agent)
	require.NoError(t, w.DB.Tenant(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		for _, reader := range []string{"one", "two", "two"} {
			if _, err := tx.Exec(ctx, `insert into access_events (tenant_id, article_id, key_id, principal, kind, at) values ($1, $2, $3, $4, 'get', $5)`,
				w.user.Tenant, a.ID, uuid.New(), reader, tx.Now); err != nil {
				return err
			}
		}
		return nil
	}))
	c, d := w.flagged(t)
	w.flag(t, a, b, 0.95)
	items := w.open(t)
	require.Equal(t, pairOf(a, b), items[0].Pair)
	require.Equal(t, 2, items[0].First.Reads, "distinct readers, not reads")

	w.clock.Pass(90 * 24 * time.Hour)
	e, f := w.flagged(t)
	items = w.open(t)
	require.Equal(t, []wiki.Pair{pairOf(a, b), pairOf(c, d), pairOf(e, f)}, []wiki.Pair{items[0].Pair, items[1].Pair, items[2].Pair})
}

// Heat reaches the order with the read that changes it, not only when the pair is next saved.
func TestImpactFollowsReadersThatComeAfterTheFlag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	quiet, other := w.flagged(t)
	w.clock.Pass(time.Hour)
	read, second := w.flagged(t)
	require.Equal(t, pairOf(quiet, other), w.open(t)[0].Pair, "the older of two that nobody reads")
	for range 2 { // a reader that comes again is one reader
		usage.Recorder{DB: w.DB}.Note(t.Context(), w.other, usage.Search, []uuid.UUID{quiet.ID, other.ID}, nil)
		usage.Recorder{DB: w.DB}.Note(t.Context(), w.other, usage.Get, []uuid.UUID{second.ID}, nil)
		require.Equal(t, pairOf(read, second), w.open(t)[0].Pair)
	}
	var heat float64
	require.NoError(t, w.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, `select exp(impact + extract(epoch from flagged_at)::float8 / 2592000) / similarity from conflict_pairs where first_id = $1`,
			pairOf(read, second).First).Scan(&heat)
	}))
	require.InDelta(t, 2, heat, 1e-3, "one, and its one reader")
}

// The database weighs heat by the one list of what counts as reading (SPEC §7).
func TestImpactCountsReadersByTheOneList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		var impact, follow string
		err := tx.QueryRow(ctx, `select pg_get_functiondef('conflict_impact'::regproc), pg_get_functiondef('conflict_heat_follow'::regproc)`).Scan(&impact, &follow)
		require.NoError(t, err)
		window := fmt.Sprintf("interval '%d days'", usage.WindowDays)
		for _, part := range []string{usage.ReadersSQL("e"), usage.CountedSQL("e"), window} {
			require.Contains(t, impact, part)
		}
		for _, part := range []string{usage.CountedSQL("f"), usage.CountedSQL("o"), window} {
			require.Contains(t, follow, part)
		}
		return nil
	}))
}

func TestQueueFiltersAndCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	c, d := w.article(t, w.agent), w.article(t, w.agent, func(x *wiki.Article) { x.Category = "decision" })
	_, err := w.Assert(t.Context(), w.other, conflicts.Assertion{A: d.ID, B: c.ID, Evidence: "they differ"}, "")
	require.NoError(t, err)
	e, f := w.flagged(t)
	w.judge(t, w.agent, dismissal(e, f))
	g, h := w.flagged(t)
	w.judge(t, w.user, keep(g, h))

	only := func(f conflicts.Filter) []wiki.Pair {
		f.Limit = 10
		return walk(t, w, w.user, f)
	}
	require.Equal(t, []wiki.Pair{pairOf(c, d)}, only(conflicts.Filter{Kind: "asserted"}))
	require.Equal(t, []wiki.Pair{pairOf(a, b)}, only(conflicts.Filter{Kind: "system"}))
	require.Equal(t, []wiki.Pair{pairOf(c, d)}, only(conflicts.Filter{Category: "decision"}))
	require.Equal(t, []wiki.Pair{pairOf(c, d)}, only(conflicts.Filter{By: "other"}))
	require.Equal(t, []wiki.Pair{pairOf(a, b)}, only(conflicts.Filter{MinSimilarity: 0.9}))
	require.Equal(t, []wiki.Pair{pairOf(c, d)}, only(conflicts.Filter{MaxSimilarity: 0.9}))
	require.Equal(t, []wiki.Pair{pairOf(g, h)}, only(conflicts.Filter{State: wiki.ConflictJudged}))
	require.Equal(t, []wiki.Pair{pairOf(e, f)}, only(conflicts.Filter{State: wiki.ConflictSettled}))
	for _, who := range []wiki.Actor{w.user, w.agent} {
		page, err := w.Queue(t.Context(), who, conflicts.Filter{})
		require.NoError(t, err)
		require.Equal(t, map[string]int{"open": 2, "judged": 1, "settled": 1}, page.Counts)
	}
	page, err := w.Queue(t.Context(), w.user, conflicts.Filter{Category: "decision"})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"open": 1, "judged": 0, "settled": 0}, page.Counts)
	for _, bad := range []conflicts.Filter{{State: "x"}, {Sort: "x"}, {Kind: "x"}, {Limit: -1}, {Limit: 201}, {MinSimilarity: 2}, {MaxSimilarity: -1}, {MinAgeHours: -1}, {MaxAgeHours: conflicts.MaxAgeHours + 1}, {By: "a\x00"}, {Category: "\xff"}, {Cursor: "junk"}, {Cursor: "e30"}} {
		_, err := w.Queue(t.Context(), w.user, bad)
		code(t, wiki.CodeInvalidParameter, err)
	}
}

func TestQueueByAge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var pairs []wiki.Pair
	for range 3 {
		a, b := w.flagged(t)
		pairs = append(pairs, pairOf(a, b))
		w.clock.Pass(24 * time.Hour)
	}
	only := func(least, most int, sort conflicts.Sort) []wiki.Pair {
		return walk(t, w, w.user, conflicts.Filter{MinAgeHours: least, MaxAgeHours: most, Sort: sort, Limit: 1})
	}
	for _, sort := range []conflicts.Sort{conflicts.SortImpact, conflicts.SortOldest} {
		require.Equal(t, pairs, only(0, 0, conflicts.SortOldest))
		require.Equal(t, pairs[:1], only(60, 0, sort))
		require.Equal(t, pairs[2:], only(0, 36, sort))
		require.Equal(t, pairs[1:2], only(36, 60, sort))
		require.Empty(t, only(conflicts.MaxAgeHours, 0, sort))
	}
	for _, who := range []wiki.Actor{w.user, w.agent} {
		page, err := w.Queue(t.Context(), who, conflicts.Filter{MinAgeHours: 36})
		require.NoError(t, err)
		require.Equal(t, 2, page.Counts["open"], "the counts are under the same filter")
	}
}

// Case 86: what has become pointless closes itself, with the reason.
func TestCase86APairOfAnArchivedArticleClosesItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	_, err := w.Record.Archive(t.Context(), w.agent, b.ID, "old", "")
	require.NoError(t, err)
	require.Empty(t, w.open(t))
	page, err := w.Queue(t.Context(), w.user, conflicts.Filter{State: wiki.ConflictSettled})
	require.NoError(t, err)
	require.Equal(t, "an article was archived", page.Items[0].Closed)
	w.refuses(t, w.user, dismissal(a, b), wiki.CodeStale)
}

// What cannot be seen does not exist, in every act (SPEC §1).
func TestPairWithAHiddenArticleDoesNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t, private)
	pair := pairOf(a, b)
	require.Len(t, w.open(t), 1, "a user sees it")
	v := w.judge(t, w.user, keep(a, b))
	for _, who := range []wiki.Actor{w.other, pgtest.Tenant(t, w.DB)} {
		page, err := w.Queue(t.Context(), who, conflicts.Filter{State: wiki.ConflictJudged})
		require.NoError(t, err)
		require.Empty(t, page.Items)
		require.Zero(t, page.Counts["judged"])
		_, hidden := w.Pair(t.Context(), who, pair)
		unknown, err := wiki.NewPair(uuid.New(), uuid.New())
		require.NoError(t, err)
		_, absent := w.Pair(t.Context(), who, unknown)
		require.Equal(t, absent, hidden)
		_, err = w.Claim(t.Context(), who, pair)
		require.Equal(t, absent, err)
		_, err = w.Judge(t.Context(), who, dismissal(a, b), "")
		require.Equal(t, absent, err)
		_, err = w.Withdraw(t.Context(), who, v.ID, "")
		require.Equal(t, absent, err)
		_, err = w.Assert(t.Context(), who, conflicts.Assertion{A: a.ID, B: b.ID, Evidence: "x"}, "")
		require.Equal(t, absent, err)
		log, _, err := w.Log(t.Context(), who, conflicts.LogFilter{})
		require.NoError(t, err)
		require.Empty(t, log)
	}
	owner, err := w.Pair(t.Context(), w.agent, pair)
	require.NoError(t, err)
	require.Equal(t, "Text 2.\n", map[bool]string{true: owner.Second.Body, false: owner.First.Body}[owner.Second.ID == b.ID])
}
