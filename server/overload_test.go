package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
	"wiki/server/api"
)

// A read is made slow where a slow read is slow: in PostgreSQL, which sleeps over each row that it reads. It writes as ever.
const (
	sleepSQL = `create policy slow on %[1]s as restrictive for select
		using (tenant_id is distinct from '%[2]s' or current_setting('transaction_read_only') = 'off' or pg_sleep(600) is not null)`
	wakeSQL = `drop policy slow on %s`
	// asleepSQL counts the statements that are in it.
	asleepSQL = `select count(*) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
)

const (
	// tooLong is the most that a statement may take in these tests: long for a busy machine, short for those who wait.
	tooLong = 2 * time.Second
	// plenty of connections and turns, where neither is what a test is about.
	plenty = 40
)

// twoTenants gives two worlds on one server, each with the same two articles, of which one is linked with the other.
func twoTenants(t *testing.T, config postgres.Config) (busy, calm *world, article uuid.UUID) {
	t.Helper()
	config.DSN = pgtest.DSN(t)
	busy = startOn(t, pgtest.Open(t, config))
	other := *busy
	calm = &other
	calm.tenant, calm.keys = busy.newTenant("calm")
	for _, w := range []*world{calm, busy} {
		article = w.page(agent, "Marmalade", "Marmalade is made of bitter oranges.")
		w.linked(article, w.page(agent, "Jam", "Jam is made of plums."), "relates_to")
		w.open(article)
	}
	return busy, calm, article
}

// slow makes a table slow for the world's tenant.
func (w *world) slow(table string) {
	w.tb.Helper()
	w.sql(fmt.Sprintf(sleepSQL, table, w.tenant))
}

func (w *world) wake(table string) {
	w.tb.Helper()
	w.sql(fmt.Sprintf(wakeSQL, table))
}

// asleep counts the statements that sleep.
func (w *world) asleep() (n int) {
	w.tb.Helper()
	require.NoError(w.tb, w.core.DB.System(w.tb.Context(), func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, asleepSQL).Scan(&n)
	}))
	return n
}

// heavyCalls are the reads that may look at many rows: what is asked by a text, and the rest.
func heavyCalls(question string, article uuid.UUID) (asked, rest []string) {
	q := url.QueryEscape(question)
	for _, path := range []string{
		"search?q=" + q, "search?mode=keyword&q=" + q, "search?mode=semantic&q=" + q, "context?query=" + q, "progressive_index?topic=" + q,
	} {
		asked = append(asked, "GET /api/v1/knowledge/"+path)
	}
	for _, path := range []string{
		"search?category=finding", "heat_index", "index", "facets", "count", "stats", "graph?article_id=" + article.String(),
		"articles/" + article.String() + "/suggested_links?threshold=0",
	} {
		rest = append(rest, "GET /api/v1/knowledge/"+path)
	}
	return append(asked, "POST /api/v1/knowledge/hybrid_search"), append(rest, "GET /api/v1/articles")
}

// answers makes calls at once, and gives what came of each. question is the body of those that need one.
func (w *world) answers(question string, calls []string) map[string]reply {
	w.tb.Helper()
	raw, err := json.Marshal(map[string]any{"query": question})
	require.NoError(w.tb, err)
	found := make(map[string]reply, len(calls))
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, call := range calls {
		all.Go(func() {
			body := ""
			if strings.HasPrefix(call, "POST") {
				body = string(raw)
			}
			r := w.send(call, w.keys[agent], body)
			mu.Lock()
			defer mu.Unlock()
			found[call] = r
		})
	}
	all.Wait()
	require.Len(w.tb, found, len(calls))
	return found
}

// SPEC §6: a read that takes too long is 504 db_statement_timeout on every route that may read much, never a page that is
// empty and so says that nothing is known; and what one tenant's reads wait for, another's do not.
func TestAReadThatIsTooSlowSaysSo(t *testing.T) {
	t.Parallel()
	busy, calm, article := twoTenants(t, postgres.Config{HeavyTimeout: tooLong, HeavyPerTenant: plenty, HeavyMaxConns: plenty, MaxConns: plenty})
	busy.slow("articles")
	asked, rest := heavyCalls("what is marmalade made of", article)
	for call, r := range busy.answers("what is marmalade made of", slices.Concat(asked, rest)) {
		e := r.failure(t)
		require.Equal(t, http.StatusGatewayTimeout, r.StatusCode, "%s: %s", call, r.body)
		require.Equal(t, string(wiki.CodeTimeout), e.Code, call)
		require.NotEmpty(t, e.Remediation, call)
		require.NotContains(t, r.body, "57014", "%s: what the database says stays inside", call)
	}
	for call, r := range calm.answers("what is marmalade made of", asked) {
		require.Equal(t, http.StatusOK, r.StatusCode, "%s: %s", call, r.body)
		require.Contains(t, r.body, "Marmalade", call)
	}
	busy.wake("articles")
	for call, r := range busy.answers("what is marmalade made of", asked) {
		require.Equal(t, http.StatusOK, r.StatusCode, "%s: %s", call, r.body)
		require.Contains(t, r.body, article.String(), call)
	}
}

// When only the comparison by meaning is too slow, the words answer: labelled on every read that has them, with an empty page
// too. A read that has nothing else is 504, and what could not be compared is not called new.
func TestASlowComparisonDegradesToWords(t *testing.T) {
	t.Parallel()
	busy, calm, article := twoTenants(t, postgres.Config{HeavyTimeout: tooLong, HeavyPerTenant: plenty, HeavyMaxConns: plenty, MaxConns: plenty})
	busy.slow("article_embeddings")
	for _, question := range []string{"what is marmalade made of", "zeppelins"} {
		asked, _ := heavyCalls(question, article)
		for call, r := range busy.answers(question, asked) {
			if strings.Contains(call, "mode=semantic") {
				require.Equal(t, string(wiki.CodeTimeout), r.failure(t).Code, r.body)
				continue
			}
			require.Equal(t, http.StatusOK, r.StatusCode, "%s: %s", call, r.body)
			require.Equal(t, question != "zeppelins", strings.Contains(r.body, article.String()), "%s: %s", call, r.body)
			switch {
			case strings.Contains(call, "progressive_index"): // by words alone, by its nature
			case strings.Contains(call, "mode=keyword"):
				require.Contains(t, r.body, `"degraded":false`, "nothing is missing from it")
			default:
				require.Contains(t, r.body, `"degraded":true,"degraded_reason":"db_statement_timeout"`, call)
				require.Contains(t, r.body, `"search_mode":"keyword_only"`, call)
			}
		}
	}
	r := busy.send("GET /api/v1/knowledge/articles/"+article.String()+"/suggested_links", busy.keys[agent], "")
	require.Equal(t, string(wiki.CodeTimeout), r.failure(t).Code, r.body)
	busy.unknown(t)

	for name, r := range calm.reads("what is marmalade made of") {
		require.Equal(t, http.StatusOK, r.StatusCode, "%s: %s", name, r.body)
		require.Contains(t, r.body, `"degraded":false`, name)
	}
}

// unknown proposes what nothing could be compared with.
func (w *world) unknown(t *testing.T) {
	t.Helper()
	const lanterns = `{"title":"Lanterns","category":"idea","body":"Lanterns burn at night."`
	skipped := w.send("POST /api/v1/articles", w.keys[agent], lanterns+`,"on_gate_unavailable":"skip"}`)
	require.Equal(t, string(wiki.CodeGateUnavailable), skipped.failure(t).Code)
	kept := w.send("POST /api/v1/articles", w.keys[agent], lanterns+`}`)
	require.Equal(t, http.StatusCreated, kept.StatusCode, kept.body)
	require.Contains(t, kept.body, `"verdict":"unknown"`)
	require.NotContains(t, kept.body, `"novelty"`)
}

// shed says that every call was refused for a while, and how long that is.
func shed(t *testing.T, answers map[string]reply) {
	t.Helper()
	for call, r := range answers {
		require.Equal(t, http.StatusTooManyRequests, r.StatusCode, "%s: %s", call, r.body)
		require.Equal(t, string(wiki.CodeOverloaded), r.failure(t).Code, call)
		seconds, err := strconv.Atoi(r.Header.Get("Retry-After"))
		require.NoError(t, err, call)
		require.Positive(t, seconds, call)
	}
}

// A tenant whose slow reads fill its turns gets 429 for more of them, on every route, and writes without a comparison; its
// other requests and other tenants are served. When its readers leave, so does the load.
func TestOneTenantsSlowReadsAreBounded(t *testing.T) {
	t.Parallel()
	const turns = 2
	busy, calm, article := twoTenants(t, postgres.Config{HeavyPerTenant: turns, HeavyMaxConns: turns + 2, Wait: tooLong, MaxConns: plenty})
	busy.slow("keyword_fresh")
	leave := busy.wait(turns)

	asked, rest := heavyCalls("what is marmalade made of", article)
	shed(t, busy.answers("what is marmalade made of", slices.Concat(asked, rest)))
	require.Equal(t, turns, busy.asleep(), "no more of them than its turns ever ran")
	busy.unknown(t)
	_, err := busy.as(agent).Article(t.Context(), article)
	require.NoError(t, err, "an article is no heavy read")
	for _, call := range slices.Concat(asked, rest[:3]) { // one after the other: it has as many turns as the busy one
		r := calm.answers("what is marmalade made of", []string{call})[call]
		require.Equal(t, http.StatusOK, r.StatusCode, "%s: %s", call, r.body)
		require.Contains(t, r.body, "Marmalade", call)
	}

	leave()
	busy.wake("keyword_fresh")
	hits, _, err := busy.as(agent).Search(t.Context(), api.SearchQuery{Query: "marmalade"})
	require.NoError(t, err)
	require.Equal(t, article, hits[0].ID)
}

// wait has n searches asleep when it returns. leave hangs up on them, and returns when PostgreSQL has let go of them.
func (w *world) wait(n int) (leave func()) {
	w.tb.Helper()
	ctx, cancel := context.WithCancel(w.tb.Context())
	var all sync.WaitGroup
	c := w.as(agent)
	for range n {
		all.Go(func() {
			_, _, err := c.Search(ctx, api.SearchQuery{Query: "marmalade", Mode: "keyword"})
			if err == nil {
				w.tb.Error("a search that should have slept has answered")
			}
		})
	}
	leave = func() {
		cancel()
		all.Wait()
	}
	w.tb.Cleanup(leave)
	w.until(n)
	return leave
}

// until waits for n statements to sleep.
func (w *world) until(n int) {
	w.tb.Helper()
	for w.asleep() != n {
		time.Sleep(10 * time.Millisecond)
	}
}

// With every connection for heavy reads in use the next one is shed, whoever asks; with every other one in use, any call is.
func TestAFullPoolIsSaidToBeFull(t *testing.T) {
	t.Parallel()
	const turns = 1
	busy, calm, article := twoTenants(t, postgres.Config{HeavyPerTenant: turns, HeavyMaxConns: turns, MaxConns: 2, Wait: tooLong})
	busy.slow("keyword_fresh")
	leave := busy.wait(turns)
	asked, _ := heavyCalls("marmalade", article)
	shed(t, calm.answers("marmalade", asked[:1]))
	_, _, err := calm.as(user).Audit(t.Context(), api.AuditQuery{})
	require.NoError(t, err, "what is no heavy read has connections of its own")
	leave()

	free := busy.occupy(2)
	shed(t, calm.answers("", []string{"GET /api/v1/whoami", "GET /api/v1/articles/" + article.String()}))
	free()
	_, err = busy.as(agent).Article(t.Context(), article)
	require.NoError(t, err)
}

// occupy holds n connections that are not for heavy reads until free is called.
func (w *world) occupy(n int) (free func()) {
	w.tb.Helper()
	released := make(chan struct{})
	var began, done sync.WaitGroup
	began.Add(n)
	for range n {
		done.Go(func() {
			err := w.core.DB.Tenant(w.tb.Context(), w.tenant, func(context.Context, postgres.Tx) error {
				began.Done()
				<-released
				return nil
			})
			if err != nil {
				w.tb.Error(err)
			}
		})
	}
	began.Wait()
	return func() { close(released); done.Wait() }
}
