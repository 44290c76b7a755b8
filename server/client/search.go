package client

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"wiki/server/api"
)

const knowledgePath = apiPrefix + "/knowledge"

// Search ranks articles for a query. Meta says which lanes answered: look at Degraded before trusting an empty page.
func (c *Client) Search(ctx context.Context, q api.SearchQuery) ([]api.Hit, api.Meta, error) {
	v := newQuery()
	v.text("q", q.Query)
	v.text("mode", q.Mode)
	v.id("project_id", q.ProjectID)
	v.text("category", q.Category)
	v.list("tags", q.Tags)
	v.number("limit", q.Limit)
	v.number("offset", q.Offset)
	v.flag("explain", q.Explain)
	return do[[]api.Hit](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/search", query: v.Values})
}

// Hybrid searches with provenance: meta has Provenance, Confidence and CuratedArticleID.
func (c *Client) Hybrid(ctx context.Context, h api.HybridRequest) ([]api.Hit, api.Meta, error) {
	r, meta, err := do[api.HybridResult](ctx, c, call{method: http.MethodPost, path: knowledgePath + "/hybrid_search", body: h})
	return r.Results, meta, err
}

// Drift gives one page of the submissions that said something else than the article that stood.
func (c *Client) Drift(ctx context.Context, q api.DriftQuery) ([]api.Drift, api.Meta, error) {
	v := newQuery()
	v.text("state", q.State)
	v.number("limit", q.Limit)
	v.text("cursor", q.Cursor)
	return do[[]api.Drift](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/drift", query: v.Values})
}

// AdoptDrift makes the submitted text a new version of the article.
func (c *Client) AdoptDrift(ctx context.Context, drift uuid.UUID, actKey string) (api.Article, error) {
	return c.settleDrift(ctx, drift, "adopt", actKey)
}

// DismissDrift closes a drift event; the article stays as it is.
func (c *Client) DismissDrift(ctx context.Context, drift uuid.UUID, actKey string) (api.Article, error) {
	return c.settleDrift(ctx, drift, "dismiss", actKey)
}

func (c *Client) settleDrift(ctx context.Context, drift uuid.UUID, verb, actKey string) (api.Article, error) {
	path := knowledgePath + "/drift/" + drift.String() + "/" + verb
	r, _, err := do[api.Article](ctx, c, call{method: http.MethodPost, path: path, actKey: actKey})
	return r, err
}
