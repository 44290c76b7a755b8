package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"wiki/core/events"
	"wiki/core/wiki"
	"wiki/server/api"
)

// streamEvents sends what changes in the tenant as server-sent events. Last-Event-ID goes on after that event; without it
// the stream starts with what happens from now on. The stream polls the outbox: a read over an index, a few times a second,
// that works the same behind a pooler, where LISTEN does not. It ends when the caller leaves, the key ends or the server
// stops; the caller then comes back with the last id it saw.
func (s *Server) streamEvents(q *request) (*answer, error) {
	ctx := q.Context()
	cursor, err := s.startCursor(ctx, q)
	if err != nil {
		return nil, err
	}
	out := newStream(q.w)
	if err := out.begin(); err != nil {
		return nil, nil // the caller is gone, nothing is left to answer
	}
	ctx, cancel := untilExpiry(ctx, q.identity().ExpiresAt)
	defer cancel()
	poll := time.NewTicker(s.settings.EventPoll)
	defer poll.Stop()
	asked := time.Now() // whether the key may listen
	for {
		batch, err := s.core.Events.Since(ctx, q.actor, cursor)
		if err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "an event stream could not read", "request_id", requestID(ctx), "error", err)
			return nil, nil
		}
		for _, e := range batch {
			cursor = e.Cursor
			if hidden(q.actor, e) {
				continue
			}
			if out.event(e) != nil {
				return nil, nil
			}
		}
		if out.idle() >= s.settings.EventHeartbeat && out.heartbeat() != nil {
			return nil, nil
		}
		if time.Since(asked) >= s.settings.EventHeartbeat {
			if s.stillValid(ctx, q) != nil {
				return nil, nil
			}
			asked = time.Now()
		}
		if len(batch) == events.MaxBatch {
			continue
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return nil, nil
		case <-s.stopping:
			return nil, nil
		}
	}
}

// hidden says whether an event is about an article that not every key of the tenant may know of.
func hidden(actor wiki.Actor, e events.Event) bool {
	private, _ := e.Payload["private"].(bool)
	return private && actor.Role < wiki.RoleUser
}

// stillValid asks again whether the key may listen: it may have been revoked since the stream began.
func (s *Server) stillValid(ctx context.Context, q *request) error {
	_, err := s.authenticate(q.WithContext(ctx))
	return err
}

// startCursor is where the stream begins.
func (s *Server) startCursor(ctx context.Context, q *request) (events.Cursor, error) {
	p := q.params()
	last := p.text("last_event_id", maxCursorBytes) // for callers that cannot set headers
	if p.err != nil {
		return events.Cursor{}, p.err
	}
	field := "last_event_id"
	if header := q.Header.Get(api.HeaderLastEventID); header != "" {
		last, field = header, api.HeaderLastEventID
	}
	if last == "" {
		return s.core.Events.Last(ctx, q.actor)
	}
	c, err := events.ParseCursor(last)
	if err == nil {
		err = s.core.Events.Check(ctx, q.actor, c)
	}
	var coded *wiki.Error
	if errors.As(err, &coded) && coded.Code == wiki.CodeInvalid {
		e := *coded // what is wrong is a parameter or a header, not a field of a body
		e.Code, e.Field = wiki.CodeInvalidParameter, field
		return events.Cursor{}, &e
	}
	return c, err
}

// untilExpiry ends a context when the key does.
func untilExpiry(ctx context.Context, at *time.Time) (context.Context, context.CancelFunc) {
	if at == nil {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, *at)
}

// stream writes server-sent events.
type stream struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	last time.Time
}

func newStream(w http.ResponseWriter) *stream {
	return &stream{w: w, rc: http.NewResponseController(w), last: time.Now()}
}

// begin sends the header and a first heartbeat, so that the caller knows at once that the link lives.
func (s *stream) begin() error {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	return s.heartbeat()
}

func (s *stream) heartbeat() error { return s.write(": beat\n\n") }

func (s *stream) event(e events.Event) error {
	wire := api.Event{ID: e.Cursor.String(), Kind: e.Kind, At: e.At}
	if e.Subject != uuid.Nil {
		wire.Subject = &e.Subject
	}
	var err error
	if wire.Payload, err = json.Marshal(e.Payload); err != nil {
		return err
	}
	data, err := json.Marshal(wire) // one line: JSON escapes line breaks
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", wire.ID, wire.Kind, data))
}

// write sends a piece at once, and gives up on a caller that does not take it.
func (s *stream) write(text string) error {
	_ = s.rc.SetWriteDeadline(time.Now().Add(writeTimeout)) // a recorder has none
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	s.last = time.Now()
	return s.rc.Flush()
}

func (s *stream) idle() time.Duration { return time.Since(s.last) }
