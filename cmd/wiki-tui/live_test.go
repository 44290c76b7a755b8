package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
	"wiki/server/client"
	"wiki/tui"
	"wiki/tui/action"
	"wiki/tui/later"
	"wiki/tui/outbox"
)

// patience bounds a hang; it is no speed requirement. An event waits for the oldest transaction that is open anywhere on the
// database's cluster, which other tests share.
const patience = 3 * time.Minute

// world is a real server over a real database, with pairs worth judging, and a workbench on it.
type world struct {
	t       *testing.T
	handler http.Handler
	address string
	server  *httptest.Server
	tenant  uuid.UUID
	core    *core.Core
	curator *client.Client
	seen    *seen
	program *tea.Program
}

// seen is the model with what it last drew.
type seen struct {
	*tui.Model
	mu   sync.Mutex
	last string
}

func (s *seen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := s.Model.Update(msg)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = ansi.Strip(s.Model.View().Content)
	return s, cmd
}

func newWorld(t *testing.T, pairs int) *world {
	t.Helper()
	c, err := core.New(t.Context(), pgtest.New(t), core.Config{Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	settings := server.Settings{Version: "test", RatePerKey: -1, Log: slog.New(slog.DiscardHandler)}
	w := &world{t: t, core: c, handler: server.New(c, settings).Handler()}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w.address = listener.Addr().String()
	w.serve(listener)
	tenant, err := c.Access.CreateTenant(t.Context(), access.Operator(uuid.Nil), access.NewTenant{Slug: "acme", Name: "acme"})
	require.NoError(t, err)
	w.tenant = tenant.ID
	w.curator = w.client("curator", wiki.RoleUser)
	writer := w.client("writer", wiki.RoleOrchestrator)
	for i := range pairs {
		w.propose(writer, i, "8080")
		require.NotEmpty(t, w.propose(writer, i, "9090").FlaggedWith, "the pair is flagged")
	}
	return w
}

func (w *world) serve(l net.Listener) {
	w.server = &httptest.Server{Listener: l, Config: &http.Server{Handler: w.handler, ReadHeaderTimeout: patience}}
	w.server.Start()
	w.t.Cleanup(w.stop)
}

func (w *world) stop() {
	w.server.CloseClientConnections()
	w.server.Close()
}

func (w *world) client(name string, role wiki.Role) *client.Client {
	w.t.Helper()
	k, err := w.core.Access.CreateKey(w.t.Context(), access.Operator(w.tenant), access.NewKey{Name: name, Role: role, AgentID: name})
	require.NoError(w.t, err)
	c, err := client.New("http://"+w.address, k.Secret)
	require.NoError(w.t, err)
	return c
}

var topics = []string{"billing gateway", "mail relay", "photo archive", "search crawler"}

func (w *world) propose(c *client.Client, i int, port string) api.Proposed {
	w.t.Helper()
	body, err := json.Marshal(fmt.Sprintf("The %s of the platform listens on port %s. Restart it after every change of its settings.", topics[i], port))
	require.NoError(w.t, err)
	p, err := c.Propose(w.t.Context(), api.Proposal{Title: fmt.Sprintf("Port of the %s (%s)", topics[i], port), Body: body, Category: "reference"})
	require.NoError(w.t, err)
	return p
}

// open starts a workbench without a terminal.
func (w *world) open() {
	w.t.Helper()
	dir := w.t.TempDir()
	box, err := outbox.Open(outbox.Config{Path: filepath.Join(dir, "o.log"), Deliver: tui.Deliver(w.curator)})
	require.NoError(w.t, err)
	store, err := later.Open(filepath.Join(dir, "l.json"), time.Now())
	require.NoError(w.t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	w.seen = &seen{Model: tui.New(ctx, tui.Config{
		Server: w.address, Remote: tui.FromClient(w.curator), Acts: box, Later: store, Keys: action.Default(), Now: time.Now, NewKey: newKey,
		Screens: screens(w.curator),
	})}
	nothing, end := io.Pipe()
	w.program = tea.NewProgram(w.seen, tea.WithContext(ctx), tea.WithInput(nothing), tea.WithOutput(io.Discard),
		tea.WithWindowSize(120, 40), tea.WithoutSignalHandler())
	var running sync.WaitGroup
	running.Go(func() { box.Run(ctx) })
	running.Go(func() { _, _ = w.program.Run() })
	w.t.Cleanup(func() {
		w.program.Quit()
		cancel()
		_ = end.Close()
		running.Wait()
		require.NoError(w.t, box.Close())
	})
}

func (w *world) press(keys string) {
	for _, r := range keys {
		msg := tea.KeyPressMsg{Code: r, Text: string(r)}
		if r == '\n' {
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		}
		w.program.Send(msg)
	}
}

func (w *world) shows(want string) {
	w.t.Helper()
	w.until("the screen shows "+want, func() bool { return strings.Contains(w.screen(), want) })
}

func (w *world) screen() string {
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	return w.seen.last
}

func (w *world) until(what string, holds func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("waited until %s; the screen is:\n%s", what, w.screen())
		}
	}
}

// verdicts gives the dispositions that stand, oldest first.
func (w *world) verdicts() string {
	w.t.Helper()
	log, _, err := w.curator.Verdicts(w.t.Context(), api.VerdictQuery{})
	require.NoError(w.t, err)
	var out []string
	for _, v := range log {
		if v.WithdrawnAt == nil && v.RevertedAt == nil {
			out = append([]string{v.Disposition}, out...)
		}
	}
	return strings.Join(out, " ")
}

func TestJudgingOnARealServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.open()
	w.shows("0 judged + 4 left")
	w.shows("[live]")
	w.press("\n")
	for i, key := range []string{"a", "h", "a", "m"} {
		w.shows(fmt.Sprintf("Conflicts %d", 4-i))
		w.shows("1 change · side by side") // keep and merge work only with both texts on screen
		w.press(key)
	}
	w.until("four verdicts stand", func() bool { return w.verdicts() == "dismiss supersede dismiss merge" })
	w.shows("That was the last one")
	w.press("u")
	w.until("the merge is taken back", func() bool { return w.verdicts() == "dismiss supersede dismiss" })
	w.press("U")
	w.until("it is done again", func() bool { return w.verdicts() == "dismiss supersede dismiss merge" })
	w.shows("2 verdicts wait for execution")
	w.press("Xy")
	w.shows("2 verdicts executed")
	rows, _, err := w.curator.Conflicts(t.Context(), api.ConflictQuery{State: "settled"})
	require.NoError(t, err)
	require.Len(t, rows, 4)
}

func TestAnotherCuratorShowsByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.open()
	w.shows("0 judged + 2 left")
	w.shows("[live]")
	other := w.client("ben", wiki.RoleUser)
	rows, _, err := other.Conflicts(t.Context(), api.ConflictQuery{})
	require.NoError(t, err)
	_, err = other.Claim(t.Context(), rows[0].ID)
	require.NoError(t, err)
	w.shows("ben")
	_, err = other.Judge(t.Context(), api.NewVerdict{FirstID: rows[0].First.ID, SecondID: rows[0].Second.ID, Disposition: "dismiss"}, "k1")
	require.NoError(t, err)
	w.shows("0 judged + 1 left")
}

func TestAServerThatGoesAndComesBackGetsEachActOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.open()
	w.shows("0 judged + 3 left")
	w.shows("acme · curator") // it has been let in: from now on the screens stay
	w.press("\n")
	w.shows("[left]")
	w.stop()
	w.shows("[degraded]")
	w.press("aa")
	w.shows("2 to send")
	listener, err := net.Listen("tcp", w.address)
	require.NoError(t, err)
	w.serve(listener)
	w.until("both verdicts stand", func() bool { return w.verdicts() == "dismiss dismiss" })
	w.shows("[live]")
	w.shows("Conflicts 1")
}

func TestALiftIsTakenBackOnARealServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	list, _, err := w.curator.Articles(t.Context(), api.ArticleQuery{Limit: 1})
	require.NoError(t, err)
	id := list[0].ID
	_, err = w.client("ana", wiki.RoleUser).Suppress(t.Context(), id, "wrong since March", "")
	require.NoError(t, err)
	w.open()
	w.shows("Suppressed 1")
	why := func() string {
		a, err := w.curator.Article(t.Context(), id)
		require.NoError(t, err)
		return a.SuppressionReason
	}
	w.press("5")
	w.shows("wrong since March")
	w.press("l")
	w.until("it is lifted", func() bool { return why() == "" })
	w.shows("Suppressed 0")
	w.press("u")
	w.until("it is hidden again", func() bool { return why() == "wrong since March" })
	w.press("U")
	w.until("it is lifted again", func() bool { return why() == "" })
	w.program.Quit()
	w.open() // another session
	w.shows("u takes back: lift the suppression of")
	w.press("u")
	w.until("it is hidden again", func() bool { return why() == "wrong since March" })
}

func TestDriftIsAdoptedAndTakenBackOnARealServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	scout := w.client("scout", wiki.RoleAgent)
	send := func(key, body string) api.Proposed {
		raw, err := json.Marshal(body)
		require.NoError(t, err)
		p, err := scout.Propose(t.Context(), api.Proposal{Title: "Port of the " + key, Body: raw, Category: "reference", IdempotencyKey: key})
		require.NoError(t, err)
		return p
	}
	made := map[string]uuid.UUID{}
	for _, key := range []string{"relay", "archive"} {
		made[key] = send(key, "The "+key+" listens on port 8080.").Article.ID
		require.NotNil(t, send(key, "The "+key+" listens on port 9090.").DriftEventID)
	}
	body := func(key string) string {
		a, err := w.curator.Article(t.Context(), made[key])
		require.NoError(t, err)
		return *a.Body
	}
	w.open()
	w.shows("Drift 2")
	w.press("4")
	w.shows("Port of the archive")
	w.press("\n")
	w.shows("change 1 of 1")
	w.press("a")
	w.until("it is adopted", func() bool { return body("archive") == "The archive listens on port 9090." })
	w.shows("Port of the relay") // the next one
	w.shows("change 1 of 1")
	w.press("dy")
	w.shows("Nothing has drifted.")
	w.until("it is dismissed", func() bool {
		gone, _, err := w.curator.Drift(t.Context(), api.DriftQuery{State: "dismissed"})
		require.NoError(t, err)
		return len(gone) == 1
	})
	require.Equal(t, "The relay listens on port 8080.", body("relay"))
	w.program.Quit()
	w.open() // another session
	w.shows("u takes back: adopt what was submitted for")
	w.press("u")
	w.until("it is taken back", func() bool { return body("archive") == "The archive listens on port 8080." })
}

func TestAProposalIsDecidedOnARealServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.open()
	w.shows("[live]")
	scout := w.client("scout", wiki.RoleAgent)
	list, _, err := w.curator.Articles(t.Context(), api.ArticleQuery{Status: "published"})
	require.NoError(t, err)
	require.NotEmpty(t, list)
	var ids []uuid.UUID
	for _, a := range list {
		ids = append(ids, a.ID)
	}
	for _, why := range []string{"switched off", "a second time"} {
		_, err = scout.MintProposal(t.Context(), api.NewBulkProposal{Op: "archive", ArticleIDs: ids, Rationale: why}, newKey())
		require.NoError(t, err)
	}
	w.shows("Proposals 2") // by itself
	w.press("6g\n")        // the first one may have been read, and selected, before the second was there
	w.shows("a second time")
	w.shows("to archive")
	w.press("rNo\n")
	w.shows("Proposals 1")
	w.press("\n")
	w.shows(fmt.Sprintf("%d to archive", len(ids)))
	w.press(" a")
	w.shows("1 article is left out")
	w.press("y")
	w.shows(fmt.Sprintf("%d archived, 1 excluded", len(ids)-1))
	rejected, _, err := w.curator.Proposals(t.Context(), api.BulkProposalQuery{State: "rejected"})
	require.NoError(t, err)
	require.Equal(t, "No", rejected[0].SettleReason)
	left, _, err := w.curator.Articles(t.Context(), api.ArticleQuery{Status: "published"})
	require.NoError(t, err)
	require.Equal(t, ids[0], left[0].ID, "what was left out stands")
	require.Len(t, left, 1)
}

func TestHealthOfARealServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.open()
	w.shows("0 judged + 2 left")
	w.press("8")
	w.shows("All is well.")
	w.shows("2 open · 2 came in the last day")
	w.shows("4 articles have one · none waits")
	w.shows("by outcome")
}

func TestAViewIsKeptOnARealServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.open()
	w.shows("0 judged + 2 left")
	w.press("/kind:system under:0.999\n")
	w.shows("filter: kind:system under:0.999")
	w.press("Vs")
	w.press("Ports\n")
	w.shows("> Ports")
	w.program.Quit()
	w.open() // another session
	w.shows("0 judged + 2 left")
	w.press("V")
	w.shows("kind:system under:0.999")
	w.press("\n")
	w.shows("view: Ports")
	w.press("V")
	w.shows("> Ports")
	w.press("x")
	w.shows("x brings it back")
	w.until("the server has none", func() bool {
		views, err := w.curator.ConflictViews(t.Context())
		return err == nil && len(views) == 0
	})
}
