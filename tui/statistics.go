package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiki/tui/action"
	"wiki/tui/listing"
	"wiki/tui/spark"
	"wiki/tui/text"
	"wiki/tui/when"
)

// statistics shows how the session goes: what was done in it, how fast, and how long the rest would take.
type statistics struct{ top int }

const (
	labelColumns = 12
	minutesDrawn = 30
)

func (s *statistics) context() action.Context { return action.Session }

func (s *statistics) do(m *Model, id action.ID) tea.Cmd {
	if step := listing.Step(id, m.height/2, farthest); step != 0 {
		s.top = max(0, min(farthest, s.top+step))
		return nil
	}
	m.pop()
	return nil
}

func (s *statistics) key(*Model, tea.KeyPressMsg) tea.Cmd { return nil }
func (s *statistics) paste(string)                        {}

func (s *statistics) view(m *Model, width, height int) []string {
	st := m.env.Theme.Styles
	var lines []string
	for _, f := range m.numbers(width - labelColumns) {
		label := f.label
		for _, l := range text.Wrap(f.value, max(1, width-labelColumns)) {
			lines = append(lines, st.Muted.Render(text.Pad(label, labelColumns))+st.Text.Render(l))
			label = ""
		}
	}
	head := st.Title.Render(text.Truncate("This session, since "+when.Clock(m.session.Started, m.cfg.Now()), width))
	return append([]string{head}, m.scrolled(lines, &s.top, max(1, height-1), width)...)
}

// number is a line of the statistics.
type number struct{ label, value string }

// numbers are the lines, of values of so many columns.
func (m *Model) numbers(room int) []number {
	s, now := m.session, m.cfg.Now()
	if s.Judged() == 0 && s.others() == "" && s.rest() == "" {
		return []number{{"", "Nothing has been done yet. Verdicts, and how long they take, are counted here."}}
	}
	out := []number{{"judged", "none"}}
	if n := s.Judged(); n > 0 {
		out = []number{{"judged", fmt.Sprintf("%d: %s", n, s.kinds())}}
		if each := s.Each(); each > 0 {
			out = append(out, number{"each", fmt.Sprintf("half took less than %s, pauses over %d min aside", each, int(longestGap.Minutes()))})
		}
		by := s.ByMinute(now, min(minutesDrawn, max(1, room/2)))
		out = append(out, number{"by minute", fmt.Sprintf("%s %d in the last minute", spark.Line(by), by[len(by)-1])})
	}
	if left := m.queue.Queue.Progress(now).Left; left > 0 {
		line := when.Count(left, "pair", "pairs")
		if long := s.Left(left); long > 0 {
			line += ", " + spoken(long) + " at this pace"
		}
		out = append(out, number{"left", line})
	}
	for _, n := range []number{{"beside", s.others()}, {"also", s.rest()}} {
		if n.value != "" {
			out = append(out, n)
		}
	}
	if n := len(m.cfg.Acts.Pending()); n > 0 {
		out = append(out, number{"to send", when.Count(n, "act", "acts")})
	}
	return append(out, number{"time", spoken(now.Sub(s.Started))})
}

// spoken says a span in minutes, as people do.
func spoken(d time.Duration) string {
	switch minutes := int(d.Round(time.Minute).Minutes()); {
	case minutes < 1:
		return "less than a minute"
	case minutes < 120:
		return when.Count(minutes, "minute", "minutes")
	default:
		return fmt.Sprintf("%d hours", (minutes+30)/60)
	}
}
