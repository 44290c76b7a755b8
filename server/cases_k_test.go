package server_test

import (
	"reflect"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/access"
	"wiki/core/conflicts"
	"wiki/core/proposals"
	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
	"wiki/server/client"
)

// reached says by which route, and by which method of the client, each act of a room can be asked for. Those without are
// named in unreached, with the reason.
type reached map[string][2]string

// Case 88: decisions were possible in one surface only. Whatever a room lets anybody decide or read about decisions has its
// route, and its method in the client that the workbench and scripts use.
func TestCase88EveryDecisionCanBeMadeOverHTTP(t *testing.T) {
	t.Parallel()
	for _, room := range []struct {
		service   any
		reached   reached
		unreached []string
	}{
		{conflicts.Service{}, reached{
			"Queue":      {"GET /knowledge/conflicts", "Conflicts"},
			"Groups":     {"GET /knowledge/conflicts/groups", "ConflictGroups"},
			"Pair":       {"GET /knowledge/conflicts/{pair}", "Pair"},
			"Assert":     {"POST /knowledge/conflicts", "Assert"},
			"Claim":      {"POST /knowledge/conflicts/{pair}/claim", "Claim"},
			"Release":    {"DELETE /knowledge/conflicts/{pair}/claim", "Release"},
			"Judge":      {"POST /knowledge/conflicts/resolve", "Judge"},
			"Execute":    {"POST /knowledge/conflicts/execute", "Execute"},
			"Log":        {"GET /knowledge/conflicts/verdicts", "Verdicts"},
			"Withdraw":   {"POST /knowledge/conflicts/verdicts/{id}/withdraw", "Withdraw"},
			"Revert":     {"POST /knowledge/conflicts/verdicts/{id}/revert", "Revert"},
			"Views":      {"GET /knowledge/conflicts/views", "ConflictViews"},
			"SaveView":   {"PUT /knowledge/conflicts/views", "SaveConflictView"},
			"DeleteView": {"DELETE /knowledge/conflicts/views", "DeleteConflictView"},
			"Ageing":     {"GET /knowledge/stats", "Stats"},
		}, []string{
			"TextChanged",         // the writer of articles calls it
			"AgeingEverywhere",    // the operator's metrics, of no tenant
			"ExecuteRound",        // a part of Execute, for the nightly pass
			"Waiting",             // likewise
			"Sweep", "SweepTotal", // the nightly pass looks for pairs that no gate has seen
		}},
		{&proposals.Service{}, reached{
			"List":     {"GET /proposals", "Proposals"},
			"Get":      {"GET /proposals/{id}", "Proposal"},
			"Items":    {"GET /proposals/{id}/items", "ProposalItems"},
			"Mint":     {"POST /proposals", "MintProposal"},
			"Approve":  {"POST /proposals/{id}/approve", "ApproveProposal"},
			"Reject":   {"POST /proposals/{id}/reject", "RejectProposal"},
			"Withdraw": {"POST /proposals/{id}/withdraw", "WithdrawProposal"},
			"Execute":  {"POST /proposals/{id}/execute", "ExecuteProposal"},
			"DryRun":   {"POST /knowledge/bulk-archive", "BulkDryRun"},
			"Run":      {"POST /knowledge/bulk-archive", "Bulk"},
		}, []string{
			"Sweep", // upkeep
		}},
	} {
		kind := reflect.TypeOf(room.service)
		for i := range kind.NumMethod() {
			name := kind.Method(i).Name
			by, there := room.reached[name]
			if !there {
				require.Contains(t, room.unreached, name, "%s.%s is an act without a surface: give it its route and its client's method", kind, name)
				continue
			}
			require.Contains(t, server.Routes(), by[0], name)
			_, there = reflect.TypeOf(&client.Client{}).MethodByName(by[1])
			require.True(t, there, "%s: the client has no method %s", name, by[1])
		}
	}
}

// Case 91: obvious pairs bored the reviewer. Between two thresholds lies what is worth a look: what says the same is a
// duplicate and no pair, what is about something else is none either; and a reviewer can narrow the band.
func TestCase91OnlyTheBandBetweenTwoThresholdsIsShown(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx := t.Context()
	const fact = "The gateway of the harbour office listens on port 8080 and restarts every night. Its log is kept for a week."
	first := w.propose(orchestrator, "Gateway of the harbour office", fact)
	same, err := w.as(orchestrator).Propose(ctx, api.Proposal{Title: "The harbour office's gateway", Body: text(fact), Category: "reference"})
	require.NoError(t, err)
	require.False(t, same.Created, "%s: %s", same.Verdict, same.Note)
	w.propose(orchestrator, "Gulls", "Gulls nest under the roof of the fish market in spring.")
	pairs := func(q api.ConflictQuery) []api.Conflict {
		list, _, err := w.as(user).Conflicts(ctx, q)
		require.NoError(t, err)
		return list
	}
	require.Empty(t, pairs(api.ConflictQuery{}))
	other := w.page(orchestrator, "Gateway, harbour office", "The gateway of the harbour office listens on port 8081 and restarts every night. Its log is kept for a week.")
	shown := pairs(api.ConflictQuery{})
	require.Len(t, shown, 1)
	require.ElementsMatch(t, []uuid.UUID{first.ID, other}, []uuid.UUID{shown[0].First.ID, shown[0].Second.ID})

	near := shown[0].Similarity
	require.Len(t, pairs(api.ConflictQuery{MinSimilarity: near - 0.001, MaxSimilarity: 1}), 1)
	require.Empty(t, pairs(api.ConflictQuery{MaxSimilarity: near - 0.001}))
	saved, err := w.as(user).SaveConflictView(ctx, api.NewConflictView{Name: "the band", Filter: api.ConflictQuery{MinSimilarity: 0.5, MaxSimilarity: near - 0.001}})
	require.NoError(t, err)
	require.Empty(t, pairs(saved.Filter))
}

// Case 92: a refreshed list moved the selection, and the act hit another item. An act names its pair by id, in whatever order
// the list is and the ids are, and the versions that were on the screen: with another one there it does nothing.
func TestCase92AVerdictHitsThePairThatWasOnTheScreen(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx := t.Context()
	chosen := w.disputeOf("Gulls nest on the old pier", "Trains leave at noon")
	verdict := api.NewVerdict{
		FirstID: chosen.Second.ID, SecondID: chosen.First.ID, Disposition: "dismiss", SeenFirst: chosen.Second.Version, SeenSecond: chosen.First.Version,
	}
	newer := w.disputeOf("Bread is baked before dawn", "The tax form has nine pages") // the list has moved
	changed := "Trains leave at one"
	_, err := w.as(user).Update(ctx, verdict.FirstID, 0, api.ArticlePatch{Title: &changed}, "")
	require.NoError(t, err)
	_, err = w.as(user).Judge(ctx, verdict, "")
	require.Equal(t, wiki.CodeStale, wiki.ErrorCode(err))
	seen, err := w.as(user).Pair(ctx, chosen.ID)
	require.NoError(t, err)
	require.Equal(t, "open", seen.Conflict.State)

	verdict.SeenFirst++
	done, err := w.as(user).Judge(ctx, verdict, "")
	require.NoError(t, err)
	require.Equal(t, chosen.ID, done.ConflictID)
	left, _, err := w.as(user).Conflicts(ctx, api.ConflictQuery{})
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, newer.ID, left[0].ID)
}

// Case 89: blind second reading was wanted: the wire says that there is a verdict, and not which.
func TestCase89ABlindReviewOverHTTP(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx := t.Context()
	require.NoError(t, w.core.Access.SetBlindReview(ctx, access.Operator(uuid.Nil), w.tenant, true))
	c := w.dispute()
	merge := api.NewVerdict{FirstID: c.First.ID, SecondID: c.Second.ID, Disposition: "merge", Authoritative: &c.First.ID}
	_, err := w.as(user).Judge(ctx, merge, "")
	require.NoError(t, err)
	shown := func(role wiki.Role) (listed api.Conflict, pair api.Pair, logged int) {
		list, _, err := w.as(role).Conflicts(ctx, api.ConflictQuery{State: "judged"})
		require.NoError(t, err)
		require.Len(t, list, 1)
		pair, err = w.as(role).Pair(ctx, c.ID)
		require.NoError(t, err)
		log, _, err := w.as(role).Verdicts(ctx, api.VerdictQuery{})
		require.NoError(t, err)
		return list[0], pair, len(log)
	}
	listed, pair, logged := shown(user)
	require.Equal(t, "merge", listed.Verdict.Disposition)
	require.Len(t, pair.History, 1)
	require.Equal(t, 1, logged)
	listed, pair, logged = shown(orchestrator)
	require.Nil(t, listed.Verdict)
	require.True(t, listed.Withheld)
	require.Empty(t, pair.History)
	require.Equal(t, 1, pair.Withheld)
	require.Zero(t, logged)
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(w.core.Access.SetBlindReview(ctx, wiki.Actor{Tenant: w.tenant, Role: user}, w.tenant, false)))
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(w.core.Access.SetBlindReview(ctx, access.Operator(uuid.Nil), uuid.New(), false)))
}
