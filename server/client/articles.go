package client

import (
	"context"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"wiki/server/api"
)

const articlesPath = apiPrefix + "/articles"

func articlePath(id uuid.UUID, rest string) string { return articlesPath + "/" + id.String() + rest }

// Articles gives one page of articles; bodies only when asked for.
func (c *Client) Articles(ctx context.Context, q api.ArticleQuery) ([]api.Article, api.Meta, error) {
	v := newQuery()
	v.text("category", q.Category)
	v.text("status", q.Status)
	v.list("tags", q.Tags)
	v.matchAll(q.MatchAll)
	v.text("source_type", q.SourceType)
	v.id("source_id", q.SourceID)
	v.text("idempotency_key", q.IdempotencyKey)
	v.id("project_id", q.ProjectID)
	v.text("title", q.Title)
	if q.Suppressed != nil {
		v.Set("suppressed", strconv.FormatBool(*q.Suppressed))
	}
	v.flag("include_body", q.IncludeBody)
	v.number("limit", q.Limit)
	v.number("offset", q.Offset)
	v.text("cursor", q.Cursor)
	return do[[]api.Article](ctx, c, call{method: http.MethodGet, path: articlesPath, query: v.Values})
}

// Propose sends an article through the gate. An outcome that made no row is not an error: read Verdict and Created.
func (c *Client) Propose(ctx context.Context, p api.Proposal) (api.Proposed, error) {
	r, _, err := do[api.Proposed](ctx, c, call{method: http.MethodPost, path: articlesPath, body: p})
	return r, err
}

// Article gives one article with its body and links.
func (c *Client) Article(ctx context.Context, id uuid.UUID) (api.Article, error) {
	r, _, err := do[api.Article](ctx, c, call{method: http.MethodGet, path: articlePath(id, "")})
	return r, err
}

// Update changes an article. ifMatch is the version that the change was made on, 0 to change whatever stands; a stale one
// is CodeVersionMismatch and changes nothing.
func (c *Client) Update(ctx context.Context, id uuid.UUID, ifMatch int, p api.ArticlePatch, actKey string) (api.Article, error) {
	r, _, err := do[api.Article](ctx, c, call{method: http.MethodPatch, path: articlePath(id, ""), body: p, ifMatch: ifMatch, actKey: actKey})
	return r, err
}

// Delete archives an article: a soft delete.
func (c *Client) Delete(ctx context.Context, id uuid.UUID, actKey string) (api.Article, error) {
	r, _, err := do[api.Article](ctx, c, call{method: http.MethodDelete, path: articlePath(id, ""), actKey: actKey})
	return r, err
}

// Publish publishes a draft (role orchestrator).
func (c *Client) Publish(ctx context.Context, id uuid.UUID, actKey string) (api.Article, error) {
	return c.verb(ctx, id, "publish", "", actKey)
}

// Unpublish makes a published article a draft again (role user).
func (c *Client) Unpublish(ctx context.Context, id uuid.UUID, actKey string) (api.Article, error) {
	return c.verb(ctx, id, "unpublish", "", actKey)
}

// Archive retires an article.
func (c *Client) Archive(ctx context.Context, id uuid.UUID, actKey string) (api.Article, error) {
	return c.verb(ctx, id, "archive", "", actKey)
}

// Suppress hides an article from every ranked read; the reason is required.
func (c *Client) Suppress(ctx context.Context, id uuid.UUID, reason, actKey string) (api.Article, error) {
	return c.verb(ctx, id, "suppress", reason, actKey)
}

// Unsuppress lifts a suppression.
func (c *Client) Unsuppress(ctx context.Context, id uuid.UUID, actKey string) (api.Article, error) {
	return c.verb(ctx, id, "unsuppress", "", actKey)
}

// Curate marks a published article as one that answers for the wiki (role user); an edit takes the mark away.
func (c *Client) Curate(ctx context.Context, id uuid.UUID, reason, actKey string) (api.Article, error) {
	return c.verb(ctx, id, "curate", reason, actKey)
}

// Uncurate takes the mark away (role user).
func (c *Client) Uncurate(ctx context.Context, id uuid.UUID, reason, actKey string) (api.Article, error) {
	return c.verb(ctx, id, "uncurate", reason, actKey)
}

func (c *Client) verb(ctx context.Context, id uuid.UUID, verb, reason, actKey string) (api.Article, error) {
	in := call{method: http.MethodPost, path: articlePath(id, "/"+verb), body: api.Reason{Reason: reason}, actKey: actKey}
	r, _, err := do[api.Article](ctx, c, in)
	return r, err
}

// Links gives the edges from and to an article.
func (c *Client) Links(ctx context.Context, id uuid.UUID) ([]api.Link, error) {
	r, _, err := do[[]api.Link](ctx, c, call{method: http.MethodGet, path: articlePath(id, "/links")})
	return r, err
}

// Link makes an edge.
func (c *Client) Link(ctx context.Context, l api.NewLink, actKey string) (api.Link, error) {
	r, _, err := do[api.Link](ctx, c, call{method: http.MethodPost, path: apiPrefix + "/article_links", body: l, actKey: actKey})
	return r, err
}

// Unlink removes an edge (role user).
func (c *Client) Unlink(ctx context.Context, link uuid.UUID) error {
	_, _, err := do[struct{}](ctx, c, call{method: http.MethodDelete, path: apiPrefix + "/article_links/" + link.String()})
	return err
}

// Versions gives an article's history, newest first, without bodies.
func (c *Client) Versions(ctx context.Context, id uuid.UUID) ([]api.ArticleVersion, error) {
	r, _, err := do[[]api.ArticleVersion](ctx, c, call{method: http.MethodGet, path: articlePath(id, "/versions")})
	return r, err
}

// Version gives one version with its body.
func (c *Client) Version(ctx context.Context, id uuid.UUID, n int) (api.ArticleVersion, error) {
	r, _, err := do[api.ArticleVersion](ctx, c, call{method: http.MethodGet, path: articlePath(id, "/versions/"+strconv.Itoa(n))})
	return r, err
}

// DiffVersions compares two versions of an article.
func (c *Client) DiffVersions(ctx context.Context, id uuid.UUID, from, to int) (api.VersionDiff, error) {
	v := newQuery()
	v.number("from", from)
	v.number("to", to)
	r, _, err := do[api.VersionDiff](ctx, c, call{method: http.MethodGet, path: articlePath(id, "/versions/diff"), query: v.Values})
	return r, err
}

// Restore makes a new version of an article that equals version n.
func (c *Client) Restore(ctx context.Context, id uuid.UUID, n int, actKey string) (api.Article, error) {
	path := articlePath(id, "/versions/"+strconv.Itoa(n)+"/restore")
	r, _, err := do[api.Article](ctx, c, call{method: http.MethodPost, path: path, actKey: actKey})
	return r, err
}
