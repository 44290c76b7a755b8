package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wiki/core/wiki"
	"wiki/tui/when"
)

// Session counts what was done between start and end.
type Session struct {
	Started  time.Time
	ByKind   map[string]int // verdicts by disposition
	Undone   int
	Skipped  int
	Deferred int
	Returned int // refused by the server
	gaps     []time.Duration
	last     time.Time
}

// longestGap is the longest time between two verdicts that counts as work on one pair; a longer one was a pause.
const longestGap = 5 * time.Minute

func (s *Session) judged(disposition string, now time.Time) {
	if s.ByKind == nil {
		s.ByKind = map[string]int{}
	}
	s.ByKind[disposition]++
	since := s.last
	if since.IsZero() {
		since = s.Started
	}
	if gap := now.Sub(since); gap <= longestGap {
		s.gaps = append(s.gaps, gap)
	}
	s.last = now
}

// judgedTogether counts verdicts that were given at once: each took its part of the time.
func (s *Session) judgedTogether(disposition string, n int, now time.Time) {
	before := len(s.gaps)
	s.judged(disposition, now)
	s.ByKind[disposition] += n - 1
	for _, gap := range slices.Clone(s.gaps[before:]) {
		s.gaps = append(s.gaps[:before], slices.Repeat([]time.Duration{gap / time.Duration(n)}, n)...)
	}
}

func (s *Session) returned() { s.Returned++ }

// Judged is how many verdicts were given.
func (s Session) Judged() int {
	n := 0
	for _, k := range s.ByKind {
		n += k
	}
	return n
}

// Summary is what is printed after the program: what was done, how fast, and what is still on its way.
func (s Session) Summary(now time.Time, unsent int) string {
	var b strings.Builder
	if n := s.Judged(); n > 0 {
		fmt.Fprintf(&b, "%s judged in %s", when.Count(n, "pair", "pairs"), now.Sub(s.Started).Round(time.Second))
		var parts []string
		for _, d := range []struct{ id, say string }{{string(wiki.Dismiss), "both stand"}, {string(wiki.Supersede), "superseded"}, {string(wiki.Merge), "to merge"}} {
			if k := s.ByKind[d.id]; k > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", k, d.say))
			}
		}
		fmt.Fprintf(&b, ": %s.", strings.Join(parts, ", "))
		if len(s.gaps) > 0 {
			gaps := slices.Sorted(slices.Values(s.gaps))
			fmt.Fprintf(&b, " Half of them took less than %s.", max(time.Second, gaps[len(gaps)/2].Round(time.Second)))
		}
		b.WriteString("\n")
	}
	var rest []string
	for _, c := range []struct {
		n   int
		say string
	}{{s.Undone, "taken back"}, {s.Skipped, "skipped"}, {s.Deferred, "deferred"}, {s.Returned, "refused by the server"}} {
		if c.n > 0 {
			rest = append(rest, fmt.Sprintf("%d %s", c.n, c.say))
		}
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "%s.\n", strings.Join(rest, ", "))
	}
	if unsent > 0 {
		fmt.Fprintf(&b, "%s not reached the server yet; the next start sends what is left.\n", when.Count(unsent, "act has", "acts have"))
	}
	return b.String()
}
