// Package client is the Go client of the HTTP API: one method a route. Every failure is a *wiki.Error with the code that
// the server gave, or CodeUnavailable when no answer came; a cancelled context comes back as the context's error. The
// client never retries: only the caller knows whether an act may be repeated (give it an act key, and it may).
// A Client is safe for use by several goroutines.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"wiki/core/wiki"
	"wiki/server/api"
)

const (
	// DefaultTimeout bounds one call, connection and body included. The event stream is not bound by it.
	DefaultTimeout = 30 * time.Second
	// maxAnswerBytes bounds what one answer may bring into memory: a page of articles with bodies is about 5 MB.
	maxAnswerBytes = 64 << 20
	apiPrefix      = "/api/v1"
)

// Client talks to one server with one key.
type Client struct {
	base    *url.URL
	key     string
	http    *http.Client
	timeout time.Duration
}

// Option changes a Client on construction.
type Option func(*Client)

// WithTimeout replaces DefaultTimeout.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// New makes a client for a server's base URL, such as http://127.0.0.1:7171, and a key. The error is CodeInvalid on
// "url" or "key"; nothing is sent yet.
func New(baseURL, key string, opts ...Option) (*Client, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(baseURL), "/"))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, wiki.Invalid("url", "the server's address must look like http://127.0.0.1:7171, not %q", baseURL)
	}
	key = strings.TrimSpace(key)
	if strings.ContainsAny(key, "\r\n\x00") {
		return nil, wiki.Invalid("key", "the key has a line break or a NUL inside")
	}
	c := &Client{base: u, key: key, http: &http.Client{}, timeout: DefaultTimeout}
	for _, o := range opts {
		o(c)
	}
	return c, nil
}

// BaseURL is the server's address as given, without a slash at its end.
func (c *Client) BaseURL() string { return c.base.String() }

// call is one request.
type call struct {
	method  string
	path    string // below /api/v1, segments already escaped
	query   url.Values
	body    any // sent as JSON when not nil
	actKey  string
	ifMatch int // 0 = none
}

// do sends a call and decodes data and meta into out; out may be nil.
func do[T any](ctx context.Context, c *Client, in call) (T, api.Meta, error) {
	var env api.Envelope[T]
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := c.request(ctx, in)
	if err != nil {
		return env.Data, api.Meta{}, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return env.Data, api.Meta{}, c.transportError(ctx.Err(), err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		return env.Data, api.Meta{}, c.transportError(ctx.Err(), err)
	}
	if len(raw) > maxAnswerBytes {
		return env.Data, api.Meta{}, wiki.Errorf(wiki.CodeTooLarge, "the server's answer is over %d bytes: ask for less at a time", maxAnswerBytes)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return env.Data, api.Meta{}, failure(resp, raw)
	}
	if resp.StatusCode == http.StatusNoContent || len(raw) == 0 {
		return env.Data, api.Meta{}, nil
	}
	if err := json.Unmarshal(raw, &env); err != nil {
		return env.Data, api.Meta{}, c.notOurs(resp, err)
	}
	if env.Meta == nil {
		env.Meta = &api.Meta{}
	}
	return env.Data, *env.Meta, nil
}

// request builds the HTTP request of a call.
func (c *Client) request(ctx context.Context, in call) (*http.Request, error) {
	var body io.Reader
	if in.body != nil {
		raw, err := json.Marshal(in.body)
		if err != nil {
			return nil, &wiki.Error{Code: wiki.CodeInvalid, Message: "the request cannot be written as JSON", Err: err}
		}
		body = bytes.NewReader(raw)
	}
	target := c.base.String() + in.path
	if len(in.query) > 0 {
		target += "?" + in.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, in.method, target, body)
	if err != nil {
		return nil, &wiki.Error{Code: wiki.CodeInvalid, Message: "the request cannot be built", Err: err}
	}
	if in.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	if in.actKey != "" {
		req.Header.Set(api.HeaderIdempotencyKey, in.actKey)
	}
	if in.ifMatch > 0 {
		req.Header.Set("If-Match", quoteVersion(in.ifMatch))
	}
	return req, nil
}
