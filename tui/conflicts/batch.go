package conflicts

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"wiki/tui/screen"
	"wiki/tui/when"
)

// MaxMarked is how many pairs are marked at a time, as many as the server takes in one set-based act (SPEC §4).
const MaxMarked = 1000

// markOne marks the selected pair, or takes its mark off, and goes on; with a range it does so to all of that.
func (s *Screen) markOne() tea.Cmd {
	from, to := s.marked()
	if from < 0 {
		return nil
	}
	full := s.choose(from, to)
	if s.anchor != "" {
		s.anchor = ""
		return full
	}
	return tea.Batch(full, s.move(1))
}

// marked gives the rows that space acts on: the range, else the selected one.
func (s *Screen) marked() (from, to int) {
	from, to = s.Queue.Position(), s.Queue.PlaceOf(s.anchor)
	if to < 0 {
		to = from
	}
	return min(from, to), max(from, to) + 1
}

// choose marks rows, or takes their marks off when all of them have one. What is beyond MaxMarked stays without, which is
// said.
func (s *Screen) choose(from, to int) tea.Cmd {
	on := false
	for i := from; i < to; i++ {
		on = on || !s.Queue.Chose(s.Queue.Row(i).ID)
	}
	return s.set(from, to, on)
}

func (s *Screen) set(from, to int, on bool) tea.Cmd {
	for i := from; i < to; i++ {
		id := s.Queue.Row(i).ID
		if on && s.Queue.Choices() == MaxMarked && !s.Queue.Chose(id) {
			return screen.Notify(fmt.Sprintf("%d pairs are marked: no more can be judged at once", MaxMarked), true)
		}
		s.Queue.Choose(id, on)
	}
	return nil
}

// markRange starts a range, or ends it.
func (s *Screen) markRange() {
	c, ok := s.Queue.Selected()
	if s.anchor != "" || !ok {
		s.anchor = ""
		return
	}
	s.anchor = c.ID
}

// markAll marks every pair behind the filter, up to MaxMarked; those that are not loaded yet are read first.
func (s *Screen) markAll() tea.Cmd {
	s.anchor = ""
	if s.loading || s.more { // when that has arrived
		s.markingAll = true
		return nil
	}
	if s.Queue.Next() != "" && s.Queue.Loaded() < MaxMarked {
		s.markingAll, s.more = true, true
		q := s.query
		q.Cursor = s.Queue.Next()
		return s.load(q, MaxMarked-s.Queue.Loaded(), true)
	}
	if !s.markingAll {
		return s.choose(0, s.Queue.Len())
	}
	s.markingAll = false // they were read for it: none loses a mark
	full := s.set(0, s.Queue.Len(), true)
	if s.Queue.Next() != "" {
		full = screen.Notify(fmt.Sprintf("the first %d pairs are marked: no more can be judged at once", s.Queue.Choices()), false)
	}
	return full
}

// goOnMarking marks all when what was read for it has arrived.
func (s *Screen) goOnMarking() tea.Cmd {
	if !s.markingAll || s.loading || s.more {
		return nil
	}
	if s.failure != nil {
		s.markingAll = false
		return screen.Notify("the other pairs could not be read, so none was marked: "+Explain(s.failure), true)
	}
	return s.markAll()
}

// markText says how many pairs are marked, for the line above the list.
func (s *Screen) markText() string {
	n := s.Queue.Choices()
	switch {
	case s.markingAll:
		return "  reading all…"
	case s.anchor != "":
		from, to := s.marked()
		return "  range of " + when.Count(to-from, "pair", "pairs") + ": space"
	case n > 0:
		return fmt.Sprintf("  %d marked", n)
	}
	return ""
}

// headSigns are as many columns as the signs before a row.
func (s *Screen) headSigns() string {
	if s.Queue.Choices() == 0 && s.anchor == "" {
		return "  "
	}
	return "    "
}

// signs are the columns before a row: the selection, and where pairs are marked, the mark.
func (s *Screen) signs(i int, selected bool) string {
	sign := "  "
	if selected {
		sign = "> "
	}
	if len(s.headSigns()) == len(sign) {
		return sign
	}
	from, to := s.marked()
	switch {
	case s.Queue.Chose(s.Queue.Row(i).ID):
		return sign + "* "
	case s.anchor != "" && i >= from && i < to:
		return sign + "│ "
	}
	return sign + "  "
}
