package audit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/when"
)

// Rows that are not the list's: filter and column heads above, the selected act's facts below.
const (
	headRows = 2
	footRows = 2
)

func (s *Screen) listHeight() int { return max(1, s.height-headRows-footRows) }

// View implements screen.Screen.
func (s *Screen) View() string {
	rows := []string{s.filterLine()}
	height := max(1, s.height-1)
	switch {
	case s.list.Err() != nil:
		rows = append(rows, screen.Centred(s.env.Theme, s.width, height, "The log could not be read.", screen.Explain(s.list.Err()), "ctrl+r reads it again.")...)
	case !s.list.Loaded():
		rows = append(rows, screen.Centred(s.env.Theme, s.width, height, "Reading the log…")...)
	case s.list.Len() == 0 && s.filter != "":
		rows = append(rows, screen.Centred(s.env.Theme, s.width, height, "No act matches the filter.", "esc lifts it; / changes it.")...)
	case s.list.Len() == 0:
		rows = append(rows, screen.Centred(s.env.Theme, s.width, height, "Nothing has been done yet.")...)
	default:
		rows = append(rows, s.listRows()...)
	}
	return screen.Filled(rows, s.height)
}

func (s *Screen) filterLine() string {
	st := s.env.Theme.Styles
	if s.field == nil {
		line := "all acts, newest first"
		if s.filter != "" {
			line = "filter: " + text.InertLine(s.filter) + "  (esc lifts it)"
		}
		return st.Muted.Render(text.Truncate(line, s.width))
	}
	hint, style := Filters, st.Muted
	if s.fieldErr != nil {
		hint, style = text.InertLine(s.fieldErr.Error()), st.Danger
	}
	room := max(12, s.width/2)
	lines, column, _ := s.field.View(room, 1)
	before, after := text.Split(lines[0], column)
	return st.Key.Render("filter: ") + text.Pad(before+"▏"+after, room) + " " + style.Render(text.Truncate(hint, s.width-room-9))
}

func (s *Screen) listRows() []string {
	st := s.env.Theme.Styles
	rows := []string{st.Muted.Render(text.Truncate("  "+s.columns("when", "who", "act", "about"), s.width))}
	at := s.list.At()
	from, to := s.list.Window(s.listHeight())
	for i := from; i < to; i++ {
		e := s.list.Rows()[i]
		what := text.InertLine(e.Title)
		if what == "" {
			what = facts(e)
		}
		line := s.columns(when.Clock(e.At, s.env.Now()), text.InertLine(e.Principal), text.InertLine(e.Act), what)
		if s.width < narrowBelow {
			line = narrowColumns(when.Ago(e.At, s.env.Now()), text.InertLine(e.Principal), text.InertLine(e.Act), what)
		}
		rows = append(rows, screen.Row(s.env.Theme, s.width, i == at, line))
	}
	for len(rows) < s.listHeight()+1 {
		rows = append(rows, "")
	}
	e, _ := s.list.Selected()
	about := ""
	switch {
	case e.Title != "":
		about = "about “" + text.InertLine(e.Title) + "”"
	case e.Subject != nil:
		about = "about " + e.Subject.String()
	}
	return append(rows, st.Muted.Render(text.Truncate(fmt.Sprintf("%s  as %s  %s", e.At.In(s.env.Now().Location()).Format("2006-01-02 15:04:05"), text.InertLine(e.Role), about), s.width)),
		st.Text.Render(text.Truncate(facts(e), s.width)))
}

// narrowBelow is the width in columns below which times are said by their age, and acts without what they are acts on.
const narrowBelow = 60

func narrowColumns(age, who, act, about string) string {
	_, verb, found := strings.Cut(act, ".")
	if !found {
		verb = act
	}
	return text.PadLeft(age, 4) + " " + text.Pad(text.Truncate(who, 8), 9) + text.Pad(text.Truncate(verb, 9), 10) + about
}

func (s *Screen) columns(when, who, act, facts string) string {
	if s.width < narrowBelow {
		return narrowColumns("age", who, act, facts)
	}
	return text.Pad(when, 17) + text.Pad(text.Truncate(who, 17), 18) + text.Pad(text.Truncate(act, 21), 22) + facts
}

// isID says whether a fact is the id of an article, or of the two of a conflict: nothing to read.
func isID(s string) bool {
	first, second, pair := strings.Cut(s, ".")
	_, err := uuid.Parse(first)
	if err == nil && pair {
		_, err = uuid.Parse(second)
	}
	return err == nil
}

// facts writes an act's details in a line: "title Gateway, status published".
func facts(e api.AuditEntry) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(e.Detail)) {
		value, ok := e.Detail[name].(string)
		if ok && e.Title != "" && isID(value) {
			continue // the title says it
		}
		if !ok {
			raw, err := json.Marshal(e.Detail[name])
			if err != nil {
				continue
			}
			value = string(raw)
		}
		parts = append(parts, name+" "+value)
	}
	return text.InertLine(strings.Join(parts, ", "))
}
