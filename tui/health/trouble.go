package health

import (
	"fmt"
	"time"

	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/when"
)

const (
	// longWait is how long a pair may wait for a verdict until the queue is said not to be kept up with (case 85).
	longWait = 14 * 24 * time.Hour
	// More than this part of the writes of refusedDays refused, of at least fewWrites, is a fault of whoever writes (facts §7).
	refusedPart = 0.5
	fewWrites   = 10
	refusedDays = 7
)

// partNames say what a part is about.
var partNames = [parts]string{"the server", "the numbers", "the writes", "the nights", "the queue", "the submissions", "the proposals"}

// troubles lists what needs a look, the worst first: what it means for readers and curators, not what a number is.
func (s *Screen) troubles() []string {
	var found []string
	for p := range parts {
		if err := s.said[p].err; err != nil && !s.barred(part(p)) {
			found = append(found, fmt.Sprintf("%s could not be read: %s", partNames[p], screen.Explain(err)))
		}
	}
	if m := s.facts.stats.Meaning; m != nil && m.Pending > 0 {
		line := when.Count(m.Pending, "article waits", "articles wait") + " for a vector"
		if m.Since != nil {
			line += waited(", the first for %s", *m.Since, s.env.Now())
		}
		found = append(found, line+": until then found by words only, and compared with nothing new.")
	}
	if total, refused := s.refusals(); total >= fewWrites && float64(refused) > refusedPart*float64(total) {
		found = append(found, fmt.Sprintf("%d of %d writes of the last %d days were refused: see below why, and which source sends them.", refused, total, refusedDays))
	}
	found = append(found, s.nightTroubles()...)
	if c := s.facts.stats.Conflicts; c != nil && c.Oldest != nil && s.env.Now().Sub(*c.Oldest) > longWait {
		found = append(found, fmt.Sprintf("a pair has waited %s for a verdict: sort the queue by oldest (1, o).", when.Ago(*c.Oldest, s.env.Now())))
	}
	return found
}

// waited says how long something has waited, "" for less than a minute.
func waited(format string, since, now time.Time) string {
	if now.Sub(since) < time.Minute {
		return ""
	}
	return fmt.Sprintf(format, when.Ago(since, now))
}

// refusals counts the writes of the last refusedDays.
func (s *Screen) refusals() (total, refused int) {
	all := s.facts.pipeline.ByDay
	for _, d := range all[max(0, len(all)-refusedDays):] {
		total += d.Total
		refused += d.Refused
	}
	return total, refused
}

// verdict is the first line: whether all is well.
func (s *Screen) verdict(troubles []string) (line string, well bool) {
	switch n := len(troubles); {
	case n > 0:
		return when.Count(n, "thing needs", "things need") + " a look.", false
	case !s.known(server):
		return "Reading…", true
	}
	return "All is well.", true
}

// bullets wraps the troubles below a mark each.
func bullets(troubles []string, width int) []string {
	var rows []string
	for _, t := range troubles {
		for i, l := range text.Wrap(text.InertLine(t), max(1, width-2)) {
			mark := "! "
			if i > 0 {
				mark = "  "
			}
			rows = append(rows, mark+l)
		}
	}
	return rows
}
