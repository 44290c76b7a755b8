package server_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
)

// bearer is a client's transport with a key.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// session is an agent's, through the protocol's own client.
type session struct {
	*sdk.ClientSession
	t *testing.T
}

func (w *world) session(t *testing.T, key string) session {
	t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "an agent", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: w.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(key)}, DisableStandaloneSSE: true,
	}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return session{s, t}
}

func (s session) tools() map[string]*sdk.Tool {
	s.t.Helper()
	out := map[string]*sdk.Tool{}
	for tool, err := range s.Tools(s.t.Context(), nil) {
		require.NoError(s.t, err)
		out[tool.Name] = tool
	}
	return out
}

// text calls a tool and gives its answer's text.
func (s session) text(tool string, args any) (text string, failed bool) {
	s.t.Helper()
	r, err := s.CallTool(s.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	require.NoError(s.t, err, tool)
	require.Len(s.t, r.Content, 1)
	return r.Content[0].(*sdk.TextContent).Text, r.IsError
}

func call[T any](s session, tool string, args any) (T, api.Meta) {
	s.t.Helper()
	text, failed := s.text(tool, args)
	require.False(s.t, failed, "%s: %s", tool, text)
	var e api.Envelope[T]
	require.NoError(s.t, json.Unmarshal([]byte(text), &e), text)
	if e.Meta == nil {
		e.Meta = &api.Meta{}
	}
	return e.Data, *e.Meta
}

func (s session) fails(tool string, args any) api.Error {
	s.t.Helper()
	text, failed := s.text(tool, args)
	require.True(s.t, failed, "%s: %s", tool, text)
	var f api.Failure
	require.NoError(s.t, json.Unmarshal([]byte(text), &f), text)
	return f.Error
}

type args = map[string]any

// An agent's work from the first question to a verdict, with nothing but the tools.
func TestAnAgentWorksThroughTools(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := w.session(t, w.keys[agent])
	who, _ := call[api.Whoami](a, "whoami", nil)
	require.Equal(t, "acme-agent", who.Principal)
	require.Contains(t, a.InitializeResult().Instructions, "knowledge_hybrid_search")

	capture := args{"title": "Lantern oil", "body": "Lanterns burn whale oil with a steady flame on the northern pier.", "category": "finding", "tags": []string{"pier"}, "idempotency_key": "k1"}
	made, _ := call[api.Proposed](a, "knowledge_create", capture)
	require.True(t, made.Created)
	again, _ := call[api.Proposed](a, "knowledge_create", capture)
	require.True(t, again.Deduplicated)
	require.Equal(t, made.Article.ID, again.Article.ID)
	other, _ := call[api.Proposed](a, "knowledge_create", args{"title": "Harbour bells", "body": "Bells of bronze ring out in fog at the harbour's mouth.", "category": "finding"})
	id := made.Article.ID.String()

	found, meta := call[api.HybridResult](a, "knowledge_hybrid_search", args{"query": "what do lanterns burn", "limit": 3})
	require.Equal(t, made.Article.ID, found.Results[0].ID)
	require.NotEmpty(t, meta.Provenance)
	hits, _ := call[[]api.Hit](a, "knowledge_search", args{"q": "whale oil", "mode": "keyword", "tags": []string{"pier", "quay"}, "limit": 5, "explain": nil})
	require.Equal(t, made.Article.ID, hits[0].ID)
	shown, _ := call[api.Article](a, "knowledge_get", args{"article_id": id})
	require.Contains(t, *shown.Body, "whale oil")
	changed, _ := call[api.Article](a, "knowledge_update", args{"article_id": id, "body": "Lanterns burn colza oil since the spring.", "reason": "changed over"})
	require.Equal(t, 2, changed.Version)

	_, _ = call[any](a, "knowledge_assert_conflict", args{"source_article_id": id, "target_article_id": other.Article.ID.String(), "evidence": "they differ"})
	own := a.fails("knowledge_resolve_conflict", args{"source_article_id": id, "target_article_id": other.Article.ID.String(), "disposition": "dismiss"})
	require.Equal(t, string(wiki.CodeSelfAsserted), own.Code)
	judge := w.session(t, w.keys[orchestrator])
	verdict, _ := call[api.Verdict](judge, "knowledge_resolve_conflict", args{"source_article_id": id, "target_article_id": other.Article.ID.String(), "disposition": "dismiss"})
	require.Equal(t, "dismiss", verdict.Disposition)

	_, _ = call[api.Article](a, "knowledge_suppress", args{"article_id": id, "reason": "wrong"})
	gone, _ := call[[]api.Hit](a, "knowledge_search", args{"q": "colza oil", "mode": "keyword"})
	require.Empty(t, gone)
}

// Written by hand on purpose: a tool is offered to exactly those whose role its route takes.
func TestToolsAreOfferedByRole(t *testing.T) {
	t.Parallel()
	w := start(t)
	above := map[wiki.Role][]string{
		orchestrator: {"knowledge_drafts", "knowledge_publish"},
		user:         {"knowledge_bulk_delete", "knowledge_bulk_publish", "knowledge_bulk_unpublish", "knowledge_unpublish"},
	}
	all := w.session(t, w.keys[user]).tools()
	for role, key := range w.keys {
		offered := w.session(t, key).tools()
		for name := range all {
			withheld := false
			for least, names := range above {
				withheld = withheld || role < least && slices.Contains(names, name)
			}
			require.Equal(t, !withheld, offered[name] != nil, "%s for %s", name, role)
		}
		for name, tool := range offered {
			schema := tool.InputSchema.(map[string]any)
			properties, _ := schema["properties"].(map[string]any)
			for _, scope := range []string{"tenant_id", "subject_id"} {
				require.NotContains(t, properties, scope, "scope comes from the key: %s", name)
			}
			for property, about := range properties {
				require.NotEmpty(t, about.(map[string]any)["description"], "%s of %s", property, name)
			}
		}
	}
	low := w.session(t, w.keys[agent])
	_, err := low.CallTool(t.Context(), &sdk.CallToolParams{Name: "knowledge_unpublish", Arguments: args{"article_id": uuid.NewString()}})
	require.ErrorContains(t, err, "knowledge_unpublish")
}

// Every argument that a tool names is one that its route reads: a value that cannot be right is refused under its name.
func TestEveryArgumentReachesItsRoute(t *testing.T) {
	t.Parallel()
	w := start(t)
	made := w.propose(agent, "Lantern oil", "Lanterns burn whale oil.")
	s := w.session(t, w.keys[user])
	for name, tool := range s.tools() {
		schema := tool.InputSchema.(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		good := args{}
		for _, needed := range anyList(schema["required"]) {
			good[needed] = sensible(needed, made.ID)
		}
		for property := range properties {
			bad := args{}
			for k, v := range good {
				bad[k] = v
			}
			bad[property] = strings.Repeat("x ", 20_000)
			if !tool.Annotations.ReadOnlyHint || name == "knowledge_hybrid_search" {
				bad[property] = args{"no": "object"}
				if property == "metadata" {
					bad[property] = 7
				}
			}
			e := s.fails(name, bad)
			if strings.HasSuffix(property, "_id") && e.Code == string(wiki.CodeNotFound) || property == "pair" || property == "id" {
				continue // it stands in the path: it names nothing
			}
			require.Equal(t, property, e.Field, "%s: %+v", name, e)
			require.NotEqual(t, string(wiki.CodeUnknownField), e.Code, name)
		}
	}
}

func anyList(v any) (out []string) {
	list, _ := v.([]any)
	for _, s := range list {
		out = append(out, s.(string))
	}
	return out
}

// sensible is a value for an argument that a call must have.
func sensible(name string, article uuid.UUID) any {
	switch name {
	case "from", "to":
		return 1
	case "disposition":
		return "dismiss"
	case "relationship_type":
		return "relates_to"
	case "op":
		return "archive"
	case "role", "category":
		return map[string]string{"role": "agent", "category": "idea"}[name]
	case "target_article_id":
		return uuid.NewString()
	case "pair":
		return article.String() + "." + uuid.NewString()
	}
	if strings.HasSuffix(name, "id") {
		return article.String()
	}
	return "some text"
}

// Null is absent, what is missing or unknown is named, and what the route refuses comes through with its code.
func TestToolsSayWhatIsWrongWithACall(t *testing.T) {
	t.Parallel()
	w := start(t)
	s := w.session(t, w.keys[agent])
	for _, c := range []struct {
		tool  string
		args  any
		code  wiki.Code
		field string
	}{
		{"knowledge_get", nil, wiki.CodeInvalidParameter, "article_id"},
		{"knowledge_get", args{"article_id": nil}, wiki.CodeInvalidParameter, "article_id"},
		{"knowledge_get", args{"article_id": args{}}, wiki.CodeInvalidParameter, "article_id"},
		{"knowledge_get", args{"article_id": ".."}, wiki.CodeInvalidParameter, "article_id"},
		{"knowledge_get", args{"article_id": "a/../../keys"}, wiki.CodeNotFound, ""},
		{"knowledge_get", args{"article_id": uuid.NewString()}, wiki.CodeNotFound, ""},
		{"knowledge_get", args{"article_id": uuid.NewString(), "tenant_id": uuid.NewString()}, wiki.CodeInvalidParameter, "tenant_id"},
		{"knowledge_search", args{"q": "x", "limit": "many"}, wiki.CodeInvalidParameter, "limit"},
		{"knowledge_search", args{"q": "x", "limit": 2.5}, wiki.CodeInvalidParameter, "limit"},
		{"knowledge_search", args{"q": "x", "tags": []any{[]string{"a"}}}, wiki.CodeInvalidParameter, "tags"},
		{"knowledge_create", args{"title": "A", "body": "text", "category": "nonsense"}, wiki.CodeInvalid, "category"},
		{"knowledge_create", args{"title": 7, "body": "text", "category": "idea"}, wiki.CodeInvalid, "title"},
		{"knowledge_suppress", args{"article_id": uuid.NewString()}, wiki.CodeInvalidParameter, "reason"},
	} {
		e := s.fails(c.tool, c.args)
		require.Equal(t, string(c.code), e.Code, "%s %v: %+v", c.tool, c.args, e)
		require.Equal(t, c.field, e.Field, "%s %v", c.tool, c.args)
	}
	_, failed := s.text("knowledge_stats", args{"project_id": nil})
	require.False(t, failed)
}

func TestArticlesAreResources(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := w.propose(agent, "Lantern oil", "Lanterns burn whale oil.")
	s := w.session(t, w.keys[agent])
	r, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "wiki://articles/" + a.ID.String()})
	require.NoError(t, err)
	require.Equal(t, "# Lantern oil\n\nLanterns burn whale oil.", r.Contents[0].Text)
	guide, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "wiki://guide"})
	require.NoError(t, err)
	require.Equal(t, s.InitializeResult().Instructions, guide.Contents[0].Text)

	_, keys := w.newTenant("other")
	stranger := w.session(t, keys[user])
	_, unseen := stranger.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "wiki://articles/" + a.ID.String()})
	nothing := uuid.NewString()
	_, absent := stranger.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "wiki://articles/" + nothing})
	require.Error(t, unseen)
	require.Equal(t, strings.ReplaceAll(absent.Error(), nothing, a.ID.String()), unseen.Error())
	require.Equal(t, string(wiki.CodeNotFound), stranger.fails("knowledge_get", args{"article_id": a.ID.String()}).Code)
}

// What comes to /mcp is as bounded, as strict and as counted as any other call.
func TestMessagesAreHeldToTheRulesOfEveryCall(t *testing.T) {
	t.Parallel()
	w := start(t, func(s *server.Settings) { s.RatePerKey = 5 })
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	accept := "Accept: application/json, text/event-stream"
	require.Equal(t, string(wiki.CodeKeyMissing), w.send("POST /mcp", "", list, accept).failure(t).Code)
	require.Equal(t, string(wiki.CodeUnauthorized), w.send("POST /mcp", "wk_"+strings.Repeat("x", 40), list, accept).failure(t).Code)
	key := w.keys[agent]
	require.Equal(t, string(wiki.CodeMalformed), w.send("POST /mcp", key, "["+list+"]", accept).failure(t).Code)
	require.Equal(t, string(wiki.CodeMalformed), w.send("POST /mcp", key, `{"id":1,"id":2}`, accept).failure(t).Code)
	require.Equal(t, string(wiki.CodeTooLarge), w.send("POST /mcp", key, `{"x":"`+strings.Repeat("x", server.ArticleBodyLimit)+`"}`, accept).failure(t).Code)
	r := w.send("POST /mcp", key, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}`, accept)
	require.Equal(t, http.StatusOK, r.StatusCode, r.body)
	require.Equal(t, "1", r.Header.Get("X-Ratelimit-Remaining"), "the call of a tool counts once")
	require.Equal(t, http.StatusOK, w.send("POST /mcp", key, list, accept).StatusCode)
	require.Equal(t, string(wiki.CodeRateLimited), w.send("POST /mcp", key, list, accept).failure(t).Code)
}

// A program that knows only the address finds the rest.
func TestAServerSaysWhatIsWhere(t *testing.T) {
	t.Parallel()
	w := start(t)
	r := w.send("GET /.well-known/wiki", "", "")
	require.Equal(t, http.StatusOK, r.StatusCode, r.body)
	var found api.Envelope[api.Discovery]
	require.NoError(t, json.Unmarshal([]byte(r.body), &found))
	d := found.Data
	for _, path := range []string{d.Health, d.Whoami} {
		require.Equal(t, http.StatusOK, w.send("GET "+path, w.keys[agent], "").StatusCode, path)
	}
	require.Equal(t, http.StatusMethodNotAllowed, w.send("GET "+d.MCP, w.keys[agent], "", "Accept: text/event-stream").StatusCode)
	offered := w.session(t, w.keys[user]).tools()
	for _, word := range strings.FieldsFunc(d.Guide, func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') }) {
		if strings.HasPrefix(word, "knowledge_") {
			require.Contains(t, offered, word, "the guide names a tool that is not there")
		}
	}
}
