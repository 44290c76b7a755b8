package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/access"
	"wiki/core/postgres"
	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/server/client"
)

// keeper is a superadmin: a key of no tenant, whose scope is system canon.
func (w *world) keeper() (*client.Client, string) {
	w.tb.Helper()
	k, err := w.core.Access.CreateKey(w.tb.Context(), access.Operator(uuid.Nil), access.NewKey{Name: "keeper", Role: wiki.RoleSuperadmin})
	require.NoError(w.tb, err)
	return w.client(k.Secret), k.Secret
}

// SPEC §1: system canon is a superadmin's to write. Every tenant reads it and none changes it; what a tenant's article goes
// through, it goes through as well: the gate, versions, status, curation, audit.
func TestASuperadminKeepsSystemCanon(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx := t.Context()
	keeper, key := w.keeper()
	made, err := keeper.Propose(ctx, api.Proposal{Title: "House style", Category: "reference", Body: json.RawMessage(`"Dates are written as 2026-12-07."`), Scope: "system", IdempotencyKey: "style"})
	require.NoError(t, err)
	require.Equal(t, "novel", made.Verdict)
	id := made.Article.ID
	require.Equal(t, "system", made.Article.Scope)

	again, err := keeper.Propose(ctx, api.Proposal{Title: "House style", Category: "reference", Body: json.RawMessage(`"Dates are written as 7.12.2026."`), Scope: "system", IdempotencyKey: "style"})
	require.NoError(t, err)
	require.Equal(t, "deduplicated", again.Verdict)
	require.True(t, *again.ContentDrift)
	require.NotContains(t, again.Note, "drift event")
	twin := w.send("POST /api/v1/articles", key, `{"title":"House style","category":"reference","body":"Anything else.","scope":"system"}`)
	require.Equal(t, string(wiki.CodeTitleConflict), twin.failure(t).Code)

	changed, err := keeper.Update(ctx, id, 1, api.ArticlePatch{Body: ptr("Dates are written as 2026-12-07, times as 14:30 UTC.")}, "act-1")
	require.NoError(t, err)
	require.Equal(t, 2, changed.Version)
	replayed, err := keeper.Update(ctx, id, 1, api.ArticlePatch{Body: ptr("Dates are written as 2026-12-07, times as 14:30 UTC.")}, "act-1")
	require.NoError(t, err, "the same act under the same key is not done again")
	require.Equal(t, 2, replayed.Version)
	_, err = keeper.Curate(ctx, id, "", "")
	require.NoError(t, err)
	versions, err := keeper.Versions(ctx, id)
	require.NoError(t, err)
	require.Len(t, versions, 2)
	listed, _, err := keeper.Articles(ctx, api.ArticleQuery{})
	require.NoError(t, err)
	require.Len(t, listed, 1)
	acts, _, err := keeper.Audit(ctx, api.AuditQuery{})
	require.NoError(t, err)
	require.Equal(t, []string{"article.curate", "article.update", "article.create"}, actsOn(acts, id))

	canonBody := map[string]string{"PAT": `{"title":"Taken"}`}
	for role, key := range w.keys {
		c := w.client(key)
		read, err := c.Article(ctx, id)
		require.NoError(t, err, role)
		require.Contains(t, *read.Body, "14:30 UTC")
		hits, _, err := c.Search(ctx, api.SearchQuery{Query: "how are dates written"})
		require.NoError(t, err)
		require.Equal(t, id, hits[0].ID, role)
		for _, call := range []string{"PATCH /api/v1/articles/" + id.String(), "DELETE /api/v1/articles/" + id.String(), "POST /api/v1/articles/" + id.String() + "/archive"} {
			r := w.send(call, key, canonBody[call[:3]])
			require.Equal(t, http.StatusForbidden, r.StatusCode, "%s %s: %s", role, call, r.body)
			require.Equal(t, string(wiki.CodeSystemScope), r.failure(t).Code)
		}
	}

	_, err = keeper.Unpublish(ctx, id, "")
	require.NoError(t, err)
	_, err = w.as(user).Article(ctx, id)
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(err), "a draft of canon is the keeper's alone")
	_, err = keeper.Publish(ctx, id, "")
	require.NoError(t, err)
	_, err = keeper.Suppress(ctx, id, "being rewritten", "")
	require.NoError(t, err)
	require.Empty(t, w.offered(user, "dates", id))
	_, err = keeper.Unsuppress(ctx, id, "")
	require.NoError(t, err)
	_, err = keeper.Restore(ctx, id, 1, "")
	require.NoError(t, err)
	_, err = keeper.Delete(ctx, id, "")
	require.NoError(t, err)
	require.Empty(t, w.offered(user, "dates", id))
}

// What a superadmin's key must not do: write for all by a slip, hide canon in a private space, or write a tenant's.
func TestASuperadminWritesNothingElse(t *testing.T) {
	t.Parallel()
	w := start(t)
	_, key := w.keeper()
	unsaid := w.send("POST /api/v1/articles", key, `{"title":"For whom?","category":"idea","body":"Nobody said."}`)
	require.Equal(t, "scope", unsaid.failure(t).Field)
	private := w.send("POST /api/v1/articles", key, `{"title":"Mine","category":"idea","body":"Mine.","scope":"system","metadata":{"visibility":"private"}}`)
	require.Equal(t, "metadata", private.failure(t).Field)
	theirs := w.propose(agent, "Ours", "A page of the tenant's.")
	for call, body := range map[string]string{"GET": "", "PATCH": `{"title":"Taken"}`, "DELETE": ""} {
		r := w.send(call+" /api/v1/articles/"+theirs.ID.String(), key, body)
		require.Equal(t, http.StatusNotFound, r.StatusCode, "%s: %s", call, r.body)
	}
	other := w.propose(agent, "Ours too", "Another one, about tides.")
	link := w.send("POST /api/v1/articles/links", key, `{"source_id":"`+theirs.ID.String()+`","target_id":"`+other.ID.String()+`","relation":"relates_to"}`)
	require.GreaterOrEqual(t, link.StatusCode, 400)
	require.NoError(t, w.core.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		var n int
		err := tx.QueryRow(ctx, `select count(*) from articles where tenant_id is null`).Scan(&n)
		require.Zero(t, n)
		return err
	}))
}

func actsOn(entries []api.AuditEntry, id uuid.UUID) (acts []string) {
	for _, e := range entries {
		if e.Subject != nil && *e.Subject == id {
			acts = append(acts, e.Act)
		}
	}
	return acts
}

func ptr[T any](v T) *T { return &v }
