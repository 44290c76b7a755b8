package server

import (
	"context"
	"net/http"
	"strings"

	"wiki/core/access"
	"wiki/core/wiki"
)

const identityKey contextKey = iota + 100

// bearer takes the key from the Authorization header. The error is CodeKeyMissing.
func bearer(r *http.Request) (string, error) {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	key = strings.TrimSpace(key)
	if !strings.EqualFold(scheme, "Bearer") || key == "" {
		e := wiki.Errorf(wiki.CodeKeyMissing, "the request has no key")
		e.Remedy = "send the header Authorization: Bearer wk_..."
		return "", e
	}
	return key, nil
}

// authenticate resolves the key to who acts. Scope comes from here and from nowhere else (SPEC §1).
func (s *Server) authenticate(r *http.Request) (access.Identity, error) {
	key, err := bearer(r)
	if err != nil {
		return access.Identity{}, err
	}
	id, err := s.core.Access.Enter(r.Context(), key, access.Rates{PerKey: s.settings.RatePerKey, TenantKeys: s.settings.RateTenantKeys})
	if err != nil {
		return access.Identity{}, err
	}
	n := noteOf(r.Context())
	n.principal, n.tenant = id.Actor.Principal(), id.Actor.Tenant.String()
	return id, nil
}

func withIdentity(ctx context.Context, id access.Identity) context.Context {
	return context.WithValue(ctx, identityKey, id)
}

// identity is the resolved key of a request that passed authenticate.
func (q *request) identity() access.Identity {
	id, _ := q.Context().Value(identityKey).(access.Identity)
	return id
}
