package wiki_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

const (
	leadPage  = "Outage of May\n\nOn 12 May 2026 the booking service was down for 74 minutes. See https://example.org/post?id=7.\n\n1. A migration took the lock.\n2. Nobody saw it.\n"
	otherPage = "Review of the outage\n\nThe booking service was down for 47 minutes, since `lock_timeout` was not set. See [[Migrations]] and [the log](log.md).\n"
	goodMerge = "## What happened\n\nOn 12 May 2026 the booking service was down: for 74 minutes by \"Outage of May\", for 47 minutes by \"Review of the outage\". " +
		"`lock_timeout` was not set.\n\n3. A migration took the lock.\n4. Nobody saw it.\n\nSee https://example.org/post?id=7, [[Migrations]] and [the log](log.md).\n"
)

func TestAMergedTextThatKeepsWhatThePagesSay(t *testing.T) {
	t.Parallel()
	got, err := wiki.CleanMerged(goodMerge, leadPage, otherPage)
	require.NoError(t, err)
	require.Equal(t, goodMerge, got)
	for _, fence := range []string{"```markdown", "```md", "~~~md"} {
		got, err = wiki.CleanMerged("\n"+fence+"\n"+goodMerge+fence[:3]+"\n", leadPage, otherPage)
		require.NoError(t, err)
		require.Equal(t, goodMerge, got)
	}
	got, err = wiki.CleanMerged("Cafe\u0301 opens.\n", "Caf\u00e9\n\nCaf\u00e9 opens.\n")
	require.NoError(t, err)
	require.Equal(t, "Caf\u00e9 opens.\n", got)
}

// Case 26: prompts and refusals of a model were kept as content.
func TestCase26AMergedTextThatSaysSomethingElseIsRefused(t *testing.T) {
	t.Parallel()
	replaced := func(old, with string) string {
		require.Contains(t, goodMerge, old)
		return strings.Replace(goodMerge, old, with, 1)
	}
	for name, x := range map[string]struct{ text, why string }{
		"empty":              {" \n", "body is required"},
		"NUL":                {goodMerge + "\x00", "NUL"},
		"not UTF-8":          {goodMerge + "\xff", "UTF-8"},
		"lost characters":    {goodMerge + "\ufffd", "lost characters"},
		"a refusal":          {"I'm sorry, but I cannot help with that request.", "leaves out"},
		"the prompt":         {"You merge two pages of a wiki into one.", "leaves out"},
		"one page alone":     {leadPage, "leaves out"},
		"a number lost":      {replaced("74 minutes", "long"), `leaves out "74 minutes"`},
		"a unit changed":     {replaced("74 minutes", "74 hours"), `leaves out "74 minutes"`},
		"an identifier lost": {replaced("`lock_timeout`", "A timeout"), `leaves out "lock_timeout"`},
		"a negation lost":    {replaced("was not set", "was set"), "leaves out"},
		"a link lost":        {replaced("https://example.org/post?id=7", "elsewhere"), "https://example.org/post?id=7"},
		"a link bent":        {replaced("post?id=7", "post?id=8"), "https://example.org/post?id=7"},
		"a wikilink lost":    {replaced("[[Migrations]]", "Migrations"), "[[Migrations]]"},
		"a target lost":      {replaced("[the log](log.md)", "the log"), `"log.md"`},
		"a number made up":   {replaced("What happened", "What happened 9 times"), `says "9"`},
		"a link made up":     {replaced("See", "See http://evil.example and"), `says "http://evil.example"`},
		"a negation made up": {replaced("A migration took", "A migration never took"), "says"},
		"much that is new":   {goodMerge + strings.Repeat("wonderful adventures always happen whenever lighthouses remember forgotten sailors beneath velvet skies ", 2), "neither page"},
		"the same for ever":  {goodMerge + strings.Repeat("Nobody saw the migration. ", 60), "more than the pages"},
	} {
		_, err := wiki.CleanMerged(x.text, leadPage, otherPage)
		require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err), name)
		require.ErrorContains(t, err, x.why, name)
	}
	_, err := wiki.CleanMerged("The server restarts.\n", "A\n\nThe server restarts quickly every single morning without anybody noticing.\n", "B\n\nThe server restarts.\n")
	require.ErrorContains(t, err, "leaves out")
	_, err = wiki.CleanMerged("The server restarts.\n", "A\n\nThe server restarts quickly every single morning because administrators enjoy breakfast.\n")
	require.ErrorContains(t, err, "words of a page")
}

// What keeps every line of both pages must hardly ever be refused: the check would else be one that no model can pass. The
// pairs are the ones that the gate is measured on.
func TestAMergeThatLosesNothingIsHardlyEverRefused(t *testing.T) {
	t.Parallel()
	const least = 0.98 // 175 of 177: a number or a negation may meet another word where two lines come together
	raw, err := os.ReadFile("../eval/golden/pairs.jsonl")
	require.NoError(t, err)
	pairs, taken := 0, 0
	for line := range strings.Lines(string(raw)) {
		var pair struct{ First, Second struct{ Title, Body string } }
		require.NoError(t, json.Unmarshal([]byte(line), &pair))
		a, b := pair.First, pair.Second
		if _, err := wiki.CleanMerged(wiki.MergeBodies(a.Body, b.Body, b.Title), a.Title+"\n\n"+a.Body, b.Title+"\n\n"+b.Body); err == nil {
			taken++
		}
		pairs++
	}
	require.Greater(t, pairs, 100)
	require.GreaterOrEqual(t, float64(taken), least*float64(pairs), "%d of %d", taken, pairs)
}
