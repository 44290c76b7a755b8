package queue

import "time"

// MarkOf gives a pair's mark; a deferral that has ended is none.
func (q *Queue) MarkOf(id string, now time.Time) Mark {
	m := q.marks[id]
	if m.kind == Deferred && !m.until.After(now) {
		return Unmarked
	}
	return m.kind
}

// Judge marks a pair as judged: it leaves the list at once, before the server knows.
func (q *Queue) Judge(id string) {
	q.Choose(id, false)
	q.mark(id, mark{kind: Judged})
}

// Skip leaves a pair for later in this session.
func (q *Queue) Skip(id string) { q.mark(id, mark{kind: Skipped}) }

// Defer puts a pair away until a time.
func (q *Queue) Defer(id string, until time.Time) { q.mark(id, mark{kind: Deferred, until: until}) }

// Accepted says that the server has taken the verdict of a pair. One that will not be executed leaves the pair open.
func (q *Queue) Accepted(id string, executable bool) {
	m, known := q.marks[id]
	if !known || (m.kind != Judged && m.kind != Recorded) {
		return
	}
	m.judged = executable
	if !executable {
		m.kind = Recorded
	}
	q.mark(id, m)
}

// Return puts a pair back: its verdict was refused or taken back.
func (q *Queue) Return(id string) {
	m, known := q.marks[id]
	delete(q.marks, id)
	if known && m.counted {
		q.open++
	}
	if row, loaded := q.at[id]; loaded {
		q.unhide(row)
	}
}

func (q *Queue) mark(id string, m mark) {
	if q.marks == nil {
		q.marks = map[string]mark{}
	}
	row, loaded := q.at[id]
	m.listed = m.listed || loaded
	q.marks[id] = m
	switch {
	case !loaded:
	case q.hidden(id):
		q.hide(row)
	default:
		q.unhide(row)
	}
}

// Progress says how far along the queue is. Judged + Left + Skipped + Deferred = Total, always.
type Progress struct{ Judged, Left, Skipped, Deferred, Total int }

// Progress counts each pair once; behind a filter, only those that it lets through.
func (q *Queue) Progress(now time.Time) Progress {
	var p Progress
	notLeft := 0
	for id, m := range q.marks {
		if q.filtered && !m.listed {
			continue
		}
		switch q.MarkOf(id, now) {
		case Judged, Recorded:
			p.Judged++
			if !m.counted {
				notLeft++
			}
		case Skipped:
			p.Skipped++
			notLeft++
		case Deferred:
			p.Deferred++
			notLeft++
		}
	}
	p.Left = max(0, q.open-notLeft)
	p.Total = p.Judged + p.Left + p.Skipped + p.Deferred
	return p
}
