package client

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"wiki/server/api"
)

// Whoami tells what the key is.
func (c *Client) Whoami(ctx context.Context) (api.Whoami, error) {
	r, _, err := do[api.Whoami](ctx, c, call{method: http.MethodGet, path: apiPrefix + "/whoami"})
	return r, err
}

// Health says whether the server runs; it needs no key.
func (c *Client) Health(ctx context.Context) (api.Health, error) {
	r, _, err := do[api.Health](ctx, c, call{method: http.MethodGet, path: "/health"})
	return r, err
}

// Ready says whether the server can do its work; CodeUnavailable says that it cannot now. It needs no key.
func (c *Client) Ready(ctx context.Context) (api.Health, error) {
	r, _, err := do[api.Health](ctx, c, call{method: http.MethodGet, path: "/health/ready"})
	return r, err
}

// Keys lists the tenant's keys (role user); secrets are never among them.
func (c *Client) Keys(ctx context.Context) ([]api.Key, error) {
	r, _, err := do[[]api.Key](ctx, c, call{method: http.MethodGet, path: apiPrefix + "/keys"})
	return r, err
}

// CreateKey makes a key (role user). Its Secret is shown this once.
func (c *Client) CreateKey(ctx context.Context, k api.NewKey) (api.Key, error) {
	r, _, err := do[api.Key](ctx, c, call{method: http.MethodPost, path: apiPrefix + "/keys", body: k})
	return r, err
}

// RevokeKey ends a key at once (role user).
func (c *Client) RevokeKey(ctx context.Context, id uuid.UUID) error {
	_, _, err := do[struct{}](ctx, c, call{method: http.MethodDelete, path: apiPrefix + "/keys/" + id.String()})
	return err
}

// RotateKey makes a successor of a key (role user); the old one lives on for the grace period.
func (c *Client) RotateKey(ctx context.Context, id uuid.UUID, r api.RotateKey) (api.Key, error) {
	k, _, err := do[api.Key](ctx, c, call{method: http.MethodPost, path: apiPrefix + "/keys/" + id.String() + "/rotate", body: r})
	return k, err
}

// Dispatch mints a child key. Its Secret is shown this once.
func (c *Client) Dispatch(ctx context.Context, d api.NewDispatch) (api.Dispatch, error) {
	r, _, err := do[api.Dispatch](ctx, c, call{method: http.MethodPost, path: apiPrefix + "/dispatches", body: d})
	return r, err
}

// Dispatches lists the tenant's dispatches that the caller may see.
func (c *Client) Dispatches(ctx context.Context) ([]api.Dispatch, error) {
	r, _, err := do[[]api.Dispatch](ctx, c, call{method: http.MethodGet, path: apiPrefix + "/dispatches"})
	return r, err
}

// RevokeDispatch ends a dispatch and all below it.
func (c *Client) RevokeDispatch(ctx context.Context, id uuid.UUID) error {
	_, _, err := do[struct{}](ctx, c, call{method: http.MethodDelete, path: apiPrefix + "/dispatches/" + id.String()})
	return err
}

// Audit gives one page of the audit log, newest first.
func (c *Client) Audit(ctx context.Context, q api.AuditQuery) ([]api.AuditEntry, api.Meta, error) {
	v := newQuery()
	v.text("principal", q.Principal)
	v.text("act", q.Act)
	v.id("subject", q.Subject)
	v.number("limit", q.Limit)
	v.text("cursor", q.Cursor)
	return do[[]api.AuditEntry](ctx, c, call{method: http.MethodGet, path: apiPrefix + "/audit", query: v.Values})
}
