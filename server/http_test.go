package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
)

func TestAnswersOutsideTheRoutes(t *testing.T) {
	t.Parallel()
	w := start(t)
	user := w.keys[wiki.RoleUser]

	r := w.send("GET /api/v1/nothing", user, "")
	require.Equal(t, http.StatusNotFound, r.StatusCode)
	require.Equal(t, string(wiki.CodeNotFound), r.failure(t).Code)

	r = w.send("PUT /api/v1/keys", user, "{}")
	require.Equal(t, http.StatusMethodNotAllowed, r.StatusCode)
	require.Equal(t, "GET, HEAD, POST", r.Header.Get("Allow"))
	require.Equal(t, string(wiki.CodeMethodNotAllowed), r.failure(t).Code)

	r = w.send("HEAD /api/v1/whoami", user, "")
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.Empty(t, r.body)
	require.Equal(t, api.Version, r.Header.Get(api.HeaderVersion))
	require.NotEmpty(t, r.Header.Get("X-Request-Id"))

	require.Equal(t, "abc-1", w.send("GET /health", "", "", "X-Request-Id: abc-1").Header.Get("X-Request-Id"))
	require.NotEqual(t, "a b", w.send("GET /health", "", "", "X-Request-Id: a b").Header.Get("X-Request-Id"))
	require.Equal(t, http.StatusOK, w.send("GET /health/ready", "", "").StatusCode)

	malformed := w.send("DELETE /api/v1/keys/not-an-id", user, "")
	absent := w.send("DELETE /api/v1/keys/00000000-0000-4000-8000-000000000000", user, "")
	require.Equal(t, http.StatusNotFound, malformed.StatusCode)
	require.Equal(t, absent.body, malformed.body)
}

func TestBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := start(t)
	cases := map[string]struct {
		body  string
		code  wiki.Code
		field string
	}{
		"nothing":              {" ", wiki.CodeMalformed, ""},
		"a list":               {`[]`, wiki.CodeMalformed, ""},
		"a text":               {`"x"`, wiki.CodeMalformed, ""},
		"two objects":          {`{} {}`, wiki.CodeMalformed, ""},
		"rubbish behind":       {`{"name":"a","role":"agent"}x`, wiki.CodeMalformed, ""},
		"cut off":              {`{"name":"a`, wiki.CodeMalformed, "name"},
		"a name twice":         {`{"name":"a","name":"b"}`, wiki.CodeMalformed, "name"},
		"a hidden name twice":  {`{"x":{"y":1,"y":2}}`, wiki.CodeMalformed, "x.y"},
		"invalid UTF-8":        {"{\"name\":\"a\xff\"}", wiki.CodeMalformed, "name"},
		"a lone surrogate":     {`{"name":"a\ud800"}`, wiki.CodeMalformed, "name"},
		"too deep":             {`{"x":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, wiki.CodeMalformed, ""},
		"not JSON":             {`name=a`, wiki.CodeMalformed, ""},
		"a number for a text":  {`{"name":7}`, wiki.CodeInvalid, "name"},
		"a text for a number":  {`{"name":"a","role":"agent","expires_in":"1"}`, wiki.CodeInvalid, "expires_in"},
		"a number beyond":      {`{"name":"a","role":"agent","expires_in":1e300}`, wiki.CodeInvalid, "expires_in"},
		"a fraction":           {`{"name":"a","role":"agent","expires_in":1.5}`, wiki.CodeInvalid, "expires_in"},
		"a number that wraps":  {`{"name":"a","role":"agent","expires_in":9223372036854775807}`, wiki.CodeInvalid, "expires_in"},
		"an unknown role":      {`{"name":"a","role":"king"}`, wiki.CodeInvalid, "role"},
		"a NUL in a name":      {`{"name":"a\u0000","role":"agent"}`, wiki.CodeInvalid, "name"},
		"a name in upper case": {`{"NAME":"a","role":"agent"}`, wiki.CodeUnknownField, "NAME"},
		"an unknown name":      {`{"name":"a","role":"agent","expires_at":"2030-01-01T00:00:00Z"}`, wiki.CodeUnknownField, "expires_at"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := w.send("POST /api/v1/keys", w.keys[wiki.RoleUser], c.body)
			e := r.failure(t)
			require.Equal(t, string(c.code), e.Code, r.body)
			if c.field != "" {
				require.Equal(t, c.field, e.Field, r.body)
			}
		})
	}
}

func TestBodiesOfTheWrongKindOrSize(t *testing.T) {
	t.Parallel()
	w := start(t)
	key, body := w.keys[wiki.RoleUser], `{"name":"a","role":"agent"}`
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "/"} {
		r := w.send("POST /api/v1/keys", key, body, "Content-Type: "+kind)
		require.Equal(t, http.StatusUnsupportedMediaType, r.StatusCode, kind)
		require.Equal(t, string(wiki.CodeMediaType), r.failure(t).Code)
	}
	require.Equal(t, http.StatusCreated, w.send("POST /api/v1/keys", key, body, "Content-Type: application/json; charset=UTF-8").StatusCode)
	r := w.send("POST /api/v1/keys", key, `{"name":"`+strings.Repeat("a", 1<<20)+`"}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, r.StatusCode)
	require.Equal(t, string(wiki.CodeTooLarge), r.failure(t).Code)
}

func TestScopeInABodySaysNothing(t *testing.T) {
	t.Parallel()
	w := start(t)
	other, _ := w.newTenant("other")
	r := w.send("POST /api/v1/keys?tenant_id="+other.String(), w.keys[wiki.RoleUser],
		`{"name":"a","role":"agent","tenant_id":"`+other.String()+`","subject_id":"x"}`, "X-Impersonate-Tenant: "+other.String())
	require.Equal(t, http.StatusCreated, r.StatusCode, r.body)
	keys, err := w.as(wiki.RoleUser).Keys(t.Context())
	require.NoError(t, err)
	require.Len(t, keys, 4)
}

func TestParametersAreChecked(t *testing.T) {
	t.Parallel()
	w := start(t)
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=201": "limit", "limit=x": "limit", "limit=9999999999999999999": "limit", "cursor=x": "cursor",
		"subject=7": "subject", "act=%00": "act", "act=%ff": "act", "principal=" + strings.Repeat("a", 500): "principal",
	} {
		r := w.send("GET /api/v1/audit?"+query, w.keys[wiki.RoleUser], "")
		require.Equal(t, http.StatusBadRequest, r.StatusCode, query)
		require.Equal(t, field, r.failure(t).Field)
	}
}

func TestQueryStringsThatCannotBeReadAreRefused(t *testing.T) {
	t.Parallel()
	w := start(t)
	for _, query := range []string{"/knowledge/search?q=a;b", "/articles?limit=5;status=draft", "/knowledge/search?q=%zz"} {
		r := w.send("GET /api/v1"+query, w.keys[wiki.RoleUser], "")
		require.Equal(t, http.StatusBadRequest, r.StatusCode, query)
		require.Equal(t, string(wiki.CodeInvalidParameter), r.failure(t).Code, query)
	}
}
