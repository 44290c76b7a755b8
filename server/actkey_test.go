package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
)

// keyed is what the tests know of a route that takes an Idempotency-Key.
type keyed struct {
	before func(c *keyedCase) // what has to be done, so that the call does something
	by     wiki.Role          // who calls; none = user
	first  string             // a body, with {id} and {other} of things
	second string             // one that asks for something else
}

// keyedCase is one route's case: the things that its call names.
type keyedCase struct {
	*world
	x things
}

const (
	one = `{"reason":"one"}`
	two = `{"reason":"two"}`
)

// keyedRoutes are written by hand: TestEveryRouteThatTakesAKeyIsHere finds the one that is missing.
var keyedRoutes = map[string]keyed{
	"PATCH /articles/{id}":                     {first: `{"title":"One \u00e9","body":"Of one."}`, second: `{"title":"One \u00e9","body":"Of two."}`},
	"PUT /articles/{id}":                       {first: `{"metadata":{"n":9007199254740992}}`, second: `{"metadata":{"n":9007199254740993}}`},
	"DELETE /articles/{id}":                    {first: one, second: two},
	"POST /articles/{id}/publish":              {before: then("unpublish"), first: one, second: two},
	"POST /articles/{id}/unpublish":            {first: one, second: two},
	"POST /articles/{id}/archive":              {first: one, second: two},
	"POST /articles/{id}/suppress":             {first: one, second: two},
	"POST /articles/{id}/unsuppress":           {before: then("suppress"), first: one, second: two},
	"POST /articles/{id}/curate":               {first: one, second: two},
	"POST /articles/{id}/uncurate":             {before: then("curate"), first: one, second: two},
	"POST /articles/{id}/versions/{n}/restore": {before: edited, first: one, second: two},
	"POST /article_links": {
		first:  `{"source_article_id":"{id}","target_article_id":"{other}","relationship_type":"relates_to"}`,
		second: `{"source_article_id":"{id}","target_article_id":"{other}","relationship_type":"contradicts"}`,
	},
	"DELETE /article_links/{id}": {first: ``, second: one},

	"POST /knowledge/conflicts": {
		first:  `{"source_article_id":"{id}","target_article_id":"{other}","evidence":"one"}`,
		second: `{"source_article_id":"{id}","target_article_id":"{other}","evidence":"two"}`,
	},
	"POST /knowledge/conflicts/resolve": {
		first:  `{"source_article_id":"{id}","target_article_id":"{other}","disposition":"dismiss","evidence":"one"}`,
		second: `{"source_article_id":"{id}","target_article_id":"{other}","disposition":"dismiss","evidence":"two"}`,
	},
	"POST /knowledge/conflicts/verdicts/{id}/withdraw": {first: one, second: two},
	"POST /knowledge/conflicts/verdicts/{id}/revert":   {before: superseded, first: one, second: two},
	"POST /knowledge/drift/{id}/adopt":                 {before: drifted, first: one, second: two},
	"POST /knowledge/drift/{id}/dismiss":               {first: one, second: two},

	"POST /knowledge/bulk-archive":   {first: ofSet(`"reason":"one"`), second: ofSet(`"reason":"two"`)},
	"POST /knowledge/bulk-delete":    {first: ofSet(`"reason":"one"`), second: ofSet(`"reason":"two"`)},
	"POST /knowledge/bulk-publish":   {before: then("unpublish"), first: ofSet(`"reason":"one"`), second: ofSet(`"reason":"two"`)},
	"POST /knowledge/bulk-unpublish": {first: ofSet(`"reason":"one"`), second: ofSet(`"reason":"two"`)},
	"POST /knowledge/bulk-retag":     {first: ofSet(`"add_tags":["one"]`), second: ofSet(`"add_tags":["two"]`)},
	"POST /proposals": {
		first: ofSet(`"op":"archive","rationale":"one"`), second: ofSet(`"op":"archive","rationale":"two"`),
	},
	"POST /proposals/{id}/approve":  {before: minted, first: one, second: two},
	"POST /proposals/{id}/reject":   {before: minted, first: one, second: two},
	"POST /proposals/{id}/withdraw": {before: minted, by: agent, first: one, second: two},
}

func ofSet(more string) string { return `{"article_ids":["{id}"],` + more + `}` }

func then(verb string) func(*keyedCase) {
	return func(c *keyedCase) { c.must("POST /api/v1/articles/"+c.x.article+"/"+verb, user, `{"reason":"so far"}`) }
}

func edited(c *keyedCase) {
	c.must("PATCH /api/v1/articles/"+c.x.article, user, `{"body":"Of the second version."}`)
}

func superseded(c *keyedCase) {
	x := c.thing(wiki.Actor{Tenant: c.tenant, Key: uuid.New(), Agent: "another", Role: agent}, nil, aPair)
	var v struct{ Data api.Verdict }
	require.NoError(c.tb, json.Unmarshal([]byte(c.must("POST /api/v1/knowledge/conflicts/resolve", user,
		`{"source_article_id":"`+x.article+`","target_article_id":"`+x.other+`","disposition":"supersede","confidence":"high","evidence":"newer","authoritative_article_id":"`+x.article+`"}`)), &v))
	c.executed(2) // and the verdict that the route's thing has
	c.x.verdict = v.Data.ID.String()
}

func drifted(c *keyedCase) {
	for _, body := range []string{"The harbour has one pier.", "The harbour has two piers."} {
		c.must("POST /api/v1/articles", agent, `{"title":"Piers","category":"finding","idempotency_key":"piers","body":"`+body+`"}`)
	}
	open, _, err := c.as(user).Drift(c.tb.Context(), api.DriftQuery{})
	require.NoError(c.tb, err)
	require.NotEmpty(c.tb, open)
	c.x.drift = open[0].ID.String()
}

func minted(c *keyedCase) {
	id := uuid.MustParse(c.x.article)
	p, err := c.as(agent).MintProposal(c.tb.Context(), api.NewBulkProposal{Op: "archive", ArticleIDs: []uuid.UUID{id}, Rationale: "out of date"}, "")
	require.NoError(c.tb, err)
	c.x.proposal = p.ID.String()
}

func (w *world) must(call string, by wiki.Role, body string, headers ...string) string {
	w.tb.Helper()
	r := w.send(call, w.keys[by], body, headers...)
	require.Less(w.tb, r.StatusCode, http.StatusMultipleChoices, "%s: %s", call, r.body)
	return r.body
}

// recorded counts the acts of the audit: all of them, and those under a key.
func (w *world) recorded(key string) (all, underKey int) {
	w.tb.Helper()
	require.NoError(w.tb, w.core.DB.System(w.tb.Context(), func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, "select count(*), count(*) filter (where act_key = $1) from audit_log", key).Scan(&all, &underKey)
	}))
	return all, underKey
}

func TestEveryRouteThatTakesAKeyIsHere(t *testing.T) {
	t.Parallel()
	w := start(t)
	var takers []string
	for _, route := range server.Routes() {
		if strings.HasPrefix(route, "GET ") {
			continue
		}
		call, body := absent().call(route)
		r := w.send(call, w.keys[user], body, "Idempotency-Key: "+strings.Repeat("a", 256))
		if r.StatusCode == http.StatusBadRequest && r.failure(t).Field == api.HeaderIdempotencyKey {
			takers = append(takers, route)
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(keyedRoutes)), takers)
}

// Case 68: a key that was used stands for the request that it was used with. The same request, however its JSON is written,
// is answered as the first was and does nothing; one that asks for something else is told so, and does nothing either.
func TestCase68AKeyStandsForOneRequest(t *testing.T) {
	t.Parallel()
	w := start(t)
	for _, route := range slices.Sorted(maps.Keys(keyedRoutes)) {
		t.Run(route, func(t *testing.T) {
			k, l := keyedRoutes[route], surface[route]
			c := &keyedCase{world: w, x: w.thing(wiki.Actor{Tenant: w.tenant, Key: uuid.New(), Agent: "another", Role: agent}, nil, l.names)}
			if k.before != nil {
				k.before(c)
			}
			by := max(k.by, agent)
			if k.by == wiki.RoleNone {
				by = user
			}
			call, _ := c.x.call(route)
			fill := strings.NewReplacer("{id}", c.x.article, "{other}", c.x.other)
			ask := func(body string) reply {
				return w.send(call, w.keys[by], fill.Replace(body), "Idempotency-Key: "+route)
			}
			require.Less(t, ask(k.first).StatusCode, http.StatusMultipleChoices, ask(k.first).body)
			done, underKey := w.recorded(route)
			require.Equal(t, 1, underKey)
			for _, same := range []string{k.first, rewritten(k.first)} {
				r := ask(same)
				require.Less(t, r.StatusCode, http.StatusMultipleChoices, "%s: %s", same, r.body)
			}
			f := ask(k.second).failure(t)
			require.Equal(t, http.StatusUnprocessableEntity, f.Status)
			require.Equal(t, string(wiki.CodeKeyReused), f.Code)
			require.NotEmpty(t, f.Remediation)
			now, _ := w.recorded(route)
			require.Equal(t, done, now, "neither did anything")
			f.Code = ""
			if r := w.send(call, w.keys[by], fill.Replace(k.second), "Idempotency-Key: another "+route); r.StatusCode >= http.StatusMultipleChoices {
				f = r.failure(t)
			}
			require.NotEqual(t, string(wiki.CodeKeyReused), f.Code, "under a key of its own it is judged for what it asks")
		})
	}
}

// rewritten is the same JSON in other bytes: the names in another order, with spaces, and é as it is.
func rewritten(body string) string {
	if body == "" {
		return " {\n} "
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		panic(err)
	}
	var parts []string
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(members))) {
		parts = append(parts, fmt.Sprintf("%q :\t%s", name, strings.ReplaceAll(string(members[name]), `\u00e9`, "é")))
	}
	return "{ " + strings.Join(parts, " ,\n") + " }"
}

// What the path says is of the request too, also where it is not the act's subject.
func TestCase68ThePathIsOfTheRequest(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := w.propose(agent, "Cats", "Cats sleep for most of the day.")
	path := "/api/v1/articles/" + a.ID.String()
	w.must("PATCH "+path, agent, `{"body":"Cats sleep."}`)
	w.must("PATCH "+path, agent, `{"body":"Cats sleep all day."}`)
	w.must("POST "+path+"/versions/1/restore", agent, "", "Idempotency-Key: k")
	w.must("POST "+path+"/versions/1/restore", agent, "{}", "Idempotency-Key: k")
	f := w.send("POST "+path+"/versions/2/restore", w.keys[agent], "", "Idempotency-Key: k").failure(t)
	require.Equal(t, string(wiki.CodeKeyReused), f.Code)
	now, err := w.as(agent).Article(t.Context(), a.ID)
	require.NoError(t, err)
	require.Equal(t, "Cats sleep for most of the day.", *now.Body)
}

// Fifty at once under one key, half of them another request: one act is done, those who asked for it hear so, and the others
// hear that the key is spent, whoever came first.
func TestCase68FiftyAtOnce(t *testing.T) {
	t.Parallel()
	for _, route := range []string{"PATCH /articles/{id}", "POST /knowledge/conflicts/resolve", "POST /article_links", "POST /proposals"} {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			w := start(t)
			k := keyedRoutes[route]
			x := w.thing(wiki.Actor{Tenant: w.tenant, Key: uuid.New(), Agent: "another", Role: agent}, nil, surface[route].names)
			call, _ := x.call(route)
			fill := strings.NewReplacer("{id}", x.article, "{other}", x.other)
			var replies [50]reply
			var wg sync.WaitGroup
			for i := range replies {
				wg.Go(func() {
					body := k.first
					if i%2 == 1 {
						body = k.second
					}
					replies[i] = w.send(call, w.keys[user], fill.Replace(body), "Idempotency-Key: "+route)
				})
			}
			wg.Wait()
			_, done := w.recorded(route)
			require.Equal(t, 1, done)
			winner := 0
			if replies[1].StatusCode < http.StatusMultipleChoices {
				winner = 1
			}
			for i, r := range replies {
				if i%2 == winner {
					require.Less(t, r.StatusCode, http.StatusMultipleChoices, r.body)
					continue
				}
				require.Equal(t, string(wiki.CodeKeyReused), r.failure(t).Code)
			}
		})
	}
}

// An act from before digests were kept is answered by its key, as it was then.
func TestCase68AnActWithoutADigestIsReplayed(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := w.propose(agent, "Cats", "Cats sleep for most of the day.")
	call := "PATCH /api/v1/articles/" + a.ID.String()
	w.must(call, agent, `{"title":"Of cats"}`, "Idempotency-Key: old")
	w.sql("update audit_log set request_digest = null where act_key = 'old'")
	require.Contains(t, w.must(call, agent, `{"title":"Of dogs"}`, "Idempotency-Key: old"), "Of cats")
}
