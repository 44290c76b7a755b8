package fake

import (
	"context"
	"sync"

	"wiki/core/wiki"
	"wiki/server/api"
)

// Stream is an event stream in memory.
type Stream struct {
	events chan api.Event
	once   sync.Once
}

// Events implements opening the event stream.
func (s *Server) Events(context.Context, string) (*Stream, error) {
	if err := s.begin("events"); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	st := &Stream{events: make(chan api.Event, 100)}
	s.streams = append(s.streams, st)
	return st, nil
}

// Emit sends an event to all open streams.
func (s *Server) Emit(e api.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.streams {
		st.events <- e
	}
}

// Break ends all streams, as a lost connection does.
func (s *Server) Break() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.streams {
		st.Close()
	}
	s.streams = nil
}

// Next waits for the next event.
func (st *Stream) Next() (api.Event, error) {
	e, open := <-st.events
	if !open {
		return api.Event{}, wiki.Errorf(wiki.CodeUnavailable, "the stream ended")
	}
	return e, nil
}

// Close ends the stream.
func (st *Stream) Close() { st.once.Do(func() { close(st.events) }) }
