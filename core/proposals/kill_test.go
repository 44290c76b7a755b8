package proposals_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/proposals"
	"wiki/core/wiki"
)

// The approval that a test kills runs in a process of its own: this test binary, told by these.
const (
	childDSN      = "WIKI_TEST_PROPOSALS_DSN"
	childTenant   = "WIKI_TEST_PROPOSALS_TENANT"
	childProposal = "WIKI_TEST_PROPOSALS_ID"
)

// TestChildApproves is no test: it is the process that TestAKilledApprovalIsCarriedOnOnce starts and kills.
func TestChildApproves(t *testing.T) {
	if os.Getenv(childDSN) == "" {
		t.Skip("runs only as a child of TestAKilledApprovalIsCarriedOnOnce")
	}
	c := &clock{}
	db := pgtest.Open(t, postgres.Config{DSN: os.Getenv(childDSN), Now: c.now})
	user := wiki.Actor{Tenant: uuid.MustParse(os.Getenv(childTenant)), Key: uuid.New(), Agent: "approver", Role: wiki.RoleUser}
	w := worldOn(t, db, c, user, proposals.Settings{Batch: 1})
	_, err := w.Approve(t.Context(), user, uuid.MustParse(os.Getenv(childProposal)), proposals.Approval{}, "")
	require.NoError(t, err)
}

// A server that is killed with -9 in the middle of a run leaves nothing half done: the rest is done once, in the name of
// who approved it.
func TestAKilledApprovalIsCarriedOnOnce(t *testing.T) {
	t.Parallel()
	const articles = 60
	c, dsn := &clock{}, pgtest.DSN(t)
	db := pgtest.Open(t, postgres.Config{DSN: dsn, Now: c.now})
	w := worldOn(t, db, c, pgtest.Tenant(t, db), proposals.Settings{Batch: 5})
	ids := w.many(t, articles)
	d := w.mint(t, w.agent, byIDs(wiki.OpArchive, ids...))
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChildApproves$")
	child.Env = append(os.Environ(), childDSN+"="+dsn, childTenant+"="+w.user.Tenant.String(), childProposal+"="+d.ID.String())
	require.NoError(t, child.Start())
	require.Eventually(t, func() bool {
		return w.number(t, `select count(*) from proposal_items where proposal_id = $1 and outcome is not null`, d.ID) > 2
	}, patience, pause)
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait(), "it was killed")
	cut, err := w.Get(t.Context(), w.user, d.ID)
	require.NoError(t, err)
	require.Equal(t, proposals.StateRunning, cut.State)
	require.Positive(t, cut.Counts.Left)
	require.Equal(t, cut.Counts.Done, w.number(t, `select count(*) from articles where status = 'archived'`), "done and ticked off together")

	_, err = w.Approve(t.Context(), w.user, d.ID, proposals.Approval{}, "")
	code(t, wiki.CodeProposalSettled, err)
	c.pass(2 * time.Minute) // the lease of the dead ends
	out, err := w.Execute(t.Context(), w.user, d.ID)
	require.NoError(t, err)
	require.Equal(t, articles, out.Counts.Done)
	require.Equal(t, articles, w.number(t, `select count(*) from audit_log where act = 'article.archive' and principal = 'approver'`))
	for _, a := range w.stands(t, ids...) {
		require.Equal(t, 2, a.Version)
	}
}
