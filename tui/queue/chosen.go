package queue

import (
	"maps"
	"slices"
	"strings"

	"wiki/server/api"
)

// Choose marks a loaded pair to be judged together with others, or takes it out again. Marks stay through another order,
// filter or refresh, until the pair is judged.
func (q *Queue) Choose(id string, in bool) {
	c, loaded := q.Find(id)
	switch {
	case !in:
		delete(q.chosen, id)
	case loaded:
		if q.chosen == nil {
			q.chosen = map[string]api.Conflict{}
		}
		q.chosen[id] = c
	}
}

// ChooseNone takes every pair out.
func (q *Queue) ChooseNone() { q.chosen = nil }

// Chose says whether a pair is among those to be judged together.
func (q *Queue) Chose(id string) bool { _, in := q.chosen[id]; return in }

// Choices is how many they are.
func (q *Queue) Choices() int { return len(q.chosen) }

// Chosen gives them in the order of the list; those that it does not have now come last, by id.
func (q *Queue) Chosen() []api.Conflict {
	place := func(c api.Conflict) int {
		if i, loaded := q.at[c.ID]; loaded {
			return i
		}
		return len(q.rows)
	}
	return slices.SortedFunc(maps.Values(q.chosen), func(a, b api.Conflict) int {
		if d := place(a) - place(b); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
}

// know brings a chosen pair up to date.
func (q *Queue) know(c api.Conflict) {
	if _, in := q.chosen[c.ID]; in {
		q.chosen[c.ID] = c
	}
}

// PlaceOf is the place of a pair among the rows shown, -1 when it is not among them.
func (q *Queue) PlaceOf(id string) int {
	row, known := q.at[id]
	if !known {
		return -1
	}
	i, there := q.place(row)
	if !there {
		return -1
	}
	return i
}
