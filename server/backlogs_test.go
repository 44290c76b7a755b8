package server_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/server"
	"wiki/server/api"
)

// keep says how long a scrape shows what an earlier one has read.
func keep(d time.Duration) func(*server.Settings) {
	return func(s *server.Settings) { s.BacklogKeep = d }
}

// shows asserts the value of a metric.
func (s scraped) shows(t *testing.T, want float64, name string, labels ...string) {
	t.Helper()
	n, found := s.value(name, labels...)
	require.True(t, found, name)
	require.InDelta(t, want, n, 0, name)
}

func TestBacklogsAreShown(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	endpoint, err := embedding.NewEndpoint(embedding.EndpointConfig{BaseURL: p.URL, Model: "words", Dims: faultyDims})
	require.NoError(t, err)
	w := startWith(t, pgtest.New(t), core.Config{Embedder: endpoint}, keep(1))
	before := w.scrape()
	for _, name := range []string{
		"wiki_conflicts_open", "wiki_conflicts_flagged_last_day", "wiki_conflicts_oldest_seconds", "wiki_drift_open", "wiki_drift_oldest_seconds",
		"wiki_vectors_missing", "wiki_vectors_missing_oldest_seconds",
	} {
		before.shows(t, 0, name)
	}
	for _, of := range []string{"conflicts", "drift", "vectors", "events"} {
		before.shows(t, 1, "wiki_backlog_reading_up", "reading="+of)
		before.shows(t, 0, "wiki_backlog_reading_failures_total", "reading="+of)
	}
	w.dispute()
	keyed := api.Proposal{Title: "Cranes", Body: text("Crane four lifts forty tonnes at pier nine."), Category: "reference", IdempotencyKey: "capture-1"}
	for _, body := range []string{"Crane four lifts forty tonnes at pier nine.", "Crane four lifts fifty tonnes.", "Crane four is gone."} {
		keyed.Body = text(body)
		_, err := w.as(agent).Propose(t.Context(), keyed)
		require.NoError(t, err)
	}
	refuse := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusUnauthorized) })
	p.fault.Store(&refuse)
	w.propose(agent, "Lanterns", "Lanterns burn with a steady flame on the northern pier.")
	after := w.scrape()
	after.shows(t, 1, "wiki_conflicts_open")
	after.shows(t, 1, "wiki_conflicts_flagged_last_day")
	after.shows(t, 2, "wiki_drift_open")
	after.shows(t, 1, "wiki_vectors_missing")
	for _, name := range []string{"wiki_conflicts_oldest_seconds", "wiki_drift_oldest_seconds", "wiki_vectors_missing_oldest_seconds"} {
		age, _ := after.value(name)
		require.Positive(t, age, name)
	}
}

func TestTheLagOfTheEventsIsShown(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	w := startOn(t, db, keep(1))
	require.NoError(t, db.Tenant(t.Context(), w.tenant, func(ctx context.Context, slow postgres.Tx) error {
		if _, err := slow.Exec(ctx, "select pg_current_xact_id()"); err != nil { // it has a place in the stream from here on
			return err
		}
		w.propose(agent, "Tides", "The tide turns twice a day in the northern harbour.")
		held := w.scrape()
		hidden, _ := held.value("wiki_events_hidden")
		lag, _ := held.value("wiki_events_lag_seconds")
		require.Positive(t, hidden)
		require.Positive(t, lag)
		return nil
	}))
	require.Eventually(t, func() bool { // other tests' transactions on the same cluster may hold the stream back
		hidden, found := w.scrape().value("wiki_events_hidden")
		return found && hidden == 0
	}, time.Minute, 20*time.Millisecond)
}

// lock takes a table from everybody else until the function that it gives is called.
func lock(t *testing.T, db *postgres.DB, table string) (release func()) {
	t.Helper()
	return hold(t, func(ctx context.Context, fn func(context.Context, postgres.Tx) error) error {
		return db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
			if _, err := tx.Exec(ctx, "lock table "+table+" in access exclusive mode"); err != nil {
				return err
			}
			return fn(ctx, tx)
		})
	})
}

// A database that does not answer leaves the rest of a scrape as it is, and comes back by itself.
func TestABacklogThatCannotBeReadHangsNoScrape(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	w := startOn(t, db, keep(1))
	w.scrape().shows(t, 0, "wiki_drift_open")
	release := lock(t, db, "drift_events")
	held := w.scrape()
	held.shows(t, 0, "wiki_backlog_reading_up", "reading=drift")
	held.shows(t, 1, "wiki_backlog_reading_failures_total", "reading=drift")
	for _, name := range []string{"wiki_drift_open", "wiki_drift_oldest_seconds"} {
		_, shown := held.value(name)
		require.False(t, shown, "%s: not known is not none", name)
	}
	held.shows(t, 1, "wiki_backlog_reading_up", "reading=conflicts")
	held.shows(t, 0, "wiki_conflicts_open")
	held.shows(t, 1, "wiki_build_info")
	release()
	again := w.scrape()
	again.shows(t, 1, "wiki_backlog_reading_up", "reading=drift")
	again.shows(t, 1, "wiki_backlog_reading_failures_total", "reading=drift")
	again.shows(t, 0, "wiki_drift_open")
}

// Many scrapers at once cost the database one reading, and so does a failed one.
func TestABacklogIsReadOnceWhileItIsFresh(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	w := startOn(t, db, keep(time.Hour))
	release := lock(t, db, "drift_events")
	var scrapes sync.WaitGroup
	for range 3 {
		scrapes.Go(func() { w.scrape().shows(t, 1, "wiki_backlog_reading_failures_total", "reading=drift") })
	}
	scrapes.Wait()
	release()
	w.dispute()
	kept := w.scrape()
	kept.shows(t, 0, "wiki_backlog_reading_up", "reading=drift")
	kept.shows(t, 0, "wiki_conflicts_open")
}

func TestAScrapeWithoutADatabaseShowsTheRest(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	w := startOn(t, db, keep(1))
	db.Close()
	s := w.scrape()
	for _, of := range []string{"conflicts", "drift", "vectors", "events"} {
		s.shows(t, 0, "wiki_backlog_reading_up", "reading="+of)
	}
	s.shows(t, 1, "wiki_build_info")
	s.shows(t, 0, "wiki_database_connections_in_use", "pool=requests")
}
