package server_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
)

// names is what a call names, in its path or its body: the thing whose visibility decides the answer.
type names string

const (
	noThing    names = ""
	anArticle  names = "article"  // {id}, or a body's article ids
	aLink      names = "link"     // {id}: a link from the article to a shared one
	aPair      names = "pair"     // {pair}: the article and a shared one
	aVerdict   names = "verdict"  // {id}: on such a pair
	aDrift     names = "drift"    // {id}: of the article
	aKey       names = "key"      // {id}
	aDispatch  names = "dispatch" // {id}
	aProposal  names = "proposal" // {id}
	itsOwnCall names = "stream"   // answers without an end; its own tests listen to it
)

// shows is what an answer has of articles.
type shows string

const (
	noArticle shows = ""
	acts      shows = "acts"     // a write; it answers with what it wrote
	theNamed  shows = "named"    // the article that the call names, whatever became of it
	itsChoice shows = "ranked"   // articles that the server chose and ordered: never one that is retracted
	forJudges shows = "curation" // a list for those who judge or repair
)

// line is what the tests know of a route.
type line struct {
	least wiki.Role
	names names
	shows shows
	query string   // of a read that needs one; {word} is a word, and a tag, that every article of a test has
	also  []string // more queries that reach other code
	body  string   // of a call that takes one; {id} is the article, {other} a shared one
	takes any      // the wire type of the body; nil = the call reads none
}

const (
	agent        = wiki.RoleAgent
	orchestrator = wiki.RoleOrchestrator
	user         = wiki.RoleUser
)

// surface is every route with what SPEC §1's table and §4 say of it. It is written by hand on purpose: a route that is
// missing here, or that asks for another role, fails the tests, and all that walk the routes take them from here.
var surface = map[string]line{
	"GET /whoami":             {least: agent},
	"GET /keys":               {least: user},
	"POST /keys":              {least: user, shows: acts, takes: api.NewKey{}, body: `{"name":"k","role":"agent"}`},
	"DELETE /keys/{id}":       {least: user, names: aKey, shows: acts},
	"POST /keys/{id}/rotate":  {least: user, names: aKey, shows: acts, takes: api.RotateKey{}, body: `{"grace_hours":1}`},
	"GET /dispatches":         {least: agent},
	"POST /dispatches":        {least: agent, shows: acts, takes: api.NewDispatch{}, body: `{"role":"agent"}`},
	"DELETE /dispatches/{id}": {least: agent, names: aDispatch, shows: acts},

	"GET /articles": {least: agent, shows: forJudges, query: "limit=100&include_body=true"},
	"POST /articles": {
		least: agent, shows: acts, takes: api.Proposal{},
		body: `{"title":"A new article","category":"idea","body":"Lanterns burn with a steady flame on the northern pier."}`,
	},
	"GET /articles/{id}":                       {least: agent, names: anArticle, shows: theNamed},
	"PATCH /articles/{id}":                     {least: agent, names: anArticle, shows: acts, takes: api.ArticlePatch{}, body: `{"tags":["changed"]}`},
	"PUT /articles/{id}":                       {least: agent, names: anArticle, shows: acts, takes: api.ArticlePatch{}, body: `{"tags":["changed"]}`},
	"DELETE /articles/{id}":                    {least: agent, names: anArticle, shows: acts, takes: api.Reason{}},
	"POST /articles/{id}/publish":              {least: orchestrator, names: anArticle, shows: acts, takes: api.Reason{}, body: `{}`},
	"POST /articles/{id}/unpublish":            {least: user, names: anArticle, shows: acts, takes: api.Reason{}, body: `{}`},
	"POST /articles/{id}/archive":              {least: agent, names: anArticle, shows: acts, takes: api.Reason{}, body: `{}`},
	"POST /articles/{id}/suppress":             {least: agent, names: anArticle, shows: acts, takes: api.Reason{}, body: `{"reason":"wrong"}`},
	"POST /articles/{id}/unsuppress":           {least: agent, names: anArticle, shows: acts, takes: api.Reason{}, body: `{}`},
	"POST /articles/{id}/curate":               {least: user, names: anArticle, shows: acts, takes: api.Reason{}, body: `{}`},
	"POST /articles/{id}/uncurate":             {least: user, names: anArticle, shows: acts, takes: api.Reason{}, body: `{}`},
	"GET /articles/{id}/links":                 {least: agent, names: anArticle},
	"GET /articles/{id}/versions":              {least: agent, names: anArticle},
	"GET /articles/{id}/versions/{n}":          {least: agent, names: anArticle},
	"GET /articles/{id}/versions/diff":         {least: agent, names: anArticle, query: "from=1&to=1"},
	"POST /articles/{id}/versions/{n}/restore": {least: agent, names: anArticle, shows: acts, takes: api.Reason{}, body: `{}`},
	"POST /article_links": {
		least: agent, names: anArticle, shows: acts, takes: api.NewLink{},
		body: `{"source_article_id":"{id}","target_article_id":"{other}","relationship_type":"relates_to"}`,
	},
	"DELETE /article_links/{id}": {least: user, names: aLink, shows: acts},

	"GET /knowledge/search": {
		least: agent, shows: itsChoice, query: "q={word}&limit=50",
		also: []string{"q={word}&mode=keyword", "q={word}&mode=semantic", "tags={word}"},
	},
	"POST /knowledge/hybrid_search":                {least: agent, shows: itsChoice, takes: api.HybridRequest{}, body: `{"query":"{word}","limit":50}`},
	"GET /knowledge/context":                       {least: agent, shows: itsChoice, query: "query={word}&limit=20", also: []string{"query={word}&recency_weight=1&explain=true"}},
	"GET /knowledge/pipeline":                      {least: orchestrator},
	"GET /knowledge/nights":                        {least: orchestrator},
	"GET /knowledge/stats":                         {least: agent},
	"GET /knowledge/count":                         {least: agent},
	"GET /knowledge/facets":                        {least: agent},
	"GET /knowledge/index":                         {least: agent, shows: itsChoice, also: []string{"tags={word}&fields=tags,status,updated_at"}},
	"GET /knowledge/graph":                         {least: agent, names: anArticle, shows: theNamed, query: "article_id={id}&depth=3"},
	"GET /knowledge/articles/{id}/suggested_links": {least: agent, names: anArticle, shows: itsChoice, query: "threshold=0&limit=50"},
	"GET /knowledge/progressive_index":             {least: agent, shows: itsChoice, query: "topic={word}"},
	"GET /knowledge/progressive/{id}":              {least: agent, names: anArticle, shows: theNamed},
	"GET /knowledge/heat_index":                    {least: agent, shows: itsChoice},

	"GET /knowledge/conflicts": {least: agent, shows: forJudges},
	"POST /knowledge/conflicts": {
		least: agent, names: anArticle, shows: acts, takes: api.NewAssertion{},
		body: `{"source_article_id":"{id}","target_article_id":"{other}","evidence":"they differ"}`,
	},
	"GET /knowledge/conflicts/groups": {least: agent, shows: forJudges},
	"GET /knowledge/conflicts/views":  {least: agent},
	"PUT /knowledge/conflicts/views": {
		least: agent, shows: acts, takes: api.NewConflictView{}, body: `{"name":"mine","filter":{"kind":"asserted"}}`,
	},
	"DELETE /knowledge/conflicts/views":        {least: agent, shows: acts, query: "name=mine"},
	"GET /knowledge/conflicts/{pair}":          {least: agent, names: aPair, shows: theNamed},
	"POST /knowledge/conflicts/{pair}/claim":   {least: agent, names: aPair, shows: acts},
	"DELETE /knowledge/conflicts/{pair}/claim": {least: agent, names: aPair, shows: acts},
	"POST /knowledge/conflicts/resolve": {
		least: agent, names: aPair, shows: acts, takes: api.NewVerdict{},
		body: `{"source_article_id":"{id}","target_article_id":"{other}","disposition":"dismiss"}`,
	},
	"POST /knowledge/conflicts/execute":                {least: user, shows: acts, takes: api.Execute{}, body: `{"limit":1}`},
	"GET /knowledge/conflicts/verdicts":                {least: agent, shows: forJudges},
	"POST /knowledge/conflicts/verdicts/{id}/withdraw": {least: agent, names: aVerdict, shows: acts, takes: api.Reason{}, body: `{}`},
	"POST /knowledge/conflicts/verdicts/{id}/revert":   {least: user, names: aVerdict, shows: acts, takes: api.Reason{}, body: `{}`},

	"GET /knowledge/drift":               {least: agent, shows: forJudges},
	"POST /knowledge/drift/{id}/adopt":   {least: agent, names: aDrift, shows: acts, takes: api.Reason{}, body: `{}`},
	"POST /knowledge/drift/{id}/dismiss": {least: agent, names: aDrift, shows: acts, takes: api.Reason{}, body: `{}`},

	"POST /knowledge/bulk-archive":   {least: user, shows: acts, takes: api.BulkRequest{}, body: `{"tag":"nothing-has-it"}`},
	"POST /knowledge/bulk-delete":    {least: user, shows: acts, takes: api.BulkRequest{}, body: `{"tag":"nothing-has-it","hard":true}`},
	"POST /knowledge/bulk-publish":   {least: user, shows: acts, takes: api.BulkRequest{}, body: `{"article_ids":[]}`},
	"POST /knowledge/bulk-unpublish": {least: user, shows: acts, takes: api.BulkRequest{}, body: `{"tag":"nothing-has-it","dry_run":true}`},
	"POST /knowledge/bulk-retag":     {least: user, shows: acts, takes: api.BulkRequest{}, body: `{"tag":"nothing-has-it","add_tags":["x"]}`},
	"GET /proposals":                 {least: agent, shows: forJudges},
	"POST /proposals": {
		least: agent, shows: acts, takes: api.NewBulkProposal{}, body: `{"op":"archive","tag":"nothing-has-it","rationale":"out of date"}`,
	},
	"GET /proposals/{id}":           {least: agent, names: aProposal, shows: forJudges},
	"GET /proposals/{id}/items":     {least: agent, names: aProposal, shows: forJudges},
	"POST /proposals/{id}/approve":  {least: user, names: aProposal, shows: acts, takes: api.Approval{}, body: `{}`},
	"POST /proposals/{id}/reject":   {least: user, names: aProposal, shows: acts, takes: api.Reason{}, body: `{"reason":"no"}`},
	"POST /proposals/{id}/withdraw": {least: agent, names: aProposal, shows: acts, takes: api.Reason{}, body: `{}`},
	"POST /proposals/{id}/execute":  {least: user, names: aProposal, shows: acts},

	"GET /audit":  {least: agent},
	"GET /events": {least: agent, names: itsOwnCall},
}

func TestEveryRouteHasItsLine(t *testing.T) {
	t.Parallel()
	for _, route := range server.Routes() {
		require.Contains(t, surface, route, "a new route: write its line into surface, with the least role that SPEC §1 gives it, what it names, "+
			"what it shows of articles (itsChoice if the server chooses them: then nothing retracted may be in it), and its body's type")
		if strings.HasPrefix(route, "POST") && surface[route].takes == nil {
			require.Contains(t, bodiless, route, "a POST that takes a body says its type")
		}
	}
	for _, route := range slices.Sorted(maps.Keys(surface)) {
		require.Contains(t, server.Routes(), route, "a line in surface without its route")
	}
}

// fill gives a route's call with its placeholders filled in, as send takes it, and its body.
func (l line) fill(route string, values ...string) (call, body string) {
	method, path, _ := strings.Cut(route, " ")
	call = method + " /api/v1" + path
	if l.query != "" {
		call += "?" + l.query
	}
	filled := strings.NewReplacer(append(values, "{n}", "1", "{word}", "harbour")...)
	return filled.Replace(call), filled.Replace(l.body)
}
