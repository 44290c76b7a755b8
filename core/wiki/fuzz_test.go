package wiki_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"wiki/core/wiki"
)

// Every normaliser takes any bytes, gives a form that it leaves as it is when it meets it again, and refuses the rest with a
// coded error that names the field.

func FuzzCleanText(f *testing.F) {
	for _, text := range []string{"plain", "e\u0301 and \u00e9", "a\x00b", "\xff", "\u1100\u1161", strings.Repeat("\u0301", 40)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean, err := wiki.CleanText("body", text)
		if strings.Contains(text, "\x00") || !utf8.ValidString(text) {
			requireRefused(t, err, "body")
			return
		}
		require.NoError(t, err)
		require.True(t, utf8.ValidString(clean) && norm.NFC.IsNormalString(clean))
		again, err := wiki.CleanText("body", clean)
		require.NoError(t, err)
		require.Equal(t, clean, again)
	})
}

func FuzzCleanTitle(f *testing.F) {
	for _, title := range []string{"Retry budgets", " \u00a0blank\t", "", "Ångström's 5 µm", "東京", strings.Repeat("x", 300)} {
		f.Add(title)
	}
	f.Fuzz(func(t *testing.T, title string) {
		clean, err := wiki.CleanTitle(title)
		if err != nil {
			requireRefused(t, err, "title")
			return
		}
		require.NotEmpty(t, clean)
		require.LessOrEqual(t, utf8.RuneCountInString(clean), wiki.MaxTitleRunes)
		again, err := wiki.CleanTitle(clean)
		require.NoError(t, err)
		require.Equal(t, clean, again)
		require.NoError(t, wiki.CheckSlug(wiki.MakeSlug(clean, uuid.New())))
	})
}

// Cases 73 and 74: line ends, blanks at their ends and the form of accents say nothing.
func FuzzCanonical(f *testing.F) {
	for _, text := range []string{"a\r\nb \t\n", "cafe\u0301\n", "\n\n  x  \n", "\r\r\n", "\u1fef\u2000\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		canonical := wiki.Canonical(text)
		require.Equal(t, canonical, wiki.Canonical(canonical))
		require.Equal(t, canonical, wiki.Canonical("\n"+text+" \n"))
		if clean, err := wiki.CleanText("body", text); err == nil {
			require.Equal(t, canonical, wiki.Canonical(clean), "what is stored compares as what was sent")
			require.Equal(t, wiki.ContentHash("t", text), wiki.ContentHash("t", strings.ReplaceAll(canonical, "\n", "\r\n")))
		}
	})
}

func FuzzTags(f *testing.F) {
	f.Add("go,idem-note-0123456789ab,go, two words ,idem-bad", true)
	f.Add("a\xffb,\u0301,-,idem-\u00e9", false)
	f.Fuzz(func(t *testing.T, list string, drop bool) {
		tags := strings.Split(list, ",")
		machine := wiki.SanitiseTags(tags)
		require.NoError(t, wiki.CheckTags(machine))
		require.LessOrEqual(t, len(machine), wiki.MaxMachineTags)
		require.Equal(t, machine, wiki.SanitiseTags(machine))
		for _, tag := range machine {
			if strings.HasPrefix(tag, wiki.ReservedTagPrefix) {
				require.Contains(t, tags, tag, "sanitising made a capture identity")
			}
		}
		clean, err := wiki.CleanTags(tags)
		if err != nil {
			require.Contains(t, []wiki.Code{wiki.CodeInvalid, wiki.CodeReservedTag}, wiki.ErrorCode(err))
			return
		}
		require.NoError(t, wiki.CheckTags(clean))
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(clean))), len(clean))
		after, _, _ := wiki.ReserveTags(clean, drop)
		require.NoError(t, wiki.CheckTags(after))
	})
}

func FuzzMetadata(f *testing.F) {
	for _, raw := range []string{`{"agent_id":"a","visibility":"owner"}`, `{"n":1e400}`, `{"n":12345678901234567}`, `[]`, `{"a":"\u0000"}`, `{"e\u0301":1,"é":2}`, strings.Repeat(`{"a":`, 40)} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		clean, err := wiki.CleanMetadata(raw)
		if err != nil {
			requireRefused(t, err, "metadata")
			return
		}
		stored, err := json.Marshal(clean)
		require.NoError(t, err)
		if len(stored) > wiki.MaxMetadataBytes {
			return // escaped, it is longer than it was sent
		}
		again, err := wiki.CleanMetadata(stored)
		require.NoError(t, err)
		require.True(t, wiki.SameMetadata(clean, again))
		visibility, owner := wiki.VisibilityOf(clean, "creator")
		require.Equal(t, visibility == wiki.VisibilityPrivate, owner != "")
	})
}

// A text that the server sealed comes back whole, and nothing else ever comes back.
func FuzzUnseal(f *testing.F) {
	key := []byte("0123456789abcdef0123456789abcdef")
	f.Add("2026-01-02,7", "article", wiki.Seal(key, "2026-01-02,7", "article"))
	f.Add("", "", "AA.AA")
	f.Fuzz(func(t *testing.T, text, purpose, forged string) {
		got, ours := wiki.Unseal(key, wiki.Seal(key, text, purpose), purpose)
		require.True(t, ours)
		require.Equal(t, text, got)
		_, ours = wiki.Unseal(key, wiki.Seal(key, text, purpose), purpose, "")
		require.False(t, ours, "sealed for something else")
		if got, ours = wiki.Unseal(key, forged, purpose); ours {
			require.Equal(t, wiki.Seal(key, got, purpose), forged)
		}
	})
}

func FuzzDifferences(f *testing.F) {
	f.Add("The limit is 10 ms since v1.2.3.", "The limit isn't 10 s since v1.2.4.")
	f.Add("`a` != b on 2026-01-02", "$1,000.50 \u00bd")
	f.Fuzz(func(t *testing.T, first, second string) {
		require.Empty(t, wiki.Differences(first, first))
		found, back := wiki.Differences(first, second), wiki.Differences(second, first)
		require.LessOrEqual(t, len(found), wiki.MaxDifferences)
		require.Equal(t, len(found) == 0, len(back) == 0, "%q and %q", first, second)
	})
}

func FuzzSnippet(f *testing.F) {
	f.Add("One sentence. A second, with a match in it.", 20, 26, 3)
	f.Add(strings.Repeat("👩\u200d👩 **bold** ", 60), 400, 500, -1)
	f.Add("a\xffb\u0301\u0301", 1, 2, 9)
	f.Fuzz(func(t *testing.T, text string, start, end, from int) {
		var matches []wiki.Span
		if 0 <= start && start < end && end <= len(text) {
			matches = []wiki.Span{{Start: start, End: end}}
		}
		snippet := wiki.Snippet(text, matches, from)
		require.True(t, utf8.ValidString(snippet))
		require.LessOrEqual(t, utf8.RuneCountInString(snippet), wiki.MaxSnippetRunes)
		require.NotContains(t, snippet, "\n")
		require.Zero(t, strings.Count(snippet, wiki.SnippetMark)%2, "%q", snippet)
	})
}

func requireRefused(t *testing.T, err error, field string) {
	t.Helper()
	var e *wiki.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, wiki.CodeInvalid, e.Code)
	require.Equal(t, field, e.Field)
	require.True(t, utf8.ValidString(e.Message), "%q", e.Message)
}
