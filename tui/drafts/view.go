package drafts

import (
	"fmt"

	"wiki/server/api"
	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/when"
)

// Rows above and below the list, and above a comparison.
const (
	listHead    = 1
	listFoot    = 1
	compareHead = 3
)

func (s *Screen) listHeight() int { return max(1, s.height-listHead-listFoot) }

// View implements screen.Screen.
func (s *Screen) View() string {
	if s.one != nil {
		return screen.Filled(s.comparison(), s.height)
	}
	return screen.Filled(s.listRows(), s.height)
}

func (s *Screen) listRows() []string {
	th, st := s.env.Theme, s.env.Theme.Styles
	switch {
	case s.list.Err() != nil:
		return screen.Centred(th, s.width, s.height, "The drafts could not be read.", screen.Explain(s.list.Err()), "ctrl+r reads them again.")
	case !s.list.Loaded():
		return screen.Centred(th, s.width, s.height, "Reading the drafts…")
	case s.list.Len() == 0:
		return screen.Centred(th, s.width, s.height, "No draft waits.",
			"What is near to a published article becomes a draft when it is written, and waits here; so does what was meant as a draft.")
	}
	rows := []string{st.Muted.Render(text.Truncate("  "+columns("new", "by", "age", "draft"), s.width))}
	at := s.list.At()
	from, to := s.list.Window(s.listHeight())
	for i := from; i < to; i++ {
		a := s.list.Rows()[i]
		line := columns(newness(a), text.InertLine(a.CreatedBy), when.Ago(a.InsertedAt, s.env.Now()), text.InertLine(a.Title))
		rows = append(rows, screen.Row(th, s.width, i == at, line))
	}
	for len(rows) < s.listHeight()+listHead {
		rows = append(rows, "")
	}
	a, _ := s.list.Selected()
	return append(rows, st.Muted.Render(text.Truncate(s.about(a), s.width)))
}

func columns(novelty, by, age, title string) string {
	return text.Pad(novelty, 6) + text.Pad(text.Truncate(by, 13), 14) + text.PadLeft(age, 4) + "  " + title
}

// newness says how new a draft was beside its neighbour: 0 is the same, 1 has nothing in common.
func newness(a api.Article) string {
	if _, novelty, ok := neighbour(a); ok {
		return fmt.Sprintf("%.3f", novelty)
	}
	return "-"
}

func (s *Screen) about(a api.Article) string {
	line := fmt.Sprintf("%s, v%d, written by %s %s", text.InertLine(a.Category), a.Version, text.InertLine(a.CreatedBy), when.Old(a.InsertedAt, s.env.Now()))
	if _, _, ok := neighbour(a); !ok {
		return line + " · no published article is near to it"
	}
	return line + " · near to a published article: enter compares them"
}

func (s *Screen) comparison() []string {
	th, st, o := s.env.Theme, s.env.Theme.Styles, s.one
	rows := []string{
		st.Title.Render(text.Truncate(text.InertLine(o.article.Title), s.width)),
		st.Muted.Render(text.Truncate(s.sides(), s.width)),
	}
	label := ""
	if o.view != nil {
		label = o.view.Status()
		if _, kept := s.unsaved[o.article.ID]; kept {
			label += " · an edit of yours is not sent"
		}
	}
	rows = append(rows, screen.Rule(th, s.width, label))
	height := max(1, s.height-compareHead)
	switch {
	case o.failure != nil:
		return append(rows, screen.Centred(th, s.width, height, "The draft could not be read.", screen.Explain(o.failure), "ctrl+r reads it again; esc goes back.")...)
	case o.view == nil:
		return append(rows, screen.Centred(th, s.width, height, "Comparing…")...)
	}
	return append(rows, o.view.Lines()...)
}

// sides says what is compared with what.
func (s *Screen) sides() string {
	o := s.one
	draft := fmt.Sprintf("draft v%d by %s %s", o.draft.Version, text.InertLine(o.article.CreatedBy), when.Old(o.article.InsertedAt, s.env.Now()))
	_, _, near := neighbour(o.article)
	switch {
	case o.view == nil:
		return ""
	case o.near != nil:
		return fmt.Sprintf("- %s: %s v%d   + %s, %s new", text.InertLine(o.near.Title), text.InertLine(o.near.Status), o.near.Version, draft, newness(o.article))
	case near:
		return draft + " · the article that it was near to is gone"
	}
	return draft + " · no published article is near to it"
}
