package wiki_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/wiki"
)

func diverse(n byte, score float64, hash string, vector ...float32) wiki.Diverse {
	return wiki.Diverse{ID: uuid.UUID{n}, Score: score, ContentHash: hash, Vector: vector}
}

func chosen(list []wiki.Diverse) (ns []byte) {
	for _, c := range list {
		ns = append(ns, c.ID[0])
	}
	return ns
}

func TestSelectDiverse(t *testing.T) {
	t.Parallel()
	rules := wiki.DefaultDiversity()
	pool := []wiki.Diverse{
		diverse(1, 1, "a", 1, 0), diverse(2, 0.99, "a", 1, 0), diverse(3, 0.98, "b", 0.999, 0.0447), diverse(4, 0.97, "c", 0, 1),
		diverse(5, 0.96, "d"), diverse(6, 0.5, "e", 0.6, 0.8),
	}
	got, report := wiki.SelectDiverse(rules, pool, 3)
	require.Equal(t, []byte{1, 4, 5}, chosen(got), "repeats are refilled from behind, in the pool's order")
	require.Equal(t, map[uuid.UUID]string{{2}: wiki.DroppedExactDuplicate, {3}: wiki.DroppedNearDuplicate}, report.Dropped)
	require.Equal(t, 5, report.VectorsAvailable)

	got, report = wiki.SelectDiverse(rules, pool[:3], 2)
	require.Equal(t, []byte{1, 2}, chosen(got), "a drop that cannot be refilled is not taken")
	require.Equal(t, map[uuid.UUID]string{{3}: wiki.DroppedNearDuplicate}, report.Dropped)

	unmeasured := []wiki.Diverse{diverse(1, 1, ""), diverse(2, 0.9, ""), diverse(3, 0.8, "", 1, 0)}
	got, _ = wiki.SelectDiverse(rules, unmeasured, 2)
	require.Equal(t, []byte{1, 2}, chosen(got), "what cannot be measured is not similar")

	pinned := slices.Clone(pool)
	pinned[1].Pinned = true
	got, _ = wiki.SelectDiverse(rules, pinned, 2)
	require.Contains(t, chosen(got), byte(2), "a pinned repeat stays")
}

// What is less relevant and says something else comes before what is more relevant and says much the same, as far as lambda has
// it: of the best score's share, less the nearness.
func TestSelectDiverseTradesRelevanceForNovelty(t *testing.T) {
	t.Parallel()
	pool := []wiki.Diverse{diverse(1, 10, "a", 1, 0), diverse(2, 9, "b", 0.8, 0.6), diverse(3, 6, "c", 0, 1)}
	got, _ := wiki.SelectDiverse(wiki.DiversityRules{Lambda: 0.7, NearDuplicate: 0.95}, pool, 2)
	require.Equal(t, []byte{1, 3}, chosen(got), "0.7*0.9 - 0.3*0.8 is less than 0.7*0.6")
	got, _ = wiki.SelectDiverse(wiki.DiversityRules{Lambda: 0.9, NearDuplicate: 0.95}, pool, 2)
	require.Equal(t, []byte{1, 2}, chosen(got), "0.9*0.9 - 0.1*0.8 is more than 0.9*0.6")
}

func TestDiversityOfAnyPool(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		var pool []wiki.Diverse
		for i := range n {
			c := diverse(byte(i+1), float64(n-i), rapid.SampledFrom([]string{"", "x", "y", "z"}).Draw(t, "hash"))
			if rapid.Bool().Draw(t, "measured") {
				c.Vector = rapid.SampledFrom([][]float32{{1, 0}, {0, 1}, {0.6, 0.8}, {0.8, 0.6}}).Draw(t, "vector")
			}
			pool = append(pool, c)
		}
		limit := rapid.IntRange(1, 8).Draw(t, "limit")
		got, report := wiki.SelectDiverse(wiki.DefaultDiversity(), pool, limit)
		require.Len(t, got, min(limit, n), "no hole is left on a page")
		require.True(t, slices.IsSorted(chosen(got)), "selection does not set the order")
		require.Equal(t, len(got), report.Selected)
		plain, _ := wiki.SelectDiverse(wiki.DiversityRules{Lambda: 1, NearDuplicate: 2}, noHashes(pool), limit)
		require.Equal(t, noHashes(pool)[:min(limit, n)], append([]wiki.Diverse{}, plain...), "lambda 1 is plain top-k")
	})
}

func noHashes(pool []wiki.Diverse) []wiki.Diverse {
	out := []wiki.Diverse{}
	for _, c := range pool {
		c.ContentHash = ""
		out = append(out, c)
	}
	return out
}
