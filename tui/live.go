package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/conflicts"
	"wiki/tui/screen"
)

// liveStream is the event stream: what makes another curator's act show by itself.
type liveStream struct {
	open       Stream
	last       string // id of the last event, to go on after it
	generation int    // of the connection: what an older one says is dropped
	waiting    bool   // the next attempt is due later
	resyncDue  bool
}

// streamOpened is a message: the stream is open, or could not be opened.
type streamOpened struct {
	generation int
	stream     Stream
	err        error
}

// Failure implements screen.Answer.
func (s streamOpened) Failure() error { return s.err }

// eventHeard is a message: an event or a heartbeat came, or the stream broke.
type eventHeard struct {
	generation int
	event      api.Event
	err        error
}

// Failure implements screen.Answer.
func (e eventHeard) Failure() error { return e.err }

// reconnectDue is a message: it is time to try the server again.
type reconnectDue struct{ generation int }

// resyncDue is a message: events have come, and what they are about is to be read.
type resyncDue struct{}

// settle is how long events are collected before the screens are read again: a bulk act makes many.
const settle = 150 * time.Millisecond

// openStream connects to the event stream.
func (m *Model) openStream() tea.Cmd {
	m.stream.generation++
	m.stream.waiting = false
	generation, after, remote := m.stream.generation, m.stream.last, m.cfg.Remote
	return m.env.Call(func(ctx context.Context) tea.Msg {
		s, err := remote.Stream(ctx, after)
		return streamOpened{generation: generation, stream: s, err: err}
	})
}

func (m *Model) heardStream(s streamOpened) tea.Cmd {
	switch {
	case s.generation != m.stream.generation:
		if s.stream != nil {
			s.stream.Close()
		}
		return nil
	case s.err != nil:
		if wiki.ErrorCode(s.err) == wiki.CodeInvalidParameter { // the place is one of another database: begin anew
			m.stream.last = ""
		}
		return m.retryLater()
	}
	m.stream.open = s.stream
	return tea.Batch(m.nextEvent(), m.resyncSoon()) // what happened before it was open is not in it
}

// nextEvent waits for the next event.
func (m *Model) nextEvent() tea.Cmd {
	generation, stream := m.stream.generation, m.stream.open
	return func() tea.Msg {
		e, err := stream.Next()
		return eventHeard{generation: generation, event: e, err: err}
	}
}

func (m *Model) heardEvent(h eventHeard) tea.Cmd {
	if h.generation != m.stream.generation {
		return nil
	}
	if h.err != nil {
		m.stream.open.Close()
		m.stream.open = nil
		return m.retryLater()
	}
	if h.event.ID != "" {
		m.stream.last = h.event.ID
	}
	if !concerns(h.event) {
		return m.nextEvent()
	}
	return tea.Batch(m.nextEvent(), m.resyncSoon())
}

// resyncSoon reads the screens again when what is happening has settled.
func (m *Model) resyncSoon() tea.Cmd {
	if m.stream.resyncDue {
		return nil
	}
	m.stream.resyncDue = true
	return m.env.After(settle, resyncDue{})
}

// concerns says whether an event changes something that is on a screen of the workbench.
func concerns(e api.Event) bool {
	for _, kind := range []string{"conflict", "article", "verdict", "claim", "drift", "proposal"} {
		if strings.HasPrefix(e.Kind, kind) {
			return true
		}
	}
	return false
}

// retryLater tries the server again after a wait that grows.
func (m *Model) retryLater() tea.Cmd {
	if m.stream.waiting {
		return nil
	}
	m.stream.waiting = true
	return m.env.After(m.link.Wait(), reconnectDue{generation: m.stream.generation})
}

func (m *Model) reconnect(r reconnectDue) tea.Cmd {
	if r.generation != m.stream.generation {
		return nil
	}
	if m.who.Tenant == "" { // never got in: the key and the version are still to be checked
		return tea.Batch(m.identify(), m.openStream())
	}
	return m.openStream()
}

// resync reads everything on screen again.
func (m *Model) resync() tea.Cmd {
	m.stream.resyncDue = false
	if m.cfg.Remote == nil {
		return nil
	}
	cmds := []tea.Cmd{m.queue.Refresh(), m.pair.Changed(), m.readLog()}
	for _, s := range m.order {
		cmds = append(cmds, s.Heard(screen.Resync{}))
	}
	return tea.Batch(cmds...)
}

// reached notes what a call said about the link. When it is up again after it was down, events were lost: everything on
// screen is read again, and the acts that wait are sent at once.
func (m *Model) reached(err error) tea.Cmd {
	now := m.cfg.Now()
	switch wiki.ErrorCode(err) {
	case wiki.CodeUnavailable:
		m.link.Failed(now, conflicts.Explain(err))
		return nil
	case wiki.CodeUnauthorized, wiki.CodeKeyMissing, wiki.CodeKeyExpired, wiki.CodeParentExpired, wiki.CodeTenantSuspended:
		m.link.Blocked(now, conflicts.Explain(err))
		return nil
	}
	if err != nil && m.ctx.Err() != nil {
		return nil
	}
	if !m.link.Answered(now) {
		return nil
	}
	m.cfg.Acts.Kick()
	cmds := []tea.Cmd{m.resync()}
	if m.stream.open == nil && !m.stream.waiting {
		cmds = append(cmds, m.openStream())
	}
	return tea.Batch(cmds...)
}
