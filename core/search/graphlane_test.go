package search_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/search"
	"wiki/core/wiki"
)

func (f fixture) link(t *testing.T, from, to uuid.UUID, relation wiki.Relation) {
	t.Helper()
	require.NoError(t, f.db.Tenant(ctx, f.me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		made, err := articles.InsertLink(ctx, tx, f.me.Tenant, wiki.Link{ID: tx.NewID(), Source: from, Target: to, Relation: relation})
		require.True(t, made)
		return err
	}))
}

// What the best are linked with is found, in either direction, though no word and no vector finds it; what a caller may
// not see or a filter leaves out is not, and a query by one lane follows no links.
func TestTheGraphLaneFollowsLinksOfTheBest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	pool, tls, _ := f.corpus(t)
	unfindable := func(title string) uuid.UUID {
		return f.add(t, doc{title: title, body: "zzz" + title, noVector: true, tags: []string{"far"}})
	}
	out, in, twice, hidden, disputed := unfindable("aa"), unfindable("bb"), unfindable("cc"), unfindable("dd"), unfindable("ee")
	f.exec(t, `update articles set suppressed_at = now(), suppressed_by = 'x', suppression_reason = 'x' where id = $1`, hidden)
	q := search.Query{Text: "pgbouncer default_pool_size of connections", Explain: true, Limit: 50}
	require.NotContains(t, ids(f.search(t, q).Hits), out)

	f.link(t, pool, out, wiki.RelRelatesTo)
	f.link(t, in, pool, wiki.RelDerivedFrom)
	f.link(t, in, pool, wiki.RelRelatesTo) // counts once
	f.link(t, pool, twice, wiki.RelRelatesTo)
	f.link(t, tls, twice, wiki.RelRelatesTo)
	f.link(t, pool, tls, wiki.RelRelatesTo)
	f.link(t, pool, hidden, wiki.RelRelatesTo)
	f.link(t, pool, disputed, wiki.RelPotentialConflict)
	page := f.search(t, q)
	ranks := map[uuid.UUID]int{}
	for _, h := range page.Hits {
		if lane, found := h.Explain.Lanes[wiki.LaneGraph]; found {
			ranks[h.ID] = lane.Rank
			require.Equal(t, h.ID == twice, lane.Rank == 1, "what two good ones point at comes first")
			require.Positive(t, h.Score)
		}
	}
	require.Equal(t, map[uuid.UUID]int{twice: 1, tls: 2, out: 3, in: 4}, ranks, "a seed is a better seed's neighbour only, equal ones stand by id")
	require.Equal(t, pool, page.Hits[0].ID, "a neighbour never passes what it was found by")

	for _, narrow := range []search.Query{
		{Text: q.Text, Mode: search.ModeKeyword, Limit: 50},
		{Text: q.Text, Mode: search.ModeSemantic, Limit: 50},
		{Text: q.Text, Filter: wiki.Filter{Category: "playbook"}},
	} {
		require.NotContains(t, ids(f.search(t, narrow).Hits), out, "%+v", narrow)
	}
	require.Contains(t, ids(f.search(t, search.Query{Text: q.Text, Filter: wiki.Filter{Tags: []string{"db", "far"}}}).Hits), out)

	settings := search.DefaultSettings()
	settings.Graph = search.GraphLane{Seeds: 1, Neighbours: 1, Links: 1}
	f.service = search.New(f.db, f.embedder, settings)
	page = f.search(t, q)
	require.Contains(t, ids(page.Hits), out, "the oldest link of the one seed")
	require.NotContains(t, ids(page.Hits), in)
	settings.Graph.Seeds = 0
	f.service = search.New(f.db, f.embedder, settings)
	require.NotContains(t, ids(f.search(t, q).Hits), out)
}

// Every lane brings all that ranking may know of an article: one that a lane alone has found gets the same factors as any other
// (seed, "projected onto every ranking lane").
func TestEveryLaneBringsWhatRankingMayKnow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	settings := search.DefaultSettings()
	settings.Priors.ImportanceStrength = 1
	f.service = search.New(f.db, f.embedder, settings)
	byWords := f.add(t, doc{title: "aa", body: "The quokka sleeps.", noVector: true})
	byMeaning := f.add(t, doc{title: "bb", body: "A small marsupial of an island."})
	byLink := f.add(t, doc{title: "cc", body: "zzz", noVector: true})
	f.link(t, byWords, byLink, wiki.RelRelatesTo)
	f.exec(t, `update articles set category = 'playbook', tags = array[$1], idempotency_key = $2 || id, content_changed_at = now() - interval '200 days',
		updated_at = now(), read_day_count = 30`, wiki.TagVerdictKill, wiki.HubKeyPrefix)
	lanes, priors := map[uuid.UUID][]wiki.Lane{}, map[uuid.UUID]map[string]float64{}
	for _, h := range f.search(t, search.Query{Text: "quokka", Explain: true}).Hits {
		for lane, score := range h.Explain.Lanes {
			if score.Rank > 0 {
				lanes[h.ID] = append(lanes[h.ID], lane)
			}
		}
		priors[h.ID] = h.Explain.Priors
	}
	require.Equal(t, map[uuid.UUID][]wiki.Lane{byWords: {wiki.LaneKeyword}, byMeaning: {wiki.LaneSemantic}, byLink: {wiki.LaneGraph}}, lanes)
	for name, factor := range priors[byWords] {
		require.NotEqual(t, 1.0, factor, name)
		require.InDelta(t, factor, priors[byMeaning][name], 1e-6, name)
		require.InDelta(t, factor, priors[byLink][name], 1e-6, name)
	}
	require.Len(t, priors[byWords], 4)
}
