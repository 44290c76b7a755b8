package drift

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/when"
)

// Rows above the list: states, column heads. Above a comparison: what is compared, by whom, the rule.
const (
	listHead    = 2
	compareHead = 3
)

// View implements screen.Screen.
func (s *Screen) View() string {
	if s.shown != uuid.Nil {
		return screen.Filled(s.comparison(), s.height)
	}
	return screen.Filled(s.listRows(), s.height)
}

func (s *Screen) listRows() []string {
	st := s.env.Theme.Styles
	var tabs []string
	for i, name := range states {
		if i == s.state {
			tabs = append(tabs, st.ActiveTab.Render("["+name+"]"))
		} else {
			tabs = append(tabs, st.Muted.Render(" "+name+" "))
		}
	}
	rows := []string{strings.Join(tabs, " ")}
	height := max(1, s.height-listHead)
	switch {
	case s.list.Err() != nil:
		return append(rows, screen.Centred(s.env.Theme, s.width, height, "The submissions could not be read.", screen.Explain(s.list.Err()), "ctrl+r reads them again.")...)
	case !s.list.Loaded():
		return append(rows, screen.Centred(s.env.Theme, s.width, height, "Reading the submissions…")...)
	case s.list.Len() == 0 && states[s.state] != open:
		return append(rows, screen.Centred(s.env.Theme, s.width, height, "No submission was "+states[s.state]+".")...)
	case s.list.Len() == 0:
		return append(rows, screen.Centred(s.env.Theme, s.width, height, "Nothing has drifted.",
			"When a writer sends an article that stands already, but says something else, what they sent is kept here.")...)
	}
	rows = append(rows, st.Muted.Render(text.Truncate("  "+s.columns("differs in", "by", "age", "submitted for"), s.width)))
	at := s.list.At()
	from, to := s.list.Window(height)
	for i := from; i < to; i++ {
		d := s.list.Rows()[i]
		line := s.columns(what(d), text.InertLine(d.SubmittedBy), when.Ago(d.SubmittedAt, s.env.Now()), text.InertLine(d.Article.Title))
		rows = append(rows, screen.Row(s.env.Theme, s.width, i == at, line))
	}
	return rows
}

// narrowBelow is the width in columns below which the list does not say in what a submission differs.
const narrowBelow = 60

func (s *Screen) columns(what, by, age, title string) string {
	if s.width < narrowBelow {
		return text.Pad(text.Truncate(by, 10), 11) + text.PadLeft(age, 4) + "  " + title
	}
	return text.Pad(what, 13) + " " + text.Pad(by, 14) + " " + text.PadLeft(age, 4) + "  " + title
}

// what says in what a submission differs.
func what(d api.Drift) string {
	switch {
	case d.ContentDrift && d.TitleDrift:
		return "title, text"
	case d.TitleDrift:
		return "title"
	}
	return "text"
}

// stood says with which version of the article a submission is compared.
func (s *Screen) stood() string {
	d := s.comparee
	switch {
	case s.against == 0:
		return "the article"
	case d.State != open:
		return fmt.Sprintf("version %d, which stood", s.against)
	case s.against > d.ArticleVersion:
		return fmt.Sprintf("version %d, as it is now (%d stood then)", s.against, d.ArticleVersion)
	}
	return fmt.Sprintf("version %d, which stands", s.against)
}

func (s *Screen) comparison() []string {
	st, d := s.env.Theme.Styles, s.comparee
	rows := []string{
		st.Title.Render(text.Truncate(text.InertLine(d.Article.Title), s.width)),
		st.Muted.Render(text.Truncate(fmt.Sprintf("- %s   + submitted by %s %s, %s", s.stood(), text.InertLine(d.SubmittedBy),
			when.Old(d.SubmittedAt, s.env.Now()), text.InertLine(d.State)), s.width)),
	}
	height := max(1, s.height-compareHead)
	label := ""
	if s.view != nil {
		label = s.view.Status()
	}
	rows = append(rows, screen.Rule(s.env.Theme, s.width, label))
	switch {
	case s.unread != nil:
		return append(rows, screen.Centred(s.env.Theme, s.width, height, "The article that stood could not be read.", screen.Explain(s.unread), "esc goes back.")...)
	case s.view == nil:
		return append(rows, screen.Centred(s.env.Theme, s.width, height, "Comparing…")...)
	}
	return append(rows, s.view.Lines()...)
}
