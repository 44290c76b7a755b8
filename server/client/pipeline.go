package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"wiki/server/api"
)

// Pipeline gives what became of the writes of the last days, at most 90; 0 = the server's default of 7 (role orchestrator).
func (c *Client) Pipeline(ctx context.Context, days int) (api.Pipeline, error) {
	query := url.Values{}
	if days != 0 {
		query.Set("days", strconv.Itoa(days))
	}
	p, _, err := do[api.Pipeline](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/pipeline", query: query})
	return p, err
}

// Nights gives the last passes of the nightly consumers, newest first, at most 90; 0 = the server's default of 14 (role
// orchestrator).
func (c *Client) Nights(ctx context.Context, limit int) ([]api.Night, error) {
	query := url.Values{}
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	n, _, err := do[[]api.Night](ctx, c, call{method: http.MethodGet, path: knowledgePath + "/nights", query: query})
	return n, err
}
