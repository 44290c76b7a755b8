package outbox_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
)

// The crash test runs this test binary again as a curator's process.
func TestMain(m *testing.M) {
	if told := os.Getenv(envSession); told != "" {
		curator(told)
		return
	}
	os.Exit(m.Run())
}

const (
	// envKills is how many times a curator's process is killed.
	envKills = "WIKI_KILLS"
	fewKills = 15
	// A session is killed up to so many milliseconds after one of so many lines that it prints, the first ones more often:
	// killed again and again it gets nowhere, and its file is read and written over and over.
	killWithin = 20
	killAfter  = 15
	// lastSteps are made by the session that is not killed.
	lastSteps = 10
)

// Issue 6, line 3: a curator works through a script; the workbench's process is killed with -9 at random moments, and so is
// the server. The acts on the server are then the acts of the script, each once and in their order: as its database tells
// it, and not as either of the two believes.
func TestKillAtAnyMomentLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	kills := fewKills
	if many := os.Getenv(envKills); many != "" {
		var err error
		kills, err = strconv.Atoi(many)
		require.NoError(t, err, envKills)
	}
	w := newTown(t)
	leaveOne := w.killServers()
	s := session{Server: "http://" + w.address, Key: w.key, File: filepath.Join(t.TempDir(), "x.log"), Subjects: w.subjects}
	for range kills {
		s.End = s.First + 1_000_000 // more than it lives to make
		s.First = w.run(s, true)
	}
	died := leaveOne()
	s.End = s.First + lastSteps
	require.Equal(t, s.End, w.run(s, false))
	t.Logf("%d steps; %d curators and %d servers killed", s.End, kills, died)

	var script []string
	made := map[string]int{}
	for n := range s.End {
		act := round[n%turns].act
		script = append(script, stepName(n)+" "+act)
		made[act]++
	}
	require.Equal(t, script, w.texts("select act_key || ' ' || act from audit_log where principal = $1 order by id", curatorName))
	require.Equal(t, made["conflict.judge"], w.number("select count(*) from conflict_verdicts"))
	require.Equal(t, made["conflict.withdraw"], w.number("select count(*) from conflict_verdicts where withdrawn_at is not null"))
	require.Equal(t, made["article.update"], w.number("select version - 1 from articles where id = $1", w.subjects.Edited))
	require.Equal(t, made["article.update"], w.number("select count(*) from article_versions where article_id = $1", w.subjects.Edited))
}

// run works through a session in a process of its own, and gives the first step that it did not report as saved. Killed, it
// dies at a random moment.
func (w *town) run(s session, killed bool) (next int) {
	w.Helper()
	told, err := json.Marshal(s)
	require.NoError(w, err)
	self, err := os.Executable()
	require.NoError(w, err)
	cmd := exec.CommandContext(w.Context(), self)
	cmd.Env = append(os.Environ(), envSession+"="+string(told))
	out, err := cmd.StdoutPipe()
	require.NoError(w, err)
	require.NoError(w, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(w, lines.Scan())
	require.Equal(w, "begun", lines.Text())
	next = s.First
	last := ""
	for left := rand.IntN(1 + rand.IntN(killAfter)); ; left-- {
		if killed && left == 0 {
			time.AfterFunc(rand.N(killWithin*time.Millisecond), func() { _ = cmd.Process.Kill() })
		}
		if !lines.Scan() {
			break
		}
		last = lines.Text()
		require.Regexp(w, `^((answered )?step \d+|settled)$`, last)
		if n, isSaved := stepOf(last); isSaved {
			next = n + 1
		}
	}
	require.NotEqual(w, killed, last == "settled")
	require.Equal(w, killed, cmd.Wait() != nil)
	return next
}

// stepOf reads what stepName writes.
func stepOf(text string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(text, "step "))
	return n, err == nil
}

func (w *town) texts(sql string, args ...any) (out []string) {
	w.Helper()
	require.NoError(w, w.db.System(w.Context(), func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var text any
			if err := rows.Scan(&text); err != nil {
				return err
			}
			out = append(out, fmt.Sprint(text))
		}
		return rows.Err()
	}))
	return out
}

func (w *town) number(sql string, args ...any) int {
	w.Helper()
	found := w.texts(sql, args...)
	require.Len(w, found, 1)
	n, err := strconv.Atoi(found[0])
	require.NoError(w, err)
	return n
}
