package proposals_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/flags"
	"wiki/core/gate"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/proposals"
	"wiki/core/record"
	"wiki/core/wiki"
)

func (w *world) purge(t testing.TB, ids ...uuid.UUID) proposals.Result {
	t.Helper()
	r := hard(byIDs(wiki.OpDelete, ids...))
	return w.run(t, r, proposals.Credential{Token: w.dry(t, r).Token})
}

const marker = "zanzibarian"

// Cases 41 and 44: all that was derived from an article goes with it, in the same transaction.
func TestCase44HardDeleteTakesEverythingDerived(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	g := gate.Service{DB: w.db, Record: w.record, Assessor: gate.Nearest{DB: w.db, Embedder: w.record.Embedder}}
	made, err := g.Propose(t.Context(), w.agent, gate.Proposal{
		Title: marker + " title", Body: wiki.SubmittedBody{Present: true, IsText: true, Text: "About " + marker + ".\n"}, Category: "finding", IdempotencyKey: "capture-1",
	})
	require.NoError(t, err)
	id, kept := made.Article.ID, w.article(t)
	body := "More about " + marker + ".\n"
	_, err = w.record.Update(t.Context(), w.agent, id, 0, record.Patch{Body: &body, Reason: "more"}, "")
	require.NoError(t, err)
	w.link(t, kept, *made.Article)
	_, err = g.Propose(t.Context(), w.agent, gate.Proposal{ // drifts
		Title: marker + " title", Body: wiki.SubmittedBody{Present: true, IsText: true, Text: "Other " + marker + ".\n"}, Category: "finding", IdempotencyKey: "capture-1",
	})
	require.NoError(t, err)
	require.NoError(t, w.db.Tenant(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, _, err := flags.Raise(ctx, tx, w.agent, flags.New{A: id, B: kept.ID, System: true, Similarity: 0.95})
		return err
	}))
	w.mint(t, w.agent, byIDs(wiki.OpArchive, id)) // its title is in another frozen set
	derived := func() map[string]int {
		out := map[string]int{}
		for table, column := range map[string]string{
			"articles": "id", "article_versions": "article_id", "article_embeddings": "article_id", "keyword_docs": "article_id", "drift_events": "article_id",
			"article_links": "target_id",
		} {
			out[table] = w.number(t, "select count(*) from "+table+" where "+column+" = $1", id)
		}
		out["conflict_pairs"] = w.number(t, `select count(*) from conflict_pairs where $1 in (first_id, second_id)`, id)
		out["conflict_flags"] = w.number(t, `select count(*) from conflict_flags where $1 in (first_id, second_id)`, id)
		return out
	}
	for table, n := range derived() {
		require.Positive(t, n, "%s has something to lose", table)
	}

	require.Equal(t, []string{"deleted"}, outcomes(w.purge(t, id).Items))
	for table, n := range derived() {
		require.Zero(t, n, table)
	}
	w.nowhere(t, marker)
	require.Equal(t, 1, w.number(t, `select count(*) from article_tombstones where article_id = $1`, id))
	require.Equal(t, 1, w.number(t, `select count(*) from audit_log where act = 'article.purge' and subject = $1`, id))
	require.Equal(t, 1, w.number(t, `select count(*) from events where kind = 'article.deleted' and subject = $1`, id))
	require.Equal(t, 1, w.stands(t, kept.ID)[kept.ID].Version)
}

// nowhere looks through every text column of the database.
func (w *world) nowhere(t testing.TB, word string) {
	t.Helper()
	require.NoError(t, w.db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, `select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`)
		require.NoError(t, err)
		var tables []string
		for rows.Next() {
			var name string
			require.NoError(t, rows.Scan(&name))
			tables = append(tables, name)
		}
		require.NoError(t, rows.Err())
		for _, table := range tables {
			var n int
			require.NoError(t, tx.QueryRow(ctx, "select count(*) from "+table+" as x where strpos(lower(x::text), $1) > 0", strings.ToLower(word)).Scan(&n))
			require.Zero(t, n, "%s still says %s", table, word)
		}
		return nil
	}))
}

// Case 43: a deletion wins over whatever comes late.
func TestCase43NothingLateBringsADeletedArticleBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	capture := func(a *wiki.Article) { a.IdempotencyKey = "capture-1" }
	a := w.article(t, capture)
	d := w.mint(t, w.agent, byIDs(wiki.OpPublish, a.ID))
	w.purge(t, a.ID)
	body := "Back again.\n"
	_, err := w.record.Update(t.Context(), w.user, a.ID, 0, record.Patch{Body: &body}, "")
	code(t, wiki.CodeNotFound, err)
	_, err = w.record.Restore(t.Context(), w.user, a.ID, 1, "", "")
	code(t, wiki.CodeNotFound, err)
	require.Equal(t, []string{"not_found"}, outcomes(w.approve(t, d.ID, proposals.Approval{}).Items))

	again := wiki.Article{Title: a.Title, Body: a.Body, Category: "finding", Status: wiki.StatusPublished}
	_, err = w.create(t, w.agent, again)
	code(t, wiki.CodeDeleted, err)
	again.IdempotencyKey, again.Body, again.Title = "capture-1", "The same capture, reworded.\n", "Reworded"
	for _, who := range []wiki.Actor{w.agent, w.user} {
		_, err = w.create(t, who, again)
		code(t, wiki.CodeDeleted, err)
	}
	require.Zero(t, w.number(t, `select count(*) from articles`))
	_, err = w.create(t, pgtest.Tenant(t, w.db), again)
	require.NoError(t, err, "another tenant's captures are its own")
	again.IdempotencyKey, again.Body, again.Title = "", a.Body, a.Title
	_, err = w.create(t, w.user, again)
	require.NoError(t, err, "a person may mean it")
}

// A copy that was being written while the article was deleted does not outlive it.
func TestCase43ALateWriteThatWaitedForTheDeletionIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	a := w.article(t, func(a *wiki.Article) { a.IdempotencyKey = "capture-1" })
	created := make(chan error)
	require.NoError(t, w.db.Tenant(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		locked, err := articles.Lock(ctx, tx, w.user, a.ID)
		require.NoError(t, err)
		require.NoError(t, articles.Bury(ctx, tx, locked, w.user.Stamp(), "gone"))
		go func() {
			_, err := w.create(t, w.agent, wiki.Article{Title: a.Title, Body: a.Body, Category: "finding", Status: wiki.StatusPublished, IdempotencyKey: "capture-1"})
			created <- err
		}()
		w.untilWaiting(t)
		return nil
	}))
	code(t, wiki.CodeDeleted, <-created)
	require.Zero(t, w.number(t, `select count(*) from articles`))
}

// untilWaiting waits until a transaction of this database waits for another.
func (w *world) untilWaiting(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		return w.number(t, `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`) > 0
	}, patience, pause)
}
