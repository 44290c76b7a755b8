package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiki/tui/action"
	"wiki/tui/screen"
)

// A dialog that opens by itself swallows the keys that were on their way to what was there before: until none has come for
// quietKeys, but not longer than quietMost.
const (
	quietKeys = 425 * time.Millisecond
	quietMost = 1500 * time.Millisecond
)

// calm is such a time. The zero value is over.
type calm struct{ opened, last time.Time }

func (c *calm) begin(now time.Time) { c.opened, c.last = now, now }

// swallows says whether a key that comes now was meant for something else.
func (c *calm) swallows(now time.Time) bool {
	if c.opened.IsZero() || now.Sub(c.last) >= quietKeys || now.Sub(c.opened) >= quietMost {
		c.opened = time.Time{}
		return false
	}
	c.last = now
	return true
}

// key routes a key: the top layer first, which lets none through; then the screen and the global actions.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	if m.calm.swallows(m.cfg.Now()) {
		return nil
	}
	contexts := m.contexts()
	a, found := m.lookup(k, contexts)
	top := m.top()
	switch {
	case found && top != nil:
		return top.do(m, a.ID)
	case top != nil:
		return top.key(m, k)
	case found:
		return m.run(a)
	case slices.Contains(contexts, action.Field):
		return m.current().Key(k)
	}
	return nil
}

// lookup finds the action of a key; on a keyboard of another script, that of the same key on a Latin one, when the terminal
// tells.
func (m *Model) lookup(k tea.KeyPressMsg, contexts []action.Context) (action.Action, bool) {
	if a, found := m.table.Lookup(k.String(), contexts...); found {
		return a, true
	}
	typing := slices.Contains(contexts, action.Field) || slices.Contains(contexts, action.Help)
	if k.BaseCode == 0 || k.BaseCode == k.Code || typing {
		return action.Action{}, false
	}
	name := string(k.BaseCode)
	if k.Mod.Contains(tea.ModShift) {
		name = string(k.BaseCode - 'a' + 'A')
	}
	return m.table.Lookup(name, contexts...)
}

// contexts lists where keys are looked up now.
func (m *Model) contexts() []action.Context {
	if top := m.top(); top != nil {
		return []action.Context{top.context()}
	}
	if m.gate.kind != gateOpen {
		return []action.Context{action.Gate}
	}
	own := m.current().Contexts()
	if slices.ContainsFunc(own, func(c action.Context) bool { return slices.Contains(action.Layers, c) }) {
		return own
	}
	return append(slices.Clone(own), action.Global)
}

// run does an action, or says why it cannot be done now.
func (m *Model) run(a action.Action) tea.Cmd {
	if why := a.Why(m.state()); why != "" {
		m.say(screen.Note{Text: a.Label + ": " + why, Bad: true})
		return nil
	}
	m.note = screen.Note{}
	if do, global := m.handlers()[a.ID]; global {
		return do()
	}
	if m.gate.kind != gateOpen {
		return nil
	}
	if s, ok := m.current().(screen.Acting); ok {
		if d := s.Deed(a.ID); d != nil {
			return m.commit(*d)
		}
	}
	return m.current().Do(a.ID)
}

// handlers are the actions that the root does itself.
func (m *Model) handlers() map[action.ID]func() tea.Cmd {
	judge := func(id action.ID) func() tea.Cmd { return func() tea.Cmd { return m.judge(id) } }
	to := func(id action.ID) func() tea.Cmd { return func() tea.Cmd { return m.switchTo(id) } }
	all := map[action.ID]func() tea.Cmd{
		action.Quit:            m.quit,
		action.Retry:           m.retry,
		action.Back:            m.back,
		action.HelpOpen:        func() tea.Cmd { return m.push(newHelp(m)) },
		action.PaletteOpen:     func() tea.Cmd { return m.push(newPalette(m)) },
		action.Statistics:      func() tea.Cmd { return m.push(&statistics{}) },
		action.Undo:            m.undo,
		action.Redo:            m.redo,
		action.Execute:         func() tea.Cmd { return m.push(newExecute(m)) },
		action.Refresh:         func() tea.Cmd { return tea.Batch(m.resync(), m.current().Do(action.Refresh)) },
		action.ScreenConflicts: to(action.ScreenConflicts),
		action.ScreenPair:      m.openPair,
		action.NextPair:        func() tea.Cmd { return m.walk(1) },
		action.PrevPair:        func() tea.Cmd { return m.walk(-1) },
		action.Dismiss:         judge(action.Dismiss),
		action.KeepLeft:        judge(action.KeepLeft),
		action.KeepRight:       judge(action.KeepRight),
		action.MergeBoth:       judge(action.MergeBoth),
		action.Skip:            m.skip,
		action.Defer:           m.deferPair,
	}
	for id := range m.screens {
		if _, own := all[id]; !own {
			all[id] = to(id)
		}
	}
	return all
}

// paste puts pasted text where text is being typed. It never acts.
func (m *Model) paste(text string) {
	switch top := m.top(); {
	case top != nil:
		top.paste(text)
	case slices.Contains(m.contexts(), action.Field):
		m.current().Paste(text)
	}
}

func (m *Model) quit() tea.Cmd {
	m.quitting = true
	return tea.Quit // Leave does the rest, bounded: a server that is silent must not hold the terminal
}

// back goes from a screen to what it was opened from.
func (m *Model) back() tea.Cmd {
	if cmd, done := m.current().Back(); done {
		return cmd
	}
	return m.switchTo(action.ScreenConflicts)
}

func (m *Model) openPair() tea.Cmd {
	if c, ok := m.queue.Queue.Selected(); ok && m.active == action.ScreenConflicts {
		return m.showPair(c.ID)
	}
	return m.switchTo(action.ScreenPair)
}

// walk shows the next or previous pair of the list.
func (m *Model) walk(by int) tea.Cmd {
	m.queue.Queue.Select(m.pair.ID())
	before := m.queue.Queue.Position()
	m.queue.Queue.Move(by)
	c, ok := m.queue.Queue.Selected()
	if !ok || m.queue.Queue.Position() == before && c.ID == m.pair.ID() {
		m.say(screen.Note{Text: "this is the end of the list"})
		return nil
	}
	return m.showPair(c.ID)
}
