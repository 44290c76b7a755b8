package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"wiki/core/wiki"
	"wiki/server/api"
)

// DetailErrorID is the key in wiki.Error.Details that holds the id by which the server's log can be searched.
const DetailErrorID = "error_id"

// failure turns a refused answer back into the error that the server's core returned.
func failure(resp *http.Response, raw []byte) error {
	var f api.Failure
	if err := json.Unmarshal(raw, &f); err != nil || f.Error.Code == "" {
		e := wiki.Errorf(api.FallbackCode(resp.StatusCode), "%s answered %s without a code", resp.Request.URL.Host, resp.Status)
		e.Remedy = "check that the address is a wiki server's, and what stands between"
		e.RetryAfter = retryAfter(resp)
		return e
	}
	e := &wiki.Error{
		Code: wiki.Code(f.Error.Code), Message: f.Error.Message, Field: f.Error.Field,
		Remedy: f.Error.Remediation, Details: f.Error.Details, RetryAfter: retryAfter(resp),
	}
	if f.Error.ErrorID != "" {
		if e.Details == nil {
			e.Details = map[string]any{}
		}
		e.Details[DetailErrorID] = f.Error.ErrorID
	}
	return e
}

// retryAfter reads the Retry-After header in its form of seconds; 0 when it is absent or a date.
func retryAfter(resp *http.Response) time.Duration {
	s, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || s < 0 {
		return 0
	}
	return time.Duration(s) * time.Second
}

// transportError says why no answer came; ended is the call's context's error. A cancellation is returned as it is, so
// that callers can tell "I gave up" from "the server is away".
func (c *Client) transportError(ended, err error) error {
	if errors.Is(ended, context.Canceled) {
		return ended
	}
	e := &wiki.Error{Code: wiki.CodeUnavailable, Err: err}
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Message = fmt.Sprintf("no server answers at %s", c.base.Host)
		e.Remedy = "start it with wiki-server serve, or correct the address"
	case errors.As(err, &dns):
		e.Message = fmt.Sprintf("the name %s cannot be resolved", c.base.Hostname())
		e.Remedy = "correct the server's address"
	case errors.Is(ended, context.DeadlineExceeded):
		e.Message = fmt.Sprintf("%s did not answer within %s", c.base.Host, c.timeout)
		e.Remedy = "try again; if it stays, look at the server's log"
	default:
		e.Message = fmt.Sprintf("the connection to %s broke", c.base.Host)
		e.Remedy = "try again"
	}
	return e
}

// notOurs is the error for a success whose body is not the API's.
func (c *Client) notOurs(resp *http.Response, err error) error {
	e := &wiki.Error{Code: wiki.CodeUnavailable, Err: err}
	e.Message = fmt.Sprintf("%s does not answer as a wiki server of API version %s", c.base.Host, api.Version)
	if v := resp.Header.Get(api.HeaderVersion); v != "" && v != api.Version {
		e.Message += ", but " + v
	}
	e.Remedy = "check the address, and that client and server are of the same release"
	return e
}

// drainFailure reads a refused answer and turns it into an error.
func drainFailure(resp *http.Response) error {
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes))
	if err != nil {
		return &wiki.Error{Code: wiki.CodeUnavailable, Message: "the server's answer broke off", Err: err}
	}
	return failure(resp, raw)
}
