package conflicts_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/articles"
	"wiki/core/conflicts"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// Each round is some thirty acts on a real database. -rapid.checks=1000 looks longer.
func init() { _ = flag.Set("rapid.checks", "20") }

// machine lets random principals do random acts on three articles and checks the seed's invariant 4 after each.
type machine struct {
	*world
	tb       testing.TB
	who      []wiki.Actor
	articles []wiki.Article
	verdicts []uuid.UUID
	disputed map[uuid.UUID]bool // articles that may be withheld as curated answers: the system disputes them
}

func newMachine(tb testing.TB, w *world, who []wiki.Actor) *machine {
	m := &machine{world: w, tb: tb, who: who, disputed: map[uuid.UUID]bool{}}
	for range 3 {
		m.articles = append(m.articles, w.article(tb, w.user))
	}
	return m
}

func (m *machine) pair(t *rapid.T) (a, b wiki.Article) {
	i := rapid.IntRange(0, 2).Draw(t, "first")
	j := (i + rapid.IntRange(1, 2).Draw(t, "step")) % 3
	return m.articles[i], m.articles[j]
}

func (m *machine) actor(t *rapid.T) wiki.Actor { return rapid.SampledFrom(m.who).Draw(t, "who") }

// statuses are what the articles are now.
func (m *machine) statuses() map[uuid.UUID]wiki.Status {
	now := map[uuid.UUID]wiki.Status{}
	require.NoError(m.tb, m.DB.TenantRead(m.tb.Context(), m.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		all, err := articles.GetMany(ctx, tx, m.user, m.ids())
		for id, a := range all {
			now[id] = a.Status
		}
		return err
	}))
	return now
}

func (m *machine) ids() (ids []uuid.UUID) {
	for _, a := range m.articles {
		ids = append(ids, a.ID)
	}
	return ids
}

// quietly does an act that must not change an article's status.
func (m *machine) quietly(t *rapid.T, act func()) {
	before := m.statuses()
	act()
	require.Equal(t, before, m.statuses(), "no act but an execution retires an article")
}

func (m *machine) flagIt(t *rapid.T) {
	a, b := m.pair(t)
	m.quietly(t, func() {
		m.flag(m.tb, a, b, rapid.Float64Range(0.93, 1).Draw(t, "cosine"))
		m.disputed[a.ID], m.disputed[b.ID] = true, true
	})
}

func (m *machine) assertIt(t *rapid.T) {
	a, b := m.pair(t)
	who := m.actor(t)
	m.quietly(t, func() {
		_, _ = m.Assert(m.tb.Context(), who, conflicts.Assertion{A: a.ID, B: b.ID, Evidence: "random"}, "")
	})
}

func (m *machine) judgeIt(t *rapid.T) {
	a, b := m.pair(t)
	who := m.actor(t)
	j := conflicts.Judgement{
		A: a.ID, B: b.ID, Authoritative: &a.ID, Evidence: "random",
		Disposition: rapid.SampledFrom([]wiki.Disposition{wiki.Dismiss, wiki.Supersede, wiki.Merge}).Draw(t, "disposition"),
		Confidence:  rapid.SampledFrom([]wiki.Confidence{wiki.ConfidenceMedium, wiki.ConfidenceHigh}).Draw(t, "confidence"),
	}
	before := m.conflict(pairOf(a, b))
	m.quietly(t, func() {
		v, err := m.Judge(m.tb.Context(), who, j, "")
		if err != nil {
			return
		}
		m.verdicts = append(m.verdicts, v.ID)
		live := before.Flag()
		require.True(t, live.System || !wiki.SameLine(live.By, who.Stamp()), "the asserter judged")
		if who.Role < wiki.RoleUser && j.Disposition == wiki.Supersede {
			require.False(t, v.Executable(), "an agent authorised a retirement")
		}
	})
}

func (m *machine) takeBack(t *rapid.T) {
	if len(m.verdicts) == 0 {
		return
	}
	id, who := rapid.SampledFrom(m.verdicts).Draw(t, "verdict"), m.actor(t)
	if rapid.Bool().Draw(t, "revert") {
		_, _ = m.Revert(m.tb.Context(), who, id, "")
		return
	}
	m.quietly(t, func() { _, _ = m.Withdraw(m.tb.Context(), who, id, "") })
}

func (m *machine) claimIt(t *rapid.T) {
	a, b := m.pair(t)
	who := m.actor(t)
	m.quietly(t, func() {
		if _, err := m.Claim(m.tb.Context(), who, pairOf(a, b)); err == nil && rapid.Bool().Draw(t, "let go") {
			require.NoError(t, m.Release(m.tb.Context(), who, pairOf(a, b)))
		} else {
			m.clock.Pass(conflicts.DefaultLease)
		}
	})
}

func (m *machine) editIt(t *rapid.T) {
	a := rapid.SampledFrom(m.articles).Draw(t, "article")
	body := fmt.Sprintf("Edited to %d.\n", rapid.IntRange(0, 1_000_000).Draw(t, "text"))
	m.quietly(t, func() { _, _ = m.Record.Update(m.tb.Context(), m.user, a.ID, 0, record.Patch{Body: &body}, "") })
}

func (m *machine) archiveOrRestore(t *rapid.T) {
	a := m.stands(m.tb, rapid.SampledFrom(m.articles).Draw(t, "article").ID)
	to := wiki.StatusArchived
	if a.Status == wiki.StatusArchived {
		to = wiki.StatusPublished
	}
	_, _ = m.Record.Update(m.tb.Context(), m.user, a.ID, 0, record.Patch{Status: &to}, "")
}

func (m *machine) executeIt(t *rapid.T) {
	who := m.actor(t)
	before := m.statuses()
	tally, err := m.Execute(m.tb.Context(), who, 0)
	if who.Role < wiki.RoleUser {
		require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err))
		require.Equal(t, before, m.statuses())
		return
	}
	require.NoError(t, err)
	require.Zero(t, tally.Failed, "%+v", tally.Outcomes)
	require.Zero(t, tally.Left)
	for _, c := range m.conflicts() {
		require.NotEqual(t, wiki.ConflictJudged, c.State(), "a pair stayed hidden behind a verdict that was not applied")
	}
}

func (m *machine) conflict(pair wiki.Pair) wiki.Conflict {
	for _, c := range m.conflicts() {
		if c.Pair == pair {
			return c
		}
	}
	return wiki.Conflict{Pair: pair}
}

// conflicts reads the pairs, and checks that the queue's row of each says what its flags and verdicts amount to.
func (m *machine) conflicts() []wiki.Conflict {
	var all []wiki.Conflict
	require.NoError(m.tb, m.DB.TenantRead(m.tb.Context(), m.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		for i := range m.articles {
			pair := pairOf(m.articles[i], m.articles[(i+1)%3])
			c, err := flags.Read(ctx, tx, m.user.Tenant, pair)
			if wiki.ErrorCode(err) == wiki.CodeNotFound {
				continue
			}
			if err != nil {
				return err
			}
			var state wiki.ConflictState
			if err := tx.QueryRow(ctx, `select state from conflict_pairs where tenant_id = $1 and first_id = $2 and second_id = $3`,
				m.user.Tenant, pair.First, pair.Second).Scan(&state); err != nil {
				return err
			}
			require.Equal(m.tb, c.State(), state)
			all = append(all, c)
		}
		return nil
	}))
	return all
}

func (m *machine) check(t *rapid.T) {
	now := m.statuses()
	for _, c := range m.conflicts() {
		closed := !slices.ContainsFunc(c.Flags, func(f wiki.Flag) bool { return f.Lapsed == "" })
		for _, id := range c.Pair.IDs() {
			closed = closed || now[id] == wiki.StatusArchived || now[id] == wiki.StatusSuperseded
		}
		require.Equal(t, closed, c.Closed != "", "a pair is closed just when an article of it is out of use or no flag holds")
		if c.State() == wiki.ConflictOpen {
			continue
		}
		d := c.Decision()
		require.NotNil(t, d)
		require.True(t, d.Executable())
		for _, f := range c.Flags {
			require.True(t, f.Lapsed != "" || d.JudgedAt.After(f.FlaggedAt), "a verdict hides a flag that holds and that it does not postdate")
		}
		if d.Disposition == wiki.Supersede {
			require.Equal(t, "user", d.By.Role, "only a person's word retires an article")
		}
	}
	m.checkDisputed(t)
}

// An assertion never withholds a curated answer: only what the system flagged may be withheld.
func (m *machine) checkDisputed(t *rapid.T) {
	require.NoError(t, m.DB.TenantRead(m.tb.Context(), m.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		withheld, err := flags.SystemDisputed(ctx, tx, m.user.Tenant, m.ids())
		for id := range withheld {
			require.True(t, m.disputed[id], "an assertion withheld an answer")
		}
		return err
	}))
}

func TestRandomActsKeepTheRulesOfConflicts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := uuid.New()
	child := w.agent
	child.Agent, child.Key, child.Lineage = "child", uuid.New(), []uuid.UUID{root, uuid.New()}
	w.agent.Lineage = []uuid.UUID{root}
	who := []wiki.Actor{w.user, w.curator(t), w.agent, w.other, child}
	rapid.Check(t, func(rt *rapid.T) {
		m := newMachine(t, w, who)
		rt.Repeat(map[string]func(*rapid.T){
			"": m.check, "flag": m.flagIt, "assert": m.assertIt, "assert again": m.assertIt, "judge": m.judgeIt, "judge again": m.judgeIt, "take back": m.takeBack,
			"claim": m.claimIt, "edit": m.editIt, "archive or restore": m.archiveOrRestore, "execute": m.executeIt,
		})
	})
}
