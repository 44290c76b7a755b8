package tui

import (
	tea "charm.land/bubbletea/v2"

	"wiki/tui/action"
	"wiki/tui/outbox"
	"wiki/tui/proposals"
	"wiki/tui/screen"
)

// commit does what a screen asks for, after asking the curator where the screen says so.
func (m *Model) commit(d screen.Deed) tea.Cmd {
	if d.Ask == nil {
		return m.give(d.Act)
	}
	return m.push(&confirm{
		title: d.Ask.Title, lines: d.Ask.Lines, verb: d.Ask.Verb,
		yes: func(m *Model) tea.Cmd { return m.give(d.Act) },
	})
}

// give hands an act to the outbox and tells the screens.
func (m *Model) give(a outbox.Act) tea.Cmd { return m.giveAs("on its way: ", a) }

func (m *Model) giveAs(how string, a outbox.Act) tea.Cmd {
	a = m.add(a)
	m.session.did(a)
	m.say(screen.Note{Text: how + a.What})
	return m.hearAll(screen.Given{Act: a})
}

// homes are the screens on which acts that are about no pair can be looked at again.
var homes = map[outbox.Kind]action.ID{
	outbox.Lift: action.ScreenSuppressed, outbox.Suppress: action.ScreenSuppressed,
	outbox.Publish: action.ScreenDrafts, outbox.Unpublish: action.ScreenDrafts, outbox.Discard: action.ScreenDrafts, outbox.Reopen: action.ScreenDrafts,
	outbox.Edit: action.ScreenDrafts, outbox.Restore: action.ScreenSearch,
	outbox.Adopt: action.ScreenDrift, outbox.Drop: action.ScreenDrift,
	outbox.Approve: action.ScreenProposals, outbox.Reject: action.ScreenProposals, outbox.Recall: action.ScreenProposals,
}

// home gives the screen on which an act that was not done can be looked at again; false when there is none.
func (m *Model) home(a outbox.Act) (action.ID, bool) {
	id, known := homes[a.Kind]
	return id, known && m.screens[id] != nil
}

// doneNote says what the server made of an act on something that is no pair.
func doneNote(a outbox.Act, r outbox.Result) screen.Note {
	if r.Run == nil {
		if a.Back {
			return screen.Note{Text: "taken back: " + a.What}
		}
		return screen.Note{Text: "done: " + a.What}
	}
	n := screen.Note{Text: a.What + ": " + proposals.Outcome(r.Counts)}
	if r.Run.Left > 0 {
		n.Text += "; the server carries on with the rest"
	}
	n.Bad = r.Counts["errored"] > 0
	return n
}
