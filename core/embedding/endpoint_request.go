package embedding

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Bounds on what the service may answer.
const (
	maxAnswerBytes  = 64 << 20 // 64 vectors of 3,072 numbers as text are about 4 MB
	maxFailureBytes = 64 << 10 // of an error's body: drained so that the connection is kept, never shown
)

type embeddingRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitempty"`
}

type embeddingAnswer struct {
	Data []struct {
		Index     *int     `json:"index"`
		Embedding []number `json:"embedding"`
	} `json:"data"`
}

// number is a float that may not be null: some services write NaN so, and the decoder would read a zero.
type number float64

func (n *number) UnmarshalJSON(raw []byte) error {
	x, err := strconv.ParseFloat(string(raw), 64)
	*n = number(x)
	return err
}

// failure is a failed try. The provider's own text stays out: it may quote the key or the input.
type failure struct {
	err   error
	again bool          // may pass: try again
	wait  time.Duration // the service said when; 0 = it didn't
}

// request embeds one batch, trying again when the failure may pass.
func (e *Endpoint) request(ctx context.Context, inputs []string) ([][]float32, error) {
	body, err := json.Marshal(embeddingRequest{Model: e.cfg.Model, Input: inputs, Dimensions: e.askedDims})
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	backoff := e.cfg.Backoff
	for try := 1; ; try++ {
		if err := e.waitForPause(ctx); err != nil {
			return nil, err
		}
		vectors, f := e.try(ctx, body, len(inputs))
		switch {
		case f == nil:
			return vectors, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !f.again || try == e.cfg.Attempts:
			return nil, f.err
		case f.wait > 0: // waited out above, by every caller
		default:
			if err := e.cfg.Sleep(ctx, backoff); err != nil {
				return nil, err
			}
			backoff *= 2
		}
	}
}

// waitForPause waits until the service may be called again, or fails at once when that is too far away.
func (e *Endpoint) waitForPause(ctx context.Context) error {
	e.mu.Lock()
	wait := e.pausedUntil.Sub(e.cfg.Now())
	e.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	deadline, bounded := ctx.Deadline()
	if wait > e.cfg.MaxWait || (bounded && wait > time.Until(deadline)) {
		err := down(ReasonRateLimited, nil, "the embedding provider asks to wait %s", wait.Round(time.Second))
		err.RetryAfter = wait
		return err
	}
	return e.cfg.Sleep(ctx, wait)
}

func (e *Endpoint) pause(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if until := e.cfg.Now().Add(d); until.After(e.pausedUntil) {
		e.pausedUntil = until
	}
}

func (e *Endpoint) try(ctx context.Context, body []byte, count int) ([][]float32, *failure) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.cfg.BaseURL+"/embeddings", bytes.NewReader(body))
	if err != nil {
		return nil, &failure{err: down(ReasonRefused, nil, "the embeddings endpoint's address is not valid")}
	}
	req.Header.Set("Content-Type", "application/json")
	if e.cfg.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.cfg.Key)
	}
	res, err := e.cfg.Client.Do(req)
	if err != nil {
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err // without the address, which may hold a credential
		}
		return nil, &failure{err: down(ReasonUnreachable, err, "the embedding provider can't be reached"), again: true}
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, res.Body, maxFailureBytes)
		return nil, e.refusal(res)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes+1))
	if err != nil {
		return nil, &failure{err: down(ReasonUnreachable, err, "the embedding provider's answer broke off"), again: true}
	}
	if len(raw) > maxAnswerBytes {
		return nil, &failure{err: down(ReasonBadAnswer, nil, "the embedding provider's answer is larger than %d bytes", maxAnswerBytes)}
	}
	vectors, err := e.read(raw, count)
	if err != nil {
		return nil, &failure{err: down(ReasonBadAnswer, err, "the embedding provider's answer can't be used")}
	}
	return vectors, nil
}

// refusal sorts a status: what can pass (429, 408, 5xx) from what can't (key, credit, model, request).
func (e *Endpoint) refusal(res *http.Response) *failure {
	status := res.StatusCode
	passing := status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= http.StatusInternalServerError
	if !passing {
		return &failure{err: down(ReasonRefused, nil, "the embedding provider refuses (status %d): %s", status, refusalHint(status))}
	}
	f := &failure{again: true, wait: retryAfter(res.Header.Get("Retry-After"), e.cfg.Now())}
	if f.wait > 0 {
		e.pause(f.wait)
	}
	reason := ReasonUnreachable
	if status == http.StatusTooManyRequests {
		reason = ReasonRateLimited
	}
	f.err = down(reason, nil, "the embedding provider failed (status %d)", status)
	return f
}

func refusalHint(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "check its key"
	case http.StatusPaymentRequired:
		return "check its account"
	case http.StatusNotFound:
		return "check its address and the model's name"
	case http.StatusRequestEntityTooLarge:
		return "set a smaller section or batch"
	default:
		return "check the model's name, dimensions and section length"
	}
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

// read takes the vectors out of an answer, by their index: services may answer in any order.
func (e *Endpoint) read(raw []byte, count int) ([][]float32, error) {
	var answer embeddingAnswer
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, errors.New("it is not the JSON of an embeddings answer") // the decoder's text may quote the answer
	}
	if len(answer.Data) != count {
		return nil, fmt.Errorf("%d vectors for %d texts", len(answer.Data), count)
	}
	vectors := make([][]float32, count)
	for place, item := range answer.Data {
		at := place
		if item.Index != nil {
			at = *item.Index
		}
		if at < 0 || at >= count || vectors[at] != nil {
			return nil, fmt.Errorf("index %d is out of range or there twice", at)
		}
		v, err := e.vector(item.Embedding)
		if err != nil {
			return nil, fmt.Errorf("vector %d: %w", at, err)
		}
		vectors[at] = v
	}
	return vectors, nil
}

// vector checks a vector and brings it to length 1.
func (e *Endpoint) vector(numbers []number) ([]float32, error) {
	if len(numbers) != e.model.Dims {
		return nil, fmt.Errorf("it has %d numbers, %s has %d", len(numbers), e.model.ID, e.model.Dims)
	}
	v := make([]float32, len(numbers))
	for i, x := range numbers {
		v[i] = float32(x)
	}
	if !normalise(v) {
		return nil, errors.New("it is zero or not finite")
	}
	return v, nil
}
