package conflicts_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/conflicts"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

const (
	patience = time.Minute
	pause    = 5 * time.Millisecond
)

// TestChildExecutes is no test: it is the process that TestAKilledExecutionIsCarriedOnOnce starts and kills.
func TestChildExecutes(t *testing.T) {
	task, c := pgtest.Given(t), &pgtest.Clock{}
	db, user := pgtest.Open(t, postgres.Config{DSN: task.DSN, Now: c.Now}), task.User("executor")
	_, err := worldOn(t, db, c, user).Execute(t.Context(), user, conflicts.MaxExecute)
	require.NoError(t, err)
}

// An executor that is killed with -9 in the middle of one verdict leaves that verdict waiting and nothing of it done; fifty
// others then carry on, and each verdict was executed once.
func TestAKilledExecutionIsCarriedOnOnce(t *testing.T) {
	t.Parallel()
	const pairs, executors = 40, 50
	c, dsn := &pgtest.Clock{}, pgtest.DSN(t)
	db := pgtest.Open(t, postgres.Config{DSN: dsn, Now: c.Now})
	w := worldOn(t, db, c, pgtest.Tenant(t, db))
	losers := w.judged(t, pairs)

	child := pgtest.Task{DSN: dsn, Tenant: w.user.Tenant}.Child(t, "TestChildExecutes")
	require.NoError(t, child.Start())
	require.Eventually(t, func() bool { return w.number(t, executedSQL) > 2 }, patience, pause)
	w.inTheMiddle(t, func() { pgtest.Kill(t, child) })

	before := w.number(t, executedSQL)
	require.Less(t, before, pairs, "it was killed before its end")
	w.requireWhole(t)
	done := w.executeAtOnce(t, executors)
	require.Equal(t, pairs, before+done)
	require.Equal(t, pairs, w.number(t, executedSQL))
	require.Equal(t, before, w.number(t, `select count(*) from audit_log where act = 'conflict.execute' and principal = 'executor'`))
	require.Equal(t, pairs, w.number(t, `select count(distinct subject) from audit_log where act = 'conflict.execute'`))
	w.requireWhole(t)
	for _, loser := range losers {
		require.Equal(t, 2, w.stands(t, loser.ID).Version, "one change of status")
	}
}

const executedSQL = `select count(*) from conflict_verdicts where executed_at is not null`

// judged makes pairs with a verdict that waits, by turns a supersede and a merge, and gives the articles to be superseded.
func (w *world) judged(t testing.TB, pairs int) (losers []wiki.Article) {
	t.Helper()
	for i := range pairs {
		a, b := w.flagged(t)
		if i%2 == 1 {
			w.judge(t, w.user, merge(a, b))
			continue
		}
		losers = append(losers, b)
		w.judge(t, w.user, keep(a, b))
	}
	return losers
}

// inTheMiddle calls fn while an execution has applied a verdict and not yet said so: it holds the table in which that is
// said, for writers only, until the executor waits for it.
func (w *world) inTheMiddle(t testing.TB, fn func()) {
	t.Helper()
	require.NoError(t, w.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		if _, err := tx.Exec(ctx, `lock table conflict_verdicts in share mode`); err != nil {
			return err
		}
		const waits = `select count(*) from pg_locks where relation = 'conflict_verdicts'::regclass and not granted and mode = 'RowExclusiveLock'`
		require.Eventually(t, func() bool { return w.number(t, waits) == 1 }, patience, pause)
		fn()
		return nil
	}))
}

// requireWhole asks that what was done and what was said to be done are the same number: nothing is half done.
func (w *world) requireWhole(t testing.TB) {
	t.Helper()
	for _, done := range []struct{ disposition, traces string }{
		{"supersede", `select count(*) from articles where status = 'superseded'`},
		{"supersede", `select count(*) from article_links where relation = 'supersedes' and retires`},
		{"merge", `select count(*) from articles where metadata ? 'merge_verdict'`},
		{"merge", `select count(*) / 2 from article_links where relation = 'derived_from'`},
	} {
		said := w.number(t, executedSQL+` and disposition = $1`, done.disposition)
		require.Equal(t, said, w.number(t, done.traces), done.traces)
	}
	said := w.number(t, executedSQL)
	require.Equal(t, said, w.number(t, `select count(*) from audit_log where act = 'conflict.execute'`))
	require.Equal(t, said, w.number(t, `select count(*) from events where kind = 'conflict.executed'`))
	require.Equal(t, said, w.number(t, `select count(*) from conflict_pairs where state = 'settled'`))
}

// number asks the database, as its owner.
func (w *world) number(t testing.TB, sql string, args ...any) int {
	t.Helper()
	return pgtest.Number(t, w.DB, sql, args...)
}
