package wiki_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/wiki"
)

func spans(text string, words ...string) (out []wiki.Span) {
	for _, w := range words {
		for from := 0; ; {
			i := strings.Index(text[from:], w)
			if i < 0 {
				break
			}
			out = append(out, wiki.Span{Start: from + i, End: from + i + len(w)})
			from += i + len(w)
		}
	}
	return wiki.MergeSpans(out)
}

func TestSnippetShowsTheBestStretchMarked(t *testing.T) {
	t.Parallel()
	text := "Intro about pools.\n\n" + strings.Repeat("Filler sentence here. ", 40) + "The pool\n\tsize of  pgbouncer is **20**. After it more."
	got := wiki.Snippet(text, spans(text, "pool", "pgbouncer", "size"), 0)
	require.Equal(t, "…The **pool** **size** of **pgbouncer** is 20. After it more.", got)
	require.Equal(t, "Intro about **pool**s. Filler", wiki.Snippet(text, spans(text[:30], "pool"), 0)[:29])
	require.Equal(t, "a plain text", wiki.Snippet("a plain text", nil, 0))
	require.Empty(t, wiki.Snippet("", nil, 5))
	family := strings.Repeat("👩‍👩‍👧‍👦", 100)
	require.Equal(t, strings.Repeat("👩‍👩‍👧‍👦", 42)+"…", wiki.Snippet(family, nil, 0), "no family is split (case 70)")
}

func TestSnippetIsBoundedAndWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 900, -1).Draw(t, "text")
		var matches []wiki.Span
		for pos := range text {
			_, size := utf8.DecodeRuneInString(text[pos:])
			if rapid.IntRange(0, 9).Draw(t, "match") == 0 {
				matches = append(matches, wiki.Span{Start: pos, End: pos + size})
			}
		}
		got := wiki.Snippet(text, matches, rapid.IntRange(-5, 1000).Draw(t, "from"))
		require.LessOrEqual(t, utf8.RuneCountInString(got), wiki.MaxSnippetRunes)
		require.True(t, utf8.ValidString(got))
		require.Zero(t, strings.Count(got, wiki.SnippetMark)%2, "every mark is closed: %q", got)
	})
}
