package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
)

// propose sends an article that has to become a row.
func (w *world) propose(role wiki.Role, title, body string) api.Article {
	w.tb.Helper()
	p, err := w.as(role).Propose(w.tb.Context(), api.Proposal{Title: title, Body: text(body), Category: "reference"})
	require.NoError(w.tb, err)
	require.True(w.tb, p.Created, p.Note)
	return *p.Article
}

// text is a JSON string.
func text(s string) []byte { return []byte(`"` + strings.ReplaceAll(s, "\n", `\n`) + `"`) }

func TestArticleLife(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx, agent, user := t.Context(), w.as(wiki.RoleAgent), w.as(wiki.RoleUser)
	made := w.propose(wiki.RoleAgent, "Backups", "The backup of the main database runs at 03:00 every night.")
	require.Equal(t, "published", made.Status)
	require.Equal(t, 1, made.Version)
	require.Equal(t, "acme-agent", made.CreatedBy)

	shown, err := agent.Article(ctx, made.ID)
	require.NoError(t, err)
	require.Equal(t, "The backup of the main database runs at 03:00 every night.", *shown.Body)
	body := "The backup of the main database runs at 04:00 every night."
	changed, err := agent.Update(ctx, made.ID, 1, api.ArticlePatch{Body: &body, Reason: "moved"}, "")
	require.NoError(t, err)
	require.Equal(t, 2, changed.Version)
	_, err = agent.Update(ctx, made.ID, 1, api.ArticlePatch{Body: &body}, "")
	require.Equal(t, wiki.CodeVersionMismatch, wiki.ErrorCode(err))

	versions, err := agent.Versions(ctx, made.ID)
	require.NoError(t, err)
	require.Len(t, versions, 2)
	require.Nil(t, versions[0].ValidTo)
	diff, err := agent.DiffVersions(ctx, made.ID, 1, 2)
	require.NoError(t, err)
	require.Equal(t, []string{"body"}, diff.Fields)
	require.Contains(t, diff.Diff, "+The backup of the main database runs at 04:00")
	first, err := agent.Version(ctx, made.ID, 1)
	require.NoError(t, err)
	require.Contains(t, *first.Body, "03:00")
	restored, err := agent.Restore(ctx, made.ID, 1, "")
	require.NoError(t, err)
	require.Equal(t, 3, restored.Version)

	_, err = agent.Suppress(ctx, made.ID, "", "")
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
	hidden, err := agent.Suppress(ctx, made.ID, "wrong time", "")
	require.NoError(t, err)
	require.NotNil(t, hidden.SuppressedAt)
	hits, _, err := agent.Search(ctx, api.SearchQuery{Query: "backup database"})
	require.NoError(t, err)
	require.Empty(t, hits)
	_, err = agent.Unsuppress(ctx, made.ID, "")
	require.NoError(t, err)
	hits, meta, err := agent.Search(ctx, api.SearchQuery{Query: "backup database", Explain: true})
	require.NoError(t, err)
	require.Len(t, hits, 1)
	require.NotNil(t, hits[0].Explain)
	require.Equal(t, "combined", meta.SearchMode)

	draft, err := user.Unpublish(ctx, made.ID, "")
	require.NoError(t, err)
	require.Equal(t, "draft", draft.Status)
	_, err = w.as(wiki.RoleOrchestrator).Publish(ctx, made.ID, "")
	require.NoError(t, err)
	gone, err := agent.Delete(ctx, made.ID, "")
	require.NoError(t, err)
	require.Equal(t, "archived", gone.Status)
	_, err = w.as(wiki.RoleOrchestrator).Publish(ctx, made.ID, "")
	require.Equal(t, wiki.CodeTransition, wiki.ErrorCode(err))
	stats, err := user.Stats(ctx)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"archived": 1}, stats.ByStatus)
}

func TestETags(t *testing.T) {
	t.Parallel()
	w := start(t)
	made := w.propose(wiki.RoleAgent, "A", "First text of the first article.")
	path, key := "/api/v1/articles/"+made.ID.String(), w.keys[wiki.RoleAgent]
	r := w.send("GET "+path, key, "")
	require.Equal(t, `"1"`, r.Header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, w.send("GET "+path, key, "", `If-None-Match: "1"`).StatusCode)
	require.Equal(t, http.StatusOK, w.send("GET "+path, key, "", `If-None-Match: "2"`).StatusCode)
	_, err := w.as(wiki.RoleAgent).Suppress(t.Context(), made.ID, "wrong", "")
	require.NoError(t, err)
	r = w.send("GET "+path, key, "", `If-None-Match: "1"`)
	require.Equal(t, http.StatusOK, r.StatusCode) // no new version, and yet not what it was
	hidden := r.Header.Get("ETag")
	require.Equal(t, http.StatusNotModified, w.send("GET "+path, key, "", "If-None-Match: "+hidden).StatusCode)
	r = w.send("PATCH "+path, key, `{"title":"B"}`, `If-Match: "7"`)
	require.Equal(t, http.StatusPreconditionFailed, r.StatusCode)
	require.EqualValues(t, 1, r.failure(t).Details["version"])
	r = w.send("PATCH "+path, key, `{"title":"B"}`, "If-Match: "+hidden)
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.Contains(t, r.Header.Get("ETag"), `"2-`)
	_, err = w.as(wiki.RoleAgent).Unsuppress(t.Context(), made.ID, "")
	require.NoError(t, err)
	require.Equal(t, `"2"`, w.send("GET "+path, key, "").Header.Get("ETag"))
	r = w.send("PATCH "+path, key, `{"title":"C"}`, `If-Match: nonsense`)
	require.Equal(t, "If-Match", r.failure(t).Field)
}

func TestProposalOutcomesOverTheWire(t *testing.T) {
	t.Parallel()
	w := start(t)
	key := w.keys[wiki.RoleAgent]
	const body = `{"title":"Deploys","category":"playbook","body":"Deploy on Tuesdays after the review has been signed.","idempotency_key":"k1"}`
	r := w.send("POST /api/v1/articles", key, body)
	require.Equal(t, http.StatusCreated, r.StatusCode, r.body)
	require.Contains(t, r.body, `"verdict":"novel"`)
	r = w.send("POST /api/v1/articles", key, body)
	require.Equal(t, http.StatusOK, r.StatusCode, r.body)
	require.Contains(t, r.body, `"deduplicated":true`)
	require.Contains(t, r.body, `"content_drift":false`)
	// The key is looked at before validation, and an absent body is in sync where a broken one is not.
	for sent, drift := range map[string]string{``: "false", `,"body":7`: "true", `,"body":null`: "true"} {
		r = w.send("POST /api/v1/articles", key, `{"idempotency_key":"k1"`+sent+`}`)
		require.Equal(t, http.StatusOK, r.StatusCode, r.body)
		require.Contains(t, r.body, `"content_drift":`+drift)
	}
	r = w.send("POST /api/v1/articles", key, `{"title":"Deploys","category":"playbook","body":"Never on Fridays."}`)
	require.Equal(t, http.StatusConflict, r.StatusCode, r.body)
	require.NotEmpty(t, r.failure(t).Details["existing_article_id"])
	r = w.send("POST /api/v1/articles", key, `{"title":"X","category":"playbook","body":7}`)
	require.Equal(t, "body", r.failure(t).Field)
	r = w.send("POST /api/v1/articles", key, `{"title":"X","category":"playbook","body":"`+strings.Repeat("a", wiki.MaxBodyBytes+1)+`"}`)
	require.Equal(t, "body", r.failure(t).Field, r.body)
	r = w.send("POST /api/v1/articles", key, `{"title":"X","category":"playbook","body":"y","tags":["idem-x"]}`)
	require.Equal(t, string(wiki.CodeReservedTag), r.failure(t).Code)

	drift, meta, err := w.as(wiki.RoleUser).Drift(t.Context(), api.DriftQuery{})
	require.NoError(t, err)
	require.Len(t, drift, 1)
	require.Equal(t, map[string]int{"open": 1, "adopted": 0, "dismissed": 0}, meta.Counts)
}

func TestUnseenIsNonexistentByteForByte(t *testing.T) {
	t.Parallel()
	w := start(t)
	p, err := w.as(wiki.RoleOrchestrator).Propose(t.Context(), api.Proposal{
		Title: "Secret", Body: text("a private thought"), Category: "idea",
		Metadata: []byte(`{"agent_id":"acme-orchestrator","visibility":"private"}`),
	})
	require.NoError(t, err)
	_, others := w.newTenant("other")
	id, absent := p.Article.ID.String(), uuid.NewString()
	for _, key := range []string{w.keys[wiki.RoleAgent], others[wiki.RoleUser]} {
		for _, call := range []string{
			"GET /api/v1/articles/%", "PATCH /api/v1/articles/%", "DELETE /api/v1/articles/%", "GET /api/v1/articles/%/versions", "GET /api/v1/articles/%/links",
			"GET /api/v1/articles/%/versions/1", "POST /api/v1/articles/%/archive", "POST /api/v1/articles/%/unsuppress",
		} {
			body := ""
			if strings.HasPrefix(call, "PATCH") {
				body = `{"title":"mine"}`
			}
			hidden := w.send(strings.Replace(call, "%", id, 1), key, body)
			nothing := w.send(strings.Replace(call, "%", absent, 1), key, body)
			require.Equal(t, http.StatusNotFound, hidden.StatusCode, call)
			require.Equal(t, nothing.body, hidden.body, call)
		}
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx := t.Context()
	a, b := w.propose(wiki.RoleAgent, "Cats", "Cats sleep for most of the day."), w.propose(wiki.RoleAgent, "Bridges", "A suspension bridge hangs from cables.")
	link, err := w.as(wiki.RoleAgent).Link(ctx, api.NewLink{SourceID: a.ID, TargetID: b.ID, Relationship: "relates_to", Metadata: []byte(`{"why":"test"}`)}, "")
	require.NoError(t, err)
	require.Equal(t, "Bridges", link.Target.Title)
	_, err = w.as(wiki.RoleAgent).Link(ctx, api.NewLink{SourceID: a.ID, TargetID: b.ID, Relationship: "potential_conflict"}, "")
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
	links, err := w.as(wiki.RoleAgent).Links(ctx, b.ID)
	require.NoError(t, err)
	require.Len(t, links, 1)
	require.NoError(t, w.as(wiki.RoleUser).Unlink(ctx, link.ID))
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(w.as(wiki.RoleUser).Unlink(ctx, link.ID)))
}

func TestHybridHasTheSameKeysEitherWay(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.propose(wiki.RoleAgent, "Rollback", "To roll back a release, deploy the tag before it.")
	r := w.send("POST /api/v1/knowledge/hybrid_search", w.keys[wiki.RoleAgent], `{"query":"how do I roll back a release?"}`)
	require.Equal(t, http.StatusOK, r.StatusCode, r.body)
	for _, key := range []string{`"provenance":"retrieved"`, `"confidence":`, `"curated_article_id":null`, `"diversity":`} {
		require.Contains(t, r.body, key)
	}
	r = w.send("GET /api/v1/knowledge/search", w.keys[wiki.RoleAgent], "")
	require.Equal(t, "q", r.failure(t).Field)
	_, meta, err := w.as(wiki.RoleAgent).Hybrid(t.Context(), api.HybridRequest{Query: "roll back"})
	require.NoError(t, err)
	require.Equal(t, "retrieved", meta.Provenance)
	require.NotNil(t, meta.Confidence)
}
