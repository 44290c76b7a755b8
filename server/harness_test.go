package server_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
	"wiki/server/client"
)

// world is one server over one database, with one tenant and a key of each role.
type world struct {
	tb     testing.TB
	core   *core.Core
	url    string
	inside string // the internal listener's
	tenant uuid.UUID
	keys   map[wiki.Role]string
}

// start brings a server up; change may alter its settings.
func start(tb testing.TB, change ...func(*server.Settings)) *world {
	tb.Helper()
	return startOn(tb, pgtest.New(tb), change...)
}

// startOn is start over a database of one's own.
func startOn(tb testing.TB, db *postgres.DB, change ...func(*server.Settings)) *world {
	tb.Helper()
	return startWith(tb, db, core.Config{}, change...)
}

// startWith is startOn with a core of one's own.
func startWith(tb testing.TB, db *postgres.DB, config core.Config, change ...func(*server.Settings)) *world {
	tb.Helper()
	log := slog.New(slog.DiscardHandler)
	if os.Getenv("WIKI_TEST_LOG") != "" {
		log = slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	config.Log = log
	c, err := core.New(tb.Context(), db, config)
	require.NoError(tb, err)
	settings := server.Settings{Version: "test", RatePerKey: -1, Log: log}
	for _, f := range change {
		f(&settings)
	}
	s := server.New(c, settings)
	srv, inside := httptest.NewServer(asDescribed(tb, s.Handler())), httptest.NewServer(s.Internal())
	tb.Cleanup(srv.Close)
	tb.Cleanup(inside.Close)
	w := &world{tb: tb, core: c, url: srv.URL, inside: inside.URL}
	w.tenant, w.keys = w.newTenant("acme")
	return w
}

// newTenant makes a tenant with a key of each role, and a superadmin's of none.
func (w *world) newTenant(slug string) (uuid.UUID, map[wiki.Role]string) {
	w.tb.Helper()
	ctx := w.tb.Context()
	tenant, err := w.core.Access.CreateTenant(ctx, access.Operator(uuid.Nil), access.NewTenant{Slug: slug, Name: slug})
	require.NoError(w.tb, err)
	keys := map[wiki.Role]string{}
	for _, role := range []wiki.Role{wiki.RoleAgent, wiki.RoleOrchestrator, wiki.RoleUser} {
		k, err := w.core.Access.CreateKey(ctx, access.Operator(tenant.ID), access.NewKey{Name: role.String(), Role: role, AgentID: slug + "-" + role.String()})
		require.NoError(w.tb, err)
		keys[role] = k.Secret
	}
	return tenant.ID, keys
}

// as gives a client with the tenant's key of a role.
func (w *world) as(role wiki.Role) *client.Client { return w.client(w.keys[role]) }

func (w *world) client(key string) *client.Client {
	w.tb.Helper()
	c, err := client.New(w.url, key)
	require.NoError(w.tb, err)
	return c
}

// reply is a raw answer.
type reply struct {
	*http.Response
	body string
}

// send makes a raw call: "GET /path", headers as "Name: value".
func (w *world) send(call, key, body string, headers ...string) reply {
	w.tb.Helper()
	method, path, _ := strings.Cut(call, " ")
	req, err := http.NewRequestWithContext(w.tb.Context(), method, w.url+path, strings.NewReader(body))
	require.NoError(w.tb, err)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(w.tb, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(w.tb, err)
	return reply{resp, string(raw)}
}

// failure reads the answer's error.
func (r reply) failure(tb testing.TB) api.Error {
	tb.Helper()
	var f api.Failure
	require.NoError(tb, json.Unmarshal([]byte(r.body), &f), r.body)
	require.Equal(tb, r.StatusCode, f.Error.Status, r.body)
	require.NotEmpty(tb, f.Error.Code, r.body)
	require.NotEmpty(tb, f.Error.Message, r.body)
	return f.Error
}
