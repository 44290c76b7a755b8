package client

import (
	"context"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"wiki/server/api"
)

// Context gives whole articles to work with, the best of a query first.
func (c *Client) Context(ctx context.Context, q api.ContextQuery) ([]api.ContextHit, api.Meta, error) {
	v := narrowed(q.ProjectID, q.Category, q.Tags)
	v.text("query", q.Query)
	v.text("status", q.Status)
	v.list("memory_types", q.MemoryTypes)
	v.list("agents", q.Agents)
	v.text("conversation_id", q.ConversationID)
	v.number("limit", q.Limit)
	if q.RecencyWeight != nil {
		v.Set("recency_weight", strconv.FormatFloat(*q.RecencyWeight, 'g', -1, 64))
	}
	v.flag("explain", q.Explain)
	return do[[]api.ContextHit](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/context", query: v.Values})
}

// Stats counts the tenant's articles.
func (c *Client) Stats(ctx context.Context) (api.Stats, error) { return c.stats(ctx, nil) }

// ProjectStats counts a project's articles.
func (c *Client) ProjectStats(ctx context.Context, project uuid.UUID) (api.Stats, error) {
	return c.stats(ctx, &project)
}

func (c *Client) stats(ctx context.Context, project *uuid.UUID) (api.Stats, error) {
	r, _, err := do[api.Stats](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/stats", query: narrowed(project, "", nil).Values})
	return r, err
}

// Count gives how many articles a list would have; limit, offset and cursor are not read.
func (c *Client) Count(ctx context.Context, q api.ArticleQuery) (int, error) {
	v := narrowed(q.ProjectID, q.Category, q.Tags)
	v.text("status", q.Status)
	v.matchAll(q.MatchAll)
	v.text("source_type", q.SourceType)
	v.id("source_id", q.SourceID)
	v.text("idempotency_key", q.IdempotencyKey)
	v.text("title", q.Title)
	r, _, err := do[api.Count](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/count", query: v.Values})
	return r.Count, err
}

// Facets counts articles by tag; meta has how many articles there are, and whether there are more tags.
func (c *Client) Facets(ctx context.Context, q api.FacetQuery) (map[string]int, api.Meta, error) {
	v := narrowed(q.ProjectID, q.Category, q.Tags)
	v.text("tag_prefix", q.Prefix)
	v.text("status", q.Status)
	v.matchAll(q.MatchAll)
	v.number("limit", q.Limit)
	return do[map[string]int](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/facets", query: v.Values})
}

// Index gives the table of contents by category.
func (c *Client) Index(ctx context.Context, q api.IndexQuery) (map[string][]api.IndexEntry, api.Meta, error) {
	v := narrowed(q.ProjectID, q.Category, q.Tags)
	v.list("fields", q.Fields)
	v.number("limit", q.Limit)
	v.number("offset", q.Offset)
	return do[map[string][]api.IndexEntry](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/index", query: v.Values})
}

// Graph gives what is linked with an article, up to depth links away (0 = 1, at most 3).
func (c *Client) Graph(ctx context.Context, article uuid.UUID, depth int) (api.Graph, api.Meta, error) {
	v := newQuery()
	v.id("article_id", &article)
	v.number("depth", depth)
	return do[api.Graph](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/graph", query: v.Values})
}

// SuggestedLinks gives the articles nearest to one that it is not linked with. threshold nil = 0.5, limit 0 = 5.
func (c *Client) SuggestedLinks(ctx context.Context, article uuid.UUID, threshold *float64, limit int) ([]api.NearArticle, api.Meta, error) {
	v := newQuery()
	if threshold != nil {
		v.Set("threshold", strconv.FormatFloat(*threshold, 'g', -1, 64))
	}
	v.number("limit", limit)
	path := knowledgePath + "/articles/" + article.String() + "/suggested_links"
	return do[[]api.NearArticle](ctx, c, call{method: http.MethodGet, path: path, query: v.Values})
}

// Progressive gives stubs on a topic; open one with Drill.
func (c *Client) Progressive(ctx context.Context, topic string) ([]api.ProgressiveStub, api.Meta, error) {
	v := newQuery()
	v.text("topic", topic)
	return do[[]api.ProgressiveStub](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/progressive_index", query: v.Values})
}

// Drill opens an entry of the progressive index or the heat index. It is Article, and does not count as reading.
func (c *Client) Drill(ctx context.Context, article uuid.UUID) (api.Article, error) {
	r, _, err := do[api.Article](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/progressive/" + article.String()})
	return r, err
}

// Heat gives the most read articles; meta has the window.
func (c *Client) Heat(ctx context.Context, q api.HeatQuery) ([]api.HeatStub, api.Meta, error) {
	v := narrowed(q.ProjectID, q.Category, q.Tags)
	v.text("since", q.Since)
	v.number("limit", q.Limit)
	v.flag("explain", q.Explain)
	return do[[]api.HeatStub](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/heat_index", query: v.Values})
}

// narrowed begins a query with what narrows a read.
func narrowed(project *uuid.UUID, category string, tags []string) query {
	v := newQuery()
	v.id("project_id", project)
	v.text("category", category)
	v.list("tags", tags)
	return v
}
