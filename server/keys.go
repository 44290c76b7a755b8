package server

import (
	"time"

	"wiki/core/access"
	"wiki/core/wiki"
	"wiki/server/api"
)

func (s *Server) listKeys(q *request) (*answer, error) {
	keys, err := s.core.Access.ListKeys(q.Context(), q.actor)
	if err != nil {
		return nil, err
	}
	return ok(all(keys, keyView)), nil
}

func (s *Server) createKey(q *request) (*answer, error) {
	in, err := decode[api.NewKey](q)
	if err != nil {
		return nil, err
	}
	role, err := wiki.ParseRole(in.Role)
	if err != nil {
		return nil, err
	}
	lifetime, err := seconds("expires_in", in.ExpiresIn)
	if err != nil {
		return nil, err
	}
	key, err := s.core.Access.CreateKey(q.Context(), q.actor, access.NewKey{Name: in.Name, Role: role, AgentID: in.AgentID, Lifetime: lifetime})
	if err != nil {
		return nil, err
	}
	return created(keyView(key)), nil
}

func (s *Server) revokeKey(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	return noContent(), s.core.Access.RevokeKey(q.Context(), q.actor, id)
}

func (s *Server) rotateKey(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	in, err := decodeOptional[api.RotateKey](q)
	if err != nil {
		return nil, err
	}
	var grace *time.Duration
	if in.GraceHours != nil {
		d, err := span("grace_hours", *in.GraceHours, time.Hour)
		if err != nil {
			return nil, err
		}
		grace = &d
	}
	key, err := s.core.Access.RotateKey(q.Context(), q.actor, id, grace)
	if err != nil {
		return nil, err
	}
	return created(keyView(key)), nil
}

func keyView(k access.Key) api.Key {
	return api.Key{
		ID: k.ID, Name: k.Name, Prefix: k.Prefix, Role: k.Role.String(), AgentID: k.AgentID, ExpiresAt: k.ExpiresAt,
		RevokedAt: k.RevokedAt, LastUsed: k.LastUsedAt, CreatedAt: k.InsertedAt, Secret: k.Secret,
	}
}

// maxSpan is beyond every limit that the core sets, and far from where a duration overflows.
const maxSpan = 100 * 365 * 24 * time.Hour

// seconds turns a count of seconds into a duration. The error is CodeInvalid.
func seconds(field string, n int) (time.Duration, error) { return span(field, n, time.Second) }

func span(field string, n int, unit time.Duration) (time.Duration, error) {
	if n < 0 || int64(n) > int64(maxSpan/unit) {
		return 0, wiki.Invalid(field, "%s is out of range", field)
	}
	return time.Duration(n) * unit, nil
}

// all applies a view to a list; the result is never nil, so that an empty list is [] and not null.
func all[T, V any](list []T, view func(T) V) []V {
	out := make([]V, len(list))
	for i, v := range list {
		out[i] = view(v)
	}
	return out
}
