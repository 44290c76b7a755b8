package nightly_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/conflicts"
	"wiki/core/embedding"
	"wiki/core/flags"
	"wiki/core/nightly"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/record"
	"wiki/core/wiki"
)

// clock makes every transaction later than the one before, and lets a test jump ahead.
type clock struct{ last, ahead atomic.Int64 }

func (c *clock) now() time.Time {
	for {
		before := c.last.Load()
		next := max(time.Now().UnixMicro()+c.ahead.Load(), before+1)
		if c.last.CompareAndSwap(before, next) {
			return time.UnixMicro(next)
		}
	}
}

func (c *clock) pass(d time.Duration) { c.ahead.Add(d.Microseconds()) }

// world is a tenant whose curators have judged, and the real rooms.
type world struct {
	conflicts.Service
	dsn    string
	clock  *clock
	user   wiki.Actor
	titles int
}

func newWorld(t testing.TB) *world {
	c, dsn := &clock{}, pgtest.DSN(t)
	db := pgtest.Open(t, postgres.Config{DSN: dsn, Now: c.now})
	return &world{Service: conflictsOn(t, db), dsn: dsn, clock: c, user: pgtest.Tenant(t, db)}
}

func conflictsOn(t testing.TB, db *postgres.DB) conflicts.Service {
	t.Helper()
	model, err := embedding.BuiltIn()
	require.NoError(t, err)
	return conflicts.New(conflicts.Service{DB: db, Record: record.Service{DB: db, Embedder: model}})
}

func (w *world) service(t testing.TB, consumers ...nightly.Consumer) *nightly.Service {
	t.Helper()
	return w.serviceWith(t, nightly.Settings{}, consumers...)
}

func (w *world) serviceWith(t testing.TB, settings nightly.Settings, consumers ...nightly.Consumer) *nightly.Service {
	t.Helper()
	s, err := nightly.New(w.DB, settings, nil, consumers...)
	require.NoError(t, err)
	return s
}

func (w *world) run(t testing.TB, s *nightly.Service, o nightly.Options) nightly.Report {
	t.Helper()
	r, err := s.Run(t.Context(), w.user.Tenant, o)
	require.NoError(t, err)
	return r
}

func (w *world) write(t testing.TB, a wiki.Article, embed bool) wiki.Article {
	t.Helper()
	var vector record.Embedded
	if embed {
		var err error
		vector, err = record.Embed(t.Context(), w.Record.Embedder, a.Title, a.Body)
		require.NoError(t, err)
	}
	if a.Category == "" {
		a.Category = "finding"
	}
	if a.Status == "" {
		a.Status = wiki.StatusPublished
	}
	require.NoError(t, w.DB.Tenant(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		a, err = w.Record.Create(ctx, tx, w.user, a, vector, record.CreateOptions{})
		return err
	}))
	return a
}

func (w *world) article(t testing.TB) wiki.Article {
	w.titles++
	return w.write(t, wiki.Article{Title: fmt.Sprintf("Article %d", w.titles), Body: fmt.Sprintf("Text %d.\n", w.titles)}, false)
}

// judged makes a flagged pair and a verdict on it that waits: the first is kept.
func (w *world) judged(t testing.TB, disposition wiki.Disposition) (winner, loser wiki.Article) {
	t.Helper()
	winner, loser = w.article(t), w.article(t)
	w.flag(t, winner, loser)
	j := conflicts.Judgement{A: winner.ID, B: loser.ID, Disposition: disposition, Authoritative: &winner.ID, Confidence: wiki.ConfidenceHigh, Evidence: "compared"}
	_, err := w.Judge(t.Context(), w.user, j, "")
	require.NoError(t, err)
	return winner, loser
}

func (w *world) flag(t testing.TB, a, b wiki.Article) {
	t.Helper()
	require.NoError(t, w.DB.Tenant(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, _, err := flags.Raise(ctx, tx, w.user, flags.New{A: a.ID, B: b.ID, System: true, Similarity: 0.95})
		return err
	}))
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

// count runs a query that gives one number.
func (w *world) count(t testing.TB, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, w.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, sql, args...).Scan(&n)
	}))
	return n
}

func (w *world) acts(t testing.TB, act string) int {
	t.Helper()
	return w.count(t, `select count(*) from audit_log where tenant_id = $1 and act = $2`, w.user.Tenant, act)
}

func stepOf(t testing.TB, r nightly.Report, consumer string) nightly.Step {
	t.Helper()
	for _, step := range r.Steps {
		if step.Consumer == consumer {
			return step
		}
	}
	require.Fail(t, "no such step", consumer)
	return nightly.Step{}
}
