package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
)

// A body is read, or refused with a coded error that can be sent; and what was read is written and read again as the same.
func FuzzDecode(f *testing.F) {
	for _, body := range []string{
		`{"title":"T","body":"B","tags":["a"],"metadata":{"visibility":"owner"},"force":true}`, `{"title":"a","title":"b"}`,
		`{"title":"\ud800"}`, `{"body":null,"tags":{}}`, `{"Title":1}`, "{\"title\":\"\xff\"}", `{} {}`, `[]`, ``, `{"metadata":{"a":[[[[1e400]]]]}}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		requireDecoded[api.Proposal](t, raw)
		requireDecoded[api.ArticlePatch](t, raw)
		requireDecoded[api.BulkRequest](t, raw)
		requireDecoded[api.NewVerdict](t, raw)
	})
}

func requireDecoded[T any](t *testing.T, raw []byte) {
	t.Helper()
	var v, again T
	if err := decodeJSON(raw, &v); err != nil {
		var e *wiki.Error
		require.ErrorAs(t, err, &e)
		require.Contains(t, []wiki.Code{wiki.CodeMalformed, wiki.CodeUnknownField, wiki.CodeInvalid}, e.Code)
		require.True(t, utf8.ValidString(e.Message+e.Field+e.Remedy), "%q", e)
		require.Less(t, len(e.Message+e.Remedy), 2000)
		return
	}
	written, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, decodeJSON(written, &again), "%s", written)
	rewritten, err := json.Marshal(again)
	require.NoError(t, err)
	require.Equal(t, string(written), string(rewritten))
}

// A query string is read, or refused with the parameter's name.
func FuzzQueryString(f *testing.F) {
	for _, query := range []string{"q=a&limit=10&since=2026-01-02", "limit=1e9;a", "q=%00", "q=%ff&id=x", "cursor=AA.AA", "w=NaN&on=maybe"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.RawQuery = query
		q := &request{Request: r, key: []byte("0123456789abcdef"), actor: wiki.Actor{Tenant: uuid.Nil}}
		p := q.params()
		text, number, fraction := p.text("q", 50), p.number("limit", 10, 1, 100), p.fraction("w")
		p.choice("order", "", "new", "old")
		p.on("on")
		p.id("id")
		require.Empty(t, p.cursor("cursor"), "nobody without the key can write one")
		if p.err != nil {
			require.Equal(t, wiki.CodeInvalidParameter, wiki.ErrorCode(p.err))
			require.True(t, utf8.ValidString(p.err.Error()))
			return
		}
		require.True(t, utf8.ValidString(text) && number >= 1 && number <= 100)
		require.True(t, fraction == nil || *fraction >= 0 && *fraction <= 1)
		_, err := url.ParseQuery(query)
		require.NoError(t, err)
	})
}
