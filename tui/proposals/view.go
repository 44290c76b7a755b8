package proposals

import (
	"fmt"
	"strconv"
	"strings"

	"wiki/server/api"
	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/when"
)

const (
	listHead = 2  // rows above the list: states, column heads
	listFoot = 2  // below it: why, and the set, of the selected one
	wide     = 76 // columns from which the list says by whom and at what cost
)

func (s *Screen) listHeight() int { return max(1, s.height-listHead-listFoot) }

// View implements screen.Screen.
func (s *Screen) View() string {
	if s.one != nil {
		return screen.Filled(s.oneRows(), s.height)
	}
	return screen.Filled(s.listRows(), s.height)
}

func (s *Screen) listRows() []string {
	st := s.env.Theme.Styles
	rows := []string{screen.States(s.env.Theme, s.width, states, s.state)}
	height := max(1, s.height-1)
	switch {
	case s.list.Err() != nil:
		return append(rows, screen.Centred(s.env.Theme, s.width, height, "The proposals could not be read.", screen.Explain(s.list.Err()), "ctrl+r reads them again.")...)
	case !s.list.Loaded():
		return append(rows, screen.Centred(s.env.Theme, s.width, height, "Reading the proposals…")...)
	case s.list.Len() == 0 && states[s.state] == pending:
		return append(rows, screen.Centred(s.env.Theme, s.width, height, "No proposal waits.",
			"When somebody proposes to archive, delete, publish or retag a set of articles, it waits here for a person.")...)
	case s.list.Len() == 0:
		return append(rows, screen.Centred(s.env.Theme, s.width, height, "No proposal is "+states[s.state]+".")...)
	}
	last := "costs"
	if states[s.state] != pending {
		last = "outcome"
	}
	rows = append(rows, st.Muted.Render(text.Truncate("  "+s.columns("what", "of", last, "by", "age", "why"), s.width)))
	at := s.list.At()
	from, to := s.list.Window(s.listHeight())
	for i := from; i < to; i++ {
		p := s.list.Rows()[i]
		line := s.columns(doing(p), strconv.Itoa(p.Counts["requested"]), s.result(p), text.InertLine(p.MintedBy),
			when.Ago(p.MintedAt, s.env.Now()), text.InertLine(p.Rationale))
		rows = append(rows, screen.Row(s.env.Theme, s.width, i == at, line))
	}
	for len(rows) < s.listHeight()+listHead {
		rows = append(rows, "")
	}
	p, _ := s.list.Selected()
	return append(rows, st.Text.Render(text.Truncate(text.InertLine(p.Rationale), s.width)), st.Muted.Render(text.Truncate(s.about(p), s.width)))
}

func (s *Screen) columns(what, n, result, by, age, why string) string {
	line := text.Pad(text.Truncate(what, 16), 16) + text.PadLeft(n, 5) + "  "
	if s.width >= wide {
		line += text.Pad(text.Truncate(result, 21), 22) + text.Pad(text.Truncate(by, 11), 12)
	}
	return line + text.PadLeft(age, 4) + "  " + why
}

// result is what a waiting proposal would cost, or what became of a settled one.
func (s *Screen) result(p api.BulkProposal) string {
	switch {
	case p.State != pending:
		return Outcome(p.Counts)
	case cost(p.Impact) == "":
		return "-"
	}
	return cost(p.Impact)
}

// about says by whom and when a proposal was made, of which set, and until when it waits or who settled it.
func (s *Screen) about(p api.BulkProposal) string {
	now := s.env.Now()
	line := fmt.Sprintf("by %s (%s) %s · %s", text.InertLine(p.MintedBy), text.InertLine(p.MintedRole), when.Old(p.MintedAt, now), text.InertLine(p.Selector))
	switch {
	case p.State == pending:
		return line + " · waits " + when.Ago(now, p.ExpiresAt) + " more"
	case p.SettledAt == nil:
		return line + " · " + text.InertLine(p.State)
	}
	line += fmt.Sprintf(" · %s %s", text.InertLine(p.State), when.Old(*p.SettledAt, now))
	if p.SettledBy != "" {
		line += " by " + text.InertLine(p.SettledBy)
	}
	if p.SettleReason != "" {
		line += ": " + text.InertLine(p.SettleReason)
	}
	return line
}

// Rows of the head of one proposal, and of the field below it.
const (
	fewRationale  = 1
	fullRationale = 3
	tallEnough    = 16 // rows of the screen from which the rationale gets more than one
	fieldRows     = 3
)

func (s *Screen) headRows() []string {
	st, p := s.env.Theme.Styles, s.one.proposal
	title := Say(*p)
	if t := tags(*p); t != "" {
		title += ": " + t
	}
	rows := []string{
		st.Title.Render(text.Truncate(title, s.width)),
		st.Muted.Render(text.Truncate(s.about(*p), s.width)),
	}
	most := fewRationale
	if s.height >= tallEnough {
		most = fullRationale
	}
	why := text.Wrap(text.InertLine(p.Rationale), max(1, s.width))
	for i, l := range why[:min(len(why), most)] {
		if i == most-1 && len(why) > most {
			l = text.Truncate(l, max(1, s.width-5)) + " … i"
		}
		rows = append(rows, st.Text.Render(text.Truncate(l, s.width)))
	}
	return append(rows, s.costRow(), s.rule())
}

func (s *Screen) costRow() string {
	st, p := s.env.Theme.Styles, s.one.proposal
	if p.State != pending {
		return st.Text.Render(text.Truncate(Outcome(p.Counts), s.width))
	}
	if c := cost(p.Impact); c != "" {
		return st.Caution.Render(text.Truncate(c, s.width))
	}
	return st.Muted.Render(text.Truncate("no link breaks, no curated answer goes", s.width))
}

// rule is the line between head and articles.
func (s *Screen) rule() string {
	label := ""
	switch t := s.tally(); {
	case s.one.impact:
		label = "impact"
	case s.one.proposal.State == pending && s.one.items.Loaded():
		label = fmt.Sprintf("%d to %s", t.does, s.one.proposal.Op)
		for _, c := range []struct {
			n   int
			say string
		}{{t.out, "left out"}, {t.changed, "changed, skipped"}, {t.gone, "gone"}} {
			if c.n > 0 {
				label += fmt.Sprintf(" · %d %s", c.n, c.say)
			}
		}
	}
	return screen.Rule(s.env.Theme, s.width, text.InertLine(label))
}

func (s *Screen) fieldHeight() int {
	if s.field == nil {
		return 0
	}
	return fieldRows + 1
}

func (s *Screen) bodyHeight() int {
	if s.one.proposal == nil {
		return max(1, s.height)
	}
	return max(1, s.height-len(s.headRows())-s.fieldHeight())
}

func (s *Screen) oneRows() []string {
	th := s.env.Theme
	switch {
	case s.one.failure != nil:
		return screen.Centred(th, s.width, s.height, "The proposal could not be read.", screen.Explain(s.one.failure), "ctrl+r reads it again; esc goes back.")
	case s.one.proposal == nil:
		return screen.Centred(th, s.width, s.height, "Reading the proposal…")
	}
	rows, height := s.headRows(), s.bodyHeight()
	body := s.itemRows(height)
	if s.one.impact {
		all := s.impactRows()
		s.one.top = max(0, min(s.one.top, len(all)-height))
		body = all[s.one.top:min(len(all), s.one.top+height)]
	}
	rows = append(rows, body...)
	if s.field == nil {
		return rows
	}
	for len(rows) < s.height-s.fieldHeight() {
		rows = append(rows, "")
	}
	head, style := "Reject: why? enter rejects, esc closes", th.Styles.Focus
	if s.fieldErr != "" {
		head, style = s.fieldErr, th.Styles.Danger
	}
	return append(append(rows, style.Render(text.Truncate(head, s.width))), screen.Typed(th, s.field, s.width, fieldRows)...)
}

func (s *Screen) itemRows(height int) []string {
	items := s.one.items
	switch {
	case items.Err() != nil:
		return screen.Centred(s.env.Theme, s.width, height, "The articles could not be read.", screen.Explain(items.Err()), "ctrl+r reads them again.")
	case !items.Loaded():
		return screen.Centred(s.env.Theme, s.width, height, "Reading the articles…")
	}
	var rows []string
	at := items.At()
	from, to := items.Window(height)
	first, last := s.inRange()
	for i := from; i < to; i++ {
		mark := " "
		if s.one.anchor != "" && i >= first && i < last {
			mark = "│"
		}
		rows = append(rows, screen.Row(s.env.Theme, s.width, i == at, mark+s.itemRow(items.Rows()[i])))
	}
	return rows
}

// itemRow says whether an article is in, what it is now, and what became of it.
func (s *Screen) itemRow(i api.BulkItem) string {
	const boxColumns, markColumns = 4, 3
	facts := s.itemFacts(i)
	room := max(8, s.width-boxColumns-markColumns-text.Width(facts)-2)
	title := text.InertLine(i.Title)
	if title == "" {
		title = i.ID.String()
	}
	return s.box(i) + text.Pad(text.Truncate(title, room), room) + "  " + facts
}

// box says whether an article is in what is approved: chosen, left out, or left alone because it changed since.
func (s *Screen) box(i api.BulkItem) string {
	_, meant := s.choice().meant[i.ID]
	switch {
	case i.Outcome != "" || i.Status == "" || s.one.proposal.State != pending:
		return "    "
	case s.choice().out[i.ID]:
		return "[ ] "
	case i.Changed && !meant:
		return "[-] "
	}
	return "[x] "
}

func (s *Screen) itemFacts(i api.BulkItem) string {
	var parts []string
	_, meant := s.choice().meant[i.ID]
	switch {
	case i.Outcome != "":
		parts = append(parts, strings.ReplaceAll(text.InertLine(i.Outcome), "_", " "))
		if i.Code != "" {
			parts = append(parts, strings.ReplaceAll(text.InertLine(i.Code), "_", " "))
		}
	case i.Status == "":
		parts = append(parts, "gone")
	case i.Changed && i.Version != nil && s.one.proposal.State == pending:
		say := "skipped"
		if meant {
			say = "still meant"
		}
		parts = append(parts, fmt.Sprintf("v%d, was v%d: %s", i.Current, *i.Version, say))
	}
	if i.Curated {
		parts = append(parts, "curated")
	}
	if i.Status != "" {
		parts = append(parts, text.InertLine(i.Status))
	}
	return strings.Join(parts, ", ")
}

// impactRows list why the proposal was made and all that it would cost.
func (s *Screen) impactRows() []string {
	st, p := s.env.Theme.Styles, s.one.proposal
	var rows []string
	add := func(style interface{ Render(...string) string }, indent int, line string) {
		for _, l := range text.Wrap(text.InertLine(line), max(1, s.width-indent)) {
			rows = append(rows, strings.Repeat(" ", indent)+style.Render(l))
		}
	}
	head := func(line string) { add(st.Strong, 0, line) }
	head("Why")
	add(st.Text, 2, p.Rationale)
	i := p.Impact
	head(when.Count(i.LinkCount, "link from an article that stays would lead nowhere", "links from articles that stay would lead nowhere"))
	for _, l := range i.Links {
		add(st.Text, 2, fmt.Sprintf("%s → %s (%s)", l.From.Title, l.To.Title, l.Relationship))
	}
	if n := i.LinkCount - len(i.Links); n > 0 {
		add(st.Muted, 2, fmt.Sprintf("and %d more", n))
	}
	head(when.Count(i.CuratedCount, "curated answer would be lost", "curated answers would be lost"))
	for _, item := range s.one.items.Rows() {
		if item.Curated {
			add(st.Text, 2, item.Title)
		}
	}
	if !i.GoldenKnown {
		add(st.Muted, 0, "Golden questions were not asked.")
		return rows
	}
	head(when.Count(len(i.Golden), "golden question would lose its answer", "golden questions would lose their answers"))
	for _, g := range i.Golden {
		add(st.Text, 2, g.Question)
	}
	return rows
}
