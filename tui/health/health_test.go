package health_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/health"
	"wiki/tui/screen"
	"wiki/tui/screen/screentest"
)

// source answers what a test put into it; fail names the questions that are not answered.
type source struct {
	ready     api.Health
	stats     api.Stats
	pipeline  api.Pipeline
	nights    []api.Night
	conflicts map[string]int
	drift     map[string]int
	proposals map[string]int
	fail      map[string]error
	asked     int
}

func (s *source) Ready(context.Context) (api.Health, error) {
	s.asked++
	return s.ready, s.fail["ready"]
}
func (s *source) Stats(context.Context) (api.Stats, error) { return s.stats, s.fail["stats"] }
func (s *source) Pipeline(context.Context, int) (api.Pipeline, error) {
	return s.pipeline, s.fail["pipeline"]
}

func (s *source) Nights(context.Context, int) ([]api.Night, error) { return s.nights, s.fail["nights"] }

func (s *source) Conflicts(context.Context, api.ConflictQuery) ([]api.Conflict, api.Meta, error) {
	return nil, api.Meta{Counts: s.conflicts}, s.fail["conflicts"]
}

func (s *source) Drift(context.Context, api.DriftQuery) ([]api.Drift, api.Meta, error) {
	return nil, api.Meta{Counts: s.drift}, s.fail["drift"]
}

func (s *source) Proposals(context.Context, api.BulkProposalQuery) ([]api.BulkProposal, api.Meta, error) {
	return nil, api.Meta{Counts: s.proposals}, s.fail["proposals"]
}

func ago(d time.Duration) *time.Time { t := screentest.Now.Add(-d); return &t }

const day = 24 * time.Hour

// well is a wiki with nothing amiss.
func well() *source {
	s := &source{
		ready: api.Health{Status: "ok", Version: "1.4.0", Checks: map[string]string{"database": "ok"}},
		stats: api.Stats{
			Total: 134, Suppressed: 4, ByStatus: map[string]int{"published": 120, "draft": 3, "archived": 11},
			ByCategory: map[string]int{"reference": 60, "playbook": 40, "decision": 20, "finding": 14},
			Conflicts:  &api.QueueAge{Open: 7, Intake: 3, Oldest: ago(5 * day)},
			Meaning:    &api.MeaningIndex{Model: "all-minilm-l6-v2", Dims: 384, Indexed: 134},
		},
		pipeline: api.Pipeline{Days: 14, Writes: api.Writes{Total: 105, Created: 77, ContentDrift: 4, TitleDrift: 1, ByOutcome: map[string]int{
			"novel": 70, "low_novelty": 7, "deduplicated": 20, "title_conflict": 5, "invalid": 3,
		}}},
		conflicts: map[string]int{"open": 7, "judged": 2, "settled": 40},
		drift:     map[string]int{"open": 2}, proposals: map[string]int{"pending": 1}, fail: map[string]error{},
	}
	for i := range 14 {
		s.pipeline.ByDay = append(s.pipeline.ByDay, api.DayWrites{Day: fmt.Sprintf("2026-04-%02d", 21+i), Total: i + 1, Created: i, Refused: i % 2, ContentDrift: i / 10})
	}
	for i := range 14 {
		at := screentest.Now.Add(-6*time.Hour - time.Duration(i)*day)
		done := at.Add(time.Minute)
		s.nights = append(s.nights, api.Night{Night: at.Format(time.DateOnly), StartedAt: at, FinishedAt: &done, SpentMS: 41_300, Steps: []api.NightStep{
			{Consumer: "verdicts", Offered: 14 - i, Applied: 14 - i, Gate: "open"},
			{Consumer: "copies", Offered: 3, Applied: i % 2, Withheld: 2, Gate: "open"},
			{Consumer: "hubs", Gate: "not_due"},
		}})
	}
	for i, n := range []int{40, 30, 20, 8, 4, 1, 1, 1} {
		s.pipeline.Sources = append(s.pipeline.Sources, api.SourceWrites{SourceType: []string{"importer", "", "chat", "review", "email", "wiki", "rss", "form"}[i], Writes: api.Writes{Total: n}})
	}
	return s
}

// ill is a wiki in which much is amiss.
func ill() *source {
	s := well()
	s.stats.Meaning.Pending, s.stats.Meaning.Since = 12, ago(3*time.Hour)
	s.stats.Conflicts.Oldest = ago(40 * day)
	s.nights = s.nights[2:]
	s.nights[0].Steps[0] = api.NightStep{Consumer: "verdicts", Offered: 40, Applied: 12, Refused: 1, Failed: 2, Gate: "count_exhausted"}
	s.nights[0].Steps[1].Gate = "broken"
	for i := range s.pipeline.ByDay {
		s.pipeline.ByDay[i].Refused = s.pipeline.ByDay[i].Total
	}
	return s
}

func start(t *testing.T, src *source, width, height int) *screentest.Driver {
	return startIn(t, screentest.Env(), src, width, height)
}

func startIn(t *testing.T, env *screen.Env, src *source, width, height int) *screentest.Driver {
	env.After = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	env.Who.APIVersion = api.Version
	return screentest.Start(t, health.New(env, src), width, height)
}

func TestAllIsWell(t *testing.T) {
	t.Parallel()
	d := start(t, well(), 100, 40)
	require.True(t, strings.HasPrefix(d.Text(), "All is well.\n"))
	_, counted := d.Count()
	require.False(t, counted, "the tab says nothing where nothing needs a look")
	for _, want := range []string{
		"7 open · 3 came in the last day · the oldest waits 5d", "2 verdicts wait for execution", "2 submissions differ", "134 articles have one · none waits",
		"▂▂▂▃▃▄▄▅▅▆▆▇▇█ 105, today 14", "77, 73 %, today 13", "importer 40, no source named 30, chat 20, review 8, email 4, form 1, 2 more", "release      1.4.0", "database ok",
		"2026-05-04, 6h ago, took 41s", "verdicts     ▂▂▂▃▃▄▄▅▅▆▆▇▇█ 105 done, last 14 of 14", "0 of 3, 2 left on purpose", "last 0 of 0: not due",
	} {
		require.Contains(t, d.Text(), want)
	}
}

func TestWhatNeedsALookIsSaidFirst(t *testing.T) {
	t.Parallel()
	d := start(t, ill(), 120, 40)
	rows := strings.Split(d.Text(), "\n")
	require.Equal(t, "6 things need a look.", rows[0])
	require.Contains(t, rows[1], "12 articles wait for a vector, the first for 3h")
	require.Contains(t, rows[2], "77 of 77 writes of the last 7 days were refused")
	require.Contains(t, rows[3], "no nightly pass has run for 2d")
	require.Contains(t, rows[4], "in the last night verdicts failed 2 times")
	require.Contains(t, rows[5], "in the last night copies did not come to its end: it could not go on.")
	require.Contains(t, rows[6], "a pair has waited 40d")
	require.Contains(t, d.Text(), "12 of 40, 1 refused, 2 failed: as many as one night allows")
	n, counted := d.Count()
	require.True(t, counted)
	require.Equal(t, 6, n)
}

// Half of the writes refused, or few writes, is not yet a fault (facts §7: more than half, of ten at least).
func TestAFewRefusalsAreNoTrouble(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		total, refused int
		trouble        bool
	}{{10, 5, false}, {10, 6, true}, {9, 9, false}} {
		src := well()
		src.pipeline.ByDay = []api.DayWrites{{Day: "2026-05-04", Total: c.total, Refused: c.refused}}
		_, trouble := start(t, src, 80, 24).Count()
		require.Equal(t, c.trouble, trouble, c)
	}
}

func TestAPartThatFailsLeavesTheOthers(t *testing.T) {
	t.Parallel()
	src := well()
	src.fail["pipeline"] = wiki.Errorf(wiki.CodeTimeout, "it took too long")
	d := start(t, src, 100, 40)
	require.Contains(t, d.Text(), "1 thing needs a look.\n! the writes could not be read: it took too long")
	require.Contains(t, d.Text(), "── writes of the last 14 days ")
	require.Contains(t, d.Text(), "Not read yet.")
	delete(src.fail, "pipeline")
	require.True(t, strings.HasPrefix(d.Press("ctrl+r").Text(), "All is well."))
	src.fail["stats"] = wiki.Errorf(wiki.CodeUnavailable, "no server answers")
	require.Contains(t, d.Press("ctrl+r").Text(), "! the numbers could not be read: no server answers")
	require.Contains(t, d.Text(), "134 articles have one", "what was said last stays")
}

func TestAnAgentIsToldWhichKeyReadsTheWrites(t *testing.T) {
	t.Parallel()
	src := well()
	src.fail["pipeline"] = wiki.Errorf(wiki.CodeForbidden, "this needs the role orchestrator")
	src.fail["nights"] = src.fail["pipeline"]
	d := start(t, src, 100, 40)
	require.True(t, strings.HasPrefix(d.Text(), "All is well."), "that is no trouble of the wiki")
	require.Contains(t, d.Text(), "Read with a key of role orchestrator or higher.")
}

func TestItIsReadAgainWhileItIsShown(t *testing.T) {
	t.Parallel()
	src, env := well(), screentest.Env()
	var timer []tea.Msg
	s := health.New(env, src)
	env.After = func(_ time.Duration, msg tea.Msg) tea.Cmd { timer = append(timer, msg); return nil }
	d := screentest.Start(t, s, 80, 24)
	require.Equal(t, 1, src.asked)
	d.Tell(timer[0])
	require.Equal(t, 2, src.asked)
	d.Tell(screen.Resync{})
	require.Equal(t, 3, src.asked, "something has changed")
	d.Run(d.Left())
	d.Tell(timer[1])
	d.Tell(screen.Resync{})
	require.Equal(t, 3, src.asked, "another screen is shown")
	d.Run(d.Entered())
	d.Tell(timer[1])
	require.Equal(t, 4, src.asked, "a timer of the time before is dropped")
}

func TestTheTabCountsBeforeTheScreenIsEntered(t *testing.T) {
	t.Parallel()
	d := screentest.Driver{Screen: health.New(screentest.Env(), ill())}
	d.Tell(screen.Resync{})
	n, _ := d.Count()
	require.Equal(t, 6, n)
}

// An answer to an earlier question comes after that to a later one: it is older than what is shown.
func TestLateAnswersAreDropped(t *testing.T) {
	t.Parallel()
	src := well()
	d := start(t, src, 100, 40)
	src.ready.Version = "0.9-late"
	late := heard(d.Do("refresh"))
	src.ready.Version = "1.5.0"
	d.Press("ctrl+r")
	for _, msg := range late {
		d.Tell(msg)
	}
	require.Contains(t, d.Text(), "release      1.5.0")
}

// heard runs a batch, and gives its messages.
func heard(cmd tea.Cmd) (out []tea.Msg) {
	for _, c := range cmd().(tea.BatchMsg) {
		out = append(out, c())
	}
	return out
}

func TestScrolls(t *testing.T) {
	t.Parallel()
	d := start(t, ill(), 40, 8)
	first := d.Text()
	require.NotEqual(t, first, d.Press("j").Text())
	require.Contains(t, d.Press("G").Text(), "again every 15 s")
	last := d.Text()
	require.Equal(t, last, d.Press("j", "j", "pgdown").Text())
	require.NotEqual(t, last, d.Press("k").Text(), "the end is the end: one step up shows")
	require.Equal(t, first, d.Press("g").Text())
}

var scenes = map[string]func() *source{
	"well":    well,
	"trouble": ill,
	"empty": func() *source {
		s := &source{ready: well().ready, stats: api.Stats{Conflicts: &api.QueueAge{}, Meaning: &api.MeaningIndex{Model: "all-minilm-l6-v2", Dims: 384}}}
		s.pipeline.ByDay = make([]api.DayWrites, 14)
		return s
	},
	"degraded": func() *source {
		s := ill()
		s.fail["ready"] = &wiki.Error{Code: wiki.CodeUnavailable, Message: "the database does not answer", Remedy: "run wiki-server doctor"}
		s.fail["drift"] = wiki.Errorf(wiki.CodeTimeout, "it took too long")
		return s
	},
	"agent": func() *source {
		s := well()
		s.fail["pipeline"] = wiki.Errorf(wiki.CodeForbidden, "this needs the role orchestrator")
		s.fail["nights"] = s.fail["pipeline"]
		return s
	},
	"unreadable": func() *source {
		s := &source{fail: map[string]error{}}
		for _, name := range []string{"ready", "stats", "pipeline", "nights", "conflicts", "drift", "proposals"} {
			s.fail[name] = &wiki.Error{Code: wiki.CodeUnavailable, Message: "no server answers at 127.0.0.1:7171", Remedy: "start it with wiki-server serve"}
		}
		return s
	},
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for _, size := range screentest.Sizes {
		for name, scene := range scenes {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				d := start(t, scene(), size[0], size[1])
				d.RequireFits(size[0], size[1])
				golden.RequireEqual(t, d.Text())
			})
		}
		t.Run(fmt.Sprintf("reading_%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			s := health.New(screentest.Env(), well())
			s.SetSize(size[0], size[1])
			d := screentest.Driver{Screen: s}
			golden.RequireEqual(t, d.Text())
		})
	}
}

func TestStyledScreens(t *testing.T) {
	t.Parallel()
	screentest.RequireStyled(t, func(t *testing.T, env *screen.Env) *screentest.Driver { return startIn(t, env, ill(), 80, 24) })
}

func TestNothingThatAServerSaysActs(t *testing.T) {
	t.Parallel()
	src := ill()
	const evil = screentest.Evil
	src.ready.Version, src.ready.Checks = evil, map[string]string{evil: evil}
	src.stats.Meaning.Model, src.stats.ByCategory = evil, map[string]int{evil: 3}
	src.nights[0].Steps[0].Consumer, src.nights[0].Steps[1].Gate, src.nights[0].Night = evil, evil, evil
	src.pipeline.ByOutcome, src.pipeline.Sources[0].SourceType = map[string]int{evil: 2}, evil
	src.fail["drift"] = wiki.Errorf(wiki.CodeTimeout, "%s", evil)
	start(t, src, 80, 60).RequireInert()
}

// Every size draws without a fault, from every place in the text.
func TestResizeStorm(t *testing.T) {
	t.Parallel()
	for name, scene := range scenes {
		d := start(t, scene(), 80, 24).Press("G")
		for w := 1; w < 140; w += 7 {
			for h := 1; h < 40; h += 6 {
				d.SetSize(w, h)
				require.Len(t, strings.Split(d.View(), "\n"), h, name)
			}
		}
		d.SetSize(80, 0)
		require.Empty(t, d.View())
	}
}
