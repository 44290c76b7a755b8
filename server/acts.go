package server

import (
	"github.com/google/uuid"

	"wiki/server/api"
)

// act is what a verb on one thing takes: which, why, and under what idempotency key.
type act struct {
	id     uuid.UUID
	reason string
	key    string
}

// act reads a verb's input; the body, with its reason, may be absent.
func (q *request) act() (act, error) {
	id, err := q.pathID("id")
	if err != nil {
		return act{}, err
	}
	key, err := q.actKey()
	if err != nil {
		return act{}, err
	}
	in, err := decodeOptional[api.Reason](q)
	return act{id: id, reason: in.Reason, key: key}, err
}

func (s *Server) publishArticle(q *request) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return changed(s.core.Record.Publish(q.Context(), q.actor, in.id, in.key))
}

func (s *Server) unpublishArticle(q *request) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return changed(s.core.Record.Unpublish(q.Context(), q.actor, in.id, in.reason, in.key))
}

func (s *Server) archiveArticle(q *request) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return changed(s.core.Record.Archive(q.Context(), q.actor, in.id, in.reason, in.key))
}

func (s *Server) deleteArticle(q *request) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return changed(s.core.Record.Delete(q.Context(), q.actor, in.id, in.reason, in.key))
}

func (s *Server) suppressArticle(q *request) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return changed(s.core.Record.Suppress(q.Context(), q.actor, in.id, in.reason, in.key))
}

func (s *Server) unsuppressArticle(q *request) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return changed(s.core.Record.Unsuppress(q.Context(), q.actor, in.id, in.reason, in.key))
}

func (s *Server) curateArticle(q *request) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return changed(s.core.Record.Curate(q.Context(), q.actor, in.id, in.reason, in.key))
}

func (s *Server) uncurateArticle(q *request) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return changed(s.core.Record.Uncurate(q.Context(), q.actor, in.id, in.reason, in.key))
}
