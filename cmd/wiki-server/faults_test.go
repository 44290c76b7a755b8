package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres/embedded"
	"wiki/server/api"
	"wiki/server/client"
)

const (
	loadWriters = 16
	loadRate    = 200 // writes a second that are sent, as far as the machine goes
)

// traffic is agents that write without a pause, and what they were told.
type traffic struct {
	url, key string
	mu       sync.Mutex
	sent     int
	told     map[string]uuid.UUID // made, by title: the writer has the answer
	unsure   map[string]bool      // sent, and no answer came, or one that says try again
	refused  []string             // answers that a fault must not give
}

func newTraffic(url, key string) *traffic {
	return &traffic{url: url, key: key, told: map[string]uuid.UUID{}, unsure: map[string]bool{}}
}

// run writes until ctx ends.
func (l *traffic) run(ctx context.Context) {
	pace := time.NewTicker(time.Second / loadRate)
	defer pace.Stop()
	var writers sync.WaitGroup
	for range loadWriters {
		writers.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-pace.C:
					l.write(l.next())
				}
			}
		})
	}
	writers.Wait()
}

func (l *traffic) next() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	return fmt.Sprintf("Reading %d of the tide gauge", l.sent)
}

// write proposes one article under an idempotency key, so that a writer that got no answer can ask again.
func (l *traffic) write(title string) {
	body, _ := json.Marshal(api.Proposal{Title: title, Body: quoted("The gauge was read: " + title + "."), Category: "finding", IdempotencyKey: title, Force: true})
	req, _ := http.NewRequest(http.MethodPost, l.url+"/api/v1/articles", bytes.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+l.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	var raw []byte
	if err == nil {
		raw, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var made api.Envelope[api.Proposed]
	switch {
	case err != nil:
		l.unsure[title] = true
	case resp.StatusCode < http.StatusMultipleChoices && json.Unmarshal(raw, &made) == nil && made.Data.Article != nil:
		l.told[title] = made.Data.Article.ID
		delete(l.unsure, title)
	case resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusGatewayTimeout:
		l.unsure[title] = true
	default:
		l.refused = append(l.refused, fmt.Sprint(resp.StatusCode, string(raw)))
	}
}

func quoted(s string) json.RawMessage {
	raw, _ := json.Marshal(s)
	return raw
}

// again sends what is unsure once more, as a writer does that was cut off.
func (l *traffic) again() {
	l.mu.Lock()
	var titles []string
	for title := range l.unsure {
		titles = append(titles, title)
	}
	l.mu.Unlock()
	for _, title := range titles {
		l.write(title)
	}
}

func (l *traffic) acknowledged() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.told)
}

// wholeSQL reads each article with whether what belongs to it stands: its row in the keyword index, its vector or its place
// among those that wait for one, its audit entry and its event.
const wholeSQL = `select a.title, a.id, exists (select from keyword_docs k where k.article_id = a.id)
	and (exists (select from article_embeddings e where e.article_id = a.id) or exists (select from embedding_pending p where p.article_id = a.id))
	and (select count(*) from audit_log l where l.subject = a.id and l.act = 'article.create') = 1
	and (select count(*) from events v where v.subject = a.id and v.kind = 'article.created') = 1
	from articles a`

// check reads the database: every write that was acknowledged is there once and whole, every other once or not at all.
func (l *traffic) check(t *testing.T, dsn string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	rows, err := conn.Query(t.Context(), wholeSQL)
	require.NoError(t, err)
	there := map[string]uuid.UUID{}
	var title string
	var id uuid.UUID
	var whole bool
	_, err = pgx.ForEachRow(rows, []any{&title, &id, &whole}, func() error {
		require.NotContains(t, there, title, "it is there twice")
		require.True(t, whole, "%s is there in part", title)
		there[title] = id
		return nil
	})
	require.NoError(t, err)
	for title, id := range l.told {
		require.Equal(t, id, there[title], "%s was acknowledged", title)
	}
	for title := range there {
		_, told := l.told[title]
		require.True(t, told || l.unsure[title], "%s was never sent, or refused", title)
	}
	require.Empty(t, l.refused, "a fault is answered with 503, 504 or 429")
}

// serverProgram builds the real program.
func serverProgram(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wiki-server")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

// The process is killed with -9 under load, again and again: what it acknowledged is there once, whatever it was doing is
// there once and whole or not at all, and who got no answer gets one by sending again.
func TestKilledServerLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	program, s, addr := serverProgram(t), newShell(t), freeAddress(t)
	s.ok("setup")
	secret, err := os.ReadFile(filepath.Join(s.state, keysDir, curatorKey))
	require.NoError(t, err)
	l := newTraffic("http://"+addr, string(bytes.TrimSpace(secret)))
	var cmd *exec.Cmd
	serve := func() {
		cmd = exec.Command(program, "serve", "--state-dir", s.state, "--database-url", s.dsn, "--listen", addr, "--internal-listen", "off", "--rate-per-key", "-1")
		require.NoError(t, cmd.Start())
		awaitReady(t, l.url)
	}
	for range 2 {
		serve()
		ctx, stop := context.WithCancel(t.Context())
		before, done := l.acknowledged(), make(chan struct{})
		go func() { defer close(done); l.run(ctx) }()
		require.Eventually(t, func() bool { return l.acknowledged() >= before+30 }, time.Minute, 5*time.Millisecond)
		require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
		_ = cmd.Wait() // killed
		stop()
		<-done
		l.check(t, s.dsn)
	}
	require.NotEmpty(t, l.unsure, "the kill met no write: the load is too light to prove anything")
	serve()
	l.again()
	require.Empty(t, l.unsure)
	l.check(t, s.dsn)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())
}

func awaitReady(t *testing.T, url string) {
	t.Helper()
	c, err := client.New(url, "")
	require.NoError(t, err)
	require.Eventually(t, func() bool { _, err := c.Ready(t.Context()); return err == nil }, time.Minute, 10*time.Millisecond)
}

// The database is stopped and started under load: callers are told to try again, the server goes on by itself, and nothing
// is lost or doubled.
func TestRestartedDatabaseLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "wiki-faults-") //nolint:usetesting // t.TempDir is closed to the user that PostgreSQL runs as
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	config := embedded.Config{Dir: filepath.Join(dir, "db"), Settings: map[string]string{"shared_buffers": "16MB"}}
	cluster, err := embedded.Start(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = cluster.Stop() })

	s, addr := shell{t: t, state: t.TempDir(), dsn: cluster.DSN()}, freeAddress(t)
	s.ok("setup")
	secret, err := os.ReadFile(filepath.Join(s.state, keysDir, curatorKey))
	require.NoError(t, err)
	ctx, stopServer := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		code, _, _ := s.runIn(ctx, "serve", "--listen", addr, "--internal-listen", "off", "--rate-per-key", "-1")
		ended <- code
	}()
	l := newTraffic("http://"+addr, string(bytes.TrimSpace(secret)))
	awaitReady(t, l.url)
	load, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); l.run(load) }()
	require.Eventually(t, func() bool { return l.acknowledged() >= 30 }, time.Minute, 5*time.Millisecond)
	require.NoError(t, cluster.Stop())
	cluster, err = embedded.Start(t.Context(), config)
	require.NoError(t, err)
	require.Equal(t, s.dsn, cluster.DSN())
	before := l.acknowledged() // the server found the database again by itself
	require.Eventually(t, func() bool { return l.acknowledged() >= before+30 }, time.Minute, 5*time.Millisecond)
	stop()
	<-done
	l.check(t, s.dsn)
	l.again()
	require.Empty(t, l.unsure)
	l.check(t, s.dsn)
	stopServer()
	require.Equal(t, exitOK, <-ended)
}
