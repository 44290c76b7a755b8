package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"wiki/core/eval"
	"wiki/core/gate"
	"wiki/core/ingest"
)

// progressEvery is how often progress is shown: on a terminal often, in a log seldom.
const (
	progressEvery       = 100 * time.Millisecond
	progressEveryLogged = 10 * time.Second
)

// progress shows how far an import is: one line that is rewritten on a terminal, a line now and then elsewhere.
type progress struct {
	a        *app
	what     string
	terminal bool
	shown    time.Time
	width    int // of the line that stands
}

func (a *app) newProgress(what string) *progress {
	out, isFile := a.out.(*os.File)
	p := &progress{a: a, what: what, terminal: isFile && term.IsTerminal(out.Fd()) && !a.json, shown: time.Now()}
	if p.terminal {
		p.line(what + " ...")
	}
	return p
}

func (p *progress) show(now ingest.Progress) {
	every := progressEveryLogged
	if p.terminal {
		every = progressEvery
	}
	if time.Since(p.shown) < every || p.a.json {
		return
	}
	p.shown = time.Now()
	text := fmt.Sprintf("%s: %d of %d", p.what, now.Done, now.Total)
	if now.Rate > 0 {
		text += fmt.Sprintf(", %.0f a second, %s left", now.Rate, now.Remaining)
	}
	p.line(text)
}

// showEval is show for a measurement.
func (p *progress) showEval(now eval.Progress) {
	p.show(ingest.Progress{Done: now.Done, Total: now.Total, Rate: now.Rate, Remaining: now.Remaining})
}

// done leaves a last line in the place of the progress.
func (p *progress) done(text string) {
	if p.a.json {
		return
	}
	p.line(text)
	if p.terminal {
		fmt.Fprintln(p.a.out)
	}
}

// line rewrites the line on a terminal, and adds one elsewhere.
func (p *progress) line(text string) {
	if !p.terminal {
		p.a.say("%s", text)
		return
	}
	fmt.Fprintf(p.a.out, "\r%s%s", text, strings.Repeat(" ", max(p.width-len(text), 0)))
	p.width = len(text)
}

// inWords says each outcome as a person reads it.
var inWords = map[ingest.Outcome]string{
	ingest.Outcome(gate.Novel):             "new",
	ingest.Outcome(gate.LowNovelty):        "near to others, as drafts",
	ingest.Outcome(gate.Unknown):           "new, not compared",
	ingest.Outcome(gate.Duplicate):         "said already",
	ingest.Outcome(gate.Deduplicated):      "here already",
	ingest.Outcome(gate.SkippedLowNovelty): "skipped",
	ingest.TitleConflict:                   "with a title that is taken",
	ingest.Failed:                          "failed",
	ingest.LeftOut:                         "left out",
}

// end says what became of the whole.
func (p *progress) end(r ingest.Report, err error) {
	var parts []string
	for _, o := range ingest.Outcomes {
		if n := r.Counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, inWords[o]))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no file answered"}
	}
	text := fmt.Sprintf("%s: %s, in %s", p.what, strings.Join(parts, ", "), r.Elapsed.Round(100*time.Millisecond))
	if err != nil {
		text += "; stopped, the same import goes on where it was"
	}
	p.done(text)
}
