package diffview_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"wiki/tui/diffview"
	"wiki/tui/text"
	"wiki/tui/theme"
)

func texts() (string, string) {
	var a, b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&a, "Paragraph %d is about the port 80%02d, and goes on for a while so that it has to be wrapped.\n\n", i, i)
		port := i
		if i%10 == 5 {
			port = 99
		}
		fmt.Fprintf(&b, "Paragraph %d is about the port 80%02d, and goes on for a while so that it has to be wrapped.\n\n", i, port)
	}
	return a.String(), b.String()
}

func view(width, height int) *diffview.View {
	v := &diffview.View{}
	v.SetTheme(theme.For(colorprofile.ASCII, true))
	v.Resize(width, height)
	v.Set(diffview.Compare(texts()))
	return v
}

func screen(v *diffview.View) string { return ansi.Strip(strings.Join(v.Lines(), "\n")) }

func TestMovesFromChangeToChange(t *testing.T) {
	t.Parallel()
	v := view(120, 10)
	require.Equal(t, "4 changes · side by side · 8%", v.Status())
	for i := range 4 {
		require.True(t, v.NextChange())
		require.Equal(t, i+1, v.Change())
		require.Contains(t, screen(v), fmt.Sprintf("[-80%d5-]", i), "the change is in sight")
		require.Contains(t, screen(v), "{+8099+}")
	}
	require.False(t, v.NextChange())
	require.True(t, v.PrevChange())
	require.Equal(t, "change 3 of 4 · side by side · 69%", v.Status())
	v.ToBottom()
	require.True(t, v.PrevChange(), "from what is in sight")
	require.Equal(t, 4, v.Change())
	v.ToTop()
	require.False(t, v.PrevChange())
}

func TestResizeKeepsTheChangeInSight(t *testing.T) {
	t.Parallel()
	v := view(120, 12)
	require.True(t, v.NextChange())
	require.True(t, v.NextChange())
	for _, width := range []int{80, 40, 200, 100} {
		v.Resize(width, 12)
		require.Contains(t, screen(v), "8015", width)
		for _, l := range v.Lines() {
			require.LessOrEqual(t, text.Width(ansi.Strip(l)), width)
		}
	}
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	v := view(80, 20)
	require.Contains(t, v.Status(), "stacked", "too narrow for two columns")
	v.Resize(120, 20)
	require.Contains(t, v.Status(), "side by side")
	v.CycleLayout()
	v.CycleLayout()
	require.Contains(t, v.Status(), "unified")
	v.Resize(80, 20)
	require.Contains(t, v.Status(), "unified", "a choice stays")
	v.ToggleOnlyChanges()
	v.ToggleIgnoreSpace()
	require.Equal(t, "4 changes · unified · only changes · spaces ignored · 80%", v.Status())
	require.Contains(t, screen(v), "unchanged lines")
}

func BenchmarkLay(b *testing.B) {
	one, two := texts()
	v := view(120, 50)
	v.Set(diffview.Compare(strings.Repeat(one, 130), strings.Repeat(two, 130)))
	for b.Loop() {
		v.ToggleOnlyChanges()
	}
}
