package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/access"
	"wiki/core/bundle"
	"wiki/core/ingest"
	"wiki/core/wiki"
	"wiki/server/api"
)

const (
	capture   = "idem-url-0123456789ab"
	malformed = "idem-url-XYZ"
)

// The idem- namespace is reserved on every writer: a request is told 422 and the remedy, never rewritten; a machine path
// drops the tag, so that one string does not kill a batch (seed, invariant 6).
func TestSeed6_ReservedTagsOnEveryWriter(t *testing.T) {
	t.Parallel()
	w := start(t)
	agent := w.keys[wiki.RoleAgent]
	refused := func(r reply) {
		t.Helper()
		require.Equal(t, http.StatusUnprocessableEntity, r.StatusCode, r.body)
		e := r.failure(t)
		require.Equal(t, string(wiki.CodeReservedTag), e.Code)
		require.Equal(t, "tags", e.Field)
		require.Contains(t, e.Remediation, "idem-<family>-<digest>")
	}
	made := w.propose(wiki.RoleAgent, "Cats", "Cats sleep for most of the day.")
	path := "/api/v1/articles/" + made.ID.String()

	// Create and patch.
	refused(w.send("POST /api/v1/articles", agent, `{"title":"A","category":"idea","body":"b","tags":["`+malformed+`"]}`))
	refused(w.send("PATCH "+path, agent, `{"tags":["ok","`+malformed+`"]}`))
	refused(w.send("PUT "+path, agent, `{"tags":["idem-"]}`))
	require.Equal(t, http.StatusOK, w.send("PATCH "+path, agent, `{"tags":["`+capture+`","url-0123456789ab"]}`).StatusCode, "the bare form is still writable")

	// A tag of older rules stays while nobody touches the tags, and bars the way back to the version that had it.
	w.sql("update articles set tags = $2 where id = $1", made.ID, []string{malformed})
	require.Equal(t, http.StatusOK, w.send("PATCH "+path, agent, `{"category":"insight"}`).StatusCode)
	require.Equal(t, http.StatusOK, w.send("PATCH "+path, agent, `{"tags":[]}`).StatusCode)
	refused(w.send("POST "+path+"/versions/2/restore", agent, ""))
	require.Equal(t, http.StatusOK, w.send("POST "+path+"/versions/1/restore", agent, "").StatusCode)

	// Adopting a drift leaves the tags alone, and so works on such an article too.
	keyed := api.Proposal{Title: "Dogs", Body: text("Dogs bark at night."), Category: "idea", IdempotencyKey: "k"}
	dogs, err := w.as(wiki.RoleAgent).Propose(t.Context(), keyed)
	require.NoError(t, err)
	w.sql("update articles set tags = $2 where id = $1", dogs.Article.ID, []string{malformed})
	keyed.Body = text("Dogs bark by day.")
	drifted, err := w.as(wiki.RoleAgent).Propose(t.Context(), keyed)
	require.NoError(t, err)
	adopted, err := w.as(wiki.RoleUser).AdoptDrift(t.Context(), *drifted.DriftEventID, "")
	require.NoError(t, err)
	require.Equal(t, []string{malformed}, adopted.Tags)

	w.importsDropThem(t)
	w.mergesDropThem(t, dogs.Article.ID)
}

func (w *world) importsDropThem(t *testing.T) {
	t.Helper()
	for _, format := range []bundle.Format{bundle.FormatMarkdown, bundle.FormatOKF} {
		dir := t.TempDir()
		page := "---\ntype: reference\ntitle: Geese " + string(format) + "\ntags: [" + malformed + ", 'idem url 0123456789ab', " + capture + "]\n---\nGeese fly south in " + string(format) + ".\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "geese.md"), []byte(page), 0o600))
		src, err := bundle.Open(dir, format)
		require.NoError(t, err)
		report, err := w.core.Ingest.Run(t.Context(), access.Operator(w.tenant), src, ingest.Options{}, nil)
		require.NoError(t, err)
		require.NoError(t, src.Close())
		require.Len(t, report.Files, 1)
		a, err := w.as(wiki.RoleUser).Article(t.Context(), *report.Files[0].Article)
		require.NoError(t, err)
		require.Equal(t, []string{capture}, a.Tags, "the article's own capture survives, what sanitising made is dropped")
	}
}

// mergesDropThem merges an article with a malformed tag into a draft.
func (w *world) mergesDropThem(t *testing.T, bad uuid.UUID) {
	t.Helper()
	other := w.propose(wiki.RoleAgent, "Hounds", "Hounds howl at the moon.")
	_, err := w.as(wiki.RoleAgent).Update(t.Context(), other.ID, 0, api.ArticlePatch{Tags: &[]string{capture}}, "")
	require.NoError(t, err)
	_, err = w.as(wiki.RoleAgent).Assert(t.Context(), api.NewAssertion{FirstID: bad, SecondID: other.ID, Evidence: "they say the same"}, "")
	require.NoError(t, err)
	_, err = w.as(wiki.RoleUser).Judge(t.Context(), api.NewVerdict{FirstID: bad, SecondID: other.ID, Disposition: "merge", Authoritative: &bad}, "")
	require.NoError(t, err)
	done, err := w.as(wiki.RoleUser).Execute(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, 1, done.Executed, done.Results)
	drafts, _, err := w.as(wiki.RoleUser).Articles(t.Context(), api.ArticleQuery{Tags: []string{capture}, Status: "draft", Title: "Dogs (merged)"})
	require.NoError(t, err)
	require.Len(t, drafts, 1)
	require.Equal(t, []string{capture}, drafts[0].Tags)
}

// Whoever may read system canon and not write it hears that, and no scope in a body widens the key's (SPEC §1).
func TestSystemScopeIsNotForTenants(t *testing.T) {
	t.Parallel()
	w := start(t)
	for _, role := range []wiki.Role{wiki.RoleAgent, wiki.RoleOrchestrator, wiki.RoleUser} {
		r := w.send("POST /api/v1/articles", w.keys[role], `{"title":"Canon","category":"reference","body":"For all.","scope":"system"}`)
		require.Equal(t, http.StatusForbidden, r.StatusCode)
		require.Equal(t, string(wiki.CodeSystemScope), r.failure(t).Code)
	}
	r := w.send("POST /api/v1/articles", w.keys[wiki.RoleAgent], `{"title":"Ours","category":"reference","body":"For us.","scope":"tenant","slug":"our-page"}`)
	require.Equal(t, http.StatusCreated, r.StatusCode, r.body)
	require.Contains(t, r.body, `"slug":"our-page"`)
	require.Equal(t, "scope", w.send("POST /api/v1/articles", w.keys[wiki.RoleAgent], `{"title":"X","category":"idea","body":"y","scope":"world"}`).failure(t).Field)
}
