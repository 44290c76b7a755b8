package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/articles"
	"wiki/core/embedding"
	"wiki/core/keyword"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/record"
	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
)

// offered asks every ranked read that names no article for a word, and says whether any offers the article.
func (w *world) offered(role wiki.Role, word string, id uuid.UUID) (routes []string) {
	w.tb.Helper()
	for _, route := range server.Routes() {
		l := surface[route]
		if l.shows != itsChoice || l.names != noThing {
			continue
		}
		for _, query := range append([]string{l.query}, l.also...) {
			l.query = query
			call, body := l.fill(route, "{word}", word)
			if strings.Contains(w.send(call, w.keys[role], body).body, id.String()) {
				routes = append(routes, call)
			}
		}
	}
	return routes
}

// Case 38: forgotten items were still in lists, in the fallback of search and in counts, and a repair put them back.
func TestCase38NoListNoFallbackAndNoRepairBringsASuppressedArticleBack(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	p := newProvider(t)
	p.Close() // nothing answers there
	e, err := embedding.NewEndpoint(embedding.EndpointConfig{BaseURL: p.URL, Model: "test", Dims: faultyDims, Attempts: 1})
	require.NoError(t, err)
	w := startWith(t, db, core.Config{Embedder: e})
	ctx, c := t.Context(), w.as(agent)
	a := w.propose(agent, "Marmalade", "Marmalade is made of bitter oranges.")
	require.NotEmpty(t, w.offered(agent, "marmalade", a.ID), "the fallback to keywords finds it while it is not suppressed")
	_, err = c.Suppress(ctx, a.ID, "wrong", "")
	require.NoError(t, err)
	gone := func() {
		require.Empty(t, w.offered(agent, "marmalade", a.ID))
		list, meta, err := c.Articles(ctx, api.ArticleQuery{})
		require.NoError(t, err)
		require.Empty(t, list)
		require.Zero(t, *meta.TotalCount)
	}
	gone()
	// The repairs there are: an edit, which indexes anew, and a recount of the words.
	body := "Marmalade is made of bitter oranges and sugar."
	_, err = c.Update(ctx, a.ID, 0, api.ArticlePatch{Body: &body}, "")
	require.NoError(t, err)
	require.NoError(t, db.Tenant(ctx, w.tenant, func(ctx context.Context, tx postgres.Tx) error {
		return keyword.Store{}.Put(ctx, tx, a.ID, w.tenant, a.Title, body)
	}))
	gone()
	suppressed := true
	list, _, err := c.Articles(ctx, api.ArticleQuery{Suppressed: &suppressed})
	require.NoError(t, err)
	require.Len(t, list, 1, "who asks for the suppressed ones sees them")
}

// Case 40: an exclusion list forgot a new status; here what may be offered is listed. The test takes the statuses from the
// database, so that a new one is in it.
func TestCase40OnlyAStatusThatIsListedIsOffered(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := w.propose(agent, "Marmalade", "Marmalade is made of bitter oranges.")
	var check string
	system := func(fn func(context.Context, postgres.Tx) error) {
		require.NoError(t, w.core.DB.System(t.Context(), fn))
	}
	system(func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, `select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'articles'::regclass and contype = 'c'
			and pg_get_constraintdef(oid) like '%published%' and pg_get_constraintdef(oid) like '%superseded%' and pg_get_constraintdef(oid) not like '%scope%' limit 1`).Scan(&check)
	})
	var statuses []string
	for i, part := range strings.Split(check, "'") {
		if i%2 == 1 {
			statuses = append(statuses, part)
		}
	}
	require.GreaterOrEqual(t, len(statuses), 4, check)
	for _, status := range statuses {
		system(func(ctx context.Context, tx postgres.Tx) error {
			_, err := tx.Exec(ctx, `update articles set status = $2 where id = $1`, a.ID, status)
			return err
		})
		require.Equal(t, status == "published", len(w.offered(user, "marmalade", a.ID)) > 0, status)
	}
}

// Case 41: the vector stayed after a delete: the content was found, and duplicates were checked against it.
func TestCase41WhatIsGoneIsNeitherFoundNorComparedWith(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx, c := t.Context(), w.as(agent)
	const body = "Marmalade is made of bitter oranges."
	for name, retract := range map[string]func(uuid.UUID) error{
		"archive":  func(id uuid.UUID) error { _, err := c.Archive(ctx, id, ""); return err },
		"delete":   func(id uuid.UUID) error { _, err := c.Delete(ctx, id, ""); return err },
		"suppress": func(id uuid.UUID) error { _, err := c.Suppress(ctx, id, "wrong", ""); return err },
	} {
		a := w.propose(agent, "Marmalade, to "+name, body)
		require.NotEmpty(t, w.offered(agent, "marmalade", a.ID))
		require.NoError(t, retract(a.ID))
		require.Empty(t, w.offered(agent, "marmalade", a.ID), name)
		p, err := c.Propose(ctx, api.Proposal{Title: "Marmalade after " + name, Body: text(body), Category: "idea"})
		require.NoError(t, err)
		require.Equal(t, "novel", p.Verdict, "%s: %s", name, p.Note)
		require.Nil(t, p.Neighbour)
		_, err = c.Archive(ctx, p.Article.ID, "")
		require.NoError(t, err)
	}
	// Nothing derived outlives its article: each table that holds it goes with the row, in the same statement.
	var orphans []string
	require.NoError(t, w.core.DB.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, `select coalesce(array_agg(t.name), '{}') from unnest(array['article_embeddings', 'embedding_pending', 'keyword_docs', 'article_links']) t (name)
			where not exists (select from pg_constraint c where c.conrelid = t.name::regclass and c.confrelid = 'articles'::regclass and c.contype = 'f')`).Scan(&orphans)
	}))
	require.Empty(t, orphans, "derived rows without a foreign key to their article can be left behind")
}

// Case 43: an edit from a device that lagged behind cleared the tombstone: a retraction is lifted by its own verb alone.
func TestCase43NoEditLiftsARetraction(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx, c := t.Context(), w.as(agent)
	capture := api.Proposal{Title: "Marmalade", Body: text("Marmalade is made of bitter oranges."), Category: "idea", IdempotencyKey: "jar-1"}
	made, err := c.Propose(ctx, capture)
	require.NoError(t, err)
	id := made.Article.ID
	body := "Marmalade is made of lemons."
	_, err = c.Update(ctx, id, 0, api.ArticlePatch{Body: &body}, "")
	require.NoError(t, err)
	_, err = c.Suppress(ctx, id, "wrong", "")
	require.NoError(t, err)

	quinces := 0
	edits := map[string]func() error{
		"an edit": func() error {
			other := body + " Or limes."
			_, err := c.Update(ctx, id, 0, api.ArticlePatch{Body: &other}, "")
			return err
		},
		"a stale edit": func() error {
			_, err := c.Update(ctx, id, 1, api.ArticlePatch{Body: &body}, "")
			require.Equal(t, wiki.CodeVersionMismatch, wiki.ErrorCode(err))
			return nil
		},
		"a restore": func() error { _, err := c.Restore(ctx, id, 1, ""); return err },
		"a capture that comes again": func() error {
			p, err := c.Propose(ctx, capture)
			require.False(t, p.Created)
			return err
		},
		"an adopted drift": func() error {
			drifted := capture
			quinces++ // a text that is the article's own already is no drift, whatever edit came before this one
			drifted.Body = text(fmt.Sprintf("Marmalade is made of %d quinces.", quinces))
			p, err := c.Propose(ctx, drifted)
			require.NoError(t, err)
			require.NotNil(t, p.DriftEventID)
			_, err = c.AdoptDrift(ctx, *p.DriftEventID, "")
			return err
		},
	}
	for name, edit := range edits {
		require.NoError(t, edit(), name)
		shown, err := c.Article(ctx, id)
		require.NoError(t, err)
		require.NotNil(t, shown.SuppressedAt, name)
		require.Equal(t, "wrong", shown.SuppressionReason, name)
		require.Empty(t, w.offered(agent, "marmalade", id), name)
	}
	_, err = c.Archive(ctx, id, "")
	require.NoError(t, err)
	published := "published"
	_, err = c.Update(ctx, id, 0, api.ArticlePatch{Status: &published}, "")
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err), "archived is terminal for agents: %v", err)
	for name, edit := range edits {
		_ = edit() // whether it is taken or refused, it brings nothing back
		shown, err := c.Article(ctx, id)
		require.NoError(t, err)
		require.Equal(t, "archived", shown.Status, name)
		require.NotNil(t, shown.SuppressedAt, name)
	}
}

// Case 44: a delete left chunks and a poisoned cache, and the same document sent again failed the same way.
func TestCase44WhatIsDerivedGoesWithItsTextAndTheTextCanComeAgain(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx, c := t.Context(), w.as(agent)
	long := strings.Repeat("Oranges are sliced and boiled with sugar until the syrup sets. ", 60) + "At last the quince is added."
	a := w.propose(agent, "Marmalade", long)
	require.NotEmpty(t, w.offered(agent, "quince", a.ID), "the tail of a long text is found")
	sections := func() (n int) {
		require.NoError(t, w.core.DB.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
			return tx.QueryRow(ctx, `select count(*) from article_embeddings where article_id = $1`, a.ID).Scan(&n)
		}))
		return n
	}
	require.Greater(t, sections(), 1)
	short := "Oranges are boiled."
	_, err := c.Update(ctx, a.ID, 0, api.ArticlePatch{Body: &short}, "")
	require.NoError(t, err)
	require.Equal(t, 1, sections(), "the sections of the text that it had are gone")
	hits, _, err := c.Search(ctx, api.SearchQuery{Query: "quince", Mode: "keyword"})
	require.NoError(t, err)
	require.Empty(t, hits)

	_, err = c.Delete(ctx, a.ID, "")
	require.NoError(t, err)
	again := w.propose(agent, "Marmalade", long)
	require.NotEqual(t, a.ID, again.ID)
	require.NotEmpty(t, w.offered(agent, "quince", again.ID))
	require.Empty(t, w.offered(agent, "quince", a.ID))
	// An insert that fails leaves nothing that a later one could meet.
	failed := errors.New("the disk is full")
	require.ErrorIs(t, w.core.DB.Tenant(ctx, w.tenant, func(ctx context.Context, tx postgres.Tx) error {
		b := wiki.Article{Title: "Curd", Body: "Lemon curd.", Category: "idea", Status: wiki.StatusPublished}
		who := wiki.Actor{Tenant: w.tenant, Key: uuid.New(), Agent: "x", Role: agent}
		if _, err := w.core.Record.Create(ctx, tx, who, b, record.Embedded{}, record.CreateOptions{}); err != nil {
			return err
		}
		_, err := articles.ByTitle(ctx, tx, who, "Curd", "")
		require.NoError(t, err)
		return failed
	}), failed)
	require.NotEmpty(t, w.offered(agent, "curd", w.propose(agent, "Curd", "Lemon curd.").ID))
}
