package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/embedding"
	"wiki/core/postgres/pgtest"
)

// reads are the ranked reads of a question.
func (w *world) reads(question string) map[string]reply {
	w.tb.Helper()
	escaped := url.QueryEscape(question)
	raw, err := json.Marshal(map[string]any{"query": question})
	require.NoError(w.tb, err)
	return map[string]reply{
		"search":   w.send("GET /api/v1/knowledge/search?q="+escaped, w.keys[agent], ""),
		"keyword":  w.send("GET /api/v1/knowledge/search?mode=keyword&q="+escaped, w.keys[agent], ""),
		"semantic": w.send("GET /api/v1/knowledge/search?mode=semantic&q="+escaped, w.keys[agent], ""),
		"context":  w.send("GET /api/v1/knowledge/context?query="+escaped, w.keys[agent], ""),
		"hybrid":   w.send("POST /api/v1/knowledge/hybrid_search", w.keys[agent], string(raw)),
	}
}

var scores = regexp.MustCompile(`"[a-z]*score":[0-9.e-]+`)

// Case 46: few rows, or a slow answer, told how dense another tenant's data was near a query: what a tenant gets is the same,
// byte for byte, whatever stands in another one. Where age is a prior, time moves the scores, and they are left out.
func TestCase46AnAnswerTellsNothingOfAnotherTenant(t *testing.T) {
	t.Parallel()
	w := start(t)
	const question = "when does the ferry to Sund leave"
	for i := range 6 {
		w.page(agent, fmt.Sprint("Harbour ", i), fmt.Sprintf("Note %d of the harbour: ropes, buoys and the ferry's %d lamps.", i, i+2))
	}
	answers := func() map[string]string {
		found := map[string]string{}
		for name, r := range w.reads(question) {
			require.Equal(t, http.StatusOK, r.StatusCode, "%s: %s", name, r.body)
			found[name] = r.body
			if name != "keyword" && name != "semantic" {
				found[name] = scores.ReplaceAllString(r.body, "")
			}
		}
		return found
	}
	before := answers()
	other := *w
	other.tenant, other.keys = w.newTenant("dense")
	for i := range 60 {
		other.page(agent, fmt.Sprint("Ferry ", i), fmt.Sprintf("When does the ferry to Sund leave? The ferry to Sund leaves at %d past the hour.", i))
	}
	require.Equal(t, before, answers())
}

// Case 50: with the embedder down tools died, an answer by words alone passed for a whole one, hits were thrown away, and an
// empty page read as "nothing known". Every ranked read answers, keeps its hits, and says what it is; an empty one too.
func TestCase50EveryReadAnswersAndSaysThatItIsDegraded(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	e, err := embedding.NewEndpoint(embedding.EndpointConfig{BaseURL: p.URL, Model: "test", Dims: faultyDims, Attempts: 1})
	require.NoError(t, err)
	w := startWith(t, pgtest.New(t), core.Config{Embedder: e, Guard: embedding.GuardConfig{Timeout: 200 * time.Millisecond, Failures: 1000}})
	a := w.propose(agent, "Marmalade", "Marmalade is made of bitter oranges.")
	hangs := http.HandlerFunc(tooSlow)
	p.fault.Store(&hangs)
	for _, question := range []string{"what is marmalade made of", "zeppelins"} {
		for name, r := range w.reads(question) {
			switch name {
			case "keyword":
				require.Contains(t, r.body, `"degraded":false`, "nothing is missing from it")
			case "semantic":
				require.Equal(t, http.StatusServiceUnavailable, r.StatusCode, "there is no other lane: it is said, not an empty page")
			default:
				require.Equal(t, http.StatusOK, r.StatusCode, "%s: %s", name, r.body)
				require.Contains(t, r.body, `"degraded":true`, name)
				require.Contains(t, r.body, `"degraded_reason":"`+embedding.ReasonTimeout+`"`, name)
				require.Equal(t, question != "zeppelins", strings.Contains(r.body, a.ID.String()), "%s: %s", name, r.body)
			}
		}
	}
}

// Case 53: punctuation was parsed as syntax: here it is part of what is asked for, on every read, and no text is an error.
func TestCase53PunctuationIsLiteral(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := w.propose(agent, "Importer's flags", "Run wiki-server --dry-run on /etc/wiki.d/main.conf first; it's C++17 (v1.2.3), \\\"quoted\\\" and 50% done: see foo::bar and a_b.")
	w.propose(agent, "Bread", "Bread rises in a warm place.")
	for _, question := range []string{
		"wiki-server", "--dry-run", "/etc/wiki.d/main.conf", "main.conf", "importer's", "it's C++17", "v1.2.3", "(v1.2.3)", `"quoted"`, `"quoted`,
		"foo::bar", "bar:", "50% done", "a_b", "done: see", "importer & flags | !", "flags AND (quoted OR", "flags*", "title:flags", "flags\\", "flags'; --",
	} {
		for name, r := range w.reads(question) {
			require.Equal(t, http.StatusOK, r.StatusCode, "%s, %s: %s", question, name, r.body)
			require.Contains(t, r.body, a.ID.String(), "%s, %s", question, name)
		}
	}
	for _, question := range []string{"-", "'", `"`, "():&|!*<->", "--", "%", "\\", ":*", "a & !", "<->"} {
		for name, r := range w.reads(question) {
			require.Equal(t, http.StatusOK, r.StatusCode, "%s, %s: %s", question, name, r.body)
		}
	}
}
