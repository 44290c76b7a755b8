package conflicts

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"wiki/server/api"
	"wiki/tui/queue"
)

const (
	pageRows   = 100  // rows asked for at a time
	refreshMax = 1000 // rows read again by a refresh; beyond them the curator pages again
	ahead      = 50   // rows below the selection at which the next page is asked for
)

// Loaded is a message: rows have arrived, or could not be read.
type Loaded struct {
	generation int
	page       queue.Page
	counts     map[string]int
	asked      queue.Asked
	next       bool // a further page; else a fresh list
	err        error
}

// Failure implements screen.Answer.
func (l Loaded) Failure() error { return l.err }

// Refresh reads the loaded rows again. The list stays on screen meanwhile; a refresh that is under way is followed by
// another, because its answer may be older than the reason for this one.
func (s *Screen) Refresh() tea.Cmd {
	if s.loading {
		s.again = true
		return nil
	}
	s.loading = true
	return s.load(s.query, max(pageRows, min(s.Queue.Loaded(), refreshMax)), false)
}

// Load is Refresh for the start.
func (s *Screen) Load() tea.Cmd { return s.Refresh() }

// reset empties the list after a change of state, order or filter, and reads it anew.
func (s *Screen) reset() tea.Cmd {
	s.generation++
	s.Queue.Reset()
	s.top, s.loading, s.more, s.loaded, s.again, s.failure, s.browsing = 0, false, false, false, false, nil, false
	s.anchor, s.markingAll = "", false
	return s.Refresh()
}

func (s *Screen) setFilter(text string) tea.Cmd {
	q, err := queue.ParseFilter(text, s.query)
	if err != nil {
		s.fieldErr = err
		return nil
	}
	s.field, s.filter, s.query, s.view = nil, text, q, ""
	return s.reset()
}

// fetchMore asks for the next page when the selection comes near the end of the loaded rows.
func (s *Screen) fetchMore() tea.Cmd {
	if s.more || s.loading || s.Queue.Next() == "" || s.Queue.Position() < s.Queue.Len()-ahead {
		return nil
	}
	s.more = true
	q := s.query
	q.Cursor = s.Queue.Next()
	return s.load(q, pageRows, true)
}

// load reads pages until there are enough rows.
func (s *Screen) load(q api.ConflictQuery, rows int, next bool) tea.Cmd {
	generation, asked := s.generation, s.Queue.Delivered()
	closed, filtered := s.query.State != states[0], s.filter != ""
	return s.env.Call(func(ctx context.Context) tea.Msg {
		out := Loaded{generation: generation, asked: asked, next: next}
		out.page.Closed, out.page.Filtered = closed, filtered
		for {
			q.Limit = pageRows
			got, meta, err := s.source.Conflicts(ctx, q)
			if err != nil {
				out.err = err
				return out
			}
			out.page.Rows = append(out.page.Rows, got...)
			out.page.Next, out.page.Open, out.page.Waiting = meta.NextCursor, meta.Counts["open"], meta.Counts["judged"]
			out.counts = meta.Counts
			if q.Cursor = meta.NextCursor; q.Cursor == "" || len(out.page.Rows) >= rows {
				return out
			}
		}
	})
}

// Heard implements screen.Screen.
func (s *Screen) Heard(msg tea.Msg) tea.Cmd {
	if s.heardViews(msg) {
		return nil
	}
	l, ok := msg.(Loaded)
	if !ok || l.generation != s.generation {
		return nil
	}
	if l.next {
		s.more = false
	} else {
		s.loading = false
	}
	if s.failure = l.err; l.err == nil {
		s.take(l)
	}
	marking := s.goOnMarking()
	if s.again && !s.loading {
		s.again = false
		return tea.Batch(marking, s.Refresh())
	}
	if l.err != nil {
		return marking // the root tries again when the link is back
	}
	return tea.Batch(marking, s.fetchMore())
}

func (s *Screen) take(l Loaded) {
	s.loaded, s.counts = true, l.counts
	if l.next {
		s.Queue.Append(l.page, l.asked)
	} else {
		s.Queue.Replace(l.page, l.asked)
	}
}

// Fresh says whether the list on screen is as new as the last refresh asked for.
func (s *Screen) Fresh() bool { return s.loaded && !s.loading && s.failure == nil }
