package conflicts

import (
	"strings"

	"wiki/tui/queue"
	"wiki/tui/text"
	"wiki/tui/when"
)

// emptyText is what a list without rows says.
func (s *Screen) emptyText() []string {
	switch {
	case s.filter != "":
		return []string{"No pair matches the filter.", "esc lifts it; / changes it."}
	case s.query.State == "judged":
		return []string{"No verdict waits for execution.", "tab lists the settled pairs."}
	case s.query.State == "settled":
		return []string{"Nothing has been settled yet.", "tab lists the open pairs."}
	}
	return []string{"No pair is open."}
}

// endText is the screen at the end of the queue.
func (s *Screen) endText() []string {
	p, now := s.Queue.Progress(s.env.Now()), s.env.Now()
	var lines []string
	if p.Judged == 0 && p.Skipped+p.Deferred == 0 {
		lines = append(lines, "Nothing to judge.", "", "New pairs come up here by themselves, when articles are written that repeat or contradict others.")
	} else {
		lines = append(lines, "That was the last one.", "", when.Count(p.Judged, "pair", "pairs")+" judged in this session.")
	}
	if p.Skipped > 0 {
		lines = append(lines, when.Count(p.Skipped, "pair", "pairs")+" skipped: enter brings them back.")
	}
	if p.Deferred > 0 {
		lines = append(lines, when.Count(p.Deferred, "pair", "pairs")+" deferred until tomorrow.")
	}
	held := 0
	for i := range s.Queue.Len() {
		if c := s.Queue.Row(i); HeldBy(c, s.env) != "" && s.Queue.MarkOf(c.ID, now) == queue.Unmarked {
			held++
		}
	}
	if held > 0 {
		lines = append(lines, when.Count(held, "pair is", "pairs are")+" held by others just now.")
	}
	if w := s.Queue.Waiting(); w > 0 {
		lines = append(lines, when.Count(w, "verdict waits", "verdicts wait")+" for execution: X applies them.")
	}
	return append(lines, "", "7 searches the wiki.  q leaves.")
}

// centred puts lines in the middle of the room below the head.
func (s *Screen) centred(lines ...string) []string {
	var wrapped []string
	for _, l := range lines {
		wrapped = append(wrapped, text.Wrap(l, max(20, s.width-8))...)
	}
	rows := make([]string, max(0, (s.height-headRows-len(wrapped))/2))
	for i, l := range wrapped {
		style := s.env.Theme.Styles.Text
		if i == 0 {
			style = s.env.Theme.Styles.Strong
		}
		pad := max(0, (s.width-text.Width(l))/2)
		rows = append(rows, strings.Repeat(" ", pad)+style.Render(l))
	}
	return rows
}
