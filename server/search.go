package server

import (
	"github.com/google/uuid"

	"wiki/core/search"
	"wiki/core/wiki"
	"wiki/server/api"
)

// maxQueryRunes is what a query string may hold; what is searched is bounded by the core, which says when it cuts.
const maxQueryRunes = 10_000

func (s *Server) search(q *request) (*answer, error) {
	p := q.params()
	in := search.Query{
		Text: p.text("q", maxQueryRunes),
		Mode: search.Mode(p.choice("mode", string(search.ModeCombined), string(search.ModeKeyword), string(search.ModeSemantic))),
		Filter: wiki.Filter{
			Project: p.id("project_id"), Category: wiki.Category(p.text("category", maxWordRunes)),
			Tags: p.list("tags", wiki.MaxTags, wiki.MaxTagBytes),
		},
		Limit: p.number("limit", search.DefaultLimit, 1, search.MaxLimit), Offset: p.number("offset", 0, 0, search.MaxOffset),
		Explain: p.on("explain"),
	}
	if p.err != nil {
		return nil, p.err
	}
	page, err := s.core.Search.Search(q.Context(), q.actor, in)
	if err != nil {
		return nil, err
	}
	return ok(all(page.Hits, hitView)).with(pageMeta(page)), nil
}

func (s *Server) hybridSearch(q *request) (*answer, error) {
	in, err := decode[api.HybridRequest](q)
	if err != nil {
		return nil, err
	}
	page, err := s.core.Search.Hybrid(q.Context(), q.actor, search.Query{
		Text: in.Query, Filter: wiki.Filter{Project: in.ProjectID, Category: wiki.Category(in.Category), Tags: in.Tags}, Limit: in.Limit, Explain: in.Explain,
	})
	if err != nil {
		return nil, err
	}
	meta := pageMeta(page.Page)
	meta.Provenance, meta.Confidence = string(page.Provenance), &page.Confidence
	meta.CuratedArticleID = &uuid.NullUUID{}
	if page.Curated != nil {
		*meta.CuratedArticleID = uuid.NullUUID{UUID: *page.Curated, Valid: true}
	}
	meta.Diversity = diversityView(page.Diversity, in.Explain)
	return ok(api.HybridResult{Results: all(page.Hits, hitView)}).with(meta), nil
}

func pageMeta(p search.Page) api.Meta {
	return api.Meta{
		TotalCount: &p.Total, TotalCountScope: p.Scope, Limit: p.Limit, Offset: &p.Offset, HasMore: &p.HasMore,
		SearchMode: string(p.Mode), Degraded: &p.Degraded, DegradedReason: p.DegradedReason, Note: p.Note,
	}
}

func hitView(h search.Hit) api.Hit {
	v := api.Hit{ID: h.ID, Title: h.Title, Category: string(h.Category), Tags: orEmpty(h.Tags), Score: h.Score, Snippet: h.Snippet, Curated: h.Curated}
	if h.Explain != nil {
		v.Explain = &api.Explanation{Lanes: lanesView(h.Explain.Lanes), Fused: h.Explain.Fused, Priors: h.Explain.Priors}
	}
	return v
}

func lanesView(lanes map[wiki.Lane]wiki.LaneScore) map[string]api.LaneScore {
	v := map[string]api.LaneScore{}
	for lane, score := range lanes {
		v[string(lane)] = api.LaneScore{Rank: score.Rank, Score: score.Score, Raw: score.Raw}
	}
	return v
}

func diversityView(r wiki.DiversityReport, explain bool) *api.Diversity {
	v := &api.Diversity{Candidates: r.Candidates, Selected: r.Selected, VectorsAvailable: r.VectorsAvailable}
	for _, why := range r.Dropped {
		switch why {
		case wiki.DroppedExactDuplicate:
			v.DroppedExact++
		case wiki.DroppedNearDuplicate:
			v.DroppedNear++
		}
	}
	if explain {
		v.Dropped = map[uuid.UUID]string{}
		for id, why := range r.Dropped {
			v.Dropped[id] = why
		}
	}
	return v
}
