package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
)

const manyTags = 1_000_000

// Every route that takes a body, with bodies that nobody means well with.
func TestHostileBodiesOnEveryRoute(t *testing.T) {
	t.Parallel()
	w := start(t)
	id := w.propose(agent, "Cats", "Cats sleep for most of the day.").ID.String()
	tags := `["` + strings.Repeat(`a","`, manyTags) + `a"]`
	huge := strings.Repeat("a", 10_000_000)
	for route := range surface {
		l := surface[route]
		if l.takes == nil {
			continue
		}
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			call, _ := l.fill(route, "{id}", id, "{other}", id, "{pair}", id+"."+id)
			field := reflect.TypeOf(l.takes).Field(0).Tag.Get("json")
			field, _, _ = strings.Cut(field, ",")
			for name, c := range map[string]struct {
				body  string
				codes []wiki.Code
			}{
				"ten million bytes": {`{"` + field + `":"` + huge + `"}`, []wiki.Code{wiki.CodeTooLarge}},
				"a million tags":    {`{"` + field + `":` + tags + `}`, []wiki.Code{wiki.CodeTooLarge}},
				"nested deeply":     {`{"` + field + `":` + strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000) + `}`, []wiki.Code{wiki.CodeMalformed}},
				"objects in deep":   {`{"` + field + `":` + strings.Repeat(`{"a":`, 10_000) + `1` + strings.Repeat(`}`, 10_000) + `}`, []wiki.Code{wiki.CodeMalformed}},
				"a name twice":      {`{"` + field + `":1,"` + field + `":2}`, []wiki.Code{wiki.CodeMalformed}},
				"twice, escaped":    {`{"` + field + `":1,"` + escaped(field) + `":2}`, []wiki.Code{wiki.CodeMalformed}},
				"a lone surrogate":  {`{"` + field + `":"\ud800"}`, []wiki.Code{wiki.CodeMalformed}},
				"a reversed pair":   {`{"` + field + `":"\udc00\ud800"}`, []wiki.Code{wiki.CodeMalformed}},
				"invalid UTF-8":     {"{\"" + field + "\":\"\xc3\x28\"}", []wiki.Code{wiki.CodeMalformed}},
				"a byte order mark": {"\ufeff{}", []wiki.Code{wiki.CodeMalformed}},
				"an absurd number":  {`{"` + field + `":1e999999}`, []wiki.Code{wiki.CodeInvalid, wiki.CodeMalformed}},
				"many digits":       {`{"` + field + `":` + strings.Repeat("9", 100_000) + `}`, []wiki.Code{wiki.CodeInvalid}},
				"NaN":               {`{"` + field + `":NaN}`, []wiki.Code{wiki.CodeMalformed}},
				"comments":          {`{/* a */}`, []wiki.Code{wiki.CodeMalformed}},
				"a list":            {`[{}]`, []wiki.Code{wiki.CodeMalformed}},
				"null":              {`null`, []wiki.Code{wiki.CodeMalformed}},
				"cut off":           {`{"` + field + `":`, []wiki.Code{wiki.CodeMalformed}},
				"NUL bytes":         {"\x00\x00\x00", []wiki.Code{wiki.CodeMalformed}},
			} {
				r := w.send(call, w.keys[user], c.body)
				f := r.failure(t)
				require.Contains(t, c.codes, wiki.Code(f.Code), "%s: %s", name, r.body)
				require.Less(t, r.StatusCode, http.StatusInternalServerError)
				require.Less(t, len(r.body), 2000, "%s: an error does not send back what it was sent", name)
			}
			for _, kind := range []string{"text/plain", "multipart/form-data; boundary=x", "application/json;charset=utf-16", "application/jsonx", strings.Repeat("a", 5000)} {
				require.Equal(t, string(wiki.CodeMediaType), w.send(call, w.keys[user], `{}`, "Content-Type: "+kind).failure(t).Code, kind)
			}
		})
	}
}

// A compressed body is named as such, and not called bad JSON.
func TestCompressedBodiesAreRefused(t *testing.T) {
	t.Parallel()
	w := start(t)
	id := w.propose(agent, "Cats", "Cats sleep for most of the day.").ID.String()
	for _, call := range []string{"POST /api/v1/articles", "PATCH /api/v1/articles/" + id, "POST /api/v1/articles/" + id + "/archive"} {
		for _, coding := range []string{"gzip", "GZIP", "identity, br", "zstd"} {
			f := w.send(call, w.keys[user], "\x1f\x8b\x08\x00", "Content-Encoding: "+coding).failure(t)
			require.Equal(t, http.StatusUnsupportedMediaType, f.Status, "%s %s", call, coding)
			require.Equal(t, "Content-Encoding", f.Field)
		}
	}
	require.Equal(t, http.StatusOK, w.send("PATCH /api/v1/articles/"+id, w.keys[user], `{"tags":["a"]}`, "Content-Encoding: identity").StatusCode)
}

// escaped writes a name's first letter as an escape: the same name to a JSON reader.
func escaped(name string) string { return fmt.Sprintf(`\u%04x%s`, name[0], name[1:]) }

// Within a body that is not too large: numbers of tags, depth of metadata, a body's length.
func TestWhatABodyMayHold(t *testing.T) {
	t.Parallel()
	w := start(t)
	long := strings.Repeat("a ", 250_001)
	for name, c := range map[string]struct{ more, field string }{
		"51 tags":        {`"tags":["` + strings.Repeat(`a","`, 50) + `a"]`, "tags"},
		"100,000 tags":   {`"tags":["` + strings.Repeat(`a","`, 100_000) + `a"]`, "tags"},
		"a long tag":     {`"tags":["` + strings.Repeat("a", 101) + `"]`, "tags"},
		"a long body":    {`"body":"` + long + `"`, "body"},
		"a long title":   {`"title":"` + strings.Repeat("é", 501) + `"`, "title"},
		"deep metadata":  {`"metadata":` + strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40), "metadata"},
		"large metadata": {`"metadata":{"a":"` + strings.Repeat("x", 300_000) + `"}`, "metadata"},
		"a wide number":  {`"metadata":{"a":1e999}`, "metadata"},
		"a tiny number":  {`"metadata":{"a":1e-20000}`, "metadata"},
		"a scaled zero":  {`"metadata":{"a":0e999999999999}`, "metadata"},
		"long fraction":  {`"metadata":{"a":0.` + strings.Repeat("3", 17_000) + `}`, "metadata"},
		"a NUL":          {`"body":"a\u0000b"`, "body"},
		"blanks":         {`"body":" \n\t "`, "body"},
	} {
		fields := map[string]string{"title": `"title":"T"`, "body": `"body":"b"`, "category": `"category":"idea"`}
		fields[c.field] = c.more
		var parts []string
		for _, f := range fields {
			parts = append(parts, f)
		}
		f := w.send("POST /api/v1/articles", w.keys[agent], `{`+strings.Join(parts, ",")+`}`).failure(t)
		require.Equal(t, http.StatusUnprocessableEntity, f.Status, name)
		require.Equal(t, c.field, f.Field, name)
	}
}

// Headers that are too long, or hold what nobody can keep.
func TestHostileHeaders(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := w.propose(agent, "Cats", "Cats sleep for most of the day.")
	path := "/api/v1/articles/" + a.ID.String()
	for name, c := range map[string]struct {
		header string
		status int
	}{
		"a long key":           {"Authorization: Bearer " + strings.Repeat("a", 50_000), http.StatusUnauthorized},
		"a key that is no key": {"Authorization: Bearer wk_\xff\xfe", http.StatusUnauthorized},
		"an act's key":         {"Idempotency-Key: " + strings.Repeat("a", 256), http.StatusBadRequest},
		"an act's key, bytes":  {"Idempotency-Key: \xff", http.StatusBadRequest},
		"a version":            {"If-Match: " + strings.Repeat("9", 400), http.StatusBadRequest},
		"a negative version":   {`If-Match: "-1"`, http.StatusBadRequest},
		"a version's text":     {`If-Match: "1; drop"`, http.StatusBadRequest},
		"another's version":    {`If-Match: "2147483647"`, http.StatusPreconditionFailed},
	} {
		r := w.send("PATCH "+path, w.keys[agent], `{"tags":["a"]}`, c.header)
		require.Equal(t, c.status, r.StatusCode, "%s: %s", name, r.body)
		require.NotEmpty(t, r.failure(t).Code)
	}
	conn := dial(t, w.url)
	_, err := fmt.Fprintf(conn, "GET /health HTTP/1.1\r\nHost: x\r\nX-Long: %s\r\n\r\n", strings.Repeat("a", 2<<20))
	if err == nil { // else it hung up before all had been sent
		answer, _ := io.ReadAll(conn)
		require.True(t, len(answer) == 0 || bytes.Contains(answer, []byte("431")), "%.100s", answer)
	}
}

func dial(t *testing.T, url string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	return conn
}

// A caller that hangs up in the middle of its request, or before the answer, leaves nothing half done, and the server goes
// on. What it had sent whole is there once when it asks again.
func TestCallersThatGoAway(t *testing.T) {
	t.Parallel()
	w := start(t, func(s *server.Settings) { s.BodyTimeout = 100 * time.Millisecond })
	request := func(length int, body string) string {
		return fmt.Sprintf("POST /api/v1/articles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			w.keys[agent], length, body)
	}
	proposal := func(i int) string {
		return fmt.Sprintf(`{"title":"Tide %d","category":"idea","body":"The tide of day %d.","idempotency_key":"tide-%d","force":true}`, i, i, i)
	}
	const half, whole = 10, 20
	for i := range half {
		conn := dial(t, w.url)
		_, err := io.WriteString(conn, request(len(proposal(i)), proposal(i)[:20+i]))
		require.NoError(t, err)
		require.NoError(t, conn.Close())
	}
	for i := half; i < whole; i++ {
		conn := dial(t, w.url)
		_, err := io.WriteString(conn, request(len(proposal(i)), proposal(i)))
		require.NoError(t, err)
		require.NoError(t, conn.Close()) // before the answer
	}
	ctx, leave := context.WithCancel(t.Context()) // a caller that gives up in the middle of a search
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/api/v1/knowledge/search?q=tide", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+w.keys[agent])
	leave()
	_, err = http.DefaultClient.Do(req) //nolint:bodyclose // there is no answer
	require.Error(t, err)

	for i := range whole {
		r := w.send("POST /api/v1/articles", w.keys[agent], proposal(i))
		require.Less(t, r.StatusCode, http.StatusMultipleChoices, r.body)
	}
	list, meta, err := w.as(agent).Articles(t.Context(), api.ArticleQuery{Limit: 100})
	require.NoError(t, err)
	require.Equal(t, whole, *meta.TotalCount)
	titles := map[string]bool{}
	for _, a := range list {
		require.False(t, titles[a.Title], "%s is there twice", a.Title)
		titles[a.Title] = true
	}
}
