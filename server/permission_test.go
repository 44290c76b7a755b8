package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server"
)

// leastRoles is SPEC §1's table, route by route. It is written by hand on purpose: a route that is missing here, or that
// asks for another role, fails the test.
var leastRoles = map[string]wiki.Role{
	"GET /whoami":             wiki.RoleAgent,
	"GET /keys":               wiki.RoleUser,
	"POST /keys":              wiki.RoleUser,
	"DELETE /keys/{id}":       wiki.RoleUser,
	"POST /keys/{id}/rotate":  wiki.RoleUser,
	"GET /dispatches":         wiki.RoleAgent,
	"POST /dispatches":        wiki.RoleAgent,
	"DELETE /dispatches/{id}": wiki.RoleAgent,

	"GET /articles":                            wiki.RoleAgent,
	"POST /articles":                           wiki.RoleAgent,
	"GET /articles/{id}":                       wiki.RoleAgent,
	"PATCH /articles/{id}":                     wiki.RoleAgent,
	"PUT /articles/{id}":                       wiki.RoleAgent,
	"DELETE /articles/{id}":                    wiki.RoleAgent,
	"POST /articles/{id}/publish":              wiki.RoleOrchestrator,
	"POST /articles/{id}/unpublish":            wiki.RoleUser,
	"POST /articles/{id}/archive":              wiki.RoleAgent,
	"POST /articles/{id}/suppress":             wiki.RoleAgent,
	"POST /articles/{id}/unsuppress":           wiki.RoleAgent,
	"GET /articles/{id}/links":                 wiki.RoleAgent,
	"GET /articles/{id}/versions":              wiki.RoleAgent,
	"GET /articles/{id}/versions/{n}":          wiki.RoleAgent,
	"GET /articles/{id}/versions/diff":         wiki.RoleAgent,
	"POST /articles/{id}/versions/{n}/restore": wiki.RoleAgent,
	"POST /article_links":                      wiki.RoleAgent,
	"DELETE /article_links/{id}":               wiki.RoleUser,

	"GET /knowledge/search":         wiki.RoleAgent,
	"POST /knowledge/hybrid_search": wiki.RoleAgent,
	"GET /knowledge/stats":          wiki.RoleAgent,

	"GET /knowledge/conflicts":                         wiki.RoleAgent,
	"POST /knowledge/conflicts":                        wiki.RoleAgent,
	"GET /knowledge/conflicts/{pair}":                  wiki.RoleAgent,
	"POST /knowledge/conflicts/{pair}/claim":           wiki.RoleAgent,
	"DELETE /knowledge/conflicts/{pair}/claim":         wiki.RoleAgent,
	"POST /knowledge/conflicts/resolve":                wiki.RoleAgent,
	"POST /knowledge/conflicts/execute":                wiki.RoleUser,
	"GET /knowledge/conflicts/verdicts":                wiki.RoleAgent,
	"POST /knowledge/conflicts/verdicts/{id}/withdraw": wiki.RoleAgent,
	"POST /knowledge/conflicts/verdicts/{id}/revert":   wiki.RoleUser,

	"GET /knowledge/drift":               wiki.RoleAgent,
	"POST /knowledge/drift/{id}/adopt":   wiki.RoleAgent,
	"POST /knowledge/drift/{id}/dismiss": wiki.RoleAgent,

	"GET /audit":  wiki.RoleAgent,
	"GET /events": wiki.RoleAgent,
}

func TestEveryRouteAsksForItsRole(t *testing.T) {
	t.Parallel()
	w := start(t)
	var listed []string
	for route := range leastRoles {
		listed = append(listed, route)
	}
	require.ElementsMatch(t, listed, server.Routes())
	ids := strings.NewReplacer("{id}", uuid.NewString(), "{n}", "1", "{pair}", uuid.NewString()+"."+uuid.NewString())
	for _, route := range server.Routes() {
		method, path, _ := strings.Cut(route, " ")
		call := method + " /api/v1" + ids.Replace(path)
		body := ""
		if slices.Contains([]string{"POST", "PATCH", "PUT"}, method) {
			body = "{}"
		}
		require.Equal(t, string(wiki.CodeKeyMissing), w.send(call, "", body).failure(t).Code, route)
		if route == "GET /events" {
			continue // it answers without an end; its own tests listen to it
		}
		for _, role := range []wiki.Role{wiki.RoleAgent, wiki.RoleOrchestrator, wiki.RoleUser} {
			r := w.send(call, w.keys[role], body)
			require.Less(t, r.StatusCode, http.StatusInternalServerError, "%s as %s: %s", route, role, r.body)
			if role < leastRoles[route] {
				require.Equal(t, http.StatusForbidden, r.StatusCode, "%s as %s: %s", route, role, r.body)
				require.Equal(t, string(wiki.CodeForbidden), r.failure(t).Code)
			} else {
				require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, r.StatusCode, "%s as %s: %s", route, role, r.body)
			}
		}
	}
}
