package conflicts_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/conflicts"
	"wiki/core/embedding"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/record"
	"wiki/core/wiki"
)

type world struct {
	conflicts.Service
	clock  *pgtest.Clock
	user   wiki.Actor // a curator
	agent  wiki.Actor // scribe
	other  wiki.Actor // another agent
	titles int
}

func newWorld(t testing.TB) *world {
	c := &pgtest.Clock{}
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), Now: c.Now})
	return worldOn(t, db, c, pgtest.Tenant(t, db))
}

func worldOn(t testing.TB, db *postgres.DB, c *pgtest.Clock, user wiki.Actor) *world {
	model, err := embedding.BuiltIn()
	require.NoError(t, err)
	w := &world{clock: c, user: user}
	w.Service = conflicts.New(conflicts.Service{DB: db, Record: record.Service{DB: db, Embedder: model}})
	w.agent = pgtest.Actor(t, db, w.user.Tenant, wiki.RoleAgent, "scribe")
	w.other = pgtest.Actor(t, db, w.user.Tenant, wiki.RoleAgent, "other")
	return w
}

// curator is one more user.
func (w *world) curator(t testing.TB) wiki.Actor {
	return pgtest.Actor(t, w.DB, w.user.Tenant, wiki.RoleUser, "")
}

func (w *world) article(t testing.TB, by wiki.Actor, change ...func(*wiki.Article)) wiki.Article {
	t.Helper()
	w.titles++
	a := wiki.Article{Title: fmt.Sprintf("Article %d", w.titles), Body: fmt.Sprintf("Text %d.\n", w.titles), Category: "finding", Status: wiki.StatusPublished}
	for _, f := range change {
		f(&a)
	}
	require.NoError(t, w.DB.Tenant(t.Context(), by.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		a, err = w.Record.Create(ctx, tx, by, a, record.Embedded{}, record.CreateOptions{})
		return err
	}))
	return a
}

func draft(a *wiki.Article)   { a.Status = wiki.StatusDraft }
func private(a *wiki.Article) { a.Metadata = map[string]any{"visibility": "private"} }

// flagged makes a pair that the system flagged.
func (w *world) flagged(t testing.TB, change ...func(*wiki.Article)) (a, b wiki.Article) {
	t.Helper()
	a, b = w.article(t, w.agent), w.article(t, w.agent, change...)
	w.flag(t, a, b, 0.95)
	return a, b
}

func (w *world) flag(t testing.TB, a, b wiki.Article, cosine float64) {
	t.Helper()
	require.NoError(t, w.DB.Tenant(t.Context(), a.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, _, err := flags.Raise(ctx, tx, w.agent, flags.New{A: a.ID, B: b.ID, System: true, Similarity: cosine})
		return err
	}))
}

func pairOf(a, b wiki.Article) wiki.Pair {
	p, err := wiki.NewPair(a.ID, b.ID)
	if err != nil {
		panic(err)
	}
	return p
}

func (w *world) stands(t testing.TB, id uuid.UUID) wiki.Article {
	t.Helper()
	var a wiki.Article
	require.NoError(t, w.DB.TenantRead(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		a, err = articles.Get(ctx, tx, w.user, id)
		return err
	}))
	return a
}

func (w *world) state(t testing.TB, a, b wiki.Article) wiki.ConflictState {
	t.Helper()
	d, err := w.Pair(t.Context(), w.user, pairOf(a, b))
	require.NoError(t, err)
	return d.Conflict.State
}

func (w *world) open(t testing.TB) []conflicts.Conflict {
	t.Helper()
	page, err := w.Queue(t.Context(), w.user, conflicts.Filter{})
	require.NoError(t, err)
	return page.Items
}

// keep is a supersede by which a replaces b.
func keep(a, b wiki.Article) conflicts.Judgement {
	return conflicts.Judgement{A: a.ID, B: b.ID, Disposition: wiki.Supersede, Authoritative: &a.ID, Confidence: wiki.ConfidenceHigh, Evidence: "compared"}
}

func dismissal(a, b wiki.Article) conflicts.Judgement {
	return conflicts.Judgement{A: a.ID, B: b.ID, Disposition: wiki.Dismiss}
}

func merge(a, b wiki.Article) conflicts.Judgement {
	return conflicts.Judgement{A: a.ID, B: b.ID, Disposition: wiki.Merge, Authoritative: &a.ID}
}

func (w *world) judge(t testing.TB, who wiki.Actor, j conflicts.Judgement) conflicts.Verdict {
	t.Helper()
	v, err := w.Judge(t.Context(), who, j, "")
	require.NoError(t, err)
	return v
}

func (w *world) refuses(t testing.TB, who wiki.Actor, j conflicts.Judgement, code wiki.Code) {
	t.Helper()
	_, err := w.Judge(t.Context(), who, j, "")
	require.Equal(t, code, wiki.ErrorCode(err), "%v", err)
}

func code(t testing.TB, want wiki.Code, err error) {
	t.Helper()
	require.Equal(t, want, wiki.ErrorCode(err), "%v", err)
}

func detailsOf(t testing.TB, err error) map[string]any {
	t.Helper()
	var e *wiki.Error
	require.ErrorAs(t, err, &e)
	return e.Details
}
