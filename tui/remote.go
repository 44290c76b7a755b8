package tui

import (
	"context"

	"wiki/server/api"
	"wiki/server/client"
	"wiki/tui/conflicts"
	"wiki/tui/outbox"
	"wiki/tui/pair"
)

// Remote is what the root and its screens ask of the server.
type Remote interface {
	conflicts.Source
	pair.Source
	Whoami(ctx context.Context) (api.Whoami, error)
	Audit(ctx context.Context, q api.AuditQuery) ([]api.AuditEntry, api.Meta, error)
	Verdicts(ctx context.Context, q api.VerdictQuery) ([]api.Verdict, api.Meta, error)
	// Stream opens the event stream after an event; "" starts with what happens from now on.
	Stream(ctx context.Context, after string) (Stream, error)
}

// Stream is an open event stream.
type Stream interface {
	Next() (api.Event, error)
	Close()
}

// Acts is what the root asks of the outbox.
type Acts interface {
	Add(a outbox.Act)
	Next(ctx context.Context) (outbox.Event, error)
	Pending() []outbox.Act
	Kick()
}

// FromClient makes a Remote of the Go client.
func FromClient(c *client.Client) Remote { return remote{c} }

type remote struct{ *client.Client }

func (r remote) Stream(ctx context.Context, after string) (Stream, error) {
	s, err := r.Events(ctx, after)
	if err != nil {
		return nil, err
	}
	return s, nil
}
