package link_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/tui/link"
)

func TestLifeOfALink(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	var l link.Link
	require.Equal(t, link.Connecting, l.State())
	require.False(t, l.Answered(now), "the first answer is no recovery")
	require.Equal(t, link.Live, l.State())

	l.Failed(now.Add(time.Second), "no server answers")
	l.Failed(now.Add(2*time.Second), "no server answers")
	require.Equal(t, link.Degraded, l.State())
	require.Equal(t, now.Add(time.Second), l.Since(), "since the first failure")
	require.Equal(t, 500*time.Millisecond, l.Wait())
	for range 100 {
		l.Failed(now, "")
	}
	require.Equal(t, 10*time.Second, l.Wait())

	require.True(t, l.Answered(now), "events were lost")
	require.Equal(t, link.Recovered, l.State())
	require.True(t, l.Up())
	l.Resynced(now)
	require.Equal(t, link.Live, l.State())

	l.Blocked(now, "key expired")
	require.Equal(t, link.Stuck, l.State())
	require.False(t, l.Up())
	require.Equal(t, "key expired", l.Why())
	require.True(t, l.Answered(now))
}
