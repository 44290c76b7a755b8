package server

import (
	"wiki/core/access"
	"wiki/core/wiki"
	"wiki/server/api"
)

func (s *Server) listDispatches(q *request) (*answer, error) {
	list, err := s.core.Access.ListDispatches(q.Context(), q.actor)
	if err != nil {
		return nil, err
	}
	return ok(all(list, dispatchView)), nil
}

func (s *Server) mintDispatch(q *request) (*answer, error) {
	in, err := decode[api.NewDispatch](q)
	if err != nil {
		return nil, err
	}
	role, err := wiki.ParseRole(in.Role)
	if err != nil {
		return nil, err
	}
	lifetime, err := seconds("lifetime_seconds", in.TTL)
	if err != nil {
		return nil, err
	}
	d, err := s.core.Access.MintDispatch(q.Context(), q.actor, access.NewDispatch{AgentID: in.AgentID, Role: role, Lifetime: lifetime})
	if err != nil {
		return nil, err
	}
	return created(dispatchView(d)), nil
}

func (s *Server) revokeDispatch(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	return noContent(), s.core.Access.RevokeDispatch(q.Context(), q.actor, id)
}

func dispatchView(d access.Dispatch) api.Dispatch {
	return api.Dispatch{
		ID: d.ID, ParentID: d.Parent, AgentID: d.AgentID, Role: d.Role.String(), Lineage: d.Lineage,
		ExpiresAt: d.ExpiresAt, RevokedAt: d.RevokedAt, CreatedAt: d.InsertedAt, Secret: d.Secret,
	}
}
