package conflicts_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/conflicts"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/record"
	"wiki/core/wiki"
)

func (w *world) blind(t *testing.T, on bool) {
	t.Helper()
	require.NoError(t, w.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `update tenants set blind_review = $2 where id = $1`, w.user.Tenant, on)
		return err
	}))
}

// reads is what a reader is shown of a pair: the verdict in the queue, the verdicts of its history, and those of the log.
func (w *world) reads(t *testing.T, who wiki.Actor, pair wiki.Pair) (shown *conflicts.Verdict, withheld, history, log int) {
	t.Helper()
	d, err := w.Pair(t.Context(), who, pair)
	require.NoError(t, err)
	verdicts, _, err := w.Log(t.Context(), who, conflicts.LogFilter{})
	require.NoError(t, err)
	for _, v := range verdicts {
		if v.First == pair.First && v.Second == pair.Second {
			log++
		}
	}
	page, err := w.Queue(t.Context(), who, conflicts.Filter{State: d.Conflict.State})
	require.NoError(t, err)
	for _, item := range page.Items {
		if item.Pair == pair {
			require.Equal(t, d.Conflict.Verdict, item.Verdict)
			require.Equal(t, d.Conflict.Withheld, item.Withheld)
		}
	}
	require.Equal(t, d.Withheld > 0 && d.Conflict.Verdict == nil, d.Conflict.Withheld)
	return d.Conflict.Verdict, d.Withheld, len(d.History), log
}

// Case 89: a second reading was wanted that does not know the first one.
func TestCase89ABlindReviewShowsNoVerdictBeforeOnesOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	second := w.curator(t)
	for _, first := range []func(a, b wiki.Article) conflicts.Judgement{dismissal, keep, merge} {
		a, b := w.flagged(t)
		pair := pairOf(a, b)
		given := w.judge(t, w.user, first(a, b))

		w.blind(t, false)
		shown, withheld, history, log := w.reads(t, second, pair)
		require.Equal(t, given.ID, shown.ID, "without the setting all is shown")
		require.Equal(t, []int{0, 1, 1}, []int{withheld, history, log})

		w.blind(t, true)
		shown, withheld, history, log = w.reads(t, w.user, pair)
		require.Equal(t, given.ID, shown.ID, "one's own word")
		require.Equal(t, []int{0, 1, 1}, []int{withheld, history, log})
		shown, withheld, history, log = w.reads(t, second, pair)
		require.Nil(t, shown)
		require.Equal(t, []int{1, 0, 0}, []int{withheld, history, log}, first(a, b).Disposition)

		w.judge(t, second, dismissal(a, b))
		_, withheld, history, log = w.reads(t, second, pair)
		require.Equal(t, []int{0, 2, 2}, []int{withheld, history, log}, "having judged, the second reader sees both")
		_, withheld, _, _ = w.reads(t, w.user, pair)
		require.Zero(t, withheld, "and so does the first")
	}
}

// A reader's word counts since the newest flag: what is flagged again is read again.
func TestABlindReviewBeginsAnewWithAFlag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	second := w.curator(t)
	w.blind(t, true)
	a, b := w.flagged(t)
	w.judge(t, second, dismissal(a, b))
	body := "Another text altogether.\n"
	_, err := w.Record.Update(t.Context(), w.agent, a.ID, 0, record.Patch{Body: &body}, "")
	require.NoError(t, err)
	w.clock.Pass(time.Hour)
	w.flag(t, a, b, 0.96)
	w.judge(t, w.user, keep(a, b))
	shown, withheld, _, _ := w.reads(t, second, pairOf(a, b))
	require.Nil(t, shown)
	require.Equal(t, 1, withheld, "the word of before was on other texts")
	require.Equal(t, 1, w.execute(t).Executed)
	shown, withheld, _, _ = w.reads(t, second, pairOf(a, b))
	require.NotNil(t, shown, "what was applied to the articles is plain to see")
	require.Zero(t, withheld)
	elsewhere := pgtest.Tenant(t, w.DB)
	_, err = w.Pair(t.Context(), elsewhere, pairOf(a, b))
	code(t, wiki.CodeNotFound, err)
}

// An event reaches all who listen: in a blind review it does not say what was decided.
func TestTheEventOfABlindVerdictDoesNotSayWhat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	says := func() (payload map[string]any) {
		a, b := w.flagged(t)
		w.judge(t, w.user, keep(a, b))
		require.NoError(t, w.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
			var raw []byte
			if err := tx.QueryRow(ctx, `select payload from events where kind = $1 order by id desc limit 1`, conflicts.KindJudged).Scan(&raw); err != nil {
				return err
			}
			return json.Unmarshal(raw, &payload)
		}))
		return payload
	}
	require.Equal(t, "supersede", says()["disposition"])
	w.blind(t, true)
	blind := says()
	require.NotContains(t, blind, "disposition")
	require.Equal(t, "judged", blind["state"])
}
