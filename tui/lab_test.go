package tui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/fake"
	"wiki/tui/later"
	"wiki/tui/outbox"
)

// lab drives a workbench without a terminal: commands run at once, the outbox is answered when the test says so, and the
// clock stands still until it is moved.
type lab struct {
	t      *testing.T
	now    time.Time
	server *fake.Server
	acts   *heldActs
	model  *Model
	dir    string
	quit   bool
	due    []tea.Msg // what a timer will send
}

var start = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

// newLab starts a workbench on n pairs, 80x24.
func newLab(t *testing.T, n int, change ...func(*Config)) *lab {
	t.Helper()
	l := &lab{t: t, now: start, dir: t.TempDir()}
	l.server = fake.New(func() time.Time { return l.now })
	for i := range n {
		l.server.Add(fake.Sample(i, start))
	}
	l.acts = &heldActs{}
	l.open(change...)
	return l
}

// open starts a workbench on the lab's server, as a restart does.
func (l *lab) open(change ...func(*Config)) {
	store, err := later.Open(filepath.Join(l.dir, "later.json"), l.now)
	require.NoError(l.t, err)
	keys := 0
	cfg := Config{
		Server: "127.0.0.1:7171", Remote: idle{l.server}, Acts: l.acts, Later: store, Keys: action.Default(),
		Now:    func() time.Time { return l.now },
		NewKey: func() string { keys++; return fmt.Sprintf("act-%d-%d", l.now.UnixNano(), keys) },
	}
	for _, c := range change {
		c(&cfg)
	}
	l.model = New(l.t.Context(), cfg)
	l.model.Env().After = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		if _, ok := msg.(resyncDue); ok {
			l.due = append(l.due, msg)
		}
		return nil
	}
	l.run(l.model.Init())
	l.send(tea.WindowSizeMsg{Width: 80, Height: 24})
}

// send gives the model a message and runs all that comes of it.
func (l *lab) send(msg tea.Msg) {
	l.t.Helper()
	_, cmd := l.model.Update(msg)
	l.run(cmd)
}

func (l *lab) run(cmd tea.Cmd) {
	l.t.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			l.run(c)
		}
	case tea.QuitMsg:
		l.quit = true
	default:
		if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() { // a sequence
			for i := range v.Len() {
				l.run(v.Index(i).Interface().(tea.Cmd))
			}
			return
		}
		l.send(msg)
	}
}

// press types keys by their names.
func (l *lab) press(names ...string) {
	l.t.Helper()
	for _, n := range names {
		l.send(keyOf(n))
	}
}

var special = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"backspace": tea.KeyBackspace, "space": tea.KeySpace, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd,
}

func keyOf(name string) tea.KeyPressMsg {
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	if code, ok := special[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	r, _ := utf8.DecodeRuneInString(name)
	return tea.KeyPressMsg{Code: r, Text: name}
}

// typed types a text letter by letter.
func (l *lab) typed(text string) {
	for _, r := range text {
		l.press(string(r))
	}
}

// pass moves the clock.
func (l *lab) pass(d time.Duration) { l.now = l.now.Add(d) }

// deliver lets the server answer every act that waits.
func (l *lab) deliver() {
	l.t.Helper()
	for len(l.acts.pending) > 0 {
		l.deliverOne()
	}
	l.settle()
}

// settle lets the timers run out.
func (l *lab) settle() {
	l.t.Helper()
	for len(l.due) > 0 {
		msg := l.due[0]
		l.due = l.due[1:]
		l.send(msg)
	}
}

// deliverOne sends the oldest act; a failure that is not final is told and leaves it there.
func (l *lab) deliverOne() {
	l.t.Helper()
	a := l.acts.pending[0]
	var id uuid.UUID
	if a.ID != nil {
		id = *a.ID
	} else if known, ok := l.acts.verdicts[a.Of]; ok {
		id = known
	}
	r, err := Deliver(l.server)(l.t.Context(), a, id)
	l.acts.pending = l.acts.pending[1:]
	e := outbox.Event{Act: a, Delivered: &r}
	if err != nil {
		e = outbox.Event{Act: a, Refused: err}
	} else if r.Verdict != nil {
		l.acts.verdicts[a.Key] = r.Verdict.ID
	}
	l.send(actHeard{event: e})
}

// held tells the model that the oldest act waits.
func (l *lab) held(err error) {
	l.send(actHeard{event: outbox.Event{Act: l.acts.pending[0], Held: &outbox.Hold{Err: err, Attempt: 1}}})
}

// event tells the model of an event, and lets the time pass after which it is acted on.
func (l *lab) event(kind string) {
	l.model.stream.open = silent{}
	l.send(eventHeard{generation: l.model.stream.generation, event: api.Event{ID: "e1", Kind: kind}})
	l.settle()
}

// screen is what is on the terminal, without styles; every row as wide as the terminal, or less.
func (l *lab) screen() string {
	l.t.Helper()
	content := l.model.View().Content
	rows := strings.Split(ansi.Strip(content), "\n")
	require.LessOrEqual(l.t, len(rows), l.model.height, "too many rows")
	for i, r := range rows {
		require.LessOrEqual(l.t, ansi.StringWidth(r), l.model.width, "row %d is too wide: %q", i, r)
		rows[i] = strings.TrimRight(r, " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

// shows wants a text on the screen, and lacks wants it absent.
func (l *lab) shows(want ...string) {
	l.t.Helper()
	for _, w := range want {
		require.Contains(l.t, l.screen(), w)
	}
}

func (l *lab) lacks(text string) { l.t.Helper(); require.NotContains(l.t, l.screen(), text) }

func (l *lab) selected() string {
	c, _ := l.model.queue.Queue.Selected()
	return c.First.Title
}

func (l *lab) row(i int) string { return l.model.queue.Queue.Row(i).ID }

// heldActs is an outbox whose acts wait for the test.
type heldActs struct {
	pending  []outbox.Act
	all      []outbox.Act
	verdicts map[string]uuid.UUID
	kicks    int
}

func (h *heldActs) Add(a outbox.Act) {
	if h.verdicts == nil {
		h.verdicts = map[string]uuid.UUID{}
	}
	h.pending, h.all = append(h.pending, a), append(h.all, a)
}
func (h *heldActs) Pending() []outbox.Act { return append([]outbox.Act(nil), h.pending...) }
func (h *heldActs) Kick()                 { h.kicks++ }
func (h *heldActs) Next(context.Context) (outbox.Event, error) {
	return outbox.Event{}, errors.New("the test sends the events")
}

// idle is the fake server with an event stream that the test feeds.
type idle struct{ *fake.Server }

func (i idle) Stream(ctx context.Context, after string) (Stream, error) {
	if _, err := i.Events(ctx, after); err != nil {
		return nil, err
	}
	return silent{}, nil
}

type silent struct{}

func (silent) Next() (api.Event, error) { return api.Event{}, errors.New("the test sends the events") }
func (silent) Close()                   {}

var controlBytes = regexp.MustCompile(`[\x00-\x09\x0b-\x1f\x7f\x{80}-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)
