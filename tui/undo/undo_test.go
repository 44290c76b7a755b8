package undo_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/server/api"
	"wiki/tui/outbox"
	"wiki/tui/undo"
)

var now = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

// world is a server that answers acts late, and a curator's stack of what should stand.
type world struct {
	ledger  undo.Ledger
	sent    []outbox.Act
	byKey   map[string]*api.Verdict
	all     []*api.Verdict
	clock   time.Time
	numbers int
}

func (w *world) tick() time.Time { w.clock = w.clock.Add(time.Second); return w.clock }

func (w *world) act(a outbox.Act) {
	w.numbers++
	a.Key = fmt.Sprint("k", w.numbers)
	w.ledger.Add(a)
	w.sent = append(w.sent, a)
}

func (w *world) judge(pair, disposition string) {
	w.act(outbox.Act{Kind: outbox.Judge, Pair: pair, What: pair, Verdict: &api.NewVerdict{Disposition: disposition}})
}

func (w *world) undo() bool {
	item, _, ok := w.ledger.Undo()
	if ok {
		w.act(outbox.Act{Kind: item.Kind, Pair: item.Pair, What: item.What, ID: item.ID, Of: item.Of})
	}
	return ok
}

func (w *world) redo() bool {
	item, ok := w.ledger.Redo()
	if ok {
		v := item.Verdict
		w.act(outbox.Act{Kind: outbox.Judge, Pair: item.Pair, What: item.What, Verdict: &v})
	}
	return ok
}

// deliver lets the server answer the oldest act.
func (w *world) deliver() {
	if len(w.sent) == 0 {
		return
	}
	a := w.sent[0]
	w.sent = w.sent[1:]
	var v *api.Verdict
	if a.Kind == outbox.Judge {
		v = &api.Verdict{ID: uuid.New(), ConflictID: a.Pair, Disposition: a.Verdict.Disposition, JudgedAt: w.tick(), Undo: "withdraw"}
		w.byKey[a.Key] = v
		w.all = append(w.all, v)
	} else {
		if v = w.byKey[a.Of]; v == nil {
			for _, x := range w.all {
				if a.ID != nil && x.ID == *a.ID {
					v = x
				}
			}
		}
		at := w.tick()
		v.WithdrawnAt, v.Undo = &at, "none"
	}
	copied := *v
	w.ledger.End(a, &copied)
}

func (w *world) standing() map[string]string {
	out := map[string]string{}
	for _, v := range w.all {
		if v.WithdrawnAt == nil {
			out[v.ConflictID] += v.Disposition
		}
	}
	return out
}

func TestUndoAndRedoAgreeWithAnEditorsStack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &world{byKey: map[string]*api.Verdict{}, clock: now}
		type step struct{ pair, disposition string }
		var done, undone []step
		pairs := 0
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "act") {
			case 0, 1:
				pairs++
				s := step{fmt.Sprint("p", pairs), rapid.SampledFrom([]string{"dismiss", "merge"}).Draw(t, "verdict")}
				w.judge(s.pair, s.disposition)
				done = append(done, s)
			case 2:
				require.Equal(t, len(done) > 0, w.undo())
				if len(done) > 0 {
					undone = append(undone, done[len(done)-1])
					done = done[:len(done)-1]
				}
			case 3:
				require.Equal(t, len(undone) > 0, w.redo())
				if len(undone) > 0 {
					done = append(done, undone[len(undone)-1])
					undone = undone[:len(undone)-1]
				}
			case 4:
				w.deliver()
			}
			require.Equal(t, len(done), w.ledger.Count())
		}
		for len(w.sent) > 0 {
			w.deliver()
		}
		want := map[string]string{}
		for _, s := range done {
			want[s.pair] += s.disposition
		}
		require.Equal(t, want, w.standing())
	})
}

func TestTheServersLogSurvivesARestart(t *testing.T) {
	t.Parallel()
	a, b := uuid.New(), uuid.New()
	back := now.Add(time.Minute)
	first, second := api.ArticleRef{ID: a, Title: "Port"}, api.ArticleRef{ID: b, Title: "Gate\x1b[2J"}
	executed := api.Verdict{ID: uuid.New(), ConflictID: "p1", First: first, Second: second, Disposition: "supersede", Authoritative: &b, JudgedAt: now, Undo: "revert"}
	withdrawn := api.Verdict{ID: uuid.New(), ConflictID: a.String() + "." + b.String(), First: first, Second: second, Disposition: "dismiss", JudgedAt: now.Add(time.Second), WithdrawnAt: &back, Undo: "none", Requested: "medium"}
	var l undo.Ledger
	l.Read([]api.Verdict{withdrawn, executed}, []api.Verdict{executed}, 7)
	require.Equal(t, 7, l.Count(), "older ones are counted though not read")
	item, _, ok := l.Undo()
	require.True(t, ok)
	require.Equal(t, outbox.Revert, item.Kind)
	require.Equal(t, executed.ID, *item.ID)
	require.Equal(t, "keep “Gate␛[2J” over “Port”", item.What)
	item, ok = l.Redo()
	require.True(t, ok)
	require.Equal(t, api.NewVerdict{FirstID: a, SecondID: b, Disposition: "dismiss", Confidence: "medium"}, item.Verdict)
}

func TestAConsumedVerdictExplainsItself(t *testing.T) {
	t.Parallel()
	var l undo.Ledger
	_, why, ok := l.Undo()
	require.False(t, ok)
	require.Empty(t, why)
	l.Read([]api.Verdict{{ID: uuid.New(), Disposition: "merge", First: api.ArticleRef{Title: "A"}, Second: api.ArticleRef{Title: "B"}, Undo: "none", UndoWhy: "the draft was published"}}, nil, 0)
	_, why, ok = l.Undo()
	require.False(t, ok)
	require.Equal(t, "merge “A” and “B” cannot be taken back: the draft was published", why)
}

func (w *world) judgeTogether(batch string, pairs ...string) {
	for _, p := range pairs {
		w.act(outbox.Act{Kind: outbox.Judge, Pair: p, What: p, Batch: batch, Verdict: &api.NewVerdict{Disposition: "dismiss"}})
	}
}

func pairsOf(item undo.Item) (out []string) {
	out = append(out, item.Pair)
	for _, i := range item.With {
		out = append(out, i.Pair)
	}
	return out
}

// What was given together is one undo and one redo, whether or not the server has answered, and however much of it.
func TestABatchIsOneUndo(t *testing.T) {
	t.Parallel()
	for delivered := range 4 {
		w := world{byKey: map[string]*api.Verdict{}, clock: now}
		w.judgeTogether("b1", "p1", "p2", "p3")
		w.judgeTogether("b2", "p4")
		for range delivered {
			w.deliver()
		}
		item, _, ok := w.ledger.Undo()
		require.True(t, ok)
		require.Equal(t, []string{"p4"}, pairsOf(item))
		require.Equal(t, "p4", item.What)
		require.True(t, w.undo())
		item, _, _ = w.ledger.Undo()
		require.ElementsMatch(t, []string{"p1", "p2", "p3"}, pairsOf(item))
		require.Equal(t, "both stand, in 3 pairs", item.What)
		for _, i := range append([]undo.Item{item}, item.With...) {
			w.act(outbox.Act{Kind: i.Kind, Pair: i.Pair, What: i.What, ID: i.ID, Of: i.Of})
		}
		for range delivered {
			w.deliver()
		}
		again, ok := w.ledger.Redo()
		require.True(t, ok)
		require.ElementsMatch(t, []string{"p1", "p2", "p3"}, pairsOf(again), "after %d answers", delivered)
		_, _, ok = w.ledger.Undo()
		require.False(t, ok)
	}
}

// One of a batch that was refused, or judged again since, is not taken back with the others.
func TestABatchLeavesOutWhatDoesNotStand(t *testing.T) {
	t.Parallel()
	w := world{byKey: map[string]*api.Verdict{}, clock: now}
	w.judgeTogether("b1", "p1", "p2", "p3")
	w.ledger.End(w.sent[1], nil)
	item, _, _ := w.ledger.Undo()
	require.ElementsMatch(t, []string{"p1", "p3"}, pairsOf(item))
}
