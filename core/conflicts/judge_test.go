package conflicts_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/conflicts"
	"wiki/core/record"
	"wiki/core/wiki"
)

func TestConfidenceIsGrantedByTheRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	v := w.judge(t, w.agent, keep(a, b))
	require.Equal(t, wiki.ConfidenceMedium, v.Confidence)
	require.Equal(t, wiki.ConfidenceHigh, v.Requested)
	require.Equal(t, wiki.ConflictOpen, w.state(t, a, b), "a verdict that nothing applies does not hide the pair")
	require.Equal(t, v.ID, w.open(t)[0].Verdict.ID, "the opinion is shown")

	without := keep(a, b)
	without.Evidence = ""
	w.refuses(t, w.user, without, wiki.CodeInvalid)
	v = w.judge(t, w.user, keep(a, b))
	require.Equal(t, wiki.ConfidenceHigh, v.Confidence)
	require.Equal(t, wiki.ConflictJudged, w.state(t, a, b))

	c, d := w.flagged(t)
	require.Equal(t, wiki.ConfidenceHigh, w.judge(t, w.agent, func() conflicts.Judgement {
		j := merge(c, d)
		j.Confidence = wiki.ConfidenceHigh
		return j
	}()).Confidence, "a merge is never capped")
	require.Equal(t, wiki.ConflictJudged, w.state(t, c, d))
}

func TestJudgementIsValidated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	stranger := uuid.New()
	for _, j := range []conflicts.Judgement{
		{A: a.ID, B: a.ID, Disposition: wiki.Dismiss},
		{A: a.ID, B: b.ID},
		{A: a.ID, B: b.ID, Disposition: "delete"},
		{A: a.ID, B: b.ID, Disposition: wiki.Dismiss, Classification: "x"},
		{A: a.ID, B: b.ID, Disposition: wiki.Dismiss, Confidence: "x"},
		{A: a.ID, B: b.ID, Disposition: wiki.Dismiss, Evidence: "nul\x00"},
		{A: a.ID, B: b.ID, Disposition: wiki.Supersede},
		{A: a.ID, B: b.ID, Disposition: wiki.Supersede, Authoritative: &stranger},
		{A: a.ID, B: b.ID, Disposition: wiki.Merge},
	} {
		w.refuses(t, w.user, j, wiki.CodeInvalid)
	}
	c := w.article(t, w.agent)
	w.refuses(t, w.user, dismissal(a, c), wiki.CodeNotFound)
	v := w.judge(t, w.user, dismissal(a, b))
	require.Equal(t, wiki.Redundant, v.Classification)
	require.Equal(t, wiki.ConfidenceMedium, v.Confidence)
}

func TestAsserterAndItsLineDoNotJudge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := uuid.New()
	w.agent.Lineage = []uuid.UUID{root, uuid.New()}
	parent, child, sibling := w.other, w.other, w.other
	parent.Key, parent.Agent, parent.Lineage = root, "parent", []uuid.UUID{root}
	child.Agent, child.Key, child.Lineage = "child", uuid.New(), append([]uuid.UUID{}, append(w.agent.Lineage, uuid.New())...)
	sibling.Agent, sibling.Key, sibling.Lineage = "sibling", uuid.New(), []uuid.UUID{root, uuid.New()}

	a, b := w.article(t, w.agent), w.article(t, w.agent)
	_, err := w.Assert(t.Context(), w.agent, conflicts.Assertion{A: a.ID, B: b.ID, Evidence: "8080 or 8081?"}, "")
	require.NoError(t, err)
	for _, who := range []wiki.Actor{w.agent, parent, child} {
		for _, j := range []conflicts.Judgement{dismissal(a, b), merge(a, b), keep(a, b)} {
			w.refuses(t, who, j, wiki.CodeSelfAsserted)
		}
	}
	w.refuses(t, wiki.Actor{Tenant: w.user.Tenant, Role: wiki.RoleUser}, dismissal(a, b), wiki.CodeSelfAsserted)
	w.judge(t, sibling, dismissal(a, b))
	require.Equal(t, wiki.ConflictSettled, w.state(t, a, b))
}

func TestJudgeOfAnOldTextIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	j := dismissal(b, a)
	j.SeenA, j.SeenB = b.Version, a.Version
	body := "Another text.\n"
	_, err := w.Record.Update(t.Context(), w.agent, a.ID, 0, record.Patch{Body: &body}, "")
	require.NoError(t, err)
	w.refuses(t, w.user, j, wiki.CodeStale)
	j.SeenB++
	w.judge(t, w.user, j)
}

// Case 89: a claim keeps two curators apart; all verdicts are kept, and the last one by a principal stands.
func TestCase89AClaimKeepsTwoCuratorsApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	pair, second := pairOf(a, b), w.curator(t)
	c, err := w.Claim(t.Context(), w.user, pair)
	require.NoError(t, err)
	require.True(t, c.Mine)
	_, err = w.Claim(t.Context(), w.user, pair)
	require.NoError(t, err, "renewed")
	_, err = w.Claim(t.Context(), second, pair)
	code(t, wiki.CodeClaimed, err)
	w.refuses(t, second, dismissal(a, b), wiki.CodeClaimed)
	require.NoError(t, w.Release(t.Context(), second, pair), "nothing of his to give up")
	require.Equal(t, w.user.Principal(), w.open(t)[0].Claim.By)
	w.judge(t, w.user, keep(a, b))
	d, err := w.Pair(t.Context(), second, pair)
	require.NoError(t, err)
	require.Nil(t, d.Conflict.Claim, "judged is done")

	_, err = w.Claim(t.Context(), second, pair)
	require.NoError(t, err)
	w.clock.Pass(conflicts.DefaultLease + time.Second)
	_, err = w.Claim(t.Context(), w.user, pair)
	require.NoError(t, err, "a lapsed lease is free")
	w.judge(t, w.user, dismissal(a, b))
	d, err = w.Pair(t.Context(), w.user, pair)
	require.NoError(t, err)
	require.Len(t, d.History, 2)
	require.Equal(t, wiki.Dismiss, d.Conflict.Verdict.Disposition)
	require.Equal(t, "a later verdict took its place", d.History[1].UndoWhy)
}

func TestOneOfManyClaimsWins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	var curators []wiki.Actor
	for range 8 {
		curators = append(curators, w.curator(t))
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		wins int
	)
	for _, who := range curators {
		wg.Go(func() {
			if _, err := w.Claim(t.Context(), who, pairOf(a, b)); err == nil {
				mu.Lock()
				defer mu.Unlock()
				wins++
			}
		})
	}
	wg.Wait()
	require.Equal(t, 1, wins)
}

func TestRepeatedJudgementIsOneVerdict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	var wg sync.WaitGroup
	ids := make([]uuid.UUID, 6)
	for i := range ids {
		wg.Go(func() {
			v, err := w.Judge(t.Context(), w.user, keep(a, b), "act-1")
			if err != nil {
				t.Error(err)
			}
			ids[i] = v.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
	d, err := w.Pair(t.Context(), w.user, pairOf(a, b))
	require.NoError(t, err)
	require.Len(t, d.History, 1)

	_, err = w.Judge(t.Context(), w.user, dismissal(a, b), "act-1")
	code(t, wiki.CodeKeyReused, err)
	c, e := w.flagged(t)
	_, err = w.Judge(t.Context(), w.user, keep(c, e), "act-1")
	code(t, wiki.CodeKeyReused, err)

	_, err = w.Withdraw(t.Context(), w.user, ids[0], "act-2")
	require.NoError(t, err)
	again, err := w.Judge(t.Context(), w.user, keep(a, b), "act-1")
	require.NoError(t, err)
	require.NotNil(t, again.WithdrawnAt, "a late repeat does not judge again")
}

func TestAgentDoesNotOverruleAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.flagged(t)
	waiting := w.judge(t, w.user, keep(a, b))
	w.refuses(t, w.agent, dismissal(a, b), wiki.CodeForbidden)
	w.judge(t, w.agent, keep(b, a)) // an opinion, which changes nothing
	d, err := w.Pair(t.Context(), w.user, pairOf(a, b))
	require.NoError(t, err)
	require.Equal(t, wiki.ConflictJudged, d.Conflict.State)
	require.Equal(t, waiting.ID, d.Conflict.Verdict.ID)
	_, err = w.Withdraw(t.Context(), w.agent, waiting.ID, "")
	code(t, wiki.CodeForbidden, err)
	_, err = w.Assert(t.Context(), w.agent, conflicts.Assertion{A: a.ID, B: b.ID, Evidence: "I insist"}, "")
	code(t, wiki.CodeTransition, err)
}

func TestAssertIsAnsweredOnceByItsKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.article(t, w.agent), w.article(t, w.agent)
	in := conflicts.Assertion{A: a.ID, B: b.ID, Evidence: "they differ"}
	first, err := w.Assert(t.Context(), w.agent, in, "k")
	require.NoError(t, err)
	again, err := w.Assert(t.Context(), w.agent, in, "k")
	require.NoError(t, err)
	require.Equal(t, first.Flag, again.Flag)
	require.Equal(t, "they differ", first.Flag.Evidence)
	_, err = w.Assert(t.Context(), w.agent, conflicts.Assertion{A: a.ID, B: b.ID}, "")
	code(t, wiki.CodeInvalid, err)
	_, err = w.Assert(t.Context(), w.agent, conflicts.Assertion{A: a.ID, B: a.ID, Evidence: "x"}, "")
	code(t, wiki.CodeInvalid, err)
}
