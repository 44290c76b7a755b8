// Package listing is a list of rows with a selection that is kept by id: a refresh, an insert or a removal never moves it
// to another row. It is pure.
package listing

import "wiki/tui/action"

// List is such a list. Make one with New.
type List[T any] struct {
	id       func(T) string
	rows     []T
	selected string
	top      int // first row shown
}

// New makes an empty list; id names a row.
func New[T any](id func(T) string) List[T] { return List[T]{id: id} }

// Rows gives all rows, Len their number.
func (l *List[T]) Rows() []T { return l.rows }
func (l *List[T]) Len() int  { return len(l.rows) }

// Replace takes rows read anew. When the selected row is gone, the one that took its place is selected.
func (l *List[T]) Replace(rows []T) {
	at := max(0, l.At())
	l.rows = rows
	if l.At() < 0 && len(rows) > 0 {
		l.selected = l.id(rows[min(at, len(rows)-1)])
	}
}

// Append takes a further page; rows that are there already are dropped.
func (l *List[T]) Append(rows []T) {
	known := map[string]bool{}
	for _, r := range l.rows {
		known[l.id(r)] = true
	}
	for _, r := range rows {
		if !known[l.id(r)] {
			l.rows = append(l.rows, r)
		}
	}
	l.Move(0)
}

// At is the place of the selected row, -1 for none.
func (l *List[T]) At() int {
	for i, r := range l.rows {
		if l.id(r) == l.selected {
			return i
		}
	}
	return -1
}

// Selected gives the selected row.
func (l *List[T]) Selected() (T, bool) {
	if at := l.At(); at >= 0 {
		return l.rows[at], true
	}
	var none T
	return none, false
}

// Select selects a row by its id; one that is not there is not selected.
func (l *List[T]) Select(id string) {
	before := l.selected
	if l.selected = id; l.At() < 0 {
		l.selected = before
	}
}

// Move moves the selection, down when positive.
func (l *List[T]) Move(by int) {
	if len(l.rows) > 0 {
		l.selected = l.id(l.rows[max(0, min(l.At()+by, len(l.rows)-1))])
	}
}

// Window gives the rows to show in a height as a range, the selection in sight.
func (l *List[T]) Window(height int) (from, to int) {
	at := max(0, l.At())
	l.top = max(0, min(max(min(l.top, at), at-height+1), len(l.rows)-height))
	return l.top, min(len(l.rows), l.top+height)
}

// Step is how far a movement goes in a list of n of which a page is shown; 0 for an action that is no movement.
func Step(id action.ID, page, n int) int {
	switch id {
	case action.Down:
		return 1
	case action.Up:
		return -1
	case action.PageDown:
		return max(1, page-1)
	case action.PageUp:
		return -max(1, page-1)
	case action.Top:
		return -n
	case action.Bottom:
		return n
	}
	return 0
}
