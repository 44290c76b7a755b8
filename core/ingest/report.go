package ingest

import (
	"time"

	"github.com/google/uuid"

	"wiki/core/bundle"
	"wiki/core/gate"
)

// Outcome is the answer that a file got: a verdict of the gate, or one of these.
type Outcome string

// Outcomes that the gate doesn't give.
const (
	TitleConflict Outcome = "title_conflict" // another article has the title, with another text
	Failed        Outcome = "failed"         // the file can't be read or may not be stored; the message says why
	LeftOut       Outcome = "left_out"       // not a page; the message says why
)

// Outcomes lists all of them in the order in which they are shown.
var Outcomes = []Outcome{
	Outcome(gate.Novel), Outcome(gate.LowNovelty), Outcome(gate.Unknown), Outcome(gate.Duplicate), Outcome(gate.Deduplicated),
	Outcome(gate.SkippedLowNovelty), TitleConflict, Failed, LeftOut,
}

// File is what became of one file.
type File struct {
	Path      string           `json:"path"`
	Title     string           `json:"title,omitempty"`
	Outcome   Outcome          `json:"outcome"`
	Article   *uuid.UUID       `json:"article_id,omitempty"`   // made of the file, or what stands in its place
	Neighbour *uuid.UUID       `json:"neighbour_id,omitempty"` // the nearest published article, when one was measured
	Cosine    float64          `json:"cosine,omitempty"`       // to the neighbour
	Drift     bool             `json:"drift,omitempty"`        // what stands says something else than the file: a drift event was made
	Flagged   []uuid.UUID      `json:"flagged,omitempty"`      // articles that a curator will see beside this one
	Message   string           `json:"message,omitempty"`      // what happened and what to do
	Warnings  []bundle.Warning `json:"warnings,omitempty"`
}

// Report is what became of a run.
type Report struct {
	Run         uuid.UUID           `json:"run_id"`
	Source      string              `json:"source"`
	Format      bundle.Format       `json:"format"`
	Conformance *bundle.Conformance `json:"conformance,omitempty"` // of an OKF bundle
	Finished    bool                `json:"finished"`              // false: stopped; the same import goes on where it was
	Resumed     int                 `json:"resumed"`               // files answered before this call, by the run that it went on with
	Counts      map[Outcome]int     `json:"counts"`
	Links       int                 `json:"links"` // made between the articles of the run
	Elapsed     time.Duration       `json:"elapsed_ns"`
	Files       []File              `json:"files"` // sorted by path
}

func (r *Report) add(f File) {
	r.Files = append(r.Files, f)
	r.Counts[f.Outcome]++
}

// Progress is how far a run is.
type Progress struct {
	Done      int
	Total     int
	Rate      float64       // files a second, of this call; 0 = not known yet
	Remaining time.Duration // 0 = not known yet
	Counts    map[Outcome]int
}

// meter works out the progress. Files that were answered before cost nothing, so they don't count for the rate.
type meter struct {
	now     func() time.Time
	started time.Time
	total   int
	done    int
	worked  int
}

func (m *meter) step(worked bool, counts map[Outcome]int) Progress {
	m.done++
	if worked {
		m.worked++
	}
	p := Progress{Done: m.done, Total: m.total, Counts: counts}
	if elapsed := m.now().Sub(m.started); m.worked > 0 && elapsed > 0 {
		p.Rate = float64(m.worked) / elapsed.Seconds()
		p.Remaining = time.Duration(float64(m.total-m.done) / p.Rate * float64(time.Second)).Round(time.Second)
	}
	return p
}
