package server_test

import (
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/access"
	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
	"wiki/server/client"
)

// Each round is some twenty acts and then every read of three articles. -rapid.checks=100 looks longer.
func init() {
	_ = flag.Set("rapid.checks", "6")
	_ = flag.Set("rapid.shrinktime", "5s")
}

// shelf is three articles on which random acts are done over HTTP, and what should have become of them.
type shelf struct {
	*world
	word     string // all of them have it, as a tag too
	articles []shelved
}

type shelved struct {
	id         uuid.UUID
	status     string
	suppressed bool
	owner      string // "" = shared
}

// sees says whether a role of the tenant's own keys sees the article, offered whether a ranked read may offer it.
func (s shelved) sees(role wiki.Role) bool {
	return s.owner == "" || role >= user || strings.HasSuffix(s.owner, "-"+role.String())
}

func (s shelved) offered() bool { return s.status == "published" && !s.suppressed }

// shelf fills a tenant of its own, so that nothing but its three articles is there to be offered.
func (w *world) shelf(t *rapid.T) *shelf {
	own := *w
	s := &shelf{world: &own, word: "w" + strings.ReplaceAll(uuid.NewString(), "-", "")}
	own.tenant, own.keys = w.newTenant(s.word[:20])
	k, err := w.core.Access.CreateKey(w.tb.Context(), access.Operator(s.tenant), access.NewKey{Name: "k", Role: agent, AgentID: "stranger"})
	require.NoError(t, err)
	stranger := w.client(k.Secret)
	for i, says := range []string{"keeps the ledgers of the old port", "lists which lanterns burn at night", "tells how nets are mended in winter"} {
		owner := rapid.SampledFrom([]string{"", "", s.word[:20] + "-agent", "stranger"}).Draw(t, "owner")
		by, meta := s.as(agent), `{}`
		if owner == "stranger" {
			by = stranger
		}
		if owner != "" {
			meta = `{"visibility":"private"}`
		}
		p, err := by.Propose(w.tb.Context(), api.Proposal{
			Title: fmt.Sprintf("Page %d of %s", i, s.word), Body: text(fmt.Sprintf("The book of %s %s.", s.word, says)), Category: "reference",
			Tags: []string{s.word}, Metadata: []byte(meta), Force: true,
		})
		require.NoError(t, err)
		s.articles = append(s.articles, shelved{p.Article.ID, p.Article.Status, false, owner})
	}
	return s
}

// acts are the verbs of retraction, over HTTP. Each gives what it should have made of the article, or the code it should
// be refused with.
func (s *shelf) acts() map[string]func(*rapid.T) {
	verb := func(name string, do func(*client.Client, uuid.UUID) (api.Article, error), least wiki.Role, change func(*shelved) wiki.Code) func(*rapid.T) {
		return func(t *rapid.T) {
			a := &s.articles[rapid.IntRange(0, len(s.articles)-1).Draw(t, "which")]
			role := rapid.SampledFrom([]wiki.Role{agent, orchestrator, user}).Draw(t, "role")
			after := *a
			var want wiki.Code
			switch {
			case role < least:
				want = wiki.CodeForbidden
			case !a.sees(role):
				want = wiki.CodeNotFound
			default:
				if want = change(&after); want != "" {
					after = *a
				}
			}
			got, err := do(s.as(role), a.id)
			if want != "" {
				require.Error(t, err, "%s by %s on %+v", name, role, *a)
				require.Equal(t, want, wiki.ErrorCode(err), "%s by %s on %+v: %v", name, role, *a, err)
			} else {
				require.NoError(t, err, "%s by %s on %+v", name, role, *a)
				require.Equal(t, after.status, got.Status)
				require.Equal(t, after.suppressed, got.SuppressedAt != nil)
			}
			*a = after
		}
	}
	to := func(status string, from ...string) func(*shelved) wiki.Code {
		return func(a *shelved) wiki.Code {
			if !slices.Contains(from, a.status) {
				return wiki.CodeTransition
			}
			a.status = status
			return ""
		}
	}
	set := func(suppressed bool) func(*shelved) wiki.Code {
		return func(a *shelved) wiki.Code {
			if a.suppressed == suppressed {
				return wiki.CodeTransition
			}
			a.suppressed = suppressed
			return ""
		}
	}
	ctx := s.tb.Context()
	return map[string]func(*rapid.T){
		"suppress": verb("suppress", func(c *client.Client, id uuid.UUID) (api.Article, error) { return c.Suppress(ctx, id, "wrong", "") }, agent,
			set(true)),
		"unsuppress": verb("unsuppress", func(c *client.Client, id uuid.UUID) (api.Article, error) { return c.Unsuppress(ctx, id, "") }, agent,
			set(false)),
		"publish":   verb("publish", func(c *client.Client, id uuid.UUID) (api.Article, error) { return c.Publish(ctx, id, "") }, orchestrator, to("published", "draft")),
		"unpublish": verb("unpublish", func(c *client.Client, id uuid.UUID) (api.Article, error) { return c.Unpublish(ctx, id, "") }, user, to("draft", "published")),
		"archive":   verb("archive", func(c *client.Client, id uuid.UUID) (api.Article, error) { return c.Archive(ctx, id, "") }, agent, to("archived", "draft", "published")),
		"restore": verb("restore", func(c *client.Client, id uuid.UUID) (api.Article, error) { return c.Restore(ctx, id, 1, "") }, agent,
			func(a *shelved) wiki.Code { return "" }),
	}
}

// check asks every read of the surface, as each role, and looks for the articles in the answers.
func (s *shelf) check(t *rapid.T) {
	for _, role := range []wiki.Role{agent, user} {
		for _, route := range server.Routes() {
			l := surface[route]
			reads := strings.HasPrefix(route, "GET") || l.shows == itsChoice
			if !reads || l.names == itsOwnCall || role < l.least {
				continue
			}
			for _, query := range append([]string{l.query}, l.also...) {
				l.query = query
				s.ask(t, role, route, l)
			}
		}
	}
}

func (s *shelf) ask(t *rapid.T, role wiki.Role, route string, l line) {
	for _, about := range s.articles {
		call, body := l.fill(route, "{id}", about.id.String(), "{word}", s.word)
		r := s.send(call, s.keys[role], body)
		require.Less(t, r.StatusCode, http.StatusInternalServerError, "%s: %s", call, r.body)
		offered, shown := 0, 0
		for _, a := range s.articles {
			seen, there := a.sees(role), strings.Contains(r.body, a.id.String())
			require.False(t, there && !seen, "%s as %s shows %+v, which it cannot see: %s", call, role, a, r.body)
			if l.shows == itsChoice {
				require.False(t, there && !a.offered(), "%s as %s offers %+v: %s", call, role, a, r.body)
			}
			if l.shows == theNamed && a == about && l.names == anArticle {
				require.Equal(t, seen, there, "%s as %s, %+v: %s", call, role, a, r.body)
			}
			if seen && a.offered() {
				offered++
			}
			if there {
				shown++
			}
		}
		if l.shows == itsChoice && l.names == noThing && offered > 0 {
			require.Positive(t, shown, "%s as %s offers nothing of %+v: %s", call, role, s.articles, r.body)
		}
		if l.names != anArticle {
			return
		}
	}
}

// Suppress, unsuppress, unpublish, archive and restore over HTTP, with their roles and refusals; and whatever was done, in
// whatever order, no read that ranks offers what is retracted or unseen, and every read by id shows what is seen.
func TestRetractionHoldsOnEveryReadRoute(t *testing.T) {
	t.Parallel()
	w := start(t)
	rapid.Check(t, func(t *rapid.T) {
		s := w.shelf(t)
		s.check(t)
		acts := s.acts()
		for range rapid.IntRange(3, 8).Draw(t, "acts") {
			acts[rapid.SampledFrom([]string{"suppress", "unsuppress", "publish", "unpublish", "archive", "restore"}).Draw(t, "act")](t)
		}
		s.check(t)
	})
}
