package outbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/record"
	"wiki/core/wiki"
	"wiki/server/client"
)

const (
	startWait = 2 * time.Minute
	// longestLife bounds how long a server that answers is left alive.
	longestLife = 400 * time.Millisecond
	// curatorName is the principal whose acts are counted.
	curatorName = "curator"
	pairs       = 3
)

// town is a database with work to do, a real server program on it, and a curator's key.
type town struct {
	*testing.T
	db       *postgres.DB
	dsn      string
	tenant   uuid.UUID
	program  string
	address  string
	key      string
	subjects subjects
}

func newTown(t *testing.T) *town {
	t.Helper()
	w := &town{T: t, dsn: pgtest.DSN(t), program: filepath.Join(t.TempDir(), "wiki-server")}
	built, err := exec.CommandContext(t.Context(), "go", "build", "-o", w.program, "wiki/cmd/wiki-server").CombinedOutput()
	require.NoError(t, err, string(built))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w.address = free.Addr().String()
	require.NoError(t, free.Close())
	w.db = pgtest.Open(t, postgres.Config{DSN: w.dsn})
	c, err := core.New(t.Context(), w.db, core.Config{Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	tenant, err := c.Access.CreateTenant(t.Context(), access.Operator(uuid.Nil), access.NewTenant{Slug: "acme", Name: "acme"})
	require.NoError(t, err)
	w.tenant = tenant.ID
	key, err := c.Access.CreateKey(t.Context(), access.Operator(w.tenant), access.NewKey{Name: "k", Role: wiki.RoleUser, AgentID: curatorName})
	require.NoError(t, err)
	w.key = key.Secret
	w.seed(c)
	return w
}

// seed makes the subjects of the script.
func (w *town) seed(c *core.Core) {
	w.Helper()
	writer := wiki.Actor{Tenant: w.tenant, Key: uuid.New(), Agent: "writer", Role: wiki.RoleUser}
	require.NoError(w, w.db.Tenant(w.Context(), w.tenant, func(ctx context.Context, tx postgres.Tx) error {
		page := func(title string) uuid.UUID {
			a, err := c.Record.Create(ctx, tx, writer, wiki.Article{
				Title: title, Body: "Of " + title + ".", Category: "finding", Status: wiki.StatusPublished,
			}, record.Embedded{}, record.CreateOptions{})
			require.NoError(w, err)
			return a.ID
		}
		w.subjects.Hidden, w.subjects.Edited = page("what is hidden"), page("what is edited")
		for i := range pairs {
			pair, err := wiki.NewPair(page(fmt.Sprintf("side one of %d", i)), page(fmt.Sprintf("side two of %d", i)))
			require.NoError(w, err)
			w.subjects.Pairs = append(w.subjects.Pairs, [2]uuid.UUID{pair.First, pair.Second})
			if _, _, err := flags.Raise(ctx, tx, writer, flags.New{A: pair.First, B: pair.Second, System: true, Similarity: 0.95}); err != nil {
				return err
			}
		}
		return nil
	}))
}

// start runs the server; nobody waits until it answers.
func (w *town) start(log *os.File) *exec.Cmd {
	w.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(w.Context()), w.program, "serve", "--listen", w.address, "--rate-per-key", "-1", "--state-dir", filepath.Dir(w.program))
	cmd.Env = append(os.Environ(), "DATABASE_URL="+w.dsn)
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(w, cmd.Start())
	return cmd
}

// killServers runs one server after the other, each killed with -9 at a random moment: one in four before it answers, the
// others after. The function that it gives ends that, leaves a server that lives until the test ends, and says how many
// died.
func (w *town) killServers() (leaveOne func() (died int)) {
	w.Helper()
	log, err := os.Create(filepath.Join(filepath.Dir(w.program), "server.log"))
	require.NoError(w, err)
	ended := make(chan struct{})
	var ending sync.Once
	var running sync.WaitGroup
	var last *exec.Cmd
	died := 0
	running.Go(func() {
		for {
			last = w.start(log)
			if rand.IntN(4) > 0 {
				w.awaitServer(log)
			}
			select {
			case <-ended:
				return
			case <-time.After(rand.N(longestLife)):
			}
			_ = last.Process.Kill()
			_ = last.Wait()
			died++
		}
	})
	leave := func() int {
		ending.Do(func() { close(ended) })
		running.Wait()
		return died
	}
	w.Cleanup(func() {
		leave()
		_ = last.Process.Kill()
		_ = last.Wait()
		_ = log.Close()
	})
	return leave
}

func (w *town) awaitServer(log *os.File) {
	c, err := client.New("http://"+w.address, "")
	if err != nil {
		w.Error(err)
		return
	}
	for until := time.Now().Add(startWait); time.Now().Before(until); time.Sleep(again) {
		if _, err := c.Ready(w.Context()); err == nil || w.Context().Err() != nil {
			return
		}
	}
	said, _ := os.ReadFile(log.Name())
	w.Errorf("the server does not answer; it says:\n%s", said)
}
