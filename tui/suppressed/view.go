package suppressed

import (
	"fmt"
	"time"

	"wiki/server/api"
	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/when"
)

const (
	listHead = 1  // rows above the list: column heads
	listFoot = 2  // below it: why the selected one is hidden
	wide     = 76 // columns from which the list says by whom
)

func (s *Screen) listHeight() int { return max(1, s.height-listHead-listFoot) }

// View implements screen.Screen.
func (s *Screen) View() string {
	if s.shown != nil {
		return screen.Filled(s.shownRows(), s.height)
	}
	return screen.Filled(s.listRows(), s.height)
}

func (s *Screen) listRows() []string {
	th, st := s.env.Theme, s.env.Theme.Styles
	switch {
	case s.list.Err() != nil:
		return screen.Centred(th, s.width, s.height, "The hidden articles could not be read.", screen.Explain(s.list.Err()), "ctrl+r reads them again.")
	case !s.list.Loaded():
		return screen.Centred(th, s.width, s.height, "Reading the hidden articles…")
	case s.list.Len() == 0:
		return screen.Centred(th, s.width, s.height, "Nothing is hidden.",
			"An article that is suppressed leaves search and reading until somebody lifts that; it is listed here, with the reason.")
	}
	rows := []string{st.Muted.Render(text.Truncate("  "+s.columns("hidden", "by", "article", "why"), s.width))}
	at := s.list.At()
	from, to := s.list.Window(s.listHeight())
	for i := from; i < to; i++ {
		a := s.list.Rows()[i]
		line := s.columns(s.since(a), text.InertLine(a.SuppressedBy), text.InertLine(a.Title), text.InertLine(a.SuppressionReason))
		rows = append(rows, screen.Row(th, s.width, i == at, line))
	}
	for len(rows) < s.listHeight()+listHead {
		rows = append(rows, "")
	}
	a, _ := s.list.Selected()
	return append(rows, st.Text.Render(text.Truncate(text.InertLine(a.SuppressionReason), s.width)), st.Muted.Render(text.Truncate(s.about(a), s.width)))
}

func (s *Screen) columns(since, by, title, why string) string {
	const sinceColumns, byColumns, gaps = 6, 12, 4
	line := text.PadLeft(since, sinceColumns) + "  "
	room := s.width - sinceColumns - gaps
	if s.width >= wide {
		line += text.Pad(text.Truncate(by, byColumns-1), byColumns)
		room -= byColumns
	}
	half := max(1, room/2)
	return line + text.Pad(text.Truncate(title, half-1), half) + why
}

func (s *Screen) since(a api.Article) string {
	if a.SuppressedAt == nil {
		return ""
	}
	return when.Ago(*a.SuppressedAt, s.env.Now())
}

// about says by whom and when an article was hidden, and what it is apart from that.
func (s *Screen) about(a api.Article) string {
	line := "hidden by " + text.InertLine(a.SuppressedBy)
	if a.SuppressedAt != nil {
		line += " " + when.Old(*a.SuppressedAt, s.env.Now()) + ", on " + a.SuppressedAt.In(s.env.Now().Location()).Format(time.DateOnly)
	}
	line += fmt.Sprintf(" · %s v%d, %s, written by %s", text.InertLine(a.Status), a.Version, text.InertLine(a.Category), text.InertLine(a.CreatedBy))
	if a.CuratedAt != nil {
		line += " · curated"
	}
	return line
}

// shownRows tell why an article is hidden, and what answers in its place.
func (s *Screen) shownRows() []string {
	th, st, a := s.env.Theme, s.env.Theme.Styles, *s.shown
	rows := []string{st.Title.Render(text.Truncate(text.InertLine(a.Title), s.width)), st.Muted.Render(text.Truncate(s.about(a), s.width))}
	for _, l := range text.Wrap("Why: "+text.InertLine(a.SuppressionReason), max(1, s.width)) {
		rows = append(rows, st.Caution.Render(l))
	}
	if most := max(3, s.height-4); len(rows) > most {
		rows = rows[:most]
	}
	rows = append(rows, screen.Rule(th, s.width, "a search for its title answers, without it"))
	height := max(1, s.height-len(rows))
	switch {
	case s.unfound != nil:
		return append(rows, screen.Centred(th, s.width, height, "The search could not be done.", screen.Explain(s.unfound))...)
	case !s.found:
		return append(rows, screen.Centred(th, s.width, height, "Searching…")...)
	case len(s.hits) == 0:
		return append(rows, st.Text.Render(text.Truncate("  nothing", s.width)))
	}
	for i, h := range s.hits {
		line := fmt.Sprintf("%2d. %s", i+1, text.InertLine(h.Title))
		rows = append(rows, st.Text.Render(text.Truncate(line, s.width)))
	}
	return rows
}
