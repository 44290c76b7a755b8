package client_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/server/client"
)

// answering starts a server that gives one answer to everything.
func answering(t *testing.T, status int, header map[string]string, body string) *client.Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(srv.Close)
	c, err := client.New(srv.URL, "wk_test")
	require.NoError(t, err)
	return c
}

func TestErrorsComeBackWithTheirCode(t *testing.T) {
	t.Parallel()
	c := answering(t, http.StatusTooManyRequests, map[string]string{"Retry-After": "7"},
		`{"error":{"status":429,"code":"rate_limited","message":"slow down","remediation":"wait","error_id":"e1"}}`)
	_, err := c.Whoami(t.Context())
	var e *wiki.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, wiki.CodeRateLimited, e.Code)
	require.Equal(t, 7*time.Second, e.RetryAfter)
	require.Equal(t, "wait", e.Remedy)
	require.Equal(t, "e1", e.Details[client.DetailErrorID])
}

func TestForeignAnswersAreCoded(t *testing.T) {
	t.Parallel()
	_, err := answering(t, http.StatusBadGateway, nil, "<html>").Whoami(t.Context())
	require.Equal(t, wiki.CodeUnavailable, wiki.ErrorCode(err))
	_, err = answering(t, http.StatusOK, nil, "<html>").Whoami(t.Context())
	require.Equal(t, wiki.CodeUnavailable, wiki.ErrorCode(err))
}

func TestNoServerIsUnavailable(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	c, err := client.New("http://"+l.Addr().String(), "wk_test")
	require.NoError(t, err)
	_, err = c.Whoami(t.Context())
	require.Equal(t, wiki.CodeUnavailable, wiki.ErrorCode(err))
	require.ErrorContains(t, err, "no server answers")
}

func TestCancellationIsNotAFailureOfTheServer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := answering(t, http.StatusOK, nil, `{}`).Whoami(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestNewRefusesWhatIsNoAddress(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"", "127.0.0.1:7171", "ftp://x", "http://", "://"} {
		_, err := client.New(u, "k")
		require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err), u)
	}
	_, err := client.New("http://x", "a\nb")
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
}

func TestEventStream(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(api.HeaderLastEventID) != "9-41" {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		_, _ = w.Write([]byte(": beat\n\nid: 9-42\nevent: conflict.judged\ndata: {\"id\":\"9-42\",\"kind\":\"conflict.judged\"}\n\n"))
	}))
	defer srv.Close()
	c, err := client.New(srv.URL, "k")
	require.NoError(t, err)
	s, err := c.Events(t.Context(), "9-41")
	require.NoError(t, err)
	defer s.Close()
	beat, err := s.Next()
	require.NoError(t, err)
	require.Empty(t, beat.Kind)
	e, err := s.Next()
	require.NoError(t, err)
	require.Equal(t, "9-42", e.ID)
	_, err = s.Next()
	require.Equal(t, wiki.CodeUnavailable, wiki.ErrorCode(err))
	_, err = c.Events(t.Context(), "1")
	require.Equal(t, wiki.CodeMalformed, wiki.ErrorCode(err))
}
