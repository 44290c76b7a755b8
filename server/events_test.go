package server_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/events"
	"wiki/core/postgres"
	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
	"wiki/server/client"
)

func (w *world) emit(tenant uuid.UUID, kind string) {
	w.tb.Helper()
	w.emitWith(tenant, kind, map[string]any{"line": "a\nb"})
}

func (w *world) emitWith(tenant uuid.UUID, kind string, payload map[string]any) {
	w.tb.Helper()
	require.NoError(w.tb, w.core.DB.Tenant(w.tb.Context(), tenant, func(ctx context.Context, tx postgres.Tx) error {
		return events.Emit(ctx, tx, events.Event{Tenant: tenant, Kind: kind, Subject: uuid.New(), Payload: payload})
	}))
}

// next gives the stream's next event, heartbeats left out.
func next(t *testing.T, s *client.Stream) api.Event {
	t.Helper()
	for {
		e, err := s.Next()
		require.NoError(t, err)
		if e.Kind != "" {
			return e
		}
	}
}

func listen(t *testing.T, c *client.Client, after string) *client.Stream {
	t.Helper()
	s, err := c.Events(t.Context(), after)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	beat, err := s.Next() // the first heartbeat says that the stream stands
	require.NoError(t, err)
	require.Empty(t, beat.Kind)
	return s
}

func TestEventsArriveAndResume(t *testing.T) {
	t.Parallel()
	w := start(t)
	other, _ := w.newTenant("other")
	s := listen(t, w.as(wiki.RoleAgent), "")
	w.emit(other, "of.another")
	w.emit(w.tenant, "first")
	first := next(t, s)
	require.Equal(t, "first", first.Kind)
	require.JSONEq(t, `{"line":"a\nb"}`, string(first.Payload))
	require.NotNil(t, first.Subject)
	s.Close()

	w.emit(w.tenant, "second")
	w.emit(w.tenant, "third")
	s = listen(t, w.as(wiki.RoleAgent), first.ID)
	require.Equal(t, "second", next(t, s).Kind)
	require.Equal(t, "third", next(t, s).Kind)

	_, err := w.as(wiki.RoleAgent).Events(t.Context(), "nonsense")
	require.Equal(t, wiki.CodeInvalidParameter, wiki.ErrorCode(err))
}

// A cursor of another database, or of this one before a backup was restored, would be answered by silence.
func TestAnEventIDFromTheFutureIsRefused(t *testing.T) {
	t.Parallel()
	w := start(t)
	s := listen(t, w.as(wiki.RoleAgent), "")
	w.emit(w.tenant, "first")
	first := next(t, s)
	listen(t, w.as(wiki.RoleAgent), first.ID)
	for _, future := range []string{"4611686018427387904-1", "9223372036854775807-9223372036854775807"} {
		r := w.send("GET /api/v1/events", w.keys[user], "", "Last-Event-ID: "+future)
		require.Equal(t, http.StatusBadRequest, r.StatusCode, r.body)
		require.Equal(t, api.HeaderLastEventID, r.failure(t).Field)
		require.Contains(t, r.failure(t).Message, "future")
		require.Equal(t, "last_event_id", w.send("GET /api/v1/events?last_event_id="+future, w.keys[user], "").failure(t).Field)
	}
	for _, text := range []string{"%00", "%ff", "-", "1-", "-1", "1-x", "1--1", "x-1", "1-99999999999999999999", "99999999999999999999-1", "1.5-2"} {
		r := w.send("GET /api/v1/events?last_event_id="+text, w.keys[user], "")
		require.Equal(t, "last_event_id", r.failure(t).Field, text)
	}
}

func TestStreamsBeatAndEndWithTheirKey(t *testing.T) {
	t.Parallel()
	w := start(t, func(s *server.Settings) { s.EventHeartbeat, s.EventPoll = 20*time.Millisecond, 5*time.Millisecond })
	user := w.as(wiki.RoleUser)
	key, err := user.CreateKey(t.Context(), api.NewKey{Name: "k", Role: "agent"})
	require.NoError(t, err)
	s := listen(t, w.client(key.Secret), "")
	_, err = s.Next()
	require.NoError(t, err)
	require.NoError(t, user.RevokeKey(t.Context(), key.ID))
	for err == nil {
		_, err = s.Next()
	}
	require.Equal(t, wiki.CodeUnavailable, wiki.ErrorCode(err))
}

func TestPrivateChangesAreForUsers(t *testing.T) {
	t.Parallel()
	w := start(t)
	agent, user := listen(t, w.as(wiki.RoleAgent), ""), listen(t, w.as(wiki.RoleUser), "")
	w.emitWith(w.tenant, "hidden", map[string]any{"private": true})
	w.emit(w.tenant, "open")
	require.Equal(t, "open", next(t, agent).Kind)
	require.Equal(t, "hidden", next(t, user).Kind)
}
