package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/postgres/pgtest"
	"wiki/core/proposals"
	"wiki/core/wiki"
	"wiki/server/api"
)

// tagged makes published articles with a tag, over HTTP.
func (w *world) tagged(tag string, n int) (ids []uuid.UUID) {
	w.tb.Helper()
	for range n {
		p, err := w.as(agent).Propose(w.tb.Context(), api.Proposal{
			Title: "Page " + uuid.NewString(), Body: text("Text " + uuid.NewString()), Category: "finding", Tags: []string{tag}, Force: true,
		})
		require.NoError(w.tb, err)
		ids = append(ids, p.Article.ID)
	}
	return ids
}

// Seed, invariant 4: a confirm flag is authorization that a caller writes for itself. It is refused, whatever it says.
func TestConfirmIsRefusedWhereverItStands(t *testing.T) {
	t.Parallel()
	w := start(t)
	ids := w.tagged("x", 1)
	for _, call := range []string{"bulk-archive", "bulk-delete", "bulk-publish", "bulk-unpublish", "bulk-retag"} {
		for _, confirm := range []string{`true`, `false`, `null`, `"yes"`, `{}`} {
			for _, rest := range []string{`"tag":"x"`, `"article_ids":[]`, `"tag":"x","dry_run":true`} {
				e := w.send("POST /api/v1/knowledge/"+call, w.keys[user], `{`+rest+`,"confirm":`+confirm+`}`).failure(t)
				require.Equal(t, string(wiki.CodeConfirmRemoved), e.Code)
				require.Equal(t, http.StatusBadRequest, e.Status)
				require.NotEmpty(t, e.Remediation)
			}
		}
		e := w.send("POST /api/v1/knowledge/"+call+"?confirm=true", w.keys[user], `{"tag":"x"}`).failure(t)
		require.Equal(t, string(wiki.CodeConfirmRemoved), e.Code)
	}
	e := w.send("POST /api/v1/proposals", w.keys[agent], `{"op":"archive","tag":"x","rationale":"r","confirm":true}`).failure(t)
	require.Equal(t, string(wiki.CodeConfirmRemoved), e.Code)
	e = w.send("POST /api/v1/proposals/"+uuid.NewString()+"/approve", w.keys[user], `{"confirm":true}`).failure(t)
	require.Equal(t, string(wiki.CodeConfirmRemoved), e.Code)
	a, err := w.as(agent).Article(t.Context(), ids[0])
	require.NoError(t, err)
	require.Equal(t, 1, a.Version)
}

func TestBulkActsOverHTTP(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx, curator := t.Context(), w.as(user)
	ids := w.tagged("x", 2)
	_, _, err := curator.Bulk(ctx, "archive", api.BulkRequest{Tag: "x"}, "")
	require.Equal(t, wiki.CodeDryRunRequired, wiki.ErrorCode(err))
	_, _, err = w.as(orchestrator).Bulk(ctx, "archive", api.BulkRequest{Tag: "x"}, "")
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err))
	run, meta, err := curator.Bulk(ctx, "archive", api.BulkRequest{Tag: "nobody"}, "")
	require.NoError(t, err)
	require.Nil(t, run.ID)
	require.Zero(t, *meta.Count)

	dry, err := curator.BulkDryRun(ctx, "archive", api.BulkRequest{Tag: "x"})
	require.NoError(t, err)
	require.Equal(t, 2, dry.Count)
	require.Len(t, dry.Articles, 2)
	for _, c := range []struct {
		op   string
		in   api.BulkRequest
		code wiki.Code
		key  string
	}{
		{"delete", api.BulkRequest{Tag: "x"}, wiki.CodeTokenOp, w.keys[user]},
		{"archive", api.BulkRequest{Tag: "y"}, wiki.CodeTokenSelector, w.keys[user]},
		{"archive", api.BulkRequest{Tag: "x"}, wiki.CodeTokenUnknown, func() string { _, keys := w.newTenant("elsewhere"); return keys[user] }()},
	} {
		c.in.ProposalToken = dry.Token
		_, _, err := w.client(c.key).Bulk(ctx, c.op, c.in, "")
		require.Equal(t, c.code, wiki.ErrorCode(err), "%v", err)
	}
	run, meta, err = curator.Bulk(ctx, "archive", api.BulkRequest{Tag: "x", ProposalToken: dry.Token, Reason: "old"}, "k")
	require.NoError(t, err)
	require.Equal(t, string(proposals.StateExecuted), run.State)
	require.Equal(t, map[string]int{"requested": 2, "archived": 2, "skipped": 0, "excluded": 0, "not_found": 0, "errored": 0, "left": 0}, meta.Counts)
	_, again, err := curator.Bulk(ctx, "archive", api.BulkRequest{Tag: "x", ProposalToken: dry.Token, Reason: "old"}, "k")
	require.NoError(t, err, "the answer was lost and is asked for again")
	require.Equal(t, meta.Results, again.Results)
	_, _, err = curator.Bulk(ctx, "archive", api.BulkRequest{Tag: "x", ProposalToken: dry.Token}, "")
	require.Equal(t, wiki.CodeTokenSpent, wiki.ErrorCode(err))

	fresh := w.tagged("y", 1)[0]
	stranger := uuid.New()
	_, meta, err = curator.Bulk(ctx, "unpublish", api.BulkRequest{ArticleIDs: []uuid.UUID{stranger, fresh, ids[0], fresh}}, "")
	require.NoError(t, err)
	require.Equal(t, []api.Outcome{
		{ID: stranger.String(), Outcome: "not_found"},
		{ID: fresh.String(), Outcome: "unpublished"},
		{ID: ids[0].String(), Outcome: "skipped", Code: "not_unpublishable_from_archived"},
	}, meta.Results)
	hard, err := curator.BulkDryRun(ctx, "delete", api.BulkRequest{ArticleIDs: []uuid.UUID{fresh}, Hard: true})
	require.NoError(t, err)
	_, _, err = curator.Bulk(ctx, "delete", api.BulkRequest{ArticleIDs: []uuid.UUID{fresh}, Hard: true}, "")
	require.Equal(t, wiki.CodeDryRunRequired, wiki.ErrorCode(err))
	_, _, err = curator.Bulk(ctx, "delete", api.BulkRequest{ArticleIDs: []uuid.UUID{fresh}, Hard: true, ProposalToken: hard.Token}, "")
	require.NoError(t, err)
	_, err = curator.Article(ctx, fresh)
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(err))
}

func TestProposalsOverHTTP(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx, scribe, curator := t.Context(), w.as(agent), w.as(user)
	ids := w.tagged("x", 3)
	p, err := scribe.MintProposal(ctx, api.NewBulkProposal{Op: "archive", Tag: "x", Rationale: "moved to the handbook"}, "m")
	require.NoError(t, err)
	require.Len(t, p.Items, 3)
	require.False(t, p.MayApprove)
	_, _, err = scribe.ApproveProposal(ctx, p.ID, api.Approval{}, "")
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err))
	list, meta, err := curator.Proposals(ctx, api.BulkProposalQuery{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, 1, meta.Counts["pending"])
	require.Equal(t, "moved to the handbook", list[0].Rationale)
	_, err = scribe.MintProposal(ctx, api.NewBulkProposal{Op: "archive", ArticleIDs: ids[2:], Rationale: "the last one alone"}, "n")
	require.NoError(t, err)
	first, meta, err := curator.Proposals(ctx, api.BulkProposalQuery{Limit: 1})
	require.NoError(t, err)
	second, _, err := curator.Proposals(ctx, api.BulkProposalQuery{Limit: 1, Cursor: meta.NextCursor})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"moved to the handbook", "the last one alone"}, []string{first[0].Rationale, second[0].Rationale})

	body := "edited"
	changed, err := scribe.Update(ctx, ids[1], 0, api.ArticlePatch{Body: &body}, "")
	require.NoError(t, err)
	seen, err := curator.Proposal(ctx, p.ID)
	require.NoError(t, err)
	require.True(t, seen.MayApprove)
	var confirm []api.Reconfirmed
	for _, it := range seen.Items {
		if it.Changed {
			confirm = append(confirm, api.Reconfirmed{ID: it.ID, Version: it.Current})
		}
	}
	require.Equal(t, []api.Reconfirmed{{ID: changed.ID, Version: changed.Version}}, confirm)
	run, meta, err := curator.ApproveProposal(ctx, p.ID, api.Approval{Exclude: ids[:1], Reconfirm: confirm}, "yes")
	require.NoError(t, err)
	require.Equal(t, p.ID, *run.ID)
	require.Equal(t, 2, meta.Counts["archived"])
	require.Equal(t, 1, meta.Counts["excluded"])
	items, page, err := curator.ProposalItems(ctx, p.ID, "", 1)
	require.NoError(t, err)
	require.Equal(t, 1, items[0].Position)
	items, _, err = curator.ProposalItems(ctx, p.ID, page.NextCursor, 1)
	require.NoError(t, err)
	require.Equal(t, 2, items[0].Position)
	_, _, err = curator.ExecuteProposal(ctx, p.ID)
	require.NoError(t, err, "nothing is left of it")
	_, err = curator.RejectProposal(ctx, p.ID, "too late", "")
	require.Equal(t, wiki.CodeProposalSettled, wiki.ErrorCode(err))

	p, err = scribe.MintProposal(ctx, api.NewBulkProposal{Op: "retag", ArticleIDs: ids[:1], AddTags: []string{"new"}, Rationale: "r"}, "")
	require.NoError(t, err)
	_, err = curator.RejectProposal(ctx, p.ID, "", "")
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
	p, err = curator.RejectProposal(ctx, p.ID, "no need", "")
	require.NoError(t, err)
	require.Equal(t, "rejected", p.State)
	own, err := curator.MintProposal(ctx, api.NewBulkProposal{Op: "archive", ArticleIDs: ids[:1], Rationale: "r"}, "")
	require.NoError(t, err)
	_, _, err = curator.ApproveProposal(ctx, own.ID, api.Approval{}, "")
	require.Equal(t, wiki.CodeSelfApproval, wiki.ErrorCode(err))
	require.NoError(t, w.core.Access.SetLoneOperator(ctx, access.Operator(uuid.Nil), w.tenant, true))
	_, _, err = curator.ApproveProposal(ctx, own.ID, api.Approval{}, "")
	require.NoError(t, err)
	_, err = curator.WithdrawProposal(ctx, own.ID, "", "")
	require.Equal(t, wiki.CodeProposalSettled, wiki.ErrorCode(err))
}

// A run that is too long for one call says so, and the same call carries it on.
func TestALongRunIsAcceptedAndCarriedOn(t *testing.T) {
	t.Parallel()
	w := startWith(t, pgtest.New(t), core.Config{Bulk: proposals.Settings{Batch: 1, Budget: 1}})
	ids := w.tagged("x", 2)
	body := `{"article_ids":["` + ids[0].String() + `","` + ids[1].String() + `"]}`
	first := w.send("POST /api/v1/knowledge/bulk-archive", w.keys[user], body, "Idempotency-Key: k")
	require.Equal(t, http.StatusAccepted, first.StatusCode, first.body)
	require.Contains(t, first.body, `"left":1`)
	second := w.send("POST /api/v1/knowledge/bulk-archive", w.keys[user], body, "Idempotency-Key: k")
	require.Equal(t, http.StatusOK, second.StatusCode, second.body)
	require.Equal(t, 2, strings.Count(second.body, `"archived"`)-1, "the counts name it once more")
}
