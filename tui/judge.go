package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/outbox"
	"wiki/tui/screen"
	"wiki/tui/undo"
	"wiki/tui/when"
)

// target is the pair that a verdict is for: the one on screen.
func (m *Model) target() (api.Conflict, bool) {
	if m.active == action.ScreenPair {
		return m.pair.Conflict()
	}
	return m.queue.Queue.Selected()
}

// judge records a verdict and walks on at once: the outbox sees to the rest.
func (m *Model) judge(id action.ID) tea.Cmd {
	if pairs := m.marked(); len(pairs) > 0 {
		return m.preview(id, pairs)
	}
	c, ok := m.target()
	if !ok {
		return nil
	}
	v, ok := m.pair.Verdict(id, c)
	if !ok {
		return nil
	}
	m.record(c.ID, v, undo.Describe(v.Disposition, v.Authoritative, refOf(c.First), refOf(c.Second)))
	m.session.judged(v.Disposition, m.cfg.Now())
	return m.advance(c.ID)
}

func refOf(s api.ConflictSide) api.ArticleRef { return api.ArticleRef{ID: s.ID, Title: s.Title} }

// record hands a verdict to the outbox and takes the pair from the list.
func (m *Model) record(pair string, v api.NewVerdict, what string) {
	m.add(outbox.Act{Kind: outbox.Judge, Pair: pair, What: what, Verdict: &v})
	m.queue.Queue.Judge(pair)
	m.queue.Acted()
	m.deferUntil(pair, time.Time{})
}

// add gives an act its key and hands it to the outbox.
func (m *Model) add(a outbox.Act) outbox.Act {
	a.Key, a.At = m.cfg.NewKey(), m.cfg.Now()
	m.ledger.Add(a)
	m.cfg.Acts.Add(a)
	return a
}

// advance goes on after something was done with a pair: to the next one to do on the Pair screen, and to the end-of-queue
// screen after the last.
func (m *Model) advance(from string) tea.Cmd {
	ahead := m.queue.Queue.Ahead(from, 1, m.cfg.Now())
	if m.active != action.ScreenPair {
		if len(ahead) > 0 {
			m.queue.Queue.Select(ahead[0])
		}
		return m.pair.Prefetch(m.queue.Queue.Ahead(from, prefetched, m.cfg.Now()))
	}
	if len(ahead) == 0 {
		return tea.Batch(m.switchTo(action.ScreenConflicts), m.pair.Clear())
	}
	return m.showPair(ahead[0])
}

func (m *Model) skip() tea.Cmd {
	if pairs := m.marked(); len(pairs) > 0 {
		return m.preview(action.Skip, pairs)
	}
	c, ok := m.target()
	if !ok {
		return nil
	}
	m.session.Skipped++
	return m.leave(c.ID, func() { m.queue.Queue.Skip(c.ID) }, "skipped for now: it stays in the queue")
}

func (m *Model) deferPair() tea.Cmd {
	if pairs := m.marked(); len(pairs) > 0 {
		return m.preview(action.Defer, pairs)
	}
	c, ok := m.target()
	if !ok {
		return nil
	}
	until := m.tomorrow()
	m.session.Deferred++
	cmd := m.leave(c.ID, func() { m.queue.Queue.Defer(c.ID, until) }, "deferred until "+when.Clock(until, m.cfg.Now()))
	return tea.Batch(cmd, m.deferUntil(c.ID, until))
}

// leave marks a pair that gets no verdict now, and goes on to the next.
func (m *Model) leave(id string, mark func(), note string) tea.Cmd {
	mark()
	m.queue.Acted()
	m.say(screen.Note{Text: note})
	return m.advance(id)
}

// deferralsSaved is a message: the deferred pairs are on disk, or not.
type deferralsSaved struct{ err error }

// deferUntil keeps a deferral for the next session, or drops it.
func (m *Model) deferUntil(pair string, until time.Time) tea.Cmd {
	if until.IsZero() {
		m.cfg.Later.Drop(pair)
	} else {
		m.cfg.Later.Set(pair, until)
	}
	return m.saveDeferrals()
}

func (m *Model) saveDeferrals() tea.Cmd {
	save := m.cfg.Later.Snapshot()
	return func() tea.Msg { return deferralsSaved{err: save()} }
}

// undo takes back the newest act; of a verdict it shows the pair again.
func (m *Model) undo() tea.Cmd {
	item, _, ok := m.ledger.Undo()
	if !ok {
		return nil
	}
	switch {
	case item.Deed != nil:
		m.session.Undone++
		return m.giveAs("taken back: ", *item.Deed)
	case len(item.With) > 0:
		return m.undoTogether(item)
	}
	m.add(outbox.Act{Kind: item.Kind, Pair: item.Pair, What: item.What, ID: item.ID, Of: item.Of})
	m.queue.Queue.Return(item.Pair)
	m.pair.Reopen(item.Pair)
	m.session.Undone++
	m.say(screen.Note{Text: "taken back: " + item.What})
	changed := m.pair.Changed(item.Pair)
	if m.active == action.ScreenPair {
		return tea.Batch(changed, m.showPair(item.Pair))
	}
	m.queue.Queue.Want(item.Pair)
	return changed
}

// redo does again what was taken back last.
func (m *Model) redo() tea.Cmd {
	item, ok := m.ledger.Redo()
	if !ok {
		return nil
	}
	switch {
	case item.Deed != nil:
		return m.giveAs("done again: ", *item.Deed)
	case len(item.With) > 0:
		m.redoTogether(item)
		return nil
	}
	m.record(item.Pair, item.Verdict, item.What)
	m.session.judged(item.Verdict.Disposition, m.cfg.Now())
	m.say(screen.Note{Text: "done again: " + item.What})
	if m.active == action.ScreenPair && m.pair.ID() == item.Pair {
		return m.advance(item.Pair)
	}
	return nil
}

// waiting is how many verdicts wait for execution, those on their way included.
func (m *Model) waiting() int {
	n := m.queue.Queue.Waiting()
	for _, a := range m.cfg.Acts.Pending() {
		if a.Kind == outbox.Judge && a.Verdict != nil && a.Verdict.Disposition != "dismiss" {
			n++
		}
	}
	return n
}

// execute applies the verdicts that wait. It goes through the outbox: after the verdicts given before it.
func (m *Model) execute() tea.Cmd {
	m.add(outbox.Act{Kind: outbox.Execute, What: "execute " + when.Count(m.waiting(), "verdict", "verdicts")})
	m.say(screen.Note{Text: "executing"})
	return nil
}
