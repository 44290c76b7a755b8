package client

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"wiki/server/api"
)

const proposalsPath = apiPrefix + "/proposals"

// BulkDryRun freezes a set for one op (archive, delete, publish, unpublish, retag) and gives the credential that runs on
// exactly that set (role user). Nothing else happens.
func (c *Client) BulkDryRun(ctx context.Context, op string, in api.BulkRequest) (api.BulkPreview, error) {
	in.DryRun = true
	r, _, err := do[api.BulkPreview](ctx, c, call{method: http.MethodPost, path: knowledgePath + "/bulk-" + op, body: in})
	return r, err
}

// Bulk does an op to a set (role user); meta has the counts and each article's result, in the order of the request. While
// Left is not 0, the same call carries the run on.
func (c *Client) Bulk(ctx context.Context, op string, in api.BulkRequest, actKey string) (api.BulkRun, api.Meta, error) {
	return do[api.BulkRun](ctx, c, call{method: http.MethodPost, path: knowledgePath + "/bulk-" + op, body: in, actKey: actKey})
}

// MintProposal puts a set before a person other than the caller.
func (c *Client) MintProposal(ctx context.Context, in api.NewBulkProposal, actKey string) (api.BulkProposal, error) {
	r, _, err := do[api.BulkProposal](ctx, c, call{method: http.MethodPost, path: proposalsPath, body: in, actKey: actKey})
	return r, err
}

// Proposals gives one page of the proposals; meta counts those that wait.
func (c *Client) Proposals(ctx context.Context, q api.BulkProposalQuery) ([]api.BulkProposal, api.Meta, error) {
	v := newQuery()
	v.text("state", q.State)
	v.text("op", q.Op)
	v.text("by", q.By)
	v.number("limit", q.Limit)
	v.text("cursor", q.Cursor)
	return do[[]api.BulkProposal](ctx, c, call{method: http.MethodGet, path: proposalsPath, query: v.Values})
}

// Proposal gives one proposal with its items and its impact.
func (c *Client) Proposal(ctx context.Context, id uuid.UUID) (api.BulkProposal, error) {
	r, _, err := do[api.BulkProposal](ctx, c, call{method: http.MethodGet, path: proposalsPath + "/" + id.String()})
	return r, err
}

// ProposalItems gives a page of the items of a proposal, or of a run; cursor is meta.next_cursor of the page before.
func (c *Client) ProposalItems(ctx context.Context, id uuid.UUID, cursor string, limit int) ([]api.BulkItem, api.Meta, error) {
	v := newQuery()
	v.number("limit", limit)
	v.text("cursor", cursor)
	return do[[]api.BulkItem](ctx, c, call{method: http.MethodGet, path: proposalsPath + "/" + id.String() + "/items", query: v.Values})
}

// ApproveProposal carries a proposal out (role user, not its minter). While Left is not 0, ExecuteProposal carries it on.
func (c *Client) ApproveProposal(ctx context.Context, id uuid.UUID, in api.Approval, actKey string) (api.BulkRun, api.Meta, error) {
	return do[api.BulkRun](ctx, c, call{method: http.MethodPost, path: proposalsPath + "/" + id.String() + "/approve", body: in, actKey: actKey})
}

// RejectProposal decides against a proposal; the reason is required (role user, not its minter).
func (c *Client) RejectProposal(ctx context.Context, id uuid.UUID, reason, actKey string) (api.BulkProposal, error) {
	return c.endProposal(ctx, id, "reject", reason, actKey)
}

// WithdrawProposal takes a proposal of one's own back.
func (c *Client) WithdrawProposal(ctx context.Context, id uuid.UUID, reason, actKey string) (api.BulkProposal, error) {
	return c.endProposal(ctx, id, "withdraw", reason, actKey)
}

func (c *Client) endProposal(ctx context.Context, id uuid.UUID, verb, reason, actKey string) (api.BulkProposal, error) {
	path := proposalsPath + "/" + id.String() + "/" + verb
	r, _, err := do[api.BulkProposal](ctx, c, call{method: http.MethodPost, path: path, body: api.Reason{Reason: reason}, actKey: actKey})
	return r, err
}

// ExecuteProposal carries on a run that was cut (role user).
func (c *Client) ExecuteProposal(ctx context.Context, id uuid.UUID) (api.BulkRun, api.Meta, error) {
	return do[api.BulkRun](ctx, c, call{method: http.MethodPost, path: proposalsPath + "/" + id.String() + "/execute"})
}
