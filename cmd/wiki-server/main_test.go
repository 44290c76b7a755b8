package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/ingest"
	"wiki/core/llm/llmtest"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/server/client"
)

// shell is an operator's shell: a state directory, and a database where one is given.
type shell struct {
	t     *testing.T
	state string
	dsn   string
}

func newShell(t *testing.T) shell {
	t.Helper()
	return shell{t: t, state: t.TempDir(), dsn: pgtest.DSN(t)}
}

// run gives the exit code and what was printed.
func (s shell) run(args ...string) (code int, out, errOut string) {
	s.t.Helper()
	return s.runIn(s.t.Context(), args...)
}

func (s shell) runIn(ctx context.Context, args ...string) (code int, out, errOut string) {
	s.t.Helper()
	var o, e bytes.Buffer
	args = append([]string{"--state-dir", s.state, "--database-url", s.dsn}, args...)
	code = run(ctx, args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// ok runs a command that has to succeed, and gives what it printed.
func (s shell) ok(args ...string) string {
	s.t.Helper()
	code, out, errOut := s.run(args...)
	require.Equal(s.t, exitOK, code, out+errOut)
	return out
}

func decoded[T any](t *testing.T, text string) (v T) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &v), text)
	return v
}

func TestTenantsAndKeys(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	require.Contains(t, s.ok("migrate"), "version")
	require.Equal(t, "acme", decoded[shownTenant](t, s.ok("tenant", "create", "acme", "--json")).Slug)
	require.Contains(t, s.ok("tenant", "list"), "acme")
	for _, on := range []bool{true, false} {
		args := []string{"tenant", "blind-review", "acme"}
		if !on {
			args = append(args, "--off")
		}
		s.ok(args...)
		require.Equal(t, on, decoded[[]shownTenant](t, s.ok("tenant", "list", "--json"))[0].Blind)
		require.Equal(t, on, strings.Contains(s.ok("tenant", "list"), "blind review"))
	}
	code, _, errOut := s.run("tenant", "blind-review", "no-such")
	require.Equal(t, exitFailed, code, errOut)

	key := decoded[shownKey](t, s.ok("key", "create", "bot", "--tenant", "acme", "--role", "agent", "--agent-id", "bot", "--json"))
	require.True(t, strings.HasPrefix(key.Secret, "wk_"))
	next := decoded[shownKey](t, s.ok("key", "rotate", key.ID.String(), "--tenant", "acme", "--json"))
	require.NotEqual(t, key.Secret, next.Secret)
	s.ok("key", "revoke", next.ID.String(), "--tenant", "acme")
	list := s.ok("key", "list", "--tenant", "acme")
	require.Contains(t, list, "revoked")
	require.NotContains(t, list, key.Secret)
	super := decoded[shownKey](t, s.ok("key", "create", "keeper", "--system", "--role", "superadmin", "--json"))
	require.Equal(t, "superadmin", super.Role)
	require.Contains(t, s.ok("key", "list", "--system"), "keeper")
	s.ok("tenant", "suspend", "acme")
	require.Contains(t, s.ok("tenant", "list"), "suspended")
}

func TestExitCodesAndErrors(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"nonsense"}, exitUsage, "nonsense"},
		{[]string{"serve", "--nonsense"}, exitUsage, "nonsense"},
		{[]string{"tenant", "create"}, exitUsage, "SLUG"},
		{[]string{"key", "create", "x", "--tenant", "nobody"}, exitFailed, "wiki-server tenant create nobody"},
		{[]string{"key", "create", "x", "--role", "king"}, exitUsage, "role"},
		{[]string{"serve", "--listen", "nowhere"}, exitUsage, "listen"},
		{[]string{"serve", "--log-level", "loud"}, exitUsage, "log-level"},
		{[]string{"tenant", "list", "--database-url", "postgres://nobody@127.0.0.1:1/wiki"}, exitBlocked, "wiki-server"},
	} {
		code, _, errOut := s.run(c.args...)
		require.Equal(t, c.code, code, "%v: %s", c.args, errOut)
		require.Contains(t, errOut, c.says, c.args)
	}
	code, out, _ := s.run("key", "list", "--tenant", "nobody", "--json")
	require.Equal(t, exitFailed, code)
	require.Equal(t, "not_found", decoded[map[string]map[string]string](t, out)["error"]["code"])
}

func TestSetupMakesKeysOnce(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok("setup")
	path := filepath.Join(s.state, keysDir, curatorKey)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	s.ok("setup")
	second, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, first, second)

	elsewhere := shell{t: t, state: t.TempDir(), dsn: s.dsn} // another machine on the same database
	elsewhere.ok("setup")
	s.ok("setup")
	third, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, first, third)
}

// freeAddress is one that nothing listens on at this moment.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}

// dev starts the whole in the background, waits until it is up, and gives what stops it and shows what it printed.
func (s shell) dev(addr string, args ...string) (stop func() (code int, out, errOut string)) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	var code int
	var out, errOut string
	done := make(chan struct{})
	go func() {
		defer close(done)
		code, out, errOut = s.runIn(ctx, append([]string{"dev", "--listen", addr, "--internal-listen", "127.0.0.1:0"}, args...)...)
	}()
	require.Eventually(s.t, func() bool { _, ok := findRunning(ctx, s.state); return ok }, time.Minute, 20*time.Millisecond)
	return func() (int, string, string) {
		cancel()
		<-done
		return code, out, errOut
	}
}

// curator is a client with the key that dev made for a person.
func (s shell) curator(addr string) *client.Client {
	s.t.Helper()
	var secret []byte
	require.Eventually(s.t, func() (ok bool) {
		raw, err := os.ReadFile(filepath.Join(s.state, keysDir, curatorKey))
		secret = raw
		return err == nil
	}, time.Minute, 20*time.Millisecond)
	c, err := client.New("http://"+addr, string(secret))
	require.NoError(s.t, err)
	return c
}

func TestDevServesUntilStopped(t *testing.T) {
	t.Parallel()
	s, addr := newShell(t), freeAddress(t)
	stop := s.dev(addr, "--content", t.TempDir())
	who, err := s.curator(addr).Whoami(t.Context())
	require.NoError(t, err)
	require.Equal(t, wiki.RoleUser.String(), who.Role)

	code, _, errOut := s.run("serve", "--listen", addr)
	require.Equal(t, exitBlocked, code)
	require.Contains(t, errOut, "in use")
	code, out, _ := s.run("doctor")
	require.Equal(t, exitOK, code, out)
	require.Contains(t, s.ok("dev"), "runs already")
	key := filepath.Join(s.state, "keys", "user")
	require.NoError(t, os.Rename(key, key+".away"))
	code, _, errOut = s.run("dev")
	require.NotEqual(t, exitOK, code)
	require.Contains(t, errOut, "wiki-server setup")
	require.NoError(t, os.Rename(key+".away", key))

	code, out, errOut = stop()
	require.Equal(t, exitOK, code, errOut)
	require.Contains(t, out, "Authorization: Bearer $(cat")
	require.NotContains(t, out, "wk_")
	require.NoFileExists(t, runningFile(s.state))
}

func TestDevLoadsTheDemoOnce(t *testing.T) {
	t.Parallel()
	s, addr := newShell(t), freeAddress(t)
	stop := s.dev(addr)
	c := s.curator(addr)
	require.Eventually(t, func() bool {
		raw, err := os.ReadFile(filepath.Join(s.state, "content.json"))
		return err == nil && strings.Contains(string(raw), "sent again")
	}, 2*time.Minute, 100*time.Millisecond)
	queue, _, err := c.Conflicts(t.Context(), api.ConflictQuery{})
	require.NoError(t, err)
	require.NotEmpty(t, queue)
	before, err := c.Stats(t.Context())
	require.NoError(t, err)
	_, err = c.Archive(t.Context(), queue[0].First.ID, "")
	require.NoError(t, err)
	stop()

	stop = s.dev(addr)
	again := s.curator(addr)
	after, err := again.Stats(t.Context())
	require.NoError(t, err)
	require.Equal(t, before.Total, after.Total)
	_, out, _ := stop()
	require.NotContains(t, out, "Loading")
}

func TestImportTellsEveryFile(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok("setup")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.md": "# Tides\n\nThe tide turns twice a day in this harbour.\n", "b.md": "# Cranes\n\nCrane four lifts forty tonnes.\n", "bad\nnovel \x1b[2J.md": "# Bad\n\n\x00",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	report := decoded[ingest.Report](t, s.ok("import", dir, "--json"))
	require.True(t, report.Finished)
	require.Len(t, report.Files, 3)
	require.Equal(t, 2, report.Counts["novel"])
	require.Equal(t, 1, report.Counts["failed"])
	require.Contains(t, s.ok("import", dir), `"bad\nnovel \x1b[2J.md"`) // a file's name forges no line and moves no cursor
	code, _, errOut := s.run("import", filepath.Join(dir, "absent"))
	require.Equal(t, exitUsage, code)
	require.Contains(t, errOut, "absent")
}

func TestDoctorNamesTheCommandThatMends(t *testing.T) {
	t.Parallel()
	s := shell{t: t, state: t.TempDir(), dsn: pgtest.Empty(t)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	code, out, _ := s.run("doctor", "--json", "--listen", l.Addr().String())
	require.Equal(t, exitBlocked, code)
	require.Contains(t, out, "wiki-server migrate")
	require.Contains(t, out, "--listen")
}

// Case 95: anything on standard output breaks who reads a protocol there: with --json it is one document, however noisy the
// log is, and whether the command succeeds or not.
func TestCase95OnlyOneDocumentIsOnStandardOutput(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	notes := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(notes, "a.md"), []byte("# A page\n\nWith a text.\n"), 0o600))
	for _, command := range [][]string{
		{"migrate"},
		{"tenant", "create", "acme"},
		{"tenant", "list"},
		{"key", "create", "bot", "--tenant", "acme", "--role", "user"},
		{"key", "list", "--tenant", "acme"},
		{"import", notes, "--tenant", "acme"},
		{"import", filepath.Join(notes, "absent"), "--tenant", "acme"},
		{"tenant", "create", "acme"},
		{"doctor", "--listen", "127.0.0.1:0"},
		{"doctor", "--listen", "127.0.0.1:0", "--llm-url", "nowhere"},
		{"config"},
		{"version"},
		{"no-such-command"},
		{"serve", "--listen", "nowhere"},
	} {
		_, out, _ := s.run(append(command, "--json", "--log-level", "debug")...)
		require.True(t, json.Valid([]byte(out)), "%v: %s", command, out)
	}
}

func TestConfigShowsNoSecret(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	out := s.ok("config", "--embeddings-key", "hunter2")
	require.Contains(t, out, "listen")
	require.NotContains(t, out, "hunter2")
	require.NotContains(t, s.ok("config", "--json", "--embeddings-key", "hunter2"), "hunter2")
	require.NotContains(t, s.ok("serve", "--help", "--embeddings-key", "hunter2"), "hunter2")
	require.Contains(t, s.ok("version"), "API")
}

func TestDoctorAsksTheLanguageModel(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok("migrate")
	service := llmtest.New(t, func(llmtest.Question) string { return "Yes." }, nil, llmtest.Say("", "length"), llmtest.Status(401))
	args := []string{"doctor", "--json", "--listen", "127.0.0.1:0", "--llm-url", service.URL + "/v1", "--llm-key", llmtest.Key}
	finds := func(args ...string) finding {
		_, out, _ := s.run(args...)
		all := decoded[examined](t, out).Findings
		at := slices.IndexFunc(all, func(f finding) bool { return f.Check == "llm" })
		require.GreaterOrEqual(t, at, 0, out)
		return all[at]
	}
	require.Contains(t, finds("doctor", "--json", "--listen", "127.0.0.1:0").Detail, "none is configured")
	require.Contains(t, finds(args...).Detail, "llm-model")
	args = append(args, "--llm-model", "some-model")
	for range 2 {
		require.Contains(t, finds(args...).Detail, "some-model answers")
	}
	refused := finds(args...)
	require.False(t, refused.OK)
	require.Contains(t, refused.Detail, "check its key")
	require.NotContains(t, refused.Detail, llmtest.Key)
	require.Contains(t, finds(append(args, "--llm-timeout", "29s")...).Detail, "at most 20s")
	require.NotContains(t, s.ok("config", "--llm-key", "hunter2"), "hunter2")
}
