package tui

import (
	"context"

	"wiki/tui/outbox"
)

// Leave gives back what the session holds on the server. It is called after the program has ended; what fails is let go:
// a lease ends by itself.
func (m *Model) Leave(ctx context.Context) {
	if id := m.pair.Held(); id != "" && m.cfg.Remote != nil && m.link.Up() {
		_ = m.cfg.Remote.Release(ctx, id)
	}
	if m.stream.open != nil {
		m.stream.open.Close()
	}
}

// NoActs is the outbox of a workbench without a server: nothing can be done in it.
type NoActs struct{}

// Add drops the act: no screen is shown on which there is one.
func (NoActs) Add(outbox.Act) {}

// Pending has nothing to give.
func (NoActs) Pending() []outbox.Act { return nil }

// Kick does nothing.
func (NoActs) Kick() {}

// Next waits for the context.
func (NoActs) Next(ctx context.Context) (outbox.Event, error) {
	<-ctx.Done()
	return outbox.Event{}, ctx.Err()
}
