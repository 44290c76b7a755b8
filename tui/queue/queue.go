// Package queue is the state of the conflict queue on screen: which pairs are loaded, which one is selected, what the
// curator did with them, and how far along that is. It is pure: no terminal, no network; the clock comes as an argument.
//
// The selection is a pair's id. Nothing that happens to the list moves it to another pair, unless its own pair goes.
package queue

import (
	"slices"
	"time"

	"wiki/server/api"
)

// Mark is what the curator did with a pair in this session or, for Deferred, on this machine.
type Mark int

// Marks.
const (
	Unmarked Mark = iota
	Judged        // a verdict was given; the pair leaves the list at once
	Recorded      // a verdict was recorded that the role cannot execute: the pair stays open for somebody else
	Skipped
	Deferred
)

// Queue is the list of pairs in one state, filter and order. The zero value is an empty one.
type Queue struct {
	rows     []api.Conflict
	visible  []int // indexes of rows that are shown
	at       map[string]int
	selected string
	wanted   string // to be selected when it arrives
	next     string // cursor of the page after the loaded rows
	closed   bool   // judged or settled pairs are listed: what the curator judged is among them
	filtered bool   // only some pairs are listed and counted
	open     int    // pairs that the server counts as open, when last asked
	waiting  int    // verdicts that wait for execution, when last asked
	marks    map[string]mark
	chosen   map[string]api.Conflict // to be judged together, as they were read last
}

type mark struct {
	kind    Mark
	until   time.Time // of Deferred
	counted bool      // the server's count of open pairs has taken the verdict in
	listed  bool      // the pair is, or was, in the list as it is filtered now
	judged  bool      // a verdict was delivered, so that the next count will have taken it in
}

// Page is one answer of the server.
type Page struct {
	Rows     []api.Conflict
	Next     string // cursor; "" = no more
	Open     int
	Waiting  int
	Closed   bool // the pairs are judged or settled, not open
	Filtered bool // there are others: rows and counts are of those behind a filter
}

// Replace puts fresh rows in place of all loaded ones. asked is what Delivered gave when they were asked for.
func (q *Queue) Replace(p Page, asked Asked) {
	oldRows, oldVisible := q.rows, q.visible
	q.closed, q.filtered = p.Closed, p.Filtered
	q.rows, q.visible, q.at = nil, nil, make(map[string]int, len(p.Rows))
	for _, c := range p.Rows {
		q.append(c)
	}
	q.next = p.Next
	q.count(p, asked)
	q.forgetClosed(p)
	switch {
	case q.wanted != "" && q.shown(q.wanted):
		q.selected, q.wanted = q.wanted, ""
	case !q.shown(q.selected):
		q.selected = q.heir(oldRows, oldVisible)
	}
}

// append adds a row, or brings it up to date when it is there already.
func (q *Queue) append(c api.Conflict) {
	q.know(c)
	if i, known := q.at[c.ID]; known {
		q.rows[i] = c
		return
	}
	if q.at == nil {
		q.at = map[string]int{}
	}
	q.at[c.ID] = len(q.rows)
	if m, marked := q.marks[c.ID]; marked {
		m.listed = true
		q.marks[c.ID] = m
	}
	if !q.hidden(c.ID) {
		q.visible = append(q.visible, len(q.rows))
	}
	q.rows = append(q.rows, c)
}

// Append adds the next page; rows that are there already are brought up to date where they stand.
func (q *Queue) Append(p Page, asked Asked) {
	for _, c := range p.Rows {
		q.append(c)
	}
	q.next = p.Next
	q.count(p, asked)
	q.selectSomething()
}

// Asked names the moment of a question to the server: which verdicts it had taken by then.
type Asked map[string]bool

// Delivered gives the pairs whose verdicts the server has taken; pass it with the answer to a question asked now.
func (q *Queue) Delivered() Asked {
	asked := Asked{}
	for id, m := range q.marks {
		if m.judged {
			asked[id] = true
		}
	}
	return asked
}

func (q *Queue) count(p Page, asked Asked) {
	q.open, q.waiting = p.Open, p.Waiting
	for id := range asked {
		if m, known := q.marks[id]; known {
			m.counted = true
			q.marks[id] = m
		}
	}
}

// forgetClosed drops the marks of skipped, deferred and chosen pairs that are no longer open. When not all open pairs are loaded,
// one that is not among them may still be open, and its mark stays.
func (q *Queue) forgetClosed(p Page) {
	if p.Next != "" || p.Closed || p.Filtered {
		return
	}
	open := map[string]bool{}
	for _, c := range p.Rows {
		open[c.ID] = true
	}
	for id, m := range q.marks {
		if (m.kind == Skipped || m.kind == Deferred || m.kind == Recorded) && !open[id] {
			delete(q.marks, id)
		}
	}
	for id := range q.chosen {
		if !open[id] {
			delete(q.chosen, id)
		}
	}
}

// Reset empties the list for another state, filter or order; marks stay.
func (q *Queue) Reset() {
	q.rows, q.visible, q.at, q.next = nil, nil, nil, ""
	q.selected, q.wanted = "", ""
	for id, m := range q.marks {
		m.listed = false
		q.marks[id] = m
	}
}

// Len is the number of rows shown.
func (q *Queue) Len() int { return len(q.visible) }

// Loaded is the number of rows in memory.
func (q *Queue) Loaded() int { return len(q.rows) }

// Next is the cursor of the page after the loaded rows, "" when all are loaded.
func (q *Queue) Next() string { return q.next }

// Row gives the i-th row shown.
func (q *Queue) Row(i int) api.Conflict { return q.rows[q.visible[i]] }

// Find gives a loaded row by id, shown or not.
func (q *Queue) Find(id string) (api.Conflict, bool) {
	i, known := q.at[id]
	if !known {
		return api.Conflict{}, false
	}
	return q.rows[i], true
}

// Update brings one loaded row up to date where it stands.
func (q *Queue) Update(c api.Conflict) {
	q.know(c)
	if i, known := q.at[c.ID]; known {
		q.rows[i] = c
	}
}

// Waiting is how many verdicts wait for execution.
func (q *Queue) Waiting() int { return q.waiting }

// place finds a row among the visible ones: its place, or where it would be, and whether it is there.
func (q *Queue) place(row int) (int, bool) { return slices.BinarySearch(q.visible, row) }

// hide and unhide take a row from the visible ones, and put it back. When the selected row goes, the next below it that
// is still shown takes its place, else the next above.
func (q *Queue) hide(row int) {
	i, there := q.place(row)
	if !there {
		return
	}
	q.visible = slices.Delete(q.visible, i, i+1)
	if q.rows[row].ID != q.selected {
		return
	}
	q.selected = ""
	if n := len(q.visible); n > 0 {
		q.selected = q.rows[q.visible[min(i, n-1)]].ID
	}
}

func (q *Queue) unhide(row int) {
	if i, there := q.place(row); !there {
		q.visible = slices.Insert(q.visible, i, row)
	}
	q.selectSomething()
}

// selectSomething selects the first row when none is.
func (q *Queue) selectSomething() {
	if !q.shown(q.selected) && len(q.visible) > 0 {
		q.selected = q.rows[q.visible[0]].ID
	}
}

func (q *Queue) shown(id string) bool {
	i, known := q.at[id]
	return known && !q.hidden(q.rows[i].ID)
}

// hidden says whether a pair has left the list because the curator judged it.
func (q *Queue) hidden(id string) bool { return !q.closed && q.marks[id].kind == Judged }

// heir is the row that takes the selected one's place after it went from the list: the next below it that is still shown,
// else the next above, else the first.
func (q *Queue) heir(rows []api.Conflict, visible []int) string {
	at := slices.IndexFunc(visible, func(r int) bool { return rows[r].ID == q.selected })
	for i := at + 1; at >= 0 && i < len(visible); i++ {
		if id := rows[visible[i]].ID; q.shown(id) {
			return id
		}
	}
	for i := at - 1; i >= 0; i-- {
		if id := rows[visible[i]].ID; q.shown(id) {
			return id
		}
	}
	if len(q.visible) > 0 {
		return q.rows[q.visible[0]].ID
	}
	return ""
}
