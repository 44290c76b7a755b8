package wiki_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/wiki"
)

func lane(t *rapid.T, name string) wiki.LaneScore {
	return wiki.LaneScore{
		Rank:  rapid.IntRange(0, 200).Draw(t, name+" rank"),
		Score: rapid.Float64Range(0, 1).Draw(t, name+" score"),
		Known: rapid.Bool().Draw(t, name+" known"),
	}
}

// A better rank or score in one lane never lowers an article, a lane that has not found it takes nothing away, and a
// consensus of the lanes beats either alone (case 49).
func TestFusionIsMonotone(t *testing.T) {
	t.Parallel()
	for _, method := range []wiki.FusionMethod{wiki.FuseByRank, wiki.FuseByScore} {
		f := wiki.DefaultFusion(method)
		rapid.Check(t, func(t *rapid.T) {
			k, s := lane(t, "keyword"), lane(t, "semantic")
			score := func(k, s wiki.LaneScore) float64 {
				return f.Score(wiki.Candidate{Lanes: map[wiki.Lane]wiki.LaneScore{wiki.LaneKeyword: k, wiki.LaneSemantic: s}})
			}
			fused := score(k, s)
			require.GreaterOrEqual(t, fused, score(wiki.LaneScore{}, s))
			require.GreaterOrEqual(t, fused, score(k, wiki.LaneScore{}))
			better := k
			better.Rank, better.Score = max(k.Rank-1, min(k.Rank, 1)), min(k.Score+0.1, 1)
			require.GreaterOrEqual(t, score(better, s), fused)
			require.Equal(t, fused, score(k, s), "equal inputs give equal floats")
		})
	}
	f := wiki.DefaultFusion(wiki.FuseByRank)
	both := wiki.Candidate{Lanes: map[wiki.Lane]wiki.LaneScore{wiki.LaneKeyword: {Rank: 1}, wiki.LaneSemantic: {Rank: 1}}}
	require.InDelta(t, 1.0/61, f.Score(both), 1e-12)
}

func TestSortScoredEndsWithTheID(t *testing.T) {
	t.Parallel()
	a, b, c := uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}
	s := []wiki.Scored{{ID: c, Score: 1}, {ID: b, Score: 2}, {ID: a, Score: 1}}
	wiki.SortScored(s)
	require.Equal(t, []wiki.Scored{{ID: b, Score: 2}, {ID: a, Score: 1}, {ID: c, Score: 1}}, s)
}

var now = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

func TestPriors(t *testing.T) {
	t.Parallel()
	p := wiki.DefaultPriors()
	fresh := wiki.RankingFacts{ContentChangedAt: now}
	require.InDelta(t, 1, p.Factor(fresh, now), 1e-12)
	require.InDelta(t, 1, p.Factor(wiki.RankingFacts{ContentChangedAt: now.Add(time.Hour)}, now), 1e-12, "the future is not fresher than now")

	month := wiki.RankingFacts{ContentChangedAt: now.Add(-30 * 24 * time.Hour), UpdatedAt: now}
	require.InDelta(t, 0.7+0.3/2.718281828, p.Factor(month, now), 1e-6, "a touched row is not a fresh text")
	require.InDelta(t, 0.7, p.Factor(wiki.RankingFacts{ContentChangedAt: now.AddDate(-10, 0, 0)}, now), 1e-6)
	require.InDelta(t, 1, p.Factor(wiki.RankingFacts{UpdatedAt: now}, now), 1e-12, "only what was never stamped falls back")

	require.InDelta(t, 1.05, p.Factors(wiki.RankingFacts{Category: "decision"}, now)["category"], 1e-12)
	require.InDelta(t, 1, p.Factors(wiki.RankingFacts{Category: "unheard-of"}, now)["category"], 1e-12)
	demotion := func(f wiki.RankingFacts) float64 { return p.Factors(f, now)["demotion"] }
	require.InDelta(t, 0.5, demotion(wiki.RankingFacts{Tags: []string{"x", wiki.TagVerdictKill}}), 1e-12)
	require.InDelta(t, 0.5, demotion(wiki.RankingFacts{Status: wiki.StatusSuperseded}), 1e-12)
	require.InDelta(t, 0.25, demotion(wiki.RankingFacts{Hub: wiki.IsHub("moc:go")}), 1e-12)
	require.InDelta(t, 1, demotion(wiki.RankingFacts{Tags: []string{"moc:go"}}), 1e-12, "a tag never makes a hub")

	days := func(n int) *int { return &n }
	require.InDelta(t, 1, p.Factors(wiki.RankingFacts{ReadDays: days(30)}, now)["importance"], 1e-12, "ships off")
	p.ImportanceStrength = 0.1
	importance := func(n *int) float64 { return p.Factors(wiki.RankingFacts{ReadDays: n}, now)["importance"] }
	require.InDelta(t, 1, importance(nil), 1e-12)
	require.InDelta(t, 1, importance(days(0)), 1e-12)
	require.InDelta(t, 1+0.1*0.5217, importance(days(5)), 1e-3)
	require.InDelta(t, 1.1, importance(days(1000)), 1e-12)
	p.ImportanceStrength = 5
	require.InDelta(t, 1.1, importance(days(3)), 1e-12, "the ceiling bounds it, not the strength")
}
