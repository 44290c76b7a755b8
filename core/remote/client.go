package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// Config says where a service is and how it is called. Zero fields take the defaults; Name and URL have none.
type Config struct {
	Name string // for messages, such as "the embedding provider"
	URL  string // of the one route that is called
	Key  string // sent as a bearer token; empty for a service without keys. Never in an error or a log

	Attempts  int            // tries of one call, when the failure may pass; default 3
	Backoff   time.Duration  // before the second try, doubled for each further one; default 500 ms
	MaxWait   time.Duration  // the longest Retry-After that a call waits out; default 60 s
	MaxAnswer int64          // bytes that are read of an answer; default 64 MB
	Hints     map[int]string // what to do about a status that is final; 0 is any other

	Client *http.Client                                     // default: one of its own, without a total timeout (Guard bounds calls)
	Now    func() time.Time                                 // default time.Now
	Sleep  func(ctx context.Context, d time.Duration) error // default: a timer
}

// Defaults of Config.
const (
	DefaultAttempts  = 3
	DefaultBackoff   = 500 * time.Millisecond
	DefaultMaxWait   = 60 * time.Second
	DefaultMaxAnswer = 64 << 20
)

// maxFailureBytes is read of an error's body, so that the connection is kept, and never shown.
const maxFailureBytes = 64 << 10

// Client calls one service. It is safe for use by several goroutines.
type Client struct {
	cfg Config

	mu          sync.Mutex
	pausedUntil time.Time // the service asked for a pause: shared by all callers (Retry-After)
}

// New makes a client; it calls nothing yet.
func New(cfg Config) *Client {
	cfg.Attempts = cmp.Or(cfg.Attempts, DefaultAttempts)
	cfg.Backoff = cmp.Or(cfg.Backoff, DefaultBackoff)
	cfg.MaxWait = cmp.Or(cfg.MaxWait, DefaultMaxWait)
	cfg.MaxAnswer = cmp.Or(cfg.MaxAnswer, DefaultMaxAnswer)
	if cfg.Client == nil {
		cfg.Client = &http.Client{}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	return &Client{cfg: cfg}
}

// failure is a failed try.
type failure struct {
	err   *Error
	again bool          // may pass: try again
	wait  time.Duration // the service said when; 0 = it didn't
}

// Post sends in as JSON and gives the body of the answer, trying again when a failure may pass. The error is an *Error, or
// the context's own.
func (c *Client) Post(ctx context.Context, in any) ([]byte, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	backoff := c.cfg.Backoff
	for try := 1; ; try++ {
		if err := c.waitForPause(ctx); err != nil {
			return nil, err
		}
		answer, f := c.try(ctx, body)
		switch {
		case f == nil:
			return answer, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !f.again || try == c.cfg.Attempts:
			return nil, f.err
		case f.wait > 0: // waited out above, by every caller
		default:
			if err := c.cfg.Sleep(ctx, backoff); err != nil {
				return nil, err
			}
			backoff *= 2
		}
	}
}

// waitForPause waits until the service may be called again, or fails at once when that is too far away.
func (c *Client) waitForPause(ctx context.Context) error {
	c.mu.Lock()
	wait := c.pausedUntil.Sub(c.cfg.Now())
	c.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	deadline, bounded := ctx.Deadline()
	if wait > c.cfg.MaxWait || (bounded && wait > time.Until(deadline)) {
		err := Errorf(RateLimited, nil, "%s asks to wait %s", c.cfg.Name, wait.Round(time.Second))
		err.RetryAfter = wait
		return err
	}
	return c.cfg.Sleep(ctx, wait)
}

func (c *Client) pause(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := c.cfg.Now().Add(d); until.After(c.pausedUntil) {
		c.pausedUntil = until
	}
}

func (c *Client) try(ctx context.Context, body []byte) ([]byte, *failure) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cfg.URL, bytes.NewReader(body))
	if err != nil {
		return nil, &failure{err: Errorf(Refused, nil, "the address of %s is not valid", c.cfg.Name)}
	}
	req.Header.Set("Content-Type", "application/json")
	if c.cfg.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.cfg.Key)
	}
	res, err := c.cfg.Client.Do(req)
	if err != nil {
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err // without the address, which may hold a credential
		}
		return nil, &failure{err: Errorf(Unreachable, err, "%s can't be reached", c.cfg.Name), again: true}
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, res.Body, maxFailureBytes)
		return nil, c.refusal(res)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, c.cfg.MaxAnswer+1))
	if err != nil {
		return nil, &failure{err: Errorf(Unreachable, err, "the answer of %s broke off", c.cfg.Name), again: true}
	}
	if int64(len(raw)) > c.cfg.MaxAnswer {
		return nil, &failure{err: Errorf(BadAnswer, nil, "the answer of %s is larger than %d bytes", c.cfg.Name, c.cfg.MaxAnswer)}
	}
	return raw, nil
}

// refusal sorts a status: what can pass (429, 408, 5xx) from what can't (key, credit, model, request).
func (c *Client) refusal(res *http.Response) *failure {
	status := res.StatusCode
	passing := status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= http.StatusInternalServerError
	if !passing {
		return &failure{err: Errorf(Refused, nil, "%s refuses (status %d): %s", c.cfg.Name, status, c.hint(status))}
	}
	f := &failure{again: true, wait: retryAfter(res.Header.Get("Retry-After"), c.cfg.Now())}
	if f.wait > 0 {
		c.pause(f.wait)
	}
	reason := Unreachable
	if status == http.StatusTooManyRequests {
		reason = RateLimited
	}
	f.err = Errorf(reason, nil, "%s failed (status %d)", c.cfg.Name, status)
	return f
}

func (c *Client) hint(status int) string {
	switch hint, said := c.cfg.Hints[status]; {
	case said:
		return hint
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "check its key"
	case status == http.StatusPaymentRequired:
		return "check its account"
	case status == http.StatusNotFound:
		return "check its address and the model's name"
	}
	return cmp.Or(c.cfg.Hints[0], "check its settings")
}

// retryAfter reads the header's two forms, seconds and an HTTP date; 0 when it is absent or past.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 && seconds < math.MaxInt32 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
