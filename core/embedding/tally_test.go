package embedding_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/remote"
)

// nameless is an embedder that fails without a Reason.
type nameless struct{ embedding.Embedder }

func (nameless) EmbedQuery(context.Context, string) ([]float32, error) {
	return nil, errors.New("out of memory")
}

func TestCallsAreTalliedByWhatBecameOfThem(t *testing.T) {
	t.Parallel()
	c := newClock()
	_, g := guardedService(t, c, 200, 500, 401, 429)
	patient := g.WithTimeout(time.Minute)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := g.EmbedQuery(t.Context(), " ")
	require.Error(t, err)
	_, err = g.EmbedQuery(ended, "question")
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, ask(g))
	require.Empty(t, g.Stats().Calls[embedding.ReasonUnreachable])
	requireDown(t, ask(patient), embedding.ReasonUnreachable)
	requireDown(t, ask(g), embedding.ReasonRefused)
	requireDown(t, ask(g), embedding.ReasonRateLimited)
	requireDown(t, ask(g), embedding.ReasonBreakerOpen)
	s := g.Stats()
	require.Equal(t, map[string]int{
		embedding.OutcomeNoWords: 1, embedding.OutcomeGaveUp: 1, embedding.OutcomeOK: 1, embedding.ReasonUnreachable: 1,
		embedding.ReasonRefused: 1, embedding.ReasonRateLimited: 1, embedding.ReasonBreakerOpen: 1,
	}, s.Calls)
	require.Positive(t, s.Took)
	require.Equal(t, s, patient.Stats(), "they share their breaker, and so the numbers")
	for outcome := range s.Calls {
		require.Contains(t, embedding.Outcomes, outcome)
	}
	s.Calls[embedding.OutcomeOK] = 7
	require.Equal(t, 1, g.Stats().Calls[embedding.OutcomeOK], "what was given out is the caller's")
}

func TestAFailureWithoutAReasonIsTalliedToo(t *testing.T) {
	t.Parallel()
	g := embedding.Guard(nameless{}, embedding.GuardConfig{})
	require.ErrorContains(t, ask(g), "out of memory")
	require.Equal(t, map[string]int{embedding.OutcomeUnnamed: 1}, g.Stats().Calls)
	require.Contains(t, embedding.Outcomes, embedding.OutcomeUnnamed)
}

func TestTheBreakersStateFollowsIt(t *testing.T) {
	t.Parallel()
	c := newClock()
	_, g := guardedService(t, c, 500, 500, 500, 500)
	is := func(state remote.State) {
		t.Helper()
		require.Equal(t, state, g.Stats().Breaker)
	}
	is(remote.BreakerClosed)
	for range remote.DefaultFailures {
		require.Error(t, ask(g))
	}
	is(remote.BreakerOpen)
	c.now = c.now.Add(remote.DefaultOpen)
	is(remote.BreakerHalfOpen)
	require.Error(t, ask(g)) // the trial fails
	is(remote.BreakerOpen)
	c.now = c.now.Add(remote.DefaultOpen)
	require.NoError(t, ask(g))
	is(remote.BreakerClosed)
}
