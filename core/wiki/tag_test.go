package wiki_test

import (
	"slices"
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

// A capture identity survives the cap, since nothing could bring it back; a tag in another normal form keeps its letters.
func TestSanitiseTagsKeepsCapturesAndLetters(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 30 {
		many = append(many, strings.Repeat("x", i+1))
	}
	capture := "idem-url-0123456789ab"
	got := wiki.SanitiseTags(append(many, capture, capture))
	require.Len(t, got, wiki.MaxMachineTags)
	require.Equal(t, capture, got[wiki.MaxMachineTags-1])
	require.Equal(t, []string{"caf\u00e9"}, wiki.SanitiseTags([]string{"cafe\u0301", "caf\u00e9"}))
	for _, coerced := range []string{" idem-url-0123456789ab", "idem-url-0123456789ab!", "idem url 0123456789ab", "-idem-url-0123456789ab"} {
		require.Empty(t, wiki.SanitiseTags([]string{coerced}), "%q became reserved by sanitising", coerced)
	}
}

func TestMergeTagsDropsWhatMayNotBeStored(t *testing.T) {
	t.Parallel()
	got := wiki.MergeTags([]string{"a", "idem-bad", "idem-yt-0123456789ab"}, []string{"b", "a", "idem-url-0123456789ab", "old tag"})
	require.Equal(t, []string{"a", "idem-yt-0123456789ab", "b", "idem-url-0123456789ab"}, got)
}

// The legacy shape wants both a known family and a hex digest: commit-<sha> has the shape and is none (seed, invariant 6).
func TestSeed6_LegacyWantsAKnownFamilyAndAHexDigest(t *testing.T) {
	t.Parallel()
	sha := strings.Repeat("0a", 20)
	for _, tag := range []string{"url-0123456789ab", "yt-" + sha, "book-aaaaaaaaaaaa"} {
		require.True(t, wiki.LegacyCapture(tag), tag)
		require.NoError(t, wiki.CheckTag(tag), "the bare form is still writable")
	}
	for _, tag := range []string{
		"commit-" + sha, "release-202604150930", "url-0123456789aB", "url-0123456789a", "url-0123456789abc", "url-xyzxyzxyzxyz", "URL-0123456789ab",
		"my-url-0123456789ab", "url-a-0123456789ab", "url-0123456789ab\n", "idem-url-0123456789ab", "url", "",
	} {
		require.False(t, wiki.LegacyCapture(tag), "%q", tag)
	}
}

func TestReserveTagsAddsFirstAndDropsInASecondPass(t *testing.T) {
	t.Parallel()
	tags := []string{"a", "url-0123456789ab", "commit-0123456789ab", "yt-0123456789ab", "idem-yt-0123456789ab"}
	added, changed, full := wiki.ReserveTags(tags, false)
	require.Equal(t, append(slices.Clone(tags), "idem-url-0123456789ab"), added)
	require.Equal(t, [2]int{1, 0}, [2]int{changed, full})
	again, changed, _ := wiki.ReserveTags(added, false)
	require.Equal(t, added, again)
	require.Zero(t, changed)
	dropped, changed, _ := wiki.ReserveTags(added, true)
	require.Equal(t, []string{"a", "commit-0123456789ab", "idem-yt-0123456789ab", "idem-url-0123456789ab"}, dropped)
	require.Equal(t, 2, changed)
	kept, changed, _ := wiki.ReserveTags(tags[:2], true)
	require.Equal(t, tags[:2], kept, "never dropped before it is reserved")
	require.Zero(t, changed)
	crowd := []string{"url-0123456789ab"}
	for i := range wiki.MaxTags - 1 {
		crowd = append(crowd, strings.Repeat("x", i+1))
	}
	same, changed, full := wiki.ReserveTags(crowd, false)
	require.Equal(t, crowd, same)
	require.Equal(t, [2]int{0, 1}, [2]int{changed, full})
}
