package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/conflicts"
	"wiki/tui/outbox"
	"wiki/tui/queue"
	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/undo"
	"wiki/tui/when"
)

// together is what can be done with all marked pairs of the queue at once.
type together struct {
	title  string // of n pairs
	verb   string
	effect string
	each   func(m *Model, pairs []api.Conflict) tea.Cmd
	judges bool // a verdict: the server may refuse it
}

var togethers = map[action.ID]together{
	action.Dismiss: {
		title: "Both stand, in %s?", verb: "Record %s", judges: true, each: (*Model).dismissAll,
		effect: "Those pairs leave the queue at once, and no article is changed. One undo takes all of them back.",
	},
	action.Skip: {
		title: "Skip %s?", verb: "Skip %s", each: (*Model).skipAll,
		effect: "They stay in the queue, and come up again at its end. Nothing is recorded.",
	},
	action.Defer: {
		title: "Put %s away until tomorrow?", verb: "Defer %s", each: (*Model).deferAll,
		effect: "On this machine only. Nothing is recorded.",
	},
}

// marked gives the pairs that an act on the queue is on: none means the selected one.
func (m *Model) marked() []api.Conflict {
	if m.active != action.ScreenConflicts {
		return nil
	}
	return m.queue.Queue.Chosen()
}

// preview shows what would become of each marked pair, and asks.
func (m *Model) preview(id action.ID, pairs []api.Conflict) tea.Cmd {
	t := togethers[id]
	var does []api.Conflict
	var lines, left []string
	for _, c := range pairs {
		if why := m.whyNotJudge(c); why != "" && t.judges {
			left = append(left, "not "+namePair(c)+": "+why)
			continue
		}
		does = append(does, c)
		lines = append(lines, "· "+namePair(c)+differs(c))
	}
	n := when.Count(len(does), "pair", "pairs")
	of, all := n, []string{t.effect}
	if len(does) == 0 {
		m.say(screen.Note{Text: "none of the marked pairs can be judged now: " + left[0], Bad: true})
		return nil
	}
	if len(left) > 0 {
		of = fmt.Sprintf("%d of %s", len(does), when.Count(len(pairs), "pair", "pairs"))
		all = append([]string{fmt.Sprintf("%d will be recorded, %d will not.", len(does), len(left)), t.effect}, left...)
	}
	return m.push(&confirm{
		title: fmt.Sprintf(t.title, of), lines: append(all, lines...), verb: fmt.Sprintf(t.verb, n),
		yes: func(m *Model) tea.Cmd { return t.each(m, does) },
	})
}

// whyNotJudge says why the server would refuse a verdict on a pair, as far as that is known here; "" = it would not.
func (m *Model) whyNotJudge(c api.Conflict) string {
	switch held := conflicts.HeldBy(c, m.env); {
	case c.State != "open" || m.queue.Queue.MarkOf(c.ID, m.cfg.Now()) == queue.Judged:
		return "it has a verdict already"
	case held != "":
		return "held by " + text.InertLine(held) + " just now"
	case c.Kind == "asserted" && c.FlaggedBy == m.who.Principal && m.who.Principal != "":
		return "you flagged it, so somebody else judges it"
	}
	return ""
}

func namePair(c api.Conflict) string {
	return "“" + text.InertLine(c.First.Title) + "” / “" + text.InertLine(c.Second.Title) + "”"
}

func differs(c api.Conflict) string {
	if len(c.Differing) == 0 {
		return ""
	}
	return " (" + conflicts.Differing(c.Differing) + ")"
}

// tally counts what became of acts that were given together.
type tally struct{ left, done, refused int }

// dismissAll records that both stand, for each pair by itself, so that one that is refused holds no other up.
func (m *Model) dismissAll(pairs []api.Conflict) tea.Cmd {
	batch := m.cfg.NewKey()
	m.tallies[batch] = &tally{left: len(pairs)}
	for _, c := range pairs {
		v, _ := m.pair.Verdict(action.Dismiss, c)
		m.add(outbox.Act{
			Kind: outbox.Judge, Pair: c.ID, Batch: batch, Verdict: &v,
			What: undo.Describe(v.Disposition, v.Authoritative, refOf(c.First), refOf(c.Second)),
		})
		m.queue.Queue.Judge(c.ID)
		m.cfg.Later.Drop(c.ID)
	}
	m.session.judgedTogether(string(wiki.Dismiss), len(pairs), m.cfg.Now())
	m.queue.Acted()
	m.say(screen.Note{Text: "on its way: " + undo.SayTogether(len(pairs))})
	return m.saveDeferrals()
}

func (m *Model) skipAll(pairs []api.Conflict) tea.Cmd {
	for _, c := range pairs {
		m.queue.Queue.Choose(c.ID, false)
		m.queue.Queue.Skip(c.ID)
	}
	m.session.Skipped += len(pairs)
	m.queue.Acted()
	m.say(screen.Note{Text: when.Count(len(pairs), "pair", "pairs") + " skipped for now"})
	return m.advance("")
}

func (m *Model) deferAll(pairs []api.Conflict) tea.Cmd {
	until := m.tomorrow()
	for _, c := range pairs {
		m.queue.Queue.Choose(c.ID, false)
		m.queue.Queue.Defer(c.ID, until)
		m.cfg.Later.Set(c.ID, until)
	}
	m.session.Deferred += len(pairs)
	m.queue.Acted()
	m.say(screen.Note{Text: when.Count(len(pairs), "pair", "pairs") + " deferred until " + when.Clock(until, m.cfg.Now())})
	return tea.Batch(m.advance(""), m.saveDeferrals())
}

func (m *Model) tomorrow() time.Time {
	now := m.cfg.Now()
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, now.Location())
}

// undoTogether takes back verdicts that were given together.
func (m *Model) undoTogether(item undo.Item) tea.Cmd {
	items := append([]undo.Item{item}, item.With...)
	var ids []string
	for _, i := range items {
		m.add(outbox.Act{Kind: i.Kind, Pair: i.Pair, What: i.What, ID: i.ID, Of: i.Of})
		m.queue.Queue.Return(i.Pair)
		m.pair.Reopen(i.Pair)
		ids = append(ids, i.Pair)
	}
	m.session.Undone += len(items)
	m.say(screen.Note{Text: "taken back: " + item.What})
	m.queue.Queue.Want(item.Pair)
	return m.pair.Changed(ids...)
}

// redoTogether gives again verdicts that were taken back together.
func (m *Model) redoTogether(item undo.Item) {
	items := append([]undo.Item{item}, item.With...)
	batch := m.cfg.NewKey()
	m.tallies[batch] = &tally{left: len(items)}
	for _, i := range items {
		v := i.Verdict
		m.add(outbox.Act{Kind: outbox.Judge, Pair: i.Pair, Batch: batch, What: i.What, Verdict: &v})
		m.queue.Queue.Judge(i.Pair)
	}
	m.session.judgedTogether(item.Verdict.Disposition, len(items), m.cfg.Now())
	m.queue.Acted()
	m.say(screen.Note{Text: "done again: " + item.What})
}

// counted notes what became of one of several acts that were given together, and says how it went when it was the last.
func (m *Model) counted(a outbox.Act, refused bool) {
	t := m.tallies[a.Batch]
	if t == nil {
		return
	}
	t.left--
	if refused {
		t.refused++
	} else {
		t.done++
	}
	if t.left > 0 {
		return
	}
	delete(m.tallies, a.Batch)
	n := screen.Note{Text: when.Count(t.done, "verdict", "verdicts") + " recorded"}
	if t.refused > 0 {
		n = screen.Note{Text: fmt.Sprintf("%s, %d not: those pairs are back in the queue", n.Text, t.refused), Bad: true}
	}
	m.say(n)
}
