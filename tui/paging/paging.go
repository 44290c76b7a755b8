// Package paging is a list that is read from the server a page at a time: what every list screen keeps beside its rows.
// Late answers for what was asked before are dropped, a refresh keeps the selection, and the next page comes when the
// selection nears the end.
package paging

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/listing"
	"wiki/tui/screen"
)

// Rows is how many rows one page has.
const Rows = 100

// Read asks the server for the page that a cursor names; an empty cursor is the first.
type Read[T any] func(ctx context.Context, cursor string) ([]T, api.Meta, error)

// Pages is such a list. Make one with New.
type Pages[T any] struct {
	listing.List[T]
	env  *screen.Env
	id   func(T) string
	read Read[T]

	meta       api.Meta
	next       string
	generation int
	loading    bool
	loaded     bool
	failure    error
	hidden     map[string]int // how many acts on the row are on their way
}

// New makes an empty list; id names a row.
func New[T any](env *screen.Env, id func(T) string, read Read[T]) *Pages[T] {
	return &Pages[T]{List: listing.New(id), env: env, id: id, read: read, hidden: map[string]int{}}
}

// Page is a message: a page has arrived, or could not be read.
type Page[T any] struct {
	of         *Pages[T]
	generation int
	rows       []T
	meta       api.Meta
	further    bool
	err        error
}

// Failure implements screen.Answer.
func (p Page[T]) Failure() error { return p.err }

// Loaded says whether a page has arrived since the start or since Reset, Err why the last one could not be read, and Meta
// what the last one said about itself.
func (p *Pages[T]) Loaded() bool   { return p.loaded }
func (p *Pages[T]) Err() error     { return p.failure }
func (p *Pages[T]) Meta() api.Meta { return p.meta }

// Reset empties the list, for another question, and asks it.
func (p *Pages[T]) Reset() tea.Cmd {
	p.Replace(nil)
	p.loaded, p.next, p.failure = false, "", nil
	return p.Load()
}

// Load reads the list anew.
func (p *Pages[T]) Load() tea.Cmd { return p.ask("") }

// Resync reads the list anew when it is on screen and nothing is on its way.
func (p *Pages[T]) Resync() tea.Cmd {
	if !p.loaded || p.loading {
		return nil
	}
	return p.Load()
}

// Hide takes a row out of the list, and keeps it out of every page until it was unhidden as often: acts on it are on their
// way.
func (p *Pages[T]) Hide(id string) {
	p.hidden[id]++
	p.Replace(p.shown(p.Rows()))
}

// Unhide lets a row in again, and reads the list anew when it is on screen: the act on it has ended.
func (p *Pages[T]) Unhide(id string) tea.Cmd {
	if p.hidden[id] > 1 {
		p.hidden[id]--
		return nil
	}
	delete(p.hidden, id)
	if !p.loaded {
		return nil
	}
	return p.Load()
}

// Hidden is how many rows are kept out.
func (p *Pages[T]) Hidden() int { return len(p.hidden) }

func (p *Pages[T]) shown(rows []T) []T {
	out := make([]T, 0, len(rows))
	for _, r := range rows {
		if p.hidden[p.id(r)] == 0 {
			out = append(out, r)
		}
	}
	return out
}

// Travel moves the selection, in a list of which height rows are shown.
func (p *Pages[T]) Travel(id action.ID, height int) tea.Cmd {
	p.Move(listing.Step(id, height, p.Len()))
	if p.next == "" || p.loading || p.At() < p.Len()-height {
		return nil
	}
	return p.ask(p.next)
}

func (p *Pages[T]) ask(cursor string) tea.Cmd {
	p.generation++
	p.loading = true
	asked, read := p.generation, p.read
	return p.env.Call(func(ctx context.Context) tea.Msg {
		rows, meta, err := read(ctx, cursor)
		return Page[T]{of: p, generation: asked, rows: rows, meta: meta, further: cursor != "", err: err}
	})
}

// Heard takes a page that is this list's and that was asked for last.
func (p *Pages[T]) Heard(page Page[T]) {
	if page.of != p || page.generation != p.generation {
		return
	}
	p.loading, p.failure = false, page.err
	switch {
	case page.err != nil:
		return
	case page.further:
		p.Append(p.shown(page.rows))
	default:
		p.Replace(p.shown(page.rows))
	}
	p.loaded, p.meta, p.next = true, page.meta, page.meta.NextCursor
}
