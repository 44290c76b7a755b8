package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"wiki/server/api"
)

const conflictsPath = apiPrefix + "/knowledge/conflicts"

// Conflicts gives one page of the queue; meta has the counts by state and the cursor of the next page.
func (c *Client) Conflicts(ctx context.Context, q api.ConflictQuery) ([]api.Conflict, api.Meta, error) {
	v := conflictQuery(q)
	v.text("sort", q.Sort)
	return do[[]api.Conflict](ctx, c, call{method: http.MethodGet, path: conflictsPath, query: v.Values})
}

// ConflictGroups gives one page of the articles that stand in several pairs under the filter, those in the most pairs first.
// Its order is its own: q.Sort means nothing.
func (c *Client) ConflictGroups(ctx context.Context, q api.ConflictQuery) ([]api.ConflictGroup, api.Meta, error) {
	return do[[]api.ConflictGroup](ctx, c, call{method: http.MethodGet, path: conflictsPath + "/groups", query: conflictQuery(q).Values})
}

func conflictQuery(q api.ConflictQuery) query {
	v := newQuery()
	v.text("state", q.State)
	v.text("kind", q.Kind)
	v.text("category", q.Category)
	v.fraction("min_similarity", q.MinSimilarity)
	v.fraction("max_similarity", q.MaxSimilarity)
	v.text("by", q.By)
	v.number("min_age_hours", q.MinAgeHours)
	v.number("max_age_hours", q.MaxAgeHours)
	v.id("article_id", q.ArticleID)
	v.number("limit", q.Limit)
	v.text("cursor", q.Cursor)
	return v
}

// ConflictViews gives the caller's saved filters of the queue, by name.
func (c *Client) ConflictViews(ctx context.Context) ([]api.ConflictView, error) {
	r, _, err := do[[]api.ConflictView](ctx, c, call{method: http.MethodGet, path: conflictsPath + "/views"})
	return r, err
}

// SaveConflictView keeps a filter under a name, in place of the caller's one of that name.
func (c *Client) SaveConflictView(ctx context.Context, v api.NewConflictView) (api.ConflictView, error) {
	r, _, err := do[api.ConflictView](ctx, c, call{method: http.MethodPut, path: conflictsPath + "/views", body: v})
	return r, err
}

// DeleteConflictView drops one of the caller's saved filters, CodeNotFound when there is none of that name.
func (c *Client) DeleteConflictView(ctx context.Context, name string) error {
	_, _, err := do[struct{}](ctx, c, call{method: http.MethodDelete, path: conflictsPath + "/views", query: url.Values{"name": {name}}})
	return err
}

// Pair gives one conflict with both articles and the verdicts so far. id is Conflict.ID.
func (c *Client) Pair(ctx context.Context, id string) (api.Pair, error) {
	p, _, err := do[api.Pair](ctx, c, call{method: http.MethodGet, path: conflictsPath + "/" + url.PathEscape(id)})
	return p, err
}

// Assert disputes a pair; the answer is the conflict as it stands in the queue.
func (c *Client) Assert(ctx context.Context, a api.NewAssertion, actKey string) (api.Conflict, error) {
	r, _, err := do[api.Conflict](ctx, c, call{method: http.MethodPost, path: conflictsPath, body: a, actKey: actKey})
	return r, err
}

// Judge records a verdict. A repeat with the same actKey is answered with the first one's verdict.
func (c *Client) Judge(ctx context.Context, v api.NewVerdict, actKey string) (api.Verdict, error) {
	r, _, err := do[api.Verdict](ctx, c, call{method: http.MethodPost, path: conflictsPath + "/resolve", body: v, actKey: actKey})
	return r, err
}

// Verdicts gives one page of the verdict log, newest first: with Mine and State "undoable" it is the undo log.
func (c *Client) Verdicts(ctx context.Context, q api.VerdictQuery) ([]api.Verdict, api.Meta, error) {
	v := newQuery()
	v.flag("mine", q.Mine)
	v.text("state", q.State)
	v.number("limit", q.Limit)
	v.text("cursor", q.Cursor)
	return do[[]api.Verdict](ctx, c, call{method: http.MethodGet, path: conflictsPath + "/verdicts", query: v.Values})
}

// Withdraw takes back a verdict that has not been executed; the pair is open again.
func (c *Client) Withdraw(ctx context.Context, verdict uuid.UUID, actKey string) (api.Verdict, error) {
	return c.undo(ctx, verdict, "withdraw", actKey)
}

// Revert takes back an executed supersede (role user).
func (c *Client) Revert(ctx context.Context, verdict uuid.UUID, actKey string) (api.Verdict, error) {
	return c.undo(ctx, verdict, "revert", actKey)
}

func (c *Client) undo(ctx context.Context, verdict uuid.UUID, verb, actKey string) (api.Verdict, error) {
	path := conflictsPath + "/verdicts/" + verdict.String() + "/" + verb
	r, _, err := do[api.Verdict](ctx, c, call{method: http.MethodPost, path: path, actKey: actKey})
	return r, err
}

// Execute applies waiting verdicts, a bounded batch a call (role user); Left says how many still wait.
func (c *Client) Execute(ctx context.Context, actKey string) (api.Executed, error) {
	r, _, err := do[api.Executed](ctx, c, call{method: http.MethodPost, path: conflictsPath + "/execute", actKey: actKey})
	return r, err
}

// Claim takes or renews the caller's lease on a pair. CodeClaimed says that another curator holds it.
func (c *Client) Claim(ctx context.Context, id string) (api.Claim, error) {
	r, _, err := do[api.Claim](ctx, c, call{method: http.MethodPost, path: conflictsPath + "/" + url.PathEscape(id) + "/claim"})
	return r, err
}

// Release gives the caller's lease back; releasing one that is not held does nothing.
func (c *Client) Release(ctx context.Context, id string) error {
	_, _, err := do[struct{}](ctx, c, call{method: http.MethodDelete, path: conflictsPath + "/" + url.PathEscape(id) + "/claim"})
	return err
}
