package wiki_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"wiki/core/wiki"
)

// requireFault checks that err carries the code and names the field.
func requireFault(t *testing.T, err error, code wiki.Code, field string) {
	t.Helper()
	var e *wiki.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, code, e.Code)
	require.Equal(t, field, e.Field)
}

func TestCleanText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		clean, err := wiki.CleanText("body", text)
		if strings.ContainsRune(text, 0) {
			require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
			return
		}
		require.NoError(t, err)
		require.Equal(t, norm.NFC.String(text), clean, "what is accepted reads back equal in NFC")
		again, err := wiki.CleanText("body", clean)
		require.NoError(t, err)
		require.Equal(t, clean, again, "cleaning twice changes nothing")
		require.Equal(t, wiki.Canonical(text), wiki.Canonical(clean), "cleaning never changes what a text says")
	})
}

func TestCleanTextRefusesAnyInvalidBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		_, err := wiki.CleanText("title", raw)
		require.Equal(t, !utf8.ValidString(raw) || strings.ContainsRune(raw, 0), err != nil)
	})
}

// Line ends, blanks at the ends of lines and the two normal forms never make two texts different (cases 73 and 74).
func TestCanonicalIgnoresHowATextIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-zé ]{0,9}\n?){0,6}`).Draw(t, "text")
		rewritten := "  \n" + strings.ReplaceAll(norm.NFD.String(text), "\n", " \t\r\n") + "\r\n"
		require.Equal(t, wiki.Canonical(text), wiki.Canonical(rewritten))
		require.Equal(t, wiki.ContentHash("t", text), wiki.ContentHash("t", rewritten))
		require.Equal(t, wiki.Canonical(text), wiki.Canonical(wiki.Canonical(text)))
	})
}

func TestCleanTitle(t *testing.T) {
	t.Parallel()
	title, err := wiki.CleanTitle(" Cafe\u0301 \n")
	require.NoError(t, err)
	require.Equal(t, "Caf\u00e9", title)
	long, err := wiki.CleanTitle(strings.Repeat("é", wiki.MaxTitleRunes))
	require.NoError(t, err)
	require.Len(t, []rune(long), wiki.MaxTitleRunes)
	for _, bad := range []string{"", " \t\n", "a\x00b", "\xff", strings.Repeat("é", wiki.MaxTitleRunes+1)} {
		_, err := wiki.CleanTitle(bad)
		requireFault(t, err, wiki.CodeInvalid, "title")
	}
}

func TestCleanBody(t *testing.T) {
	t.Parallel()
	body, err := wiki.CleanBody("a\r\nb  \n")
	require.NoError(t, err)
	require.Equal(t, "a\r\nb  \n", body, "line ends and blanks are kept as given")
	_, err = wiki.CleanBody(strings.Repeat("x", wiki.MaxBodyBytes))
	require.NoError(t, err)
	for _, bad := range []string{"", "\n \n", "a\x00", "\xc3", strings.Repeat("x", wiki.MaxBodyBytes+1), strings.Repeat("x", 10_000_000)} {
		_, err := wiki.CleanBody(bad)
		requireFault(t, err, wiki.CodeInvalid, "body")
	}
}

func TestCleanTags(t *testing.T) {
	t.Parallel()
	tags, err := wiki.CleanTags([]string{"go", "cafe\u0301", "go", "caf\u00e9"})
	require.NoError(t, err)
	require.Equal(t, []string{"go", "café"}, tags)
	for _, bad := range [][]string{{"a b"}, {"tag\n"}, {""}, {"a\x00"}, {"\xff"}, make([]string, 1_000_000)} {
		_, err := wiki.CleanTags(bad)
		requireFault(t, err, wiki.CodeInvalid, "tags")
	}
	_, err = wiki.CleanTags([]string{"idem-url-xyz"})
	requireFault(t, err, wiki.CodeReservedTag, "tags")
}

func TestCleanReason(t *testing.T) {
	t.Parallel()
	reason, err := wiki.CleanReason("  wrong since May ", true)
	require.NoError(t, err)
	require.Equal(t, "wrong since May", reason)
	_, err = wiki.CleanReason(" ", false)
	require.NoError(t, err)
	for _, bad := range []string{" ", strings.Repeat("x", wiki.MaxReasonRunes+1), "\x00"} {
		_, err := wiki.CleanReason(bad, true)
		requireFault(t, err, wiki.CodeInvalid, "reason")
	}
}

func TestMakeSlug(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("01234567-89ab-7def-8123-456789abcdef")
	for title, want := range map[string]string{
		"How we deploy: v2, on Fridays": "how-we-deploy-v2-on-fridays-abcdef",
		"Café – don't":                  "cafe-dont-abcdef",
		"日本語":                           "article-abcdef",
		"--":                            "article-abcdef",
	} {
		require.Equal(t, want, wiki.MakeSlug(title, id))
	}
	rapid.Check(t, func(t *rapid.T) {
		require.NoError(t, wiki.CheckSlug(wiki.MakeSlug(rapid.String().Draw(t, "title"), id)))
	})
	for _, bad := range []string{"", "a", "-a", "a-", "A1", "a b", "ab\n", strings.Repeat("a", 65)} {
		requireFault(t, wiki.CheckSlug(bad), wiki.CodeInvalid, "slug")
	}
}
