package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wiki/core/wiki"
	"wiki/tui/outbox"
	"wiki/tui/when"
)

// Session counts what was done between start and end.
type Session struct {
	Started  time.Time
	ByKind   map[string]int      // verdicts by disposition
	Others   map[outbox.Kind]int // acts on what is no pair
	Undone   int
	Skipped  int
	Deferred int
	Returned int         // refused by the server
	times    []time.Time // of the verdicts
	gaps     []time.Duration
	last     time.Time
}

// longestGap is the longest time between two verdicts that counts as work on one pair; a longer one was a pause.
const longestGap = 5 * time.Minute

func (s *Session) judged(disposition string, now time.Time) { s.judgedTogether(disposition, 1, now) }

// judgedTogether counts verdicts that were given at once: each took its part of the time since the one before.
func (s *Session) judgedTogether(disposition string, n int, now time.Time) {
	if s.ByKind == nil {
		s.ByKind = map[string]int{}
	}
	s.ByKind[disposition] += n
	s.times = append(s.times, slices.Repeat([]time.Time{now}, n)...)
	since := s.last
	if since.IsZero() {
		since = s.Started
	}
	if gap := now.Sub(since); gap <= longestGap {
		s.gaps = append(s.gaps, slices.Repeat([]time.Duration{gap / time.Duration(n)}, n)...)
	}
	s.last = now
}

// did counts an act on what is no pair; taking one back is no other act.
func (s *Session) did(a outbox.Act) {
	if s.Others == nil {
		s.Others = map[outbox.Kind]int{}
	}
	if !a.Back {
		s.Others[a.Kind]++
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

// Each is how long half of the verdicts took at most, pauses aside; 0 without one.
func (s Session) Each() time.Duration {
	if len(s.gaps) == 0 {
		return 0
	}
	gaps := slices.Sorted(slices.Values(s.gaps))
	return max(time.Second, gaps[len(gaps)/2].Round(time.Second))
}

// Left is how long so many pairs would take at the pace of the session, pauses aside; 0 while that is not known.
func (s Session) Left(pairs int) time.Duration {
	var worked time.Duration
	for _, g := range s.gaps {
		worked += g
	}
	if len(s.gaps) == 0 {
		return 0
	}
	return (worked / time.Duration(len(s.gaps)) * time.Duration(pairs)).Round(time.Minute)
}

// ByMinute counts the verdicts of the last minutes, the one that is under way last.
func (s Session) ByMinute(now time.Time, minutes int) []int {
	counts := make([]int, minutes)
	for _, t := range s.times {
		if ago := int(now.Sub(t) / time.Minute); ago >= 0 && ago < minutes {
			counts[minutes-1-ago]++
		}
	}
	return counts
}

// kinds says how many verdicts were given of each kind: "3 both stand, 1 to merge".
func (s Session) kinds() string {
	var parts []string
	for _, d := range []struct{ id, say string }{{string(wiki.Dismiss), "both stand"}, {string(wiki.Supersede), "superseded"}, {string(wiki.Merge), "to merge"}} {
		if k := s.ByKind[d.id]; k > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", k, d.say))
		}
	}
	return strings.Join(parts, ", ")
}

// others says which acts on what is no pair were done: "2 drafts published, 1 submission adopted".
func (s Session) others() string {
	var parts []string
	for _, k := range []struct {
		kind      outbox.Kind
		one, many string
	}{
		{outbox.Publish, "draft published", "drafts published"},
		{outbox.Discard, "draft discarded", "drafts discarded"},
		{outbox.Edit, "draft edited", "drafts edited"},
		{outbox.Adopt, "submission adopted", "submissions adopted"},
		{outbox.Drop, "submission dismissed", "submissions dismissed"},
		{outbox.Lift, "suppression lifted", "suppressions lifted"},
		{outbox.Approve, "proposal approved", "proposals approved"},
		{outbox.Reject, "proposal rejected", "proposals rejected"},
		{outbox.Recall, "proposal withdrawn", "proposals withdrawn"},
	} {
		if n := s.Others[k.kind]; n > 0 {
			parts = append(parts, when.Count(n, k.one, k.many))
		}
	}
	return strings.Join(parts, ", ")
}

// rest says what else was done with pairs: "1 taken back, 2 skipped".
func (s Session) rest() string {
	var parts []string
	for _, c := range []struct {
		n   int
		say string
	}{{s.Undone, "taken back"}, {s.Skipped, "skipped"}, {s.Deferred, "deferred"}, {s.Returned, "refused by the server"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.say))
		}
	}
	return strings.Join(parts, ", ")
}

// Summary is what is printed after the program: what was done, how fast, and what is still on its way.
func (s Session) Summary(now time.Time, unsent int) string {
	var b strings.Builder
	if n := s.Judged(); n > 0 {
		fmt.Fprintf(&b, "%s judged in %s: %s.", when.Count(n, "pair", "pairs"), now.Sub(s.Started).Round(time.Second), s.kinds())
		if each := s.Each(); each > 0 {
			fmt.Fprintf(&b, " Half of them took less than %s.", each)
		}
		b.WriteString("\n")
	}
	for _, line := range []string{s.others(), s.rest()} {
		if line != "" {
			fmt.Fprintf(&b, "%s.\n", line)
		}
	}
	if unsent > 0 {
		fmt.Fprintf(&b, "%s not reached the server yet; the next start sends what is left.\n", when.Count(unsent, "act has", "acts have"))
	}
	return b.String()
}
