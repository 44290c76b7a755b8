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
	made   int // the version that it made of an article, when it is known
	at     time.Time
	backAt time.Time // when it was taken back; zero = it stands
	done   bool      // the server has done it
	over   bool      // it was done again since, or can no longer be taken back
	logged bool      // read from the server's log, and not touched in this session
}

// inverse gives the act that takes a deed back; false when the server has none.
func (d deed) inverse() (outbox.Act, bool) {
	a := d.act
	switch a.Kind {
	case outbox.Lift:
		return outbox.Act{Kind: outbox.Suppress, Subject: a.Subject, What: a.What, Reason: a.Reason, Of: a.Key, Back: true}, true
	case outbox.Adopt:
		return outbox.Act{Kind: outbox.Restore, Subject: a.Article, What: a.What, Version: d.made, Of: a.Key, Back: true}, true
	case outbox.Edit:
		return outbox.Act{Kind: outbox.Restore, Subject: a.Subject, What: a.What, Version: d.made, Of: a.Key, Back: true}, true
	case outbox.Publish:
		return outbox.Act{Kind: outbox.Unpublish, Subject: a.Subject, What: a.What, Of: a.Key, Back: true}, true
	case outbox.Discard:
		return outbox.Act{Kind: outbox.Reopen, Subject: a.Subject, What: a.What, Of: a.Key, Back: true}, true
	}
	return outbox.Act{}, false
}

// waits says whether a deed can be taken back only when the server has answered: until then nobody knows which version it
// makes.
func (d deed) waits() bool { return d.writes() && d.made == 0 }

// writes says whether a deed changes the text of an article.
func (d deed) writes() bool { return d.act.Kind == outbox.Adopt || d.act.Kind == outbox.Edit }

// again says whether the server does a deed again after it was taken back: a submission that was adopted is closed, and an
// edit was of a version that no longer stands.
func (d deed) again() bool { return !d.writes() }

// about is the article that a deed changed.
func (d deed) about() uuid.UUID {
	if d.act.Article != nil {
		return *d.act.Article
	}
	return *d.act.Subject
}

// logName is what the server's log calls such an act.
var logName = map[outbox.Kind]string{outbox.Lift: "article.unsuppress", outbox.Adopt: "drift.adopt", outbox.Edit: "article.update", outbox.Publish: "article.publish", outbox.Discard: "article.archive"}

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
	d := deed{act: a, at: a.At}
	if _, reversible := d.inverse(); reversible && !a.Back {
		l.deeds = append(l.deeds, d)
	}
}

// Done notes that the server did an act on no pair.
func (l *Ledger) Done(a outbox.Act, r outbox.Result, now time.Time) {
	d := l.deedOf(a.Key)
	if d == nil {
		return
	}
	d.done, d.at = true, now
	if d.writes() {
		d.made, d.over = r.Made, r.Made == 0
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

// undoDeed gives the newest deed that stands; whyNot is why it has to wait.
func (l *Ledger) undoDeed() (item Item, whyNot string, ok bool) {
	for _, d := range slices.Backward(l.deeds) {
		if d.backAt.IsZero() && !d.over {
			back, _ := d.inverse()
			if d.waits() {
				whyNot = d.act.What + " is on its way: it can be taken back when the server has answered"
			}
			return Item{What: d.act.What, Deed: &back, at: d.at}, whyNot, true
		}
	}
	return Item{}, "", false
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
		if !d.backAt.IsZero() && !d.over && d.again() && (last == nil || d.backAt.After(last.backAt)) {
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
		own[d.about()] = true
		at := slices.IndexFunc(entries, func(e api.AuditEntry) bool {
			return e.Subject != nil && *e.Subject == d.about() && e.Act == logName[d.act.Kind]
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
		number, _ := e.Detail["version"].(float64)
		switch was, reason, version := fact(e, "was"), fact(e, "reason"), int(number); {
		case e.Act == logName[outbox.Lift] && was != "":
			logged = append(logged, deed{at: e.At, logged: true, act: outbox.Act{
				Key: fmt.Sprintf("log-%d", e.ID), Kind: outbox.Lift, Subject: e.Subject, What: SayLift(e.Title, *e.Subject), Reason: was,
			}})
		case e.Act == logName[outbox.Adopt] && version > 1:
			logged = append(logged, deed{at: e.At, logged: true, made: version, act: outbox.Act{
				Key: fmt.Sprintf("log-%d", e.ID), Kind: outbox.Adopt, Subject: e.Subject, Article: e.Subject, What: SayAdopt(e.Title, *e.Subject),
			}})
		case e.Act == "article.suppress":
			for i := range logged {
				if d := &logged[i]; d.act.Kind == outbox.Lift && d.about() == *e.Subject && d.backAt.IsZero() {
					d.backAt, d.over = e.At, d.act.Reason != reason // for another reason it is another act, that ends the first
				}
			}
		case version > 0: // another change of the text: what stood before it is not what an undo would bring back
			for i := range logged {
				if d := &logged[i]; d.act.Kind == outbox.Adopt && d.about() == *e.Subject {
					d.over = true
				}
			}
		}
	}
	// A deed is over when the same was done to the same article again.
	for i := range logged {
		for _, later := range logged[i+1:] {
			if later.about() == logged[i].about() && later.act.Kind == logged[i].act.Kind {
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

// SayAdopt says the adopting of a submission for people.
func SayAdopt(articleTitle string, id uuid.UUID) string {
	return "adopt what was submitted for " + title(api.ArticleRef{ID: id, Title: text.InertLine(articleTitle)})
}
