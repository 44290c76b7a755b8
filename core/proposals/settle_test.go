package proposals_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/proposals"
	"wiki/core/record"
	"wiki/core/wiki"
)

func (w *world) mint(t testing.TB, who wiki.Actor, r proposals.Request) proposals.Detail {
	t.Helper()
	d, err := w.Mint(t.Context(), who, r, "")
	require.NoError(t, err)
	return d
}

func (w *world) approve(t testing.TB, id uuid.UUID, in proposals.Approval) proposals.Result {
	t.Helper()
	out, err := w.Approve(t.Context(), w.user, id, in, "")
	require.NoError(t, err)
	return out
}

func (w *world) link(t testing.TB, from, to wiki.Article) {
	t.Helper()
	_, _, err := w.record.Link(t.Context(), w.user, record.NewLink{Source: from.ID, Target: to.ID, Relation: wiki.RelRelatesTo}, "")
	require.NoError(t, err)
}

func TestAProposalWaitsForAnotherPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	kept, a, b := w.article(t), w.article(t), w.article(t)
	w.link(t, kept, a)
	w.link(t, b, a) // within the set: it goes with it
	w.exec(t, `update articles set curated_at = now(), curated_by = 'x' where id = $1`, b.ID)
	r := byIDs(wiki.OpArchive, a.ID, b.ID, uuid.New())
	none := r
	none.Reason = " "
	_, err := w.Mint(t.Context(), w.agent, none, "")
	code(t, wiki.CodeInvalid, err)

	d, err := w.Mint(t.Context(), w.agent, r, "mint-1")
	require.NoError(t, err)
	again, err := w.Mint(t.Context(), w.agent, r, "mint-1")
	require.NoError(t, err)
	require.Equal(t, d.ID, again.ID)
	require.Equal(t, proposals.StatePending, d.State)
	require.False(t, d.MayApprove)
	require.Equal(t, d.MintedAt.Add(proposals.DefaultProposalLifetime), d.ExpiresAt)

	page, _, waiting, err := w.List(t.Context(), w.user, proposals.Filter{})
	require.NoError(t, err)
	require.Equal(t, 1, waiting)
	require.Equal(t, 1, page[0].Impact.LinkCount)
	require.Equal(t, 1, page[0].Impact.CuratedCount)
	seen, err := w.Get(t.Context(), w.user, d.ID)
	require.NoError(t, err)
	require.True(t, seen.MayApprove, seen.WhyNot)
	require.Equal(t, kept.ID, seen.Impact.Links[0].From.ID)
	require.Equal(t, []uuid.UUID{b.ID}, seen.Impact.Curated)

	_, err = w.Approve(t.Context(), w.agent, d.ID, proposals.Approval{}, "")
	code(t, wiki.CodeForbidden, err)
	out, err := w.Approve(t.Context(), w.user, d.ID, proposals.Approval{Exclude: []uuid.UUID{b.ID}}, "yes-1")
	require.NoError(t, err)
	require.Equal(t, []string{"archived", "excluded", "not_found"}, outcomes(out.Items))
	require.Equal(t, proposals.StateExecuted, out.State)
	repeat, err := w.Approve(t.Context(), w.user, d.ID, proposals.Approval{}, "yes-1")
	require.NoError(t, err)
	require.Equal(t, out.Items, repeat.Items)
	_, err = w.Approve(t.Context(), w.second, d.ID, proposals.Approval{}, "")
	code(t, wiki.CodeProposalSettled, err)
	_, err = w.Reject(t.Context(), w.second, d.ID, "too late", "")
	code(t, wiki.CodeProposalSettled, err)
	stands := w.stands(t, a.ID, b.ID)
	require.Equal(t, wiki.StatusArchived, stands[a.ID].Status)
	require.Equal(t, 1, stands[b.ID].Version, "what was excluded is untouched")
	require.Equal(t, 1, w.number(t, `select count(*) from audit_log where act = 'article.archive' and subject = $1 and principal = $2 and detail ->> 'minted_by' = 'scribe'`,
		a.ID, w.user.Principal()))
	for _, kind := range []string{proposals.KindMinted, proposals.KindApproved, proposals.KindExecuted} {
		require.Equal(t, 1, w.number(t, `select count(*) from events where kind = $1 and subject = $2`, kind, d.ID), kind)
	}
}

// Case 82: never the minter, nor its ancestors or descendants; a lone operator is an exception that is seen.
func TestCase82NobodySettlesWhatOwnLineMinted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	root := uuid.New()
	person := w.user
	person.Lineage = []uuid.UUID{root}
	child := pgtest.Actor(t, w.db, person.Tenant, wiki.RoleUser, "helper")
	child.Lineage = []uuid.UUID{root, uuid.New()}
	sibling := pgtest.Actor(t, w.db, person.Tenant, wiki.RoleUser, "other helper")
	sibling.Lineage = []uuid.UUID{root, uuid.New()}
	for _, pair := range [][2]wiki.Actor{{person, person}, {child, person}, {person, child}} {
		d := w.mint(t, pair[0], byIDs(wiki.OpArchive, w.article(t).ID))
		_, err := w.Approve(t.Context(), pair[1], d.ID, proposals.Approval{}, "")
		code(t, wiki.CodeSelfApproval, err)
		_, err = w.Reject(t.Context(), pair[1], d.ID, "no", "")
		code(t, wiki.CodeSelfApproval, err)
		seen, err := w.Get(t.Context(), pair[1], d.ID)
		require.NoError(t, err)
		require.False(t, seen.MayApprove)
		require.NotEmpty(t, seen.WhyNot)
	}
	d := w.mint(t, child, byIDs(wiki.OpArchive, w.article(t).ID))
	out, err := w.Approve(t.Context(), sibling, d.ID, proposals.Approval{}, "")
	require.NoError(t, err, "siblings are separate")
	require.False(t, out.LoneOperator)

	w.exec(t, `update tenants set lone_operator = true where id = $1`, person.Tenant)
	d = w.mint(t, person, byIDs(wiki.OpArchive, w.article(t).ID))
	_, err = w.Approve(t.Context(), child, d.ID, proposals.Approval{}, "")
	code(t, wiki.CodeSelfApproval, err)
	out, err = w.Approve(t.Context(), person, d.ID, proposals.Approval{}, "")
	require.NoError(t, err)
	require.True(t, out.LoneOperator)
	require.Equal(t, 1, w.number(t, `select count(*) from audit_log where act = 'proposal.approve' and subject = $1 and detail ->> 'lone_operator' = 'true'`, d.ID))
	require.Equal(t, 1, w.number(t, `select count(*) from audit_log where detail ? 'lone_operator'`), "only where it was needed")
}

func TestWhatChangedSinceIsSkippedUnlessConfirmed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	same, changed, confirmed, gone, moved := w.article(t), w.article(t), w.article(t), w.article(t), w.article(t)
	d := w.mint(t, w.agent, byIDs(wiki.OpArchive, same.ID, changed.ID, confirmed.ID, gone.ID, moved.ID))
	edit := func(id uuid.UUID) {
		body := "Edited " + uuid.NewString()
		_, err := w.record.Update(t.Context(), w.agent, id, 0, record.Patch{Body: &body}, "")
		require.NoError(t, err)
	}
	edit(changed.ID)
	edit(confirmed.ID)
	edit(moved.ID)
	purge := hard(byIDs(wiki.OpDelete, gone.ID))
	w.run(t, purge, proposals.Credential{Token: w.dry(t, purge).Token})
	seen, err := w.Get(t.Context(), w.user, d.ID)
	require.NoError(t, err)
	var listed []bool
	for _, i := range seen.Items {
		listed = append(listed, i.Changed())
	}
	require.Equal(t, []bool{false, true, true, true, true}, listed)

	edit(moved.ID) // after the approver looked
	_, err = w.Approve(t.Context(), w.user, d.ID, proposals.Approval{Reconfirm: []proposals.Seen{{Article: uuid.New(), Version: 1}}}, "")
	code(t, wiki.CodeInvalid, err)
	out := w.approve(t, d.ID, proposals.Approval{Reconfirm: []proposals.Seen{{Article: confirmed.ID, Version: 2}, {Article: moved.ID, Version: 2}}})
	require.Equal(t, []string{"archived", "skipped changed_since", "archived", "not_found", "skipped changed_since"}, outcomes(out.Items))
	require.Equal(t, wiki.StatusPublished, w.stands(t, changed.ID)[changed.ID].Status)
}

func TestRejectedWithdrawnAndExpiredProposalsDoNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{MaxPending: 3})
	a := w.article(t)
	rejected, withdrawn, late := w.mint(t, w.agent, byIDs(wiki.OpArchive, a.ID)), w.mint(t, w.agent, byIDs(wiki.OpArchive, a.ID)), w.mint(t, w.agent, byIDs(wiki.OpArchive, a.ID))
	_, err := w.Mint(t.Context(), w.agent, byIDs(wiki.OpArchive, a.ID), "")
	code(t, wiki.CodeRateLimited, err)
	_, err = w.Reject(t.Context(), w.user, rejected.ID, "", "")
	code(t, wiki.CodeInvalid, err)
	d, err := w.Reject(t.Context(), w.user, rejected.ID, "still true", "no-1")
	require.NoError(t, err)
	require.Equal(t, proposals.StateRejected, d.State)
	require.Equal(t, "still true", d.SettleReason)
	_, err = w.Withdraw(t.Context(), w.user, withdrawn.ID, "", "")
	code(t, wiki.CodeForbidden, err)
	stranger := pgtest.Actor(t, w.db, w.user.Tenant, wiki.RoleAgent, "stranger")
	_, err = w.Withdraw(t.Context(), stranger, withdrawn.ID, "", "")
	code(t, wiki.CodeNotFound, err)
	_, err = w.Get(t.Context(), stranger, withdrawn.ID)
	code(t, wiki.CodeNotFound, err)
	d, err = w.Withdraw(t.Context(), w.agent, withdrawn.ID, "", "")
	require.NoError(t, err)
	require.Equal(t, proposals.StateWithdrawn, d.State)

	w.clock.Pass(proposals.DefaultProposalLifetime)
	_, err = w.Approve(t.Context(), w.user, late.ID, proposals.Approval{}, "")
	code(t, wiki.CodeProposalExpired, err)
	page, _, waiting, err := w.List(t.Context(), w.user, proposals.Filter{State: proposals.StateExpired})
	require.NoError(t, err)
	require.Zero(t, waiting)
	require.Equal(t, late.ID, page[0].ID)
	swept, err := w.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, proposals.Swept{Expired: 1}, swept)
	swept, err = w.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, swept)
	require.Equal(t, 1, w.number(t, `select count(*) from events where kind = $1`, proposals.KindExpired))
	require.Equal(t, 1, w.stands(t, a.ID)[a.ID].Version)
}

// What the minter can't see is not in its set, and says nothing about itself.
func TestAMinterProposesOnlyWhatItSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{FrozenBound: 2})
	shared, hidden := w.article(t, tagged("x")), w.article(t, tagged("x"), private)
	other := pgtest.Actor(t, w.db, w.user.Tenant, wiki.RoleAgent, "other")
	w.article(t, tagged("x"), draft)
	d := w.mint(t, other, byTag(wiki.OpUnpublish, "x"))
	require.Len(t, d.Items, 1)
	require.Equal(t, shared.ID, d.Items[0].Article)
	publish := byTag(wiki.OpPublish, "x")
	_, err := w.Mint(t.Context(), other, publish, "")
	code(t, wiki.CodeInvalid, err) // another's draft is in no listing of an agent's
	d = w.mint(t, other, byIDs(wiki.OpArchive, hidden.ID, shared.ID))
	require.Equal(t, []string{"not_found", ""}, outcomes(d.Items))
	require.Empty(t, d.Items[0].Title)
	_, err = w.Mint(t.Context(), other, byIDs(wiki.OpArchive, hidden.ID), "")
	code(t, wiki.CodeInvalid, err)
	_, err = w.Mint(t.Context(), w.user, byIDs(wiki.OpArchive, w.many(t, 3)...), "")
	code(t, wiki.CodeInvalid, err)
	page, _, _, err := w.List(t.Context(), w.agent, proposals.Filter{})
	require.NoError(t, err)
	require.Empty(t, page, "below user one sees one's own")
}

func TestAHundredApprovalsAtOnceCarryOutOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{Batch: 2})
	ids := w.many(t, 5)
	d := w.mint(t, w.agent, byIDs(wiki.OpArchive, ids...))
	approvers := []wiki.Actor{w.user, w.second}
	var wg sync.WaitGroup
	var approved, late atomic.Int64
	for i := range 100 {
		wg.Go(func() {
			_, err := w.Approve(t.Context(), approvers[i%2], d.ID, proposals.Approval{}, "")
			switch {
			case err == nil:
				approved.Add(1)
			case wiki.ErrorCode(err) == wiki.CodeProposalSettled:
				late.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, approved.Load())
	require.EqualValues(t, 99, late.Load())
	for _, a := range w.stands(t, ids...) {
		require.Equal(t, 2, a.Version)
	}
	require.Equal(t, len(ids), w.number(t, `select count(*) from audit_log where act = 'article.archive'`))
}

// The sweep carries on what a dead server left, in the approver's name.
func TestSweepCarriesOnAnApprovedRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{Batch: 1, Budget: 1})
	ids := w.many(t, 2)
	d := w.mint(t, w.agent, byIDs(wiki.OpArchive, ids...))
	require.Equal(t, proposals.StateRunning, w.approve(t, d.ID, proposals.Approval{}).State)
	w.exec(t, `update proposals set lease_until = $1`, w.clock.Now().Add(time.Minute))
	_, err := w.Execute(t.Context(), w.second, d.ID)
	code(t, wiki.CodeClaimed, err)
	swept, err := w.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, swept, "another call carries it on")
	w.clock.Pass(2 * time.Minute)
	swept, err = w.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, proposals.Swept{Carried: 1}, swept)
	done, err := w.Get(t.Context(), w.user, d.ID)
	require.NoError(t, err)
	require.Equal(t, proposals.StateExecuted, done.State)
	require.Equal(t, 2, w.number(t, `select count(*) from audit_log where act = 'article.archive' and principal = $1`, w.user.Principal()))

	w.run(t, byIDs(wiki.OpArchive, ids[0]), proposals.Credential{})
	w.clock.Pass(8 * 24 * time.Hour)
	swept, err = w.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, proposals.Swept{Forgotten: 1}, swept, "a decision is kept, the rows of a run are not")
}

func TestListPagesAndFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	a := w.article(t)
	for i := range 5 {
		op := wiki.OpArchive
		if i%2 == 1 {
			op = wiki.OpUnpublish
		}
		w.mint(t, w.agent, byIDs(op, a.ID))
	}
	var ids []uuid.UUID
	for cursor := ""; ; {
		page, next, waiting, err := w.List(t.Context(), w.user, proposals.Filter{Limit: 2, Cursor: cursor})
		require.NoError(t, err)
		require.Equal(t, 5, waiting)
		for i, p := range page {
			require.True(t, len(ids) == 0 || i > 0 || p.ID != ids[len(ids)-1])
			ids = append(ids, p.ID)
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	require.Len(t, ids, 5)
	page, _, _, err := w.List(t.Context(), w.user, proposals.Filter{Op: wiki.OpUnpublish, By: "scribe"})
	require.NoError(t, err)
	require.Len(t, page, 2)
	for _, bad := range []proposals.Filter{{State: "x"}, {Op: "x"}, {Limit: 201}, {Cursor: "x"}} {
		_, _, _, err := w.List(t.Context(), w.user, bad)
		code(t, wiki.CodeInvalidParameter, err)
	}
}

// golden is what the evaluation's room will be: here it says that one article answers a question.
type golden struct{ answers uuid.UUID }

func (g golden) Affected(_ context.Context, _ wiki.Actor, ids []uuid.UUID) (out []proposals.Question, err error) {
	for _, id := range ids {
		if id == g.answers {
			out = append(out, proposals.Question{ID: "q1", Question: "How long?", Article: id})
		}
	}
	return out, nil
}

func TestImpactNamesTheGoldenQuestionsThatLoseTheirAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	a, b := w.article(t), w.article(t)
	w.Service = proposals.New(w.db, w.record, golden{b.ID}, proposals.Settings{})
	d := w.mint(t, w.agent, byIDs(wiki.OpArchive, a.ID, b.ID))
	require.True(t, d.Impact.GoldenKnown)
	require.Equal(t, []proposals.Question{{ID: "q1", Question: "How long?", Article: b.ID}}, d.Impact.Golden)
	d = w.mint(t, w.agent, byIDs(wiki.OpPublish, b.ID))
	require.Empty(t, d.Impact, "what is published loses nothing")
	require.Equal(t, b.ID, w.dry(t, byIDs(wiki.OpUnpublish, b.ID)).Impact.Golden[0].Article)
}

// The second wall: a query that forgets its tenant sees no other's proposals, items or tombstones.
func TestProposalsStayInTheirTenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	d := w.mint(t, w.agent, byIDs(wiki.OpArchive, w.article(t).ID))
	theirs := pgtest.Tenant(t, w.db)
	_, err := w.Get(t.Context(), theirs, d.ID)
	code(t, wiki.CodeNotFound, err)
	_, err = w.Approve(t.Context(), theirs, d.ID, proposals.Approval{}, "")
	code(t, wiki.CodeNotFound, err)
	for _, table := range []string{"proposals", "proposal_items", "article_tombstones"} {
		require.NoError(t, w.db.TenantRead(t.Context(), theirs.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			var n int
			require.NoError(t, tx.QueryRow(ctx, fmt.Sprintf("select count(*) from %s", table)).Scan(&n))
			require.Zero(t, n, table)
			return nil
		}))
	}
}
