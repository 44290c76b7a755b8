package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/shareddata"
	"wiki/server/api"
	"wiki/server/client"
)

// startWait bounds the start of the server, the first of which makes a database.
const startWait = 2 * time.Minute

// programs are the two real binaries, built once, and a state directory for them.
type programs struct {
	server, workbench string
	state             string
	address           string
}

func build(t *testing.T) programs {
	t.Helper()
	bin := t.TempDir()
	p := programs{server: filepath.Join(bin, "wiki-server"), workbench: filepath.Join(bin, "wiki-tui"), state: filepath.Join(enterable(t), "state")}
	for path, pkg := range map[string]string{p.server: "wiki/cmd/wiki-server", p.workbench: "wiki/cmd/wiki-tui"} {
		out, err := exec.Command("go", "build", "-o", path, pkg).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p.address = free.Addr().String()
	require.NoError(t, free.Close())
	return p
}

// enterable gives a directory that the database's user may enter too: where root tests, PostgreSQL runs as another user.
func enterable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	return dir
}

// serve starts the real server on the state directory and waits until it is ready.
func (p programs) serve(t *testing.T) *exec.Cmd {
	t.Helper()
	var log bytes.Buffer
	cmd := exec.Command(p.server, "serve", "--state-dir", p.state, "--listen", p.address)
	cmd.Stderr, cmd.Stdout = &log, &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		}
	})
	c, err := client.New("http://"+p.address, "")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := c.Ready(context.Background())
		return err == nil
	}, startWait, 50*time.Millisecond, "the server is not ready; its log is:\n%s", &log)
	return cmd
}

// killHard ends the server as a power cut would: no drain, no goodbye.
func killHard(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
}

func (p programs) client(t *testing.T) *client.Client {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(p.state, "keys", "user"))
	require.NoError(t, err)
	c, err := client.New("http://"+p.address, strings.TrimSpace(string(key)))
	require.NoError(t, err)
	return c
}

func (p programs) open(t *testing.T, home string) *terminal {
	t.Helper()
	cmd := exec.Command(p.workbench, "--server", "http://"+p.address, "--key-file", filepath.Join(p.state, "keys", "user"))
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home)
	return openTerminal(t, cmd, 120, 40)
}

// seed publishes real edits of real notes as pairs: the text before and the text after, each under its own title, as two
// agents that do not know of each other would. It gives the number of pairs.
func seed(t *testing.T, c *client.Client, pairs int) {
	t.Helper()
	file, err := os.Open(filepath.Join(shareddata.Dir(t, "til-simonw"), "revision_pairs.jsonl"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	made := 0
	for made < pairs && lines.Scan() {
		var edit struct {
			Old, New  string
			CharRatio float64 `json:"char_ratio"`
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &edit))
		if edit.CharRatio < 0.95 || edit.CharRatio > 0.995 || len(edit.Old) < 500 || len(edit.Old) > 2500 {
			continue
		}
		made++
		for _, side := range []struct{ name, body string }{{"ana", edit.Old}, {"ben", edit.New}} {
			body, err := json.Marshal(side.body)
			require.NoError(t, err)
			answer, err := c.Propose(context.Background(), api.Proposal{Title: fmt.Sprintf("Pair %02d of %s", made, side.name), Body: body, Category: "finding", Force: true})
			require.NoError(t, err)
			require.True(t, answer.Created)
		}
	}
	require.NoError(t, lines.Err())
	require.Equal(t, pairs, made)
}

// onScreen is a pair with both its texts: the line between head and texts counts the changes once they are there.
var onScreen = regexp.MustCompile(`(?s)\[?left\]?\s+Pair (\d\d) of.*── (?:\d+ changes?|change \d+ of \d+) ·`)

// nextPair waits until the workbench shows a pair that is not among those seen, and gives its number.
func nextPair(term *terminal, seen map[string]string) string {
	var number string
	term.until("another pair is shown", func() bool {
		found := onScreen.FindStringSubmatch(term.text())
		if found == nil || seen[found[1]] != "" {
			return false
		}
		number = found[1]
		return true
	})
	return number
}

// queued gives the open pairs by id.
func queued(t *testing.T, c *client.Client) map[string]api.Conflict {
	t.Helper()
	conflicts, _, err := c.Conflicts(context.Background(), api.ConflictQuery{State: "open", Limit: 50})
	require.NoError(t, err)
	pairs := map[string]api.Conflict{}
	for _, conflict := range conflicts {
		pairs[conflict.ID] = conflict
	}
	return pairs
}

// verdictsThatStand gives, from the server, what was decided of every pair that has a verdict, by the pair's number.
func verdictsThatStand(t *testing.T, c *client.Client, pairs map[string]api.Conflict) map[string]string {
	t.Helper()
	verdicts, _, err := c.Verdicts(context.Background(), api.VerdictQuery{Mine: true, Limit: 100})
	require.NoError(t, err)
	stand := map[string]string{}
	for _, v := range verdicts {
		if v.WithdrawnAt != nil {
			continue
		}
		pair := pairs[v.ConflictID]
		number := strings.Fields(pair.First.Title)[1]
		require.NotContains(t, stand, number, "a pair was judged twice")
		stand[number] = v.Disposition
		if v.Disposition == "supersede" {
			stand[number] = map[bool]string{true: "left", false: "right"}[*v.Authoritative == pair.First.ID]
		}
	}
	return stand
}

// A curator judges ten pairs of real content by keys. The server is killed in the middle and comes back, one verdict is
// undone and given anew. What stands in the database is exactly what the curator decided.
func TestTenPairsJudgedWhileTheServerDies(t *testing.T) {
	t.Parallel()
	shareddata.Dir(t, "til-simonw")
	p := build(t)
	out, err := exec.Command(p.server, "setup", "--state-dir", p.state).CombinedOutput()
	require.NoError(t, err, string(out))
	server := p.serve(t)
	c := p.client(t)
	seed(t, c, 12)

	pairs := queued(t, c)
	require.Len(t, pairs, 12)
	stand := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool { return len(verdictsThatStand(t, c, pairs)) == n }, screenWait, 500*time.Millisecond)
	}

	term := p.open(t, t.TempDir())
	term.waitFor(`open 12`)
	term.keys("\r")

	want := map[string]string{}
	means := map[string]string{"a": "dismiss", "h": "left", "l": "right", "m": "merge"}
	judge := func(key string) string {
		number := nextPair(term, want)
		want[number] = means[key]
		term.keys(key)
		return number
	}
	for _, key := range []string{"a", "h", "l", "m"} {
		judge(key)
	}
	nextPair(term, want)
	killHard(t, server)
	judge("h") // what is on the screen can be judged: the curator does not wait for the network
	p.serve(t)
	term.waitFor(`\[live\]`)
	for _, key := range []string{"a", "l", "a", "h"} {
		judge(key)
	}

	undone := judge("a")
	stand(10)
	term.waitFor(`u takes back: both stand, “Pair ` + undone)
	term.keys("u")
	stand(9)
	delete(want, undone)
	again := nextPair(term, want)
	want[again] = "left"
	term.keys("h")

	stand(10)
	term.keys("q")
	require.NoError(t, term.wait())
	require.Equal(t, want, verdictsThatStand(t, c, pairs))

	require.Len(t, queued(t, c), 2)
}
