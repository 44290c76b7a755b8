package server_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
	"wiki/server"
)

// What balances load asks whether a server is ready: one that drains says no, is alive still, and can be watched.
func TestTheDrainCanBeWatched(t *testing.T) {
	t.Parallel()
	c, err := core.New(t.Context(), pgtest.New(t), core.Config{})
	require.NoError(t, err)
	tenant, err := c.Access.CreateTenant(t.Context(), access.Operator(uuid.Nil), access.NewTenant{Slug: "t", Name: "t"})
	require.NoError(t, err)
	key, err := c.Access.CreateKey(t.Context(), access.Operator(tenant.ID), access.NewKey{Name: "k", Role: wiki.RoleAgent})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	inside, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	srv := server.New(c, server.Settings{Log: slog.New(slog.DiscardHandler)})
	ctx, stop := context.WithCancel(t.Context())
	insideCtx, stopInside := context.WithCancel(t.Context())
	served, watched := make(chan error, 1), make(chan error, 1)
	go func() { served <- srv.Serve(ctx, l) }()
	go func() { watched <- srv.ServeInternal(insideCtx, inside) }()
	w := &world{tb: t, inside: "http://" + inside.Addr().String()}
	status, body := w.ask("/readyz")
	require.Equal(t, http.StatusOK, status, body)

	const whole = `{"title": "Tides", "category": "reference", "body": "The tide turns twice a day."}`
	slow, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer func() { _ = slow.Close() }()
	_, err = fmt.Fprintf(slow, "POST /api/v1/articles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", key.Secret, len(whole))
	require.NoError(t, err)
	asked := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	_, err = io.ReadFull(slow, asked) // the handler waits for the body
	require.NoError(t, err)
	stop()
	require.Eventually(t, func() bool { status, _ := w.ask("/readyz"); return status == http.StatusServiceUnavailable }, time.Minute, 5*time.Millisecond)
	for _, path := range []string{"/healthz", server.MetricsPath} {
		status, body = w.ask(path)
		require.Equal(t, http.StatusOK, status, body)
	}
	_, err = io.WriteString(slow, whole)
	require.NoError(t, err)
	answer, err := io.ReadAll(slow)
	require.NoError(t, err)
	require.Contains(t, string(answer), "201 Created")
	require.NoError(t, <-served)
	n, _ := w.scrape().value("wiki_gate_outcomes_total", "outcome=novel")
	require.InDelta(t, 1.0, n, 0, "what was drained is counted")
	stopInside()
	require.NoError(t, <-watched)
	require.Error(t, srv.ServeInternal(t.Context(), inside), "a listener that is closed has an error")
}
