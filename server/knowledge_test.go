package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/search"
	"wiki/core/wiki"
	"wiki/server/api"
)

// page proposes an article past the gate.
func (w *world) page(by wiki.Role, title, body string, change ...func(*api.Proposal)) uuid.UUID {
	w.tb.Helper()
	p := api.Proposal{Title: title, Body: text(body), Category: "finding", Force: true}
	for _, f := range change {
		f(&p)
	}
	made, err := w.as(by).Propose(w.tb.Context(), p)
	require.NoError(w.tb, err)
	require.True(w.tb, made.Created)
	return made.Article.ID
}

func tagged(category string, tags ...string) func(*api.Proposal) {
	return func(p *api.Proposal) { p.Category, p.Tags = category, tags }
}

func (w *world) linked(from, to uuid.UUID, relation string) {
	w.tb.Helper()
	_, err := w.as(user).Link(w.tb.Context(), api.NewLink{SourceID: from, TargetID: to, Relationship: relation}, "")
	require.NoError(w.tb, err)
}

// garden is a wiki of four articles and a draft.
type garden struct {
	*world
	roses, pruning, tools, frost, draft uuid.UUID
}

func planted(t *testing.T) *garden {
	t.Helper()
	g := &garden{world: start(t)}
	g.roses = g.page(agent, "Roses", "# Roses\n\nRoses want sun and a loose soil. They flower from June.", tagged("reference", "plants", "roses"))
	g.pruning = g.page(agent, "Pruning roses", "Prune the roses in March, above an outward bud.", tagged("playbook", "roses", "tasks"))
	g.tools = g.page(agent, "Garden tools", "Secateurs are kept sharp and oiled.", tagged("reference", "tools"))
	g.frost = g.page(agent, "Frost", "Late frost kills young shoots in April.", tagged("finding", "weather"))
	g.draft = g.page(user, "Compost", "Compost of leaves takes a year; roses like it.", tagged("idea", "plants"), func(p *api.Proposal) { p.Draft = true })
	return g
}

func TestCountsFacetsStatsAndIndex(t *testing.T) {
	t.Parallel()
	g := planted(t)
	ctx, me := t.Context(), g.as(agent)
	n, err := me.Count(ctx, api.ArticleQuery{})
	require.NoError(t, err)
	require.Equal(t, 4, n, "another's draft is not an agent's to count")
	n, err = g.as(user).Count(ctx, api.ArticleQuery{})
	require.NoError(t, err)
	require.Equal(t, 5, n)
	n, err = me.Count(ctx, api.ArticleQuery{Tags: []string{"roses", "tasks"}, MatchAll: true})
	require.NoError(t, err)
	require.Equal(t, 1, n)

	tags, meta, err := g.as(user).Facets(ctx, api.FacetQuery{})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"roses": 2, "plants": 1, "tasks": 1, "tools": 1, "weather": 1}, tags, "of published articles")
	require.Equal(t, 4, *meta.TotalCount)
	require.False(t, *meta.Truncated)
	tags, _, err = g.as(user).Facets(ctx, api.FacetQuery{Status: "draft"})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"plants": 1}, tags)
	tags, meta, err = me.Facets(ctx, api.FacetQuery{Prefix: "t", Limit: 1})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"tasks": 1}, tags, "equal ones by name")
	require.True(t, *meta.Truncated)
	tags, _, err = me.Facets(ctx, api.FacetQuery{Prefix: "%"})
	require.NoError(t, err)
	require.Empty(t, tags, "a prefix is no pattern")
	_, _, err = me.Facets(ctx, api.FacetQuery{Status: "draft"})
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err))

	index, meta, err := me.Index(ctx, api.IndexQuery{})
	require.NoError(t, err)
	require.Len(t, index["reference"], 2)
	require.Equal(t, "Garden tools", index["reference"][0].Title, "by title")
	require.Nil(t, index["reference"][0].Tags)
	require.Equal(t, map[string]int{"reference": 2, "playbook": 1, "finding": 1}, meta.Categories)
	require.Equal(t, 4, *meta.TotalCount)
	require.False(t, *meta.Truncated)
	index, meta, err = me.Index(ctx, api.IndexQuery{Fields: []string{"tags", "status", "updated_at"}, Limit: 1, Offset: 1, Tags: []string{"roses"}})
	require.NoError(t, err)
	require.Equal(t, []string{"plants", "roses"}, index["reference"][0].Tags)
	require.Equal(t, "published", index["reference"][0].Status)
	require.NotNil(t, index["reference"][0].UpdatedAt)
	require.Equal(t, 2, *meta.TotalCount)
	require.False(t, *meta.HasMore)

	_, err = me.Suppress(ctx, g.frost, "wrong", "")
	require.NoError(t, err)
	stats, err := me.Stats(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, stats.Suppressed)
	require.NotContains(t, stats.ByCategory, "finding", "what is suppressed is counted apart (case 38)")
	stats, err = me.ProjectStats(ctx, uuid.New())
	require.NoError(t, err)
	require.Zero(t, stats.Total)
	require.Nil(t, stats.Conflicts)
	require.Nil(t, stats.Meaning)
	tags, _, err = me.Facets(ctx, api.FacetQuery{})
	require.NoError(t, err)
	require.NotContains(t, tags, "weather")
}

func TestContextGivesWholeArticlesByRelevanceAndRecency(t *testing.T) {
	t.Parallel()
	g := planted(t)
	g.linked(g.roses, g.frost, "relates_to")
	g.linked(g.roses, g.draft, "relates_to")
	ctx := t.Context()
	page, meta, err := g.as(agent).Context(ctx, api.ContextQuery{Query: "when do roses flower in the sun", Explain: true})
	require.NoError(t, err)
	require.Equal(t, g.roses, page[0].ID)
	require.Contains(t, page[0].Body, "flower from June")
	require.InDelta(t, 1, page[0].Relevance, 0.0001, "the best one's share of itself")
	require.InDelta(t, 0.3, *meta.RecencyWeight, 1e-9)
	require.Equal(t, "combined", meta.SearchMode)
	require.Equal(t, []api.Named{{ID: g.frost, Title: "Frost", Category: "finding"}}, page[0].Linked, "no draft of another's")
	for _, h := range page {
		require.InDelta(t, 0.7*h.Relevance+0.3*h.Recency, h.Combined, 0.0002)
		require.InDelta(t, h.Combined, float64(int(h.Combined*1e4+0.5))/1e4, 1e-9, "four decimals")
		require.Equal(t, h.Combined, h.Score)
		require.NotEmpty(t, h.Explain.Lanes)
		require.NotEqual(t, g.draft, h.ID)
	}
	require.Positive(t, page[0].Explain.Lanes["keyword"].Raw)

	// Age turns the order round when it weighs all.
	require.NoError(t, g.core.DB.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `update articles set content_changed_at = now() - interval '60 days' where id = $1`, g.roses)
		return err
	}))
	one := 1.0
	page, _, err = g.as(agent).Context(ctx, api.ContextQuery{Query: "when do roses flower in the sun", RecencyWeight: &one})
	require.NoError(t, err)
	require.NotEqual(t, g.roses, page[0].ID)
	require.Equal(t, page[0].Recency, page[0].Combined)
	zero := 0.0
	page, _, err = g.as(agent).Context(ctx, api.ContextQuery{Query: "when do roses flower in the sun", RecencyWeight: &zero, Limit: 1})
	require.NoError(t, err)
	require.Equal(t, g.roses, page[0].ID)
	require.Len(t, page, 1)

	drafts, _, err := g.as(user).Context(ctx, api.ContextQuery{Query: "roses", Status: "draft"})
	require.NoError(t, err)
	require.Len(t, drafts, 1)
	require.Equal(t, g.draft, drafts[0].ID)
	_, _, err = g.as(orchestrator).Context(ctx, api.ContextQuery{Query: "roses", Status: "draft"})
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err))
	for _, query := range []string{"", "query=a&limit=21", "query=a&limit=0", "query=a&recency_weight=1.1", "query=a&recency_weight=NaN", "query=a&status=odd", "query=%ff"} {
		r := g.send("GET /api/v1/knowledge/context?"+query, g.keys[agent], "")
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, r.StatusCode, query)
		require.NotEmpty(t, r.failure(t).Field, query)
	}
}

// Filters by what an agent's memory says of itself (facts §1.3).
func TestContextFiltersByTheConventionsOfMemory(t *testing.T) {
	t.Parallel()
	w := start(t)
	memory := func(agentID, kind, conversation string) uuid.UUID {
		meta, err := json.Marshal(map[string]any{"agent_id": agentID, "memory_type": kind, "conversation_id": conversation})
		require.NoError(t, err)
		return w.page(agent, "Note of "+agentID+" "+kind, "The kettle of "+agentID+" whistles, a "+kind+".", func(p *api.Proposal) { p.Metadata = meta })
	}
	a, b, c := memory("ann", "finding", "c1"), memory("bob", "finding", "c2"), memory("ann", "question", "c2")
	for _, tt := range []struct {
		q    api.ContextQuery
		want []uuid.UUID
	}{
		{api.ContextQuery{}, []uuid.UUID{a, b, c}},
		{api.ContextQuery{Agents: []string{"ann"}}, []uuid.UUID{a, c}},
		{api.ContextQuery{MemoryTypes: []string{"finding"}, Agents: []string{"ann", "bob"}}, []uuid.UUID{a, b}},
		{api.ContextQuery{ConversationID: "c2"}, []uuid.UUID{b, c}},
	} {
		tt.q.Query = "kettle whistles"
		page, _, err := w.as(agent).Context(t.Context(), tt.q)
		require.NoError(t, err)
		var found []uuid.UUID
		for _, h := range page {
			found = append(found, h.ID)
		}
		require.ElementsMatch(t, tt.want, found, "%+v", tt.q)
	}
}

func TestTheGraphIsBounded(t *testing.T) {
	t.Parallel()
	g := planted(t)
	ctx := t.Context()
	g.linked(g.roses, g.pruning, "relates_to")
	g.linked(g.tools, g.pruning, "derived_from")
	g.linked(g.tools, g.frost, "relates_to")
	g.linked(g.roses, g.draft, "relates_to")
	graph, meta, err := g.as(agent).Graph(ctx, g.roses, 0)
	require.NoError(t, err)
	require.Len(t, graph.Nodes, 2)
	require.Equal(t, g.roses, graph.Nodes[0].ID)
	require.Equal(t, g.pruning, graph.Nodes[1].ID)
	require.Len(t, graph.Edges, 1, "no draft is walked to")
	require.False(t, *meta.Truncated)
	graph, _, err = g.as(agent).Graph(ctx, g.roses, 3)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2, 3}, []int{graph.Nodes[0].Depth, graph.Nodes[1].Depth, graph.Nodes[2].Depth, graph.Nodes[3].Depth})
	require.Len(t, graph.Edges, 3, "against their direction too")

	_, err = g.as(agent).Suppress(ctx, g.tools, "wrong", "")
	require.NoError(t, err)
	graph, _, err = g.as(agent).Graph(ctx, g.roses, 3)
	require.NoError(t, err)
	require.Len(t, graph.Nodes, 2, "what is suppressed is not walked through")
	graph, _, err = g.as(agent).Graph(ctx, g.tools, 1)
	require.NoError(t, err)
	require.Len(t, graph.Nodes, 3, "but can be begun at")

	hub := g.page(agent, "Hub", "Of everything.")
	for _, id := range g.stock(articles.MaxGraphNodes + 3) {
		require.NoError(t, g.core.DB.Tenant(ctx, g.tenant, func(ctx context.Context, tx postgres.Tx) error {
			_, err := articles.InsertLink(ctx, tx, g.tenant, wiki.Link{ID: tx.NewID(), Source: hub, Target: id, Relation: wiki.RelRelatesTo})
			return err
		}))
	}
	graph, meta, err = g.as(agent).Graph(ctx, hub, 2)
	require.NoError(t, err)
	require.True(t, *meta.Truncated)
	require.Len(t, graph.Nodes, articles.MaxGraphNodes)
	require.Len(t, graph.Edges, articles.MaxGraphNodes-1, "an edge has both of its ends")

	for query, code := range map[string]int{
		"": http.StatusBadRequest, "article_id=x": http.StatusBadRequest, "article_id=" + hub.String() + "&depth=4": http.StatusBadRequest,
		"article_id=" + uuid.NewString(): http.StatusNotFound,
	} {
		require.Equal(t, code, g.send("GET /api/v1/knowledge/graph?"+query, g.keys[agent], "").StatusCode, query)
	}
}

func TestSuggestedLinksLeaveOutWhatIsLinked(t *testing.T) {
	t.Parallel()
	g := planted(t)
	ctx, none := t.Context(), 0.0
	near, _, err := g.as(agent).SuggestedLinks(ctx, g.roses, &none, 0)
	require.NoError(t, err)
	require.Equal(t, g.pruning, near[0].ID)
	require.Len(t, near, 3, "not itself, no draft")
	require.GreaterOrEqual(t, near[0].Similarity, near[1].Similarity)
	g.linked(g.pruning, g.roses, "relates_to")
	near, _, err = g.as(agent).SuggestedLinks(ctx, g.roses, &none, 1)
	require.NoError(t, err)
	require.Len(t, near, 1)
	require.NotEqual(t, g.pruning, near[0].ID)
	near, _, err = g.as(agent).SuggestedLinks(ctx, g.frost, nil, 0)
	require.NoError(t, err)
	for _, n := range near {
		require.GreaterOrEqual(t, n.Similarity, float64(search.DefaultSuggestionThreshold))
	}
	bare := g.stock(1)[0]
	near, meta, err := g.as(agent).SuggestedLinks(ctx, bare, nil, 0)
	require.NoError(t, err)
	require.Empty(t, near)
	require.NotEmpty(t, meta.Note, "an empty answer says why")
	for path, code := range map[string]int{
		uuid.NewString(): http.StatusNotFound, "x": http.StatusNotFound,
	} {
		require.Equal(t, code, g.send("GET /api/v1/knowledge/articles/"+path+"/suggested_links", g.keys[agent], "").StatusCode, path)
	}
	for _, query := range []string{"threshold=2", "threshold=NaN", "limit=51"} {
		r := g.send("GET /api/v1/knowledge/articles/"+g.roses.String()+"/suggested_links?"+query, g.keys[agent], "")
		require.Equal(t, http.StatusBadRequest, r.StatusCode, query)
	}
	r := g.send("GET /api/v1/knowledge/articles/"+g.frost.String()+"/suggested_links?threshold=0&explain=true", g.keys[agent], "")
	require.Contains(t, r.body, `"semantic":{"rank":1`)
}

// Seeds by words, one hop from hubs only, curated ones first.
func TestTheProgressiveIndexHopsFromHubs(t *testing.T) {
	t.Parallel()
	g := planted(t)
	ctx := t.Context()
	g.linked(g.roses, g.frost, "relates_to")
	list, meta, err := g.as(agent).Progressive(ctx, "roses")
	require.NoError(t, err)
	require.Len(t, list, 2, "two links short of a hub")
	require.Equal(t, "GET /api/v1/knowledge/progressive/{id}", meta.Drill)
	for _, s := range list {
		require.LessOrEqual(t, len(s.Summary), wiki.MaxSummaryBytes)
		require.Nil(t, s.Hub)
	}
	require.Contains(t, list[0].Summary+list[1].Summary, "Roses want sun", "not the heading")
	g.linked(g.roses, g.tools, "relates_to")
	g.linked(g.roses, g.pruning, "relates_to")
	list, _, err = g.as(agent).Progressive(ctx, "roses")
	require.NoError(t, err)
	require.Len(t, list, 4)
	require.Equal(t, &g.roses, list[2].Hub)
	_, err = g.as(user).Curate(ctx, g.tools, "", "")
	require.NoError(t, err)
	list, _, err = g.as(agent).Progressive(ctx, "roses")
	require.NoError(t, err)
	require.Equal(t, g.tools, list[0].ID, "curated ones first")
	r := g.send("GET /api/v1/knowledge/progressive_index?topic=roses&explain=true", g.keys[agent], "")
	require.Contains(t, r.body, `"graph":{"rank":1`)
	require.Contains(t, r.body, `"keyword":{"rank":1`)
	require.Equal(t, http.StatusUnprocessableEntity, g.send("GET /api/v1/knowledge/progressive_index", g.keys[agent], "").StatusCode)
}

// Every ranked read explains itself, and any read says where its time went when it is asked to.
func TestExplainAndTimingOnRequest(t *testing.T) {
	t.Parallel()
	g := planted(t)
	g.open(g.roses)
	for _, call := range []string{
		"GET /api/v1/knowledge/search?q=roses&explain=true", "GET /api/v1/knowledge/search?tags=roses&explain=true",
		"GET /api/v1/knowledge/context?query=roses&explain=true", "GET /api/v1/knowledge/progressive_index?topic=roses&explain=true",
		"GET /api/v1/knowledge/heat_index?explain=true", "GET /api/v1/knowledge/articles/" + g.roses.String() + "/suggested_links?threshold=0&explain=true",
	} {
		var out struct {
			Data []struct {
				Explain *api.Explanation `json:"explain"`
			} `json:"data"`
			Meta api.Meta `json:"meta"`
		}
		r := g.send(call+"&timing=true", g.keys[agent], "")
		require.NoError(t, json.Unmarshal([]byte(r.body), &out), r.body)
		require.NotEmpty(t, out.Data, call)
		for _, d := range out.Data {
			require.NotNil(t, d.Explain, call)
			require.NotNil(t, d.Explain.Lanes, call)
			require.NotNil(t, d.Explain.Priors, call)
		}
		require.Contains(t, out.Meta.Timing, "total", call)
		require.NotContains(t, g.send(call, g.keys[agent], "").body, `"timing"`)
	}
	r := g.send("POST /api/v1/knowledge/hybrid_search?timing=1", g.keys[agent], `{"query":"roses","explain":true}`)
	var hybrid api.Envelope[api.HybridResult]
	require.NoError(t, json.Unmarshal([]byte(r.body), &hybrid))
	for _, part := range []string{"total", "embed", "keyword", "semantic"} {
		require.Contains(t, hybrid.Meta.Timing, part)
	}
	require.NotNil(t, hybrid.Data.Results[0].Explain)
}

// read opens an article by its id.
func (w *world) open(id uuid.UUID) {
	w.tb.Helper()
	_, err := w.as(agent).Article(w.tb.Context(), id)
	require.NoError(w.tb, err)
}

// Curated marks over HTTP: given and taken by users, shown, and what hybrid search leads with.
func TestACuratedArticleLeadsAndItsMarkIsAUsers(t *testing.T) {
	t.Parallel()
	g := planted(t)
	_, err := g.as(orchestrator).Curate(t.Context(), g.roses, "", "")
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err))
	a, err := g.as(user).Curate(t.Context(), g.roses, "read it twice", "k1")
	require.NoError(t, err)
	require.NotNil(t, a.CuratedAt)
	hits, meta, err := g.as(agent).Hybrid(t.Context(), api.HybridRequest{Query: "Roses want sun and a loose soil. They flower from June."})
	require.NoError(t, err)
	require.Equal(t, "curated", meta.Provenance)
	require.Equal(t, g.roses, meta.CuratedArticleID.UUID)
	require.Equal(t, g.roses, hits[0].ID)
	_, err = g.as(user).Uncurate(t.Context(), g.roses, "", "k2")
	require.NoError(t, err)
	_, meta, err = g.as(agent).Hybrid(t.Context(), api.HybridRequest{Query: "Roses want sun and a loose soil. They flower from June."})
	require.NoError(t, err)
	require.Equal(t, "retrieved", meta.Provenance)
	_, err = g.as(user).Uncurate(t.Context(), g.roses, "", "")
	require.Equal(t, wiki.CodeTransition, wiki.ErrorCode(err))
}
