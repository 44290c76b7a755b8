package server_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/client"
)

func TestServeDrainsAndEndsStreams(t *testing.T) {
	t.Parallel()
	c, err := core.New(t.Context(), pgtest.New(t), core.Config{})
	require.NoError(t, err)
	tenant, err := c.Access.CreateTenant(t.Context(), access.Operator(uuid.Nil), access.NewTenant{Slug: "t", Name: "t"})
	require.NoError(t, err)
	key, err := c.Access.CreateKey(t.Context(), access.Operator(tenant.ID), access.NewKey{Name: "k", Role: wiki.RoleAgent})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- server.New(c, server.Settings{Log: slog.New(slog.DiscardHandler)}).Serve(ctx, l) }()

	cl, err := client.New("http://"+l.Addr().String(), key.Secret)
	require.NoError(t, err)
	s := listen(t, cl, "")
	stop()
	require.NoError(t, <-served)
	_, err = s.Next()
	require.Equal(t, wiki.CodeUnavailable, wiki.ErrorCode(err))
	_, err = cl.Whoami(t.Context())
	require.Equal(t, wiki.CodeUnavailable, wiki.ErrorCode(err))
}

func TestABodyThatStopsComing(t *testing.T) {
	t.Parallel()
	w := start(t, func(s *server.Settings) { s.BodyTimeout = 50 * time.Millisecond })
	for name, c := range map[string]struct {
		closes bool
		status string
	}{"cut": {true, "400"}, "slow": {false, "408"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", w.url[len("http://"):])
			require.NoError(t, err)
			defer func() { _ = conn.Close() }()
			_, err = fmt.Fprintf(conn, "POST /api/v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
				"Content-Length: 100\r\n\r\n{\"name\":", w.keys[wiki.RoleUser])
			require.NoError(t, err)
			if c.closes {
				require.NoError(t, conn.(*net.TCPConn).CloseWrite())
			}
			line, err := bufio.NewReader(conn).ReadString('\n')
			require.NoError(t, err)
			require.Contains(t, line, c.status)
		})
	}
}
