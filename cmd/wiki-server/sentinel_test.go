package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// visitor drives a running server with marked words, and keeps each of them and each secret.
type visitor struct {
	t         *testing.T
	url       string
	user, bot string // keys
	sentinels []string
}

// mark makes a word that stands nowhere else.
func (v *visitor) mark(kind string) string {
	word := fmt.Sprintf("zq%s%dqz", kind, len(v.sentinels))
	v.sentinels = append(v.sentinels, word)
	return word
}

// send makes a call, "POST /path", and gives what was answered. Its status has to be the one that is said.
func (v *visitor) send(status int, call, key, body string, headers ...string) (answer map[string]any) {
	v.t.Helper()
	method, path, _ := strings.Cut(call, " ")
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.url+"/api/v1"+path, strings.NewReader(body))
	require.NoError(v.t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(v.t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(v.t, err)
	require.Equal(v.t, status, resp.StatusCode, "%s: %s", call, raw)
	if len(raw) > 0 {
		require.NoError(v.t, json.Unmarshal(raw, &answer), string(raw))
	}
	return answer
}

// at goes down an answer.
func at(answer map[string]any, path ...string) string {
	for _, name := range path[:len(path)-1] {
		answer, _ = answer[name].(map[string]any)
	}
	text, _ := answer[path[len(path)-1]].(string)
	return text
}

// proposal is the body of one.
func proposal(title, body, more string) string {
	return fmt.Sprintf(`{"title": %q, "category": "reference", "body": %q%s}`, title, body, more)
}

// writes proposes and changes, and is refused.
func (v *visitor) writes() (id, other string) {
	const articles = "POST /articles"
	title, body := v.mark("title"), "The "+v.mark("body")+" listens on port 8080 of the gateway in the northern harbour."
	id = at(v.send(http.StatusCreated, articles, v.bot, proposal(title, body, `, "tags": ["`+v.mark("tag")+`"], "metadata": {"`+v.mark("key")+`": "`+v.mark("value")+`"}`)), "data", "article", "id")
	v.send(http.StatusOK, articles, v.bot, proposal(title, body, ""))
	v.send(http.StatusConflict, articles, v.bot, proposal(title, v.mark("body"), ""))
	v.send(http.StatusCreated, articles, v.bot, proposal(v.mark("title"), strings.Replace(body, "8080", "8081", 1), ""))
	key := v.mark("idempotency")
	other = at(v.send(http.StatusCreated, articles, v.bot, proposal(v.mark("title"), v.mark("body")+" is about lanterns on a pier.", `, "idempotency_key": "`+key+`"`)), "data", "article", "id")
	drift := v.send(http.StatusOK, articles, v.bot, proposal(v.mark("title"), v.mark("body")+" is another text.", `, "idempotency_key": "`+key+`"`))
	require.NotEmpty(v.t, at(drift, "data", "verdict"))
	v.send(http.StatusUnprocessableEntity, articles, v.bot, `{"title": "`+v.mark("title")+`", "category": "reference", "body": "a\u0000`+v.mark("body")+`"}`)
	v.send(http.StatusUnprocessableEntity, articles, v.bot, proposal(strings.Repeat(v.mark("title"), 100), v.mark("body"), ""))
	v.send(http.StatusUnprocessableEntity, articles, v.bot, proposal(v.mark("title"), v.mark("body"), `, "tags": ["idem-`+v.mark("tag")+`"]`))
	v.send(http.StatusBadRequest, articles, v.bot, `{"title": "`+v.mark("title")+`", "body": `+v.mark("body"))
	v.send(http.StatusOK, "PATCH /articles/"+id, v.bot, `{"title": "`+v.mark("title")+`", "body": "`+v.mark("body")+` was changed"}`, "Idempotency-Key: "+v.mark("act"))
	v.send(http.StatusPreconditionFailed, "PATCH /articles/"+id, v.bot, `{"body": "`+v.mark("body")+`"}`, `If-Match: "1"`)
	v.send(http.StatusOK, "POST /articles/"+id+"/suppress", v.bot, `{"reason": "`+v.mark("reason")+`"}`)
	v.send(http.StatusOK, "POST /articles/"+id+"/unsuppress", v.bot, "")
	return id, other
}

// asks reads and searches, by good questions and bad ones.
func (v *visitor) asks() {
	for _, mode := range []string{"keyword", "semantic", "combined"} {
		v.send(http.StatusOK, "GET /knowledge/search?explain=true&mode="+mode+"&q="+v.mark("query"), v.bot, "")
	}
	v.send(http.StatusOK, "POST /knowledge/hybrid_search", v.bot, `{"query": "what is `+v.mark("query")+`?"}`)
	v.send(http.StatusOK, "GET /knowledge/context?query="+v.mark("query"), v.bot, "")
	v.send(http.StatusBadRequest, "GET /knowledge/search?q=tide&mode="+v.mark("mode"), v.bot, "")
	v.send(http.StatusNotFound, "GET /articles/"+v.mark("id"), v.bot, "")
	v.send(http.StatusNotFound, "GET /"+v.mark("route")+"?q="+v.mark("query"), v.bot, "")
	v.send(http.StatusOK, "GET /articles?q="+v.mark("filter")+"&tags="+v.mark("tag"), v.bot, "")
	v.send(http.StatusUnauthorized, "GET /whoami", "wk_"+v.mark("secret"), "")
}

// acts makes keys, disputes, verdicts and bulk proposals.
func (v *visitor) acts(first, second string) {
	for call, body := range map[string]string{"POST /keys": `{"name": "` + v.mark("name") + `", "role": "agent"}`, "POST /dispatches": `{"role": "agent"}`} {
		made := v.send(http.StatusCreated, call, v.user, body)
		raw, err := json.Marshal(made)
		require.NoError(v.t, err)
		at := bytes.Index(raw, []byte("wk_"))
		require.Positive(v.t, at, string(raw))
		v.sentinels = append(v.sentinels, string(raw[at:at+43]))
	}
	v.send(http.StatusCreated, "POST /knowledge/conflicts", v.bot, fmt.Sprintf(`{"source_article_id": %q, "target_article_id": %q, "evidence": %q}`, first, second, v.mark("evidence")))
	v.send(http.StatusOK, "POST /knowledge/conflicts/resolve", v.user,
		fmt.Sprintf(`{"source_article_id": %q, "target_article_id": %q, "disposition": "dismiss", "evidence": %q}`, first, second, v.mark("evidence")))
	v.send(http.StatusCreated, "POST /proposals", v.bot, fmt.Sprintf(`{"op": "archive", "article_ids": [%q], "rationale": %q}`, second, v.mark("rationale")))
}

// marked is an embeddings service whose vectors and failures can be told apart in a log.
type marked struct {
	*httptest.Server
	fails atomic.Int32 // a status that it answers with from now on; 0 = none, 1 = an answer that can't be read
}

// markedNumber is in each of its vectors.
const markedNumber = 0.13579246

func newMarked(t *testing.T) *marked {
	m := &marked{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if status := int(m.fails.Load()); status != 0 { // it quotes what it was sent, as some do
			if status > 1 {
				w.WriteHeader(status)
			}
			_, _ = w.Write(raw)
			return
		}
		var in struct{ Input []string }
		_ = json.Unmarshal(raw, &in)
		data := []map[string]any{}
		for i, text := range in.Input {
			v := make([]float64, 16)
			for j := range v {
				v[j] = markedNumber
			}
			v[len(text)%len(v)] = 1
			data = append(data, map[string]any{"index": i, "embedding": v})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(m.Close)
	return m
}

// breaks lets the provider and the database fail under calls that hold marked words.
func (v *visitor) breaks(dsn, id string, m *marked) {
	for _, status := range []int32{http.StatusUnauthorized, http.StatusInternalServerError, 1} {
		m.fails.Store(status)
		v.send(http.StatusCreated, "POST /articles", v.bot, proposal(v.mark("title"), v.mark("body"), ""))
		v.send(http.StatusOK, "GET /knowledge/search?q="+v.mark("query"), v.bot, "")
	}
	conn, err := pgx.Connect(v.t.Context(), dsn)
	require.NoError(v.t, err)
	defer func() { _ = conn.Close(v.t.Context()) }()
	for _, fault := range []struct{ make, mend string }{
		{
			`create function spoil() returns trigger language plpgsql as $$ begin perform new.title::uuid; return new; end $$;
			 create trigger spoil before update on articles for each row execute function spoil()`, `drop trigger spoil on articles`,
		},
		{`alter table articles add constraint spoilt check (title not like 'zq%') not valid`, `alter table articles drop constraint spoilt`},
		{`alter table article_versions rename to away`, `alter table away rename to article_versions`},
	} {
		_, err = conn.Exec(v.t.Context(), fault.make)
		require.NoError(v.t, err)
		v.send(http.StatusInternalServerError, "PATCH /articles/"+id, v.bot, `{"title": "`+v.mark("title")+`", "body": "`+v.mark("body")+`"}`)
		_, err = conn.Exec(v.t.Context(), fault.mend)
		require.NoError(v.t, err)
	}
	tx, err := conn.Begin(v.t.Context())
	require.NoError(v.t, err)
	_, err = tx.Exec(v.t.Context(), "lock table articles in access exclusive mode")
	require.NoError(v.t, err)
	v.send(http.StatusGatewayTimeout, "PATCH /articles/"+id, v.bot, `{"title": "`+v.mark("title")+`"}`)
	v.send(http.StatusGatewayTimeout, "GET /knowledge/search?mode=keyword&q="+v.mark("query"), v.bot, "")
	require.NoError(v.t, tx.Rollback(v.t.Context()))
}

// buffer is written by a process and read when that is over.
type buffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// The real server, with all that it can log, is driven through writes, reads, acts, refusals and faults, with a marked word
// in every text: none of them, no key and no vector is in its log (SPEC §14).
func TestTheLogHoldsNoTextNoKeyAndNoVector(t *testing.T) {
	t.Parallel()
	program, s, addr, m := serverProgram(t), newShell(t), freeAddress(t), newMarked(t)
	s.ok("setup")
	v := &visitor{t: t, url: "http://" + addr}
	dsn, err := url.Parse(s.dsn)
	require.NoError(t, err)
	password, _ := dsn.User.Password()
	providerKey := v.mark("provider")
	var log buffer
	cmd := exec.Command(program, "serve", "--state-dir", s.state, "--database-url", s.dsn, "--listen", addr, "--internal-listen", "off",
		"--rate-per-key", "-1", "--log-level", "debug", "--slow-statement", "1ns", "--statement-timeout", "1s", "--heavy-timeout", "1s",
		"--embeddings-url", m.URL+"/v1", "--embeddings-model", "marked", "--embeddings-dims", "16", "--embeddings-key", providerKey)
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	awaitReady(t, v.url)
	for name, key := range map[string]*string{curatorKey: &v.user, assistantKey: &v.bot} {
		raw, err := os.ReadFile(filepath.Join(s.state, keysDir, name))
		require.NoError(t, err)
		*key = strings.TrimSpace(string(raw))
		v.sentinels = append(v.sentinels, *key)
	}
	first, second := v.writes()
	v.asks()
	v.acts(first, second)
	v.breaks(s.dsn, first, m)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())

	said := log.String()
	var missing, found []string
	for _, line := range []string{"msg=request ", `msg="request failed"`, `msg="slow statement"`, "code=internal", "22P02", "23514", "42P01", "57014", "content_drift=true"} {
		if !strings.Contains(said, line) {
			missing = append(missing, line)
		}
	}
	require.Empty(t, missing, "the log has to hold what it may be searched in")
	require.Greater(t, len(v.sentinels), 50)
	lower := strings.ToLower(said)
	for _, word := range append(v.sentinels, password, fmt.Sprint(markedNumber)[2:]) {
		if at := strings.Index(lower, strings.ToLower(word)); word != "" && at >= 0 {
			found = append(found, said[max(at-200, 0):min(at+100, len(said))])
		}
	}
	require.Empty(t, found)
	require.NotRegexp(t, `\[-?\d\.\d+(e-?\d+)?[ ,]+-?\d`, said, "a vector")
}
