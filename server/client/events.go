package client

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"wiki/core/wiki"
	"wiki/server/api"
)

// StreamIdle is how long a stream may be silent before it counts as broken. The server sends a heartbeat far more often.
const StreamIdle = 45 * time.Second

// maxEventBytes bounds one line of the stream.
const maxEventBytes = 1 << 20

// Stream is an open event stream. It belongs to one goroutine; Close may be called from another.
type Stream struct {
	ended  func() error // the caller's context's end
	cancel context.CancelFunc
	resp   *http.Response
	lines  *bufio.Scanner
	client *Client
}

// Events opens the event stream. after is the id of the last event seen: later ones are sent first, so that none is lost
// between two connections; empty starts with what happens from now on.
func (c *Client) Events(ctx context.Context, after string) (*Stream, error) {
	ended := ctx.Err
	ctx, cancel := context.WithCancel(ctx)
	req, err := c.request(ctx, call{method: http.MethodGet, path: apiPrefix + "/events"})
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	if after != "" {
		req.Header.Set(api.HeaderLastEventID, after)
	}
	idle := time.AfterFunc(c.timeout, cancel) // bounds the connection only
	resp, err := c.http.Do(req)
	if !idle.Stop() && err == nil {
		_ = resp.Body.Close()
		err = context.DeadlineExceeded
	}
	if err != nil {
		defer cancel()
		return nil, c.transportError(ended(), err)
	}
	if resp.StatusCode != http.StatusOK {
		defer cancel()
		return nil, drainFailure(resp)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, 4096), maxEventBytes)
	return &Stream{ended: ended, cancel: cancel, resp: resp, lines: lines, client: c}, nil
}

// Next waits for the next event. An event with an empty Kind is a heartbeat: the link lives. Any error ends the stream:
// open a new one after the id of the last event, and read again what is on the screen.
func (s *Stream) Next() (api.Event, error) {
	idle := time.AfterFunc(StreamIdle, s.cancel)
	defer idle.Stop()
	var data strings.Builder
	for s.lines.Scan() {
		line := s.lines.Text()
		switch {
		case strings.HasPrefix(line, ":"):
			return api.Event{}, nil
		case strings.HasPrefix(line, "data:"):
			data.WriteString(strings.TrimPrefix(line, "data:"))
		case line == "" && data.Len() > 0:
			var e api.Event
			if err := json.Unmarshal([]byte(data.String()), &e); err != nil {
				return api.Event{}, s.client.notOurs(s.resp, err)
			}
			return e, nil
		}
	}
	if err := s.lines.Err(); err != nil {
		return api.Event{}, s.client.transportError(s.ended(), err)
	}
	return api.Event{}, &wiki.Error{Code: wiki.CodeUnavailable, Message: "the server ended the event stream", Remedy: "open it again"}
}

// Close ends the stream; a Next that waits returns an error.
func (s *Stream) Close() {
	s.cancel()
	_ = s.resp.Body.Close()
}
