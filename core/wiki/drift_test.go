package wiki_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

func TestDrift(t *testing.T) {
	t.Parallel()
	stored := wiki.Article{Title: "Deploys", Body: "Deploy on Mondays.\n", PreviousTitle: "Untitled"}
	text := func(s string) wiki.SubmittedBody { return wiki.SubmittedBody{Present: true, IsText: true, Text: s} }
	for name, c := range map[string]struct {
		title         string
		body          wiki.SubmittedBody
		content, titl bool
	}{
		"the same":                         {"Deploys", text("Deploy on Mondays."), false, false},
		"another body":                     {"Deploys", text("Deploy on Fridays."), true, false},
		"an absent body is no drift":       {"Deploys", wiki.SubmittedBody{}, false, false},
		"a body that is no text is drift":  {"Deploys", wiki.SubmittedBody{Present: true}, true, false},
		"an empty body is drift":           {"Deploys", text(""), true, false},
		"CRLF and trailing blanks are not": {"Deploys ", text("Deploy on Mondays.  \r\n"), false, false},
		"another title":                    {"Releases", text("Deploy on Mondays."), false, true},
		"the title before the retitle":     {"Untitled", text("Deploy on Mondays."), false, false},
		"an absent title":                  {"", text("Deploy on Mondays."), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content, title := wiki.Drift(c.title, c.body, stored)
			require.Equal(t, c.content, content, "content")
			require.Equal(t, c.titl, title, "title")
		})
	}
}

func TestDriftComparesUnderOneNormalForm(t *testing.T) {
	t.Parallel()
	stored := wiki.Article{Title: "Caf\u00e9", Body: "na\u00efve"}
	content, title := wiki.Drift("Cafe\u0301", wiki.SubmittedBody{Present: true, IsText: true, Text: "nai\u0308ve"}, stored)
	require.False(t, content)
	require.False(t, title)
	require.Equal(t, wiki.ContentHash("Caf\u00e9", "na\u00efve"), wiki.ContentHash("Cafe\u0301", "nai\u0308ve\r\n"))
}
