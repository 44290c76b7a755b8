package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/search"
	"wiki/core/wiki"
)

// Case 49: a hit of words alone was clamped to 1 and outranked everything, a missing word gave a negative score, sums of raw
// scales drowned one lane. Here each lane's score is on one scale from 0 to 1 that never ends at its top, grows with what the
// lane itself measured, and what a lane did not find costs nothing.
func TestCase49NoLaneDrownsTheOther(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const question = "how do we descale the espresso machine"
	answer := f.add(t, doc{title: "Descaling", body: "Descale the espresso machine with citric acid each month."})
	shouting := f.add(t, doc{title: "Machine", body: strings.Repeat("machine espresso ", 200) + "auction of spare parts."})
	meaning := f.add(t, doc{title: "Limescale in coffee makers", body: "Mineral deposits block the boiler; remove them with a mild acid."})
	f.corpus(t)

	page := f.search(t, search.Query{Text: question, Explain: true, Limit: 20})
	require.Equal(t, answer, page.Hits[0].ID, "what both lanes like goes before what repeats words")
	seen := map[string]wiki.LaneScore{}
	for _, h := range page.Hits {
		words := h.Explain.Lanes[wiki.LaneKeyword]
		require.GreaterOrEqual(t, words.Score, 0.0)
		require.Less(t, words.Score, 1.0)
		require.GreaterOrEqual(t, h.Explain.Fused, 0.0)
		for title, other := range seen {
			require.Equal(t, words.Raw > other.Raw, words.Score > other.Score, "%s and %s", h.Title, title)
		}
		seen[h.Title] = words
	}
	require.Zero(t, seen["Limescale in coffee makers"].Rank)
	require.Less(t, f.place(page, meaning), 3, "no word of the question, and still found")
	require.Less(t, f.place(page, shouting), len(page.Hits))
}

// What an answer is trusted by is a lane's absolute score, not the one that pages are ordered by (case 49).
func TestCase49ConfidenceIsNoFusedScore(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.corpus(t)
	page := f.hybrid(t, "how is a TLS certificate renewed", 10)
	best := 0.0
	for _, h := range page.Hits {
		best = max(best, h.Explain.Lanes[wiki.LaneSemantic].Score)
	}
	require.InDelta(t, best, page.Confidence, 1e-9)
	require.NotEqual(t, page.Hits[0].Score, page.Confidence)
}

// place gives where an article stands on a page, from 0; behind its end when it does not.
func (f fixture) place(page search.Page, id uuid.UUID) int {
	if at := slices.Index(ids(page.Hits), id); at >= 0 {
		return at
	}
	return len(page.Hits)
}
