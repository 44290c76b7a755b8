package server

import (
	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/search"
	"wiki/core/usage"
	"wiki/core/wiki"
	"wiki/server/api"
)

// drillPath is how an entry of an index is opened: the path itself says so, not the caller (seed, invariant 5).
const drillPath = "/knowledge/progressive/{id}"

const drillHint = "GET " + apiPrefix + drillPath

// filter reads what narrows a ranked read.
func (p *params) filter() wiki.Filter {
	return wiki.Filter{
		Project: p.id("project_id"), Category: wiki.Category(p.text("category", maxWordRunes)), Tags: p.list("tags", wiki.MaxTags, wiki.MaxTagBytes),
	}
}

func (s *Server) context(q *request) (*answer, error) {
	p := q.params()
	in := search.ContextQuery{
		Text: p.text("query", maxQueryRunes), Filter: p.filter(), Limit: p.number("limit", search.DefaultContextLimit, 1, search.MaxContextLimit),
		RecencyWeight: p.fraction("recency_weight"), Explain: p.on("explain"),
	}
	in.Filter.Status = wiki.Status(p.choice("status", "", string(wiki.StatusPublished), string(wiki.StatusDraft), string(wiki.StatusSuperseded), string(wiki.StatusArchived)))
	in.Filter.MemoryTypes, in.Filter.Agents = p.list("memory_types", maxListed, maxWordRunes), p.list("agents", maxListed, wiki.MaxAgentIDBytes)
	in.Filter.Conversation = p.text("conversation_id", maxConversationRunes)
	if p.err != nil {
		return nil, p.err
	}
	page, err := s.core.Search.Context(q.Context(), q.actor, in)
	if err != nil {
		return nil, err
	}
	meta := pageMeta(page.Page)
	meta.RecencyWeight = &page.RecencyWeight
	return ok(all(page.Hits, contextView)).with(meta), nil
}

// Bounds of filters by metadata.
const (
	maxListed            = 50
	maxConversationRunes = 200
)

func contextView(h search.ContextHit) api.ContextHit {
	return api.ContextHit{
		Hit: hitView(h.Hit), Body: h.Body, Relevance: h.Relevance, Recency: h.Recency, Combined: h.Combined,
		Linked: all(h.Linked, func(n articles.NeighbourOf) api.Named {
			return api.Named{ID: n.Neighbour, Title: n.Title, Category: string(n.Category)}
		}),
	}
}

func (s *Server) stats(q *request) (*answer, error) {
	p := q.params()
	project := p.id("project_id")
	if p.err != nil {
		return nil, p.err
	}
	counts, err := s.core.Articles.Stats(q.Context(), q.actor, project)
	if err != nil {
		return nil, err
	}
	v := api.Stats{Total: counts.Total, ByCategory: counts.ByCategory, ByStatus: counts.ByStatus, Suppressed: counts.Suppressed}
	if project != nil {
		return ok(v), nil
	}
	if v.Meaning, err = s.meaning(q); err != nil {
		return nil, err
	}
	age, err := s.core.Conflicts.Ageing(q.Context(), q.actor)
	if err != nil {
		return nil, err
	}
	v.Conflicts = &api.QueueAge{Open: age.Open, Intake: age.Intake, OldestAgeSeconds: int64(age.OldestAge().Seconds())}
	if !age.Oldest.IsZero() {
		v.Conflicts.Oldest = &age.Oldest
	}
	return ok(v), nil
}

// meaning says how far the articles are indexed by their meaning.
func (s *Server) meaning(q *request) (*api.MeaningIndex, error) {
	cover, err := s.core.Index.Coverage(q.Context(), q.actor)
	if err != nil {
		return nil, err
	}
	model := s.core.Embedder.Model()
	v := &api.MeaningIndex{Model: model.ID, Dims: model.Dims, Indexed: cover.Indexed, Pending: cover.Pending}
	if !cover.Since.IsZero() {
		v.Since = &cover.Since
	}
	return v, nil
}

func (s *Server) count(q *request) (*answer, error) {
	p := q.params()
	f := p.articles()
	if p.err != nil {
		return nil, p.err
	}
	n, err := s.core.Articles.Count(q.Context(), q.actor, f)
	if err != nil {
		return nil, err
	}
	return ok(api.Count{Count: n}), nil
}

func (s *Server) facets(q *request) (*answer, error) {
	p := q.params()
	f, prefix, most := p.articles(), p.text("tag_prefix", wiki.MaxTagBytes), p.number("limit", articles.DefaultFacets, 1, articles.MaxFacets)
	if p.err != nil {
		return nil, p.err
	}
	if f.Status == "" {
		f.Status = wiki.StatusPublished
	}
	found, err := s.core.Articles.Facets(q.Context(), q.actor, f, prefix, most)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, t := range found.Tags {
		counts[t.Tag] = t.Count
	}
	return ok(counts).with(api.Meta{TotalCount: &found.Total, Limit: most, Truncated: &found.Truncated}), nil
}

func (s *Server) index(q *request) (*answer, error) {
	p := q.params()
	in := articles.IndexQuery{Filter: p.filter(), Limit: p.number("limit", articles.MaxIndex, 1, articles.MaxIndex), Offset: p.number("offset", 0, 0, maxListOffset)}
	fields := map[string]bool{}
	for _, f := range p.list("fields", maxListed, maxWordRunes) {
		switch f {
		case "tags", "status", "updated_at":
			fields[f] = true
		case "id", "title", "category": // always there
		default:
			p.fail("fields", "may name tags, status and updated_at")
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	found, err := s.core.Articles.Index(q.Context(), q.actor, in)
	if err != nil {
		return nil, err
	}
	byCategory := map[string][]api.IndexEntry{}
	for _, a := range found.Articles {
		e := api.IndexEntry{ID: a.ID, Title: a.Title, Category: string(a.Category)}
		if fields["tags"] {
			e.Tags = a.Tags
		}
		if fields["status"] {
			e.Status = string(a.Status)
		}
		if fields["updated_at"] {
			e.UpdatedAt = &a.UpdatedAt
		}
		byCategory[e.Category] = append(byCategory[e.Category], e)
	}
	more := in.Offset+len(found.Articles) < found.Total
	return ok(byCategory).with(api.Meta{
		TotalCount: &found.Total, Categories: found.Categories, Truncated: &more, HasMore: &more, Limit: in.Limit, Offset: &in.Offset,
	}), nil
}

func (s *Server) graph(q *request) (*answer, error) {
	p := q.params()
	id, depth := p.id("article_id"), p.number("depth", articles.DefaultGraphDepth, 1, articles.MaxGraphDepth)
	if id == nil {
		p.fail("article_id", "must be the id of the article to begin at")
	}
	if p.err != nil {
		return nil, p.err
	}
	g, err := s.core.Articles.Graph(q.Context(), q.actor, *id, depth)
	if err != nil {
		return nil, err
	}
	return ok(api.Graph{
		Nodes: all(g.Nodes, func(n articles.Node) api.GraphNode {
			return api.GraphNode{Named: api.Named{ID: n.ID, Title: n.Title, Category: string(n.Category)}, Status: string(n.Status), Depth: n.Depth}
		}),
		Edges: all(g.Edges, func(l wiki.Link) api.GraphEdge {
			return api.GraphEdge{ID: l.ID, Source: l.Source, Target: l.Target, Relationship: string(l.Relation)}
		}),
	}).with(api.Meta{Truncated: &g.Truncated}), nil
}

func (s *Server) suggestLinks(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	p := q.params()
	threshold, limit, explain := p.fraction("threshold"), p.number("limit", search.DefaultSuggestions, 1, search.MaxSuggestions), p.on("explain")
	if p.err != nil {
		return nil, p.err
	}
	from := search.DefaultSuggestionThreshold
	if threshold != nil {
		from = wiki.Cosine(*threshold)
	}
	found, err := s.core.Search.SuggestLinks(q.Context(), q.actor, id, from, limit)
	if err != nil {
		return nil, err
	}
	list := all(found.Articles, nearView)
	for i := range list {
		if explain {
			list[i].Explain = oneLane(wiki.LaneSemantic, wiki.LaneScore{Rank: i + 1, Score: list[i].Similarity, Raw: list[i].Similarity})
		}
	}
	return ok(list).with(api.Meta{Limit: limit, Note: found.Note}), nil
}

func nearView(n search.Near) api.NearArticle {
	return api.NearArticle{Stub: stubView(n.Stub), Similarity: float64(n.Cosine)}
}

// oneLane explains a rank that one lane gave, without fusion or priors.
func oneLane(lane wiki.Lane, score wiki.LaneScore) *api.Explanation {
	return &api.Explanation{Lanes: lanesView(map[wiki.Lane]wiki.LaneScore{lane: score}), Fused: score.Score, Priors: map[string]float64{}}
}

func (s *Server) progressive(q *request) (*answer, error) {
	p := q.params()
	topic, filter, explain := p.text("topic", maxQueryRunes), p.filter(), p.on("explain")
	if p.err != nil {
		return nil, p.err
	}
	found, note, err := s.core.Search.Progressive(q.Context(), q.actor, topic, filter)
	if err != nil {
		return nil, err
	}
	list := all(found, func(f search.Found) api.ProgressiveStub {
		v := api.ProgressiveStub{Stub: stubView(f.Stub), Hub: f.Hub}
		if explain {
			v.Explain = &api.Explanation{Lanes: lanesView(f.Lanes), Fused: f.Lanes[wiki.LaneKeyword].Score, Priors: map[string]float64{}}
		}
		return v
	})
	n := len(list)
	return ok(list).with(api.Meta{TotalCount: &n, Drill: drillHint, Note: note}), nil
}

func (s *Server) drill(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	return s.show(q, id, usage.Drill)
}

func (s *Server) heat(q *request) (*answer, error) {
	p := q.params()
	in := search.HeatQuery{Since: p.day("since"), Filter: p.filter(), Limit: p.number("limit", search.DefaultHeatLimit, 1, search.MaxHeatLimit)}
	explain := p.on("explain")
	if p.err != nil {
		return nil, p.err
	}
	index, err := s.core.Search.Heat(q.Context(), q.actor, in)
	if err != nil {
		return nil, err
	}
	list := all(index.Articles, func(h search.Hot) api.HeatStub {
		v := api.HeatStub{Stub: stubView(h.Stub), Readers: h.Readers, Days: h.Days}
		if explain { // no lane and no prior: the two counts are the rank
			v.Explain = &api.Explanation{Lanes: map[string]api.LaneScore{}, Fused: float64(h.Readers), Priors: map[string]float64{}}
		}
		return v
	})
	return ok(list).with(api.Meta{Limit: in.Limit, Drill: drillHint, HeatWindow: &api.HeatWindow{Since: index.Since, Until: index.Until}}), nil
}

func stubView(s search.Stub) api.Stub {
	return api.Stub{Named: api.Named{ID: s.ID, Title: s.Title, Category: string(s.Category)}, Summary: s.Summary, Curated: s.Curated}
}

// stillLive gives what says almost the same as an article that was superseded, so that whoever did it sees where the claim
// lives on (case 31). The act stands whatever becomes of this look.
func (s *Server) stillLive(q *request, loser uuid.UUID, winner ...uuid.UUID) []api.NearArticle {
	live, err := s.core.Search.StillLive(q.Context(), q.actor, loser, winner...)
	if err != nil {
		s.log.WarnContext(q.Context(), "near-duplicates of a superseded article could not be read", "request_id", requestID(q.Context()), "error", err)
		return nil
	}
	return all(live, nearView)
}
