package outbox_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/outbox"
)

// The crash test runs this test binary again as a curator's process, kills it with -9 at random moments, and compares what
// the server did with what the process had reported as saved.
const (
	envServer = "OUTBOX_CRASH_SERVER"
	envFile   = "OUTBOX_CRASH_FILE"
	envFirst  = "OUTBOX_CRASH_FIRST"
)

func TestMain(m *testing.M) {
	if os.Getenv(envServer) != "" {
		curator()
		return
	}
	os.Exit(m.Run())
}

// curator adds numbered acts without end and prints each one that is saved.
func curator() {
	b, err := outbox.Open(outbox.Config{Path: os.Getenv(envFile), Deliver: post(os.Getenv(envServer)), Sleep: noWait})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	go b.Run(context.Background())
	var n int
	_, _ = fmt.Sscan(os.Getenv(envFirst), &n)
	b.Add(judge(fmt.Sprintf("act-%d", n)))
	for {
		e, err := b.Next(context.Background())
		if err != nil {
			return
		}
		if e.Saved {
			fmt.Println(e.Act.Key)
			n++
			b.Add(judge(fmt.Sprintf("act-%d", n)))
		}
	}
}

func post(url string) outbox.Deliver {
	return func(ctx context.Context, a outbox.Act, _ uuid.UUID) (outbox.Result, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(a.Key))
		if err != nil {
			return outbox.Result{}, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return outbox.Result{}, wiki.Errorf(wiki.CodeUnavailable, "%v", err)
		}
		defer func() { _ = resp.Body.Close() }()
		var v api.Verdict
		if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
			return outbox.Result{}, wiki.Errorf(wiki.CodeUnavailable, "%v", err)
		}
		return outbox.Result{Verdict: &v}, nil
	}
}

func noWait(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil }

// ledger is a server that does each act once and loses one answer in four after doing it.
type ledger struct {
	mu    sync.Mutex
	done  map[string]uuid.UUID
	order []string
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var key bytes.Buffer
	_, _ = key.ReadFrom(r.Body)
	l.mu.Lock()
	id, repeated := l.done[key.String()]
	if !repeated {
		id = uuid.New()
		l.done[key.String()] = id
		l.order = append(l.order, key.String())
	}
	l.mu.Unlock()
	if rand.IntN(4) == 0 {
		panic(http.ErrAbortHandler)
	}
	_ = json.NewEncoder(w).Encode(api.Verdict{ID: id})
}

func TestKillAtAnyMomentLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	const kills = 25
	l := &ledger{done: map[string]uuid.UUID{}}
	srv := httptest.NewServer(l)
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "x.log")
	var saved []string
	for range kills {
		saved = append(saved, killedRun(t, srv.URL, file)...)
	}
	b, err := outbox.Open(outbox.Config{Path: file, Deliver: post(srv.URL), Sleep: noWait})
	require.NoError(t, err)
	stop := run(t, b)
	require.True(t, b.Settled(t.Context()))
	stop()

	l.mu.Lock()
	defer l.mu.Unlock()
	require.NotEmpty(t, saved)
	for _, key := range saved {
		require.Contains(t, l.done, key, "a saved act was lost")
	}
	require.Len(t, l.order, len(l.done), "an act was done twice")
}

// killedRun starts a curator, kills it after a random time, and gives the acts that it reported as saved.
func killedRun(t *testing.T, server, file string) []string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envServer+"="+server, envFile+"="+file, fmt.Sprintf("%s=%d", envFirst, rand.IntN(1<<40)))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	var saved []string
	require.True(t, lines.Scan(), "the curator's process reported nothing")
	saved = append(saved, lines.Text())
	go func() {
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
		_ = cmd.Process.Kill()
	}()
	for lines.Scan() {
		saved = append(saved, lines.Text())
	}
	_ = cmd.Wait()
	for _, key := range saved {
		require.Regexp(t, `^act-\d+$`, key)
	}
	return saved
}
