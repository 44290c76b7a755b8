package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/tui/outbox"
)

func TestStatisticsOfTheSession(t *testing.T) {
	t.Parallel()
	l := newLab(t, 20)
	l.press("S")
	l.shows("Nothing has been done yet.")
	l.press("a", "X")
	require.Empty(t, l.acts.all, "the layer takes every key")
	l.press("esc", "enter")
	for range 4 {
		l.pass(30 * time.Second)
		l.press("a")
	}
	l.pass(time.Hour) // a pause is no pace
	l.press("m", "s", "u", "S")
	l.shows("since 10:00", "judged      5: 4 both stand, 1 to merge", "half took less than 30s", "left        15 pairs, 8 minutes at this pace",
		"also        1 taken back, 1 skipped", "to send", "time        62 minutes")
}

func TestTheMinutesOfASession(t *testing.T) {
	t.Parallel()
	s := Session{Started: start}
	for _, after := range []time.Duration{10 * time.Second, 20 * time.Second, 100 * time.Second, 45 * time.Minute} {
		s.judged("dismiss", start.Add(after))
	}
	by := s.ByMinute(start.Add(45*time.Minute), 46)
	require.Equal(t, 1, by[45])
	require.Equal(t, []int{0, 2, 1}, by[0:3], "oldest first")
	require.Equal(t, []int{0, 1}, s.ByMinute(start.Add(45*time.Minute), 2), "older ones are not drawn")
	require.Equal(t, time.Duration(0), Session{}.Left(7), "no pace is known yet")
}

func TestOtherDecisionsAreCounted(t *testing.T) {
	t.Parallel()
	s, id := Session{Started: start}, uuid.New()
	for _, a := range []outbox.Act{
		{Kind: outbox.Publish, Subject: &id},
		{Kind: outbox.Publish, Subject: &id},
		{Kind: outbox.Adopt, Subject: &id},
		{Kind: outbox.Unpublish, Subject: &id, Back: true},
	} {
		s.did(a)
	}
	require.Equal(t, "2 drafts published, 1 submission adopted.\n", s.Summary(start, 0))
}

// Nothing that is counted is said twice: what was taken back is counted as that.
func TestTheSummarySaysTheSameAsTheStatistics(t *testing.T) {
	t.Parallel()
	l := newLab(t, 6)
	l.press("a", "a", "s", "d", "u")
	summary := l.model.Session().Summary(l.now, 0)
	l.press("S")
	for _, line := range []string{"2 both stand", "1 taken back, 1 skipped, 1 deferred"} {
		l.shows(line)
		require.Equal(t, 1, strings.Count(summary, line))
	}
}
