package server_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/access"
	"wiki/core/articles"
	"wiki/core/conflicts"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
	"wiki/server"
)

// asker is who calls, for the table: a key and what it may do.
type asker struct {
	name string
	key  string
	role wiki.Role // RoleNone: the key opens nothing
	in   uuid.UUID // tenant; zero = none
}

func (w *world) askers() []asker {
	w.tb.Helper()
	made := func(tenant uuid.UUID, in access.NewKey) access.Key {
		in.Name = "k"
		k, err := w.core.Access.CreateKey(w.tb.Context(), access.Operator(tenant), in)
		require.NoError(w.tb, err)
		return k
	}
	expired := made(w.tenant, access.NewKey{Role: user, Lifetime: time.Microsecond})
	revoked := made(w.tenant, access.NewKey{Role: user})
	require.NoError(w.tb, w.core.Access.RevokeKey(w.tb.Context(), access.Operator(w.tenant), revoked.ID))
	return []asker{
		{"agent", w.keys[agent], agent, w.tenant},
		{"orchestrator", w.keys[orchestrator], orchestrator, w.tenant},
		{"user", w.keys[user], user, w.tenant},
		{"superadmin", made(uuid.Nil, access.NewKey{Role: wiki.RoleSuperadmin}).Secret, wiki.RoleSuperadmin, uuid.Nil},
		{"an expired key", expired.Secret, wiki.RoleNone, uuid.Nil},
		{"a revoked key", revoked.Secret, wiki.RoleNone, uuid.Nil},
		{"no key", "", wiki.RoleNone, uuid.Nil},
	}
}

// visibility is a column of the table: whose article it is, and who of the tenant sees it.
type visibility struct {
	name string
	meta map[string]any
	own  bool // the asker's own, else another agent's
	seen func(asker) bool
}

var visibilities = []visibility{
	{"shared", nil, false, everybody},
	{"private, one's own", map[string]any{"visibility": "private"}, true, everybody},
	{"owner, one's own", map[string]any{"visibility": "owner"}, true, everybody},
	{"private, another's", map[string]any{"visibility": "private"}, false, users},
	{"owner, another's", map[string]any{"visibility": "owner"}, false, users},
}

func everybody(a asker) bool { return a.role >= agent && a.role <= user }
func users(a asker) bool     { return a.role == user }

// things are the ids that calls name, all hanging on one article.
type things struct{ article, other, link, pair, verdict, drift, key, dispatch, proposal string }

func absent() things {
	id := uuid.NewString
	pair, _ := wiki.NewPair(uuid.New(), uuid.New())
	return things{id(), id(), id(), pair.String(), id(), id(), id(), id(), id()}
}

func (x things) call(route string) (call, body string) {
	l := surface[route]
	ids := map[names]string{anArticle: x.article, aPair: x.article, aLink: x.link, aVerdict: x.verdict, aDrift: x.drift, aKey: x.key, aDispatch: x.dispatch, aProposal: x.proposal}
	return l.fill(route, "{id}", ids[l.names], "{other}", x.other, "{pair}", x.pair)
}

// thing makes an article of an agent's with what a route names hung on it.
func (w *world) thing(owner wiki.Actor, meta map[string]any, what names) things {
	w.tb.Helper()
	tenant := owner.Tenant
	x, curator := absent(), access.Operator(tenant)
	curator.Role = user
	require.NoError(w.tb, w.core.DB.Tenant(w.tb.Context(), tenant, func(ctx context.Context, tx postgres.Tx) error {
		made := func(by wiki.Actor, meta map[string]any) (wiki.Article, error) {
			a := wiki.Article{Title: "Harbour " + uuid.NewString(), Body: "Of the harbour, " + uuid.NewString(), Category: "finding", Status: wiki.StatusPublished, Metadata: meta}
			return w.core.Record.Create(ctx, tx, by, a, record.Embedded{}, record.CreateOptions{})
		}
		a, err := made(owner, maps.Clone(meta))
		if err != nil {
			return err
		}
		b, err := made(curator, nil)
		if err != nil {
			return err
		}
		pair, err := wiki.NewPair(a.ID, b.ID)
		if err != nil {
			return err
		}
		x.article, x.other, x.pair = a.ID.String(), b.ID.String(), pair.String()
		switch what {
		case aLink:
			l := wiki.Link{ID: tx.NewID(), Source: a.ID, Target: b.ID, Relation: wiki.RelRelatesTo}
			x.link = l.ID.String()
			_, err = articles.InsertLink(ctx, tx, tenant, l)
		case aPair, aVerdict:
			_, _, err = flags.Raise(ctx, tx, curator, flags.New{A: a.ID, B: b.ID, System: true, Similarity: 0.95})
		case aDrift:
			var id uuid.UUID
			id, _, err = articles.PutDrift(ctx, tx, tenant, articles.Drift{
				ID: tx.NewID(), Article: articles.Ref{ID: a.ID}, ArticleVersion: 1, Title: a.Title, Body: new(string), ContentDrift: true, SubmittedBy: owner.Stamp(),
			})
			x.drift = id.String()
		}
		return err
	}))
	if what == aVerdict {
		a, b := uuid.MustParse(x.article), uuid.MustParse(x.other)
		v, err := w.core.Conflicts.Judge(w.tb.Context(), curator, conflicts.Judgement{A: a, B: b, Disposition: wiki.Merge, Authoritative: &a}, "")
		require.NoError(w.tb, err)
		x.verdict = v.ID.String()
	}
	return x
}

// told is an answer without what may differ between two answers to one question.
func (r reply) told() string {
	h := r.Header.Clone()
	h.Del("Date")
	h.Del("X-Request-Id")
	return fmt.Sprint(r.StatusCode, h, r.body)
}

// TestThePermissionMatrix is SPEC §1's table over every route, every kind of key and every visibility: a role below the
// route's is refused before anything is looked at, a key that opens nothing opens nothing, what cannot be seen answers byte
// for byte as what does not exist, and what can be seen does not.
func TestThePermissionMatrix(t *testing.T) {
	t.Parallel()
	w := start(t)
	elsewhere, _ := w.newTenant("elsewhere")
	askers := w.askers()
	foreign := wiki.Actor{Tenant: elsewhere, Key: uuid.New(), Agent: "stranger", Role: agent}
	another := wiki.Actor{Tenant: w.tenant, Key: uuid.New(), Agent: "somebody-else", Role: agent}
	for _, route := range server.Routes() {
		if surface[route].names == itsOwnCall {
			continue
		}
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			m := matrix{w, t, route, surface[route], foreign, another, map[string]things{}}
			for _, a := range askers {
				m.check(a)
			}
		})
	}
}

// matrix is one route's part of the table.
type matrix struct {
	*world
	t                *testing.T
	route            string
	line             line
	foreign, another wiki.Actor
	hidden           map[string]things // what was made to be not seen: nobody changes it
}

func (m matrix) ask(a asker, x things) reply {
	call, body := x.call(m.route)
	return m.send(call, a.key, body)
}

func (m matrix) check(a asker) {
	t := m.t
	nothing := m.ask(a, absent())
	require.Less(t, nothing.StatusCode, http.StatusInternalServerError, "%s: %s", a.name, nothing.body)
	switch {
	case a.role == wiki.RoleNone:
		require.Equal(t, http.StatusUnauthorized, nothing.StatusCode, "%s: %s", a.name, nothing.body)
	case a.role < m.line.least:
		require.Equal(t, string(wiki.CodeForbidden), nothing.failure(t).Code, a.name)
	case a.in == uuid.Nil: // it has a scope of its own, and sees no tenant's articles: that is checked below
	case m.line.names != noThing && strings.Contains(m.route, "{"):
		require.Equal(t, string(wiki.CodeNotFound), nothing.failure(t).Code, a.name)
	case m.line.names != noThing:
		require.GreaterOrEqual(t, nothing.StatusCode, http.StatusBadRequest, a.name)
	default:
		require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, nothing.StatusCode, "%s: %s", a.name, nothing.body)
	}
	if !slices.Contains([]names{anArticle, aLink, aPair, aVerdict, aDrift}, m.line.names) {
		return
	}
	require.Equal(t, nothing.told(), m.ask(a, m.hide("elsewhere", m.foreign, nil)).told(), "%s: another tenant's", a.name)
	own := wiki.Actor{Tenant: m.tenant, Key: uuid.New(), Agent: "acme-" + a.role.String(), Role: max(a.role, agent)}
	for _, v := range visibilities {
		by := m.another
		if v.own {
			by = own
		}
		if a.role < m.line.least || !v.seen(a) {
			require.Equal(t, nothing.told(), m.ask(a, m.hide(v.name+by.Agent, by, v.meta)).told(), "%s: %s", a.name, v.name)
			continue
		}
		seen := m.ask(a, m.thing(by, v.meta, m.line.names))
		require.NotEqual(t, nothing.told(), seen.told(), "%s: %s", a.name, v.name)
		require.Less(t, seen.StatusCode, http.StatusInternalServerError, "%s: %s: %s", a.name, v.name, seen.body)
		if m.line.names == aVerdict && a.role < user && seen.StatusCode == http.StatusForbidden {
			continue // it is seen, and only who gave it and users take it back
		}
		require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}, seen.StatusCode, "%s: %s: %s", a.name, v.name, seen.body)
	}
}

func (m matrix) hide(name string, by wiki.Actor, meta map[string]any) things {
	if _, made := m.hidden[name]; !made {
		m.hidden[name] = m.thing(by, meta, m.line.names)
	}
	return m.hidden[name]
}
