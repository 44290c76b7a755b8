// Package undo works out what the curator's next undo and redo would do. The truth is the server's log of verdicts; over
// it lie the acts that have not reached the server yet. It is pure.
//
// Because it is read from the server's log, undo works after a restart and from another machine, for as long as the
// server can still take a verdict back.
package undo

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/outbox"
)

// Item is one thing that can be taken back or done again.
type Item struct {
	Pair string
	What string      // for people
	Kind outbox.Kind // Withdraw or Revert to take back, Judge to do again
	ID   *uuid.UUID  // the verdict to take back, when the server has given it a name
	Of   string      // else the act's key
	// Verdict is what to record again.
	Verdict api.NewVerdict
	// Deed, when there is one, is the act that does it: what is taken back, or done again, was no verdict.
	Deed *outbox.Act
	// With are the others that were given together with this one, and are taken back or done again with it.
	With []Item

	batch    string
	onItsWay bool // what took it back has no final answer yet
	at       time.Time
}

// Ledger is the curator's own acts. The zero value is empty.
type Ledger struct {
	pending []outbox.Act  // without a final answer, oldest first
	log     []api.Verdict // the curator's own, newest first
	more    int           // undoable verdicts beyond those in the log
	deeds   []deed        // acts of the curator on what is no pair, oldest first

	batches map[uuid.UUID]string // of this session's verdicts that were given together, by the verdict
}

// Add notes an act that has been put into the outbox.
func (l *Ledger) Add(a outbox.Act) {
	if a.Subject != nil {
		l.addDeed(a)
		return
	}
	l.pending = append(l.pending, a)
}

// Read takes the server's log: recent ones of every state, and undoable ones, each newest first; total is how many can be
// taken back in all.
func (l *Ledger) Read(recent, undoable []api.Verdict, total int) {
	byID := map[uuid.UUID]api.Verdict{}
	for _, v := range slices.Concat(recent, undoable) {
		byID[v.ID] = v
	}
	l.log = l.log[:0:0]
	here := 0
	for _, v := range byID {
		l.log = append(l.log, v)
		if v.Undo == "withdraw" || v.Undo == "revert" {
			here++
		}
	}
	l.more = max(0, total-here)
	l.sort()
}

func (l *Ledger) sort() {
	slices.SortFunc(l.log, func(a, b api.Verdict) int {
		if c := b.JudgedAt.Compare(a.JudgedAt); c != 0 {
			return c
		}
		return strings.Compare(b.ID.String(), a.ID.String())
	})
}

// End notes an act's final answer: the verdict as the server has it now, or nil when it was refused.
func (l *Ledger) End(a outbox.Act, v *api.Verdict) {
	l.pending = slices.DeleteFunc(l.pending, func(p outbox.Act) bool { return p.Key == a.Key })
	if v == nil {
		return
	}
	if a.Batch != "" && a.Kind == outbox.Judge {
		if l.batches == nil {
			l.batches = map[uuid.UUID]string{}
		}
		l.batches[v.ID] = a.Batch
	}
	for i, p := range l.pending { // what takes this verdict back can name it now
		if p.Of == a.Key && a.Kind == outbox.Judge {
			l.pending[i].ID = &v.ID
		}
	}
	if i := slices.IndexFunc(l.log, func(x api.Verdict) bool { return x.ID == v.ID }); i >= 0 {
		l.log[i] = *v
		return
	}
	l.log = append(l.log, *v)
	l.sort()
}

// Undo gives what the next undo takes back: the newest that can be. When there is nothing, whyNot explains the newest act
// that stands in the way.
func (l *Ledger) Undo() (item Item, whyNot string, ok bool) {
	verdict, whyNot, found := l.undoVerdict()
	deed, wait, also := l.undoDeed()
	switch {
	case also && (!found || deed.at.After(verdict.at)):
		return deed, wait, wait == ""
	case found:
		return l.together(verdict, l.standing), "", true
	}
	return Item{}, whyNot, false
}

func (l *Ledger) undoVerdict() (item Item, whyNot string, ok bool) {
	for item := range l.standing() {
		return item, "", true
	}
	for _, v := range l.log {
		if !l.takingBack("", &v.ID) && v.WithdrawnAt == nil && v.RevertedAt == nil && v.UndoWhy != "" {
			return Item{}, Say(v) + " cannot be taken back: " + v.UndoWhy, false
		}
	}
	return Item{}, "", false
}

// standing walks the verdicts that can be taken back, newest first.
func (l *Ledger) standing() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for _, a := range slices.Backward(l.pending) {
			if a.Kind == outbox.Judge && !l.takingBack(a.Key, nil) &&
				!yield(Item{Pair: a.Pair, What: a.What, Kind: outbox.Withdraw, Of: a.Key, batch: a.Batch, at: a.At}) {
				return
			}
		}
		for _, v := range l.log {
			kind := kinds[v.Undo]
			if kind != "" && !l.takingBack("", &v.ID) &&
				!yield(Item{Pair: v.ConflictID, What: Say(v), Kind: kind, ID: &v.ID, batch: l.batches[v.ID], at: v.JudgedAt}) {
				return
			}
		}
	}
}

// kinds are the acts that take a verdict back, by what the server says of it.
var kinds = map[string]outbox.Kind{"withdraw": outbox.Withdraw, "revert": outbox.Revert}

// together adds to an item the others of its batch.
func (l *Ledger) together(item Item, all func() iter.Seq[Item]) Item {
	if item.batch == "" {
		return item
	}
	for other := range all() {
		if other.batch == item.batch && other.Pair != item.Pair {
			item.With = append(item.With, other)
		}
	}
	if n := len(item.With); n > 0 {
		item.What = SayTogether(n + 1)
	}
	return item
}

// Count is how many acts can be taken back.
func (l *Ledger) Count() int {
	n := l.more + l.standingDeeds()
	for _, a := range l.pending {
		if a.Kind == outbox.Judge && !l.takingBack(a.Key, nil) {
			n++
		}
	}
	for _, v := range l.log {
		if (v.Undo == "withdraw" || v.Undo == "revert") && !l.takingBack("", &v.ID) {
			n++
		}
	}
	return n
}

// Redo gives what was taken back last and can be done again: a verdict on a pair that has none since, or another act.
func (l *Ledger) Redo() (Item, bool) {
	verdict, found := l.redoVerdict()
	deed, also := l.redoDeed()
	switch {
	case also && (!found || deed.at.After(verdict.at)):
		return deed, true
	case found:
		return l.together(verdict, l.back), true
	}
	return Item{}, false
}

// redoVerdict gives the verdict that was taken back last.
func (l *Ledger) redoVerdict() (last Item, found bool) {
	for item := range l.back() {
		if item.onItsWay { // of those, the last is the newest of all
			return item, true
		}
		if !found || item.at.After(last.at) {
			last, found = item, true
		}
	}
	return last, found
}

// back walks the verdicts that were taken back and can be given again: those on their way first, newest first.
func (l *Ledger) back() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for _, a := range slices.Backward(l.pending) {
			if !takesBack(a) || l.judgedAgain(a.Pair) {
				continue
			}
			if v, batch, known := l.contentOf(a); known &&
				!yield(Item{Pair: a.Pair, What: a.What, Kind: outbox.Judge, Verdict: v, batch: batch, onItsWay: true, at: a.At}) {
				return
			}
		}
		for _, v := range l.log {
			if at := backAt(v); at != nil && !l.judgedAgain(v.ConflictID) &&
				!yield(Item{Pair: v.ConflictID, What: Say(v), Kind: outbox.Judge, Verdict: again(v), batch: l.batches[v.ID], at: *at}) {
				return
			}
		}
	}
}

func takesBack(a outbox.Act) bool { return a.Kind == outbox.Withdraw || a.Kind == outbox.Revert }

// takingBack says whether an act under way takes back the act or verdict.
func (l *Ledger) takingBack(key string, id *uuid.UUID) bool {
	return slices.ContainsFunc(l.pending, func(a outbox.Act) bool {
		return takesBack(a) && ((key != "" && a.Of == key) || (id != nil && a.ID != nil && *a.ID == *id))
	})
}

// judgedAgain says whether a verdict of the curator stands on the pair, or is under way.
func (l *Ledger) judgedAgain(pair string) bool {
	return slices.ContainsFunc(l.pending, func(a outbox.Act) bool {
		return a.Pair == pair && a.Kind == outbox.Judge && !l.takingBack(a.Key, nil)
	}) || slices.ContainsFunc(l.log, func(v api.Verdict) bool {
		return v.ConflictID == pair && backAt(v) == nil && !l.takingBack("", &v.ID)
	})
}

// contentOf gives the verdict that an act under way takes back, and which others were given together with it.
func (l *Ledger) contentOf(a outbox.Act) (v api.NewVerdict, batch string, known bool) {
	for _, p := range l.pending {
		if p.Key == a.Of && p.Verdict != nil {
			return *p.Verdict, p.Batch, true
		}
	}
	for _, v := range l.log {
		if a.ID != nil && v.ID == *a.ID {
			return again(v), l.batches[v.ID], true
		}
	}
	return api.NewVerdict{}, "", false
}
