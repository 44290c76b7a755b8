package listing_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/tui/listing"
)

func self(s string) string { return s }

// Whatever is inserted and removed around it, the selection stays on its row; and it's in the window.
func TestSelectionStays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching("[a-z]{1,3}"), 1, 30, self)
		l := listing.New(self)
		l.Replace(ids.Draw(t, "rows"))
		l.Move(rapid.IntRange(0, 30).Draw(t, "move"))
		before, ok := l.Selected()
		require.True(t, ok)
		next := ids.Draw(t, "next")
		l.Replace(next)
		after, ok := l.Selected()
		require.True(t, ok)
		if slices.Contains(next, before) {
			require.Equal(t, before, after)
		}
		l.Append(ids.Draw(t, "more"))
		still, _ := l.Selected()
		require.Equal(t, after, still)
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(l.Rows()))), l.Len(), "no row twice")
		height := rapid.IntRange(1, 10).Draw(t, "height")
		from, to := l.Window(height)
		require.True(t, from <= l.At() && l.At() < to && to-from <= height)
	})
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	l := listing.New(self)
	l.Move(1)
	l.Append(nil)
	_, ok := l.Selected()
	require.False(t, ok)
	from, to := l.Window(5)
	require.Zero(t, to-from)
}
