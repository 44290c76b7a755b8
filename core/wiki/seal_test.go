package wiki_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/wiki"
)

func TestASealedTextComesBackAndNoChangeOfItDoes(t *testing.T) {
	t.Parallel()
	key := []byte("0123456789abcdef0123456789abcdef")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		sealed := wiki.Seal(key, text, "list", "tenant")
		back, ok := wiki.Unseal(key, sealed, "list", "tenant")
		require.True(t, ok)
		require.Equal(t, text, back)

		at := rapid.IntRange(0, len(sealed)-1).Draw(t, "at")
		other := rapid.ByteRange(1, 127).Draw(t, "other")
		changed := sealed[:at] + string(rune(other)) + sealed[at+1:]
		if changed != sealed {
			_, ok = wiki.Unseal(key, changed, "list", "tenant")
			require.False(t, ok, changed)
		}
		_, ok = wiki.Unseal(key, sealed, "listt", "enant")
		require.False(t, ok)
		_, ok = wiki.Unseal([]byte("another"), sealed, "list", "tenant")
		require.False(t, ok)
	})
	for _, junk := range []string{"", ".", "..", "a.b", "\x00"} {
		_, ok := wiki.Unseal(key, junk)
		require.False(t, ok, "%q", junk)
	}
}
