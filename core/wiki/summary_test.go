package wiki_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/wiki"
)

func TestSummaryIsTheFirstParagraph(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"# Title\n\nFirst line\nsecond  line.\n\nMore.": "First line second line.",
		"# Only a title":           "Only a title",
		"\r\n\r\n## A\r\ntext\x00": "text",
		"":                         "",
	} {
		require.Equal(t, want, wiki.Summary(body), "%q", body)
	}
	long := wiki.Summary(strings.Repeat("words and more ", 40))
	require.True(t, strings.HasSuffix(long, "words…") || strings.HasSuffix(long, "and…") || strings.HasSuffix(long, "more…"), long)
	rapid.Check(t, func(t *rapid.T) {
		s := wiki.Summary(strings.Repeat(rapid.String().Draw(t, "body")+"é\u0301👩‍👩‍👧", rapid.IntRange(1, 40).Draw(t, "times")))
		require.True(t, utf8.ValidString(s))
		require.LessOrEqual(t, len(s), wiki.MaxSummaryBytes)
		require.NotContains(t, s, "\n")
	})
}
