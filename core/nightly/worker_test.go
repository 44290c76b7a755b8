package nightly_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/access"
	"wiki/core/conflicts"
	"wiki/core/nightly"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

// quick makes the workers of tests answer soon.
var quick = nightly.WorkerSettings{Look: time.Second, Poll: 50 * time.Millisecond}

const (
	// patience is the longest wait for what another server has to take up: a minute (issue of SPEC §8), and a busy machine.
	patience = 2 * time.Minute
	// shortLease keeps the tests from waiting half a minute for a dead server.
	shortLease = 3 * time.Second
)

// tenantOfYesterday is one whose first night has begun.
func tenantOfYesterday(t testing.TB, db *postgres.DB) wiki.Actor {
	t.Helper()
	user := pgtest.Tenant(t, db)
	require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `update tenants set inserted_at = $2 where id = $1`, user.Tenant, tx.Now.Add(-25*time.Hour))
		return err
	}))
	return user
}

func (w *world) finished(t testing.TB, tenant uuid.UUID) bool {
	t.Helper()
	return w.count(t, `select count(*) from nightly_passes where tenant_id = $1 and finished_at is not null`, tenant) > 0
}

func TestDuePasses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.service(t)
	due := func() (tenants []uuid.UUID) {
		list, err := s.Due(t.Context())
		require.NoError(t, err)
		for _, d := range list {
			tenants = append(tenants, d.Tenant)
		}
		return tenants
	}
	require.Empty(t, due(), "a new tenant waits for its first night")
	old, suspended := tenantOfYesterday(t, w.DB), tenantOfYesterday(t, w.DB)
	require.NoError(t, access.New(w.DB, access.Settings{}).SuspendTenant(t.Context(), access.Operator(uuid.Nil), suspended.Tenant, true))
	require.Equal(t, []uuid.UUID{old.Tenant}, due())
	_, err := s.Run(t.Context(), old.Tenant, nightly.Options{})
	require.NoError(t, err)
	require.Empty(t, due(), "tonight's pass is done")
	w.clock.pass(25 * time.Hour)
	require.ElementsMatch(t, []uuid.UUID{old.Tenant, w.user.Tenant}, due(), "the next night, both")
}

// One tenant with much to do keeps none waiting: after each turn the others come first.
func TestTenantsTakeTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	busy, small := tenantOfYesterday(t, w.DB), tenantOfYesterday(t, w.DB)
	var acted atomic.Int32
	hour := wiki.NightBudget{Count: 1000, Time: time.Hour}
	s := w.service(t, nightly.Consumer{Name: "work", Budget: hour, Batch: 1, RunOnce: func(_ context.Context, b nightly.Batch) (nightly.Done, error) {
		acted.Add(1)
		more := b.Actor.Tenant == busy.Tenant && len(b.Cursor) < 10
		return nightly.Done{Cursor: b.Cursor + "x", More: more}, nil
	}})
	settings := quick
	settings.Tenants, settings.Turn = 1, time.Millisecond
	stop, err := s.Work(t.Context(), settings)
	require.NoError(t, err)
	defer stop()
	require.Eventually(t, func() bool { return w.finished(t, busy.Tenant) }, patience, 50*time.Millisecond)
	require.True(t, w.finished(t, small.Tenant))
	require.Equal(t, 1, w.count(t, `select count(*) from nightly_passes a, nightly_passes b where a.tenant_id = $1 and b.tenant_id = $2 and b.finished_at < a.finished_at`,
		busy.Tenant, small.Tenant), "the small tenant was let in")
	require.Positive(t, w.count(t, `select turns - 1 from nightly_passes where tenant_id = $1`, busy.Tenant))
}

// Two servers that work at once do each tenant's pass once.
func TestSeveralServersDoEachPassOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const tenants = 5
	var users []wiki.Actor
	for range tenants {
		users = append(users, tenantOfYesterday(t, w.DB))
	}
	for range 2 {
		stop, err := w.service(t, nightly.Verdicts(w.Service)).Work(t.Context(), quick)
		require.NoError(t, err)
		t.Cleanup(stop)
	}
	for _, user := range users {
		require.Eventually(t, func() bool { return w.finished(t, user.Tenant) }, patience, 50*time.Millisecond)
	}
	require.Equal(t, tenants, w.count(t, `select count(*) from nightly_passes`))
}

// The server that a test kills runs in a process of its own: this test binary, told by these.
const (
	childDSN   = "WIKI_TEST_NIGHTLY_DSN"
	childReady = "working"
)

// TestChildServer is no test: it is the server that TestKilledLeadersWorkIsTakenUp starts and kills.
func TestChildServer(t *testing.T) {
	dsn := os.Getenv(childDSN)
	if dsn == "" {
		t.Skip("runs only as a child of TestKilledLeadersWorkIsTakenUp")
	}
	db := pgtest.Open(t, postgres.Config{DSN: dsn})
	stop, err := slowServer(t, db, func() { fmt.Println(childReady) }).Work(t.Context(), quick)
	require.NoError(t, err)
	defer stop()
	<-t.Context().Done()
}

// slowServer applies one verdict a batch, says so, and takes its time before the next.
func slowServer(t testing.TB, db *postgres.DB, applied func()) *nightly.Service {
	t.Helper()
	c := nightly.Verdicts(conflictsOn(t, db))
	c.Batch = 1
	once := c.RunOnce
	c.RunOnce = func(ctx context.Context, b nightly.Batch) (nightly.Done, error) {
		done, err := once(ctx, b)
		if done.Tally.Applied > 0 {
			applied()
			time.Sleep(100 * time.Millisecond)
		}
		return done, err
	}
	s, err := nightly.New(db, nightly.Settings{Lease: shortLease}, nil, c)
	require.NoError(t, err)
	return s
}

// killAfter starts a server and kills it once it has said n times that it works.
func killAfter(t *testing.T, child *exec.Cmd, n int) {
	t.Helper()
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == childReady {
			n--
		}
		if n == 0 {
			require.NoError(t, child.Process.Kill())
		}
	}
	require.Error(t, child.Wait())
	require.LessOrEqual(t, n, 0, "it was killed before it had ended")
}

// A leader that is killed with -9 in the middle of a pass leaves it to another server, which goes on with it: no verdict is
// applied twice, and none is left out.
func TestKilledLeadersWorkIsTakenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user = tenantOfYesterday(t, w.DB)
	const verdicts = 12
	for range verdicts {
		w.judged(t, wiki.Supersede)
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChildServer$", "-test.v")
	child.Env = append(os.Environ(), childDSN+"="+w.dsn)
	killAfter(t, child, 3)
	executed := w.acts(t, "conflict.execute")
	require.GreaterOrEqual(t, executed, 3)
	require.Less(t, executed, verdicts, "it was killed in the middle")
	require.False(t, w.finished(t, w.user.Tenant))
	require.Equal(t, 1, w.count(t, `select count(*) from nightly_passes where tenant_id = $1 and finished_at is null`, w.user.Tenant), "the dead night left evidence")

	stop, err := slowServer(t, w.DB, func() {}).Work(t.Context(), quick)
	require.NoError(t, err)
	defer stop()
	require.Eventually(t, func() bool { return w.finished(t, w.user.Tenant) }, patience, 50*time.Millisecond)
	require.Equal(t, verdicts, w.acts(t, "conflict.execute"))
	require.Equal(t, verdicts, w.count(t, `select count(*) from conflict_verdicts where executed_at is not null`))
	require.Equal(t, 1, w.count(t, `select count(*) from nightly_passes where turns = 2 and finished_at is not null`), "the same pass, taken up")
	page, err := w.Queue(t.Context(), w.user, conflicts.Filter{})
	require.NoError(t, err)
	require.Empty(t, page.Items)
}
