// Package eval measures what the wiki finds. It loads a set of pages and questions into a throwaway tenant on the product's
// own path (the write door, the lanes, fusion, priors), with real embeddings, asks the questions and scores the answers
// (SPEC §12). A set is the project's own golden one, or a public test collection.
package eval

import (
	"time"

	"wiki/core/wiki"
)

// Set is a corpus with questions about it.
type Set struct {
	Name      string
	Version   string // of the golden set: a baseline of another version compares nothing
	Documents []Document
	Links     []Link
	Questions []Question
}

// Document is one page of a corpus. All that ranking reads can be set, each apart from the others, so that a prior that
// reads the wrong column is seen (seed, "The golden-question eval cannot catch ...").
type Document struct {
	ID             string        `json:"id"`
	Title          string        `json:"title"`
	Body           string        `json:"body"`
	Category       wiki.Category `json:"category,omitempty"` // empty = finding
	Tags           []string      `json:"tags,omitempty"`
	SourceType     string        `json:"source_type,omitempty"`
	IdempotencyKey string        `json:"idempotency_key,omitempty"`
	ChangedDays    int           `json:"changed_days,omitempty"` // days since its body was written
	TouchedDays    int           `json:"touched_days,omitempty"` // days since its row was written, as by a new embedding
	ReadDays       *int          `json:"read_days,omitempty"`    // days on which it was read; nil = not measured
}

// Link joins two pages of a corpus.
type Link struct {
	From     string        `json:"from"`
	To       string        `json:"to"`
	Relation wiki.Relation `json:"relation"`
}

// Question is asked of a corpus.
type Question struct {
	ID       string         `json:"id"`
	Text     string         `json:"question"`
	Kind     string         `json:"group,omitempty"` // what the question is there to catch
	TwinOf   string         `json:"twin_of,omitempty"`
	Relevant map[string]int `json:"relevant"` // grade by document: 1 helps, 3 answers
}

// Progress is how far a measurement is.
type Progress struct {
	Done, Total int
	Rate        float64 // items a second; 0 = not known yet
	Remaining   time.Duration
}

// meter works out the progress of one stage and tells show, which may be nil.
type meter struct {
	show    func(Progress)
	started time.Time
	total   int
	done    int
}

func newMeter(total int, show func(Progress)) *meter {
	return &meter{show: show, started: time.Now(), total: total}
}

func (m *meter) step(n int) {
	m.done += n
	if m.show == nil {
		return
	}
	p := Progress{Done: m.done, Total: m.total}
	if elapsed := time.Since(m.started); elapsed > 0 {
		p.Rate = float64(m.done) / elapsed.Seconds()
		p.Remaining = time.Duration(float64(m.total-m.done) / p.Rate * float64(time.Second)).Round(time.Second)
	}
	m.show(p)
}
