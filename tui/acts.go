package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/conflicts"
	"wiki/tui/outbox"
	"wiki/tui/screen"
	"wiki/tui/when"
)

// actHeard is a message: something became of an act.
type actHeard struct {
	event outbox.Event
	err   error
}

// nextAct waits for the outbox.
func (m *Model) nextAct() tea.Cmd {
	acts, ctx := m.cfg.Acts, m.ctx
	return func() tea.Msg { // no call to the server: it may be long in coming
		e, err := acts.Next(ctx)
		return actHeard{event: e, err: err}
	}
}

func (m *Model) heardAct(h actHeard) tea.Cmd {
	if h.err != nil {
		return nil // the program is leaving
	}
	e := h.event
	var cmd tea.Cmd
	switch {
	case e.Held != nil:
		m.actHeld(*e.Held)
	case e.Unsaved != nil:
		m.letGo(e.Act)
		m.counted(e.Act, true)
		cmd = m.giveBack(e.Act, fmt.Errorf("it could not be written to disk, so it was not done: %w", e.Unsaved))
	case e.Refused != nil:
		m.letGo(e.Act)
		m.counted(e.Act, true)
		m.held = ""
		cmd = tea.Batch(m.reached(nil), m.giveBack(e.Act, e.Refused))
	case e.Delivered != nil:
		m.held = ""
		cmd = tea.Batch(m.reached(nil), m.delivered(e.Act, *e.Delivered))
	}
	return tea.Batch(cmd, m.nextAct())
}

// letGo notes that an act was not done.
func (m *Model) letGo(a outbox.Act) {
	if a.Subject != nil {
		m.ledger.Refused(a)
		return
	}
	m.ledger.End(a, nil)
}

func (m *Model) actHeld(h outbox.Hold) {
	m.held = conflicts.Explain(h.Err)
	if h.Stuck {
		m.link.Blocked(m.cfg.Now(), m.held)
	} else {
		m.link.Failed(m.cfg.Now(), m.held)
	}
}

// delivered takes the server's word for an act.
func (m *Model) delivered(a outbox.Act, r outbox.Result) tea.Cmd {
	m.logEpoch++
	if a.Kind == outbox.Execute {
		m.ledger.End(a, nil)
		m.say(executedNote(r.Executed))
		return tea.Batch(m.resync(), m.readLog())
	}
	if a.Subject != nil {
		m.ledger.Done(a, r, m.cfg.Now())
		m.say(doneNote(a, r))
		return tea.Batch(m.hearAll(screen.Ended{Act: a, Result: r}), m.resyncSoon())
	}
	m.ledger.End(a, r.Verdict)
	soon := m.resyncSoon()
	if a.Kind == outbox.Withdraw || a.Kind == outbox.Revert {
		soon = tea.Batch(soon, m.pair.TakenBack(a.Pair))
	}
	if a.Kind == outbox.Judge && r.Verdict != nil {
		m.pair.Judged(a.Pair)
		m.queue.Queue.Accepted(a.Pair, r.Verdict.Executable)
		if !r.Verdict.Executable {
			m.say(screen.Note{Text: "recorded as advice: your key cannot retire an article, so the pair stays for a user"})
		}
		m.counted(a, false)
	}
	return soon
}

func executedNote(x *api.Executed) screen.Note {
	if x == nil {
		return screen.Note{}
	}
	n := screen.Note{Text: when.Count(x.Executed, "verdict", "verdicts") + " executed"}
	if x.Failed > 0 {
		n.Bad = true
		n.Text += fmt.Sprintf(", %d not", x.Failed)
		for _, r := range x.Results {
			if r.Code != "" {
				n.Text += ": " + r.Message
				break
			}
		}
	}
	if x.Left > 0 {
		n.Text += fmt.Sprintf("; %d still wait, X goes on", x.Left)
	}
	return n
}

// giveBack undoes on screen what the server or the disk refused, and says so in a dialog that opens by itself.
func (m *Model) giveBack(a outbox.Act, why error) tea.Cmd {
	var cmd tea.Cmd
	switch a.Kind {
	case outbox.Judge:
		m.queue.Queue.Return(a.Pair)
		m.session.returned()
		if a.Verdict != nil {
			m.pair.Keep(a.Pair, a.Verdict.Evidence)
		}
		cmd = m.pair.Changed(a.Pair)
	case outbox.Withdraw, outbox.Revert:
		m.queue.Queue.Judge(a.Pair)
		cmd = tea.Batch(m.readLog(), m.pair.TakenBack(a.Pair))
	}
	if a.Subject != nil {
		cmd = m.hearAll(screen.Ended{Act: a, Err: why})
	}
	if a.Kind != outbox.Judge && wiki.ErrorCode(why) == wiki.CodeNotFound {
		m.say(screen.Note{Text: conflicts.Explain(why)})
		return cmd
	}
	m.pushReturned(a, why)
	return tea.Batch(cmd, m.queue.Refresh())
}

// logRead is a message: the curator's verdicts and other acts, as the server has them.
type logRead struct {
	epoch            int
	acts             []api.AuditEntry
	recent, undoable []api.Verdict
	total            int
	err              error
}

// Failure implements screen.Answer.
func (l logRead) Failure() error { return l.err }

// logRows is how many verdicts are read of each kind, and how many other acts; older ones come up when those have been taken back.
const logRows = 100

// readLog reads what the curator did: the undo log.
func (m *Model) readLog() tea.Cmd {
	if m.logAsked {
		m.logAgain = true
		return nil
	}
	m.logAsked, m.logAgain = true, false
	epoch, remote, who := m.logEpoch, m.cfg.Remote, m.who.Principal
	return m.env.Call(func(ctx context.Context) tea.Msg {
		out := logRead{epoch: epoch}
		var meta api.Meta
		out.undoable, meta, out.err = remote.Verdicts(ctx, api.VerdictQuery{Mine: true, State: "undoable", Limit: logRows})
		if out.err != nil {
			return out
		}
		out.total = len(out.undoable)
		if meta.TotalCount != nil {
			out.total = *meta.TotalCount
		}
		out.recent, _, out.err = remote.Verdicts(ctx, api.VerdictQuery{Mine: true, Limit: logRows})
		if out.err != nil || who == "" {
			return out
		}
		out.acts, _, out.err = remote.Audit(ctx, api.AuditQuery{Principal: who, Limit: logRows})
		return out
	})
}

// heardLog takes the log, unless an act was answered since it was asked for: then the answer may be older.
func (m *Model) heardLog(l logRead) tea.Cmd {
	m.logAsked = false
	switch {
	case l.err != nil:
		return nil
	case l.epoch != m.logEpoch || m.logAgain:
		return m.readLog()
	}
	m.ledger.Read(l.recent, l.undoable, l.total)
	m.ledger.ReadActs(l.acts)
	return nil
}
