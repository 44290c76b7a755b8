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

// enter gives who acts and counts the call against the key's rate. A call that another one makes inside the server (see
// inside) acts for whoever made that one.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) (access.Identity, error) {
	if id, entered := r.Context().Value(identityKey).(access.Identity); entered {
		noteActor(r.Context(), id.Actor)
		return id, nil
	}
	id, err := s.authenticate(r)
	if err != nil {
		return id, err
	}
	noteActor(r.Context(), id.Actor)
	if err = admit(w, id); err != nil {
		s.metrics.Limited(id.Calls.Over)
	}
	return id, err
}

// authenticate resolves the key to who acts. Scope comes from here and from nowhere else (SPEC §1).
func (s *Server) authenticate(r *http.Request) (access.Identity, error) {
	key, err := bearer(r)
	if err != nil {
		return access.Identity{}, err
	}
	return s.core.Access.Enter(r.Context(), key, access.Rates{PerKey: s.settings.RatePerKey, TenantKeys: s.settings.RateTenantKeys})
}

func withIdentity(ctx context.Context, id access.Identity) context.Context {
	return context.WithValue(ctx, identityKey, id)
}

// identity is the resolved key of a request that passed authenticate.
func (q *request) identity() access.Identity {
	id, _ := q.Context().Value(identityKey).(access.Identity)
	return id
}
