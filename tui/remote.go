package tui

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/wiki"
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

// Judge is what delivering acts asks of the server; the Go client has it.
type Judge interface {
	Judge(ctx context.Context, v api.NewVerdict, actKey string) (api.Verdict, error)
	Withdraw(ctx context.Context, verdict uuid.UUID, actKey string) (api.Verdict, error)
	Revert(ctx context.Context, verdict uuid.UUID, actKey string) (api.Verdict, error)
	Execute(ctx context.Context, actKey string) (api.Executed, error)
}

// Deliver sends acts of the outbox to the server.
func Deliver(j Judge) outbox.Deliver {
	return func(ctx context.Context, a outbox.Act, verdict uuid.UUID) (outbox.Result, error) {
		var v api.Verdict
		var err error
		switch {
		case a.Kind == outbox.Judge && a.Verdict != nil:
			v, err = j.Judge(ctx, *a.Verdict, a.Key)
		case a.Kind == outbox.Withdraw:
			v, err = j.Withdraw(ctx, verdict, a.Key)
		case a.Kind == outbox.Revert:
			v, err = j.Revert(ctx, verdict, a.Key)
		case a.Kind == outbox.Execute:
			x, err := j.Execute(ctx, a.Key)
			return outbox.Result{Executed: &x}, err
		default:
			err = wiki.Errorf(wiki.CodeInvalid, "this release does not know the act %q", a.Kind)
		}
		return outbox.Result{Verdict: &v}, err
	}
}
