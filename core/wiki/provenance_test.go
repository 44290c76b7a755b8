package wiki_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/wiki"
)

func at(c wiki.Cosine) *wiki.Cosine { return &c }

func TestDecideProvenance(t *testing.T) {
	t.Parallel()
	id, other, canon := uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}
	good := wiki.Source{ID: id, Curated: true, Standing: true, Cosine: at(0.9)}
	edit := func(s wiki.Source, change func(*wiki.Source)) wiki.Source { change(&s); return s }
	system := wiki.Source{ID: canon, Curated: true, System: true, Standing: true, Cosine: at(0.95)}
	for name, c := range map[string]struct {
		pool       []wiki.Source
		curated    *uuid.UUID
		confidence float64
	}{
		"empty pool":                            {nil, nil, 0},
		"clear winner":                          {[]wiki.Source{good, {ID: other, Cosine: at(0.7)}}, &id, 0.9},
		"no margin":                             {[]wiki.Source{good, {ID: other, Cosine: at(0.81)}}, nil, 0.81},
		"sparse pool, near wrong":               {[]wiki.Source{edit(good, func(s *wiki.Source) { s.Cosine = at(0.74) })}, nil, 0},
		"not standing":                          {[]wiki.Source{edit(good, func(s *wiki.Source) { s.Standing = false })}, nil, 0},
		"disputed":                              {[]wiki.Source{edit(good, func(s *wiki.Source) { s.Disputed = true })}, nil, 0},
		"own before canon":                      {[]wiki.Source{good, system}, &id, 0.9},
		"canon alone":                           {[]wiki.Source{system}, &canon, 0.95},
		"own disputed withholds canon":          {[]wiki.Source{edit(good, func(s *wiki.Source) { s.Disputed = true }), system}, nil, 0},
		"own too far leaves canon":              {[]wiki.Source{edit(good, func(s *wiki.Source) { s.Cosine, s.Disputed = at(0.2), true }), system}, &canon, 0.95},
		"the better of two":                     {[]wiki.Source{good, edit(good, func(s *wiki.Source) { s.ID, s.Cosine = canon, at(0.95) })}, &canon, 0.95},
		"of equal ones the lower id":            {[]wiki.Source{edit(good, func(s *wiki.Source) { s.ID = other }), good}, &id, 0.9},
		"measured goes before matched by words": {[]wiki.Source{{ID: other, Curated: true, Standing: true, Keyword: 0.95}, good}, &id, 0.9},
		"disputed canon leaves other canon":     {[]wiki.Source{edit(system, func(s *wiki.Source) { s.ID, s.Disputed = other, true }), system}, &canon, 0.95},
		"keyword scale":                         {[]wiki.Source{{ID: id, Curated: true, Standing: true, Keyword: 0.6}, {ID: other, Keyword: 0.4}}, &id, 0.6},
		"keyword scale, no margin":              {[]wiki.Source{{ID: id, Curated: true, Standing: true, Keyword: 0.6}, {ID: other, Keyword: 0.55}}, nil, 0.55},
		"unmeasured rival is compared by words": {[]wiki.Source{edit(good, func(s *wiki.Source) { s.Keyword = 0.3 }), {ID: other, Keyword: 0.3}}, nil, 0.3},
	} {
		got := wiki.DecideProvenance(wiki.DefaultProvenanceRules(), c.pool)
		require.Equal(t, c.curated, got.Curated, name)
		require.InDelta(t, c.confidence, got.Confidence, 1e-9, name)
		want := wiki.ProvenanceRetrieved
		if c.curated != nil {
			want = wiki.ProvenanceCurated
		}
		require.Equal(t, want, got.Provenance, name)
	}
}

// Over any pool: a curated answer clears its threshold, leads every non-curated one by the margin and has authority; the
// order of the pool does not matter; and it is absolute: adding worse non-curated articles changes nothing.
func TestProvenanceOfAnyPool(t *testing.T) {
	t.Parallel()
	rules := wiki.DefaultProvenanceRules()
	source := rapid.Custom(func(t *rapid.T) wiki.Source {
		s := wiki.Source{
			ID: uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id")), Curated: rapid.Bool().Draw(t, "curated"), System: rapid.Bool().Draw(t, "system"),
			Standing: rapid.Bool().Draw(t, "standing"), Disputed: rapid.Bool().Draw(t, "disputed"), Keyword: rapid.Float64Range(0, 1).Draw(t, "keyword"),
		}
		if rapid.Bool().Draw(t, "measured") {
			s.Cosine = at(wiki.Cosine(rapid.Float64Range(-1, 1).Draw(t, "cosine")))
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		pool := rapid.SliceOfNDistinct(source, 0, 6, func(s wiki.Source) uuid.UUID { return s.ID }).Draw(t, "pool")
		got := wiki.DecideProvenance(rules, pool)
		require.Equal(t, got, wiki.DecideProvenance(rules, rapid.Permutation(pool).Draw(t, "permuted")))
		require.Equal(t, got.Provenance == wiki.ProvenanceCurated, got.Curated != nil)
		if got.Curated == nil {
			return
		}
		var winner wiki.Source
		for _, s := range pool {
			if s.ID == *got.Curated {
				winner = s
			}
		}
		require.True(t, winner.Curated && winner.Standing && !winner.Disputed)
		if winner.Cosine != nil {
			require.GreaterOrEqual(t, *winner.Cosine, rules.CosineThreshold)
			require.InDelta(t, float64(*winner.Cosine), got.Confidence, 1e-12)
		} else {
			require.GreaterOrEqual(t, winner.Keyword, rules.KeywordThreshold)
		}
		for _, s := range pool {
			if !s.Curated && s.Cosine != nil && winner.Cosine != nil {
				require.GreaterOrEqual(t, float64(*winner.Cosine-*s.Cosine), rules.Margin)
			}
		}
		worse := wiki.Source{ID: uuid.Max, Cosine: at(-1), Keyword: 0}
		if winner.Cosine != nil {
			require.Equal(t, got, wiki.DecideProvenance(rules, append(pool, worse)))
		}
	})
}
