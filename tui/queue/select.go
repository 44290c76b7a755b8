package queue

import (
	"time"

	"wiki/server/api"
)

// Selected gives the selected pair.
func (q *Queue) Selected() (api.Conflict, bool) {
	if !q.shown(q.selected) {
		return api.Conflict{}, false
	}
	return q.rows[q.at[q.selected]], true
}

// Position is the place of the selected row among those shown, -1 without one.
func (q *Queue) Position() int { return q.PlaceOf(q.selected) }

// Select selects a pair by id; one that is not shown is not selected, and the answer is false.
func (q *Queue) Select(id string) bool {
	if !q.shown(id) {
		return false
	}
	q.selected, q.wanted = id, ""
	return true
}

// Want selects a pair, now or when a fresh list brings it back, unless the curator moves before.
func (q *Queue) Want(id string) {
	if !q.Select(id) {
		q.wanted = id
	}
}

// Move moves the selection by rows, stopping at the ends.
func (q *Queue) Move(by int) {
	if len(q.visible) == 0 {
		return
	}
	to := min(max(q.Position()+by, 0), len(q.visible)-1)
	q.selected, q.wanted = q.rows[q.visible[to]].ID, ""
}

// Ahead gives up to n pairs that auto-advance would come to after a pair, in order: below it first, then from the top.
func (q *Queue) Ahead(from string, n int, now time.Time) []string {
	var ids []string
	start := 0
	if i, known := q.at[from]; known {
		start = i + 1
	}
	for k := range len(q.rows) {
		c := q.rows[(start+k)%len(q.rows)]
		if len(ids) == n {
			break
		}
		if c.ID != from && q.toDo(c, now) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// toDo says whether a pair is one that auto-advance stops at.
func (q *Queue) toDo(c api.Conflict, now time.Time) bool {
	held := c.Claim != nil && !c.Claim.Mine && c.Claim.ExpiresAt.After(now)
	return q.MarkOf(c.ID, now) == Unmarked && c.State == "open" && !held
}
