package embedding_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/remote"
	"wiki/core/wiki"
)

// guardedService is a guard with its own clock around a service, tried once a call.
func guardedService(t *testing.T, c *clock, codes ...int) (*service, *embedding.Guarded) {
	t.Helper()
	s := newService(t)
	for _, code := range codes {
		if code == 200 {
			s.faults = append(s.faults, nil)
		} else {
			s.faults = append(s.faults, status(code))
		}
	}
	e := s.endpoint(t, embedding.EndpointConfig{Attempts: 1, Now: c.Now, Sleep: c.Sleep})
	return s, embedding.Guard(e, embedding.GuardConfig{Now: c.Now})
}

func ask(e embedding.Embedder) error {
	_, err := e.EmbedQuery(context.Background(), "question")
	return err
}

func TestBreakerOpensAfterThreeFailuresAndCloses(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, g := guardedService(t, c, 500, 200, 500, 500)
	requireDown(t, ask(g), embedding.ReasonUnreachable)
	require.NoError(t, ask(g))
	requireDown(t, ask(g), embedding.ReasonUnreachable)
	requireDown(t, ask(g), embedding.ReasonUnreachable)

	requireDown(t, ask(g), embedding.ReasonBreakerOpen)
	requireDown(t, ask(g.WithTimeout(time.Minute)), embedding.ReasonBreakerOpen)
	require.Len(t, s.requests(), 4, "an open breaker asks nothing")

	c.now = c.now.Add(remote.DefaultOpen)
	require.NoError(t, ask(g))
	require.NoError(t, ask(g))
}

func TestFailedTrialOpensAgain(t *testing.T) {
	t.Parallel()
	c := newClock()
	_, g := guardedService(t, c, 500, 401, 500, 500)
	for range 3 {
		require.Error(t, ask(g))
	}
	c.now = c.now.Add(remote.DefaultOpen)
	requireDown(t, ask(g), embedding.ReasonUnreachable)
	requireDown(t, ask(g), embedding.ReasonBreakerOpen)
	c.now = c.now.Add(remote.DefaultOpen)
	require.NoError(t, ask(g))
}

func TestFailuresOutsideTheWindowDoNotCount(t *testing.T) {
	t.Parallel()
	c := newClock()
	_, g := guardedService(t, c, 500, 500, 500, 500)
	for range 4 {
		requireDown(t, ask(g), embedding.ReasonUnreachable)
		c.now = c.now.Add(remote.DefaultWindow/2 + time.Second)
	}
	require.NoError(t, ask(g))
}

func TestCallersFaultsDoNotCount(t *testing.T) {
	t.Parallel()
	c := newClock()
	_, g := guardedService(t, c)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for range 5 {
		_, err := g.EmbedQuery(context.Background(), " ")
		require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
		_, err = g.EmbedQuery(ended, "question")
		require.ErrorIs(t, err, context.Canceled)
	}
	require.NoError(t, ask(g))
}
