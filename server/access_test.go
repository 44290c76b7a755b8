package server_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/access"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
	"wiki/server/client"
)

func TestKeysThatOpenNothing(t *testing.T) {
	t.Parallel()
	w := start(t)
	const whoami = "GET /api/v1/whoami"
	r := w.send(whoami, "", "")
	require.Equal(t, string(wiki.CodeKeyMissing), r.failure(t).Code)
	require.Contains(t, r.Header.Get("WWW-Authenticate"), "Bearer")
	for _, key := range []string{"nonsense", "wk_" + strings.Repeat("a", 40), "wk_" + strings.Repeat("é", 20)} {
		require.Equal(t, string(wiki.CodeUnauthorized), w.send(whoami, key, "").failure(t).Code)
	}
	require.Equal(t, string(wiki.CodeKeyMissing), w.send(whoami, "", "", "Authorization: Basic "+w.keys[wiki.RoleUser]).failure(t).Code)

	require.NoError(t, w.core.Access.SuspendTenant(t.Context(), access.Operator(uuid.Nil), w.tenant, true))
	r = w.send(whoami, w.keys[wiki.RoleUser], "")
	require.Equal(t, http.StatusForbidden, r.StatusCode)
	require.Equal(t, string(wiki.CodeTenantSuspended), r.failure(t).Code)
}

func TestKeyLife(t *testing.T) {
	t.Parallel()
	w := start(t)
	user := w.as(wiki.RoleUser)
	made, err := user.CreateKey(t.Context(), api.NewKey{Name: "bot", Role: "agent", AgentID: "bot"})
	require.NoError(t, err)
	who, err := w.client(made.Secret).Whoami(t.Context())
	require.NoError(t, err)
	require.Equal(t, "bot", who.Principal)
	require.Equal(t, "acme", who.Tenant)
	require.Equal(t, api.Version, who.APIVersion)

	next, err := user.RotateKey(t.Context(), made.ID, api.RotateKey{})
	require.NoError(t, err)
	for _, secret := range []string{made.Secret, next.Secret} { // the grace period
		_, err = w.client(secret).Whoami(t.Context())
		require.NoError(t, err)
	}
	require.NoError(t, user.RevokeKey(t.Context(), next.ID))
	_, err = w.client(next.Secret).Whoami(t.Context())
	require.Equal(t, wiki.CodeUnauthorized, wiki.ErrorCode(err))

	keys, err := user.Keys(t.Context())
	require.NoError(t, err)
	for _, k := range keys {
		require.Empty(t, k.Secret)
	}
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(user.RevokeKey(t.Context(), uuid.New())))
}

func TestDispatchLife(t *testing.T) {
	t.Parallel()
	w := start(t)
	parent, err := w.as(wiki.RoleOrchestrator).Dispatch(t.Context(), api.NewDispatch{Role: "orchestrator"})
	require.NoError(t, err)
	child, err := w.client(parent.Secret).Dispatch(t.Context(), api.NewDispatch{Role: "agent", TTL: 60})
	require.NoError(t, err)
	require.Equal(t, parent.ID, *child.ParentID)
	_, err = w.client(child.Secret).Dispatch(t.Context(), api.NewDispatch{Role: "user"})
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err))
	_, err = w.client(child.Secret).Dispatch(t.Context(), api.NewDispatch{Role: "agent", TTL: 59})
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
	require.NoError(t, w.as(wiki.RoleUser).RevokeDispatch(t.Context(), parent.ID))
	_, err = w.client(child.Secret).Whoami(t.Context())
	require.Equal(t, wiki.CodeUnauthorized, wiki.ErrorCode(err))
}

func TestRatesPerKeyAndPerTenant(t *testing.T) {
	t.Parallel()
	still := time.Date(2026, 12, 1, 12, 0, 30, 0, time.UTC)
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), Now: func() time.Time { return still }})
	w := startOn(t, db, func(s *server.Settings) { s.RatePerKey, s.RateTenantKeys = 4, 2 })
	spend := func(role wiki.Role) (allowed int, last reply) {
		for range 6 {
			if last = w.send("GET /api/v1/whoami", w.keys[role], ""); last.StatusCode != http.StatusOK {
				break
			}
			allowed++
		}
		return allowed, last
	}
	allowed, last := spend(wiki.RoleAgent)
	require.Equal(t, 4, allowed)
	require.Equal(t, string(wiki.CodeRateLimited), last.failure(t).Code)
	wait, err := strconv.Atoi(last.Header.Get("Retry-After"))
	require.NoError(t, err)
	require.True(t, 0 < wait && wait <= 60, wait)
	require.Equal(t, "4", last.Header.Get("X-RateLimit-Limit"))
	require.Equal(t, "0", last.Header.Get("X-RateLimit-Remaining"))
	require.NotEmpty(t, last.Header.Get("X-RateLimit-Reset"))
	allowed, _ = spend(wiki.RoleOrchestrator)
	require.Equal(t, 4, allowed)
	allowed, last = spend(wiki.RoleUser) // the tenant's eight are spent
	require.Zero(t, allowed)
	require.Equal(t, string(wiki.CodeRateLimited), last.failure(t).Code)
}

func TestAuditIsPagedAndPersonal(t *testing.T) {
	t.Parallel()
	w := start(t)
	user := w.as(wiki.RoleUser)
	for _, name := range []string{"a", "b", "c"} {
		_, err := user.CreateKey(t.Context(), api.NewKey{Name: name, Role: "agent"})
		require.NoError(t, err)
	}
	seen := 0
	q := api.AuditQuery{Act: "key.create", Principal: "acme-user", Limit: 2}
	for {
		page, meta, err := user.Audit(t.Context(), q)
		require.NoError(t, err)
		seen += len(page)
		if meta.NextCursor == "" {
			break
		}
		q.Cursor = meta.NextCursor
	}
	require.Equal(t, 3, seen)
	page, _, err := w.as(wiki.RoleAgent).Audit(t.Context(), api.AuditQuery{})
	require.NoError(t, err)
	require.Empty(t, page)
}

// The log names an article as it is called now, and only to those who see it.
func TestAuditNamesArticles(t *testing.T) {
	t.Parallel()
	w := start(t)
	agent, user := w.as(wiki.RoleAgent), w.as(wiki.RoleUser)
	made, err := agent.Propose(t.Context(), api.Proposal{Title: "Gateway port", Body: []byte(`"It is 8080."`), Category: "reference"})
	require.NoError(t, err)
	id := made.Article.ID
	titles := func(c *client.Client) []string {
		entries, _, err := c.Audit(t.Context(), api.AuditQuery{Principal: "acme-agent", Subject: &id})
		require.NoError(t, err)
		require.Len(t, entries, 1)
		return []string{entries[0].Act, entries[0].Title}
	}
	require.Equal(t, []string{"article.create", "Gateway port"}, titles(agent))
	renamed := "Port of the gateway"
	_, err = user.Update(t.Context(), id, 0, api.ArticlePatch{Title: &renamed}, "")
	require.NoError(t, err)
	require.Equal(t, []string{"article.create", renamed}, titles(agent))
	_, err = user.Update(t.Context(), id, 0, api.ArticlePatch{Metadata: []byte(`{"agent_id":"somebody","visibility":"private"}`)}, "")
	require.NoError(t, err)
	require.Equal(t, []string{"article.create", ""}, titles(agent), "it sees the article no more")
	require.Equal(t, []string{"article.create", renamed}, titles(user))
}

func TestAuditNamesBothSidesOfAConflict(t *testing.T) {
	t.Parallel()
	w := start(t)
	agent, user := w.as(wiki.RoleAgent), w.as(wiki.RoleUser)
	var ids []uuid.UUID
	for _, title := range []string{"Gateway port", "Mail relay"} {
		made, err := agent.Propose(t.Context(), api.Proposal{Title: title, Body: []byte(`"About the ` + title + `."`), Category: "reference", Force: true})
		require.NoError(t, err)
		ids = append(ids, made.Article.ID)
	}
	_, err := agent.Assert(t.Context(), api.NewAssertion{FirstID: ids[0], SecondID: ids[1], Evidence: "they disagree"}, "")
	require.NoError(t, err)
	title := func() string {
		entries, _, err := agent.Audit(t.Context(), api.AuditQuery{Act: "conflict.assert"})
		require.NoError(t, err)
		require.Len(t, entries, 1)
		return entries[0].Title
	}
	require.Contains(t, []string{"Gateway port / Mail relay", "Mail relay / Gateway port"}, title())
	_, err = user.Update(t.Context(), ids[1], 0, api.ArticlePatch{Metadata: []byte(`{"agent_id":"somebody","visibility":"private"}`)}, "")
	require.NoError(t, err)
	require.Empty(t, title(), "one of two alone is not named")
}
