package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/nightly"
)

func TestNightlyByHand(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok("tenant", "create", "acme")
	require.Contains(t, s.ok("nightly", "--tenant", "acme", "--dry-run"), "nothing was changed")
	r := decoded[nightly.Report](t, s.ok("nightly", "--tenant", "acme", "--json"))
	require.NotNil(t, r.FinishedAt)
	require.NotEmpty(t, r.Steps)
	require.Equal(t, "operator", r.StartedBy)

	require.Contains(t, s.ok("nightly", "pause", "verdicts", "--tenant", "acme", "--reason", "audit"), "verdicts")
	require.Contains(t, s.ok("nightly", "--tenant", "acme"), "is paused")
	require.Contains(t, s.ok("nightly", "resume", "verdicts", "--tenant", "acme"), "every consumer is on")
}
