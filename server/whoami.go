package server

import "wiki/server/api"

func (s *Server) whoami(q *request) (*answer, error) {
	id := q.identity()
	return ok(api.Whoami{
		Tenant: id.TenantSlug, TenantID: id.Actor.Tenant, Principal: id.Actor.Principal(), Role: id.Actor.Role.String(),
		KeyPrefix: id.KeyPrefix, ExpiresAt: id.ExpiresAt, ServerTime: id.Now, APIVersion: api.Version,
	}), nil
}
