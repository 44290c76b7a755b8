package recording_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/tui/recording"
)

// fixed is a clock that stands, so that a replay does not wait.
func fixed() time.Time { return time.Unix(0, 0) }

func record(t require.TestingT, msgs []tea.Msg) string {
	var out bytes.Buffer
	r := recording.Record(&out, fixed)
	for _, m := range msgs {
		require.Equal(t, m, r.Filter(nil, m), "everything is let through")
	}
	require.NoError(t, r.Err())
	return out.String()
}

// What is recorded and played is what was typed, to the byte; and recording the replay gives the same recording.
func TestARecordingRoundTrips(t *testing.T) {
	t.Parallel()
	key := rapid.Custom(func(t *rapid.T) tea.Msg {
		return tea.KeyPressMsg{
			Text: rapid.String().Draw(t, "text"), Code: rapid.Rune().Draw(t, "code"), Mod: tea.KeyMod(rapid.IntRange(0, 255).Draw(t, "mod")),
			ShiftedCode: rapid.Rune().Draw(t, "shifted"), BaseCode: rapid.Rune().Draw(t, "base"), IsRepeat: rapid.Bool().Draw(t, "repeat"),
		}
	})
	paste := rapid.Custom(func(t *rapid.T) tea.Msg { return tea.PasteMsg{Content: rapid.String().Draw(t, "paste")} })
	size := rapid.Custom(func(t *rapid.T) tea.Msg {
		return tea.WindowSizeMsg{Width: rapid.IntRange(0, 500).Draw(t, "width"), Height: rapid.IntRange(0, 500).Draw(t, "height")}
	})
	rapid.Check(t, func(t *rapid.T) {
		typed := rapid.SliceOf(rapid.OneOf(key, paste, size)).Draw(t, "session")
		kept := record(t, typed)
		entries, err := recording.Read(strings.NewReader(kept))
		require.NoError(t, err)
		var again []tea.Msg
		recording.Play(context.Background(), entries, func(m tea.Msg) { again = append(again, m) })
		require.Len(t, again, len(typed))
		for i := range typed {
			require.Equal(t, typed[i], again[i])
		}
		require.Equal(t, kept, record(t, again))
	})
}

func TestOnlyWhatAPersonDidIsRecorded(t *testing.T) {
	t.Parallel()
	require.Empty(t, record(t, []tea.Msg{tea.BackgroundColorMsg{}, struct{}{}, tea.QuitMsg{}}))
}

func TestWhatIsNoRecordingIsRefusedByItsLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"after_ms":0,"size":[80,24]}` + "\nnonsense": "line 2",
		`{"after_ms":0}`:                          "line 1",
		`{"size":[1,2],"paste":"x"}`:              "line 1",
		`{"key":{"code":97},"paste":"x"}`:         "line 1",
		`{"paste":"` + strings.Repeat("x", 5<<20): "cannot be read",
	} {
		_, err := recording.Read(strings.NewReader(text))
		require.ErrorContains(t, err, want)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestAFailedRecordingStopsNothing(t *testing.T) {
	t.Parallel()
	r := recording.Record(full{}, fixed)
	require.Equal(t, tea.PasteMsg{Content: "x"}, r.Filter(nil, tea.PasteMsg{Content: "x"}))
	require.ErrorContains(t, r.Err(), "the disk is full")
}

func TestAReplayKeepsThePaceAndEndsWithTheContext(t *testing.T) {
	t.Parallel()
	x := "x"
	entries := []recording.Entry{{Paste: &x}, {AfterMS: 40, Paste: &x}, {AfterMS: 3_600_000, Paste: &x}}
	ctx, cancel := context.WithCancel(t.Context())
	began, sent := time.Now(), 0
	recording.Play(ctx, entries, func(tea.Msg) {
		if sent++; sent == 2 {
			cancel()
		}
	})
	require.Equal(t, 2, sent)
	require.GreaterOrEqual(t, time.Since(began), 40*time.Millisecond)
}
