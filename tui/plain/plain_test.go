package plain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/server/api"
	"wiki/tui"
	"wiki/tui/action"
	"wiki/tui/drafts"
	"wiki/tui/fake"
	"wiki/tui/later"
	"wiki/tui/outbox"
	"wiki/tui/plain"
	"wiki/tui/screen"
	"wiki/tui/screen/screentest"
)

// remote is the fake server with its event stream.
type remote struct{ *fake.Server }

func (r remote) Stream(ctx context.Context, after string) (tui.Stream, error) {
	return r.Events(ctx, after)
}

// work runs lines against a server with three pairs and a draft, and gives what was said.
func work(t *testing.T, server *fake.Server, asJSON bool, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	box, err := outbox.Open(outbox.Config{Path: filepath.Join(dir, "o.log"), Deliver: tui.Deliver(server)})
	require.NoError(t, err)
	store, err := later.Open(filepath.Join(dir, "l.json"), time.Now())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	m := tui.New(ctx, tui.Config{
		Remote: remote{server}, Acts: box, Later: store, Keys: action.Default(), Now: time.Now, NewKey: uuid.NewString,
		Screens: map[action.ID]func(*screen.Env) screen.Screen{
			action.ScreenDrafts: func(env *screen.Env) screen.Screen { return drafts.New(env, server) },
		},
	})
	var sending sync.WaitGroup
	sending.Go(func() { box.Run(ctx) })
	var out bytes.Buffer
	require.NoError(t, plain.Run(ctx, plain.Config{Model: m, In: strings.NewReader(strings.Join(lines, "\n") + "\n"), Out: &out, JSON: asJSON}))
	cancel()
	sending.Wait()
	require.NoError(t, box.Close())
	return out.String()
}

func filled() *fake.Server {
	s := fake.New(time.Now)
	for i := range 3 {
		s.Add(fake.Sample(i, time.Now()))
	}
	body := "It is 8080.\n"
	s.Keep(api.Article{ID: uuid.New(), Title: "A draft", Body: &body, Version: 1, Status: "draft", InsertedAt: time.Now()})
	return s
}

func TestLinesDoWhatKeysDo(t *testing.T) {
	t.Parallel()
	s := filled()
	said := work(t, s, false, "j", "enter", "keep left", "judge.note", "the newer one", "l", "u", "fly", "n", "X", "y")
	require.Equal(t, []string{"supersede " + fake.Sample(1, time.Now()).First.ID.String() + "." + fake.Sample(1, time.Now()).Second.ID.String()}, s.Recorded())
	for _, want := range []string{
		"Conflicts, ", "selected: 0.969 similar Gateway port 1", "[left] Gateway port 1", "port [-8080-].", "text, or nothing to leave it: ",
		"taken back: keep", `there is no "fly" here`, "Execute 1 verdict?", "1 verdict executed",
	} {
		require.Contains(t, said, want)
	}
	require.NotContains(t, said, "\x1b")
	require.False(t, strings.ContainsFunc(said, func(r rune) bool { return r >= 0x2500 && r <= 0x257f }), "nothing is drawn")
}

func TestAMoveSaysOnlyWhereItWent(t *testing.T) {
	t.Parallel()
	said := work(t, filled(), false, "j", "")
	turns := strings.Split(said, "\n> ")
	require.Equal(t, "selected: 0.969 similar Gateway port 1 Port of gateway 1 14h\nflagged 14h ago by gate", turns[1])
	require.Contains(t, turns[2], "Gateway port 0", "an empty line says all of it again")
}

func TestWhatCannotBeDoneSaysWhy(t *testing.T) {
	t.Parallel()
	said := work(t, filled(), false, "X", "?", "3", "p", "q", "j")
	require.Contains(t, said, "execute: no verdict waits for execution")
	require.Contains(t, said, "a, both stand: Dismiss the conflict")
	require.Contains(t, said, "publish: compare it (enter) first")
	require.NotContains(t, strings.Split(said, "publish: compare")[1], "A draft", "it was left")
}

func TestAScriptReviews(t *testing.T) {
	t.Parallel()
	s := filled()
	out := work(t, s, true, `{"do":"conflicts.open"}`, `{"do":"judge.dismiss"}`, `{"do":"judge.fly"}`, `nonsense`, `{"do":"esc"}`, `{"do":"conflicts.filter"}`, `{"text":"kind:asserted"}`, `{"text":"x"}`)
	var answers []struct {
		tui.Situation
		Error string
	}
	for line := range strings.Lines(out) {
		var a struct {
			tui.Situation
			Error string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &a))
		answers = append(answers, a)
	}
	require.Len(t, answers, 9, "one before the first command, then one for each")
	require.Equal(t, "Pair", answers[1].Screen)
	require.Equal(t, "Gateway port 0", answers[1].Conflict.First.Title)
	require.Zero(t, answers[2].ToSend, "the act has been answered")
	require.Equal(t, "Gateway port 1", answers[2].Conflict.First.Title)
	require.Len(t, s.Recorded(), 1)
	require.Contains(t, answers[3].Error, `there is no "judge.fly" here`)
	require.Contains(t, answers[4].Error, "this is no command")
	require.True(t, answers[6].Typing)
	require.Contains(t, strings.Join(answers[7].Rows, "\n"), "No pair matches the filter")
	require.Equal(t, "no text is asked for here", answers[8].Error)
	offered := map[action.ID]string{}
	for _, o := range answers[1].Actions {
		offered[o.Name] = o.Why
	}
	for _, a := range action.Default().Available(action.Pair, action.Global) {
		require.Contains(t, offered, a.ID, "the same table")
	}
	require.Equal(t, "no verdict waits for execution", offered[action.Execute])
}

func TestNothingThatIsSaidActsOnTheTerminal(t *testing.T) {
	t.Parallel()
	s := filled()
	p := fake.Sample(7, time.Now())
	body := screentest.Evil
	p.First.Title, p.First.Body, p.Conflict.First.Title, p.Conflict.FlaggedBy = screentest.Evil, &body, screentest.Evil, screentest.Evil
	s.Insert(p)
	said := work(t, s, false, "g", "enter", "w")
	require.NotRegexp(t, "[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u202a-\u202e]", said)
	require.Contains(t, said, "owned")
}
