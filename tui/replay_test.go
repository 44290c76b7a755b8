package tui

import (
	"bytes"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"wiki/tui/recording"
)

// A session that was recorded, played on a server like the one it was recorded on, does the same acts and ends on the same
// screen.
func TestAReplayedSessionDoesTheSame(t *testing.T) {
	t.Parallel()
	var kept bytes.Buffer
	first := newLab(t, 12)
	r := recording.Record(&kept, func() time.Time { return start })
	typed := []tea.Msg{tea.WindowSizeMsg{Width: 100, Height: 30}}
	for _, k := range []string{"j", "enter", "a", "h", "n", "t", "e", "x", "enter", "l", "u", "U", "esc", "/", "k"} {
		typed = append(typed, keyOf(k))
	}
	typed = append(typed, tea.PasteMsg{Content: "ind:system"}, keyOf("enter"), tea.WindowSizeMsg{Width: 80, Height: 24}, keyOf("G"))
	for _, m := range typed {
		first.send(r.Filter(first.model, m))
	}
	require.NoError(t, r.Err())
	entries, err := recording.Read(&kept)
	require.NoError(t, err)
	second := newLab(t, 12)
	recording.Play(t.Context(), entries, second.send)
	require.Equal(t, first.screen(), second.screen())
	require.Equal(t, first.acts.all, second.acts.all)
	require.Len(t, first.acts.all, 5)
	first.deliver()
	second.deliver()
	require.Equal(t, first.server.Recorded(), second.server.Recorded())
}
