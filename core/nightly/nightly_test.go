package nightly_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/llm"
	"wiki/core/nightly"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

const waitingVerdicts = `select count(*) from conflict_verdicts where tenant_id = $1 and executed_at is null and refused_at is null`

func TestPassAppliesVerdictsAndWritesDownWhatItDid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, superseded := w.judged(t, wiki.Supersede)
	w.judged(t, wiki.Merge)
	_, archived := w.judged(t, wiki.Supersede)
	_, err := w.Record.Archive(t.Context(), w.user, archived.ID, "", "")
	require.NoError(t, err)
	s := w.service(t, nightly.Verdicts(w.Service))

	dry := w.run(t, s, nightly.Options{DryRun: true})
	require.Equal(t, wiki.Tally{Offered: 3, Applied: 2, Refused: 1, Gate: wiki.GateOpen}, dry.Steps[0].Tally)
	require.Len(t, dry.Steps[0].Items, 3)
	require.Equal(t, 3, w.count(t, waitingVerdicts, w.user.Tenant), "a dry run changes nothing")
	require.Equal(t, wiki.StatusPublished, w.stands(t, superseded.ID).Status)
	require.Zero(t, w.count(t, `select count(*) from nightly_passes`))

	r := w.run(t, s, nightly.Options{})
	require.Equal(t, dry.Steps[0].Tally, r.Steps[0].Tally, "what the dry run said is what was done")
	require.Len(t, r.Steps[0].Items, 1, "what was refused")
	require.NotNil(t, r.FinishedAt)
	require.Empty(t, r.Cut)
	require.Equal(t, wiki.StatusSuperseded, w.stands(t, superseded.ID).Status)
	require.Zero(t, w.count(t, waitingVerdicts, w.user.Tenant))
	for _, act := range []string{"nightly.start", "nightly.step", "nightly.finish"} {
		require.Equal(t, 1, w.acts(t, act), act)
	}
	require.Equal(t, 1, w.count(t, `select count(*) from nightly_steps where offered = 3 and applied = 2 and refused = 1 and gate = 'open' and finished_at is not null`))

	again := w.run(t, s, nightly.Options{})
	require.NotEqual(t, r.Pass, again.Pass)
	require.Equal(t, wiki.Tally{Gate: wiki.GateOpen}, again.Steps[0].Tally, "an empty night is open and offered nothing")
}

// A merge is not made without its language model for want of time: it waits for the next night, and the step says that its time
// was over.
func TestAMergeThatThereIsNoTimeForWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.judged(t, wiki.Supersede)
	w.judged(t, wiki.Merge)
	var err error
	w.LLM, err = llm.New(llm.Config{BaseURL: "http://127.0.0.1:1", Model: "some-model", Timeout: time.Hour})
	require.NoError(t, err)
	c := nightly.Verdicts(w.Service)
	c.Budget.Time = 3 * time.Second
	r := w.run(t, w.service(t, c), nightly.Options{})
	require.Equal(t, 1, r.Steps[0].Applied)
	require.Equal(t, wiki.GateTime, r.Steps[0].Gate)
	require.Equal(t, 1, w.count(t, waitingVerdicts, w.user.Tenant))
}

// A pass that is stopped goes on where it was, and nothing is applied twice.
func TestStoppedPassGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const verdicts = 25
	for range verdicts {
		w.judged(t, wiki.Supersede)
	}
	s := w.service(t, nightly.Verdicts(w.Service))
	ctx, stop := context.WithCancel(t.Context())
	r, err := s.Run(ctx, w.user.Tenant, nightly.Options{Progress: func(p nightly.Progress) {
		require.Equal(t, verdicts, p.Total)
		if p.Done > 0 {
			stop()
		}
	}})
	require.NoError(t, err)
	require.Nil(t, r.FinishedAt)
	require.Equal(t, wiki.GateStopped, r.Steps[0].Gate)
	require.Positive(t, r.Steps[0].Applied)
	require.Less(t, r.Steps[0].Applied, verdicts)

	rest := w.run(t, s, nightly.Options{})
	require.Equal(t, r.Pass, rest.Pass)
	require.Equal(t, 2, rest.Turns)
	require.Equal(t, verdicts, rest.Steps[0].Applied)
	require.NotNil(t, rest.FinishedAt)
	require.Equal(t, verdicts, w.acts(t, "conflict.execute"))
}

func TestTurnsLetOthersIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const verdicts = 12
	for range verdicts {
		w.judged(t, wiki.Supersede)
	}
	s := w.service(t, nightly.Verdicts(w.Service))
	var r nightly.Report
	for turns := 1; r.FinishedAt == nil; turns++ {
		r = w.run(t, s, nightly.Options{Turn: time.Nanosecond})
		require.Equal(t, turns, r.Turns)
		require.Less(t, turns, 10)
	}
	require.Equal(t, verdicts, r.Steps[0].Applied, "each turn does one batch, however short it is")
	require.Equal(t, 2, r.Turns)
}

func TestOneServerWorksOnATenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 20 {
		w.judged(t, wiki.Supersede)
	}
	var finished, refused atomic.Int32
	var servers sync.WaitGroup
	for range 4 {
		servers.Go(func() {
			_, err := w.service(t, nightly.Verdicts(w.Service)).Run(t.Context(), w.user.Tenant, nightly.Options{})
			switch {
			case err == nil:
				finished.Add(1)
			case wiki.ErrorCode(err) == wiki.CodeClaimed:
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	servers.Wait()
	require.EqualValues(t, 4, finished.Load()+refused.Load())
	require.Positive(t, finished.Load())
	require.Equal(t, 20, w.acts(t, "conflict.execute"))
}

// ticks is a consumer that offers a number of things to act on, and counts how often each was.
func ticks(name string, things int, budget wiki.NightBudget, acted *atomic.Int32) nightly.Consumer {
	return nightly.Consumer{Name: name, Budget: budget, Batch: 2, RunOnce: func(_ context.Context, b nightly.Batch) (nightly.Done, error) {
		var done nightly.Done
		at := len(b.Cursor)
		for done.Looked < min(b.Look, b.Acts) && at < things {
			at++
			done.Looked++
			done.Count(nightly.Item{Subject: uuid.NewString(), Outcome: nightly.Applied})
			acted.Add(1)
		}
		done.Cursor, done.More = strings.Repeat("x", at), at < things
		return done, nil
	}}
}

func TestGatesSayWhatStoppedAConsumer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var acted atomic.Int32
	hour := time.Hour
	broken := nightly.Consumer{Name: "broken", Budget: wiki.NightBudget{Count: 1, Time: hour}, Batch: 1, RunOnce: func(context.Context, nightly.Batch) (nightly.Done, error) {
		return nightly.Done{}, errors.New("no such thing")
	}}
	s := w.service(t,
		ticks("bounded", 9, wiki.NightBudget{Count: 5, Time: hour}, &acted), ticks("timed", 9, wiki.NightBudget{Count: 5, Time: time.Nanosecond}, &acted), broken,
		ticks("off", 9, wiki.NightBudget{Count: 5, Time: hour}, &acted), ticks("whole", 3, wiki.NightBudget{Count: 5, Time: hour}, &acted),
	)
	require.NoError(t, s.Pause(t.Context(), w.user, "off", "it made nonsense"))
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(s.Pause(t.Context(), w.user, "nobody", "x")))
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(s.Pause(t.Context(), w.user, "off", " ")))
	agent := w.user
	agent.Role = wiki.RoleOrchestrator
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(s.Resume(t.Context(), agent, "off")))
	list, err := s.Switches(t.Context(), w.user)
	require.NoError(t, err)
	require.Equal(t, "it made nonsense", list[0].Reason)

	r := w.run(t, s, nightly.Options{})
	require.Equal(t, wiki.Tally{Offered: 5, Applied: 5, Gate: wiki.GateCount}, stepOf(t, r, "bounded").Tally)
	require.Equal(t, wiki.GateTime, stepOf(t, r, "timed").Gate)
	require.Equal(t, wiki.GateBroken, stepOf(t, r, "broken").Gate)
	require.Equal(t, wiki.Tally{Gate: wiki.GatePaused}, stepOf(t, r, "off").Tally)
	require.Equal(t, wiki.Tally{Offered: 3, Applied: 3, Gate: wiki.GateOpen}, stepOf(t, r, "whole").Tally)
	require.Equal(t, "bounded: count_exhausted, timed: time_exhausted, broken: broken", r.Cut)
	require.NotNil(t, r.FinishedAt, "what broke did not take the others along")

	require.NoError(t, s.Resume(t.Context(), w.user, "off"))
	r = w.run(t, s, nightly.Options{})
	require.Equal(t, 5, stepOf(t, r, "off").Applied)
	require.Equal(t, 1, w.acts(t, "nightly.pause"))
	require.Equal(t, 1, w.acts(t, "nightly.resume"))
}

// The reserve is kept: a pass without time left still writes its report.
func TestPassWithoutTimeStillReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var acted atomic.Int32
	s := w.serviceWith(t, nightly.Settings{Time: time.Minute, Reserve: time.Minute}, ticks("late", 9, wiki.NightBudget{Count: 5, Time: time.Hour}, &acted))
	r := w.run(t, s, nightly.Options{})
	require.Zero(t, acted.Load())
	require.Equal(t, "late: time_exhausted", r.Cut)
	require.Equal(t, 1, w.count(t, `select count(*) from nightly_passes where finished_at is not null and cut = 'late: time_exhausted'`))
}

// A batch that the database is too slow for is tried again, smaller.
func TestBatchesShrinkUnderTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var sizes []int
	s := w.service(t, nightly.Consumer{Name: "slow", Budget: wiki.NightBudget{Count: 10, Time: time.Hour}, Batch: 8, RunOnce: func(_ context.Context, b nightly.Batch) (nightly.Done, error) {
		if sizes = append(sizes, b.Look); b.Look > 2 {
			return nightly.Done{}, wiki.Errorf(wiki.CodeTimeout, "too slow")
		}
		return nightly.Done{}, nil
	}})
	require.Equal(t, wiki.GateOpen, w.run(t, s, nightly.Options{}).Steps[0].Gate)
	require.Equal(t, []int{8, 4, 2}, sizes)
}

// A server that died leaves a pass that reads as begun; another goes on with it once its lease is over, and a night later
// it's closed as cut.
func TestDeadPassLeavesEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var acted atomic.Int32
	s := w.service(t, ticks("first", 3, wiki.NightBudget{Count: 5, Time: time.Hour}, &acted), ticks("second", 3, wiki.NightBudget{Count: 5, Time: time.Hour}, &acted))
	ctx, die := context.WithCancel(t.Context())
	defer die()
	r, err := s.Run(ctx, w.user.Tenant, nightly.Options{Progress: func(nightly.Progress) { die() }})
	require.NoError(t, err)
	require.NoError(t, w.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error { // as if it had not been able to let go
		_, err := tx.Exec(ctx, `update nightly_passes set holder = $1, lease_until = $2`, uuid.New(), tx.Now.Add(nightly.DefaultLease))
		return err
	}))
	_, err = s.Run(t.Context(), w.user.Tenant, nightly.Options{})
	require.Equal(t, wiki.CodeClaimed, wiki.ErrorCode(err), "%v", err)
	w.clock.pass(nightly.DefaultAbandon + time.Minute)
	next := w.run(t, s, nightly.Options{})
	require.NotEqual(t, r.Pass, next.Pass)
	require.Equal(t, 1, w.acts(t, "nightly.abandon"))
	require.Equal(t, 1, w.count(t, `select count(*) from nightly_passes where id = $1 and cut <> '' and finished_at is not null`, r.Pass))
	require.Equal(t, 1, w.count(t, `select count(*) from nightly_steps where pass_id = $1 and consumer = 'second' and gate = '' and started_at is null`, r.Pass), "it was not reached, and says so")
}

// The room's tables are behind the same wall as all others.
func TestPassesOfAnotherTenantAreNotSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var acted atomic.Int32
	w.run(t, w.service(t, ticks("one", 1, wiki.NightBudget{Count: 5, Time: time.Hour}, &acted)), nightly.Options{})
	require.NoError(t, w.DB.Tenant(t.Context(), uuid.New(), func(ctx context.Context, tx postgres.Tx) error {
		for _, table := range []string{"nightly_passes", "nightly_steps", "nightly_switches"} {
			var n int
			require.NoError(t, tx.QueryRow(ctx, `select count(*) from `+table).Scan(&n))
			require.Zero(t, n, table)
		}
		return nil
	}))
}
