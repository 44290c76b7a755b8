package diff_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/tui/diff"
)

// sides takes the marks out of a merged text again: the first side whole, and the second.
func sides(merged string) (first, second string) {
	in := 0
	for line := range strings.Lines(merged) {
		switch {
		case strings.HasPrefix(line, "<<<<<<< "):
			in = 1
		case in == 1 && line == "=======\n":
			in = 2
		case strings.HasPrefix(line, ">>>>>>> "):
			in = 0
		default:
			if in != 2 {
				first += line
			}
			if in != 1 {
				second += line
			}
		}
	}
	return first, second
}

// A merged text has all of both sides, and each can be taken out of it again.
func TestMergeKeepsBothSides(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{"port", "8080", "8081", "\n", "\n\n", "- ", "# ", "é", " "})
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return strings.TrimRight(strings.Join(rapid.SliceOfN(words, 0, 30).Draw(t, name), ""), "\n") + "\n"
		}
		a, b := text("a"), text("b")
		merged := diff.Merge(a, b, "left", "right")
		first, second := sides(merged)
		require.Equal(t, a, first)
		require.Equal(t, b, second)
		require.Equal(t, a != b, diff.Unmerged(merged))
	})
	require.Equal(t, "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", diff.Merge("x", "y", "a", "b"), "lines are ended")
	require.False(t, diff.Unmerged("A heading\n=======\n"))
}
