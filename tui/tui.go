// Package tui is the curation workbench. Its one tea.Model, Model, routes keys and messages to the screens, keeps what they
// share (the link, the outbox, undo), and draws the frame around them.
package tui

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/conflicts"
	"wiki/tui/later"
	"wiki/tui/link"
	"wiki/tui/pair"
	"wiki/tui/screen"
	"wiki/tui/theme"
	"wiki/tui/undo"
)

// Config is what a workbench is made of.
type Config struct {
	Server string // address, for people
	Remote Remote // nil: there is no server to talk to, and Missing says why
	Acts   Acts
	Later  *later.Store
	Keys   action.Table
	// Missing explains what has to be done before there is a server to talk to; shown instead of the screens.
	Missing []string
	Screens map[action.ID]func(env *screen.Env) screen.Screen // beside Conflicts and Pair
	Theme   string                                            // dark or light to force one; "" asks the terminal
	Now     func() time.Time
	NewKey  func() string // idempotency keys
	Notes   []string      // shown one after the other at the start, such as acts left from last time
}

// Model is the root.
type Model struct {
	cfg   Config
	ctx   context.Context
	env   *screen.Env
	table action.Table

	profile colorprofile.Profile
	dark    bool
	width   int
	height  int

	active    action.ID
	queue     *conflicts.Screen
	pair      *pair.Screen
	screens   map[action.ID]screen.Screen
	order     []screen.Screen
	has       map[action.ID]bool // the screens of this program
	layers    []layer
	gate      gate
	calm      calm
	note      screen.Note
	noteUntil time.Time

	who      api.Whoami
	link     link.Link
	stream   liveStream
	ledger   undo.Ledger
	logAsked bool
	logAgain bool
	logEpoch int
	held     string // why the first act of the outbox waits
	tallies  map[string]*tally
	session  Session
	quitting bool
}

// New makes the workbench. The context ends every call to the server.
func New(ctx context.Context, cfg Config) *Model {
	m := &Model{cfg: cfg, ctx: ctx, table: cfg.Keys, profile: colorprofile.TrueColor, dark: cfg.Theme != "light", active: action.ScreenConflicts}
	m.env = screen.NewEnv(ctx, theme.For(m.profile, m.dark), cfg.Now)
	m.queue = conflicts.New(m.env, cfg.Remote)
	m.pair = pair.New(m.env, cfg.Remote, m.queue.Queue.Find)
	m.pair.SetKeys(m.keyOf)
	m.screens = map[action.ID]screen.Screen{action.ScreenConflicts: m.queue, action.ScreenPair: m.pair}
	m.order = []screen.Screen{m.queue, m.pair}
	for _, id := range slices.Sorted(maps.Keys(cfg.Screens)) {
		s := cfg.Screens[id](m.env)
		m.screens[id] = s
		m.order = append(m.order, s)
	}
	m.has = map[action.ID]bool{}
	for id := range m.screens {
		m.has[id] = true
	}
	m.tallies = map[string]*tally{}
	m.session = Session{Started: cfg.Now()}
	for id, until := range cfg.Later.All() {
		m.queue.Queue.Defer(id, until)
	}
	for _, a := range cfg.Acts.Pending() {
		m.ledger.Add(a)
		if a.Verdict != nil {
			m.queue.Queue.Judge(a.Pair)
		}
		m.hearAll(screen.Given{Act: a}) // no command comes of it: nothing has been read yet
	}
	if cfg.Remote == nil {
		m.gate = gate{kind: gateMissing}
	}
	return m
}

// Env is what the screens share; tests replace its timer.
func (m *Model) Env() *screen.Env { return m.env }

// Init implements tea.Model. Nothing is waited for: the first frame needs no answer from terminal or server.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.nextAct(), m.tick()}
	if m.cfg.Theme == "" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	for _, n := range m.cfg.Notes {
		cmds = append(cmds, screen.Notify(n, false))
	}
	if m.cfg.Remote != nil {
		cmds = append(cmds, m.identify(), m.queue.Load(), m.readLog(), m.openStream())
	}
	return tea.Batch(cmds...)
}

// Session gives the numbers of the session, for the summary printed after it.
func (m *Model) Session() Session { return m.session }

// current is the screen shown.
func (m *Model) current() screen.Screen { return m.screens[m.active] }

// keyOf gives the key of an action and why it cannot be done now.
func (m *Model) keyOf(id action.ID) (key, why string) {
	a, _ := m.table.ByID(id)
	return a.Key(), a.Why(m.state())
}

// state collects what decides which actions are available.
func (m *Model) state() action.State {
	s := action.State{Role: m.who.Role, Linked: m.link.Up(), Waiting: m.waiting(), Rows: m.queue.Queue.Len()}
	item, whyNot, ok := m.ledger.Undo()
	if ok {
		s.Undo = item.What
	}
	s.UndoWhyNot = whyNot
	if item, ok := m.ledger.Redo(); ok {
		s.Redo = item.What
	}
	s.Screens = m.has
	m.current().Facts(&s)
	return s
}
