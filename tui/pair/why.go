package pair

import (
	"fmt"
	"strings"

	"wiki/server/api"
	"wiki/tui/conflicts"
	"wiki/tui/text"
	"wiki/tui/when"
)

// whyView is the panel that says why this pair is here.
func (s *Screen) whyView() []string {
	st := s.env.Theme.Styles
	lines := s.whyLines()
	s.whyTop = max(0, min(s.whyTop, len(lines)-s.height+1))
	rows := []string{st.Focus.Render(text.Pad("Why this pair   (w or esc closes, j and k scroll)", s.width))}
	for _, l := range lines[s.whyTop:min(len(lines), s.whyTop+s.height-1)] {
		if strings.HasPrefix(l, " ") || l == "" {
			rows = append(rows, st.Text.Render(l))
		} else {
			rows = append(rows, st.Strong.Render(l))
		}
	}
	return rows
}

// whyLines is the panel's text, wrapped. Headings start at the margin.
func (s *Screen) whyLines() []string {
	c, known := s.Conflict()
	if !known {
		return []string{"The pair has not arrived yet."}
	}
	w := whyText{width: max(20, s.width-2)}
	now := s.env.Now()
	w.head("How it came here")
	if c.Kind == "system" {
		w.line("The texts are alike: their meaning vectors have the cosine %.3f (1 = the same).", c.Similarity)
	} else {
		w.line("It was disputed. Likeness of the texts (cosine of their meaning vectors): %s.", conflicts.Likeness(c.Similarity))
	}
	w.line("Flagged by %s, %s.", text.InertLine(c.FlaggedBy), when.Old(c.FlaggedAt, now))
	if c.Evidence != "" {
		w.line("Evidence: %s", text.Inert(c.Evidence))
	}
	w.head("What differs")
	if len(c.Differing) == 0 {
		w.line("No number, version, name, date, unit or negation: only wording.")
	}
	for _, d := range c.Differing {
		w.line("%s: left %s, right %s", text.InertLine(d.Kind), orNothing(d.First), orNothing(d.Second))
	}
	w.side("Left", c.First, s)
	w.side("Right", c.Second, s)
	s.links(&w)
	s.history(&w)
	return w.lines
}

func orNothing(s string) string {
	if s = text.InertLine(s); s == "" {
		return "nothing"
	}
	return s
}

func (s *Screen) links(w *whyText) {
	e := s.cache.get(s.id)
	if e == nil {
		return
	}
	for _, side := range []struct {
		name string
		a    api.Article
	}{{"Links of left", e.pair.First}, {"Links of right", e.pair.Second}} {
		if len(side.a.OutgoingLinks)+len(side.a.IncomingLinks) == 0 {
			continue
		}
		w.head(side.name)
		for _, l := range side.a.OutgoingLinks {
			w.line("%s %s", text.InertLine(l.Relationship), text.InertLine(l.Target.Title))
		}
		for _, l := range side.a.IncomingLinks {
			w.line("from %s: %s", text.InertLine(l.Source.Title), text.InertLine(l.Relationship))
		}
	}
}

func (s *Screen) history(w *whyText) {
	e := s.cache.get(s.id)
	if e == nil {
		return
	}
	w.head("Verdicts so far")
	if len(e.pair.History) == 0 {
		w.line("None.")
	}
	for _, v := range e.pair.History {
		w.line("%s by %s %s, confidence %s%s", text.InertLine(v.Disposition), text.InertLine(v.By), when.Old(v.JudgedAt, s.env.Now()), text.InertLine(v.Confidence), became(v))
		if v.Evidence != "" {
			w.line("  %s", text.InertLine(v.Evidence))
		}
	}
}

// became says what happened to a verdict.
func became(v api.Verdict) string {
	switch {
	case v.WithdrawnAt != nil:
		return ", withdrawn"
	case v.RevertedAt != nil:
		return ", executed and reverted"
	case v.ExecutedAt != nil:
		return ", executed"
	case !v.Executable:
		return ", advice only"
	}
	return ", waits for execution"
}

// whyText collects lines.
type whyText struct {
	width int
	lines []string
}

func (w *whyText) head(title string) {
	if len(w.lines) > 0 {
		w.lines = append(w.lines, "")
	}
	w.lines = append(w.lines, title)
}

func (w *whyText) line(format string, args ...any) {
	for _, l := range text.Wrap(fmt.Sprintf(format, args...), w.width-2) {
		w.lines = append(w.lines, "  "+l)
	}
}

func (w *whyText) side(name string, a api.ConflictSide, s *Screen) {
	now := s.env.Now()
	w.head(name + ": " + text.Truncate(text.InertLine(a.Title), w.width-8))
	w.line("%s, %s, version %d, %d bytes", text.InertLine(a.Status), text.InertLine(a.Category), a.Version, a.BodyBytes)
	w.line("written by %s %s, text last changed %s, read by %s in 90 days", text.InertLine(a.CreatedBy), when.Old(a.InsertedAt, now),
		when.Old(a.ChangedAt, now), when.Count(a.Reads, "reader", "readers"))
}
