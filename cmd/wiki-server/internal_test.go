package main

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// taken is an address that something listens on until the test ends.
func taken(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// page reads what an address answers.
func page(t *testing.T, url string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(raw)
}

func TestOperatorsHaveAListenerOfTheirOwn(t *testing.T) {
	t.Parallel()
	s, addr := newShell(t), freeAddress(t)
	stop := s.dev(addr, "--content", t.TempDir())
	r, up := findRunning(t.Context(), s.state)
	require.True(t, up)
	require.NotEmpty(t, r.InternalURL)
	status, body := page(t, r.InternalURL+"/metrics")
	require.Equal(t, http.StatusOK, status, body)
	require.Contains(t, body, "wiki_build_info")
	status, _ = page(t, "http://"+addr+"/metrics")
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, s.ok("doctor"), r.InternalURL+"/metrics")
	code, _, errOut := stop()
	require.Equal(t, exitOK, code, errOut)
	_, err := net.Dial("tcp", strings.TrimPrefix(r.InternalURL, "http://"))
	require.Error(t, err, "it ends with the server")
}

func TestTheInternalListenerCanBeOff(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	stop := s.dev(freeAddress(t), "--content", t.TempDir(), "--internal-listen", internalOff)
	r, up := findRunning(t.Context(), s.state)
	require.True(t, up)
	require.Empty(t, r.InternalURL)
	require.Regexp(t, `metrics +are off`, s.ok("doctor"))
	code, _, errOut := stop()
	require.Equal(t, exitOK, code, errOut)
}

func TestAnInternalAddressThatIsInTheWay(t *testing.T) {
	t.Parallel()
	s := shell{t: t, state: t.TempDir(), dsn: "postgres://nobody@127.0.0.1:1/wiki"}
	busy := taken(t)
	code, _, errOut := s.run("serve", "--listen", "127.0.0.1:0", "--internal-listen", busy)
	require.Equal(t, exitBlocked, code, errOut)
	require.Contains(t, errOut, busy+" is in use")
	require.Contains(t, errOut, "--internal-listen")
	code, _, errOut = s.run("serve", "--listen", "127.0.0.1:0", "--internal-listen", "nowhere")
	require.Equal(t, exitUsage, code, errOut)
	require.Contains(t, errOut, defaultInternal)
	code, out, _ := s.run("doctor", "--internal-listen", busy)
	require.Equal(t, exitBlocked, code)
	require.Regexp(t, `BAD  metrics .*`+busy, out)
	_, out, _ = s.run("doctor", "--internal-listen", "0.0.0.0:0")
	require.Regexp(t, `ok   metrics .* no key is asked for there`, out)
}

// Who chose no address for the metrics must not be kept from serving by another server on the machine.
func TestATakenDefaultIsDoneWithout(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	a := &app{settings: defaultSettings(), err: os.Stderr, log: slog.New(slog.NewTextHandler(&log, nil))}
	a.fields = fields(&a.settings)
	a.settings.StateDir, a.settings.Internal = t.TempDir(), taken(t)
	l, err := a.listenInternal()
	require.NoError(t, err)
	require.Nil(t, l)
	require.Contains(t, log.String(), "--internal-listen")
	require.Contains(t, a.checkInternal(running{}, false).Detail, "in use")
	a.serveInternal(nil, nil)() // what nobody listens to ends at once
}

func TestSlowStatementsAreLoggedFromASetting(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok("tenant", "create", "acme")
	for setting, logged := range map[string]bool{"1ns": true, "1h": false, "0": false} {
		_, _, errOut := s.run("key", "create", "quiet-name", "--tenant", "acme", "--role", "agent", "--slow-statement", setting)
		require.Equal(t, logged, strings.Contains(errOut, "slow statement"), "%s: %s", setting, errOut)
		require.NotRegexp(t, `slow statement.*quiet-name`, errOut)
	}
}
