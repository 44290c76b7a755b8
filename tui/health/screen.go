// Package health is the screen of how the wiki is: what needs a look, what waits for a person, how far the articles are
// indexed, and what became of what was written.
package health

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/listing"
	"wiki/tui/screen"
)

// Source is what the screen asks of the server.
type Source interface {
	Ready(ctx context.Context) (api.Health, error)
	Stats(ctx context.Context) (api.Stats, error)
	Pipeline(ctx context.Context, days int) (api.Pipeline, error)
	Nights(ctx context.Context, limit int) ([]api.Night, error)
	Conflicts(ctx context.Context, q api.ConflictQuery) ([]api.Conflict, api.Meta, error)
	Drift(ctx context.Context, q api.DriftQuery) ([]api.Drift, api.Meta, error)
	Proposals(ctx context.Context, q api.BulkProposalQuery) ([]api.BulkProposal, api.Meta, error)
}

const (
	// every is how often the screen is read again while it is shown.
	every = 15 * time.Second
	// days is the span of the writes, and the number of the nights, that are shown.
	days = 14
	// keptAnswers is how many answers' times are drawn.
	keptAnswers = 40
)

// part is one question of those that the screen is made of. Each is answered, or not, by itself.
type part int

const (
	server part = iota
	numbers
	writes
	passes
	pairs
	submissions
	sets
	parts int = iota
)

// said is what is known of a part.
type said struct {
	once bool // it was answered once: what it said is shown until it says something else
	err  error
}

// facts are what the parts said last.
type facts struct {
	ready     api.Health
	stats     api.Stats
	pipeline  api.Pipeline
	nights    []api.Night    // newest first
	pairs     map[string]int // by state
	drift     map[string]int
	proposals map[string]int
}

// Screen is the health screen. Make one with New.
type Screen struct {
	env    *screen.Env
	source Source

	asked [parts]int // the number of the last question: answers to earlier ones are dropped
	said  [parts]said
	facts facts
	took  []time.Duration // of the last answers about the numbers, oldest first
	at    time.Time       // when something was heard last

	shown bool
	turn  int // of being shown: a timer of an earlier one is dropped
	top   int // the first row shown

	width, height int
}

// New makes the screen.
func New(env *screen.Env, source Source) *Screen { return &Screen{env: env, source: source} }

// Told is a message: a part was answered, or could not be.
type Told struct {
	part  part
	asked int
	took  time.Duration
	set   func(*facts)
	err   error
}

// Failure implements screen.Answer.
func (t Told) Failure() error { return t.err }

// due is a message: it is time to read again.
type due struct{ turn int }

// Contexts implements screen.Screen.
func (s *Screen) Contexts() []action.Context { return []action.Context{action.Health} }

// Facts, Key and Paste implement screen.Screen.
func (s *Screen) Facts(*action.State)         {}
func (s *Screen) Key(tea.KeyPressMsg) tea.Cmd { return nil }
func (s *Screen) Paste(string)                {}

// Entered implements screen.Screen.
func (s *Screen) Entered() tea.Cmd {
	s.shown = true
	s.turn++
	return tea.Batch(s.read(), s.env.After(every, due{s.turn}))
}

// Left implements screen.Screen.
func (s *Screen) Left() tea.Cmd {
	s.shown = false
	return nil
}

// Back implements screen.Screen.
func (s *Screen) Back() (tea.Cmd, bool) { return nil, false }

// Count implements screen.Screen: what needs a look.
func (s *Screen) Count() (int, bool) {
	n := len(s.troubles())
	return n, n > 0
}

// SetSize implements screen.Screen.
func (s *Screen) SetSize(width, height int) { s.width, s.height = width, height }

// Do implements screen.Screen.
func (s *Screen) Do(id action.ID) tea.Cmd {
	if id == action.Refresh {
		return s.read()
	}
	s.top += listing.Step(id, s.height, s.height+len(s.rows()))
	return nil
}

// Heard implements screen.Screen.
func (s *Screen) Heard(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Told:
		s.hear(msg)
	case due:
		if s.shown && msg.turn == s.turn {
			return tea.Batch(s.read(), s.env.After(every, due{s.turn}))
		}
	case screen.Resync:
		if s.shown || s.at.IsZero() { // the first time for the count in the tab
			return s.read()
		}
	}
	return nil
}

func (s *Screen) hear(t Told) {
	if t.asked != s.asked[t.part] {
		return
	}
	s.at = s.env.Now()
	s.said[t.part].err = t.err
	if t.err != nil {
		return
	}
	s.said[t.part].once = true
	t.set(&s.facts)
	if t.part == numbers {
		s.took = append(s.took, t.took)
		s.took = s.took[max(0, len(s.took)-keptAnswers):]
	}
}

// read asks every part anew.
func (s *Screen) read() tea.Cmd {
	src := s.source
	return tea.Batch(
		ask(s, server, src.Ready, func(f *facts, h api.Health) { f.ready = h }),
		ask(s, numbers, src.Stats, func(f *facts, v api.Stats) { f.stats = v }),
		ask(s, writes, func(ctx context.Context) (api.Pipeline, error) { return src.Pipeline(ctx, days) },
			func(f *facts, v api.Pipeline) { f.pipeline = v }),
		ask(s, passes, func(ctx context.Context) ([]api.Night, error) { return src.Nights(ctx, days) },
			func(f *facts, v []api.Night) { f.nights = v }),
		ask(s, pairs, func(ctx context.Context) (map[string]int, error) {
			_, meta, err := src.Conflicts(ctx, api.ConflictQuery{Limit: 1})
			return meta.Counts, err
		}, func(f *facts, counts map[string]int) { f.pairs = counts }),
		ask(s, submissions, func(ctx context.Context) (map[string]int, error) {
			_, meta, err := src.Drift(ctx, api.DriftQuery{Limit: 1})
			return meta.Counts, err
		}, func(f *facts, counts map[string]int) { f.drift = counts }),
		ask(s, sets, func(ctx context.Context) (map[string]int, error) {
			_, meta, err := src.Proposals(ctx, api.BulkProposalQuery{Limit: 1})
			return meta.Counts, err
		}, func(f *facts, counts map[string]int) { f.proposals = counts }),
	)
}

// ask makes the command of one question.
func ask[T any](s *Screen, p part, question func(context.Context) (T, error), set func(*facts, T)) tea.Cmd {
	s.asked[p]++
	asked, now := s.asked[p], s.env.Now
	return s.env.Call(func(ctx context.Context) tea.Msg {
		begun := now()
		answer, err := question(ctx)
		return Told{part: p, asked: asked, took: now().Sub(begun), set: func(f *facts) { set(f, answer) }, err: err}
	})
}

// known says whether a part was ever answered.
func (s *Screen) known(p part) bool { return s.said[p].once }

// barred says whether a part is not for this key's role.
func (s *Screen) barred(p part) bool { return wiki.ErrorCode(s.said[p].err) == wiki.CodeForbidden }
