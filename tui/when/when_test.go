package when_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/tui/when"
)

func TestTimesAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		-time.Hour: "now", 59 * time.Second: "now", time.Minute: "1m", 3 * time.Hour: "3h", 47 * time.Hour: "47h",
		48 * time.Hour: "2d", 59 * 24 * time.Hour: "59d", 90 * 24 * time.Hour: "3mo", 800 * 24 * time.Hour: "2y",
	} {
		require.Equal(t, want, when.Ago(now.Add(-d), now), d)
	}
	require.Equal(t, "3h ago", when.Old(now.Add(-3*time.Hour), now))
	require.Equal(t, "just now", when.Old(now, now))
	require.Equal(t, "12:30", when.Clock(now.Add(150*time.Minute), now))
	require.Equal(t, "Tue 5 May 10:00", when.Clock(now.Add(24*time.Hour), now))
	require.Equal(t, "1 verdict", when.Count(1, "verdict", "verdicts"))
	require.Equal(t, "0 verdicts", when.Count(0, "verdict", "verdicts"))
}
