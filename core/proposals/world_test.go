package proposals_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/proposals"
	"wiki/core/record"
	"wiki/core/wiki"
)

type world struct {
	*proposals.Service
	db     *postgres.DB
	record record.Service
	clock  *pgtest.Clock
	user   wiki.Actor // a curator
	second wiki.Actor // another curator
	agent  wiki.Actor // scribe
	titles atomic.Int64
}

func newWorld(t testing.TB, settings proposals.Settings) *world {
	c := &pgtest.Clock{}
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), Now: c.Now})
	return worldOn(t, db, c, pgtest.Tenant(t, db), settings)
}

func worldOn(t testing.TB, db *postgres.DB, c *pgtest.Clock, user wiki.Actor, settings proposals.Settings) *world {
	model, err := embedding.BuiltIn()
	require.NoError(t, err)
	w := &world{db: db, clock: c, user: user, record: record.Service{DB: db, Embedder: model}}
	w.Service = proposals.New(db, w.record, nil, settings)
	w.second = pgtest.Actor(t, db, user.Tenant, wiki.RoleUser, "")
	w.agent = pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "scribe")
	return w
}

func (w *world) article(t testing.TB, change ...func(*wiki.Article)) wiki.Article {
	t.Helper()
	n := w.titles.Add(1)
	a := wiki.Article{Title: fmt.Sprintf("Article %d", n), Body: fmt.Sprintf("Text %d.\n", n), Category: "finding", Status: wiki.StatusPublished}
	for _, f := range change {
		f(&a)
	}
	a, err := w.create(t, w.agent, a)
	require.NoError(t, err)
	return a
}

func (w *world) create(t testing.TB, by wiki.Actor, a wiki.Article) (wiki.Article, error) {
	err := w.db.Tenant(t.Context(), by.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		a, err = w.record.Create(ctx, tx, by, a, record.Embedded{}, record.CreateOptions{})
		return err
	})
	return a, err
}

func tagged(tag string) func(*wiki.Article) {
	return func(a *wiki.Article) { a.Tags = append(a.Tags, tag) }
}
func draft(a *wiki.Article)   { a.Status = wiki.StatusDraft }
func private(a *wiki.Article) { a.Metadata = map[string]any{"visibility": "private"} }

func (w *world) many(t testing.TB, n int, change ...func(*wiki.Article)) (ids []uuid.UUID) {
	for range n {
		ids = append(ids, w.article(t, change...).ID)
	}
	return ids
}

// stands reads the articles that are there.
func (w *world) stands(t testing.TB, ids ...uuid.UUID) map[uuid.UUID]wiki.Article {
	t.Helper()
	var found map[uuid.UUID]wiki.Article
	require.NoError(t, w.db.TenantRead(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		found, err = articles.GetMany(ctx, tx, w.user, ids)
		return err
	}))
	return found
}

// number asks the database, as its owner.
func (w *world) number(t testing.TB, sql string, args ...any) int {
	t.Helper()
	return pgtest.Number(t, w.db, sql, args...)
}

func (w *world) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	require.NoError(t, w.db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	}))
}

func byIDs(op wiki.Op, ids ...uuid.UUID) proposals.Request {
	return proposals.Request{Act: wiki.BulkAct{Op: op}, Selector: wiki.Selector{IDs: ids}, Reason: "out of date"}
}

func byTag(op wiki.Op, tag string) proposals.Request {
	return proposals.Request{Act: wiki.BulkAct{Op: op}, Selector: wiki.Selector{Tag: tag}, Reason: "out of date"}
}

func hard(r proposals.Request) proposals.Request {
	r.Act.Hard = true
	return r
}

func (w *world) run(t testing.TB, r proposals.Request, c proposals.Credential) proposals.Result {
	t.Helper()
	out, err := w.Run(t.Context(), w.user, r, c, "")
	require.NoError(t, err)
	return out
}

func (w *world) refuses(t testing.TB, want wiki.Code, r proposals.Request, c proposals.Credential) {
	t.Helper()
	_, err := w.Run(t.Context(), w.user, r, c, "")
	code(t, want, err)
}

func (w *world) dry(t testing.TB, r proposals.Request) proposals.Preview {
	t.Helper()
	out, err := w.DryRun(t.Context(), w.user, r)
	require.NoError(t, err)
	return out
}

func code(t testing.TB, want wiki.Code, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, want, wiki.ErrorCode(err), "%v", err)
}

func outcomes(items []proposals.Item) (out []string) {
	for _, i := range items {
		text := i.Outcome
		if i.Code != "" {
			text += " " + i.Code
		}
		out = append(out, text)
	}
	return out
}

const (
	patience = time.Minute
	pause    = 10 * time.Millisecond
)
