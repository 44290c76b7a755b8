package eval

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/embedding"
	"wiki/core/postgres/pgtest"
	"wiki/core/search"
	"wiki/core/wiki"
)

// goldenBench gives a bench with the built-in model and the golden set.
func goldenBench(t *testing.T) (Bench, Set) {
	t.Helper()
	c, err := core.New(t.Context(), pgtest.New(t), core.Config{})
	require.NoError(t, err)
	model, err := embedding.BuiltIn()
	require.NoError(t, err)
	cache, err := NewCache(model, "")
	require.NoError(t, err)
	set, err := Golden()
	require.NoError(t, err)
	return Bench{DB: c.DB, Access: c.Access, Record: c.Record, Embedder: cache}, set
}

// mutant is a ranking that was made worse on purpose.
type mutant struct {
	name   string
	change func(*search.Settings)
	down   bool // it shows in the arm without an embedder
}

func weights(k, s, g float64) func(*search.Settings) {
	return func(x *search.Settings) {
		x.Fusion.Weights = map[wiki.Lane]float64{wiki.LaneKeyword: k, wiki.LaneSemantic: s, wiki.LaneGraph: g}
	}
}

const (
	kw = wiki.DefaultKeywordScoreWeight
	sw = wiki.DefaultSemanticScoreWeight
	gw = wiki.DefaultGraphScoreWeight
)

// Each is a regression that a careless change could bring: a lane or a prior that is lost, a weight that is too small or
// too large, a factor turned round.
var mutants = []mutant{
	{name: "no keyword lane", change: weights(0, sw, gw)},
	{name: "no semantic lane", change: weights(kw, 0, gw)},
	{name: "no graph lane", change: weights(kw, sw, 0)},
	{name: "keyword lane lost when the embedder is away", change: weights(0, sw, gw), down: true},
	{name: "graph lane lost when the embedder is away", change: weights(kw, sw, 0), down: true},
	{name: "keyword weight too small", change: weights(kw/8, sw, gw)},
	{name: "keyword weight too large", change: weights(kw*4, sw, gw)},
	{name: "graph weight too large", change: weights(kw, sw, gw*4)},
	{name: "fused by rank again", change: func(x *search.Settings) { x.Fusion = wiki.DefaultFusion(wiki.FuseByRank) }},
	{name: "recency off", change: func(x *search.Settings) { x.Priors.RecencyWeight = 0 }},
	{name: "recency above relevance", change: func(x *search.Settings) { x.Priors.RecencyWeight = 0.9 }},
	{name: "old before new", change: func(x *search.Settings) { x.Priors.RecencyWeight = -0.3 }},
	{name: "category authority off", change: func(x *search.Settings) { x.Priors.CategoryStrength = 0 }},
	{name: "category authority turned round", change: func(x *search.Settings) { x.Priors.CategoryStrength = -wiki.DefaultCategoryStrength }},
	{name: "dead doctrine not demoted", change: func(x *search.Settings) { x.Priors.RetiredFactor = 1 }},
	{name: "hubs not demoted", change: func(x *search.Settings) { x.Priors.HubFactor = 1 }},
	{name: "importance switched on", change: func(x *search.Settings) { x.Priors.ImportanceStrength = 1 }},
}

// The gate is worth what it catches: every planted regression of a lane, a fusion weight or a prior turns it red. So do the
// three that the seed calls invisible to an eval: recency by the wrong column, use, and a weight on how a document got in.
func TestGateFailsOnEachPlantedRegression(t *testing.T) {
	t.Parallel()
	b, set := goldenBench(t)
	set = set.WithoutTwins()
	arm := func(m mutant) Arm {
		s := search.DefaultSettings()
		if m.change != nil {
			m.change(&s)
		}
		name := ArmEmbeddings
		if m.down {
			name = ArmKeywordOnly
		}
		return Arm{Name: name, Mode: search.ModeCombined, Settings: s, Down: m.down}
	}
	baselines := map[bool]Baseline{}
	judge := func(t *testing.T, m mutant, r Result, err error) {
		t.Helper()
		t.Run(m.name, func(t *testing.T) {
			require.NoError(t, err)
			require.NotEmpty(t, baselines[m.down].Compare(set, "model", []Result{r}).Regressions, "%+v", r.Mean)
		})
	}
	require.NoError(t, b.With(t.Context(), set, nil, func(ctx context.Context, l *Loaded) error {
		for _, isDown := range []bool{false, true} {
			r, err := l.Run(ctx, arm(mutant{down: isDown}), nil)
			require.NoError(t, err)
			baselines[isDown] = NewBaseline(set, "model", []Result{r})
			require.Empty(t, baselines[isDown].Compare(set, "model", []Result{r}).Regressions, "the gate is green without a mutant")
		}
		for _, m := range mutants {
			r, err := l.Run(ctx, arm(m), nil)
			judge(t, m, r, err)
		}
		m := mutant{name: "a weight on the source type"}
		r, err := l.ask(ctx, arm(m), bySource{l, search.New(l.db, l.embedder, search.DefaultSettings())}, nil)
		judge(t, m, r, err)
		return nil
	}))

	touched := set
	touched.Documents = slices.Clone(set.Documents)
	for i := range touched.Documents {
		touched.Documents[i].ChangedDays = touched.Documents[i].TouchedDays
	}
	require.NoError(t, b.With(t.Context(), touched, nil, func(ctx context.Context, l *Loaded) error {
		m := mutant{name: "recency of the row instead of the text"}
		r, err := l.Run(ctx, arm(m), nil)
		judge(t, m, r, err)
		return nil
	}))
}

// bySource is what the seed forbids: it prefers what was written here.
type bySource struct {
	l     *Loaded
	inner Asker
}

func (s bySource) Search(ctx context.Context, actor wiki.Actor, q search.Query) (search.Page, error) {
	page, err := s.inner.Search(ctx, actor, q)
	sources := map[string]string{}
	for _, d := range s.l.set.Documents {
		sources[d.ID] = d.SourceType
	}
	for i, h := range page.Hits {
		switch sources[s.l.names[h.ID]] {
		case "manual", "agent", "skill", "review_finding":
			page.Hits[i].Score = h.Score * 1.2
		}
	}
	slices.SortStableFunc(page.Hits, func(a, b search.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return page, err
}

// The committed baseline is what this ranking scores, in both arms (seed, "Ranking changes are gated by the
// golden-question eval"). A ranking that scores less is mended; the baseline follows a reviewed change only.
func TestNoRegressionAgainstTheCommittedBaseline(t *testing.T) {
	t.Parallel()
	b, set := goldenBench(t)
	baseline, err := CommittedBaseline()
	require.NoError(t, err)
	require.NoError(t, b.With(t.Context(), set, nil, func(ctx context.Context, l *Loaded) error {
		var results []Result
		for _, arm := range GoldenArms(search.DefaultSettings()) {
			r, err := l.Run(ctx, arm, nil)
			require.NoError(t, err)
			results = append(results, r)
		}
		require.Empty(t, baseline.Compare(set, b.Embedder.Model().ID, results).Regressions)
		return nil
	}))
}
