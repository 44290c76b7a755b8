package proposals_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/proposals"
	"wiki/core/wiki"
)

// TestChildApproves is no test: it is the process that TestAKilledApprovalIsCarriedOnOnce starts and kills.
func TestChildApproves(t *testing.T) {
	task, c := pgtest.Given(t), &pgtest.Clock{}
	user := task.User("approver")
	w := worldOn(t, pgtest.Open(t, postgres.Config{DSN: task.DSN, Now: c.Now}), c, user, proposals.Settings{Batch: 1})
	_, err := w.Approve(t.Context(), user, uuid.MustParse(task.On), proposals.Approval{}, "")
	require.NoError(t, err)
}

// A server that is killed with -9 in the middle of a run leaves nothing half done: the rest is done once, in the name of
// who approved it.
func TestAKilledApprovalIsCarriedOnOnce(t *testing.T) {
	t.Parallel()
	const articles = 60
	c, dsn := &pgtest.Clock{}, pgtest.DSN(t)
	db := pgtest.Open(t, postgres.Config{DSN: dsn, Now: c.Now})
	w := worldOn(t, db, c, pgtest.Tenant(t, db), proposals.Settings{Batch: 5})
	ids := w.many(t, articles)
	d := w.mint(t, w.agent, byIDs(wiki.OpArchive, ids...))
	child := pgtest.Task{DSN: dsn, Tenant: w.user.Tenant, On: d.ID.String()}.Child(t, "TestChildApproves")
	require.NoError(t, child.Start())
	require.Eventually(t, func() bool {
		return w.number(t, `select count(*) from proposal_items where proposal_id = $1 and outcome is not null`, d.ID) > 2
	}, patience, pause)
	pgtest.Kill(t, child)
	cut, err := w.Get(t.Context(), w.user, d.ID)
	require.NoError(t, err)
	require.Equal(t, proposals.StateRunning, cut.State)
	require.Positive(t, cut.Counts.Left)
	require.Equal(t, cut.Counts.Done, w.number(t, `select count(*) from articles where status = 'archived'`), "done and ticked off together")

	_, err = w.Approve(t.Context(), w.user, d.ID, proposals.Approval{}, "")
	code(t, wiki.CodeProposalSettled, err)
	c.Pass(2 * time.Minute) // the lease of the dead ends
	out, err := w.Execute(t.Context(), w.user, d.ID)
	require.NoError(t, err)
	require.Equal(t, articles, out.Counts.Done)
	require.Equal(t, articles, w.number(t, `select count(*) from audit_log where act = 'article.archive' and principal = 'approver'`))
	for _, a := range w.stands(t, ids...) {
		require.Equal(t, 2, a.Version)
	}
}
