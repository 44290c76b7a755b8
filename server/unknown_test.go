package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
)

// bodiless are the routes that write and read no body.
var bodiless = []string{"POST /proposals/{id}/execute", "POST /knowledge/conflicts/{pair}/claim"}

// A wish that is silently dropped is worse than an error: every body refuses a name that it does not know, and says which.
func TestEveryBodyRefusesUnknownNames(t *testing.T) {
	t.Parallel()
	w := start(t)
	some, other := "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
	fill := strings.NewReplacer("{id}", some, "{n}", "1", "{pair}", some+"."+other)
	for _, route := range server.Routes() {
		method, path, _ := strings.Cut(route, " ")
		if method == http.MethodGet || (method == http.MethodDelete && !strings.HasPrefix(path, "/articles/")) || slices.Contains(bodiless, route) {
			continue
		}
		for name, field := range map[string]string{`"no_such"`: "no_such", `"TITLE"`: "TITLE", `"é\u0301"`: "é\u0301", `""`: ""} {
			r := w.send(method+" /api/v1"+fill.Replace(path), w.keys[wiki.RoleUser], `{`+name+`:true}`)
			e := r.failure(t)
			require.Equal(t, string(wiki.CodeUnknownField), e.Code, "%s: %s", route, r.body)
			require.Equal(t, field, e.Field, route)
			require.NotEmpty(t, e.Remediation)
		}
	}
}

// What clients of the upstream API send, and what says nothing here, is accepted and changes nothing.
func TestNamesThatMeanNothingHereAreAccepted(t *testing.T) {
	t.Parallel()
	w := start(t)
	r := w.send("POST /api/v1/articles", w.keys[wiki.RoleAgent], `{"title":"A","category":"idea","body":"The text of A.",
		"tenant_id":"`+uuid.NewString()+`","subject_id":7,"story_id":"`+uuid.NewString()+`"}`)
	require.Equal(t, http.StatusCreated, r.StatusCode, r.body)
	page, _, err := w.as(wiki.RoleAgent).Articles(t.Context(), api.ArticleQuery{})
	require.NoError(t, err)
	require.Len(t, page, 1)
	require.Equal(t, w.tenant, *page[0].TenantID)

	// An update that sends back all that upstream shows.
	r = w.send("PUT /api/v1/articles/"+page[0].ID.String(), w.keys[wiki.RoleAgent], `{"id":"x","tenant_id":null,"project_id":null,"title":"B",
		"body":"The text of A.","category":"idea","status":"published","scope":"tenant","tags":[],"source_type":"agent","source_id":null,
		"idempotency_key":"k","metadata":{},"inserted_at":"x","updated_at":"x","outgoing_links":[],"incoming_links":[]}`)
	require.Equal(t, http.StatusOK, r.StatusCode, r.body)
	changed, err := w.as(wiki.RoleAgent).Article(t.Context(), page[0].ID)
	require.NoError(t, err)
	require.Equal(t, "B", changed.Title)
	require.Equal(t, page[0].ID, changed.ID)
	require.Empty(t, changed.SourceType+changed.IdempotencyKey)
	// What no request may write is refused rather than ignored.
	for _, column := range []string{"suppressed_at", "curated_at", "content_changed_at", "previous_title", "read_day_count", "created_by"} {
		r = w.send("PATCH /api/v1/articles/"+page[0].ID.String(), w.keys[wiki.RoleUser], `{"`+column+`":null}`)
		require.Equal(t, column, r.failure(t).Field)
	}
}

// Metadata is the caller's own.
func TestNamesInsideMetadataAreTheCallersOwn(t *testing.T) {
	t.Parallel()
	w := start(t)
	r := w.send("POST /api/v1/articles", w.keys[wiki.RoleAgent], `{"title":"A","category":"idea","body":"Text.","metadata":{"anything":{"goes":1}}}`)
	require.Equal(t, http.StatusCreated, r.StatusCode, r.body)
}

// The key is looked up before validation: no field of the wrong kind hides that the capture stands (SPEC §3).
func TestFieldsOfTheWrongKindDoNotDefeatTheIdempotencyKey(t *testing.T) {
	t.Parallel()
	w := start(t)
	key := w.keys[wiki.RoleAgent]
	const call = "POST /api/v1/articles"
	r := w.send(call, key, `{"title":"A","category":"idea","body":"The text of A.","idempotency_key":"k"}`)
	require.Equal(t, http.StatusCreated, r.StatusCode, r.body)
	for _, field := range []string{
		`"tags":"x"`, `"category":7`, `"draft":"yes"`, `"force":1`, `"source_id":"x"`, `"source_type":[]`, `"on_low_novelty":{}`, `"metadata":[]`, `"slug":7`,
	} {
		name, _, _ := strings.Cut(strings.Trim(field, `"`), `"`)
		r = w.send(call, key, `{"title":"A","body":"The text of A.","idempotency_key":"k",`+field+`}`)
		require.Equal(t, http.StatusOK, r.StatusCode, r.body)
		require.Contains(t, r.body, `"content_drift":false,"title_drift":false`)
		r = w.send(call, key, `{"title":"B","body":"The text of B.","idempotency_key":"other",`+field+`}`)
		require.Equal(t, http.StatusUnprocessableEntity, r.StatusCode, r.body)
		require.Equal(t, name, r.failure(t).Field, r.body)
	}
	r = w.send(call, key, `{"title":7,"idempotency_key":"k"}`)
	require.Contains(t, r.body, `"content_drift":false,"title_drift":true`, "a title that is no text is not in sync")
	// The key itself, when it is no text, finds nothing; and the project comes before the key.
	require.Equal(t, "idempotency_key", w.send(call, key, `{"title":"A","category":"idea","body":"b","idempotency_key":7}`).failure(t).Field)
	require.Equal(t, "project_id", w.send(call, key, `{"idempotency_key":"k","project_id":7}`).failure(t).Field)
}
