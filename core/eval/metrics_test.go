package eval

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestScoreOfKnownLists(t *testing.T) {
	t.Parallel()
	relevant := map[string]int{"a": 3, "b": 1}
	perfect := score([]string{"a", "b", "x"}, relevant)
	require.Equal(t, Metrics{Questions: 1, NDCG5: 1, NDCG10: 1, MRR: 1, Recall5: 1, Recall10: 1, Recall100: 1, Answered: 1}, perfect)

	swapped := score([]string{"x", "b", "a"}, relevant)
	want := (1/math.Log2(3) + 3/math.Log2(4)) / (3 + 1/math.Log2(3))
	require.InDelta(t, want, swapped.NDCG10, 1e-12)
	require.InDelta(t, 0.5, swapped.MRR, 1e-12, "the first that helps counts")
	require.InDelta(t, 1, swapped.Answered, 1e-12)

	helpful := score([]string{"b"}, relevant)
	require.Zero(t, helpful.Answered, "a page that only helps is no answer")
	require.InDelta(t, 0.5, helpful.Recall5, 1e-12)

	far := make([]string, 50)
	far[49] = "a"
	require.Equal(t, Metrics{Questions: 1, Recall100: 0.5}, score(far, relevant))
	require.Equal(t, Metrics{Questions: 1}, score(nil, relevant))
}

func TestMeanOverQuestions(t *testing.T) {
	t.Parallel()
	m := mean([]Metrics{{Questions: 1, MRR: 1}, {Questions: 1, MRR: 0.5}, {Questions: 1}})
	require.Equal(t, Metrics{Questions: 3, MRR: 0.5}, m)
	require.Zero(t, mean(nil))
}

// Moving a relevant document up never lowers a score, and no score leaves 0..1.
func TestScoresAreBoundedAndMonotone(t *testing.T) {
	t.Parallel()
	docs := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}
	rapid.Check(t, func(t *rapid.T) {
		relevant := map[string]int{}
		for _, d := range rapid.SliceOfNDistinct(rapid.SampledFrom(docs), 1, 6, rapid.ID).Draw(t, "relevant") {
			relevant[d] = rapid.IntRange(1, 3).Draw(t, "grade")
		}
		list := rapid.Permutation(docs).Draw(t, "list")
		before := score(list, relevant)
		for _, v := range before.values() {
			require.True(t, v >= 0 && v <= 1+1e-9, "%v", before)
		}
		at := rapid.IntRange(1, len(list)-1).Draw(t, "at")
		if relevant[list[at]] > relevant[list[at-1]] {
			list[at], list[at-1] = list[at-1], list[at]
			after := score(list, relevant)
			for i, v := range after.values() {
				require.GreaterOrEqual(t, v+1e-12, before.values()[i], metricNames[i])
			}
		}
	})
}
