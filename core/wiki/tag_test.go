package wiki_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

func TestReservedTags(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"idem-url-0123456789ab", "idem-yt-" + strings.Repeat("a0", 20), "plain", "idempotent", "url-0123456789ab"} {
		require.NoError(t, wiki.CheckTag(tag), tag)
	}
	for _, tag := range []string{"idem-", "idem-url", "idem-url-XYZ", "idem-url-0123456789AB", "idem-url-0123456789abc", "idem-0123456789ab"} {
		require.Equal(t, wiki.CodeReservedTag, wiki.ErrorCode(wiki.CheckTag(tag)), tag)
	}
	for _, tag := range []string{"", "a b", "a\n", strings.Repeat("a", 101), "a/b"} {
		require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(wiki.CheckTag(tag)), "%q", tag)
	}
}

func TestSanitiseTagsDropsWhatBecameReserved(t *testing.T) {
	t.Parallel()
	got := wiki.SanitiseTags([]string{"a b", "a-b", "idem-url-0123456789ab", "idem url 0123456789ab", "idem-bad", " ", "c"})
	require.Equal(t, []string{"a-b", "idem-url-0123456789ab", "c"}, got)
	many := make([]string, 40)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	require.Len(t, wiki.SanitiseTags(many), wiki.MaxMachineTags)
}
