package server_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/shareddata"
	"wiki/core/wiki"
)

// hostileCalls take a hostile text where §§ stands: escaped for a URL in the first line, for JSON in the body.
func hostileCalls(article, pair string) [][2]string {
	return [][2]string{
		{"GET /api/v1/knowledge/search?mode=keyword&q=§§", ""},
		{"GET /api/v1/knowledge/search?tags=§§&category=§§", ""},
		{"GET /api/v1/articles?title=§§&tags=§§&idempotency_key=§§", ""},
		{"GET /api/v1/knowledge/conflicts?by=§§&cursor=§§", ""},
		{"GET /api/v1/audit?principal=§§&act=§§", ""},
		{"GET /api/v1/articles/§§", ""},
		{"GET /api/v1/knowledge/conflicts/§§", ""},
		{"PATCH /api/v1/articles/" + article, `{"tags":["§§"],"metadata":{"§§":"§§"},"reason":"§§"}`},
		{"POST /api/v1/articles/" + article + "/suppress", `{"reason":"§§"}`},
		{"POST /api/v1/keys", `{"name":"§§","role":"§§","agent_id":"§§"}`},
		{"POST /api/v1/article_links", `{"relationship_type":"§§","source_article_id":"§§"}`},
		{"POST /api/v1/knowledge/conflicts/resolve", `{"disposition":"§§","evidence":"§§","source_article_id":"` + article + `"}`},
		{"POST /api/v1/knowledge/conflicts/" + pair + "/claim", ""},
	}
}

func TestHostileTextIsNeverOurFault(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(shareddata.Dir(t, "naughty-strings"), "blns.json"))
	require.NoError(t, err)
	var naughty []string
	require.NoError(t, json.Unmarshal(raw, &naughty))
	naughty = append(naughty, "a\x00b", "\xff\xfe", "\u202eabc", strings.Repeat("a", 5000), `\ud800`)
	w := start(t)
	key := w.keys[wiki.RoleUser]
	article := w.propose(wiki.RoleAgent, "Cats", "Cats sleep for most of the day.").ID.String()
	for _, call := range hostileCalls(article, article+"."+article) {
		for _, text := range naughty {
			path := strings.ReplaceAll(call[0], "§§", url.QueryEscape(text))
			if strings.Contains(call[0], "/§§") {
				path = strings.ReplaceAll(call[0], "§§", url.PathEscape(text))
			}
			quoted, err := json.Marshal(text)
			require.NoError(t, err)
			r := w.send(path, key, strings.ReplaceAll(call[1], "§§", string(quoted[1:len(quoted)-1])))
			require.Less(t, r.StatusCode, http.StatusInternalServerError, "%s with %q: %s", call[0], text, r.body)
			if r.StatusCode >= http.StatusBadRequest {
				require.NotEmpty(t, r.failure(t).Code)
			}
		}
	}
}
