package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"wiki/tui/action"
	"wiki/tui/screen"
	"wiki/tui/theme"
)

// Update implements tea.Model: it routes, and leaves the work to the handlers.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var heard tea.Cmd
	if a, ok := msg.(screen.Answer); ok {
		heard = m.reached(a.Failure())
	}
	return m, tea.Batch(heard, m.route(msg))
}

func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return m.hearAll(msg)
	case tea.ColorProfileMsg:
		m.retheme(msg.Profile, m.dark)
		return m.hearAll(msg)
	case tea.BackgroundColorMsg:
		m.retheme(m.profile, msg.IsDark())
		return m.hearAll(msg)
	case screen.Note:
		m.say(msg)
	case screen.ShowPair:
		return m.showPair(msg.ID)
	case Do:
		return m.do(msg.ID)
	case screen.Deed:
		return m.commit(msg)
	case screen.ReadArticle:
		return m.readArticle(msg)
	case identified:
		return m.heardWho(msg)
	case actHeard:
		return m.heardAct(msg)
	case logRead:
		return m.heardLog(msg)
	case streamOpened:
		return m.heardStream(msg)
	case eventHeard:
		return m.heardEvent(msg)
	case reconnectDue:
		return m.reconnect(msg)
	case resyncDue:
		return m.resync()
	case deferralsSaved:
		if msg.err != nil {
			m.say(screen.Note{Text: "the deferral could not be kept for the next session: " + msg.err.Error(), Bad: true})
		}
	case ticked:
		return m.tick()
	default:
		return m.hearAll(msg)
	}
	return nil
}

// hearAll hands a message to every screen: its screen may not be the one shown.
func (m *Model) hearAll(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, s := range m.order {
		cmds = append(cmds, s.Heard(msg))
	}
	if m.queue.Fresh() {
		m.link.Resynced(m.cfg.Now())
	}
	return tea.Batch(cmds...)
}

func (m *Model) resize(width, height int) {
	m.width, m.height = width, height
	for _, s := range m.order {
		s.SetSize(width, max(1, height-chromeRows))
	}
}

func (m *Model) retheme(p colorprofile.Profile, dark bool) {
	m.profile = p
	if m.cfg.Theme == "" {
		m.dark = dark
	}
	m.env.Theme = theme.For(p, m.dark)
	for _, s := range m.order { // signs take room: lay out again
		s.SetSize(0, 0)
	}
	m.resize(m.width, m.height)
}

// noteFor is how long a note stays.
const noteFor = 8 * time.Second

func (m *Model) say(n screen.Note) {
	m.note, m.noteUntil = n, m.cfg.Now().Add(noteFor)
}

// ticked is a message: the clock on screen has moved.
type ticked struct{}

const tickEvery = time.Second

func (m *Model) tick() tea.Cmd { return m.env.After(tickEvery, ticked{}) }

// switchTo shows another screen.
func (m *Model) switchTo(id action.ID) tea.Cmd {
	if id == m.active {
		return nil
	}
	left := m.current().Left()
	m.active = id
	return tea.Batch(left, m.current().Entered())
}

// showPair shows a pair and reads the next ones ahead.
func (m *Model) showPair(id string) tea.Cmd {
	m.queue.Queue.Select(id)
	show := m.pair.Show(id)
	return tea.Batch(show, m.switchTo(action.ScreenPair), m.pair.Prefetch(m.queue.Queue.Ahead(id, prefetched, m.cfg.Now())))
}

// prefetched is how many pairs are read ahead.
const prefetched = 3

func (m *Model) readArticle(msg screen.ReadArticle) tea.Cmd {
	s := m.screens[action.ScreenSearch]
	if s == nil {
		return nil
	}
	return tea.Batch(m.switchTo(action.ScreenSearch), s.Heard(msg))
}
