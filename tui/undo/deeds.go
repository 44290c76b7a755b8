package undo

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/outbox"
	"wiki/tui/text"
)

// deed is an act on what is no pair, which the server can reverse by another act.
type deed struct {
	act    outbox.Act
	at     time.Time
	backAt time.Time // when it was taken back; zero = it stands
	done   bool      // the server has done it
	over   bool      // it was done again since, or can no longer be taken back
	logged bool      // read from the server's log, and not touched in this session
}

// inverse gives the act that takes another one back; false when the server has none.
func inverse(a outbox.Act) (outbox.Act, bool) {
	if a.Kind == outbox.Lift {
		return outbox.Act{Kind: outbox.Suppress, Subject: a.Subject, What: a.What, Reason: a.Reason, Of: a.Key, Back: true}, true
	}
	return outbox.Act{}, false
}

// logName is what the server's log calls such an act.
var logName = map[outbox.Kind]string{outbox.Lift: "article.unsuppress"}

// addDeed notes such an act: a new one, one that takes another back, or one that does another again.
func (l *Ledger) addDeed(a outbox.Act) {
	if of := l.deedOf(a.Of); of != nil {
		of.logged = false
		if a.Back {
			of.backAt = a.At
			return
		}
		of.over = true
	}
	if _, reversible := inverse(a); reversible && !a.Back {
		l.deeds = append(l.deeds, deed{act: a, at: a.At})
	}
}

// Done notes that the server did an act on no pair.
func (l *Ledger) Done(a outbox.Act, now time.Time) {
	if d := l.deedOf(a.Key); d != nil {
		d.done, d.at = true, now
	}
}

// Refused notes that an act on no pair was not done.
func (l *Ledger) Refused(a outbox.Act) {
	of := l.deedOf(a.Of)
	switch {
	case of != nil && a.Back: // it stands; asking again would be refused again
		of.over = true
	case of != nil:
		of.over = false
	}
	if !a.Back {
		l.deeds = slices.DeleteFunc(l.deeds, func(d deed) bool { return d.act.Key == a.Key })
	}
}

func (l *Ledger) deedOf(key string) *deed {
	for i := range l.deeds {
		if key != "" && l.deeds[i].act.Key == key {
			return &l.deeds[i]
		}
	}
	return nil
}

// undoDeed gives the newest deed that stands.
func (l *Ledger) undoDeed() (Item, bool) {
	for _, d := range slices.Backward(l.deeds) {
		if d.backAt.IsZero() && !d.over {
			back, _ := inverse(d.act)
			return Item{What: d.act.What, Deed: &back, at: d.at}, true
		}
	}
	return Item{}, false
}

func (l *Ledger) standingDeeds() int {
	n := 0
	for _, d := range l.deeds {
		if d.backAt.IsZero() && !d.over {
			n++
		}
	}
	return n
}

// redoDeed gives the deed that was taken back last.
func (l *Ledger) redoDeed() (Item, bool) {
	var last *deed
	for i, d := range l.deeds {
		if !d.backAt.IsZero() && !d.over && (last == nil || d.backAt.After(last.backAt)) {
			last = &l.deeds[i]
		}
	}
	if last == nil {
		return Item{}, false
	}
	again := last.act
	again.Of, again.Back = last.act.Key, false
	return Item{What: again.What, Deed: &again, at: last.backAt}, true
}

// ReadActs takes the curator's own acts from the server's audit log, newest first: what was done in another session or on
// another machine can be taken back too. What this session knows of itself goes first.
func (l *Ledger) ReadActs(entries []api.AuditEntry) {
	l.deeds = slices.DeleteFunc(l.deeds, func(d deed) bool { return d.logged })
	own := map[uuid.UUID]bool{}
	for i, d := range l.deeds {
		own[*d.act.Subject] = true
		at := slices.IndexFunc(entries, func(e api.AuditEntry) bool {
			return e.Subject != nil && *e.Subject == *d.act.Subject && e.Act == logName[d.act.Kind]
		})
		if d.done && at >= 0 {
			l.deeds[i].at = entries[at].At // by the server's clock, as verdicts are
		}
	}
	var logged []deed
	for _, e := range slices.Backward(entries) {
		if e.Subject == nil || own[*e.Subject] {
			continue
		}
		switch was, reason := fact(e, "was"), fact(e, "reason"); {
		case e.Act == logName[outbox.Lift] && was != "":
			logged = append(logged, deed{at: e.At, logged: true, act: outbox.Act{
				Key: fmt.Sprintf("log-%d", e.ID), Kind: outbox.Lift, Subject: e.Subject, What: SayLift(e.Title, *e.Subject), Reason: was,
			}})
		case e.Act == "article.suppress":
			for i := range logged {
				if d := &logged[i]; *d.act.Subject == *e.Subject && d.backAt.IsZero() {
					d.backAt, d.over = e.At, d.act.Reason != reason // for another reason it is another act, that ends the first
				}
			}
		}
	}
	// A lift is over when the same article was lifted again.
	for i := range logged {
		for _, later := range logged[i+1:] {
			if *later.act.Subject == *logged[i].act.Subject {
				logged[i].over = true
			}
		}
	}
	l.deeds = append(l.deeds, logged...)
	slices.SortStableFunc(l.deeds, func(a, b deed) int { return a.at.Compare(b.at) })
}

func fact(e api.AuditEntry, name string) string {
	s, _ := e.Detail[name].(string)
	return s
}

// SayLift says the lifting of a suppression for people.
func SayLift(articleTitle string, id uuid.UUID) string {
	return "lift the suppression of " + title(api.ArticleRef{ID: id, Title: text.InertLine(articleTitle)})
}
